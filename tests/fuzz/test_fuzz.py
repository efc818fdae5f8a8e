"""Whatever a file has in it, a command answers with an error of the project's own, or takes it.

`make fuzz` draws a seed and tries 20,000 of each kind. `DUMBBELL_FUZZ` says how many, `DUMBBELL_FUZZ_SEED` of which
seed; `DUMBBELL_FUZZ_CASE=csv:17` repeats one.
"""

from __future__ import annotations

import os
import re
import shutil
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from commandline import MOMENT, ROOT
from dumbbell import _core
from dumbbell.advice.mix import common_question, mix
from dumbbell.advice.paths import cells, paths
from dumbbell.campaign import imported
from dumbbell.campaign.plan import count, refusals
from dumbbell.cc import known
from dumbbell.engines.hosts.answer import reply
from dumbbell.engines.hosts.inventory import read as read_inventory
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import DumbbellError, EngineFailure
from dumbbell.hosts.points import read as read_points
from dumbbell.hosts.spread import ComparedEngine
from dumbbell.metrics.connections import read as read_sockets
from dumbbell.results.store import Store
from dumbbell.spec import assignment, expand, load, resolve, toml
from dumbbell.spec.run import Run
from dumbbell.studies.loading import read as read_study
from dumbbell.studies.manifest import claim_rows, figure_titles
from mutation import mutated
from savedruns import saved

CASES = int(os.environ.get("DUMBBELL_FUZZ", "200"))
SEED = int(os.environ.get("DUMBBELL_FUZZ_SEED", "1"))
AGAIN, _, AGAIN_CASE = os.environ.get("DUMBBELL_FUZZ_CASE", "").partition(":")
LONGEST_CAPTURE_BYTES = 10_000
QUESTION_SHARE = 0.05
PART = 500
"""Cases of a test: several can run at once."""
MOST_SHOWN = 10
LONGEST_SHOWN = 2000

STUDY = ROOT / "python/dumbbell/studies/claypool2019_proposals"
CAPTURES = ROOT / "tests/metrics/captures"
HOSTS = """
duration = "5 s"
[path]
rate = "10 Mbit/s"
rtt = "40 ms"
buffer = "1 bdp"
[[flows]]
cc = "bbr"
[[flows]]
name = "other"
cc = "cubic"
"""
TABLES = (
    b"# Somewhere.\npath.buffer (kB),flows[1].cc,goodput.bbr (Mbit/s),goodput.bbr.sd (Mbit/s)\n50,reno,8,0.2\n",
    b"trials,seeds,share.bbr (%),rtt.other (ms)\n5,1,50,40\n,2,,60\n",
    b"Our lab, 2025\n\npath.rtt (ms);goodput.other (Mbit/s)\n40,5;4,5\n80;3\n",
    b"path.rate,duration (s),flows[0].count,goodput.bbr (of rate)\n8 Mbit/s,4,2,0.5\n1 Gbit/s,4,3,0.25\n",
    "path.buffer (kB)\tgoodput.bbr (Mbit/s)\tutilization (%)\r\n50.5\t4.5\t90\r\n".encode("utf-16"),
)
TIMES = (
    b"time,bytes\n0,1000\n0.25,2000\n7.125,1\n", b"0.5\n1\n1\n2.25\n", b"0.5,100\n0.5,7\n",
    b"bytes,share\n1000,0.2\n10000,0.6\n100000,1\n", b"size,cdf\n0,0\n9,.5\n10,1\n",
)  # fmt: skip

INVENTORY = b"""
[[senders]]
name = "a"
ssh = "me@a.example"
address = "10.0.0.1"
interface = "eth0"
to = "b"
[[receivers]]
name = "b"
ssh = "b"
address = "10.0.0.2"
interface = "enp3s0.7"
shape = true
[router]
name = "r"
ssh = "r_1"
interface = "eth1"
"""
ANSWERS = (
    b'{"id":1,"answer":{"clock":{"realtime_ns":1764400000000000000,"monotonic_ns":67000000000}}}',
    b'{"id":null,"error":"not a request: expected value at line 1 column 1"}',
    b"""{"id":2,"answer":{"describe":{"available":["cubic","reno"],"loadable":["bbr"],"tools":{"ip":"/usr/bin/ip","nc":null},
    "interfaces":[{"name":"eth0","up":true,"mtu_bytes":1500,"addresses":["10.0.0.1/24"],"qdisc":"fq"}],
    "means":null,"load":0.25}}}""",
)


class Kind(NamedTuple):
    """Files of a kind, and what commands do with one of them."""

    examples: tuple[bytes, ...]
    attempt: Callable[[Path, Random], object]
    """With the file; what it draws beside is drawn again for the same case."""
    allowed: type[Exception] = DumbbellError


class Unable(SimEngine):
    """A simulator that fails all that it is asked to measure: only what comes before is tried."""

    def measure(self, run: Run) -> Measurement:
        raise EngineFailure(f"not {run.seed}")

    def measurement_json(self, _: Run) -> bytes:
        return b"{}"


def _points(file: Path, _: Random) -> None:
    measurements = read_points(file, HOSTS)
    refusals(ComparedEngine(SimEngine(), None).experiment_of(measurements), SimEngine())


def _times(file: Path, random: Random) -> None:
    workloads = (
        {"trace": file.name}, {"arrivals": {"trace": file.name}},
        {"arrivals": {"rate": "1 /s"}, "size": {"cdf": file.name}},
    )  # fmt: skip
    load(MOMENT, overrides={"flows[0].workload": random.choice(workloads)}, folder=file.parent)


