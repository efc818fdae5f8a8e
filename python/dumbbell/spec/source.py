"""Where a spec comes from: a file, a text, a dictionary; and values set from outside, as the command line does."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import dumbbell.cc as cc
import dumbbell.text_file as text_file
from dumbbell.cc import Registry
from dumbbell.problem import Problem, SpecError, quoted
from dumbbell.spec.experiment import Experiment
from dumbbell.spec.tables import Spec
from dumbbell.spec.writer import LISTS

_KIND: Final = "a TOML file"
_PATH = re.compile(r"[A-Za-z_]\w*(?:\[[0-9]{1,6}\])?(?:\.[A-Za-z_]\w*(?:\[[0-9]{1,6}\])?)*", re.ASCII)
_DECLARED_TWICE = re.compile(r"Cannot declare \('(\w+)',\) twice")
_STEP = re.compile(r"([A-Za-z_]\w*)|\[([0-9]+)\]", re.ASCII)


def load(
    source: str | Path | Mapping[str, Any] | Spec,
    *,
    overrides: Mapping[str, Any] | None = None,
    folder: Path | None = None,
    registry: Registry | None = None,
) -> Experiment:
    """Make an experiment of a spec.

    A `str` with a line break is the spec's text, any other names its file. `overrides` sets fields by their path,
    e.g. `{"path.rtt": "50 ms", "flows[0].cc": ["bbr", "cubic"]}`. Files that the spec names are relative to its own
    folder, else to `folder`, else to the current one. `registry` has the congestion controls that it may name; if
    nothing is said, those that the simulator or every Linux has.

    Raises `SpecError` with every problem at once.
    """
    if isinstance(source, Spec):
        words, home = source.words(), source.folder
        registry = registry or source.registry
    elif isinstance(source, Mapping):
        words, home = dict(source), Path()
    elif isinstance(source, str) and "\n" in source:
        words, home = _parsed(source, "spec"), Path()
    else:
        path = Path(source)
        words, home = _parsed(text_of(path), str(path)), path.parent
        words.setdefault("name", path.stem)
    problems = [problem for path, value in (overrides or {}).items() if (problem := _set(words, path, value))]
    if problems:
        raise SpecError(problems)
    return Experiment.of(words, folder=folder or home, registry=registry if registry is not None else cc.known())


def assignment(text: str) -> tuple[str, Any]:
    """Read `path=value` of a command line; the value is TOML where it can be, else text.

    >>> assignment("path.rtt=50 ms"), assignment("flows[0].count=3"), assignment('path.buffer=["1 bdp", "2 bdp"]')
    (('path.rtt', '50 ms'), ('flows[0].count', 3), ('path.buffer', ['1 bdp', '2 bdp']))

    Raises `SpecError`.
    """
    path, equals, value = text.partition("=")
    path, value = path.strip(), value.strip()
    if not equals or not _PATH.fullmatch(path):
        raise SpecError([Problem("", f"{quoted(text)} sets no field", 'write it as path.rtt="50 ms"')])
    try:
        parsed = tomllib.loads(f"value = {value}")
    except (ValueError, RecursionError):
        return path, value
    return path, parsed["value"] if list(parsed) == ["value"] else value


def is_path(text: str) -> bool:
    """Tell whether a text is written as the path of a field.

    >>> is_path("flows[0].cc"), is_path("flows[].cc")
    (True, False)
    """
    return _PATH.fullmatch(text) is not None


def text_of(path: Path | None) -> str:
    """The text of a spec's file; None: what comes by standard input.

    Raises `SpecError`.
    """
    try:
        return text_file.standard_input(_KIND) if path is None else text_file.text_of(path, _KIND)
    except text_file.Unreadable as error:
        raise SpecError([Problem(str(path or "standard input"), error.message, error.hint)]) from None


def _parsed(text: str, where: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        reason, _, place = str(error).removesuffix(")").rpartition(" (at ")
        place = place if reason else ""
        told = f"{place}: not TOML: {reason}" if place else f"not TOML: {error}"
        twice = _DECLARED_TWICE.fullmatch(reason)
        hint = (
            f"write [[{twice[1]}]]: a list, a table for each"
            if twice and twice[1] in LISTS
            else 'a line of TOML is key = "value", [table] or [[list of tables]]'
        )
        raise SpecError([Problem(where, told, hint)]) from None
    except (ValueError, RecursionError):
        told = "not TOML: a number or a nesting beyond all measure"
        raise SpecError([Problem(where, told, "see https://toml.io")]) from None


def _set(words: dict[str, Any], path: str, value: object) -> Problem | None:
    """Set the field at a path; tables on the way are made, entries of lists are not."""
    if not _PATH.fullmatch(path):
        return Problem(path, "is no path of a field", "write it as path.rtt or flows[0].cc")
    steps: list[str | int] = [key or int(index) for key, index in _STEP.findall(path)]
    place: Any = words
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        if isinstance(step, int):
            if not isinstance(place, list) or step >= len(place):
                return Problem(path, "there is no such entry", "count from 0, among those that the spec has")
        elif not isinstance(place, dict):
            return Problem(path, f"there is no table that could have {quoted(step)}", "name a field of a table")
        if following is None:
            place[step] = value
            return None
        if isinstance(place, dict):
            child = place.get(step, {})
            place[step] = dict(child) if isinstance(child, dict) else list(child) if isinstance(child, list) else child
        elif isinstance(place[step], dict):
            place[step] = dict(place[step])
        place = place[step]
    return None
