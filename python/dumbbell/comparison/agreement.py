"""Two engines compared: how far apart each condition is, and whether all conditions keep the bands.

Medians over seeds are compared, and half the reference's own interquartile range is excused. Every error is a share: of
what its band's `of` says. The reference is compared with itself under other seeds in the same way: its noise.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean, median
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from dumbbell.comparison.figures import figures_of
from dumbbell.comparison.record import (
    Agreement,
    Band,
    BandVerdict,
    Condition,
    Difference,
    Group,
    RunFailure,
    RunFigures,
    Side,
    Source,
    Spread,
    Suspect,
    Winner,
    Worst,
)
from dumbbell.comparison.strata import (
    COMPLETION,
    GROUP_GOODPUT,
    LATE_COMPLETION,
    LOSS,
    MANAGED_DELAY,
    MARKS,
    QUEUEING_DELAY,
    SMALL_LOSS,
    SMALL_MARKS,
    TOTAL_GOODPUT,
    WINNER,
)
from dumbbell.metrics.catalogue import Setup, mean_rate_bps
from dumbbell.metrics.distribution import beyond, half_interquartile, quantiles
from dumbbell.metrics.sharing import winner
from dumbbell.metrics.statistics import estimate
from dumbbell.results.disturbance import LIVE
from dumbbell.results.provenance import facts
from dumbbell.results.schema import FailedRun, Outcome, Result
from dumbbell.spec.queue import FIFO
from dumbbell.units import NS_PER_S, PPB

if TYPE_CHECKING:
    from dumbbell.spec import Resolved, Run

    Roles: TypeAlias = tuple[Sequence[Outcome], Sequence[Outcome | RunFigures], Sequence[Outcome | RunFigures]]
    """Of the candidate, of the reference, and of the reference under other seeds, which may be none: runs, or what an
    earlier record has of them."""
    Runs: TypeAlias = Sequence[RunFigures]
    Metric: TypeAlias = tuple[str, str | None, str, Callable[[float], float]]
    """Its name, its group if it has one, the figure, and what a difference is a share of, by the reference's value."""

MEDIAN, TAIL = 0.5, 0.9
"""The quantiles over conditions that a band limits."""
BANDS: Final = {band.metric: band for band in (
    Band(
        metric=GROUP_GOODPUT, label="goodput of each group", unit="%",
        of="the larger of the reference's and 5 % of the rate", median_limit=0.05, p90_limit=0.15,
    ),
    Band(
        metric=TOTAL_GOODPUT, label="total goodput", unit="%", of="the reference's", median_limit=0.01, p90_limit=0.03,
    ),
    Band(
        metric=LOSS, label="queue loss, where the reference loses more than 0.5 %", unit="%", of="the reference's",
        median_limit=0.10, p90_limit=0.30,
    ),
    Band(metric=SMALL_LOSS, label="queue loss, elsewhere", unit="points", of="the packets offered", p90_limit=0.002),
    Band(
        metric=MARKS, label="queue marks, where the reference marks more than 0.5 %", unit="%", of="the reference's",
        median_limit=0.10, p90_limit=0.30,
    ),
    Band(metric=SMALL_MARKS, label="queue marks, elsewhere", unit="points", of="the packets sent", p90_limit=0.002),
    Band(
        metric=QUEUEING_DELAY, label="queueing delay", unit="points", of="the buffer's drain time", median_limit=0.05,
        p90_limit=0.15,
    ),
    Band(
        metric=MANAGED_DELAY, label="queueing delay, managed queue", unit="%",
        of="the larger of the reference's and 5 % of the base RTT", median_limit=0.05, p90_limit=0.15,
    ),
    Band(
        metric=COMPLETION, label="completion time of transfers, pages or frames, median", unit="%",
        of="the reference's", median_limit=0.02, p90_limit=0.10,
    ),
    Band(
        metric=LATE_COMPLETION, label="completion time of transfers, pages or frames, 95th percentile", unit="%",
        of="the reference's", median_limit=0.10, p90_limit=0.20,
    ),
    Band(
        metric=WINNER, label="same winner, where the reference's seeds agree on one", unit="%", of="such conditions",
        least=0.95,
    ),
)}  # fmt: skip
"""By metric. The limits are those of the design, which the band of no stratum crosses."""
OF_TRANSFERS: Final = (COMPLETION, LATE_COMPLETION)
OF_SOME: Final = (*OF_TRANSFERS, MARKS, SMALL_MARKS, QUEUEING_DELAY, MANAGED_DELAY)
"""Bands that are shown only where they have data: transfers complete, or a queue marks or is managed, or is not."""
SMALLEST_GOODPUT: Final = 0.05
"""Share of the rate that a smaller goodput of a group is compared with: a starved group is no large error."""
SMALLEST_DELAY: Final = 0.05
"""Share of the base RTT that a shorter queueing delay of a managed queue is compared with."""
CONSIDERABLE_LOSS: Final = 0.005
"""Loss or mark rate of the reference above which a difference is relative to it."""
MOST_WORST: Final = 10


