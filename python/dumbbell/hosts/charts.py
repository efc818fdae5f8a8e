"""Charts of engines beside real hosts: what they have over what was measured, and differences over the path."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from dumbbell.charts.chart import Axis, Chart, Level, Panel
from dumbbell.charts.shapes import ROOM, ErrorBar, Look, equality, median_and_range, scatter
from dumbbell.metrics.catalogue import QUANTITIES
from dumbbell.metrics.number import counted, trimmed

if TYPE_CHECKING:
    from dumbbell.hosts.columns import Measurand
    from dumbbell.hosts.record import HostPoint, HostRecord

LOOKS: Final = ("flow 3", "flow 1", "flow 2", "flow 5")
"""What is compared are engines, and no algorithms."""


MOST_TICKS: Final = 9
"""Values of a dimension that are all told on its axis."""


class _Dimension(NamedTuple):
    label: str
    of: Callable[[HostPoint], float]
    values: Sequence[str] = ()
    """What the places 0, 1, … stand for; empty: themselves."""


DIMENSIONS: Final = (
    _Dimension("rate (Mbit/s)", lambda point: point.rate_bps / 1e6),
    _Dimension("RTT (ms)", lambda point: 1e3 * point.rtt_s),
    _Dimension("queue (BDP)", lambda point: point.buffer_bdp),
    _Dimension("flows", lambda point: float(sum(group.flows for group in point.groups))),
)
"""What a difference may depend on."""


def charts(record: HostRecord, *, by: str = "", differences_only: bool = False) -> list[Chart]:
    """For each quantity, and each setting, of many the first: what engines have over what was measured, differences.

    The differences also over a remark, `by` its name; without the first panel what was measured cannot be read off.
    """
    remarks = list(dict.fromkeys(point.notes.get(by, "") for point in record.points))
    dimensions = (*DIMENSIONS, _Dimension(by, lambda point: float(remarks.index(point.notes.get(by, ""))), remarks))
    first = (
        ""
        if differences_only
        else ", bars from the least to the most of them. On the dotted line an engine has what was measured"
    )
    shown = [each for each in record.points if record.few_settings or each.setting == record.tried[0]]
    keys = dict.fromkeys((each.measurand, record.setting_text(each)) for each in shown)
    drawn = []
    for index, (measurand, setting) in enumerate(keys):
        points = [each for each in shown if (each.measurand, record.setting_text(each)) == (measurand, setting)]
        over = [] if differences_only else [_scatter(record, points, measurand)]
        panels = [*over, *_differences(record, points, dimensions)]
        title = ", ".join(filter(None, (measurand.label, setting)))
        drawn.append(Chart(
            name=f"hosts-{index + 1}" if len(keys) > 1 else "hosts",
            title=f"{title[0].upper()}{title[1:]}: {' and '.join(record.engines)} beside real hosts",
            caption=f"{counted(len(points), 'point')} of {record.file}; medians over seeds{first}. Differences are the"
            " engine's less what was measured, over all in which the points differ.",
            panels=tuple(panels),
            columns=2,
            alt="Differences from what was measured on real hosts."
            if differences_only
            else f"What {' and '.join(record.engines)} give over what was measured on real hosts, and their"
            " differences.",
        ))  # fmt: skip
    return drawn


def _shown(measurand: Measurand) -> tuple[float, str]:
    """What a value is multiplied by to be in its unit, and that unit."""
    quantity = QUANTITIES[measurand.quantity]
    return (100.0, "% of the rate") if measurand.of_rate else (quantity.factor, quantity.unit)


def _scatter(record: HostRecord, points: Sequence[HostPoint], measurand: Measurand) -> Panel:
    factor, unit = _shown(measurand)
    measured = [factor * point.measured for point in points]
    every = [factor * value for point in points for values in point.values.values() for value in values] + measured
    positive = [value for value in every if value > 0]
    wide = not points[0].absolute and bool(positive) and max(positive) > 30 * min(positive)
    ends = (
        (min(positive) / ROOM, max(positive) * ROOM)
        if wide
        else (0.0, max([*every, 100.0 if points[0].absolute else 0.0]))
    )
    layers = []
    for index, engine in enumerate(record.engines):
        known = [point for point in points if point.values.get(engine)]
        spreads = [ErrorBar(*(factor * each for each in median_and_range(point.values[engine]))) for point in known]
        layers.append(scatter(_look(index, engine), [factor * point.measured for point in known], spreads))
    label = measurand.label
    scale: Literal["log10", "linear"] = "log10" if wide else "linear"
    labels = f"measured ({unit})", f"engine ({unit})"
    return equality(label[0].upper() + label[1:], labels, layers, ends, scale)


def _differences(record: HostRecord, points: Sequence[HostPoint], dimensions: Sequence[_Dimension]) -> Iterator[Panel]:
    """A panel for each dimension in which the points differ."""
    unit = "points" if points[0].absolute else "%"
    for dimension in dimensions:
        places = sorted({dimension.of(point) for point in points})
        if len(places) < 2:  # noqa: PLR2004
            continue
        layers = []
        for index, engine in enumerate(record.engines):
            dots = [
                (dimension.of(point), 100 * each) for point in points if (each := point.difference(engine)) is not None
            ]
            layers.append(scatter(_look(index, engine), [x for x, _ in dots], [y for _, y in dots]))
        yield Panel(
            title=f"Difference over {dimension.label.partition(' (')[0]}",
            x=Axis(
                label=dimension.label,
                scale="log10" if places[0] > 0 and places[-1] > 10 * places[0] else "linear",
                ticks=tuple(
                    (each, dimension.values[int(each)] if dimension.values else trimmed(each)) for each in places
                )
                if len(places) <= MOST_TICKS
                else (),
            ),
            y=Axis(label=f"difference ({unit})"),
            layers=tuple(layers),
            levels=(Level(at=0.0, text="as measured"),),
        )


def _look(index: int, engine: str) -> Look:
    return Look(LOOKS[index % len(LOOKS)], label=engine)
