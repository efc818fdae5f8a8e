"""Everything that is wrong with an experiment, told once: its lists, its algorithms, its files, and its points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from math import gcd
from typing import Any, TypeVar

import dumbbell.cc as cc
import dumbbell.spec.run as run
from dumbbell.cc import Registry
from dumbbell.problem import Problem, SpecError, quoted
from dumbbell.spec.arrivals import ArrivalTimes
from dumbbell.spec.diagnosis import Location, dotted
from dumbbell.spec.rules import point_problems, run_rules
from dumbbell.spec.section import DependsOnInvalidField, StillHasLists, Unknown
from dumbbell.spec.sizes import Cdf
from dumbbell.spec.sweep import Grid, sweep_problems, unknown_fields, zip_problems
from dumbbell.spec.tables import CdfSize, Flow, ShortFlows, Spec, Trace

T = TypeVar("T")

GROUPS_WORTH = 10_000
"""So many groups of flows are looked at before the points of a large sweep are only sampled."""
FEWEST_POINTS = 20
MOST_TOLD = 4
STRIDE = 7919


def experiment_problems(experiment: Spec) -> Iterator[Problem]:
    """Find everything wrong with an experiment whose single fields are right, or unknown."""
    yield from run_rules(partial(_seed_problems, experiment), partial(_cc_problems, experiment))
    zip_errors = list(run_rules(partial(zip_problems, experiment)))
    yield from zip_errors
    with suppress(DependsOnInvalidField, StillHasLists):
        unknown = next(unknown_fields(experiment), None) is not None
        grid = Grid.of(experiment, zipped=not zip_errors and not unknown)
        lists = list(run_rules(partial(sweep_problems, grid))) if not zip_errors else []
        yield from lists
        yield from _sampled(grid, 1 if zip_errors or unknown or lists else len(grid))


def files(experiment: Spec) -> Iterator[tuple[str, type, str]]:
    """Find every file that a spec names: the field's path, what it has, and its name as written."""
    with suppress(DependsOnInvalidField):
        for index, group in enumerate(experiment.flows):
            with suppress(DependsOnInvalidField):
                for here, workload in _each(group.workload, ("flows", index, "workload")):
                    yield from _files(workload, here)


def _files(workload: object, here: Location) -> Iterator[tuple[str, type, str]]:
    if isinstance(workload, Trace):
        yield from _named(workload.trace, run.Trace, (*here, "trace"))
    if isinstance(workload, ShortFlows):
        if workload.arrivals.trace is not None:
            yield from _named(workload.arrivals.trace, ArrivalTimes, (*here, "arrivals", "trace"))
        if workload.size is not None:
            for place, size in _each(workload.size, (*here, "size")):
                if isinstance(size, CdfSize):
                    yield from _named(size.cdf, Cdf, (*place, "cdf"))


def _named(names: str | list[str], kind: type, location: Location) -> Iterator[tuple[str, type, str]]:
    for place, name in _each(names, location):
        if isinstance(name, str):
            yield dotted(place), kind, name


def _each(value: T | list[T], location: Location) -> Iterator[tuple[Location, T]]:
    """Give a field's only value, or each of its list, with its location."""
    if isinstance(value, list):
        yield from (((*location, index), item) for index, item in enumerate(value))
    else:
        yield location, value


def _sampled(grid: Grid, points: int) -> Iterator[Problem]:
    """Ask about the points: all, or of a large sweep so many that every value of every list is among them often."""
    points = min(points, max(FEWEST_POINTS, GROUPS_WORTH // max(1, len(grid.experiment.flows))))
    if points == len(grid):
        chosen = grid.points()
    else:
        stride = _coprime(len(grid))
        chosen = (grid.point(step * stride % len(grid)) for step in range(points))
    found: dict[tuple[str, int], tuple[Problem, dict[str, Any]]] = {}
    times: Counter[tuple[str, int]] = Counter()
    for point in chosen:
        nth: Counter[str] = Counter()
        for problem in point_problems(point.experiment):
            key = problem.path, nth[problem.path]
            nth[problem.path] += 1
            times[key] += 1
            found.setdefault(key, (problem, point.values))
    for key, (problem, values) in found.items():
        yield problem if times[key] == points else _located(problem, values)


def _coprime(number: int) -> int:
    """Give a stride that visits every value of every list of a grid of so many points."""
    stride = STRIDE
    while gcd(stride, number) > 1:
        stride += 1
    return stride


def _located(problem: Problem, values: dict[str, Any]) -> Problem:
    """Add at which point a problem was met first, when not every point has it."""
    told = [f"{path} = {quoted(value)}" for path, value in values.items()]
    more = ", …" if len(told) > MOST_TOLD else ""
    return Problem(problem.path, f"{problem.message} (at {', '.join(told[:MOST_TOLD])}{more})", problem.hint)


def _seed_problems(experiment: Spec) -> Iterator[Problem]:
    seeds = experiment.seeds
    if isinstance(seeds, list):
        for seed, times in Counter(seeds).items():
            if times > 1:
                yield Problem("seeds", f"{seed} is listed {times} times", "list each seed once")


def _cc_problems(experiment: Spec) -> Iterator[Problem]:
    for index, group in enumerate(experiment.flows):
        yield from run_rules(partial(_one_cc, group, ("flows", index, "cc"), experiment.registry))


def _one_cc(group: Flow, location: Location, registry: Registry) -> Iterator[Problem]:
    for here, name in _each(group.cc, location):
        if isinstance(name, Unknown):
            return
        try:
            cc.choose(name, registry)
        except SpecError as error:
            yield from (replace(problem, path=dotted(here)) for problem in error.problems)
