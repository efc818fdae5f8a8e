"""The program as a user has it: in this process, or where signals, terminals and imports matter, in one of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from unittest import mock

from typer.testing import CliRunner

from dumbbell.cli.main import main

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
    """Runs the program in this process, as `main` does it, outside of any terminal; Ctrl-C needs a `process`."""
    command = ["dumbbell", *map(str, arguments)]
    status: int | str | None = 0
    with CliRunner(env=environment).isolation() as (stdout, stderr, _), mock.patch.object(sys, "argv", command):
        try:
            main()
        except SystemExit as end:
            status = end.code
        sys.stdout.flush()
        sys.stderr.flush()
        written, told = (each.getvalue().decode("utf-8") for each in (stdout, stderr))
    assert status is None or isinstance(status, int), status
    return subprocess.CompletedProcess(command, status or 0, written, told)


def process(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs the program in a process of its own to its end, outside of any terminal."""
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
