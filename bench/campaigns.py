"""Peak memory, time and ledger a run, of `dumbbell run`: none should grow with the number of runs.

    python bench/campaigns.py                   # 1,000, 10,000 and 100,000 runs, about a quarter of an hour
    python bench/campaigns.py --runs 1000,5000

Runs of 0.2 s at 1 Mbit/s, each at a point of its own, are carried out and printed as a table; then, with all of them
in the store, once more as a table and as JSON. Times are of the processor, so that a machine that is busy hurts less.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

SPEC = """
name = "many"
duration = "0.2 s"
measure.record = "summary"

[path]
rate = "1 Mbit/s"
rtt = {rtts}
buffer = {buffers}

[[flows]]
cc = "bbr"

[[flows]]
cc = "cubic"
"""


class Used(NamedTuple):
    """What a process needed."""

    peak_mib: float
    cpu_s: float


def spec(runs: int) -> str:
    """A sweep over RTT and buffer with about so many points."""
    side = math.isqrt(runs)
    rtts, buffers = [f"{5 + n / 2:g} ms" for n in range(side)], [f"{3000 + 60 * n} B" for n in range(runs // side)]
    return SPEC.format(rtts=json.dumps(rtts), buffers=json.dumps(buffers))


def used(*arguments: str | Path) -> Used:
    """Runs the program to its end."""
    command = [sys.executable, "-m", "dumbbell", *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return Used(usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime)


def main() -> None:
    """Prints a line a number of runs as soon as it is measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", default="1000,10000,100000")
    options = parser.parse_args()
    print(f"{'':>8} {'measured, table':>22} {'there, table':>22} {'there, JSON':>22} {'ledger':>9}")
    print(f"{'runs':>8}" + f" {'peak MiB':>10} {'ms a run':>11}" * 3 + f" {'KiB a run':>9}")
    for requested in map(int, options.runs.split(",")):
        with tempfile.TemporaryDirectory(prefix="dumbbell-") as folder:
            file, store = Path(folder, "many.toml"), Path(folder, "store")
            file.write_text(spec(requested), encoding="utf-8")
            runs = math.isqrt(requested) * (requested // math.isqrt(requested))
            cells = [used("run", file, "--out", store, *more) for more in ((), (), ("--json",))]
            kib = (store / "ledger.sqlite").stat().st_size / runs / 1024
        times = "".join(f" {each.peak_mib:>10.0f} {1e3 * each.cpu_s / runs:>11.2f}" for each in cells)
        print(f"{runs:>8}{times} {kib:>9.2f}")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
