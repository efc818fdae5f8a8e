"""Charts of two engines: how differences are distributed, and one's figures over those of the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import median
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from dumbbell.charts import shapes
from dumbbell.charts.chart import Axis, Chart, Layer, Panel
from dumbbell.charts.shapes import Look
from dumbbell.charts.style import PUBLISHED
from dumbbell.comparison.agreement import MEDIAN, TAIL
from dumbbell.comparison.record import (
    Agreement,
    Band,
    Condition,
    Difference,
    GroupRuns,
    RunFigures,
)
from dumbbell.metrics.number import counted, trimmed

if TYPE_CHECKING:
    Names: TypeAlias = tuple[str, str]
    """Of candidate and reference."""
    Pairs: TypeAlias = dict[str, list[tuple[float, float]]]

SMALLEST_ERROR: Final = 0.01
"""In % or points. What is less, nothing included, is drawn here: a logarithm needs something."""
TICKS: Final = tuple((at, f"{at:g}") for at in (SMALLEST_ERROR, 0.1, 1.0, 10.0, 100.0))
CANDIDATE, NOISE = "flow 3", "flow 1"
"""Looks: what is compared are engines, and no algorithms."""
SMALLEST_MBPS: Final = 0.01
SMALLEST_LOSS_PERCENT: Final = 0.001
"""What is less, nothing included, is drawn here: a logarithm needs something."""


def errors(agreement: Agreement) -> Chart | None:
    """A panel for each band of errors: their distribution, and that of the noise; None when nothing was compared."""
    differences = [each for condition in agreement.conditions for each in condition.differences]
    panels = [
        _error_panel(band, members, agreement)
        for band in agreement.bands
        if (members := [each for each in differences if each.metric == band.metric])
    ]
    if not panels:
        return None
    candidate, reference = agreement.engine_names
    own, others = (counted(len(each.seeds), "seed") for each in (agreement.candidate, agreement.reference))
    floor = len(agreement.floor_seeds)
    noise = f"; noise: of {reference} over {counted(floor, 'other seed')}" if floor else ""
    return Chart(
        name="agreement_errors",
        title=f"Differences between {candidate} and {reference}",
        caption="The share of conditions (of groups, for the goodput of each) that differ by no more than so much from"
        f" the medians over {others} of {reference}: those over {own} of {candidate}{noise}."
        " Without sign, and nothing excused. Crosses: the limits of the bands' median and 90th"
        f" percentile, which a curve should pass on the left. Differences below {SMALLEST_ERROR:g} are drawn there.",
        panels=tuple(panels),
        columns=2,
        alt=f"Cumulative distributions of the differences between {candidate} and {reference}, and"
        f" between {reference} and itself under other seeds.",
    )


def _error_panel(band: Band, members: Sequence[Difference], agreement: Agreement) -> Panel:
    candidate, reference = agreement.engine_names
    raw = [100 * abs(each.difference) for each in members]
    noise = [
        100 * abs(each.floor - each.reference) / each.scale for each in members if each.floor is not None and each.scale
    ]
    # The curves excuse nothing: nor do a band's raw limits. An outer limit has none.
    of_raw = band.raw_p90_limit is not None
    drawn = (band.raw_median_limit, band.raw_p90_limit) if of_raw else (band.median_limit, band.p90_limit)
    limits = [(most, share) for most, share in zip(drawn, (MEDIAN, TAIL), strict=True) if most is not None]
    return Panel(
        title=band.label,
        x=Axis(
            label=f"difference ({band.unit})",
            scale="log10",
            limits=(SMALLEST_ERROR, max(100.0, *raw, *noise)),
            ticks=TICKS,
        ),
        y=Axis(label="share", limits=(0, 1)),
        layers=(
            _curve(f"{candidate} against {reference}", CANDIDATE, raw),
            *([_curve(f"{reference} against itself", NOISE, noise)] if noise else []),
            shapes.scatter(
                Look(PUBLISHED, label="limits"),
                [max(100 * most, SMALLEST_ERROR) for most, _ in limits],
                [share for _, share in limits],
            ),
        ),
    )


def _curve(label: str, style: str, differences: Sequence[float]) -> Layer:
    return shapes.distribution(Look(style, label=label), [max(each, SMALLEST_ERROR) for each in differences])


def scatter(agreement: Agreement) -> Chart | None:
    """Four panels with a point a group, or a condition; None when nothing was compared."""
    conditions = [each for each in agreement.conditions if each.differences]
    if not conditions:
        return None
    mixed = [each for each in conditions if len(each.groups) > 1]
    goodput = _of_groups(conditions, lambda group: max(group.goodput_bps / 1e6, SMALLEST_MBPS))
    share = _of_groups(mixed, lambda group: None if group.share is None else 100 * group.share)
    loss = _of_runs(conditions, _loss_percent)
    rtt = _of_groups(conditions, lambda group: None if group.rtt_mean_s is None else 1e3 * group.rtt_mean_s)
    candidate, reference = names = agreement.engine_names
    seeds = counted(len(agreement.candidate.seeds), "seed")
    panels = (
        _scatter_panel("Goodput of each group", "Mbit/s", "log10", goodput, names),
        _scatter_panel("Share of each group", "%", "linear", share, names),
        _scatter_panel("Queue loss", "%", "log10", loss, names),
        _scatter_panel("Mean RTT of each group", "ms", "log10", rtt, names),
    )
    return Chart(
        name="agreement",
        title=f"{candidate} over {reference}",
        caption=f"{counted(len(conditions), 'condition')}; medians over {seeds} an engine."
        f" On the dotted line both engines agree. Goodput below {trimmed(SMALLEST_MBPS, ' Mbit/s')} and loss below"
        f" {trimmed(SMALLEST_LOSS_PERCENT, ' %')} are drawn there; a condition of several algorithms has its loss"
        " under “mixed”.",
        panels=tuple(panel for panel in panels if panel is not None),
        columns=2,
        alt=f"Four scatter plots of what {candidate} gives over what {reference} gives in the same condition, with the"
        " line on which both are equal: goodput, share, loss and RTT.",
    )


def _loss_percent(run: RunFigures) -> float | None:
    return None if run.loss_rate is None else max(100 * run.loss_rate, SMALLEST_LOSS_PERCENT)


def _of_groups(conditions: Iterable[Condition], quantity: Callable[[GroupRuns], float | None]) -> Pairs:
    """Reference and candidate of each group, by algorithm."""
    pairs: Pairs = {}
    for condition in conditions:
        for group in condition.groups:
            reference, candidate = (
                [value for run in runs if (value := quantity(run.groups[group.name])) is not None]
                for runs in (condition.reference, condition.candidate)
            )
            if reference and candidate:
                pairs.setdefault(group.algorithm, []).append((median(reference), median(candidate)))
    return pairs


def _of_runs(conditions: Iterable[Condition], quantity: Callable[[RunFigures], float | None]) -> Pairs:
    """The same of what belongs to the path."""
    pairs: Pairs = {}
    for condition in conditions:
        reference, candidate = (
            [value for run in runs if (value := quantity(run)) is not None]
            for runs in (condition.reference, condition.candidate)
        )
        if reference and candidate:
            ccs = {group.algorithm for group in condition.groups}
            pairs.setdefault(ccs.pop() if len(ccs) == 1 else "mixed", []).append((median(reference), median(candidate)))
    return pairs


def _scatter_panel(
    title: str, unit: str, scale: Literal["linear", "log10"], pairs: Pairs, names: Names
) -> Panel | None:
    values = [value for members in pairs.values() for pair in members for value in pair]
    if not values:
        return None
    ends = (0.0, 100.0) if scale == "linear" else (min(values) / shapes.ROOM, max(values) * shapes.ROOM)
    order = sorted(pairs, key=lambda name: -len(pairs[name]))
    layers = [shapes.scatter(Look(name, label=name), *zip(*pairs[name], strict=True)) for name in order]
    return shapes.equality(title, (f"{names[1]} ({unit})", f"{names[0]} ({unit})"), layers, ends, scale)
