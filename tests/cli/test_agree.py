"""`dumbbell agree` as a user has it. Another engine than the simulator stands in by its name."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import tomllib
from pathlib import Path
from typing import NoReturn

import pytest
from syrupy.assertion import SnapshotAssertion
from typer.testing import CliRunner, Result

from agreed import Scaled
from commandline import DUMBBELL, dumbbell
from dumbbell.cli.main import app
from dumbbell.comparison import checks
from dumbbell.comparison.checks import Check
from dumbbell.comparison.record import Agreement
from dumbbell.engines import registry
from dumbbell.engines.protocol import Engine
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import ComparisonError, DumbbellError
from dumbbell.results.store import Store
from dumbbell.spec import load
from processes import HANG_S, soon

pytestmark = pytest.mark.slow

SAME = ("--engines", "sim,sim")
QUICK = ("--random", "3", "--seed", "4", "--duration", "2 s", "--packets", "5000", "--seeds", "2")

OF_OTHERS = [
    ("--random", "2"), ("--seed", "0"), ("--stratum", "plain"), ("--duration", "9 s"), ("--packets", "9"),
    ("--curves",), ("--seeds", "2"), ("--candidate-seeds", "2"),
    ("--floor", "0"), ("--set", "path.rate=1 Mbit/s"), ("--dry-run",), ("--dump", "x"),
    ("--show", "1"), ("--html", "x.html"),
]  # fmt: skip
"""What `--check` does not take."""


@pytest.fixture
def doubles(monkeypatch: pytest.MonkeyPatch) -> dict[str, Scaled]:
    """Engines `double`, which is the simulator, and `wrong`, which delivers four fifths."""
    engines = {"double": Scaled(), "wrong": Scaled(0.8), "failing": Scaled(failing=(2,))}

    def named(name: str) -> Engine:
        return engines.get(name) or SimEngine()

    monkeypatch.setattr(registry, "engine", named)
    return engines


def agree(*arguments: str | Path) -> Result:
    """In this process, so that engines can be stood in for."""
    return CliRunner().invoke(app(), ["agree", *map(str, arguments)])


@pytest.mark.usefixtures("doubles")
@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ("--engines double,sim", 0),
        ("--engines wrong,sim --floor 0", 1),
        ("--engines failing,sim --seeds 2", 1),
        ("--engines wrong,sim --show moment-2 --seeds 2", 0),
    ],
)
def test_it_prints_every_band_and_the_worst(
    arguments: str, status: int, moment: Path, snapshot: SnapshotAssertion
) -> None:
    done = agree(moment, *arguments.split())
    assert done.exit_code == status
    assert (done.stdout, done.stderr) == snapshot


@pytest.mark.usefixtures("doubles")
def test_json_is_one_object(moment: Path) -> None:
    done = agree(moment, "--engines", "wrong,sim", "--json", "--seeds", "2", "--floor", "1")
    assert done.exit_code == 1
    agreement = Agreement.model_validate_json(done.stdout)
    assert (agreement.candidate.engine, agreement.reference.engine, agreement.floor_seeds) == ("double", "sim", (3,))
    assert agreement.source.spec == "moment"
    assert len(agreement.worst) == 2


def test_what_the_store_has_is_not_run_again(moment: Path, doubles: dict[str, Scaled], store: Path) -> None:
    first, second = (agree(moment, "--engines", "double,sim", "--json") for _ in range(2))
    assert first.stdout == second.stdout
    assert len(doubles["double"].measured) == 2 * 3
    with Store.open(store) as opened:
        assert opened.count() == 2 * (3 + 6)


@pytest.mark.usefixtures("doubles")
def test_the_page_is_written(moment: Path, tmp_path: Path) -> None:
    done = agree(moment, "--engines", "wrong,sim", "--html", tmp_path / "page.html")
    assert done.exit_code == 1
    assert done.stderr.splitlines()[-1] == str(tmp_path / "page.html")
    assert "double against sim" in (tmp_path / "page.html").read_text(encoding="utf-8")
    blocked = agree(moment, "--engines", "double,sim", "--html", moment / "page.html")
    assert blocked.exit_code == 1
    assert "cannot write the report" in str(blocked.exception)


def test_random_conditions_under_other_seeds_of_the_same_engine() -> None:
    done = dumbbell("agree", *QUICK, *SAME, "--json")
    assert done.returncode in (0, 1)  # two seconds are chance
    assert done.stderr == ""
    agreement = json.loads(done.stdout)
    assert agreement["source"] == {
        "spec": None, "file": None, "stratum": "plain", "random": 3, "seed": 4, "duration": "2 s", "most_packets": 5000,
        "sets": [],
    }  # fmt: skip
    assert [each["name"] for each in agreement["conditions"]] == ["random-4-1", "random-4-2", "random-4-3"]


def test_a_fresh_seed_is_told() -> None:
    done = dumbbell("agree", "--random", "1", "--dry-run")
    (seed,) = re.findall(r"conditions of seed (\d+); --seed \1 draws them again", done.stderr)
    assert dumbbell("agree", "--random", "1", "--seed", seed, "--dry-run").stdout == done.stdout


def test_a_dry_run_prints_specs_and_what_they_cost_and_makes_no_store(store: Path) -> None:
    done = dumbbell("agree", *QUICK, "--dry-run")
    assert done.returncode == 0
    parts = re.split(r"(?m)^# .*$", done.stdout)[1:]
    assert [tomllib.loads(part)["name"] for part in parts] == ["random-4-1", "random-4-2", "random-4-3"]
    assert not store.exists()
    done = dumbbell("agree", *QUICK, "--dry-run", "--set", "path.rate=1 Gbit/s", "--set", "duration=20 s")
    assert done.stderr == "3 conditions, 5.0 million packets at most with each seed\n"  # 3 * 1e9 * 20 / 8 / 1514


def test_a_dumped_condition_runs_alone(tmp_path: Path) -> None:
    done = dumbbell("agree", *QUICK, "--dump", tmp_path / "specs")
    files = [Path(line) for line in done.stdout.splitlines()]
    assert [path.name for path in files] == ["random-4-1.toml", "random-4-2.toml", "random-4-3.toml"]
    assert load(files[0]).name == "random-4-1"
    assert dumbbell("run", files[0], "--json").returncode == 0
    (tmp_path / "file").touch()
    assert dumbbell("agree", *QUICK, "--dump", tmp_path / "file").returncode == 2


@pytest.mark.usefixtures("doubles")
def test_one_condition_is_shown_flow_by_flow(moment: Path, store: Path) -> None:
    lines = agree(moment, "--engines", "wrong,sim", "--show", "1", "--seeds", "2", "--json").stdout.splitlines()
    assert {"timeouts", "goodput_bps", "engine", "seed"} <= set(json.loads(lines[0]))
    assert not store.exists()


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((), "give one of SPEC, --random N and --curves"),
        (("SPEC", "--random", "2"), "give one of SPEC, --random N and --curves"),
        (("SPEC", "--seed", "2", *SAME), "--seed, --stratum, --duration and --packets are for --random"),
        (("SPEC", "--engines", "sim"), "names no two engines"),
        (("SPEC", "--engines", "sim,"), "names no two engines"),
        (("SPEC", "--engines", "sim,tofino"), 'unknown engine "tofino"'),
        (("SPEC", *SAME, "--set", "measure.record=pcap"), "measure.record: sim: "),
        (("SPEC", *SAME, "--set", "path.rate=80 mbps"), "path.rate: "),
        (("SPEC", *SAME, "--show", "moment-7"), 'there is no condition "moment-7"; did you mean "moment-'),
        (("SPEC", "--curves"), "give one of SPEC, --random N and --curves"),
        (("--curves", "--seed", "1"), "--seed, --stratum, --duration and --packets are for --random"),
        (("SPEC", *SAME, "--show", "1", "--html", "x.html"), "--html is of a comparison; --show makes none"),
        (("SPEC", *SAME, "--dry-run", "--html", "x.html"), "--html is of a comparison; --dry-run makes none"),
        (("SPEC", *SAME, "--dry-run", "--show", "1"), "give one of --dry-run and --show"),
        (("--random", "2", "--seed", "1", "--set", "name=x", "--dump", "x"), 'name: "x" is that of 2 conditions'),
        (("--random", "1", "--seed", "1", "--set", "name=x/y", "--dump", "x"), 'name: "x/y" is no name of a file'),
        (("nowhere.toml", *SAME), "no such file"),
        (("--random", "2", "--stratum", "fqq"), '--stratum: unknown "fqq"; did you mean "fq"?'),
        (("--random", "2", "--stratum", "study"), '--stratum: unknown "study"; did you mean "studies"?'),
        (("--random", "2", "--stratum", "x"), '--stratum: unknown "x"; known: plain, fq, access, rtts, transfers'),
        (("--random", "2", "--stratum", "x"), "live, studies"),
        (
            ("--random", "2", "--seed", "1", "--stratum", "transfers", "--duration", "9 s"),
            'duration: stratum "transfers" has its own; leave it out',
        ),
        *(
            (
                ("--check", "phase", *given),
                f"{given[0]}: --check has conditions, seeds and bars of its own; leave it out",
            )
            for given in OF_OTHERS
        ),
        (("SPEC", "--check", "phase"), "SPEC: --check has conditions, seeds and bars of its own; leave it out"),
        (("--check", "comp", *SAME), 'there is no check "comp"; known: phases-slow'),
        (("--random", "2", "--seed", "1", "--duration", "60", *SAME), "duration: "),
        (("--random", "2", "--seed", "1", "--packets", "10", *SAME), "are more than 10 packets"),
    ],
)
def test_bad_input_exits_2_and_runs_nothing(arguments: tuple[str, ...], error: str, moment: Path, store: Path) -> None:
    done = dumbbell("agree", *(moment if argument == "SPEC" else argument for argument in arguments))
    assert (done.returncode, done.stdout) == (2, "")
    assert error in done.stderr
    assert not store.exists()


def test_all_checks_are_carried_out_whatever_is_named_beside_them(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[list[Check]] = []

    def record_and_refuse(_store: Store, checks: list[Check], *_: object, **__: object) -> NoReturn:
        calls.append(checks)
        raise ComparisonError("none is carried out here")

    monkeypatch.setattr(checks, "run_checks", record_and_refuse)
    for names in (("--check", "all"), ("--check", "all", "--check", "fq"), ("--check", "fq")):
        agree(*names, *SAME)
    everything = list(checks.checks())
    assert calls == [everything, everything, [each for each in everything if each.name == "fq"]]


@pytest.mark.usefixtures("doubles")
def test_what_an_engine_cannot_honour_is_told_with_its_name(moment: Path) -> None:
    done = agree(moment, "--engines", "double,sim", "--set", "measure.record=pcap")
    assert isinstance(done.exception, DumbbellError)
    lines = str(done.exception).splitlines()
    assert [line.split(": ")[:2] for line in lines] == [["measure.record", "double"], ["measure.record", "sim"]]


def test_without_any_jitter_there_is_a_note(tmp_path: Path) -> None:
    path = tmp_path / "still.toml"
    path.write_text(
        'duration = "1 s"\nstart_jitter = "0 s"\n'
        '[path]\nrate = "5 Mbit/s"\nrtt = "20 ms"\nbuffer = "1 bdp"\njitter = "none"\n'
        '[[flows]]\ncc = "bbr"\n',
        encoding="utf-8",
    )
    assert "without any jitter" in dumbbell("agree", path, *SAME, "--floor", "0").stderr
    for some in ("start_jitter=10 ms", "path.jitter=50 us"):
        assert "without any" not in dumbbell("agree", path, *SAME, "--floor", "0", "--set", some).stderr


def count_stored_runs(store: Path) -> int:
    """How many runs are there so far."""
    try:
        with Store.open(store) as opened:
            return opened.count()
    except DumbbellError:  # there is none yet
        return 0


@pytest.mark.parametrize(
    "arguments", [("--random", "40", "--seed", "4", "--duration", "60 s"), ("--check", "all")], ids=["random", "check"]
)
def test_ctrl_c_keeps_what_is_finished_and_says_so(arguments: tuple[str, ...], store: Path) -> None:
    process = subprocess.Popen(
        [DUMBBELL, "agree", *arguments, *SAME, "--jobs", "1"], stderr=subprocess.PIPE, encoding="utf-8"
    )
    assert soon(lambda: count_stored_runs(store) > 1)
    process.send_signal(signal.SIGINT)
    _, printed = process.communicate(timeout=HANG_S)
    there = count_stored_runs(store)
    assert there >= 2
    assert process.returncode == 130
    assert re.fullmatch(rf"interrupted: {there} of [\d,]+ runs are in {store}; the same command goes on\n", printed)
