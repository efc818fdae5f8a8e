"""`dumbbell check` on random valid specs: how soon it answers, and how near what it says is to what `run` then takes.

    python bench/forecasts.py --specs 2000 --seed 1 --out out/forecasts

Each spec is checked, and some are run, by commands of their own on one core. What is compared is processor time, as
others may use this machine meanwhile, and the memory and disk that they took. What is known is in a file, and the same
command goes on.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from dumbbell.spec import toml
from validspecs import valid_specs

SLOWEST_CHECK_S, MEDIAN_CHECK_S = 10.0, 1.0
FACTOR, SHARE = 3.0, 0.95
SMALLEST, DRAWN, MOST_PACKETS = 300, 50, 10_000_000
PATIENCE_S = 120.0
"""A check that takes as long in real time has not answered."""
COMMAND = Path(sys.executable).with_name("dumbbell")
TASKSET = shutil.which("taskset") or "taskset"


@dataclass(frozen=True, slots=True)
class Ended:
    """A process, and what it took."""

    status: int
    cpu_s: float
    resident_bytes: int
    output: str


class Known:
    """What is known of each spec, in a file of one JSON object a line."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        self._facts: dict[tuple[str, int], dict[str, Any]] = {}
        for fact in map(json.loads, lines):
            self._facts[fact["what"], fact["number"]] = fact
        self._file, self._lock = path.open("a", encoding="utf-8"), Lock()

    def get(self, what: str, number: int) -> dict[str, Any] | None:
        """What was found of a spec; None: it was not tried yet."""
        return self._facts.get((what, number))

    def put(self, what: str, number: int, facts: dict[str, Any]) -> None:
        """Keeps what was found of a spec."""
        fact = {"what": what, "number": number} | facts
        with self._lock:
            self._facts[what, number] = fact
            self._file.write(json.dumps(fact) + "\n")
            self._file.flush()


def main() -> int:
    """Checks, runs, compares; 1 where a bar is missed."""
    options = _options()
    specs = list(valid_specs(options.seed, options.specs))
    known = Known(options.out / f"{options.engine.replace(':', '-')}-{options.seed}.jsonl")
    cores = sorted(os.sched_getaffinity(0))
    with ThreadPoolExecutor(len(cores)) as pool:
        free = list(cores)

        def check(number: int) -> None:
            if known.get("check", number) is None:
                core = free.pop()
                try:
                    _check(number, specs[number], core, known)
                finally:
                    free.append(core)

        _through(pool, check, range(len(specs)), "checked")
        chosen = _chosen(known, len(specs), options)

        def run(number: int) -> None:
            if known.get("run", number) is None:
                core = free.pop()
                try:
                    _run(number, specs[number], core, known, options.engine)
                finally:
                    free.append(core)

        _through(pool, run, chosen, "run")
    return _report(known, len(specs), chosen, options)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--specs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--smallest", type=int, default=SMALLEST)
    parser.add_argument("--drawn", type=int, default=DRAWN)
    parser.add_argument("--engine", default="sim")
    parser.add_argument("--longest", type=float, default=600.0, help="of those drawn, seconds by their forecast")
    parser.add_argument("--out", type=Path, default=Path("out/forecasts"))
    return parser.parse_args()


def _through(pool: ThreadPoolExecutor, work: Callable[[int], None], numbers: Sequence[int], what: str) -> None:
    for done, _ in enumerate(pool.map(work, numbers), start=1):
        if done % 50 == 0:
            print(f"{what}: {done} of {len(numbers)}", file=sys.stderr, flush=True)


def _check(number: int, fields: dict[str, Any], core: int, known: Known) -> None:
    with _file(fields) as spec:
        ended = _ended([COMMAND, "check", spec, "--json"], core, PATIENCE_S)
    facts = json.loads(ended.output) if ended.status == 0 else {}
    known.put("check", number, {
        "status": ended.status, "cpu_s": ended.cpu_s, "packets": facts.get("packets"), "runs": facts.get("runs"),
        "forecasts": facts.get("forecasts", {}),
    })  # fmt: skip


def _run(number: int, fields: dict[str, Any], core: int, known: Known, engine: str) -> None:
    forecast = _forecast(known, number, engine) or {}
    with _file(fields) as spec, tempfile.TemporaryDirectory() as folder:
        command = [COMMAND, "run", spec, "--engine", engine, "--jobs", "1", "--out", f"{folder}/store"]
        ended = _ended(command, core, 120 + 20 * forecast["core_seconds"])
        disk = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
    known.put("run", number, {
        "status": ended.status, "cpu_s": ended.cpu_s, "resident_bytes": ended.resident_bytes, "disk_bytes": disk,
    })  # fmt: skip


