"""A store's experiments as tables and charts, whatever they are about: shares over a sweep, and runs in time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Final

from dumbbell.cc import base_name
from dumbbell.charts.chart import Axis, Chart, Kind, Layer, Panel
from dumbbell.charts.in_time import MBPS, MS, backlog, curve, flow_rates, flow_styles, group_rates, panels
from dumbbell.charts.style import style_of
from dumbbell.findings.points import ExperimentRuns, PointRuns
from dumbbell.metrics.catalogue import QUANTITIES
from dumbbell.metrics.statistics import estimate
from dumbbell.results.listing import point_text
from dumbbell.results.run_series import gauge, stored
from dumbbell.results.store import Store
from dumbbell.spec.quantity import number_and_unit
from dumbbell.units import NS_PER_S

MOST_CURVES: Final = 8
MOST_FLOWS: Final = 12
MOST_TICKS: Final = 12
MOST_BINS: Final = 300
FEWEST_BINS: Final = 50
USUAL_BIN_S: Final = 0.5
"""Shorter ones show single rounds of a sender rather than its rate."""
BINS_S: Final = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
_MANY_TIMES = 8


def sweep(runs: ExperimentRuns, name: str) -> Chart | None:
    """What the groups share, and what is lost, over the swept axis with the most values; None without a sweep."""
    points = [point for point in runs.points if point.run_ids]
    axis = _main_axis(points, runs.axes)
    if axis is None:
        return None
    others = [other for other in runs.axes if other != axis]
    places, x_axis = _positions(points, axis)
    quantity = "share" if len(runs.groups) > 1 else "goodput"
    curves = _curves(points, others)
    # between words there is nothing
    kind: Kind = "points" if _unit(set(places)) is None else "line+points"
    upper: list[Layer] = []
    lower: list[Layer] = []
    used: dict[str, int] = {}
    losses = ["loss", *["random_loss"] * any(("random_loss", "") in point.measured for point in points)]
    for where, members in curves[:MOST_CURVES]:
        for group in runs.groups:
            cc = members[0].ccs.get(group)
            if cc is not None:
                label = _called(group, cc) + (f"; {where}" if where else "")
                upper.append(_curve(members, places, axis, (quantity, group), label, cc, used, kind=kind))
        styles = {"loss": next(iter(members[0].ccs.values())), "random_loss": "random loss"}
        for loss in losses:
            label = "; ".join(filter(None, [QUANTITIES[loss].label, where]))
            number = {styles[loss]: len(lower) - 1}
            lower.append(_curve(members, places, axis, (loss, ""), label, styles[loss], number, kind=kind))
    loss_words = "loss (% of packets)" if len(losses) > 1 else "queue loss (% of packets offered)"
    words = {"share": "share of the goodput (%)", "goodput": "goodput (Mbit/s)"}[quantity]
    left_out = f" {len(curves) - MOST_CURVES} more curves are in the table only." if len(curves) > MOST_CURVES else ""
    return Chart(
        name=name,
        title=f"{runs.name} over {axis}",
        caption=f"{words[0].upper()}{words[1:]} and loss over {axis}, on {runs.engine}. Points are means over"
        f" seeds, bars their 95 % intervals (Student's t).{left_out}",
        panels=(
            Panel(x=x_axis, y=Axis(label=words, limits=(0, 100 if quantity == "share" else None)), layers=tuple(upper)),
            Panel(x=x_axis, y=Axis(label=loss_words, limits=(0, None)), layers=tuple(lower)),
        ),
        alt=f"Two plots over {axis}: {words} by group, and loss. The table below has the same numbers.",
    )


def _curve(  # noqa: PLR0913, PLR0917 (what a curve is made of)
    members: Sequence[PointRuns], places: Mapping[str, float], axis: str, key: tuple[str, str], label: str, cc: str,
    used: dict[str, int], *, kind: Kind,
) -> Layer:  # fmt: skip
    style = base_name(cc)
    used[style] = used.get(style, -1) + 1
    name, group = key
    found = sorted(
        (places[str(point.swept[axis])], estimate(values))
        for point in members
        if (name, group) in point.measured and (values := point.values(QUANTITIES[name], group))
    )
    halves = [each.half_width or 0.0 for _, each in found]
    return Layer(
        label=label, style=style, kind=kind, instance=used[style],
        x=tuple(x for x, _ in found),
        y=tuple(each.mean for _, each in found),
        low=tuple(each.mean - half for (_, each), half in zip(found, halves, strict=True)),
        high=tuple(each.mean + half for (_, each), half in zip(found, halves, strict=True)),
    )  # fmt: skip


def _called(group: str, cc: str) -> str:
    label = style_of(base_name(cc)).label
    inline = cc[cc.index("[") :] if "[" in cc else ""
    return f"{group} ({label}{inline})" if group != label else f"{label}{inline}"


def _main_axis(points: Sequence[PointRuns], axes: Sequence[str]) -> str | None:
    """The one with the most values, amounts before words."""
    sizes = {axis: {str(point.swept.get(axis)) for point in points} for axis in axes}
    candidates = [axis for axis, values in sizes.items() if len(values) > 1]
    return max(candidates, key=lambda axis: (_unit(sizes[axis]) is not None, len(sizes[axis])), default=None)


def _unit(values: set[str]) -> str | None:
    """The one unit of all values; None where they have several, or are no amounts."""
    units = {found[1] if (found := number_and_unit(value)) else None for value in values}
    return units.pop() if len(units) == 1 else None


def _positions(points: Sequence[PointRuns], axis: str) -> tuple[dict[str, float], Axis]:
    """Where each value of an axis is drawn."""
    texts = list(dict.fromkeys(str(point.swept.get(axis)) for point in points))
    unit = _unit(set(texts))
    if unit is None:
        places = {text: float(index) for index, text in enumerate(texts)}
        return places, Axis(label=axis, ticks=tuple((at, text) for text, at in places.items()))
    places = {text: found[0] for text in texts if (found := number_and_unit(text))}
    least, most = min(places.values()), max(places.values())
    wide = least > 0 and most / least >= _MANY_TIMES
    ticks = tuple((at, f"{at:g}") for at in sorted(set(places.values()))) if len(places) <= MOST_TICKS else ()
    return places, Axis(label=f"{axis} ({unit})" if unit else axis, scale="log2" if wide else "linear", ticks=ticks)


def _curves(points: Sequence[PointRuns], others: Sequence[str]) -> list[tuple[str, list[PointRuns]]]:
    """The points with the same values of the other axes, and those values in words."""

    def words(point: PointRuns) -> str:
        return point_text({axis: point.swept[axis] for axis in others if axis in point.swept})

    order = {text: index for index, text in enumerate(dict.fromkeys(map(words, points)))}
    ordered = sorted(points, key=lambda point: order[words(point)])
    return [(text, list(members)) for text, members in groupby(ordered, key=words)]


def in_time(store: Store, run_id: str, name: str, title: str) -> Chart:
    """Goodput, RTT and queue of a run over time.

    Raises:
        StoreError: the run kept no series, or they are damaged.
    """
    series, spec = stored(store, run_id), store.run(run_id)
    flows, sample_s = series.result.flows, spec.measure.sample_ns / NS_PER_S
    end_s = min([spec.duration_ns / NS_PER_S, *series.queue_series()["time_s"].iloc[-1:]])
    bin_s = _bin_s(end_s, sample_s)
    styles = flow_styles(series)
    labels = [f"flow {flow.flow}: {_called(flow.name, flow.cc)}" for flow in flows]
    if len(flows) <= MOST_FLOWS:
        throughput = flow_rates(series, (0, end_s), bin_s, labels)
    else:
        groups = {flow.name: flow.cc for flow in flows}
        sizes = Counter(flow.name for flow in flows)
        throughput = [
            curve(group_rates(series, group, end_s, bin_s), f"{sizes[group]} flows of {_called(group, cc)}",
                  base_name(cc), MBPS, instance=index)
            for index, (group, cc) in enumerate(groups.items())
        ]  # fmt: skip
    rtts = [
        curve(gauge(series, flow, "srtt_s"), labels[flow], styles[flow], MS, instance=flow)
        for flow in range(min(len(flows), MOST_FLOWS))
    ]
    return Chart(
        name=name,
        title=title,
        caption=f"Throughput behind the bottleneck in bins of {bin_s:g} s, the sender's smoothed RTT, and the backlog"
        f" of the bottleneck, both sampled every {1e3 * sample_s:g} ms. Run {run_id}.",
        panels=panels(end_s, {
            "throughput (Mbit/s)": throughput, "smoothed RTT (ms)": rtts, "queue (kB)": [backlog(series, "queue")],
        }),
        alt=f"Three plots over time of the run with {title}: throughput and smoothed RTT of each flow, and the queue.",
    )  # fmt: skip


def _bin_s(end_s: float, sample_s: float) -> float:
    least_s = max(2 * sample_s, end_s / MOST_BINS, min(USUAL_BIN_S, end_s / FEWEST_BINS))
    return next((bin_s for bin_s in BINS_S if bin_s >= least_s), least_s)
