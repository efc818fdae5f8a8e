"""How the points of an experiment are laid out: which swept field is the axis, what has a panel or a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from dumbbell.cc import base_name
from dumbbell.charts.chart import Axis, Kind, Layer
from dumbbell.charts.style import style_of
from dumbbell.findings.points import ExperimentRuns, PointRuns
from dumbbell.metrics.catalogue import Quantity
from dumbbell.metrics.statistics import estimate
from dumbbell.spec.quantity import magnitude, number_and_unit

MOST_TICKS: Final = 12
MANY_TIMES: Final = 8
"""The largest value of an axis, by the smallest, from which on it is logarithmic."""
_FLOW_FIELD: Final = re.compile(r"flows\[(\d+)\]\.(\w+)")
_KINDS: Final = ("bit/s", "bit", "B", "s")
"""Ends of the units that are multiples of one another."""
_KERNEL: Final = re.compile(r" of Linux [\d.]+")


@dataclass(frozen=True, slots=True)
class Curve:
    """The points with the same values of every swept field but the axis."""

    words: str
    """Those values; empty where there are none."""
    points: Sequence[PointRuns]


@dataclass(frozen=True, slots=True)
class Look:
    """How a group with an algorithm looks, the same in every chart: the algorithm's hue, and a mark of its own."""

    style: str
    instance: int
    label: str
    """For a legend: group, and algorithm with its version."""
    tag: str
    """For what stands beside a line."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """The points of an experiment over the swept field with the most values."""

    runs: ExperimentRuns
    axis: str | None
    """None: there is one point, or all others were not measured."""
    x: Axis
    curves: Sequence[Curve]
    looks: Mapping[tuple[str, str, str], Look]
    """By group, algorithm and words of the curve; where each curve has a panel, they are without words."""
    places: Mapping[str, float]

    @classmethod
    def of(cls, runs: ExperimentRuns) -> Sweep:
        """The sweep of what was measured."""
        points = [point for point in runs.points if point.run_ids]
        axis = _main_axis(points, runs.axes)
        others = [other for other in runs.axes if other != axis]
        varied = [other for other in others if len({str(point.swept.get(other)) for point in points}) > 1]
        curves = list(_curves(runs, points, varied))
        places, x = _positions(runs, points, axis)
        return cls(runs, axis, x, curves, _looks(runs, curves), places)

    @property
    def has_panels(self) -> bool:
        """Whether each curve has a panel, as several groups in one would be too many lines."""
        return len(self.runs.groups) > 1 and len(self.curves) > 1

    @property
    def is_continuous(self) -> bool:
        """Whether there is something between two values of the axis."""
        return self.axis is not None and (not self.x.ticks or self.x.limits == (None, None))

    def at(self, point: PointRuns, group: str) -> float:
        """Where a point lies on the axis, and, without one, a group."""
        return self.places[group if self.axis is None else str(point.swept.get(self.axis))]

    def value(self, point: PointRuns) -> str:
        """What a point has on the axis, as the spec wrote it."""
        return "" if self.axis is None else str(point.swept.get(self.axis))

    def look(self, group: str, cc: str, curve: Curve) -> Look:
        """Of a group in a curve."""
        return self.looks[group, cc, "" if self.has_panels else curve.words]

    def senders(self, curve: Curve) -> Iterator[tuple[str, Look, list[PointRuns]]]:
        """Each group of a curve by each of its algorithms, with the points where it has that one."""
        for group in self.runs.groups:
            there = [point for point in curve.points if group in point.ccs]
            for cc in dict.fromkeys(point.ccs[group] for point in there):
                yield group, self.look(group, cc, curve), [point for point in there if point.ccs[group] == cc]

    def layers(self, curve: Curve, quantity: Quantity) -> Iterator[Layer]:
        """A quantity of each group over the axis: means with their intervals."""
        for group, look, points in self.senders(curve):
            layer = self.layer(points, quantity, group, look)
            if layer.x:
                yield layer

    def layer(self, points: Sequence[PointRuns], quantity: Quantity, group: str, look: Look) -> Layer:
        """A quantity at some points."""
        found = sorted((self.at(point, group), values) for point in points if (values := point.values(quantity, group)))
        kind: Kind = "line+points" if self.is_continuous and len(found) > 1 else "points"
        means = [estimate(values) for _, values in found]
        return Layer(
            label=look.label, style=look.style, instance=look.instance, tag=look.tag, kind=kind,
            x=tuple(x for x, _ in found),
            y=tuple(each.mean for each in means),
            low=tuple(each.mean - (each.half_width or 0.0) for each in means),
            high=tuple(each.mean + (each.half_width or 0.0) for each in means),
        )  # fmt: skip


def called(group: str, cc: str) -> str:
    """A group with the name and version of its algorithm.

    >>> called("near", "bbr[probe_gain=1.1]")
    'near (BBR of Linux 6.1[probe_gain=1.1])'
    """
    label = style_of(base_name(cc)).label + (cc[cc.index("[") :] if "[" in cc else "")
    return label if group in {cc, label} else f"{group} ({label})"


def short(cc: str) -> str:
    """An algorithm without its version, for what has little room.

    >>> short("bbr"), short("bbr[probe_gain=1.1]")
    ('BBR', 'bbr[probe_gain=1.1]')
    """
    return cc if "[" in cc else _KERNEL.sub("", style_of(cc).label)


def in_words(runs: ExperimentRuns, swept: Mapping[str, object]) -> str:
    """Swept values as a reader says them: a group's field by the group's name.

    >>> runs = ExperimentRuns(name="", engine="sim")
    >>> in_words(runs, {"path.buffer": "1 bdp", "path.rtt": "20 ms"})
    'buffer 1 bdp, rtt 20 ms'
    """
    groups = [] if runs.experiment is None else [flow.name or flow.cc for flow in runs.experiment.flows]
    parts: dict[str, list[str]] = {}
    for path, value in swept.items():
        found = _FLOW_FIELD.fullmatch(path)
        name = groups[int(found[1])] if found and int(found[1]) < len(groups) else None
        if found and isinstance(name, str):
            field = str(value) if found[2] == "cc" else f"{found[2]} {value}"
            parts.setdefault(field, []).extend([name] if len(groups) > 1 else [])
        else:
            parts.setdefault(f"{path.rpartition('.')[2]} {value}", [])
    return ", ".join(f"{' and '.join(names)}: {field}" if names else field for field, names in parts.items())


def _looks(runs: ExperimentRuns, curves: Sequence[Curve]) -> dict[tuple[str, str, str], Look]:
    several = len(runs.groups) > 1
    panels = several and len(curves) > 1
    looks: dict[tuple[str, str, str], Look] = {}
    for group in runs.groups:
        for curve in curves:
            words = "" if panels else curve.words
            for cc in dict.fromkeys(point.ccs[group] for point in curve.points if group in point.ccs):
                instance = runs.groups.index(group) if several else len(looks)
                rest = words if several else _without(words, cc)
                label = "; ".join(filter(None, [called(group if several else cc, cc), rest]))
                tag = group if several else rest or short(cc)
                looks.setdefault((group, cc, words), Look(base_name(cc), instance, label, tag))
    return looks


def _without(words: str, cc: str) -> str:
    """The words of a curve without the algorithm, which its label names."""
    return ", ".join(
        part for part in words.split(", ") if part not in {cc, f"cc {cc}"} and not part.endswith(f": {cc}")
    )


def _main_axis(points: Sequence[PointRuns], axes: Sequence[str]) -> str | None:
    """The one with the most values, amounts before words."""
    sizes = {axis: {str(point.swept.get(axis)) for point in points} for axis in axes}
    candidates = [axis for axis, values in sizes.items() if len(values) > 1]
    return max(candidates, key=lambda axis: (_unit(sizes[axis]) is not None, len(sizes[axis])), default=None)


def _unit(values: set[str]) -> str | None:
    """The one unit of all values; None where they are no amounts of one kind.

    >>> _unit({"1 bdp", "2 bdp"}), _unit({"250 kB", "4 MB"}), _unit({"1 bdp", "20 kB"}), _unit({"bbr", "cubic"})
    ('bdp', 'B', None, None)
    """
    units = {found[1] if (found := number_and_unit(value)) else None for value in values}
    if len(units) == 1:
        return units.pop()
    kinds = {next((kind for kind in _KINDS if unit and unit.endswith(kind)), None) for unit in units}
    return kinds.pop() if len(kinds) == 1 else None


def _positions(runs: ExperimentRuns, points: Sequence[PointRuns], axis: str | None) -> tuple[dict[str, float], Axis]:
    """Where each value of an axis is drawn; without one, each group."""
    texts = runs.groups if axis is None else list(dict.fromkeys(str(point.swept.get(axis)) for point in points))
    unit = None if axis is None else _unit(set(texts))
    label = axis or ""
    if unit is None:
        places = {text: float(index) for index, text in enumerate(texts)}
        ticks = tuple((at, text) for text, at in places.items())
        return places, Axis(label=label, limits=(-0.5, len(texts) - 0.5), ticks=ticks)
    written = {text: found for text in texts if (found := number_and_unit(text))}
    several = len({own for _, own in written.values()}) > 1
    places = {text: (magnitude(text) or 0.0) if several else number for text, (number, _) in written.items()}
    values = sorted(set(places.values()))
    wide = values[0] > 0 and values[-1] / values[0] >= MANY_TIMES
    names = {at: text if several else f"{at:g}" for text, at in places.items()}
    ticks = tuple((at, names[at]) for at in values) if len(values) <= MOST_TICKS else ()
    label = label if several or not unit else f"{label} ({unit})"
    return places, Axis(label=label, scale="log2" if wide else "linear", ticks=ticks)


def _curves(runs: ExperimentRuns, points: Sequence[PointRuns], others: Sequence[str]) -> Iterator[Curve]:
    def words(point: PointRuns) -> str:
        return in_words(runs, {axis: point.swept[axis] for axis in others if axis in point.swept})

    order = {text: index for index, text in enumerate(dict.fromkeys(map(words, points)))}
    ordered = sorted(points, key=lambda point: order[words(point)])
    for text, members in groupby(ordered, key=words):
        yield Curve(text, list(members))
