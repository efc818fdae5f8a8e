"""The program as a user has it: a process with arguments, standard output, standard error and an exit status."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

DUMBBELL = Path(sys.executable).with_name("dumbbell")
ROOT = Path(__file__).parents[2]
MOMENT = """
duration = "3 s"
seeds = 2
start_jitter = "10 ms"

[path]
rate = "20 Mbit/s"
rtt = "20 ms"
buffer = ["0.5 bdp", "2 bdp"]

[[flows]]
cc = "bbr"

[[flows]]
cc = "cubic"
start = "500 ms"
"""
"""Four runs that are over in a moment."""


def dumbbell(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs it to its end, outside of any terminal."""
    return subprocess.run(
        [DUMBBELL, *arguments],
        capture_output=True,
        check=False,
        encoding="utf-8",
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        timeout=120,
    )


def python(program: str) -> subprocess.CompletedProcess[str]:
    """Runs a program in an interpreter of its own, in the checkout."""
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=False, cwd=ROOT, encoding="utf-8", timeout=120
    )
