"""Shows that `make test` passes on a machine of half the pace and on one of twice the pace, three times each.

Half: the tests share a control group that has half of the time of this machine's processors; where none can be made,
two loops on each processor run beside them. Twice: the `time` module of every Python process that the tests start,
their own included, has clocks that go half as fast and a `sleep` that takes twice as long, so that all work seems to
take half the time. Programs that are no Python (cargo's tests, guests, tools) keep the machine's clock, and so do waits
with a limit in C (a lock's, a pipe's): no clock of theirs can be slowed without a change of their waits.

Each time has a folder below the one that is given, with its output and how it ended. One that passed is not run again,
so that the same command goes on after an interruption; remove the folder to begin anew.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

TIMES = 3
PERIOD_US = 20_000
LOOPS = 2
"""Beside tests that have a process for each processor, and now and then more."""
ROOT = Path(__file__).parents[2]
CLOCK = '''\
"""Halves the pace of the clocks in the `time` module; written by `make test-paces`."""

import os
import time


def slowed(clock, since):
    return lambda: since + (clock() - since) / 2


def slowed_ns(clock, since):
    return lambda: since + (clock() - since) // 2


for name, since in (pair.split("=") for pair in os.environ["PACE_SINCE_NS"].split()):
    setattr(time, name, slowed(getattr(time, name), int(since) / 1e9))
    setattr(time, name + "_ns", slowed_ns(getattr(time, name + "_ns"), int(since)))


def sleep(seconds, real=time.sleep):
    real(2 * seconds)


time.sleep = sleep
'''
CLOCKS = ("time", "monotonic", "perf_counter")
"""Which all processes share; those of a process's own time begin with it."""
OWN_CLOCKS = ("process_time", "thread_time")


@dataclass(frozen=True, slots=True)
class Ended:
    """How one time of `make test` ended."""

    passed: bool
    took_s: float
    how: str
    said: str
    """The last line that it printed."""


class Pace(NamedTuple):
    """What the tests are started with."""

    how: Callable[[], str]
    """How it was made, asked for after the tests."""
    command: list[str]
    environment: dict[str, str]


@contextlib.contextmanager
def half() -> Iterator[Pace]:
    """Half the time of all processors."""
    processors = os.cpu_count() or 1
    quota_us = PERIOD_US * processors // 2
    group = _group(quota_us)
    if group is None:
        with contextlib.ExitStack() as loops:
            for _ in range(LOOPS * processors):
                started = loops.enter_context(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
                loops.callback(started.kill)
            yield Pace(lambda: f"{LOOPS} busy loops beside them on each of {processors} processors", [], {})
        return

    def how() -> str:
        lines = (group / "cpu.stat").read_text(encoding="utf-8").splitlines()
        stat = {name: int(number) for name, _, number in (line.partition(" ") for line in lines)}
        waited = f"it waited in {stat['nr_throttled']:,} of {stat['nr_periods']:,} periods"
        return f"a control group with {processors / 2:g} of {processors} processors' time; {waited}"

    enter = ["sh", "-c", f'echo $$ >{group}/cgroup.procs && exec "$@"', "sh"]
    try:
        yield Pace(how, enter, {})
    finally:
        _emptied(group)


def _group(quota_us: int) -> Path | None:
    """A new control group with so much of each period; None: this machine lets us have none."""
    mounts = [line.split() for line in Path("/proc/mounts").read_text(encoding="utf-8").splitlines()]
    for _, mount, kind, options, *_ in mounts:
        if kind not in {"cgroup", "cgroup2"} or (kind == "cgroup" and "cpu" not in options.split(",")):
            continue
        group = Path(mount) / f"dumbbell-pace-{os.getpid()}"
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            if kind == "cgroup2":
                (group / "cpu.max").write_text(f"{quota_us} {PERIOD_US}", encoding="utf-8")
            else:
                (group / "cpu.cfs_period_us").write_text(str(PERIOD_US), encoding="utf-8")
                (group / "cpu.cfs_quota_us").write_text(str(quota_us), encoding="utf-8")
        except OSError:
            group.rmdir()
        else:
            return group
    return None


def _emptied(group: Path) -> None:
    """Removes a group as soon as the last of its processes has ended."""
    for _ in range(600):
        try:
            group.rmdir()
        except OSError:
            time.sleep(0.1)
        else:
            return
    sys.stderr.write(f"{group} still has processes\n")


@contextlib.contextmanager
def twice() -> Iterator[Pace]:
    """Python's clocks at half their pace."""
    folder = ROOT / "out" / "paces" / "clock"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sitecustomize.py").write_text(CLOCK, encoding="utf-8")
    since = [*(f"{each}={getattr(time, f'{each}_ns')()}" for each in CLOCKS), *(f"{each}=0" for each in OWN_CLOCKS)]
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {"PACE_SINCE_NS": " ".join(since), "PYTHONPATH": path}
    yield Pace(lambda: "clocks of Python's `time` at half their pace", [], environment)


PACES = {"half": half, "twice": twice}


def tested(name: str, folder: Path) -> Ended:
    """Runs `make test` once; its output goes into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    with PACES[name]() as pace, (folder / "output.txt").open("wb") as output:
        environment = {key: value for key, value in os.environ.items() if key not in {"MAKEFLAGS", "MFLAGS"}}
        done = subprocess.run(
            [*pace.command, "make", "--no-print-directory", "test", f"TALLY={folder / 'tally'}"],
            check=False,
            cwd=ROOT,
            env=environment | pace.environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        how = pace.how()
    lines = (folder / "output.txt").read_text(encoding="utf-8").splitlines()
    said = [line for line in lines if " passed; skipped " in line]
    return Ended(done.returncode == 0, time.monotonic() - began, how, said[-1] if said else "it said nothing")


def main(home: Path, names: list[str], times: int) -> None:
    """Runs what has not passed yet; prints a line for each, and exits with 1 where one failed."""
    passed = True
    for number in range(1, times + 1):
        for name in names:
            folder = home / f"{name}-{number}"
            record = folder / "ended.json"
            ended = Ended(**json.loads(record.read_text(encoding="utf-8"))) if record.is_file() else None
            if ended is None or not ended.passed:
                ended = tested(name, folder)
                record.write_text(json.dumps(asdict(ended)) + "\n", encoding="utf-8")
            passed = passed and ended.passed
            outcome = "passed" if ended.passed else f"FAILED ({folder}/output.txt)"
            sys.stdout.write(f"{folder.name}: {outcome} in {ended.took_s:.0f} s, {ended.how}: {ended.said}\n")
            sys.stdout.flush()
    sys.exit(not passed)


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute(), sys.argv[2:-1] or list(PACES), int(sys.argv[-1]))
