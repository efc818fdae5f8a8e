"""What a terminal shows of a command's standard error."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import threading
from pathlib import Path

from commandline import DUMBBELL
from processes import HANG_S


def on_a_terminal(
    *arguments: str | Path, until: bytes | None = None, program: tuple[str | Path, ...] = (DUMBBELL,)
) -> str:
    """What a terminal shows of standard error, to the end or until it is interrupted at a word."""
    terminal, theirs = pty.openpty()
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
