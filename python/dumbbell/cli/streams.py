"""The standard streams: what is printed has no control characters but ours, and what cannot be printed is said."""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from typing import Any, Final, TextIO, cast

CANNOT_PRINT: Final = 74
"""The status then; `EX_IOERR` of sysexits.h."""
_CONTROLS: Final = (
    r"\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff"
)
"""Letters that a terminal obeys, or that turn its text around; and halves of letters, which no encoding has."""
_FOREIGN: Final = re.compile(rf"\x1b(?!\[[012]m)|[\r{_CONTROLS}]")
"""With ESC where it does not begin bold, dim or plain, which `terminal` writes."""
_FOREIGN_IN_BARS: Final = re.compile(rf"\x1b(?!\[[0-9;?]*[A-Za-z])|[{_CONTROLS}]")
"""Likewise of a bar, which moves the cursor; rich takes what looks like that out of foreign text."""


class PrintFailure(Exception):  # noqa: N818 (nothing that was asked for is wrong)
    """Standard output is closed or full. What was measured before is kept."""


def escaped(text: str, foreign: re.Pattern[str] = _FOREIGN) -> str:
    r"""The text with control characters as JSON writes them, so that JSON stays what it was.

    >>> escaped("a\x1b[2Jb\x9b"), escaped("\x1b[1mbold\x1b[0m\n") == "\x1b[1mbold\x1b[0m\n"
    ('a\\u001b[2Jb\\u009b', True)
    """
    return foreign.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


class EscapedStream:
    """A stream as `sys.stdout` and `sys.stderr` are, of words that others may have written.

    One that failed fails again each time: whoever only tries what the stream can do catches everything.
    """

    def __init__(self, stream: TextIO, *, needed: bool = False, foreign: re.Pattern[str] = _FOREIGN) -> None:
        """`needed`: what cannot be written is a `PrintFailure`; else it is lost."""
        self.stream, self._needed, self._foreign = stream, needed, foreign
        self._failure: Exception | None = None

    def write(self, text: str) -> int:
        """Raises PrintFailure, or BrokenPipeError where nobody reads any more."""
        escaped_text = escaped(text, self._foreign)
        self._attempt(lambda: self.stream.write(escaped_text))
        return len(text)

    def flush(self) -> None:
        self._attempt(self.stream.flush)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 (whatever the stream has)
        return getattr(self.stream, name)

    def _attempt(self, act: Callable[[], object]) -> None:
        if self._failure is None:
            try:
                act()
            except OSError as error:
                _drop(self.stream)
                self._failure = error if isinstance(error, BrokenPipeError) else PrintFailure(_failure_text(error))
        if self._failure is not None and self._needed:
            raise self._failure


@contextmanager
def opened() -> Iterator[None]:
    """Has all three streams within: UTF-8, because JSON is, and one that the caller closed is stood in for."""
    _stand_in()
    before = sys.stdout, sys.stderr
    for stream in before:
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8")
    sys.stdout, sys.stderr = (
        cast("TextIO", EscapedStream(sys.stdout, needed=True)),
        cast("TextIO", EscapedStream(sys.stderr)),
    )
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def of_bars() -> TextIO:
    """Standard error for bars of progress."""
    stream = sys.stderr.stream if isinstance(sys.stderr, EscapedStream) else sys.stderr
    return cast("TextIO", EscapedStream(stream, foreign=_FOREIGN_IN_BARS))


def _stand_in() -> None:
    """Opens streams that are closed, so that no file that is opened later gets their numbers, and words with them."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            # Writing to what is open for reading fails as writing to what is closed.
            handle = os.open(os.devnull, os.O_WRONLY if name == "stderr" else os.O_RDONLY)
            if handle != number:
                os.dup2(handle, number)
                os.close(handle)
            os.set_inheritable(number, True)  # noqa: FBT003 (its signature)
            setattr(sys, name, open(number, "r" if name == "stdin" else "w", encoding="utf-8"))  # noqa: PTH123, SIM115


def _failure_text(error: OSError) -> str:
    closed = error.errno == errno.EBADF
    return f"cannot print: {'standard output is closed' if closed else (error.strerror or str(error)).lower()}"


def _drop(stream: TextIO) -> None:
    """Lets what the stream holds, and all that follows, go nowhere: Python writes it out as it ends."""
    with suppress(OSError):  # a stand-in of tests has no number
        number = stream.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, number)
        os.close(nowhere)
