"""Charts of means over a sweep: shares with what is fair, throughput against delay, completion times, costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from dumbbell.charts.chart import Axis, Chart, Layer, Level, Panel
from dumbbell.charts.extent import settled
from dumbbell.charts.shapes import Look, mean_within, scatter
from dumbbell.experiment.charts.layout import Curve, Sweep, is_mixed
from dumbbell.experiment.points import ExperimentRuns
from dumbbell.metrics.catalogue import QUANTITIES, Quantity
from dumbbell.metrics.number import amount, counted, listed, trimmed

MOST_PANELS: Final = 6
"""Of a chart; the other curves are in the table."""
MOST_CURVES: Final = 8
"""Of a panel."""
MOST_TAGGED: Final = 3
"""Curves of a panel whose long names stand beside them; those of more are in the legend."""
MOST_COLUMNS: Final = 3
"""Panels beside one another."""
OF_LINK: Final = ("loss", "marks", "random_loss", "jain", "queue", "sojourn")
"""What a run has one of, and each group of flows has not."""
OF_LINK_STYLES: Final = {"random_loss": "lost", "marks": "marked"}
OF_TRANSFERS: Final = ("fct_p50", "fct_p95", "slowdown", "fct_p99")
"""Of groups with several transfers, beside the mean of their completion times."""
COSTS: Final = ("rtt", "retransmits", "harm", "late")


def shares(sweep: Sweep) -> Chart | None:
    """What each group takes of the goodput over the sweep, and what would be fair; of one group its goodput."""
    quantity = QUANTITIES["share" if is_mixed(sweep.runs) else "goodput"]
    if quantity.name == "goodput" and not sweep.fields:  # a single number is in the table
        return None
    what = f"{quantity.label} of the goodput" if quantity.name == "share" else quantity.label
    chart = over(sweep, "shares", quantity, f"{_first(what)} by group{_over(sweep)}")
    if chart is None:
        return None
    shown = sweep.curves[: len(chart.panels)] if sweep.has_panels else [None] * len(chart.panels)
    levels = [_fair(sweep, curve) for curve in shown]
    panels = tuple(replace(panel, levels=own) for panel, own in zip(chart.panels, levels, strict=True))
    said = " Dashed: what each group would have if all flows that are there had the same." if any(levels) else ""
    return replace(chart, panels=panels, caption=chart.caption + said)


def over(sweep: Sweep, name: str, quantity: Quantity, title: str) -> Chart | None:
    """A quantity of each group over the sweep: a panel a curve where there are several groups, else all in one."""
    panels = _panels(sweep, quantity)
    if not panels:
        return None
    return Chart(
        name=name,
        title=title,
        caption=f"{_means(sweep.runs)}{_left_out(sweep)}",
        panels=tuple(panels),
        columns=column_count(panels),
        alt=f"{title}, from {_extremes(panels)}. The table has the numbers.",
    )


def throughput_delay(sweep: Sweep) -> Chart | None:
    """Goodput of each group against its mean RTT: a point for each point of the sweep, uncertain in both directions."""
    x, y = Axis(label="mean RTT (ms)"), Axis(label="goodput (Mbit/s)", limits=(0, None))
    panels = list(_parts(sweep, x, y, partial(_against_delay, sweep)))
    if not panels:
        return None
    panels = [replace(panel, better="upper left") for panel in alike(panels)]
    where = f" at each {sweep.noun}" if sweep.fields else ""
    return Chart(
        name="throughput-delay",
        shape="scatter",
        title=f"Throughput against delay{where}",
        caption=f"Goodput of each group against the mean over its flows of their mean RTT. {_means(sweep.runs)}"
        f" Higher and further left is better.{_left_out(sweep)}",
        panels=tuple(panels),
        columns=column_count(panels),
        alt=f"Goodput against mean RTT of {', '.join(sweep.runs.groups)}{where}: from {_extremes(panels)}.",
    )


def completion(sweep: Sweep) -> Chart | None:
    """How long the transfers of each group took, over the sweep; None where there are none."""
    chart = over(sweep, "completion", QUANTITIES["fct"], f"Completion time{_over(sweep)}")
    if chart is None:
        return None
    panels, more = list(chart.panels), ""
    if not sweep.has_panels and _has_several_transfers(sweep.runs):
        panels += [panel for name in OF_TRANSFERS for panel in _panels(sweep, QUANTITIES[name])]
        more = (
            " Percentiles and the mean are over a group's transfers; a mean is missing where one of them did not end."
        )
    return replace(
        chart,
        panels=tuple(replace(panel, better="down") for panel in panels),
        columns=column_count(panels),
        caption=chart.caption + more,
    )


def _has_several_transfers(runs: ExperimentRuns) -> bool:
    """Whether a group has more than one: then their times have percentiles that differ."""
    means, late = QUANTITIES["fct"], QUANTITIES[OF_TRANSFERS[-1]]
    return any(
        point.values(late, group) and point.values(late, group) != point.values(means, group)
        for point in runs.points
        for group in point.ccs
    )


def costs(sweep: Sweep) -> Iterator[Chart]:
    """What the groups' goodput costs: RTT and retransmissions of each, loss and Jain's index of the link."""
    if not sweep.fields:  # the table says as much
        return
    own = [over(sweep, name, QUANTITIES[name], f"{_first(QUANTITIES[name].label)}{_over(sweep)}") for name in COSTS]
    link = [panel for name in OF_LINK if (panel := _link(sweep, QUANTITIES[name])) is not None]
    if sweep.has_panels:
        yield from filter(None, own)
        panels, title = link, "The link"
    else:
        panels, title = [panel for chart in own if chart for panel in chart.panels] + link, "What it costs"
    if panels:
        yield Chart(
            name="costs",
            title=f"{title}{_over(sweep)}",
            caption=f"{_means(sweep.runs)}{_left_out(sweep)}",
            panels=tuple(panels),
            columns=min(2, len(panels)),
            alt=f"{title}{_over(sweep)}: {', '.join(panel.y.label for panel in panels)}. The table has the numbers.",
        )


def column_count(panels: Sequence[Panel]) -> int:
    """How many panels stand beside one another: no row has a single one if there is a better way."""
    return {1: 1, 2: 2, 4: 2}.get(len(panels), MOST_COLUMNS)


def axis_label(quantity: Quantity) -> str:
    """Of an axis: name and unit."""
    return f"{quantity.label} ({quantity.unit})" if quantity.unit else quantity.label


def _parts(sweep: Sweep, x: Axis, y: Axis, layers: Callable[[Curve], Iterable[Layer]]) -> Iterator[Panel]:
    """A panel a curve, or one of all curves, where it has any layer."""
    curves = sweep.curves[: MOST_PANELS if sweep.has_panels else MOST_CURVES]
    for own in [[curve] for curve in curves] if sweep.has_panels else [curves]:
        drawn = tuple(layer for curve in own for layer in layers(curve))
        if drawn:
            yield Panel(title=own[0].label if sweep.has_panels else "", x=x, y=y, layers=drawn)


def _panels(sweep: Sweep, quantity: Quantity) -> list[Panel]:
    y = Axis(label=axis_label(quantity), limits=(0, 100 if quantity.name == "share" else None))
    return alike(list(_parts(sweep, sweep.x, y, partial(sweep.layers, quantity=quantity))), x=False)


def _link(sweep: Sweep, quantity: Quantity) -> Panel | None:
    """A quantity of the link, in no algorithm's colour unless a curve is an algorithm."""
    style = OF_LINK_STYLES.get(quantity.name, "link")
    alone = not is_mixed(sweep.runs) and len(sweep.curves) > 1
    curves = sweep.curves[:MOST_CURVES]
    layers = []
    for number, curve in enumerate(curves):
        own = Look(style, number, curve.label, curve.label if len(curves) <= MOST_TAGGED else "")
        senders = [(look, points) for _, look, points in sweep.senders(curve)] if alone else [(own, curve.points)]
        layers += [sweep.layer(points, quantity, "", look) for look, points in senders]
    layers = [layer for layer in layers if layer.x]
    if not layers or (quantity.name == "marks" and not any(any(layer.y) for layer in layers)):  # few queues mark
        return None
    limits = (0, 1) if quantity.name == "jain" else (0, None)
    return Panel(x=sweep.x, y=Axis(label=axis_label(quantity), limits=limits), layers=tuple(layers))


