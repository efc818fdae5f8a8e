"""How the points of an experiment are laid out: which swept field is the axis, what has a panel or a line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from dumbbell.cc import base_name
from dumbbell.charts import shapes
from dumbbell.charts.chart import Axis, Kind, Layer
from dumbbell.charts.shapes import Look, mean_within
from dumbbell.charts.style import style_of
from dumbbell.experiment.curves import NOUNS, Curves, curves_of, value_text
from dumbbell.experiment.points import ExperimentRuns
from dumbbell.metrics.catalogue import Quantity
from dumbbell.results.measured import MeasuredPoint
from dumbbell.spec.quantity import number_and_unit

Item = TypeVar("Item")

MOST_TICKS: Final = 12
MANY_TIMES: Final = 8
"""The largest value of an axis, by the smallest, from which on it is logarithmic."""
_FLOW_FIELD: Final = re.compile(r"flows\[(\d+)\]\.(\w+)")
_KERNEL: Final = re.compile(r" of Linux [\d.]+")


@dataclass(frozen=True, slots=True)
class Curve:
    """The points with the same values of every swept field but the axis."""

    label: str
    """Those values; empty where there are none."""
    points: Sequence[MeasuredPoint]


@dataclass(frozen=True, slots=True)
class Sweep:
    """The points of an experiment over the swept amount with the most values, or over words where none is swept."""

    runs: ExperimentRuns
    fields: Sequence[str]
    """What the axis is about; none: there is one point, or all others were not measured."""
    noun: str
    """What a reader calls that."""
    x: Axis
    curves: Sequence[Curve]
    looks: Mapping[tuple[str, str, str], Look]
    """By group, algorithm and words of the curve; where each curve has a panel, they are without words."""
    places: Mapping[str, float]

    @classmethod
    def of(cls, runs: ExperimentRuns) -> Sweep:
        """The sweep of what was measured."""
        measured = curves_of(runs)
        points = [point for curve in measured.curves for point in curve.points]
        if measured.axis is not None:
            fields, curves = (
                [measured.axis],
                [Curve(swept_label(runs, each.condition), each.points) for each in measured.curves],
            )
        else:
            fields, curves = _categorical_curves(runs, points)
        noun = _noun(fields)
        places, x = _amounts(measured, noun) if measured.axis is not None else _categories(runs, fields, points)
        return cls(runs, fields, noun, x, curves, _looks(runs, curves), places)

    @property
    def has_panels(self) -> bool:
        """Whether each curve has a panel, as several groups in one would be too many lines."""
        return is_mixed(self.runs) and len(self.curves) > 1

    def at(self, point: MeasuredPoint, group: str) -> float:
        """Where a point lies on the axis, and, without one, a group."""
        return self.places[_written(self.fields, point) if self.fields else group]

    def value(self, point: MeasuredPoint) -> str:
        """What a point has on the axis."""
        return _written(self.fields, point)

    def look(self, group: str, cc: str, curve: Curve) -> Look:
        return self.looks[group, cc, "" if self.has_panels else curve.label]

    def senders(self, curve: Curve) -> Iterator[tuple[str, Look, list[MeasuredPoint]]]:
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

    def layer(self, points: Sequence[MeasuredPoint], quantity: Quantity, group: str, look: Look) -> Layer:
        """A quantity at some points."""
        samples = [(self.at(point, group), values) for point in points if (values := point.values(quantity, group))]
        stat = mean_within(quantity.limits, quantity.factor)
        return shapes.sweep(look, samples, stat, kind=self.kind(len(samples)))

    def kind(self, count: int) -> Kind:
        """Of a layer with so many points: a line where there is something between two values of the axis."""
        is_continuous = bool(self.fields) and (not self.x.ticks or self.x.limits == (None, None))
        return "line+points" if is_continuous and count > 1 else "points"


def is_mixed(runs: ExperimentRuns) -> bool:
    """Whether groups meet, rather than senders one at a time."""
    return any(len(point.ccs) > 1 for point in runs.points)


def conditions(runs: ExperimentRuns, points: Iterable[MeasuredPoint]) -> dict[str, list[MeasuredPoint]]:
    """The points by what they are, in words, but for the algorithm where senders one at a time are compared."""
    by_condition: dict[str, list[MeasuredPoint]] = {}
    for point in points:
        own = set(point.ccs.values()) if len(point.ccs) == 1 else set()
        swept = {path: each for path, each in point.swept.items() if not path.endswith(".cc") or each not in own}
        by_condition.setdefault(swept_label(runs, swept), []).append(point)
    return by_condition


def evenly(items: Sequence[Item], most: int) -> list[Item]:
    """At most so many of them, from the first to the last.

    >>> evenly("abcdefg", 3)
    ['a', 'd', 'g']
    """
    if len(items) <= most:
        return list(items)
    return [items[round(index * (len(items) - 1) / max(1, most - 1))] for index in range(most)]


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


def swept_label(runs: ExperimentRuns, swept: Mapping[str, object]) -> str:
    """Swept values as a reader says them: a group's field by the group's name.

    >>> runs = ExperimentRuns(name="", engine="sim")
    >>> swept_label(runs, {"path.buffer": "1 bdp", "path.rtt": "20 ms"})
    'buffer 1 BDP, RTT 20 ms'
    """
    parts: dict[str, list[str]] = {}
    for path, value in swept.items():
        match, owner = _FLOW_FIELD.fullmatch(path), _owner(runs, path)
        if match and owner is not None:
            field = value_text(value) if match[2] == "cc" else f"{match[2]} {value_text(value)}"
            parts.setdefault(field, []).extend([owner] if is_mixed(runs) else [])
        else:
            parts.setdefault(f"{NOUNS.get(path, path.rpartition('.')[2])} {value_text(value)}", [])
    return ", ".join(f"{' and '.join(names)}: {field}" if names else field for field, names in parts.items())


def _owner(runs: ExperimentRuns, field: str) -> str | None:
    """The group that a field is of, if it has one name at all points."""
    match = _FLOW_FIELD.fullmatch(field)
    if match is None or runs.experiment is None:
        return None
    name = runs.experiment.get(f"flows[{match[1]}].name") or runs.experiment.get(f"flows[{match[1]}].cc")
    return name if isinstance(name, str) else None


def _looks(runs: ExperimentRuns, curves: Sequence[Curve]) -> dict[tuple[str, str, str], Look]:
    several = is_mixed(runs)
    panels = several and len(curves) > 1
    looks: dict[tuple[str, str, str], Look] = {}
    for place, group in enumerate(runs.groups):
        for curve in curves:
            curve_label = "" if panels else curve.label
            for cc in dict.fromkeys(point.ccs[group] for point in curve.points if group in point.ccs):
                instance = place if several else len(looks)
                rest = curve_label if several else _without(curve_label, cc)
                label = "; ".join(filter(None, [called(group if several else cc, cc), rest]))
                tag = group if several else rest or short(cc)
                looks.setdefault((group, cc, curve_label), Look(base_name(cc), instance, label, tag))
    return looks


def _without(label: str, cc: str) -> str:
    """The words of a curve without the algorithm, which its label names."""
    return ", ".join(
        part for part in label.split(", ") if part not in {cc, f"cc {cc}"} and not part.endswith(f": {cc}")
    )


def _categorical_curves(runs: ExperimentRuns, points: Sequence[MeasuredPoint]) -> tuple[list[str], list[Curve]]:
    """Where no amount is swept every point is a value of the axis; of many points those of one field are."""
    sizes = {axis: len({str(point.swept.get(axis)) for point in points}) for axis in runs.axes}
    fields = [axis for axis in runs.axes if sizes[axis] > 1]
    if len(points) <= MOST_TICKS or not fields:
        return fields, [Curve("", points)] if points else []
    longest = max(fields, key=lambda axis: sizes[axis])
    curves: dict[str, list[MeasuredPoint]] = {}
    for point in points:
        rest = {other: point.swept[other] for other in fields if other != longest and other in point.swept}
        curves.setdefault(swept_label(runs, rest), []).append(point)
    return [longest], [Curve(label, members) for label, members in curves.items()]


def _written(fields: Sequence[str], point: MeasuredPoint) -> str:
    """What a point has in some fields, once where it is the same."""
    return " / ".join(dict.fromkeys(value_text(point.swept[field]) for field in fields if field in point.swept))


def _noun(fields: Sequence[str]) -> str:
    nouns = (
        "algorithm" if match and match[2] == "cc" else NOUNS.get(field, field.rpartition(".")[2])
        for field in fields
        for match in [_FLOW_FIELD.fullmatch(field)]
    )
    return " and ".join(dict.fromkeys(nouns))


def _categories(
    runs: ExperimentRuns, fields: Sequence[str], points: Sequence[MeasuredPoint]
) -> tuple[dict[str, float], Axis]:
    """Places of words, or of the groups where nothing is swept, beside one another; the label says whose they are."""
    texts = list(dict.fromkeys(_written(fields, point) for point in points)) if fields else runs.groups
    owners = [owner for field in fields if (owner := _owner(runs, field))] if is_mixed(runs) else []
    label = f"{_noun(fields)} of {' / '.join(owners)}" if owners else _noun(fields)
    ticks = tuple((float(at), text) for at, text in enumerate(texts))
    ends = (-0.5, len(texts) - 0.5)
    return {text: float(at) for at, text in enumerate(texts)}, Axis(label=label, limits=ends, ticks=ticks)


def _amounts(curves: Curves, noun: str) -> tuple[dict[str, float], Axis]:
    """Places of amounts, by what the spec wrote."""
    axis = curves.axis or ""
    points = {_written([axis], point): point for curve in curves.curves for point in curve.points}
    amounts = {text: number_and_unit(str(point.swept.get(axis))) or (0.0, "") for text, point in points.items()}
    units = {unit for _, unit in amounts.values()}
    several = len(units) > 1
    places = {text: curves.number(point) if several else amounts[text][0] for text, point in points.items()}
    values = sorted(set(places.values()))
    wide = values[0] > 0 and values[-1] / values[0] >= MANY_TIMES
    names = {at: text if several else f"{at:g}" for text, at in places.items()}
    ticks = tuple((at, names[at]) for at in values) if len(values) <= MOST_TICKS else ()
    unit = "" if several else value_text(f" {next(iter(units))}").strip()
    return places, Axis(label=f"{noun} ({unit})" if unit else noun, scale="log2" if wide else "linear", ticks=ticks)
