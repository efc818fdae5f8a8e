"""One condition of two engines: medians over seeds, and how far they are apart beyond the reference's own spread."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING, Final, Generic, TypeAlias, TypeVar

from dumbbell.comparison.bands import (
    GROUP_GOODPUT,
    LOSS,
    QUEUEING_DELAY,
    SMALL_LOSS,
    TOTAL_GOODPUT,
    band_of,
)
from dumbbell.comparison.record import Condition, Difference, Group, GroupRuns, RunFigures, Winner
from dumbbell.metrics.catalogue import Setup, group_values, mean_rate_bps, run_values
from dumbbell.metrics.distribution import beyond, half_interquartile
from dumbbell.metrics.sharing import winner
from dumbbell.metrics.statistics import estimate
from dumbbell.results.schema import FailedRun, Result
from dumbbell.spec.quantity import PPB

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from dumbbell.spec import Resolved

    Outcome: TypeAlias = Result | FailedRun
    Figures: TypeAlias = tuple[RunFigures, ...]
    Value: TypeAlias = Callable[[RunFigures], float | None]

T = TypeVar("T")
U = TypeVar("U")

SMALLEST_GOODPUT: Final = 0.05
"""Share of the rate that a smaller goodput of a group is held against: a starved group is no large error."""
CONSIDERABLE_LOSS: Final = 0.005
"""Loss rate of the reference above which a difference is relative to it."""
MOST_FAILURES: Final = 3
"""Shown of one condition."""


@dataclass(frozen=True, slots=True)
class Roles(Generic[T]):
    """The same of the candidate, of the reference, and of the reference under other seeds."""

    candidate: T
    reference: T
    floor: T

    def each(self, change: Callable[[T], U]) -> Roles[U]:
        """What a function makes of each."""
        return Roles(change(self.candidate), change(self.reference), change(self.floor))


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One point, as both engines measured it."""

    name: str
    point: Mapping[str, Any]
    resolved: Resolved
    """With any seed: the path and the flows' base RTTs are the same for all."""
    outcomes: Roles[Sequence[Outcome]]
    """The floor's may be empty."""


def compare_condition(measured: Measured) -> Condition:
    """The condition with every figure; without differences where a run failed or nothing was measured."""
    resolved, run = measured.resolved, measured.resolved.run
    ccs = dict(zip(resolved.groups, resolved.ccs, strict=True))
    groups = tuple(Group(name=name, cc=cc, flows=resolved.groups.count(name)) for name, cc in ccs.items())
    setup = Setup.of(run)
    runs = measured.outcomes.each(
        lambda outcomes: tuple(run_figures(each, setup) for each in outcomes if isinstance(each, Result))
    )
    failures = _failures(measured.outcomes)
    compared = not failures and bool(runs.candidate) and bool(runs.reference)
    return Condition(
        name=measured.name,
        point=dict(measured.point),
        rate_bps=run.path.rate_bps,
        rtt_s=fmean(flow.base_rtt_s for flow in run.flows),
        buffer_bytes=run.path.buffer_bytes,
        buffer_bdp=run.path.buffer_bytes / resolved.bdp_bytes,
        loss=run.path.loss_ppb / PPB,
        groups=groups,
        candidate=runs.candidate,
        reference=runs.reference,
        floor=runs.floor,
        differences=tuple(_differences(runs, groups, mean_rate_bps(run))) if compared else (),
        winner=_winner(runs, groups) if compared and len(set(ccs.values())) > 1 else None,
        failures=failures,
    )


def run_figures(result: Result, setup: Setup) -> RunFigures:
    """What is compared of a run, out of the catalogue."""
    values = run_values(result, setup)
    return RunFigures(
        seed=result.seed,
        run_id=result.run_id,
        goodput_bps=values["total_goodput"] or 0.0,
        loss_rate=values["loss"],
        queueing_delay=values["queueing_delay"],
        utilization=values["utilization"],
        groups={
            name: GroupRuns(
                goodput_bps=own["goodput"] or 0.0,
                share=own["share"],
                rtt_mean_s=own["rtt"],
                retransmit_rate=own["retransmits"],
            )
            for name, own in group_values(result).items()
        },
    )


def _failures(outcomes: Roles[Sequence[Outcome]]) -> tuple[str, ...]:
    failed = [
        f"{each.engine}, seed {each.seed}: {each.error}"
        for each in (*outcomes.candidate, *outcomes.reference, *outcomes.floor)
        if isinstance(each, FailedRun)
    ]
    more = [f"and {len(failed) - MOST_FAILURES} more runs failed"] if len(failed) > MOST_FAILURES else []
    return (*failed[:MOST_FAILURES], *more)


def _differences(runs: Roles[Figures], groups: Sequence[Group], rate_bps: float) -> Iterator[Difference]:
    small = SMALLEST_GOODPUT * rate_bps
    for group in groups:
        of_group = _goodput_of(group)
        yield from _difference(runs, GROUP_GOODPUT, of_group, lambda goodput: max(goodput, small), group.name)
    yield from _difference(runs, TOTAL_GOODPUT, lambda run: run.goodput_bps, lambda goodput: goodput or small)
    losses = [run.loss_rate for run in runs.reference if run.loss_rate is not None]
    if losses and median(losses) > CONSIDERABLE_LOSS:
        yield from _difference(runs, LOSS, lambda run: run.loss_rate, lambda loss: loss)
    else:
        yield from _difference(runs, SMALL_LOSS, lambda run: run.loss_rate, lambda _: 1.0)
    yield from _difference(runs, QUEUEING_DELAY, lambda run: run.queueing_delay, lambda _: 1.0)


def _goodput_of(group: Group) -> Callable[[RunFigures], float]:
    return lambda run: run.groups[group.name].goodput_bps


def _difference(
    runs: Roles[Figures], metric: str, value: Value, scale_of: Callable[[float], float], group: str | None = None
) -> Iterator[Difference]:
    """The difference in one metric; none where an engine has no such number."""
    values = runs.each(lambda side: [each for run in side if (each := value(run)) is not None])
    if not values.candidate or not values.reference:
        return
    candidate, reference = median(values.candidate), median(values.reference)
    floor = median(values.floor) if values.floor else None
    excused, scale = half_interquartile(values.reference), scale_of(reference)

    def error(of: float) -> float:
        return beyond(of - reference, excused) / scale

    pairs = [(value(one), value(other)) for one, other in zip(runs.candidate, runs.reference, strict=False)]
    paired = [one - other for one, other in pairs if one is not None and other is not None]
    half_width = estimate(paired).half_width if paired else None
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
        error=error(candidate),
        floor_error=None if floor is None else error(floor),
        limits=error(candidate) / limit if limit else None,
    )


def _winner(runs: Roles[Figures], groups: Sequence[Group]) -> Winner:
    """By goodput a flow, so that the larger group does not win by its size."""

    def of(side: Sequence[RunFigures]) -> str | None:
        return winner({each.name: median(map(_goodput_of(each), side)) / each.flows for each in groups})

    by_seed = {of([run]) for run in runs.reference}
    return Winner(
        reference=by_seed.pop() if len(by_seed) == 1 else None,
        candidate=of(runs.candidate),
        floor=of(runs.floor) if runs.floor else None,
    )
