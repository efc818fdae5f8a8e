"""The recipe of a kernel: `recipe.toml` and `minimal.config`, read; and what it substitutes in a copy of the source."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from dumbbell.cc import variants
from dumbbell.errors import SubstitutionError
from dumbbell.user_folder import cache_folder

METHOD = 1
"""Rises when `building` makes other kernels of the same ingredients."""
_LONGEST = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Substitution:
    """A text of one file, and what takes its place: in which versions of Linux, how often, and why.

    Nothing else changes a copy of Linux's source.
    """

    file: str
    match: str
    replace: str
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
            occurrence = "does not occur" if count == 0 else f"occurs {count} times"
            raise SubstitutionError(f"{self.file}: {_shown(self.match)} {occurrence}, not {wanted} ({self.why})")
        return text.replace(self.match, self.replace)


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """Where a package is that this machine's Debian need not have, and which file it is."""

    suite: str
    version: str
    sha256: str
    """Of the package's file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """A source of Linux that Debian packages."""

    name: str
    package: str
    file: Path
    """The tarball in it, where it is when it is installed."""
    steps: int
    """How many lines its build prints, about."""
    absent: frozenset[str]
    """Options of the configuration that it does not have."""
    archive: Archive | None
    """None: it is installed, not downloaded."""

    @property
    def tarball(self) -> Path:
        """Where the tarball is, or will be."""
        if self.archive is None:
            return self.file
        return cache_folder("sources") / f"{self.package}_{self.archive.version}{''.join(self.file.suffixes[-2:])}"

    def has(self, source: str) -> bool:
        """Whether a path is that of its tarball; of a download, in any version and any cache."""
        return source == str(self.file) if self.archive is None else Path(source).name.startswith(f"{self.package}_")


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A version of an algorithm of which a kernel's control of that name has one."""

    control: str
    """The kernel's name of the control, whichever version it is."""
    shared: str
    """The kernel's name of it in a tree that has another version too."""
    number: int
    name: str
    """As a spec names it."""
    text: str
    """A regular expression that matches in the source of this version only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How a kernel is made."""

    options: Mapping[str, str]
    """The configuration: "CONFIG_NET" -> "y"."""
    indispensable: frozenset[frozenset[str]]
    """The options without which a kernel is of no use: of each, one of its names."""
    unread: tuple[str, ...]
    built: tuple[str, ...]
    tools: Mapping[str, str]
    """Program -> the package that has it."""
    headers: Mapping[str, str]
    """Header -> the package that has it."""
    sources: Mapping[str, Package]
    archive_url: str
    """Of Debian's archive."""
    keyring: Path
    """The keys with which that is signed."""
    archive_tools: Mapping[str, str]
    """What reads it -> the package that has it."""
    versions: tuple[Version, ...]
    substitutions: tuple[Substitution, ...]
    earlier: tuple[Substitution, ...]
    """Of a tree that has an earlier version of an algorithm next to its own."""
    module: tuple[Substitution, ...]
    """Of a variant that is a module of another kernel; no kernel that is built has them."""

    def identity(self) -> str:
        """Hash of all of it that decides a kernel, and of the variants."""
        changes = [asdict(each) for each in (*self.substitutions, *self.earlier)]
        for change in changes:
            del change["why"]
        known = {name: [each.base, *each.linux] for name, each in variants().items() if each.linux}
        ingredients = {
            "method": METHOD, "options": dict(self.options), "substitutions": changes, "variants": known,
            "versions": [asdict(each) for each in self.versions],
        }  # fmt: skip
        return hashlib.sha256(json.dumps(ingredients, sort_keys=True).encode()).hexdigest()


@cache
def recipe() -> Recipe:
    """The recipe that is installed."""
    folder = files("dumbbell.kernel")
    rows = tomllib.loads(folder.joinpath("recipe.toml").read_text(encoding="utf-8"))
    return Recipe(
        options=options(folder.joinpath("minimal.config").read_text(encoding="utf-8")),
        indispensable=frozenset(frozenset(each.split(" or ")) for each in rows["indispensable"]),
        unread=tuple(rows["unread"]),
        built=tuple(rows["built"]),
        tools=rows["tools"],
        headers=rows["headers"],
        sources={name: _package(name, row) for name, row in rows["sources"].items()},
        archive_url=rows["archive"]["url"],
        keyring=Path(rows["archive"]["keyring"]),
        archive_tools=rows["archive"]["tools"],
        versions=tuple(Version(**row) for row in rows["versions"]),
        substitutions=tuple(map(_substitution, rows["substitutions"])),
        earlier=tuple(map(_substitution, rows["earlier"])),
        module=tuple(map(_substitution, rows["module"])),
    )


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
    line = " ".join(text.split())
    return f'"{line if len(line) <= _LONGEST else line[:_LONGEST] + "…"}"'


def options(text: str) -> dict[str, str]:
    """The options of a configuration; those that it says are not set are "n"."""
    values: dict[str, str] = {}
    for line in text.splitlines():
        if line.startswith("CONFIG_"):
            name, _, value = line.partition("=")
            values[name] = value
        elif line.startswith("# CONFIG_") and line.endswith(" is not set"):
            values[line.split()[1]] = "n"
    return values


def _package(name: str, row: Mapping[str, Any]) -> Package:
    return Package(
        name=name,
        package=row["package"],
        file=Path(row["tarball"]),
        steps=row["steps"],
        absent=frozenset(row.get("absent", ())),
        archive=Archive(**row["archive"]) if "archive" in row else None,
    )


def _substitution(row: Mapping[str, Any]) -> Substitution:
    times = row.get("times", 1)
    least, most = (times, times) if isinstance(times, int) else times
    return Substitution(**{**row, "times": (least, most)})
