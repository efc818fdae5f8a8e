"""Literal substitutions: the only way in which a copy of Linux's source is changed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import dumbbell.cc as cc
from dumbbell.errors import SubstitutionError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_LONGEST = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Substitution(cc.Substitution):
    """A text of one file, and what takes its place: in which versions of Linux, how often, and why."""

    why: str
    times: tuple[int, int] = (1, 1)
    """How often the text is there: at least, at most."""
    since: str = ""
    """The first version of Linux that has it; empty: all of them."""
    before: str = ""
    """The first that no longer has it; empty: none."""

    def applies(self, release: str) -> bool:
        """Whether this version of Linux has the text."""
        version = ordered(release)
        return not (self.since and version < ordered(self.since)) and not (
            self.before and version >= ordered(self.before)
        )

    def applied(self, text: str) -> str:
        """Gives a file's text with it.

        Raises `SubstitutionError` where the text is not there, or not as often as it should be.
        """
        least, most = self.times
        count = text.count(self.match)
        if not least <= count <= most:
            wanted = f"{least}" if least == most else f"{least} to {most}"
            found = "does not occur" if count == 0 else f"occurs {count} times"
            raise SubstitutionError(f"{self.file}: {_shown(self.match)} {found}, not {wanted} ({self.why})")
        return text.replace(self.match, self.replace)


def substitute(tree: Path, substitutions: Iterable[Substitution], release: str) -> None:
    """Changes the files of a tree, those substitutions that belong to its version."""
    for each in substitutions:
        if each.applies(release):
            path = tree / each.file
            path.write_text(each.applied(text_of(tree, each.file)), encoding="utf-8")


def text_of(tree: Path, file: str) -> str:
    """Gives the text of a file that a substitution names."""
    try:
        return (tree / file).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise SubstitutionError(f"{file}: there is no such file in this source") from None
    except UnicodeDecodeError:
        raise SubstitutionError(f"{file}: is not text in UTF-8") from None


def ordered(release: str) -> tuple[int, ...]:
    """A version as numbers that can be compared: "6.12.3-rc1" -> (6, 12, 3)."""
    match = re.match(r"\d+(?:\.\d+)*", release)
    return tuple(map(int, match[0].split("."))) if match else ()


def _shown(text: str) -> str:
    words = " ".join(text.split())
    return f'"{words if len(words) <= _LONGEST else words[:_LONGEST] + "…"}"'