def _chosen(known: Known, count: int, options: argparse.Namespace) -> list[int]:
    """The smallest by their forecasts, and some of the others, always the same."""
    forecasts = {number: forecast for number in range(count) if (forecast := _forecast(known, number, options.engine))}
    by_size = sorted(forecasts, key=lambda number: (forecasts[number]["core_seconds"], number))
    rest = [
        number
        for number in by_size[options.smallest :]
        if _fact(known, "check", number)["packets"] <= MOST_PACKETS
        and forecasts[number]["core_seconds"] <= options.longest
        and forecasts[number]["memory_bytes"] <= _memory_bytes() / 2
    ]
    draw = random.Random(f"forecasts {options.seed}")  # noqa: S311 (always the same)
    drawn = draw.sample(sorted(rest), min(options.drawn, len(rest)))
    return by_size[: options.smallest] + drawn


def _report(known: Known, count: int, chosen: Sequence[int], options: argparse.Namespace) -> int:
    checks = [_fact(known, "check", number) for number in range(count)]
    seconds = [check["cpu_s"] for check in checks]
    unanswered = [check["number"] for check in checks if check["status"] != 0]
    slow = [check["number"] for check in checks if check["cpu_s"] > SLOWEST_CHECK_S]
    median = statistics.median(seconds)
    print(f"seed {options.seed}: {count} specs, engine {options.engine}")
    print(f"check, seconds of processor: median {median:.2f} (bar {MEDIAN_CHECK_S:g}), most {max(seconds):.1f}"
          f" (bar {SLOWEST_CHECK_S:g}), no answer: {unanswered}, slower: {slow}")  # fmt: skip
    passed = [not unanswered, not slow, median <= MEDIAN_CHECK_S]
    for name, numbers in (("smallest", chosen[: options.smallest]), ("drawn", chosen[options.smallest :])):
        _report_part(known, name, numbers, options.engine)
    for what in ("core_seconds", "memory_bytes", "disk_bytes"):
        ratios = dict(_ratios(known, chosen, what, options.engine))
        within = sum(1 / FACTOR <= ratio <= FACTOR for ratio in ratios.values()) / max(len(ratios), 1)
        bar = SHARE if what != "disk_bytes" else 0.0
        worst = sorted(ratios, key=lambda number: -max(ratios[number], 1 / max(ratios[number], 1e-9)))[:8]
        furthest = ", ".join(f"{number}: {ratios[number]:.2f}" for number in worst)
        print(f"{what}: {within:.1%} of {len(ratios)} within a factor of {FACTOR:g} (bar {bar:.0%});"
              f" furthest, forecast / run: {furthest}")  # fmt: skip
        passed.append(within >= bar)
    print("passed" if all(passed) else "MISSED")
    return 0 if all(passed) else 1


def _report_part(known: Known, name: str, numbers: Sequence[int], engine: str) -> None:
    runs = [run["cpu_s"] for number in numbers if (run := known.get("run", number))]
    if runs:
        ratios = [ratio for _, ratio in _ratios(known, numbers, "core_seconds", engine)]
        within = sum(1 / FACTOR <= ratio <= FACTOR for ratio in ratios) / len(ratios)
        print(f"{name}: {len(runs)} were run, {min(runs):.1f} to {max(runs):.1f} s of processor;"
              f" time within a factor of {FACTOR:g}: {within:.1%}")  # fmt: skip


def _ratios(known: Known, numbers: Sequence[int], what: str, engine: str) -> Iterator[tuple[int, float]]:
    """Forecast over truth; a run that was given up took longer than anything."""
    taken = {"core_seconds": "cpu_s", "memory_bytes": "resident_bytes", "disk_bytes": "disk_bytes"}[what]
    for number in numbers:
        run, forecast = known.get("run", number), _forecast(known, number, engine)
        if run is not None and forecast is not None:
            yield number, forecast[what] / run[taken] if run["status"] == 0 else 0.0


def _forecast(known: Known, number: int, engine: str) -> dict[str, Any] | None:
    forecast: dict[str, Any] | None = _fact(known, "check", number)["forecasts"].get(engine)
    return forecast


def _fact(known: Known, what: str, number: int) -> dict[str, Any]:
    return known.get(what, number) or {}


def _memory_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


class _file:  # noqa: N801 (a context)
    """A file of a spec."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="forecasts-"))
        self._path = self._folder / "spec.toml"
        self._path.write_text(toml(fields), encoding="utf-8")

    def __enter__(self) -> Path:
        return self._path

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._folder)


def _ended(command: Sequence[str | Path], core: int, patience_s: float) -> Ended:
    """A process on one core, with what it took and what its own processes took that it waited for."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            [TASKSET, "--cpu-list", str(core), *map(str, command)], stdout=output, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        until = time.monotonic() + patience_s
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > until:
                os.killpg(process.pid, signal.SIGKILL)
                until = float("inf")
            time.sleep(0.01)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode()
    return Ended(process.returncode, usage.ru_utime + usage.ru_stime, 1024 * usage.ru_maxrss, text)


if __name__ == "__main__":
    sys.exit(main())
