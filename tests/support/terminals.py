"""What a terminal shows of a command's standard error."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import threading
from pathlib import Path

from commandline import DUMBBELL
from processes import HANG_S


def on_a_terminal(
    *arguments: str | Path,
    until: bytes | None = None,
    program: tuple[str | Path, ...] = (DUMBBELL,),
    size: tuple[int, int] = (0, 0),
) -> str:
    """What a terminal of so many columns and rows shows of standard error.

    To the end, or until the program is interrupted at a word.
    """
    terminal, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", *reversed(size), 0, 0))
    with subprocess.Popen([*program, *arguments], stdout=subprocess.DEVNULL, stderr=theirs) as started:
        overdue = threading.Timer(HANG_S, started.kill)
        overdue.start()
        os.close(theirs)
        seen = b""
        try:
            while part := os.read(terminal, 65536):
                seen += part
                if until and until in seen:
                    started.send_signal(signal.SIGINT)
                    until = None
        except OSError:  # Linux's way of saying that the other side is closed
            pass
        assert started.wait() in {0, 130}
        overdue.cancel()
    os.close(terminal)
    return seen.decode()


def screens(seen: str, columns: int) -> list[list[str]]:
    """The lines that were there each time before some were taken away, and at the end."""
    lines: list[dict[int, str]] = [{}]
    shown, row, column, goes = list[list[str]](), 0, 0, False
    for part in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|.", seen, re.DOTALL):
        if part == "\n":
            row, column = row + 1, 0
        elif part == "\r":
            column = 0
        elif part == "\x1b[2K":
            shown += [] if goes else [_texts(lines)]
            lines[row], goes = {}, True
        elif part.startswith("\x1b["):
            row -= int(part[2:-1] or 1) if part.endswith("A") else 0
        else:
            goes = False
            row, column = (row, column) if column < columns else (row + 1, 0)
            lines += [{} for _ in range(row + 1 - len(lines))]
            lines[row][column] = part
            column += 1
        lines += [{} for _ in range(row + 1 - len(lines))]
    return [*shown, _texts(lines)]


def _texts(lines: list[dict[int, str]]) -> list[str]:
    return ["".join(line.get(at, " ") for at in range(max(line, default=-1) + 1)).rstrip() for line in lines]