def compare_condition(name: str, point: Mapping[str, Any], resolved: Resolved, roles: Roles) -> Condition:
    """The condition with every figure; without differences where a run failed or nothing was measured.

    `resolved` has the reference's first seed.
    """
    run = resolved.run
    groups = groups_of(resolved)
    setup = Setup.of(run)

    def figures(result: Result) -> RunFigures:
        rtts_s = [ns / NS_PER_S for ns in resolved.base_rtts_ns(result.seed)]
        return figures_of(result, replace(setup, base_rtts_s=rtts_s))

    candidate, reference, floor = (
        tuple(
            each if isinstance(each, RunFigures) else figures(each) for each in role if not isinstance(each, FailedRun)
        )
        for role in roles
    )
    failures = tuple(
        RunFailure(engine=each.engine, seed=each.seed, error=each.error)
        for role in roles
        for each in role
        if isinstance(each, FailedRun)
    )
    compared = not failures and bool(candidate) and bool(reference)
    delay = (QUEUEING_DELAY, None, "queueing_delay", lambda _: 1.0)
    if run.path.qdisc != FIFO:  # its queue is seldom full: the time in which it drains says nothing of what is usual
        least = SMALLEST_DELAY * resolved.bdp_bytes / run.path.buffer_bytes
        delay = (MANAGED_DELAY, None, "queueing_delay", lambda share: max(share, least))
    return Condition(
        name=name,
        point=dict(point),
        rate_bps=run.path.rate_bps,
        rtt_s=fmean(flow.base_rtt_s for flow in run.flows),
        buffer_bytes=run.path.buffer_bytes,
        buffer_bdp=run.path.buffer_bytes / resolved.bdp_bytes,
        loss=run.path.loss_ppb / PPB,
        groups=groups,
        candidate=candidate,
        reference=reference,
        floor=floor,
        differences=tuple(_differences((candidate, reference, floor), groups, mean_rate_bps(run), delay))
        if compared
        else (),
        winner=_winners(candidate, reference, floor, groups)
        if compared and len({each.cc for each in groups}) > 1
        else None,
        failures=failures,
        suspects=tuple(suspects(each for role in roles for each in role if isinstance(each, Result))),
        digest=digest_of(run),
    )


def groups_of(resolved: Resolved) -> tuple[Group, ...]:
    """The groups of a run, in the order of the spec."""
    ccs = dict(zip(resolved.groups, resolved.ccs, strict=True))
    return tuple(Group(name=name, cc=cc, flows=resolved.groups.count(name)) for name, cc in ccs.items())


def suspects(results: Iterable[Result]) -> Iterator[Suspect]:
    """Those that something disturbed, as their warnings say."""
    for each in results:
        if each.validity == "SUSPECT":
            reasons = tuple(warning.removeprefix(LIVE) for warning in each.warnings if warning.startswith(LIVE))
            yield Suspect(engine=each.engine, seed=each.seed, point=each.point, reasons=reasons)


def digest_of(run: Run) -> str:
    """Tells whether two runs are the same."""
    return hashlib.sha256(run.to_json().encode()).hexdigest()[:16]


def judge(  # noqa: PLR0913, PLR0917 (what was compared, and by what)
    conditions: Sequence[Condition], source: Source, candidate: Side, reference: Side, floor_seeds: Sequence[int],
    limits: Mapping[str, Band] = BANDS,
) -> Agreement:  # fmt: skip
    """The whole of a comparison. It holds when no band is broken, no run failed, and something was compared."""
    bands = verdicts(conditions, limits)
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


def verdicts(conditions: Sequence[Condition], bands: Mapping[str, Band] = BANDS) -> tuple[BandVerdict, ...]:
    """Every band, in the order of the design; some only where they have data."""
    differences = {
        metric: [each for one in conditions for each in one.differences if each.metric == metric] for metric in BANDS
    }
    return tuple(
        _of_winners(band, conditions) if band.least is not None else _of_errors(band, differences[metric])
        for metric, band in bands.items()
        if differences[metric] or metric not in OF_SOME
    )


def worst(conditions: Sequence[Condition], most: int = MOST_WORST) -> tuple[Worst, ...]:
    """The conditions with an error, by the largest one of each in multiples of its band's 90th percentile."""
    largest = [
        (each.name, max(each.differences, key=lambda difference: difference.limits or 0.0))
        for each in conditions
        if each.differences
    ]
    rows = [
        Worst(condition=name, metric=each.metric, group=each.group, limits=each.limits)
        for name, each in largest
        if each.limits
    ]
    return tuple(sorted(rows, key=lambda each: -each.limits)[:most])


def versions() -> dict[str, str | None]:
    """Of what computes the verdicts."""
    known: dict[str, Any] = facts()
    return {"dumbbell": None, "commit": known["commit"], **known["versions"]}


