"""How samples are distributed: cumulative curves."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dumbbell.charts.chart import Layer
from dumbbell.metrics.distribution import cdf as cumulated
from dumbbell.studies.drawing.label import MS
from dumbbell.studies.series import ack_rtts_s, gauge

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dumbbell.studies.evidence import RunData


def cdf(label: str, style: str, samples: Iterable[float], *, factor: float = 1.0, instance: int = 0) -> Layer:
    """The share of the samples (0 to 1) that does not exceed each value."""
    values, shares = cumulated([factor * sample for sample in samples])
    return Layer(label=label, style=style, kind="step", x=tuple(values), y=tuple(shares), instance=instance)


def ack_rtt_cdf(  # noqa: PLR0913, PLR0917 (what a curve is made of)
    label: str, style: str, run: RunData, flow: int, begin_s: float = 0.0, end_s: float = math.inf
) -> Layer:
    """Of a flow's single ACKs' round-trip times in ms; only of an experiment that records "acks"."""
    return cdf(label, style, ack_rtts_s(run, flow, begin_s, end_s).value, factor=MS)


def smoothed_rtt_cdf(  # noqa: PLR0913, PLR0917 (what a curve is made of)
    label: str, style: str, run: RunData, flow: int, begin_s: float = 0.0, end_s: float = math.inf
) -> Layer:
    """Of a flow's smoothed RTT in ms as it was sampled: on every engine."""
    return cdf(label, style, gauge(run, flow, "srtt_s", begin_s, end_s).value, factor=MS)
