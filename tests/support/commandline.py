"""The program as a user has it: in this process, or where signals, terminals and imports matter, in one of its own."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO
from unittest import mock

import typer
from typer.testing import CliRunner

from dumbbell.cli.main import app, main
from dumbbell.errors import StoreError
from dumbbell.results.store import Store
from processes import HANG_S

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

[measure]
window = ["0 %", "100 %"]
"""
"""Four runs that are over in a moment."""


def dumbbell(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs the program in this process, as `main` does it, outside of any terminal; Ctrl-C needs a `process`."""
    command = ["dumbbell", *map(str, arguments)]
    status, written, stderr, _ = _run(command, environment)
    return subprocess.CompletedProcess(command, status, written, stderr)


def json_lines(*arguments: str | Path) -> list[dict[str, Any]]:
    """What a command prints with `--json`, a value a line."""
    return list(map(json.loads, dumbbell(*arguments, "--json").stdout.splitlines()))


def typed(*arguments: str | Path, **environment: str) -> tuple[int, str]:
    """Runs the program likewise; gives its status, and what it says on both streams, in that order."""
    status, _, _, both = _run(["dumbbell", *map(str, arguments)], environment)
    return status, both


def failing(output: TextIO, *arguments: str | Path) -> tuple[int, str]:
    """Runs the program likewise, with that standard output; gives its status and what it says on standard error."""
    status, _, stderr, _ = _run(["dumbbell", *map(str, arguments)], {}, output)
    return status, stderr


def _run(command: list[str], environment: Mapping[str, str], output: TextIO | None = None) -> tuple[int, str, str, str]:
    status: int | str | None = 0
    with CliRunner(env=environment).isolation() as streams, mock.patch.object(sys, "argv", command):
        try:
            with mock.patch.object(sys, "stdout", output or sys.stdout):
                main()
        except SystemExit as end:
            status = end.code
        sys.stdout.flush()
        sys.stderr.flush()
        written, stderr, both = (each.getvalue().decode("utf-8") for each in streams)
    assert status is None or isinstance(status, int), status
    return status or 0, written, stderr, both


def process(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs the program in a process of its own to its end, outside of any terminal."""
    return subprocess.run(
        [DUMBBELL, *arguments],
        capture_output=True,
        check=False,
        encoding="utf-8",
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        timeout=HANG_S,
    )


def python(program: str) -> subprocess.CompletedProcess[str]:
    """Runs a program in an interpreter of its own, in the checkout."""
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=False, cwd=ROOT, encoding="utf-8", timeout=HANG_S
    )


def of_a_terminal(command: Sequence[str | Path], **environment: str) -> str:
    """What a program writes to a terminal that has both of its streams."""
    ours, theirs = pty.openpty()
    plain = os.environ | {"TERM": "dumb"} | environment  # without bars, which move its cursor
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, stdin=subprocess.DEVNULL, env=plain) as started:
        os.close(theirs)
        written = b""
        try:
            while read := os.read(ours, 65536):
                written += read
        except OSError:  # Linux's end of a terminal
            pass
        started.wait(timeout=HANG_S)
    os.close(ours)
    return written.decode().replace("\r\n", "\n")


def answered(answer: str, *arguments: str | Path, **environment: str) -> tuple[int, str]:
    """Runs the program in a terminal, at which somebody types: its status, and all that the terminal shows."""
    ours, theirs = pty.openpty()
    started = subprocess.Popen(
        [DUMBBELL, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env=os.environ | environment
    )
    os.close(theirs)
    os.write(ours, f"{answer}\n".encode())
    shown = b""
    try:
        while part := os.read(ours, 4096):
            shown += part
    except OSError:  # nobody has the other end any more
        pass
    finally:
        os.close(ours)
    return started.wait(timeout=HANG_S), shown.decode("utf-8").replace("\r\n", "\n")


def commands(command: Any = None, arguments: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command and group of commands, with what stands after `dumbbell`."""
    command = command or typer.main.get_command(app())
    yield arguments, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, (*arguments, name))


def count_stored_runs(store: Path) -> int:
    """How many runs are there so far."""
    try:
        with Store.open(store) as opened:
            return opened.count()
    except StoreError:  # there is none yet
        return 0
