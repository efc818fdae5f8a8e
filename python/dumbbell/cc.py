"""Congestion controls as a spec names them: an algorithm, a variant of one, and parameters.

`bbr`, `bbr_4_17`, `bbr[cwnd_gain=1.5]` and `bbr_4_17[cwnd_gain=1.5, probe_gain=1.1]` all come down to an algorithm of a
registry and the parameters that differ from its defaults. Each engine has a registry; `known` is what there is to name
before an engine is chosen.
"""

from __future__ import annotations

import math
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from dumbbell.problem import Problem, SpecError, suggestion

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_WORDS = re.compile(r"\s*([^\s\[\]]+)\s*(?:\[([^\[\]]*)\])?\s*")
_PARAMETER = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(\S+)\s*")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_SWITCH = {"true": 1.0, "false": 0.0}
_LONGEST = 500
LINUX: Mapping[str, str] = {
    "reno": "Reno",
    "cubic": "CUBIC",
    "bbr": "BBR",
    "bic": "BIC: binary search for the window, CUBIC's predecessor",
    "cdg": "CAIA Delay-Gradient",
    "dctcp": "Data Center TCP: answers to the share of marked packets; no queue here marks, and unmarked it is Reno",
    "highspeed": "HighSpeed TCP (RFC 3649)",
    "htcp": "H-TCP: grows with the time since the last loss",
    "hybla": "Hybla: as fast on long paths as Reno on short ones",
    "illinois": "TCP-Illinois: growth and retreat depend on delay",
    "lp": "TCP-LP: meant to take what others leave; Linux's misreads the delay and takes about as much as Reno",
    "nv": "New Vegas",
    "scalable": "Scalable TCP: a fixed share more each round trip",
    "vegas": "Vegas: a few packets in the queue and no more",
    "veno": "Veno: Reno that tells random loss from congestion by delay",
    "westwood": "Westwood+: after a loss, what was delivered before it",
    "yeah": "YeAH-TCP: fast while the queue is short, Reno while it is not",
}
"""Every congestion control of Linux's own tree, which a kernel that dumbbell builds has."""


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


def registry_of(rows: Iterable[Mapping[str, Any]]) -> Registry:
    """Make a registry of rows as `dumbbell._core.algorithms()` gives them."""
    return {
        row["name"]: Algorithm(
            name=row["name"], title=row["title"], source=row["source"],
            parameters={each["name"]: Parameter(**each) for each in row["parameters"]},
        )
        for row in rows
    }  # fmt: skip


@cache
def installed() -> Registry:
    """Give the registry of the simulator that is installed."""
    from dumbbell._core import algorithms  # noqa: PLC0415 (a check of words needs no simulator before this)

    return registry_of(algorithms())


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
    """Give the variants of `variants.toml`, those that build on another one with all of its parameters too."""
    rows = tomllib.loads(files("dumbbell").joinpath("variants.toml").read_text(encoding="utf-8"))
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
    match = _WORDS.fullmatch(written) if len(written) <= _LONGEST else None
    if match is None:
        raise _fault(f'"{written[:60]}" names no congestion control', 'write it as "bbr" or "bbr[cwnd_gain=1.5]"')
    name, inline = match.groups()
    variant = variants().get(name)
    algorithm = registry.get(variant.base if variant else name)
    if algorithm is None:
        known = (*registry, *(v.name for v in variants().values() if v.base in registry))
        raise _fault(f'unknown "{name}"', suggestion(name, known))
    problems: list[Problem] = []
    parameters = dict(variant.parameters) if variant else {}
    given: set[str] = set()
    for text in inline.split(",") if inline and inline.strip() else ():
        try:
            key, value = _parameter(text, algorithm)
        except SpecError as error:
            problems += error.problems
            continue
        if key in given:
            problems.append(Problem("", f'parameter "{key}" is given twice', "give it once"))
        given.add(key)
        parameters[key] = value
    if problems:
        raise SpecError(problems)
    different = {k: v for k, v in sorted(parameters.items()) if v != algorithm.parameters[k].default}
    return Choice(written, name, algorithm.name, different)


def _fault(message: str, hint: str) -> SpecError:
    return SpecError([Problem("", message, hint)])


def _parameter(text: str, algorithm: Algorithm) -> tuple[str, float]:
    match = _PARAMETER.fullmatch(text)
    if match is None:
        raise _fault(f'"{text.strip()[:60]}" sets no parameter', 'write it as "cwnd_gain=1.5"')
    name, digits = match.groups()
    parameter = algorithm.parameters.get(name)
    if parameter is None:
        hint = suggestion(name, list(algorithm.parameters)) if algorithm.parameters else "it has none"
        raise _fault(f'{algorithm.name} has no parameter "{name}"', hint)
    value = _SWITCH.get(digits) if parameter.kind == "switch" else None
    if value is None:
        value = float(digits) if _NUMBER.fullmatch(digits) else math.nan
    value += 0.0  # no negative zero: it would be another run
    least, most = parameter.range
    if not least <= value <= most:
        what = "is out of range" if math.isfinite(value) else "is no number"
        raise _fault(f"{name}={digits[:60]} {what}", _wanted(parameter))
    if parameter.kind != "number" and not value.is_integer():
        what = "a whole number" if parameter.kind == "integer" else "a switch"
        raise _fault(f"{name}={digits[:60]} is not {what}", _wanted(parameter))
    return name, value


def _wanted(parameter: Parameter) -> str:
    if parameter.kind == "switch":
        return "0 or 1"
    what = "a whole number from" if parameter.kind == "integer" else "from"
    least, most = parameter.range
    return f"{what} {least:g} to {most:g} {parameter.unit}".rstrip()


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
