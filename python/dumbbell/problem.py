"""What is wrong with a spec: where, what, and what would be right, also of what this version does not have."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import TypeVar

from dumbbell.errors import DumbbellError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a spec.

    >>> str(Problem("flows[2].cc", 'unknown "bbrr"', 'did you mean "bbr"?'))
    'flows[2].cc: unknown "bbrr"; did you mean "bbr"?'
    """

    path: str
    """The field, e.g. `flows[2].cc`; the file where there is no field yet."""
    message: str
    """What was wrong, without the path."""
    hint: str = ""
    """What would be right; empty where the message says it."""

    def __str__(self) -> str:
        where = f"{self.path}: " if self.path else ""
        return where + self.message + (f"; {self.hint}" if self.hint else "")


class SpecError(DumbbellError):
    """A spec that cannot be run, with all its problems."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = list(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))


def given(outcome: T | list[tuple[str, str, str]]) -> T:
    """What a function of `_core` gives that may give problems in its place.

    Raises `SpecError` with them.
    """
    if isinstance(outcome, list):
        raise SpecError(Problem(*each) for each in outcome)
    return outcome


def quoted(value: object) -> str:
    """Show a value in a message: short, text in double quotes.

    >>> quoted("80 mbps"), quoted(True), quoted(80)
    ('"80 mbps"', 'true', '80')
    """
    import dumbbell._core as _core  # noqa: PLC0415 (late: words that are fixed need none)

    return _core.quoted(value)


def visible(text: str) -> str:
    """A text whose every letter prints: what would move a terminal's cursor, or hide, stands as its number.

    >>> len(visible("a" + chr(27))), len(visible("é"))
    (5, 1)
    """
    import dumbbell._core as _core  # noqa: PLC0415 (late: words that are fixed need none)

    return _core.visible(text)


def suggestion(word: object, known: Sequence[str]) -> str:
    """Find the known word that was probably meant, or all of them; or say how a spec has it, or what it has instead.

    >>> suggestion("bbrr", ["bbr", "cubic"])
    'did you mean "bbr"?'
    >>> suggestion("vegas", ["bbr", "cubic"])
    'known: bbr, cubic'
    """
    import dumbbell._core as _core  # noqa: PLC0415 (likewise)

    return _core.suggestion(word if isinstance(word, str) else "", list(known))


def typed(path: object) -> str:
    """A path as a shell and a command take it for one.

    >>> typed("my runs"), typed("-runs")
    ("'my runs'", './-runs')

    Bytes that are no UTF-8 are written in octal, as POSIX has it since 2024 and shells before.
    """
    text = f"./{path}" if str(path).startswith("-") else str(path)
    try:
        text.encode()
    except UnicodeEncodeError:
        plain = "".join(chr(b) if 32 <= b < 127 and chr(b) not in "\\'" else f"\\{b:03o}" for b in os.fsencode(text))  # noqa: PLR2004 (ASCII that is printed)
        return f"$'{plain}'"
    return quote(text)
