"""What the claims measure where a number of one result is not enough. Base units: shares, bits per second, seconds."""

from __future__ import annotations

from itertools import pairwise
from statistics import median

from dumbbell.metrics.counter import least_rate_bps
from dumbbell.metrics.dynamics import convergence_time_s
from dumbbell.metrics.phases import after_stays, entries_s
from dumbbell.results.run_series import BIN_S, gauge, received
from dumbbell.studies.evidence import RunData

AFTER_JOIN_S = 5.0
"""In which the incumbent's throughput is looked at."""


def time_to_share(run: RunData) -> float | None:
    """From the second flow's start until both are near their half, seconds."""
    return convergence_time_s(list(received(run).values()), run.result.flows[1].start_s, run.window_s[1])


def interval_of_probe_rtt(run: RunData) -> float | None:
    """From one entry into PROBE_RTT to the next, the median, seconds."""
    frame = run.flow_series()
    entered_s = entries_s(frame["time_s"], frame["phase"], "probe_rtt").tolist()
    return median(after - before for before, after in pairwise(entered_s)) if len(entered_s) > 1 else None


def rtt_at_probe_rtt(run: RunData) -> float | None:
    """The median of what BBR's min_rtt estimate is after PROBE_RTT, the smallest RTT in it: seconds."""
    frame = run.flow_series()
    min_rtts_s = after_stays(frame["time_s"], frame["cc_min_rtt_s"], frame["phase"], "probe_rtt").tolist()
    return median(min_rtts_s) if min_rtts_s else None


def dropped_after_join(run: RunData, flow: int, begin_s: float, end_s: float) -> float | None:
    """Segments of a flow that were sent between two instants after the second flow's start, and dropped."""
    dropped = run.by_capture.flow_series().get("dropped_packets")
    if dropped is None:
        return None
    joined_s = run.result.flows[1].start_s
    counted = gauge(run.by_capture, flow, "dropped_packets", 0.0, joined_s + end_s)
    before = counted.value[counted.time_s < joined_s + begin_s]
    return float(counted.value.max(initial=0) - before.max(initial=0))


def least_after_join(run: RunData) -> float | None:
    """The incumbent's throughput in its worst bin of 0.5 s."""
    joined_s = run.result.flows[1].start_s
    return least_rate_bps(received(run)[0], joined_s, joined_s + AFTER_JOIN_S, BIN_S)
