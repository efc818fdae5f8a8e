"""The bands: how far an engine may be from its reference, over all conditions. Their limits are those of the design.

Every error is a share: of what its band's `of` says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from dumbbell.comparison.record import Agreement, BandVerdict, Spread, Worst
from dumbbell.metrics.distribution import quantile
from dumbbell.metrics.statistics import estimate
from dumbbell.results.provenance import facts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from dumbbell.comparison.record import Condition, Difference, Side, Source

GROUP_GOODPUT, TOTAL_GOODPUT = "group_goodput", "total_goodput"
LOSS, SMALL_LOSS = "loss", "small_loss"
QUEUEING_DELAY, WINNER = "queueing_delay", "winner"

MEDIAN, TAIL = 0.5, 0.9
"""The quantiles over conditions that a band limits."""
MOST_WORST: Final = 10
_NONE: Final = Spread(n=0, median=None, p90=None, share=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """The limits of one metric; None: no such limit."""

    metric: str
    label: str
    unit: str
    """Of an error times 100: "%" of something, or "points" of a share."""
    of: str
    """What an error is a share of."""
    median: float | None = None
    """Most that the median of the errors over conditions may be."""
    p90: float | None = None
    """Most that their 90th percentile may be."""
    least: float | None = None
    """Least share of conditions with the same winner."""


BANDS: Final = (
    Band(
        metric=GROUP_GOODPUT, label="goodput of each group", unit="%",
        of="the larger of the reference's and 5 % of the rate", median=0.05, p90=0.15,
    ),
    Band(metric=TOTAL_GOODPUT, label="total goodput", unit="%", of="the reference's", median=0.01, p90=0.03),
    Band(
        metric=LOSS, label="queue loss, where the reference loses more than 0.5 %", unit="%", of="the reference's",
        median=0.10, p90=0.30,
    ),
    Band(metric=SMALL_LOSS, label="queue loss, elsewhere", unit="points", of="the packets offered", p90=0.002),
    Band(
        metric=QUEUEING_DELAY, label="queueing delay", unit="points", of="the buffer's drain time", median=0.05,
        p90=0.15,
    ),
    Band(
        metric=WINNER, label="same winner, where the reference's seeds agree on one", unit="%", of="such conditions",
        least=0.95,
    ),
)  # fmt: skip


def band_of(metric: str) -> Band:
    """The band of a metric."""
    return next(band for band in BANDS if band.metric == metric)


def judge(
    conditions: Sequence[Condition], source: Source, candidate: Side, reference: Side, floor_seeds: Sequence[int]
) -> Agreement:
    """The whole of a comparison. It holds when no band is broken, no run failed, and something was compared."""
    bands = verdicts(conditions)
    broken = any(band.holds is False for band in bands) or any(each.failures for each in conditions)
    return Agreement(
        versions=versions(),
        source=source,
        candidate=candidate,
        reference=reference,
        floor_seeds=tuple(floor_seeds),
        holds=not broken and any(band.holds for band in bands),
        bands=bands,
        worst=worst(conditions),
        conditions=tuple(conditions),
    )


def verdicts(conditions: Sequence[Condition]) -> tuple[BandVerdict, ...]:
    """Every band, in the order of the design."""
    return tuple(_winners(band, conditions) if band.least is not None else _errors(band, conditions) for band in BANDS)


def worst(conditions: Sequence[Condition], most: int = MOST_WORST) -> tuple[Worst, ...]:
    """The conditions with an error, by the largest one of each in multiples of its band's 90th percentile."""
    largest = (
        (condition.name, max(condition.differences, key=lambda each: each.limits or 0.0))
        for condition in conditions
        if condition.differences
    )
    rows = [
        Worst(condition=name, metric=each.metric, group=each.group, limits=each.limits)
        for name, each in largest
        if each.limits
    ]
    return tuple(sorted(rows, key=lambda each: -each.limits)[:most])


def versions() -> dict[str, str | None]:
    """Of what computes the verdicts."""
    known: dict[str, Any] = facts()
    return {"dumbbell": known["versions"].get("dumbbell"), "commit": known["commit"]} | {
        name: version for name, version in known["versions"].items() if name != "dumbbell"
    }


def _errors(band: Band, conditions: Sequence[Condition]) -> BandVerdict:
    """A band of errors: candidate against reference, and reference against itself."""
    differences = [each for condition in conditions for each in condition.differences if each.metric == band.metric]
    measured = _spread([each.error for each in differences])
    limits = ((measured.median, band.median), (measured.p90, band.p90))
    holds = all(value is None or limit is None or value <= limit for value, limit in limits) if measured.n else None
    floor = _spread([each.floor_error for each in differences if each.floor_error is not None])
    return _verdict(band, measured, floor, holds=holds, differences=differences)


def _winners(band: Band, conditions: Sequence[Condition]) -> BandVerdict:
    """The band of winners: over the mixed conditions where the reference has the same one with every seed."""
    assert band.least is not None  # noqa: S101 (else it is a band of errors)
    agreed = [
        (each.winner, bool(each.floor)) for each in conditions if each.winner is not None and each.winner.reference
    ]
    measured = _share([winner.candidate == winner.reference for winner, _ in agreed])
    floor = _share([winner.floor == winner.reference for winner, has_floor in agreed if has_floor])
    return _verdict(band, measured, floor, holds=None if measured.share is None else measured.share >= band.least)


def _spread(errors: Sequence[float]) -> Spread:
    if not errors:
        return _NONE
    return Spread(n=len(errors), median=quantile(errors, MEDIAN), p90=quantile(errors, TAIL), share=None)


def _share(same: Sequence[bool]) -> Spread:
    return Spread(n=len(same), median=None, p90=None, share=sum(same) / len(same)) if same else _NONE


def _verdict(
    band: Band, measured: Spread, floor: Spread, *, holds: bool | None, differences: Sequence[Difference] = ()
) -> BandVerdict:
    """With the mean signed difference over conditions; its interval is over seeds where there is one condition."""
    signed = estimate([each.difference for each in differences]) if differences else None
    half_width = differences[0].half_width if len(differences) == 1 else signed.half_width if signed else None
    return BandVerdict(
        metric=band.metric,
        label=band.label,
        unit=band.unit,
        of=band.of,
        median_limit=band.median,
        p90_limit=band.p90,
        least=band.least,
        measured=measured,
        floor=floor,
        difference=signed.mean if signed else None,
        half_width=half_width,
        holds=holds,
    )
