"""What happened in one run over time, and how what was sampled is distributed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TypeAlias

from dumbbell.charts.chart import Layer
from dumbbell.charts.in_time import curve, flow_rates, flow_styles
from dumbbell.charts.shapes import Look, distribution
from dumbbell.charts.style import label_of
from dumbbell.errors import StudyError
from dumbbell.metrics.counter import ratio_in_bins
from dumbbell.results.run_series import (
    BIN_S,
    Samples,
    ack_rtts_s,
    backlog_bytes,
    gauge,
    group_rates_bps,
    middles,
    queue_packets,
    ss_gauge,
)
from dumbbell.studies.displays.rows import Line
from dumbbell.studies.displays.scope import Scope
from dumbbell.studies.evidence import RunData

Span: TypeAlias = tuple[float, float]
"""From and until, in seconds of the run."""

SS = "ss."
USUAL = {"flows": "Mbit/s", "group": "Mbit/s", "loss": "%", "marks": "%", "rtt": "ms", "ack_rtt": "ms"}
"""The unit of a series whose row has none."""


def series_layers(line: Line, span: Span | None, look: Look, scope: Scope) -> Iterator[Layer]:
    """A series of the run in question, as far as it lasted; without a span the distribution of all its samples.

    Raises:
        StudyError: there is no such series.
    """
    run, bin_s = scope.run().by_capture if line.origin else scope.run(), line.bin_s or BIN_S
    factor = scope.factor(line, USUAL.get(line.series.removeprefix(SS), ""))
    if line.stat == "until done":
        flow = run.result.flows[0]
        span = (0.0, flow.start_s + (flow.fct_s or 0.0))
    # a run is over with its last sample, to a bin: what comes after would be drawn as nothing sent
    end_s = round(float(run.flow_series()["time_s"].max()) / bin_s) * bin_s
    span = span and (span[0], min(span[1], end_s))
    if line.series == "flows":
        labels = _once(run) if line.labels == "once" else [scope.text(label) for label in line.labels] or _labels(run)
        yield from flow_rates(run, span or run.window_s, bin_s, labels, factor)
        return
    series = samples(run, line, span or (0.0, math.inf), bin_s, scope.group)
    if span is None:
        yield distribution(look, [factor * each for each in series.value])
    elif series.time_s.size or not line.series.startswith(SS):
        yield curve(series, look, factor, kind=line.kind or "line")


def samples(run: RunData, line: Line, span: Span, bin_s: float, group: str) -> Samples:
    """A series in base units; the queue in BDP, if its row does not say kB.

    Throughput is a group's, in bins; loss is packets dropped / sent on in each bin, marks those
    marked / sent on; NaN in a bin in which none was sent.

    Raises:
        StudyError: there is no such series.
    """
    name = line.series.removeprefix(SS)
    column = "srtt_s" if name == "rtt" else name
    match line.series:
        case "group":
            return Samples(middles(span, bin_s), group_rates_bps(run, group, *span, bin_s))
        case "loss" | "marks":
            part = queue_packets(run, "dropped" if line.series == "loss" else "marked")
            return Samples(middles(span, bin_s), ratio_in_bins(part, queue_packets(run, "sent"), *span, bin_s))
        case "queue":
            backlog = backlog_bytes(run, *span)
            return backlog if line.unit == "kB" else Samples(backlog.time_s, backlog.value / run.bdp_bytes)
        case "ack_rtt":
            return ack_rtts_s(run, 0, *span)
    if name != line.series:
        return ss_gauge(run, 0, column, *span)
    if column not in run.flow_series():
        raise StudyError(f'flows have no gauge "{column}"')
    return gauge(run, 0, column, *span)


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
