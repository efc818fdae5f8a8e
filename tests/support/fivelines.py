"""The form of an answer of `dumbbell advise`: five lines that a person can carry to a meeting."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

LABELS: Final = ("Answer", "Why", "When not", "Sure?", "Next")
MOST_LETTERS: Final = 600
Lines = Sequence[tuple[str, str]]


def form(lines: Lines) -> Iterator[str]:
    """What the lines themselves show: how many, how long, and sentences that nobody follows."""
    if [label for label, _ in lines] != [*LABELS][: len(lines)]:
        yield f"labels are {', '.join(label for label, _ in lines)}"
    if len(lines) > len(LABELS):
        yield f"{len(lines)} lines"
    if (letters := sum(len(label) + len(text) for label, text in lines)) > MOST_LETTERS:
        yield f"{letters} letters"
    for label, text in lines:
        if re.search(r"\([^()]*\(", text):
            yield f"{label}: parentheses in parentheses"
        if re.search(r"\bbut\b[^.]*;[^.]*;", text):
            yield f"{label}: but ...; ...;"
        if "±" in text:
            yield f"{label}: an interval that is no range"
