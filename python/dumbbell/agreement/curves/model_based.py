"""BBR: what each engine's runs say of themselves, and how they start, probe, and look for the minimum RTT."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from dumbbell.agreement.curves import limit, phase
from dumbbell.agreement.curves.comparison import Roles, comparison, curve
from dumbbell.metrics.discrepancy import median

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pandas as pd

    from dumbbell.agreement.curves.comparison import Figure
    from dumbbell.agreement.curves.epoch import Floats
    from dumbbell.agreement.curves.record import Comparison, Curve, Gauge

START_UP_RTTS: Final = 30
"""Of base RTT: STARTUP, DRAIN and the first cycle."""
CYCLE_RTTS: Final = 8
"""PROBE_BW's cycle of gains (draft-cardwell-iccrg-bbr-congestion-control-00, section 4.3.4.2)."""
AROUND_PROBE_RTT_S: Final = (-0.2, 0.8)
"""Of the entry: PROBE_RTT lasts 200 ms and a round."""


Frames: TypeAlias = "Sequence[pd.DataFrame]"
Instants: TypeAlias = "Callable[[pd.DataFrame], Sequence[float] | Floats]"


def compared(frames: Roles[Frames], rtt_s: float, step_s: float) -> tuple[list[Comparison], list[Curve]]:
    """Every quantity and curve of a condition."""
    runs = frames.each(lambda of: [phase.figures(frame) for frame in of])
    found = [comparison(quantity, runs.each(_over_seeds(quantity.key)), rtt_s) for quantity in limit.MODEL]
    return [each for each in found if each is not None], list(_curves(frames, rtt_s, step_s))


def _over_seeds(key: str) -> Callable[[Sequence[Mapping[str, Figure]]], Figure]:
    """The median of a number over runs; words once if all runs say the same."""

    def told(runs: Sequence[Mapping[str, Figure]]) -> Figure:
        figures = [run[key] for run in runs]
        numbers = [each for each in figures if isinstance(each, float)]
        if numbers:
            return median(numbers)
        words = dict.fromkeys(each for each in figures if isinstance(each, str))
        return "; ".join(sorted(words)) if words else None

    return told


def _curves(frames: Roles[Frames], rtt_s: float, step_s: float) -> Iterator[Curve]:
    start = np.arange(0, START_UP_RTTS * rtt_s, step_s)
    cycle = np.arange(0, CYCLE_RTTS * rtt_s, step_s)
    dip = np.arange(*AROUND_PROBE_RTT_S, step_s)
    drawn: tuple[tuple[str, str, Gauge, Floats, Instants], ...] = (
        ("start_up", "in flight since the start", "inflight", start, _start),
        ("cycle", "in flight since a probe for bandwidth", "inflight", cycle, phase.probes),
        ("probe_rtt", "cwnd around the entry to PROBE_RTT", "cwnd", dip, _entries),
    )
    for key, label, gauge, offsets_s, instants in drawn:
        values = frames.each(_median_around(f"{gauge}_segments", instants, offsets_s))
        if values.reference.size and values.candidate.size and offsets_s.size > 1:  # a point is no curve
            yield curve(key, label, gauge, offsets_s, values)


def _median_around(gauge: str, instants: Instants, offsets_s: Floats) -> Callable[[Frames], Floats]:
    """The median of a gauge around all instants of all runs; empty where there are none."""

    def around(frames: Frames) -> Floats:
        rows = [row for frame in frames for row in phase.around(frame, gauge, instants(frame), offsets_s)]
        found: Floats = np.median(np.vstack(rows), axis=0) if rows else np.empty(0)
        return found

    return around


def _start(frame: pd.DataFrame) -> list[float]:
    return [float(frame["time_s"].iloc[0])]


def _entries(frame: pd.DataFrame) -> list[float]:
    return [begin for begin, _ in phase.probe_rtts(frame)]
