"""From conditions to verdicts: each band over all of them, beside the reference's own noise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dumbbell.agreement.band import BANDS, MEDIAN, TAIL
from dumbbell.agreement.record import Agreement, BandVerdict, Spread, Worst
from dumbbell.metrics.discrepancy import quantile
from dumbbell.metrics.statistics import estimate
from dumbbell.results.provenance import facts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dumbbell.agreement.band import Band
    from dumbbell.agreement.record import Condition, Difference, Side, Source

MOST_WORST = 10
NOTHING = Spread(n=0, median=None, p90=None, share=None)


def judged(
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
    return tuple(_shared(band, conditions) if band.least is not None else _spread(band, conditions) for band in BANDS)


def worst(conditions: Sequence[Condition], most: int = MOST_WORST) -> tuple[Worst, ...]:
    """The conditions with an error, by the largest one of each in multiples of its band's 90th percentile."""
    found = []
    for condition in conditions:
        off = max(condition.differences, key=lambda each: each.limits or 0.0, default=None)
        if off is not None and off.limits:
            found.append(Worst(condition=condition.name, metric=off.metric, group=off.group, limits=off.limits))
    return tuple(sorted(found, key=lambda each: -each.limits)[:most])


def versions() -> dict[str, str | None]:
    """Of what computes the verdicts."""
    known = facts()
    found = known["versions"]
    commit = known["commit"]
    named: Mapping[str, str | None] = found if isinstance(found, dict) else {}
    return {"dumbbell": named.get("dumbbell"), "commit": commit if isinstance(commit, str) else None} | {
        name: version for name, version in named.items() if name != "dumbbell"
    }


def _spread(band: Band, conditions: Sequence[Condition]) -> BandVerdict:
    """A band of errors."""
    found = [each for condition in conditions for each in condition.differences if each.metric == band.metric]
    measured = _of_errors([each.error for each in found])
    signed = estimate([each.difference for each in found]) if found else None
    half_width = found[0].half_width if len(found) == 1 else signed.half_width if signed else None
    return _verdict(
        band, measured, _of_errors(list(_floor_errors(found))), holds=_within(band, measured),
        difference=signed.mean if signed else None, half_width=half_width,
    )  # fmt: skip


def _floor_errors(found: Sequence[Difference]) -> Iterator[float]:
    for each in found:
        if each.floor_error is not None:
            yield each.floor_error


def _of_errors(errors: Sequence[float]) -> Spread:
    if not errors:
        return NOTHING
    return Spread(n=len(errors), median=quantile(errors, MEDIAN), p90=quantile(errors, TAIL), share=None)


def _within(band: Band, measured: Spread) -> bool | None:
    """Limits belong to the band."""
    if not measured.n:
        return None
    limits = ((measured.median, band.median), (measured.p90, band.p90))
    return all(value is None or limit is None or value <= limit for value, limit in limits)


def _shared(band: Band, conditions: Sequence[Condition]) -> BandVerdict:
    """The band of winners: over the mixed conditions where the reference has the same one with every seed."""
    agreed = [each.winner for each in conditions if each.winner is not None and each.winner.reference is not None]
    measured = _of_winners([each.candidate == each.reference for each in agreed])
    holds = None if measured.share is None or band.least is None else measured.share >= band.least
    return _verdict(band, measured, _of_winners(list(_floor_winners(conditions))), holds=holds)


def _floor_winners(conditions: Sequence[Condition]) -> Iterator[bool]:
    for condition in conditions:
        winner = condition.winner
        if winner is not None and winner.reference is not None and condition.floor:
            yield winner.floor == winner.reference


def _of_winners(same: Sequence[bool]) -> Spread:
    return Spread(n=len(same), median=None, p90=None, share=sum(same) / len(same)) if same else NOTHING


def _verdict(  # noqa: PLR0913 (what a verdict has)
    band: Band, measured: Spread, floor: Spread, *, holds: bool | None, difference: float | None = None,
    half_width: float | None = None,
) -> BandVerdict:  # fmt: skip
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
        difference=difference,
        half_width=half_width,
        holds=holds,
    )
