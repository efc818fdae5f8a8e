"""What happened in one run over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from dumbbell.charts.chart import Axis, Layer, Panel
from dumbbell.metrics.counter import edges, rates_bps, ratio_in_bins
from dumbbell.studies.drawing.label import MBIT, MS, PERCENT
from dumbbell.studies.label import label_of
from dumbbell.studies.problem import StudyError
from dumbbell.studies.series import (
    BIN_S,
    ack_rtts_s,
    backlog_bytes,
    dropped_and_sent,
    gauge,
    group_rates_bps,
    received,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dumbbell.studies.evidence import RunData
    from dumbbell.studies.series import Samples

Span: TypeAlias = tuple[float, float]
"""From and until, in seconds of the run."""


def panel_in_time(
    title: str,
    quantity: str,
    span: Span,
    *layers: Layer,
    limits: tuple[float | None, float | None] = (0, None),
    scale: Literal["linear", "log2", "log10"] = "linear",
) -> Panel:
    """Layers over time. `quantity` has its unit; a logarithmic scale needs other limits than 0."""
    ends = limits if scale == "linear" or limits[0] else (None, limits[1])
    return Panel(
        title=title,
        x=Axis(label="time (s)", limits=span),
        y=Axis(label=quantity, limits=ends, scale=scale),
        layers=layers,
    )


def flow_rates(  # noqa: PLR0913 (what lines are made of)
    run: RunData,
    span: Span,
    bin_s: float = BIN_S,
    *,
    group: str | None = None,
    labels: Sequence[str] = (),
    factor: float = MBIT,
) -> tuple[Layer, ...]:
    """Each flow's throughput in Mbit/s of frames, from its start on: of all flows, or of one group's.

    Several flows of one algorithm look like "flow 1", "flow 2", …; a lone flow, or one beside another algorithm, as its
    own does. `labels`: one a flow, instead of those.
    """
    middles = _middles(span, bin_s)
    ccs = [_algorithm(flow.cc) for flow in run.result.flows]
    numbered = len(ccs) > 1 and len(set(ccs)) == 1
    layers: list[Layer] = []
    for index, (flow, counted) in enumerate(received(run, group).items()):
        rates = tuple(factor * float(rate) for rate in rates_bps(counted, *span, bin_s))
        first = next((number for number, rate in enumerate(rates) if rate > 0), 0)
        own = label_of(ccs[flow], run.result.engine)
        usual = f"flow {flow + 1}" if numbered else own if len(ccs) == 1 else f"flow {flow + 1}: {own}"
        style = f"flow {flow + 1}" if numbered else ccs[flow]
        layers.append(
            Layer(
                label=labels[index] if labels else usual,
                style=style,
                x=middles[first:],
                y=rates[first:],
                instance=index,
            )
        )
    return tuple(layers)


def group_rates(  # noqa: PLR0913 (what a line is made of)
    run: RunData, group: str, span: Span, bin_s: float = BIN_S, *, label: str, style: str, instance: int = 0
) -> Layer:
    """A group's summed throughput in Mbit/s."""
    rates = tuple(MBIT * float(rate) for rate in group_rates_bps(run, group, *span, bin_s))
    return Layer(label=label, style=style, x=_middles(span, bin_s), y=rates, instance=instance)


def backlog(  # noqa: PLR0913 (what a line is made of)
    run: RunData, span: Span, unit: Literal["BDP", "kB"] = "BDP", *, label: str, style: str, instance: int = 0
) -> Layer:
    """The queue at each sample."""
    factor = 1 / run.bdp_bytes if unit == "BDP" else 1e-3
    return _line(backlog_bytes(run, *span), factor, label=label, style=style, instance=instance)


def losses(  # noqa: PLR0913 (what a line is made of)
    run: RunData,
    span: Span,
    bin_s: float = BIN_S,
    *,
    label: str,
    style: str,
    instance: int = 0,
) -> Layer:
    """Packets dropped / sent on in each bin, in %; a gap in a bin in which none was sent."""
    dropped, sent = dropped_and_sent(run)
    percent = tuple(PERCENT * float(share) for share in ratio_in_bins(dropped, sent, *span, bin_s))
    return Layer(label=label, style=style, x=_middles(span, bin_s), y=percent, instance=instance)


def round_trips(  # noqa: PLR0913 (what a line is made of)
    run: RunData, flow: int, span: Span, *, label: str, style: str, per_ack: bool = False, instance: int = 0
) -> Layer:
    """A flow's smoothed RTT in ms at each sample; or of each ACK, of an experiment that records "acks"."""
    found = ack_rtts_s(run, flow, *span) if per_ack else gauge(run, flow, "srtt_s", *span)
    return _line(found, MS, label=label, style=style, instance=instance)


def gauge_in_time(  # noqa: PLR0913 (what a line is made of)
    run: RunData,
    flow: int,
    column: str,
    span: Span,
    *,
    factor: float = 1.0,
    label: str,
    style: str,
    kind: Literal["line", "step"] = "line",
    instance: int = 0,
) -> Layer:
    """Any gauge of a flow: `cwnd_bytes` and `ssthresh_bytes` with a factor of 1 / MSS are segments.

    Raises:
        StudyError: there is no such gauge.
    """
    if column not in run.flow_series():
        raise StudyError(f'flows have no gauge "{column}"')
    return _line(gauge(run, flow, column, *span), factor, label=label, style=style, kind=kind, instance=instance)


def _line(  # noqa: PLR0913 (what a line is made of)
    samples: Samples, factor: float, *, label: str, style: str, kind: Literal["line", "step"] = "line", instance: int
) -> Layer:
    y = tuple((factor * samples.value).tolist())
    return Layer(label=label, style=style, kind=kind, x=tuple(samples.time_s.tolist()), y=y, instance=instance)


def _middles(span: Span, bin_s: float) -> tuple[float, ...]:
    return tuple(float(edge) + bin_s / 2 for edge in edges(*span, bin_s)[:-1])


def _algorithm(written: str) -> str:
    """A congestion control without its parameters."""
    return written.partition("[")[0].strip()
