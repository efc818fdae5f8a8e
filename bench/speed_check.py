"""Whether this tree's simulator is slower than a commit's, row by row of its bench: then the exit status is 1.

    python bench/speed_check.py --base main --rounds 15

The commit is built once, in a git worktree of its own, and its bench stays in out/speed. Both builds run in turns, as
in `turns.py`: ratios are this tree's packets a second of processor time over the commit's, within a round, and their
median counts. A row below the bar is measured as often again, and all rounds count: a busy machine moves a median of
few by some percent.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from statistics import median

from turns import described, packets_per_s

STORE = Path("out/speed")


def bench_of(tree: Path, target: Path) -> Path:
    """The bench `packets` of a tree, built into `target`."""
    command = ["cargo", "bench", "--package", "sim", "--bench", "packets", "--no-run", "--message-format=json"]
    environment = {**os.environ, "CARGO_TARGET_DIR": str(target.absolute())}
    process = subprocess.run(command, cwd=tree, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    messages = [json.loads(line) for line in process.stdout.splitlines()]
    return Path(next(m["executable"] for m in messages if m.get("executable") and m["target"]["name"] == "packets"))


def bench_of_commit(commit: str) -> Path:
    """The stored bench of a commit, built if there is none yet."""
    resolve = ["git", "rev-parse", "--verify", f"{commit}^{{commit}}"]
    sha = subprocess.run(resolve, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    stored = STORE / sha
    if not stored.exists():
        tree = STORE / "tree"
        remove = ["git", "worktree", "remove", "--force", str(tree)]
        if tree.exists():  # of a build that was killed
            subprocess.run(remove, check=True)
        add = ["git", "worktree", "add", "--quiet", "--detach", str(tree), sha]
        subprocess.run(add, check=True)
        try:
            shutil.copy2(bench_of(tree, STORE / "target"), stored)
        finally:
            subprocess.run(remove, check=True)
    return stored


def ratios(old: Path, new: Path, row: int, rounds: int) -> list[float]:
    """New over old, by round."""
    return [packets_per_s(str(new), row) / packets_per_s(str(old), row) for _ in range(rounds)]


def main() -> int:
    """Prints a line a row as soon as it is measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", default="HEAD")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--rows", default="0,1,2,3,4,5,6,7,8,9")
    parser.add_argument("--bar", type=float, default=3.0, help="percent that a row may be slower")
    options = parser.parse_args()
    STORE.mkdir(parents=True, exist_ok=True)
    old = bench_of_commit(options.base)
    new = STORE / "this"
    shutil.copy2(bench_of(Path(), Path(os.environ.get("CARGO_TARGET_DIR", "target"))), new)
    names = subprocess.run([new, "rows"], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    least = 1 - options.bar / 100
    slower = 0
    print(f"{'row':<40} {'this / ' + options.base:>24}   bar {least:.2f}")
    for row in (int(row) for row in options.rows.split(",")):
        values = ratios(old, new, row, options.rounds)
        if median(values) < least:
            values += ratios(old, new, row, options.rounds)
        is_slower = median(values) < least
        slower += is_slower
        print(f"{names[row]:<40} {described(values):>24}   {'slower' if is_slower else 'ok'}", flush=True)
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
