"""What happened in one run over time, and how what was sampled is distributed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TypeAlias

from dumbbell.charts.chart import Layer
from dumbbell.charts.in_time import curve, flow_rates, flow_styles
from dumbbell.charts.style import label_of
from dumbbell.errors import StudyError
from dumbbell.metrics.counter import ratio_in_bins
from dumbbell.metrics.distribution import cdf
from dumbbell.results.run_series import (
    BIN_S,
    Samples,
    ack_rtts_s,
    backlog_bytes,
    dropped_and_sent,
    gauge,
    group_rates_bps,
    middles,
    ss_gauge,
)
from dumbbell.studies.displays.rows import Line
from dumbbell.studies.displays.scope import Scope
from dumbbell.studies.evidence import RunData

Span: TypeAlias = tuple[float, float]
"""From and until, in seconds of the run."""

USUAL = {"flows": "Mbit/s", "group": "Mbit/s", "loss": "%", "rtt": "ms", "ack_rtt": "ms"}
"""The unit of a series whose row has none."""


def series_layers(line: Line, span: Span | None, scope: Scope) -> Iterator[Layer]:
    """A series of the run in question, as far as it lasted; without a span the distribution of all its samples.

    Raises:
        StudyError: there is no such series.
    """
    run = scope.run()
    if line.until_done:
        flow = run.result.flows[line.flow]
        span = (0.0, flow.start_s + (flow.fct_s or 0.0))
    factor = scope.factor(line.unit or USUAL.get(line.series, ""), line.factor) / line.divisor
    bin_s = line.bin_s or BIN_S
    instance = int(scope.text(str(line.instance)))
    span = span and (span[0], min(span[1], _end_s(run, bin_s)))
    if line.series == "flows":
        labels = _once(run) if line.labels == "once" else [scope.text(label) for label in line.labels] or _labels(run)
        yield from flow_rates(run, span or run.window_s, bin_s, labels, factor)
        return
    label = label_of(scope.sender, scope.evidence.engine) if line.label is None else scope.text(line.label)
    style = scope.text(line.style) or scope.sender
    series = samples(run, line, span or (0.0, math.inf), bin_s, scope.group)
    if line.told_by and not series.time_s.size:
        return
    if span is None:
        values, shares = cdf([factor * each for each in series.value])
        yield Layer(label=label, style=style, kind="step", x=tuple(values), y=tuple(shares), instance=instance)
        return
    yield curve(series, label, style, factor, kind=line.kind or "line", instance=instance)


def samples(run: RunData, line: Line, span: Span, bin_s: float, group: str) -> Samples:
    """A series in base units; the queue in BDP, if its row does not say kB.

    Throughput is a group's, in bins; loss is packets dropped / sent on in each bin, NaN in one in which none was sent.

    Raises:
        StudyError: there is no such series.
    """
    column = "srtt_s" if line.series == "rtt" else line.series
    if line.told_by == "ss":
        return ss_gauge(run, line.flow, column, *span)
    match line.series:
        case "group":
            return Samples(middles(span, bin_s), group_rates_bps(run, group, *span, bin_s))
        case "loss":
            return Samples(middles(span, bin_s), ratio_in_bins(*dropped_and_sent(run), *span, bin_s))
        case "queue":
            backlog = backlog_bytes(run, *span)
            return backlog if line.unit == "kB" else Samples(backlog.time_s, backlog.value / run.bdp_bytes)
        case "ack_rtt":
            return ack_rtts_s(run, line.flow, *span)
    if column not in run.flow_series():
        raise StudyError(f'flows have no gauge "{column}"')
    return gauge(run, line.flow, column, *span)


def _end_s(run: RunData, bin_s: float) -> float:
    """When the run was over, by its last sample, to a bin: what comes after would be drawn as nothing sent."""
    return round(float(run.flow_series()["time_s"].max()) / bin_s) * bin_s


def _labels(run: RunData) -> list[str]:
    """Of each flow: its number where all have one algorithm, that where there is one flow, else both."""
    engine, styles = run.result.engine, flow_styles(run)
    if len(styles) == 1:
        return [label_of(styles[0], engine)]
    named = (f"flow {index + 1}: {label_of(style, engine)}" for index, style in enumerate(styles))
    return styles if styles[0] == "flow 1" else list(named)


def _once(run: RunData) -> list[str]:
    """Where algorithms meet, each one's name once; of flows of one kind their numbers."""
    styles = flow_styles(run)
    named = (label_of(style, run.result.engine) * (style not in styles[:at]) for at, style in enumerate(styles))
    return _labels(run) if styles[0] == "flow 1" else list(named)
