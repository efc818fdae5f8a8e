"""The recipe of a kernel: `recipe.toml` and `minimal.config`, read."""

from __future__ import annotations

import hashlib
import json
import tomllib
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dumbbell.cc import variants
from dumbbell.kernel.substitution import Substitution

if TYPE_CHECKING:
    from collections.abc import Mapping

METHOD = 1
"""Rises when `building` makes other kernels of the same ingredients."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """A source of Linux that Debian packages."""

    name: str
    package: str
    tarball: Path
    steps: int
    """How many lines its build prints, about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How a kernel is made."""

    options: Mapping[str, str]
    """The configuration: "CONFIG_NET" -> "y"."""
    indispensable: frozenset[str]
    """The options without which a kernel is of no use."""
    unread: tuple[str, ...]
    built: tuple[str, ...]
    tools: Mapping[str, str]
    """Program -> the package that has it."""
    headers: Mapping[str, str]
    """Header -> the package that has it."""
    sources: Mapping[str, Package]
    substitutions: tuple[Substitution, ...]

    def identity(self) -> str:
        """Hash of all of it that decides a kernel, and of the variants."""
        changes = [asdict(each) for each in self.substitutions]
        for change in changes:
            del change["why"]
        known = {name: [each.base, *map(asdict, each.linux)] for name, each in variants().items() if each.linux}
        words = {"method": METHOD, "options": dict(self.options), "substitutions": changes, "variants": known}
        return hashlib.sha256(json.dumps(words, sort_keys=True).encode()).hexdigest()


@cache
def recipe() -> Recipe:
    """The recipe that is installed."""
    folder = files("dumbbell.kernel")
    rows = tomllib.loads(folder.joinpath("recipe.toml").read_text(encoding="utf-8"))
    return Recipe(
        options=options(folder.joinpath("minimal.config").read_text(encoding="utf-8")),
        indispensable=frozenset(rows["indispensable"]),
        unread=tuple(rows["unread"]),
        built=tuple(rows["built"]),
        tools=rows["tools"],
        headers=rows["headers"],
        sources={name: _package(name, row) for name, row in rows["sources"].items()},
        substitutions=tuple(map(_substitution, rows["substitutions"])),
    )


def options(text: str) -> dict[str, str]:
    """The options of a configuration; those that it says are not set are "n"."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        if line.startswith("CONFIG_"):
            name, _, value = line.partition("=")
            found[name] = value
        elif line.startswith("# CONFIG_") and line.endswith(" is not set"):
            found[line.split()[1]] = "n"
    return found


def _package(name: str, row: Mapping[str, Any]) -> Package:
    return Package(name=name, package=row["package"], tarball=Path(row["tarball"]), steps=row["steps"])


def _substitution(row: Mapping[str, Any]) -> Substitution:
    times = row.get("times", 1)
    least, most = (times, times) if isinstance(times, int) else times
    return Substitution(**{**row, "times": (least, most)})
