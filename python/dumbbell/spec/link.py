"""Presets of links, as `crates/spec` has them: what `path.link` stands for, each key with its source."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import dumbbell._core as _core
from dumbbell.spec.source import toml

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dumbbell.spec.experiment import Experiment


class LinkKey(NamedTuple):
    """A key of a preset."""

    path: str
    """In `[path]`: `rate`, `back.buffer`."""
    value: Any
    """As a spec would write it."""
    source: str
    """The measurement or the standard that the value comes from, in Markdown."""

    @property
    def text(self) -> str:
        """The value as TOML, of a list of changes each on a line of its own.

        >>> LinkKey("rate", "25 Mbit/s", "").text
        '"25 Mbit/s"'
        """
        return value_text(self.value)


@dataclass(frozen=True, slots=True)
class Link:
    """A named set of keys of `[path]`."""

    name: str
    about: str
    """Sentences, in Markdown."""
    keys: tuple[LinkKey, ...]

    def get(self, path: str) -> Any:  # noqa: ANN401 (whatever a key may have)
        """Give the value of a key; None: it has none.

        >>> link("geo").get("rtt"), link("geo").get("loss")
        ('600 ms', None)
        """
        return next((key.value for key in self.keys if key.path == path), None)


@cache
def links() -> tuple[Link, ...]:
    """Give every preset, in the order of the documents.

    >>> [each.name for each in links()]
    ['dsl_25_5', 'cable', 'lte', 'wifi', 'starlink', 'geo']
    """
    return tuple(Link(name, about, tuple(LinkKey(*key) for key in keys)) for name, about, keys in _core.links())


def link(name: str) -> Link:
    """Give the preset of a name that there is."""
    return next(each for each in links() if each.name == name)


class Holding(NamedTuple):
    """What a spec has at a key of its preset."""

    path: str
    """In the spec: `path.rate`."""
    value: Any
    """As a spec would write it; None: nothing, since something else stands in its place."""
    is_own: bool
    """The spec writes it itself."""
    key: LinkKey

    @property
    def lines(self) -> list[str]:
        """Key, value and source; below them the entries of a list."""
        if self.value is None:
            return [f"{self.path}: left out, since the spec has something in its place"]
        if self.is_own:
            said = "the spec's own" if _has_tables(self.value) else f"{value_text(self.value)}, the spec's own"
            return [f"{self.path} = {said}; the link's: {self.key.text}"]
        if _has_tables(self.value):
            return [f"{self.path} = {len(self.value)} entries: {self.key.source}", *map(value_text, self.value)]
        return [f"{self.path} = {value_text(self.value)}: {self.key.source}"]


def holding(experiment: Experiment) -> Iterator[Holding]:
    """Give what holds of the keys of a spec's preset; nothing where it has none."""
    name = experiment.get("path.link")
    for key in link(name).keys if name else ():
        path = f"path.{key.path}"
        displaced = key.path.startswith("back.") and experiment.is_written("path.back.hops")
        value = None if displaced else experiment.get(path)
        yield Holding(path, None if value == [] else value, experiment.is_written(path), key)


def value_text(value: Any) -> str:  # noqa: ANN401 (whatever a key may have)
    """A value as TOML; of a list of tables each on a line of its own."""
    if _has_tables(value):
        return "\n".join(map(value_text, value))
    return toml({"path": {"value": value}}).split(" = ", 1)[1].strip()


def _has_tables(value: Any) -> bool:  # noqa: ANN401 (likewise)
    return isinstance(value, list) and any(isinstance(each, dict) for each in value)
