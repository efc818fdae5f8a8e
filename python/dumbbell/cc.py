"""Congestion controls as a spec names them: an algorithm, a variant of one, and parameters.

`bbr`, `bbr_4_17`, `bbr[cwnd_gain=1.5]` and `bbr_4_17[cwnd_gain=1.5, probe_gain=1.1]` all come down to an algorithm of a
registry and the parameters that differ from its defaults. Each engine has a registry; `known` is what there is to name
before an engine is chosen.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeAlias

import dumbbell._core as _core
from dumbbell.problem import given

LINUX: Mapping[str, str] = dict(_core.linux_controls())
"""Every congestion control of Linux's own tree, which a kernel that dumbbell builds has, and what it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One constant of an algorithm."""

    name: str
    about: str
    unit: str
    default: float
    range: tuple[float, float]
    """The least and the most."""
    kind: Literal["number", "integer", "switch"]
    source: str
    """Where the default comes from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Algorithm:
    """One congestion control and its parameters."""

    name: str
    title: str
    source: str
    parameters: Mapping[str, Parameter]


Registry: TypeAlias = "Mapping[str, Algorithm]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """A named set of parameters of an algorithm, and what it is in Linux."""

    name: str
    about: str
    base: str
    """The algorithm."""
    parameters: Mapping[str, float]
    linux: tuple[Mapping[str, Any], ...]
    """What makes it of the algorithm in the source, each with `file`, `match` (a text that occurs once in it) and
    `replace`; nothing: Linux cannot have it."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a text names."""

    written: str
    """The text."""
    name: str
    """The algorithm or variant that it names, without parameters."""
    algorithm: str
    """The algorithm in the registry."""
    parameters: Mapping[str, float]
    """Those that differ from the algorithm's defaults, in order of name."""


@cache
def installed() -> Registry:
    """Give the registry of the simulator that is installed."""
    return {
        row["name"]: Algorithm(
            name=row["name"], title=row["title"], source=row["source"],
            parameters={each["name"]: Parameter(**each) for each in row["parameters"]},
        )
        for row in _core.algorithms()
    }  # fmt: skip


def linux(names: Iterable[str] = tuple(LINUX)) -> Registry:
    """Describe congestion controls of a Linux kernel.

    Where the simulator has the same, a spec may give the same parameters, which the kernel may then have as a variant
    or not. What only Linux has takes none. Names of variants are not algorithms and are left out.
    """
    modelled, named = installed(), variants()
    return {
        name: modelled.get(name) or Algorithm(name=name, title=LINUX.get(name, name), source="Linux", parameters={})
        for name in names
        if name not in named
    }


def known() -> Registry:
    """Give what a spec may name before an engine is chosen: what the simulator has, and what every Linux tree has."""
    return {**installed(), **linux()}


@cache
def variants() -> Mapping[str, Variant]:
    """Give the variants of `crates/spec/src/variants.toml`, those that build on another one with its parameters too."""
    return variants_of(_core.variants())


def variants_of(text: str) -> Mapping[str, Variant]:
    """Give the variants that a text has in the form of `variants.toml`."""
    rows = tomllib.loads(text)
    return {name: _variant(name, rows) for name in rows}


def base_name(written: str) -> str:
    """The algorithm or variant without inline parameters.

    >>> base_name("bbr_4_17[cwnd_gain=1.5]")
    'bbr_4_17'
    """
    return written.partition("[")[0].strip()


def choose(written: str, registry: Registry) -> Choice:
    """Find what a text names.

    Raises `SpecError` with everything that is wrong with it; its problems have no path.
    """
    name, algorithm, parameters = given(_core.choose(written, list(registry)))
    return Choice(written, name, algorithm, parameters)


def _variant(name: str, rows: Mapping[str, Mapping[str, Any]]) -> Variant:
    row = rows[name]
    below = _variant(row["base"], rows) if row["base"] in rows else None
    linux = tuple(row.get("linux", ()))
    if below and linux:
        linux = (*below.linux, *linux) if below.linux else ()
    own = {key: float(value) for key, value in row["parameters"].items()}
    return Variant(
        name=name,
        about=row["about"],
        base=below.base if below else row["base"],
        parameters={**(below.parameters if below else {}), **own},
        linux=linux,
    )