def _differences(
    roles: tuple[Runs, Runs, Runs], groups: Sequence[Group], rate_bps: float, delay: Metric
) -> Iterator[Difference]:
    """Every metric of the path and of each group that both engines have numbers of."""
    reference = roles[1]
    small = SMALLEST_GOODPUT * rate_bps
    metrics: list[Metric] = [
        *((GROUP_GOODPUT, group.name, "goodput_bps", lambda goodput: max(goodput, small)) for group in groups),
        (TOTAL_GOODPUT, None, "goodput_bps", lambda goodput: goodput or small),
        _of_packets((LOSS, SMALL_LOSS), "loss_rate", reference),
        delay,
    ]
    if any(run.mark_rate for role in roles for run in role):
        metrics.append(_of_packets((MARKS, SMALL_MARKS), "mark_rate", reference))
    for group in groups:
        metrics.append((COMPLETION, group.name, "fct_p50_s", lambda fct_s: fct_s))
        metrics.append((LATE_COMPLETION, group.name, "fct_p95_s", lambda fct_s: fct_s))
    for metric, name, figure, scale_of in metrics:
        by_seed = [[_figure(run, name, figure) for run in role] for role in roles]
        own, others, again = ([value for value in role if value is not None] for role in by_seed)
        if not own or not others:
            continue
        middle, excused, limit = median(others), half_interquartile(others), BANDS[metric].p90_limit
        scale = scale_of(middle)
        paired = [
            one - other for one, other in zip(*by_seed[:2], strict=False) if one is not None and other is not None
        ]
        half_width = estimate(paired).half_width if paired else None
        error = beyond(median(own) - middle, excused) / scale
        yield Difference(
            metric=metric,
            group=name,
            candidate=median(own),
            reference=middle,
            floor=median(again) if again else None,
            excused=excused,
            scale=scale,
            difference=(median(own) - middle) / scale,
            half_width=None if half_width is None else half_width / scale,
            error=error,
            floor_error=beyond(median(again) - middle, excused) / scale if again else None,
            limits=error / limit if limit else None,
        )


def _of_packets(names: tuple[str, str], figure: str, reference: Runs) -> Metric:
    """A share of packets: by the first name, and of the reference's, where that is considerable; else by the second."""
    rates = [rate for run in reference if (rate := _figure(run, None, figure)) is not None]
    relative = bool(rates) and median(rates) > CONSIDERABLE_LOSS
    return names[not relative], None, figure, lambda rate: rate if relative else 1.0


def _figure(run: RunFigures, group: str | None, name: str) -> float | None:
    value: float | None = getattr(run if group is None else run.groups[group], name)
    return value


def _winners(candidate: Runs, reference: Runs, floor: Runs, groups: Sequence[Group]) -> Winner:
    """By goodput a flow, so that the larger group does not win by its size."""

    def of(runs: Runs) -> str | None:
        return winner(
            {each.name: median(run.groups[each.name].goodput_bps for run in runs) / each.flows for each in groups}
        )

    by_seed = {of([run]) for run in reference}
    return Winner(
        reference=by_seed.pop() if len(by_seed) == 1 else None,
        candidate=of(candidate),
        floor=of(floor) if floor else None,
    )


def _of_errors(band: Band, differences: Sequence[Difference]) -> BandVerdict:
    """A band of errors, with the mean signed difference; its interval is over seeds where there is one condition."""
    measured, raw = _spread([each.error for each in differences]), _spread([each.raw_error for each in differences])
    outer = BANDS[band.metric]
    beyond_design = not _within((measured.median, outer.median_limit), (measured.p90, outer.p90_limit))
    holds = not beyond_design and _within(
        (measured.median, band.median_limit), (measured.p90, band.p90_limit),
        (raw.median, band.raw_median_limit), (raw.p90, band.raw_p90_limit),
    )  # fmt: skip
    signed = estimate([each.difference for each in differences]) if differences else None
    half_width = differences[0].half_width if len(differences) == 1 else signed.half_width if signed else None
    return BandVerdict(
        **band.model_dump(),
        measured=measured,
        floor=_spread([each.floor_error for each in differences if each.floor_error is not None]),
        raw=raw,
        raw_floor=_spread([each.raw_floor_error for each in differences if each.raw_floor_error is not None]),
        beyond_design=beyond_design,
        difference=signed.mean if signed else None,
        half_width=half_width,
        holds=holds if differences else None,
    )


def _within(*pairs: tuple[float | None, float | None]) -> bool:
    return all(value is None or limit is None or value <= limit for value, limit in pairs)


def _of_winners(band: Band, conditions: Sequence[Condition]) -> BandVerdict:
    """The band of winners: over the mixed conditions where the reference has the same one with every seed."""
    agreed = [(each.winner, each.floor) for each in conditions if each.winner is not None and each.winner.reference]
    measured = _share([winner.candidate == winner.reference for winner, _ in agreed])
    return BandVerdict(
        **band.model_dump(),
        measured=measured,
        floor=_share([winner.floor == winner.reference for winner, floor in agreed if floor]),
        difference=None,
        half_width=None,
        holds=None if measured.share is None else measured.share >= (band.least or 0.0),
    )


def _spread(errors: Sequence[float]) -> Spread:
    median, p90 = quantiles(errors, [MEDIAN, TAIL]) or (None, None)
    return Spread(n=len(errors), median=median, p90=p90)


def _share(same: Sequence[bool]) -> Spread:
    return Spread(n=len(same), share=sum(same) / len(same)) if same else Spread()
