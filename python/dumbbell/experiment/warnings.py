"""Warnings about an experiment: those that its spec decides, and those that only its runs together can tell."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from statistics import fmean
from typing import Final

from dumbbell.experiment.points import ExperimentRuns, Notice
from dumbbell.experiment.spec_warnings import (
    DEFAULT_WINDOW_BYTES,
    MEMORY_REMEDY,
    answers_to_loss,
    has_unasked_memory,
    of_point,
    seeds_alike,
    sends_always,
    unexpected,
)
from dumbbell.experiment.warning import ExperimentWarning
from dumbbell.metrics.catalogue import mean_rate_bps
from dumbbell.metrics.number import amount, counted, percent
from dumbbell.metrics.stationarity import least_trend
from dumbbell.metrics.statistics import CONFIDENCE, estimate
from dumbbell.results.measured import MeasuredPoint
from dumbbell.results.validity import BEHAVES_AS_RENO, has_ecn
from dumbbell.spec import Resolved, expand, resolve
from dumbbell.spec.point_text import point_text
from dumbbell.spec.run import Run
from dumbbell.units import BITS_PER_BYTE, NS_PER_S, PPB

HALVES_APART: Final = 0.02
"""Of the line: what halves of a window may differ by, whatever chance says."""
ENOUGH_SEEDS: Final = 4
"""From so many on their scatter tells what is chance (t is 3.2 or less); fewer leave it to the trends of the runs."""
ALIKE: Final = 1e-3
FEW_LOSSES: Final = 10
"""A count of n independent events is known to 1 / sqrt(n): this many to a third."""


def warnings(runs: ExperimentRuns, progress: Callable[[], None] = lambda: None) -> list[ExperimentWarning]:
    """Everything to look at before the numbers of an experiment are trusted; `summaries` says each kind once.

    What one run says is in its own warnings. `progress` is called after each point of the sweep.
    """
    if runs.experiment is None:
        return []
    first_seed = runs.experiment.seed_values[0]
    measured = {point.text: point for point in runs.points if point.run_ids}
    by_spec: list[ExperimentWarning] = []
    by_runs: list[ExperimentWarning] = []
    for planned in expand(runs.experiment):
        resolved = resolve(planned, first_seed)
        by_spec += of_point(planned, resolved)
        if point := measured.get(point_text(planned.values)):
            seed = next(iter(point.run_ids))
            own = resolved if seed == first_seed else resolve(planned, seed)
            by_runs += [*_not_stationary(point, own), *_few_losses(point, own), *_seeds_alike(point, own)]
            by_runs += _socket_memory(point) if has_unasked_memory(planned, own.run) else ()
        progress()
    by_spec = unexpected(by_spec, len(runs.experiment))
    there = {(each.kind, each.place) for each in by_spec}
    return by_spec + [each for each in unexpected(by_runs, len(runs.points)) if (each.kind, each.place) not in there]


def of_single_runs(runs: ExperimentRuns) -> list[Notice]:
    """What single runs say by themselves and `warnings` does not say of the experiment."""
    said = runs.experiment is not None
    return [each for each in runs.notices if not (said and BEHAVES_AS_RENO in each.text)]


def _not_stationary(point: MeasuredPoint, resolved: Resolved) -> Iterator[ExperimentWarning]:
    """Of the group whose halves are furthest apart: what one gains, others lose. Of a transfer nobody expects it."""
    run = resolved.run
    line_bps = mean_rate_bps(run)
    endless = {
        group: (point.known("first_half", group), point.known("second_half", group))
        for group, flow in zip(resolved.groups, run.flows, strict=True)
        if flow.workload == "bulk" or flow.work.stream
    }
    means = {group: (fmean(first), fmean(second)) for group, (first, second) in endless.items() if first}
    group = max(means, key=lambda each: abs(means[each][1] - means[each][0]), default="")
    if not group or abs(means[group][1] - means[group][0]) <= HALVES_APART * line_bps:
        return
    differences = [after - before for before, after in zip(*endless[group], strict=True)]
    if _beyond_chance(differences, point.known("trend", group)):
        before, after = (each / line_bps for each in means[group])
        yield ExperimentWarning(
            kind="not stationary", point=point.swept, severity=abs(after - before),
            text=f"the window is not stationary: in its first half {group} has {percent(before)} of the line, in its"
            f" second {percent(after)}",
            remedy=_steadier(run),
        )  # fmt: skip


def _beyond_chance(differences: list[float], trends: list[float]) -> bool:
    """Whether what halves of a window differ by is more than chance, and a trend: what comes and goes has none.

    Seeds that all give the same are one run.
    """
    difference = estimate(differences)
    trend = abs(fmean(trends))
    if difference.n < ENOUGH_SEEDS or difference.half_width is None:
        return trend > least_trend(difference.n)
    return abs(difference.mean) > difference.half_width and trend > least_trend(difference.n, CONFIDENCE)


def _steadier(run: Run) -> str:
    """What would make a window steadier; one that has the flows' start in it should begin after it."""
    if run.measure.window_begin_ns <= max(flow.start_ns for flow in run.flows):
        return 'begin after the start of the flows, as with measure.window = ["50 %", "100 %"]'
    return "let measure.window begin later, or make duration longer, until both agree"


