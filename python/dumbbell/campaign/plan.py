"""The runs of an experiment: in which order, under which ids, and what an engine cannot honour of them."""

from __future__ import annotations

import random
import re
from array import array
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any, Final, TypedDict, TypeVar

from dumbbell.engines.programs import Program
from dumbbell.engines.protocol import Engine
from dumbbell.problem import quoted
from dumbbell.spec import Experiment, Point, Problem, Resolved, Run, SpecError, expand, resolve

EVERY: Final = slice(None)
"""The part of an agenda that has all of its runs."""
_FLOW = re.compile(r"flows\[([0-9]+)\]")
_PART = re.compile(r"([1-9]\d{0,8})/([1-9]\d{0,8})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Planned:
    """A run to carry out, and the point of the sweep that it belongs to."""

    point: dict[str, Any]
    """Each swept value as the spec wrote it, by its path."""
    resolved: Resolved


def plan(experiment: Experiment, places: Iterable[int] | None = None, *, live: bool = False) -> Iterator[Planned]:
    """Every run of an experiment: each point with each seed, in the order of expansion; `live`: as `spec.resolve`.

    `places`: those of the runs at these places, from 0.
    """
    seeds = experiment.seed_values
    for place in range(count(experiment)) if places is None else places:
        yield _planned(experiment, seeds, place, live=live)


def agenda(
    experiments: Sequence[Experiment], part: slice = EVERY, only: Sequence[Container[int]] | None = None, *,
    live: bool = False,
) -> Iterator[tuple[int, int, Planned]]:  # fmt: skip
    """Every run of some experiments in the order in which a part of them tells most; `part`: those of these numbers.

    `only`: those at these places of each one's `plan`.

    Each comes with the number of its experiment and its place in that one's `plan`. All points of all experiments with
    their first seed come first, then all with their second: the points of a part differ by one seed at most. With each
    seed the points of an experiment are shuffled, so that a tenth of them are from all over the sweep. The shuffle
    follows from the experiment's name, the seed and how many points there are, and holds four bytes a point.

    `live`: on hosts whose path may change under one's hands. Then the points of a seed are a block: those that are
    compared with one another, which `compared` gives, run one after the other, in an order of their own, and a part has
    all of them or none.
    """
    seeds = [experiment.seed_values for experiment in experiments]
    for which, place in _order(experiments, part, live=live):
        if only is None or place in only[which]:
            yield which, place, _planned(experiments[which], seeds[which], place, live=live)


def part_of(text: str) -> slice:
    """The part of an agenda that a text names: of `3/40` every fortieth run, from the third on.

    >>> list(range(100))[part_of("3/40")]
    [2, 42, 82]

    Raises:
        SpecError: it names none.
    """
    match = _PART.fullmatch(text)
    if match is None or int(match[1]) > int(match[2]):
        hint = "write it as 3/40, the third of forty"
        raise SpecError([Problem("--part", f"{quoted(text)} is no part of the runs", hint)])
    return slice(int(match[1]) - 1, None, int(match[2]))


def places(experiments: Sequence[Experiment], part: slice = EVERY, *, live: bool = False) -> list[Collection[int]]:
    """Where the runs of a part of the agenda are in each experiment's `plan`, in order."""
    if part == EVERY:
        return [range(count(experiment)) for experiment in experiments]
    chosen: list[list[int]] = [[] for _ in experiments]
    for which, place in _order(experiments, part, live=live):
        chosen[which].append(place)
    return [dict.fromkeys(sorted(own)).keys() for own in chosen]


def compared(experiment: Experiment) -> list[list[int]]:
    """The numbers of the points that differ in their algorithms only: each such set, in order of expansion.

    Where no algorithm is swept they differ in the first swept field; in that only.
    """
    sizes = {axis.path: len(axis.values) for axis in experiment.axes}
    bundles = [(sizes[bundle[0]], any(path.endswith("].cc") for path in bundle)) for bundle in experiment.bundles]
    if not any(of_algorithms for _, of_algorithms in bundles):
        bundles[:1] = [(size, True) for size, _ in bundles[:1]]
    sets: dict[tuple[int, ...], list[int]] = {}
    for number in range(len(experiment)):
        rest, condition = number, []
        for size, is_compared in reversed(bundles):  # the last one varies fastest
            rest, nth = divmod(rest, size)
            condition += [] if is_compared else [nth]
        sets.setdefault(tuple(condition), []).append(number)
    return list(sets.values())


def _order(experiments: Sequence[Experiment], part: slice, *, live: bool) -> Iterator[tuple[int, int]]:
    """The number of an experiment and the place in its plan, run after run."""
    seeds = [experiment.seed_values for experiment in experiments]
    order = _in_sets if live else _singly
    every = (
        [(which, number * len(seeds[which]) + nth) for number in together]
        for nth in range(max(map(len, seeds), default=0))
        for which, experiment in enumerate(experiments)
        if nth < len(seeds[which])
        for together in order(experiment, f"{experiment.name}, seed {seeds[which][nth]}")
    )
    return chain.from_iterable(islice(every, part.start, part.stop, part.step))


def _singly(experiment: Experiment, text: str) -> Iterator[tuple[int]]:
    """The numbers of all points in an order that follows from a text, by a hash of it."""
    numbers = array("I", range(len(experiment)))
    random.Random(text).shuffle(numbers)  # noqa: S311 (an order, and always the same)
    return zip(numbers, strict=True)


def _in_sets(experiment: Experiment, text: str) -> list[list[int]]:
    """The same with those together that are compared."""
    sets, chance = compared(experiment), random.Random(text)  # noqa: S311 (likewise)
    chance.shuffle(sets)
    for each in sets:
        chance.shuffle(each)
    return sets


def _planned(experiment: Experiment, seeds: Sequence[int], place: int, *, live: bool) -> Planned:
    number, nth = divmod(place, len(seeds))
    point = experiment.point(number)
    return Planned(point.values, resolve(point, seeds[nth], live=live))


def count(experiment: Experiment) -> int:
    """How many runs `plan` gives."""
    return len(experiment) * len(experiment.seed_values)


def each_alone(experiment: Experiment) -> Experiment | None:
    """The same experiment with each of its groups by itself; None where none can be, or one already is.

    A group cannot be whose run would not end: one without an end where the others' is awaited. The points are those of
    the experiment, each with `alone`.
    """
    if experiment.get("alone") is not None:
        return None

    def with_alone(groups: list[str]) -> Experiment:
        fields = {**experiment.fields(), "alone": groups}
        fields.pop("expect", None)  # which is of all groups together
        return Experiment.of(fields, folder=experiment.folder, registry=experiment.registry)

    able = []
    for place in range(len(experiment.get("flows"))):
        with suppress(SpecError):
            with_alone([f"flows[{place}]"])
            able.append(f"flows[{place}]")
    return with_alone(able) if able else None


def planned_alone(experiment: Experiment) -> list[Planned]:
    """The runs that `each_alone` adds, each once: points that differ in groups that are away only are the same run."""
    alone = each_alone(experiment)
    if alone is None:
        return []
    planned_ids = {each.resolved.id("", "") for each in plan(experiment)}
    added = {each.resolved.id("", ""): each for each in plan(alone)}
    return [each for request, each in added.items() if request not in planned_ids]


def refusals(experiment: Experiment, engine: Engine) -> list[Problem]:
    """Everything about the experiment's points that the engine cannot honour, each once, in order of appearance."""
    return of_points(_first_runs(experiment, engine), engine.unsupported_fields)


def programs(experiment: Experiment, engine: Engine) -> list[Program]:
    """The programs that the experiment's points would start on the engine, each once, in order of appearance."""
    return of_points(_first_runs(experiment, engine), engine.programs)


def _first_runs(experiment: Experiment, engine: Engine) -> Iterator[tuple[Point, Resolved]]:
    """Each point with what the first seed makes of it."""
    seed = experiment.seed_values[0]
    return ((point, resolve(point, seed, live=engine.live)) for point in expand(experiment))


_Of = TypeVar("_Of", Problem, Program)


def of_points(points: Iterable[tuple[Point, Resolved]], items_of: Callable[[Run], Sequence[_Of]]) -> list[_Of]:
    """What is found in the runs of points, each once, with the paths of the spec."""
    every = (each for point, resolved in points for each in _in_the_spec(resolved, point.active_groups, items_of))
    return list(dict.fromkeys(every))


def _in_the_spec(resolved: Resolved, places: Sequence[int], items_of: Callable[[Run], Sequence[_Of]]) -> Iterator[_Of]:
    """What is found in a run, with the paths of the spec: an engine knows flows, a spec groups of them."""
    groups = dict(zip(dict.fromkeys(resolved.groups), places, strict=True))
    for each in items_of(resolved.run):
        match = _FLOW.match(each.path)
        if match:
            group = groups[resolved.groups[int(match[1])]]
            yield replace(each, path=f"flows[{group}]{each.path[match.end() :]}")
        else:
            yield each


class RunKey(TypedDict):
    """What identifies a run before it is measured, under the names of `results.schema`."""

    run_id: str
    engine: str
    seed: int
    point: dict[str, Any]


def run_key(planned: Planned, engine: Engine, identity: str) -> RunKey:
    """Names a run: by what it asks of the engine."""
    name = planned.resolved.id(engine.name, identity)
    return RunKey(run_id=name, engine=engine.name, seed=planned.resolved.run.seed, point=planned.point)
