"""One condition: medians over seeds of both engines, and how far they are apart beyond the reference's own spread."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, TypeAlias

from dumbbell.agreement.band import (
    CONSIDERABLE_LOSS,
    GROUP_GOODPUT,
    LOSS,
    QUEUEING_DELAY,
    SMALL_LOSS,
    SMALLEST_GOODPUT,
    TOTAL_GOODPUT,
    band_of,
)
from dumbbell.agreement.observation import base_rtt_s, figures, rate_bps, room_bytes
from dumbbell.agreement.record import Condition, Difference, Group, Winner
from dumbbell.metrics.discrepancy import beyond, half_interquartile, median, winner
from dumbbell.metrics.statistics import estimate
from dumbbell.results.schema import FailedRun, Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from dumbbell.agreement.record import RunFigures
    from dumbbell.spec import Resolved

    Outcome: TypeAlias = Result | FailedRun
    Quantity: TypeAlias = Callable[[RunFigures], float | None]

MOST_FAILURES = 3
"""Told of one condition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One point, as both engines measured it."""

    name: str
    point: Mapping[str, Any]
    resolved: Resolved
    """With any seed: what is asked of it here is the same for all."""
    candidate: Sequence[Outcome]
    reference: Sequence[Outcome]
    floor: Sequence[Outcome]
    """The reference under other seeds; may be empty."""


@dataclass(frozen=True, slots=True)
class _Runs:
    """The figures of a condition's runs."""

    candidate: tuple[RunFigures, ...]
    reference: tuple[RunFigures, ...]
    floor: tuple[RunFigures, ...]


def compared(measured: Measured) -> Condition:
    """The condition with every figure; without differences where a run failed or nothing was measured."""
    run, groups = measured.resolved.run, _groups(measured)
    candidate, reference, floor = (
        tuple(figures(run, each) for each in outcomes if isinstance(each, Result))
        for outcomes in (measured.candidate, measured.reference, measured.floor)
    )
    runs = _Runs(candidate, reference, floor)
    failures = _failures(measured)
    mixed = len({group.cc for group in groups}) > 1
    fit = not failures and bool(runs.candidate) and bool(runs.reference)
    room = room_bytes(run)
    return Condition(
        name=measured.name,
        point=dict(measured.point),
        rate_bps=run.path.rate_bps,
        rtt_s=fmean(map(base_rtt_s, run.flows)),
        buffer_bytes=room,
        buffer_bdp=room / measured.resolved.bdp_bytes,
        loss=run.path.loss_ppb / 1e9,
        groups=groups,
        candidate=runs.candidate,
        reference=runs.reference,
        floor=runs.floor,
        differences=tuple(_differences(runs, groups, rate_bps(run))) if fit else (),
        winner=_winner(runs, groups) if mixed and fit else None,
        failures=failures,
    )


def _groups(measured: Measured) -> tuple[Group, ...]:
    resolved = measured.resolved
    ccs = dict(zip(resolved.groups, resolved.ccs, strict=True))
    return tuple(Group(name=name, cc=cc, flows=resolved.groups.count(name)) for name, cc in ccs.items())


def _failures(measured: Measured) -> tuple[str, ...]:
    found = [
        f"{each.engine}, seed {each.seed}: {each.error}"
        for each in (*measured.candidate, *measured.reference, *measured.floor)
        if isinstance(each, FailedRun)
    ]
    more = [f"and {len(found) - MOST_FAILURES} more runs failed"] if len(found) > MOST_FAILURES else []
    return (*found[:MOST_FAILURES], *more)


def _differences(runs: _Runs, groups: Sequence[Group], rate: float) -> Iterator[Difference]:
    small = SMALLEST_GOODPUT * rate
    for group in groups:
        quantity = _goodput_of(group.name)
        yield from _difference(runs, GROUP_GOODPUT, quantity, lambda goodput: max(goodput, small), group.name)
    yield from _difference(runs, TOTAL_GOODPUT, lambda run: run.goodput_bps, lambda goodput: goodput or small)
    losses = [run.loss_rate for run in runs.reference if run.loss_rate is not None]
    considerable = bool(losses) and median(losses) > CONSIDERABLE_LOSS
    if considerable:
        yield from _difference(runs, LOSS, lambda run: run.loss_rate, lambda loss: loss)
    else:
        yield from _difference(runs, SMALL_LOSS, lambda run: run.loss_rate, lambda _: 1.0)
    yield from _difference(runs, QUEUEING_DELAY, lambda run: run.queueing_delay, lambda _: 1.0)


def _goodput_of(group: str) -> Quantity:
    return lambda run: run.groups[group].goodput_bps


def _difference(
    runs: _Runs, metric: str, quantity: Quantity, scale_of: Callable[[float], float], group: str | None = None
) -> Iterator[Difference]:
    """The difference in one quantity; none where an engine has no such number."""
    candidates, references, floors = (
        [value for run in side if (value := quantity(run)) is not None]
        for side in (runs.candidate, runs.reference, runs.floor)
    )
    if not candidates or not references:
        return
    candidate, reference = median(candidates), median(references)
    floor = median(floors) if floors else None
    excused, scale = half_interquartile(references), scale_of(reference)
    pairs = [(quantity(ours), quantity(theirs)) for ours, theirs in zip(runs.candidate, runs.reference, strict=False)]
    paired = [ours - theirs for ours, theirs in pairs if ours is not None and theirs is not None]
    half_width = estimate(paired).half_width if paired else None
    error = beyond(candidate - reference, excused) / scale
    limit = band_of(metric).p90
    yield Difference(
        metric=metric,
        group=group,
        candidate=candidate,
        reference=reference,
        floor=floor,
        excused=excused,
        scale=scale,
        difference=(candidate - reference) / scale,
        half_width=None if half_width is None else half_width / scale,
        error=error,
        floor_error=None if floor is None else beyond(floor - reference, excused) / scale,
        limits=error / limit if limit else None,
    )


def _winner(runs: _Runs, groups: Sequence[Group]) -> Winner:
    """By goodput a flow, so that the larger group does not win by its size."""

    def by_medians(side: Sequence[RunFigures]) -> str | None:
        rates = {
            group.name: median([run.groups[group.name].goodput_bps for run in side]) / group.flows for group in groups
        }
        return winner(rates)

    by_seed = {
        winner({group.name: run.groups[group.name].goodput_bps / group.flows for group in groups})
        for run in runs.reference
    }
    return Winner(
        reference=by_seed.pop() if len(by_seed) == 1 else None,
        candidate=by_medians(runs.candidate),
        floor=by_medians(runs.floor) if runs.floor else None,
    )
