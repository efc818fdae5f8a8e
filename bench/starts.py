"""How long commands take from start to end, and what loading a run costs: medians, in turns with another build.

    python bench/starts.py                            # with the bars
    python bench/starts.py --against OLD/python       # a package of another checkout, built there; one line each

Every command is a process of its own, as a user starts it. The least of its times is beside the median: on a machine
that is busy it says more.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Final

SPEC: Final = """
duration = "10 s"
path = { rate = "10 Mbit/s", rtt = "40 ms", buffer = "1 bdp" }
flows = [{ cc = "cubic" }, { cc = "bbr" }]
"""
COMMANDS: Final = {
    "--help": (("-m", "dumbbell", "--help"), 0.15),
    "check --no-forecast": (("-m", "dumbbell", "check", "--no-forecast", "spec.toml"), 0.25),
    "run, all in the store": (("-m", "dumbbell", "run", "spec.toml", "--out", "store"), None),
    "import dumbbell.spec.run": (("-c", "import dumbbell.spec.run"), None),
    "python itself": (("-c", "pass"), None),
}
"""What the interpreter is given, and the bar in seconds where there is one."""


def seconds(arguments: tuple[str, ...], package: str, folder: Path) -> float:
    """One start, to the end of the process."""
    environment = {**os.environ, "PYTHONPATH": package}
    began = time.perf_counter()
    subprocess.run([sys.executable, *arguments], cwd=folder, env=environment, check=True, capture_output=True)
    return time.perf_counter() - began


def main() -> None:
    """Prints a line a command and build."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", type=Path, help="the folder `python` of another checkout")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    packages = {"this": str(Path(__file__).resolve().parents[1] / "python")}
    if options.against:
        packages |= {"other": str(options.against.resolve())}
    print(f"{'command':24} {'build':6} {'median s':>9} {'least s':>9} {'bar':>6}")
    for name, (arguments, bar) in COMMANDS.items():
        with tempfile.TemporaryDirectory(prefix="dumbbell-") as scratch:
            folders = {build: Path(scratch, build) for build in packages}
            for build, folder in folders.items():
                folder.mkdir()
                (folder / "spec.toml").write_text(SPEC, encoding="utf-8")
                seconds(arguments, packages[build], folder)  # compiles the modules, fills the store
            times: dict[str, list[float]] = {build: [] for build in packages}
            for _ in range(options.rounds):
                for build, folder in folders.items():
                    times[build].append(seconds(arguments, packages[build], folder))
        for build, taken in times.items():
            limit = "" if bar is None else f"{bar:g}"
            print(f"{name:24} {build:6} {median(taken):9.3f} {min(taken):9.3f} {limit:>6}")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
