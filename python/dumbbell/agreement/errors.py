"""How the differences of all conditions are distributed, beside the reference's own noise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dumbbell.agreement.band import BANDS, MEDIAN, TAIL
from dumbbell.charts.chart import Axis, Chart, Layer, Panel
from dumbbell.charts.style import PUBLISHED
from dumbbell.metrics.distribution import cdf

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dumbbell.agreement.band import Band
    from dumbbell.agreement.record import Agreement, Difference

NAME: Final = "agreement_errors"
SMALLEST: Final = 0.01
"""In % or points. What is less, nothing included, is drawn here: a logarithm needs something."""
TICKS: Final = tuple((at, f"{at:g}") for at in (SMALLEST, 0.1, 1.0, 10.0, 100.0))
CANDIDATE, NOISE = "flow 3", "flow 1"
"""Looks: what is compared are engines, and no algorithms."""


def errors(agreement: Agreement) -> Chart | None:
    """A panel for each band of errors: their distribution, and that of the noise; None when nothing was compared."""
    differences = [each for condition in agreement.conditions for each in condition.differences]
    panels = [
        _panel(band, members, agreement)
        for band in BANDS
        if (members := [each for each in differences if each.metric == band.metric])
    ]
    if not panels:
        return None
    ours, theirs = agreement.candidate, agreement.reference
    noise = (
        f"; noise: of {theirs.engine} over {len(agreement.floor_seeds)} other seeds" if agreement.floor_seeds else ""
    )
    return Chart(
        name=NAME,
        title=f"Differences between {ours.engine} and {theirs.engine}",
        caption="The share of conditions (of groups, for the goodput of each) that differ by no more than so much from"
        f" the medians over {len(theirs.seeds)} seeds of {theirs.engine}: those over {len(ours.seeds)} seeds of"
        f" {ours.engine}{noise}. Without sign, and nothing excused. Crosses: the limits of the bands' median and 90th"
        f" percentile, which a curve should pass on the left. Differences below {SMALLEST:g} are drawn there.",
        panels=tuple(panels),
        columns=2,
        alt=f"Cumulative distributions of the differences between {ours.engine} and {theirs.engine}, and between"
        f" {theirs.engine} and itself under other seeds.",
    )


def _panel(band: Band, members: Sequence[Difference], agreement: Agreement) -> Panel:
    ours, theirs = agreement.candidate.engine, agreement.reference.engine
    raw = [100 * abs(each.difference) for each in members]
    noise = [
        100 * abs(each.floor - each.reference) / each.scale for each in members if each.floor is not None and each.scale
    ]
    limits = [(most, share) for most, share in ((band.median, MEDIAN), (band.p90, TAIL)) if most is not None]
    return Panel(
        title=band.label,
        x=Axis(
            label=f"difference ({band.unit})", scale="log10", limits=(SMALLEST, max(100.0, *raw, *noise)), ticks=TICKS
        ),
        y=Axis(label="share", limits=(0, 1)),
        layers=(
            _curve(f"{ours} against {theirs}", CANDIDATE, raw),
            *([_curve(f"{theirs} against itself", NOISE, noise)] if noise else []),
            Layer(
                label="limits",
                style=PUBLISHED,
                kind="points",
                x=tuple(100 * most for most, _ in limits),
                y=tuple(share for _, share in limits),
            ),
        ),
    )


def _curve(label: str, style: str, differences: Sequence[float]) -> Layer:
    values, shares = cdf([max(each, SMALLEST) for each in differences])
    return Layer(label=label, style=style, kind="step", x=tuple(values), y=tuple(shares))
