"""What happened in one run over time, and how what was sampled is distributed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

from dumbbell.charts.chart import Layer
from dumbbell.errors import StudyError
from dumbbell.metrics.counter import edges, rates_bps, ratio_in_bins
from dumbbell.metrics.distribution import cdf
from dumbbell.studies.displays.label import label_of
from dumbbell.studies.series import (
    BIN_S,
    Samples,
    ack_rtts_s,
    backlog_bytes,
    dropped_and_sent,
    gauge,
    group_rates_bps,
    received,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dumbbell.metrics.counter import Floats
    from dumbbell.studies.displays.rows import Line
    from dumbbell.studies.displays.scope import Scope
    from dumbbell.studies.evidence import RunData

Span: TypeAlias = tuple[float, float]
"""From and until, in seconds of the run."""

USUAL = {"flows": "Mbit/s", "group": "Mbit/s", "loss": "%", "rtt": "ms", "ack_rtt": "ms"}
"""The unit of a series whose row has none."""


def series_layers(line: Line, span: Span | None, scope: Scope) -> Iterator[Layer]:
    """A series of the run in question; without a span the distribution of its samples over the whole run.

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
    if line.series == "flows":
        labels = _once(run) if line.labels == "once" else [scope.text(label) for label in line.labels]
        yield from flow_rates(run, span or run.window_s, bin_s, labels=labels, factor=factor)
        return
    label = label_of(scope.sender, scope.evidence.engine) if line.label is None else scope.text(line.label)
    style = scope.text(line.style) or scope.sender
    if span is None:
        values, shares = cdf([factor * each for each in samples(run, line, (0.0, math.inf), bin_s, scope.group).value])
        yield Layer(label=label, style=style, kind="step", x=tuple(values), y=tuple(shares), instance=instance)
        return
    found = samples(run, line, span, bin_s, scope.group)
    y = tuple((factor * found.value).tolist())
    yield Layer(
        label=label, style=style, kind=line.kind or "line", x=tuple(found.time_s.tolist()), y=y, instance=instance
    )


def samples(run: RunData, line: Line, span: Span, bin_s: float, group: str) -> Samples:
    """A series in base units; the queue in BDP, if its row does not say kB.

    Throughput is a group's, in bins; loss is packets dropped / sent on in each bin, NaN in one in which none was sent.

    Raises:
        StudyError: there is no such series.
    """
    match line.series:
        case "group":
            return Samples(middles(span, bin_s), group_rates_bps(run, group, *span, bin_s))
        case "loss":
            return Samples(middles(span, bin_s), ratio_in_bins(*dropped_and_sent(run), *span, bin_s))
        case "queue":
            found = backlog_bytes(run, *span)
            return found if line.unit == "kB" else Samples(found.time_s, found.value / run.bdp_bytes)
        case "ack_rtt":
            return ack_rtts_s(run, line.flow, *span)
        case "rtt":
            return gauge(run, line.flow, "srtt_s", *span)
    if line.series not in run.flow_series():
        raise StudyError(f'flows have no gauge "{line.series}"')
    return gauge(run, line.flow, line.series, *span)


def flow_rates(
    run: RunData, span: Span, bin_s: float = BIN_S, *, labels: Sequence[str] = (), factor: float = 1.0
) -> Iterator[Layer]:
    """Each flow's throughput in frames, from its start on.

    Several flows of one algorithm look like "flow 1", "flow 2", …; a lone flow, or one beside another algorithm, as its
    own does. `labels`: one a flow, instead of those.
    """
    ccs = _algorithms(run)
    numbered = len(ccs) > 1 and len(set(ccs)) == 1
    x = tuple(middles(span, bin_s).tolist())
    for index, (flow, counted) in enumerate(received(run).items()):
        rates = tuple(factor * float(rate) for rate in rates_bps(counted, *span, bin_s))
        first = next((number for number, rate in enumerate(rates) if rate > 0), 0)
        own = label_of(ccs[flow], run.result.engine)
        usual = f"flow {flow + 1}" if numbered else own if len(ccs) == 1 else f"flow {flow + 1}: {own}"
        yield Layer(
            label=labels[index] if labels else usual,
            style=f"flow {flow + 1}" if numbered else ccs[flow],
            x=x[first:],
            y=rates[first:],
            instance=index,
        )


def middles(span: Span, bin_s: float) -> Floats:
    """Of the whole bins in a span."""
    return edges(*span, bin_s)[:-1] + bin_s / 2


def _once(run: RunData) -> Sequence[str]:
    """Where algorithms meet, each one's name once; of flows of one kind none."""
    ccs = _algorithms(run)
    if len(set(ccs)) == 1:
        return ()
    return [label_of(cc, run.result.engine) if cc not in ccs[:index] else "" for index, cc in enumerate(ccs)]


def _algorithms(run: RunData) -> list[str]:
    """Each flow's congestion control without its parameters."""
    return [flow.cc.partition("[")[0].strip() for flow in run.result.flows]
