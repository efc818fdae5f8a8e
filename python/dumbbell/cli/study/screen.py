"""How wide what is printed may be, and lines that are no wider."""

import sys

UNATTENDED_COLUMNS = 132
"""Width of what is printed into a file or a pipe."""


def columns() -> int:
    """Of the terminal, or what fits without one."""
    from shutil import get_terminal_size

    return get_terminal_size((UNATTENDED_COLUMNS, 24)).columns if sys.stdout.isatty() else UNATTENDED_COLUMNS


def wrapped(text: str, width: int, indent: str = "", *, hanging: str | None = None) -> str:
    """Lines that are no wider; those that continue one are indented, by `hanging` if it is given."""
    from textwrap import fill

    more = hanging if hanging is not None else indent or "  "
    return "\n".join(
        fill(line, width, initial_indent=indent, subsequent_indent=more, break_on_hyphens=False)
        for line in text.splitlines()
    )
