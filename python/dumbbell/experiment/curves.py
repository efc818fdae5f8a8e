"""The sweep of an experiment as curves: over which amount they go, and at what else each of them stands."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from dumbbell.experiment.points import ExperimentRuns
from dumbbell.results.measured import MeasuredPoint
from dumbbell.spec.point_text import swept_text
from dumbbell.spec.quantity import Bytes, QuantityError, Rate, Share, Size, Time, number_and_unit

NOUNS: Final = {"path.buffer": "buffer", "path.rtt": "RTT", "path.rate": "rate", "path.loss": "loss"}
"""Of fields that people call by other names than the spec does."""
FLOW_NOUNS: Final = {
    "rtt": "RTT",
    "start": "start",
    "workload": "workload",
    "workload.transfer": "transfer size",
    "workload.stream": "stream rate",
    "workload.arrivals.load": "load",
    "workload.arrivals.rate": "arrival rate",
    "workload.arrivals.count": "transfer count",
    "workload.size": "size",
    "workload.size.lognormal.mean": "mean size",
    "workload.size.lognormal.median": "median size",
    "workload.size.pareto.mean": "mean size",
    "workload.size.pareto.minimum": "smallest size",
}
"""Of the same in a table of flows."""
MOST_REMEMBERED: Final = 4096
"""Values of a sweep whose amounts are remembered."""
_FLOW_FIELD: Final = re.compile(r"flows\[(\d+)\]\.(.+)")


@dataclass(frozen=True, slots=True)
class Curve:
    """Points that differ in the main axis only, in its order."""

    condition: Mapping[str, Any]
    """What the swept fields besides the main axis say of all of them; nothing of fields that have one value."""
    points: Sequence[MeasuredPoint]


@dataclass(frozen=True, slots=True)
class Curves:
    """All measured points of an experiment."""

    axis: str | None
    """The swept amount with the most values; None where only words are swept."""
    curves: Sequence[Curve]

    def number(self, point: MeasuredPoint) -> float:
        """Where a point lies on the axis, in base units."""
        return 0.0 if self.axis is None else _amount(point.swept[self.axis])[1]

    def text(self, point: MeasuredPoint) -> str:
        """The same as a reader has it."""
        return "" if self.axis is None else value_text(point.swept[self.axis])

    def place(self, point: MeasuredPoint, last: MeasuredPoint | None = None) -> str:
        """The same with the axis's noun, or all from there to another place: "at a buffer of 0.25 to 1 BDP"."""
        if self.axis is None:
            return ""
        text = self.text(point) if last is None else self.between(point, last, "to")
        return f"at {field_text(self.axis, text, list(point.ccs))}"

    def between(self, first: MeasuredPoint, last: MeasuredPoint, word: str = "and") -> str:
        """Two places, the unit once: 0.25 and 1 BDP."""
        one, other = self.text(first), self.text(last)
        number, unit = (one.rpartition(" ")[each] for each in (0, 2))
        return f"{number if number and unit == other.rpartition(' ')[2] else one} {word} {other}"


def curves_of(runs: ExperimentRuns) -> Curves:
    """The curves of an experiment, in the order of its expansion."""
    points = [point for point in runs.points if point.run_ids]
    bundles = _bundles(runs)
    amounts = {}
    for bundle in bundles:
        for axis in bundle:
            values = {str(point.swept.get(axis)): point.swept.get(axis) for point in points}
            kinds = {_amount(value)[0] for value in values.values()}
            if len(values) > 1 and len(kinds) == 1 and "" not in kinds:
                amounts[axis] = len(values)
    worded = {axis for bundle in bundles if any(axis not in amounts for axis in bundle) for axis in bundle}
    main = max((axis for axis in amounts if axis not in worded), key=lambda axis: amounts[axis], default=None)
    own = next((bundle for bundle in bundles if main in bundle), ())
    varied = [axis for bundle in bundles if bundle is not own for axis in _telling(bundle, points)]
    by_condition: dict[str, tuple[dict[str, Any], list[MeasuredPoint]]] = {}
    for point in points:
        condition = {axis: point.swept.get(axis) for axis in varied}
        by_condition.setdefault(repr(condition), (condition, []))[1].append(point)
    curves = Curves(main, [Curve(condition, members) for condition, members in by_condition.values()])
    for curve in curves.curves:
        curve.points.sort(key=curves.number)  # type: ignore[attr-defined]
    return curves


def field_text(path: str, text: str, groups: Sequence[str] = ()) -> str:
    """A field and its value, or values, in a sentence; of several `groups` of flows with the name of its own.

    >>> field_text("path.buffer", "0.5 to 2 BDP"), field_text("path.mtu", "9000")
    ('a buffer of 0.5 to 2 BDP', 'path.mtu = 9000')
    >>> field_text("flows[0].count", "1"), field_text("flows[1].count", "1 to 8", ["near", "far"])
    ('1 flow', '1 to 8 flows of far')
    >>> field_text("flows[0].workload.stream", "5 Mbit/s", ["video", "bulk"])
    'a stream rate of 5 Mbit/s for video'
    """
    match = _FLOW_FIELD.fullmatch(path)
    index, name = (int(match[1]), match[2]) if match else (0, "")
    own = groups[index] if match and 1 < len(groups) > index else ""
    if name == "count":
        return f"{text} flow{'' if text == '1' else 's'}{f' of {own}' if own else ''}"
    noun = FLOW_NOUNS.get(name) if match else NOUNS.get(path)
    if noun is None:
        return f"{path} = {text}"
    return f"{'an' if noun[0] in 'aR' else 'a'} {noun} of {text}{f' for {own}' if own else ''}"


def value_text(value: object) -> str:
    """A swept value: BDP in capitals, a workload without brackets, others as the spec wrote them."""
    text = swept_text(value)
    if isinstance(value, Mapping) and len(value) == 1 and text.startswith("{"):
        return " ".join(f"{key} {swept_text(own)}" for key, own in value.items())
    return text.removesuffix("bdp") + "BDP" if text.endswith(" bdp") else text


def _telling(bundle: Sequence[str], points: Sequence[MeasuredPoint]) -> list[str]:
    """Of fields that vary together one tells the others, but each algorithm is told."""
    varied = [axis for axis in bundle if len({str(point.swept.get(axis)) for point in points}) > 1]
    return [axis for axis in varied if axis.endswith("].cc")] or varied[:1]


def _bundles(runs: ExperimentRuns) -> list[tuple[str, ...]]:
    """The swept fields, those that vary together as one."""
    if runs.experiment is None:
        return [(axis,) for axis in runs.axes]
    swept = set(runs.axes)
    bundles = list(map(tuple, runs.experiment.bundles))
    return [bundle for bundle in bundles if swept.issuperset(bundle)]


def _amount(value: object) -> tuple[str, float]:
    """The kind of a quantity and its number in base units; no kind: it is none."""
    if isinstance(value, bool) or value is None:
        return "", 0.0
    if isinstance(value, int | float):
        return "number", float(value)
    return _amount_of_text(value if isinstance(value, str) else str(value))


@lru_cache(MOST_REMEMBERED)  # each value of a sweep stands at many points, and is asked for by many charts
def _amount_of_text(text: str) -> tuple[str, float]:
    for kind in (Rate, Time, Share, Bytes, Size):
        with suppress(QuantityError):
            quantity = kind(text)
            return (quantity.unit if kind is Size else kind.__name__), float(quantity.value)
    number_unit = number_and_unit(text)
    return (f"in {number_unit[1]}", number_unit[0]) if number_unit else ("", 0.0)