def _sockets(file: Path, random: Random) -> None:
    """Fewer go on to the question, which takes longer than to read the file."""
    sockets = read_sockets(str(file))
    known_paths, _ = paths(sockets.connections)
    cells(known_paths, 3.0, common_question({}, known()))
    if random.random() < QUESTION_SHARE:
        with Store.open(file.with_suffix(".store"), write=True) as store:
            mix(sockets, common_question({}, known()), Unable(), store, seconds=0.01, jobs=1, seeds=2)


def _spec(file: Path, random: Random) -> None:
    override = mutated((b"path.rtt=50 ms", b"flows[0].count=3", b'path.buffer=["1 bdp", "2 bdp"]'), random).decode(
        "latin-1"
    )
    overrides = dict([assignment(override)]) if random.random() < 0.1 else None
    experiment = load(file, overrides=overrides)
    count(experiment)
    refusals(experiment, SimEngine())
    toml(experiment.fields())
    run = resolve(next(expand(experiment)), experiment.seed_values[0]).run
    _core.problems(run.to_json())


def _saved(file: Path, _: Random) -> None:
    imported.read(file, Unable())


def _measurement(file: Path, _: Random) -> None:
    _core.measurement(file.read_bytes())


def _run(file: Path, _: Random) -> None:
    _core.problems(file.read_bytes().decode("utf-8", errors="replace"))


def _inventory(file: Path, _: Random) -> None:
    """Whatever is taken is a word of `ssh`, and no option."""
    for host in (each for _, each in read_inventory(file).hosts()):
        assert re.fullmatch(r"[\w.@-]+", host.ssh, re.ASCII)
        assert not host.ssh.startswith("-")


def _answer(file: Path, _: Random) -> None:
    """Whatever is taken has no name that is a path."""
    read = reply(file.read_bytes())
    if read is not None and read.answer is not None and read.answer.describe is not None:
        describe = read.answer.describe
        names = [*describe.available, *describe.loadable, *describe.tools, *(each.name for each in describe.interfaces)]
        assert not [name for name in names if not re.fullmatch(r"\w[\w.@:+~-]*", name, re.ASCII)]


def _study(file: Path, random: Random) -> None:
    """One of a study's files has the slips: they are drawn here, since each file has its own."""
    folder = file.with_name(STUDY.name)
    if not folder.exists():
        shutil.copytree(STUDY, folder, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    broken = random.choice(sorted(folder.iterdir()))
    original = broken.read_bytes()
    file.write_bytes(mutated((original,), random))
    shutil.copyfile(file, broken)
    try:
        for what in (claim_rows, figure_titles, read_study):
            with suppress(DumbbellError):
                what(folder)
    finally:
        broken.write_bytes(original)


@cache
def kinds() -> dict[str, Kind]:
    specs = tuple(each.read_bytes() for each in sorted((ROOT / "examples").glob("*.toml")))
    run = resolve(next(expand(load(MOMENT))), 1).run
    short = load(MOMENT, overrides={"duration": "200 ms", "flows[1].start": "50 ms", "measure.sample": "50 ms"})
    measured = SimEngine().measurement_json(resolve(next(expand(short)), 1).run)
    return {
        "csv": Kind(TABLES, _points),
        "times": Kind(TIMES, _times),
        "ss": Kind(
            tuple(each.read_bytes()[:LONGEST_CAPTURE_BYTES] for each in sorted(CAPTURES.glob("*.txt"))), _sockets
        ),
        "study": Kind((b"",), _study),
        "spec": Kind((*specs, MOMENT.encode()), _spec),
        "import": Kind((saved(short.toml()).encode(),), _saved),
        "measurement": Kind((measured,), _measurement),
        "run": Kind((run.to_json().encode(),), _run),
        "inventory": Kind((INVENTORY,), _inventory),
        "answer": Kind(ANSWERS, _answer),
    }


def faults(name: str, first: int, file: Path) -> Iterator[str]:
    """Tries the cases of a part; gives what is wrong, each place in the code once."""
    kind, places = kinds()[name], set[str]()
    chosen = [int(AGAIN_CASE)] if name == AGAIN else range(first, min(first + PART, CASES))
    for case in chosen:
        random = Random(f"{SEED} {name} {case}")  # noqa: S311 (nothing secret)
        file.write_bytes(mutated(kind.examples, random))
        try:
            kind.attempt(file, random)
        except kind.allowed:
            continue
        except BaseException as error:  # a panic of Rust is no Exception
            if isinstance(error, KeyboardInterrupt):
                raise
            place = str(traceback.extract_tb(error.__traceback__)[-1])
            if place not in places:
                places.add(place)
                shown = repr(file.read_bytes())[:LONGEST_SHOWN]
                trace = "".join(traceback.format_exception(error)[-4:])
                yield f"DUMBBELL_FUZZ_SEED={SEED} DUMBBELL_FUZZ_CASE={name}:{case}\n{shown}\n{trace}"


PARTS = [(AGAIN, 0)] if AGAIN else [(name, first) for name in kinds() for first in range(0, CASES, PART)]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "first"), PARTS)
def test_no_file_ends_in_a_traceback(name: str, first: int, tmp_path: Path) -> None:
    wrong = list(faults(name, first, tmp_path / "file"))
    assert not wrong, f"{len(wrong)} places\n" + "\n".join(wrong[:MOST_SHOWN])
