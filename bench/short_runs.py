"""What a short run costs beside the engine: 2,000 runs of 1 s, with series and without, one at a time and many.

    python bench/short_runs.py              # two minutes
    python bench/short_runs.py --runs 500

Two flows at 80 Mbit/s, each run with a seed of its own, in a store that is made anew. `stored` is what the one process
that writes the store takes of each run: what is left where measuring has any number of cores.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SPEC = """
name = "short"
duration = "1 s"
seeds = {runs}
measure.record = "{record}"

[path]
rate = "80 Mbit/s"
rtt = "20 ms"
buffer = "1 bdp"

[[flows]]
cc = "bbr"

[[flows]]
cc = "cubic"
"""
COMMAND = """
import atexit, json, resource, sys
from dumbbell.cli.main import main

def note():
    with open(path, "w") as file:
        own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        json.dump([each.ru_utime + each.ru_stime for each in (own, others)], file)

atexit.register(note)
path = sys.argv.pop()
main()
"""
RECORDS = ("series", "summary")


def main() -> None:
    """Prints a line a way to run them as soon as it is measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=2_000)
    runs = parser.parse_args().runs
    print(f"{'record':<8} {'jobs':>7} {'s':>6} {'runs/s':>7} {'ms of all cores':>16} {'ms stored':>10}")
    for record in RECORDS:
        for jobs in ("1", "default"):
            wall_s, own_s, others_s = measured(runs, record, [] if jobs == "default" else ["--jobs", jobs])
            all_ms, own_ms = 1e3 * (own_s + others_s) / runs, 1e3 * own_s / runs
            stored = f"{own_ms:>10.2f}" if others_s else f"{'-':>10}"
            print(f"{record:<8} {jobs:>7} {wall_s:>6.1f} {runs / wall_s:>7.0f} {all_ms:>16.2f} {stored}")
            sys.stdout.flush()


def measured(runs: int, record: str, options: list[str]) -> tuple[float, float, float]:
    """Wall seconds of a command, and those of processors that its process and the others took."""
    with tempfile.TemporaryDirectory(prefix="dumbbell-") as folder:
        file, note = Path(folder, "short.toml"), Path(folder, "note.json")
        file.write_text(SPEC.format(runs=runs, record=record), encoding="utf-8")
        arguments = ["run", file, "--out", Path(folder, "store"), *options, note]
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", COMMAND, *arguments], check=True, capture_output=True)
        own_s, others_s = json.loads(note.read_text(encoding="utf-8"))
        return time.perf_counter() - began, own_s, others_s


if __name__ == "__main__":
    main()
