"""The terminal that text is printed on: how wide it is, lines that fit it, and whether it shows bold and colours."""

from __future__ import annotations

import os
import re
import sys
from shutil import get_terminal_size
from textwrap import fill

USUAL_COLUMNS = 80
_AFTER_NUMBER = re.compile(r"(?<=\d) (?=[^\W\d]{1,6}\b|[%±])|(?<=[±<]) ")
_GLUE = "\0"
"""Stands for a space at which no line may end."""


def columns() -> int:
    """Its width; without a terminal what `COLUMNS` says, or 80."""
    return get_terminal_size((USUAL_COLUMNS, 24)).columns


def wrapped(text: str, width: int, indent: str = "", *, hanging: str | None = None) -> str:
    """Lines that are no wider; those that continue one are indented, by `hanging` if it is given.

    No line ends between a number and its unit.
    """
    more = hanging if hanging is not None else indent or "  "
    glued = _AFTER_NUMBER.sub(_GLUE, text)
    return "\n".join(
        fill(line, width, initial_indent=indent, subsequent_indent=more, break_on_hyphens=False)
        for line in glued.splitlines()
    ).replace(_GLUE, " ")


def shortened(text: str, width: int) -> str:
    """The beginning of a text that has no room.

    >>> shortened("a queue of 8 BDP", 10), shortened("short", 10)
    ('a queue o…', 'short')
    """
    return text if len(text) <= width else f"{text[: width - 1]}…"


def is_styled() -> bool:
    """Whether standard output shows bold and colours: a terminal, and nobody said `NO_COLOR`."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def bold(text: str) -> str:
    """In bold where that can be seen."""
    return f"\x1b[1m{text}\x1b[0m" if is_styled() else text


def rule(width: int) -> list[str]:
    """A dim line below a heading where that can be seen; no line elsewhere."""
    return [f"\x1b[2m{'─' * width}\x1b[0m"] if is_styled() else []
