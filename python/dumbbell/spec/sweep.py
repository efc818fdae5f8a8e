"""From an experiment with lists to its points: the cross product of all lists, in order of appearance.

The first list varies slowest. Lists named together in `zip` vary together and count as one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Self

from dumbbell.problem import Problem, quoted, suggestion
from dumbbell.spec.diagnosis import Location, dotted
from dumbbell.spec.section import UNKNOWN, Section, plain
from dumbbell.spec.tables import Spec

MOST_POINTS = 1_000_000


@dataclass(frozen=True, slots=True)
class Axis:
    """A list where one value belongs."""

    location: Location
    values: Sequence[Any]

    @property
    def path(self) -> str:
        """The field that it varies."""
        return dotted(self.location)


@dataclass(frozen=True, slots=True)
class Point:
    """One point of an experiment: no list left."""

    values: dict[str, Any]
    """Each swept field's value as the spec wrote it, in order of appearance."""
    experiment: Spec
    """The experiment with these values."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The points of an experiment, by number."""

    experiment: Spec
    axes: tuple[Axis, ...]
    """In order of appearance."""
    bundles: tuple[tuple[Axis, ...], ...]
    """Axes that vary together; the first bundle varies slowest."""

    @classmethod
    def of(cls, experiment: Spec, *, zipped: bool = True) -> Self:
        """Find the axes and bundle them as `zip` says, unless that makes no sense."""
        found = {axis.path: axis for axis in axes(experiment)}
        partners: dict[str, list[str]] = (
            {path: bundle for bundle in experiment.zip for path in bundle} if zipped else {}
        )
        bundles: list[tuple[Axis, ...]] = []
        placed: set[str] = set()
        for path, axis in found.items():
            if path not in placed:
                bundle = tuple(found[partner] for partner in partners[path]) if path in partners else (axis,)
                bundles.append(bundle)
                placed.update(member.path for member in bundle)
        return cls(experiment, tuple(found.values()), tuple(bundles))

    def __len__(self) -> int:
        return prod(len(bundle[0].values) for bundle in self.bundles)

    def point(self, number: int) -> Point:
        """Give the point at this place in the order of expansion, from 0."""
        chosen: dict[str, Any] = {}
        for bundle in reversed(self.bundles):
            number, index = divmod(number, len(bundle[0].values))
            chosen |= {axis.path: axis.values[index] for axis in bundle}
        experiment = self.experiment
        for axis in self.axes:
            experiment = _substituted(experiment, axis.location, chosen[axis.path])
        return Point({axis.path: plain(chosen[axis.path]) for axis in self.axes}, experiment)

    def points(self) -> Iterator[Point]:
        """Give every point, in order: as `point` does, but what points have in common is made once."""
        paths = [axis.path for axis in self.axes]
        for chosen, point in _walk(self.experiment, self.bundles):
            yield Point({path: plain(chosen[path]) for path in paths}, point)


def axes(section: Section, location: Location = ()) -> Iterator[Axis]:
    """Find every list where one value belongs, in order of appearance."""
    for key, value in section.written():
        here = (*location, key)
        if isinstance(value, Section):
            yield from axes(value, here)
        elif isinstance(value, list):
            if key not in section.lists:
                yield Axis(here, value)
            else:
                for index, item in enumerate(value):
                    if isinstance(item, Section):
                        yield from axes(item, (*here, index))


def unknown_fields(section: Section, location: Location = ()) -> Iterator[Location]:
    """Find every field that has a problem of its own."""
    for key, value in section.written():
        here = (*location, key)
        if value is UNKNOWN:
            yield here
        elif isinstance(value, Section):
            yield from unknown_fields(value, here)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                if isinstance(item, Section):
                    yield from unknown_fields(item, (*here, index))


def expand(experiment: Spec) -> Iterator[Point]:
    """Give every point, in order."""
    yield from Grid.of(experiment).points()


def _walk(experiment: Spec, bundles: Sequence[tuple[Axis, ...]]) -> Iterator[tuple[dict[str, Any], Spec]]:
    """Every choice of values, by path, and the experiment with them; the first bundle varies slowest."""
    if not bundles:
        yield {}, experiment
        return
    bundle, paths = bundles[0], [axis.path for axis in bundles[0]]
    for values in zip(*(axis.values for axis in bundle), strict=True):
        changed = experiment
        for axis, value in zip(bundle, values, strict=True):
            changed = _substituted(changed, axis.location, value)
        own = dict(zip(paths, values, strict=True))
        yield from ((own | others, point) for others, point in _walk(changed, bundles[1:]))


def zip_problems(experiment: Spec) -> Iterator[Problem]:
    """Find what is wrong with `zip`."""
    found = {axis.path: axis for axis in axes(experiment)}
    unknown = [dotted(location) for location in unknown_fields(experiment)]
    seen: set[str] = set()
    for index, bundle in enumerate(experiment.zip):
        here = f"zip[{index}]"
        for path in bundle:
            if path not in found and not path.startswith(tuple(unknown)):
                yield Problem(here, f"{quoted(path)} is no list of this spec", suggestion(path, list(found)))
            elif path in seen:
                yield Problem(here, f"{quoted(path)} is named twice", "name each list once")
            seen.add(path)
        lengths = {path: len(found[path].values) for path in bundle if path in found}
        if len(set(lengths.values())) > 1:
            told = ", ".join(f"{path} has {length}" for path, length in lengths.items())
            yield Problem(here, f"the lists differ in length: {told}", "give them equally many values")


def sweep_problems(grid: Grid) -> Iterator[Problem]:
    """Find what is wrong with the lists themselves."""
    for axis in grid.axes:
        for index, value in enumerate(axis.values):
            if isinstance(value, Section):
                for inner in axes(value, (*axis.location, index)):
                    yield Problem(inner.path, "a list inside a list", "write every combination out, or use one list")
    for bundle in grid.bundles:
        combinations: set[str] = set()
        for together in zip(*(axis.values for axis in bundle), strict=True):
            words = ", ".join(quoted(v) if isinstance(v, str) else str(plain(v)) for v in together)
            if words in combinations:
                yield Problem(bundle[0].path, f"{words} is listed twice", "list each value once")
            combinations.add(words)
    if len(grid) > MOST_POINTS:
        lengths = " x ".join(str(len(bundle[0].values)) for bundle in grid.bundles)
        longest = max(grid.axes, key=lambda axis: len(axis.values))
        yield Problem(longest.path, f"{lengths} = {len(grid)} points are too many", f"at most {MOST_POINTS}")


def _substituted(section: Any, location: Location, value: object) -> Any:  # noqa: ANN401 (a section or a list of them)
    """Copy a section with another value at a location. The rest is shared."""
    key, rest = location[0], location[1:]
    if isinstance(section, list) and isinstance(key, int):
        changed = _substituted(section[key], rest, value) if rest else value
        return [*section[:key], changed, *section[key + 1 :]]
    name = section.attribute(key)
    changed = _substituted(getattr(section, name), rest, value) if rest else value
    return section.model_copy(update={name: changed})
