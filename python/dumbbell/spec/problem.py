"""What is wrong with a spec: where, what, and what would be right."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dumbbell.errors import DumbbellError
from dumbbell.spec.wishes import instead_of

LONGEST_QUOTE = 60
LONGEST_LIST = 32
FEW = 4
LARGEST_SHOWN_BITS = 1000


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


def quoted(value: object) -> str:
    """Show a value in a message: short, text in double quotes.

    >>> quoted("80 mbps"), quoted(True), quoted(80)
    ('"80 mbps"', 'true', '80')
    """
    if isinstance(value, str):
        return '"' + "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in _short(value)) + '"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and value.bit_length() > LARGEST_SHOWN_BITS:
        return "a huge number"
    if isinstance(value, int | float):
        return _short(str(value))
    if isinstance(value, list | tuple | dict):
        return "a table" if isinstance(value, dict) else "a list"
    return f"a {type(value).__name__}"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 1] + "…"


def suggestion(word: object, known: Sequence[str]) -> str:
    """Find the known word that was probably meant, or all of them; or say what there is instead of a known wish.

    >>> suggestion("bbrr", ["bbr", "cubic"])
    'did you mean "bbr"?'
    >>> suggestion("vegas", ["bbr", "cubic"])
    'known: bbr, cubic'
    """
    if isinstance(word, str):
        instead = instead_of(word)
        if instead:
            few = f"known: {', '.join(known)}; " if 0 < len(known) <= FEW else ""
            return f"not in this version: {instead}; {few}see docs/limitations.md"
        by_case = {name.lower(): name for name in known}
        close = difflib.get_close_matches(word[:LONGEST_QUOTE].lower(), list(by_case), n=1)
        if close:
            return f'did you mean "{by_case[close[0]]}"?'
    more = ", …" if len(known) > LONGEST_LIST else ""
    return "known: " + ", ".join(known[:LONGEST_LIST]) + more if known else ""
