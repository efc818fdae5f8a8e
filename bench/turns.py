"""Speed of two builds of the simulator, row by row of its bench, in turns: packets a second of processor time.

    cargo bench -p sim --no-run                      # in both trees; prints where the executable is
    python bench/turns.py OLD_EXECUTABLE NEW_EXECUTABLE --rounds 15

Ratios are new/old within a round, so that a machine that is busy now and then hurts both alike; the rounds' median
counts, with the 95 % interval of a median (order statistics). `none` is without jitter on both sides, `jitter` the new
build with the jitter of real hosts beside the old one without any.
"""

from __future__ import annotations

import argparse
import subprocess
from math import comb
from statistics import median

LEVEL = 0.95


def packets_per_s(executable: str, row: int, *extra: str) -> float:
    """One run of a row."""
    command = [executable, "row", str(row), *extra]
    packets, seconds = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return int(packets) / float(seconds)


def interval(values: list[float]) -> tuple[float, float]:
    """Of the median, at least at `LEVEL`; all of the values where they are too few for it."""
    ordered, n = sorted(values), len(values)
    least, tail = 0, 1 / 2**n
    while least + 1 < n / 2 and 2 * (tail + comb(n, least + 1) / 2**n) <= 1 - LEVEL:
        least += 1
        tail += comb(n, least) / 2**n
    return ordered[least], ordered[n - 1 - least]


def described(ratios: list[float]) -> str:
    """Median and interval."""
    low, high = interval(ratios)
    return f"{median(ratios):.3f} [{low:.3f}, {high:.3f}]"


def main() -> None:
    """Prints a line a row as soon as it is measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument(
        "--rows", default="0,1,2,3,4,5,6,7,8,9", help="OLD:NEW where a row has another number in the new build"
    )
    options = parser.parse_args()
    print(f"{'row':>5} {'old':>9} {'none / old':>22} {'jitter / old':>22}")
    for pair in options.rows.split(","):
        old_row, new_row = (int(pair.split(":")[side]) for side in (0, -1))
        old, none, jitter = [], [], []
        for _ in range(options.rounds):
            old.append(packets_per_s(options.old, old_row))
            none.append(packets_per_s(options.new, new_row))
            jitter.append(packets_per_s(options.new, new_row, "jitter"))
        ratios = [[new / before for new, before in zip(side, old, strict=True)] for side in (none, jitter)]
        print(
            f"{pair:>5} {median(old) / 1e6:>7.2f} M {described(ratios[0]):>22} {described(ratios[1]):>22}", flush=True
        )


if __name__ == "__main__":
    main()