def _against_delay(sweep: Sweep, curve: Curve) -> Iterator[Layer]:
    goodput, rtt = QUANTITIES["goodput"], QUANTITIES["rtt"]
    for group, look, points in sweep.senders(curve):
        known = [point for point in points if point.values(goodput, group) and point.values(rtt, group)]
        x, y = (
            [mean_within(each.limits, each.factor)(point.values(each, group)) for point in known]
            for each in (rtt, goodput)
        )
        if known:
            yield scatter(look, x, y, kind=sweep.kind(len(known)), words=[sweep.value(point) for point in known])


def alike(panels: Sequence[Panel], *, x: bool = True) -> list[Panel]:
    """Panels beside one another have the same ends of their axes, so that they can be compared."""
    if not panels:
        return []
    everything = replace(panels[0], layers=tuple(layer for panel in panels for layer in panel.layers))
    combined = settled(everything, [everything])
    across, up = (combined.x.limits if x else panels[0].x.limits), combined.y.limits
    return [replace(panel, x=replace(panel.x, limits=across), y=replace(panel.y, limits=up)) for panel in panels]


def _fair(sweep: Sweep, curve: Curve | None) -> tuple[Level, ...]:
    """A line for each different fair share, named by the groups that have it where they differ."""
    points = [point for each in ([curve] if curve else sweep.curves) for point in each.points]
    fair = [point.fair_shares for point in points]
    if not fair or any(each != fair[0] for each in fair):
        return ()
    groups: dict[float, list[str]] = {}
    for group, share in fair[0].items():
        groups.setdefault(share, []).append(group)
    percent = QUANTITIES["share"].factor
    cc = points[0].ccs
    levels = []
    for share, names in groups.items():
        of = f" for {', '.join(names)}" if len(groups) > 1 else ""
        look = sweep.look(names[0], cc[names[0]], curve or sweep.curves[0])
        style, instance = (look.style, look.instance) if len(groups) > 1 else ("level", 0)
        text = f"fair{of}: {trimmed(percent * share, ' %')}"
        levels.append(Level(at=percent * share, text=text, style=style, instance=instance))
    return tuple(levels)


def _means(runs: ExperimentRuns) -> str:
    seeds = sorted({seed for point in runs.points for seed in point.run_ids})
    if len(seeds) == 1:
        return f"One run a point (seed {seeds[0]}), so that nothing is known of chance. On {runs.engine}."
    return (
        f"Points are means over {counted(len(seeds), 'seed')} ({listed(seeds)}), bars their 95 % intervals (Student's"
        f" t); no bar: nothing varied. On {runs.engine}."
    )


def _left_out(sweep: Sweep) -> str:
    most = MOST_PANELS if sweep.has_panels else MOST_CURVES
    return f" {counted(len(sweep.curves) - most, 'more curve')} in the table only." if len(sweep.curves) > most else ""


def _over(sweep: Sweep) -> str:
    return f" over {sweep.noun}" if sweep.fields else ""


def _first(text: str) -> str:
    return text[0].upper() + text[1:]


def _extremes(panels: Sequence[Panel]) -> str:
    """The lowest and the highest value, for those who cannot see them."""
    values = [value for panel in panels for layer in panel.layers for value in layer.y]
    return f"{amount(min(values))} to {amount(max(values))}, {panels[0].y.label}"