def _seeds_alike(point: MeasuredPoint, resolved: Resolved) -> Iterator[ExperimentWarning]:
    of_groups = [point.known(name, group) for name in ("goodput", "rtt") for group in point.ccs]
    values = of_groups + [known for name in ("jain", "loss") if (known := point.known(name))]
    if min(map(len, of_groups), default=0) > 1 and all(max(v) - min(v) <= ALIKE * abs(fmean(v)) for v in values):
        text = f"{counted(len(point.run_ids), 'seed')} change goodput, RTT, loss and Jain's index by less than 0.1 %"
        yield seeds_alike(point.swept, resolved, text)


def _few_losses(point: MeasuredPoint, resolved: Resolved) -> Iterator[ExperimentWarning]:
    """What loss-based flows get is decided by losses; what rests on a few of them is chance."""
    run, runs = resolved.run, len(point.run_ids)
    marked = any(point.known("marks"))  # which flows with ECN answer to
    unmarked = [flow for flow in run.flows if not (marked and has_ecn(flow))]
    loss_based = sum(sends_always(flow, run) and answers_to_loss(flow) for flow in unmarked)
    events, drops, at_random = (point.known(each) for each in ("loss_events", "drops", "random_drops"))
    if not loss_based or not events or (event_count := round(sum(events) + sum(at_random))) >= FEW_LOSSES:
        return
    where = f"in {'the window' if runs == 1 else f'the windows of all {runs} seeds'}"
    window_s = (run.measure.window_end_ns - run.measure.window_begin_ns) / NS_PER_S
    packets_per_s = mean_rate_bps(run) / BITS_PER_BYTE / run.path.frame_bytes
    longer = "a window of {} s, or more seeds, would have about " + str(FEW_LOSSES)
    if event_count:
        lost = f"{counted(round(sum(drops) + sum(at_random)), 'packet')} were lost in {counted(event_count, 'event')}"
        text = f"{where} {lost}: a rate of so few is known to about ± {percent(1 / math.sqrt(event_count))}"
        remedy = longer.format(math.ceil(window_s * FEW_LOSSES / event_count))
    elif run.path.loss_event_ppb:
        text = f"{where} path.loss took no packet"
        remedy = longer.format(math.ceil(FEW_LOSSES * PPB / run.path.loss_event_ppb / packets_per_s / runs))
    elif loss_based > 1:
        text = f"{where} nothing was lost: what loss-based flows have of the path is what their start left them"
        remedy = "make duration longer, until the queue drops"
    else:  # a flow alone that fills no queue
        return
    yield ExperimentWarning(kind="few losses", point=point.swept, text=text, remedy=remedy, severity=-event_count)


def _socket_memory(point: MeasuredPoint) -> Iterator[ExperimentWarning]:
    """Of the group of which a flow has most in flight, on average, where that is more than default memory lets it."""
    in_flight_bytes = {
        group: fmean(goodput) * fmean(rtt) / BITS_PER_BYTE / point.sizes.get(group, 1)
        for group in point.ccs
        if (goodput := point.known("goodput", group)) and (rtt := point.known("rtt", group))
    }
    group = max(in_flight_bytes, key=lambda each: in_flight_bytes[each], default="")
    if group and in_flight_bytes[group] > DEFAULT_WINDOW_BYTES:
        most, level = (amount(each, scale=1e-6, unit=" MB") for each in (DEFAULT_WINDOW_BYTES, in_flight_bytes[group]))
        yield ExperimentWarning(
            kind="socket memory", point=point.swept, remedy=MEMORY_REMEDY,
            text=f"a flow of {group} has {level} in flight: with default socket memory a host would limit it to {most}",
            severity=in_flight_bytes[group] / DEFAULT_WINDOW_BYTES - 1,
        )  # fmt: skip
