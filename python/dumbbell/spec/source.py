"""Where a spec comes from: a file, a text, a dictionary; and values set from outside, as the command line does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import dumbbell._core as _core
import dumbbell.cc as cc
import dumbbell.text_file as text_file
from dumbbell.problem import Problem, SpecError, given
from dumbbell.spec.experiment import Experiment, Point

_KIND: Final = "a TOML file"


def load(
    source: str | Path | Mapping[str, Any] | Experiment | Point,
    *,
    overrides: Mapping[str, Any] | None = None,
    folder: Path | None = None,
    registry: cc.Registry | None = None,
) -> Experiment:
    """Make an experiment of a spec, or of one point of another experiment.

    A `str` with a line break is the spec's text, any other names its file. `overrides` sets fields by their path,
    e.g. `{"path.rtt": "50 ms", "flows[0].cc": ["bbr", "cubic"]}`. Files that the spec names are relative to its own
    folder, else to `folder`, else to the current one. `registry` has the congestion controls that it may name; if
    nothing is said, those that the simulator or every Linux has.

    Raises `SpecError` with every problem at once.
    """
    home, where, name = Path(), "spec", None
    spec: str | Mapping[str, Any]
    if isinstance(source, Experiment | Point):
        experiment = source.experiment if isinstance(source, Point) else source
        spec, home = source.fields(), experiment.folder
        registry = registry or experiment.registry
    elif isinstance(source, Mapping) or (isinstance(source, str) and "\n" in source):
        spec = source
    else:
        path = Path(source)
        spec, home, where, name = text_of(path), path.parent, str(path), path.stem
    known = registry if registry is not None else cc.known()
    return Experiment.of(spec, overrides, folder=folder or home, registry=known, where=where, name=name)


def assignment(text: str) -> tuple[str, Any]:
    """Read `path=value` of a command line; the value is TOML where it can be, else text.

    >>> assignment("path.rtt=50 ms"), assignment("flows[0].count=3"), assignment('path.buffer=["1 bdp", "2 bdp"]')
    (('path.rtt', '50 ms'), ('flows[0].count', 3), ('path.buffer', ['1 bdp', '2 bdp']))

    Raises `SpecError`.
    """
    return given(_core.assignment(text))


def is_path(text: str) -> bool:
    """Tell whether a text is written as the path of a field.

    >>> is_path("flows[0].cc"), is_path("flows[].cc")
    (True, False)
    """
    return _core.is_path(text)


def toml(fields: Mapping[str, Any]) -> str:
    """Give TOML that says the same, in the order of the fields; tables that say nothing are left out.

    >>> print(toml({
    ...     "seeds": [1, 5], "path": {"rate": ["1 Mbit/s", "2 Mbit/s"]}, "flows": [{"cc": "bbr"}], "measure": {},
    ... }))
    seeds = [1, 5]
    <BLANKLINE>
    [path]
    rate = ["1 Mbit/s", "2 Mbit/s"]
    <BLANKLINE>
    [[flows]]
    cc = "bbr"
    <BLANKLINE>
    """
    return _core.to_toml(fields)


def text_of(path: Path | None) -> str:
    """The text of a spec's file; None: what comes by standard input.

    Raises `SpecError`.
    """
    try:
        return text_file.standard_input(_KIND) if path is None else text_file.text_of(path, _KIND)
    except text_file.Unreadable as error:
        raise SpecError([Problem(str(path or "standard input"), error.message, error.hint)]) from None
