"""What the claims measure where a number of one result is not enough. Base units: shares, bits per second, BDP."""

from __future__ import annotations

import numpy as np

from dumbbell.metrics.counter import Counter, Floats, rates_bps
from dumbbell.metrics.phases import after_stays, entries_s
from dumbbell.spec.frame import FRAME_BYTES, MSS_BYTES
from dumbbell.studies.evidence import RunData
from dumbbell.studies.sweep import swept
from dumbbell.units import BITS_PER_BYTE

STARTUP_SHARE, DOUBLED_SHARE = 0.9, 0.98
"""Share of what the line carries at which BBR's estimate has found it: in start-up, and after a change."""
DOUBLED_AT_S, DOUBLED_BPS, DOUBLED_RTT_S = 4.0, 20e6, 0.04
"""Of `doubling.toml`."""
LOSSY_BPS = 100e6
"""Rate of the experiments `loss_*` and `cliff*`."""
SETTLED_S = 25.0
"""From here on every flow of a crowd has been in PROBE_RTT with all others."""
DIP_BIN_S = 0.1


def payload_bps(rate_bps: float) -> float:
    """What a rate carries of payload."""
    return rate_bps * MSS_BYTES / FRAME_BYTES


def startup_rounds(run: RunData) -> float | None:
    """Round trips from connect() until BBR's estimate has found the bandwidth."""
    start_s = run.result.flows[0].start_s
    reached_s = _reached_s(run, start_s, STARTUP_SHARE * payload_bps(swept(run, "path.rate", "bit/s")))
    return None if reached_s is None else (reached_s - start_s) / swept(run, "path.rtt", "s")


def doubling_rounds(run: RunData) -> float | None:
    """Round trips from the change until BBR's estimate has found the doubled rate."""
    reached_s = _reached_s(run, DOUBLED_AT_S, DOUBLED_SHARE * payload_bps(DOUBLED_BPS))
    return None if reached_s is None else (reached_s - DOUBLED_AT_S) / DOUBLED_RTT_S


def min_rtt_after_probes(run: RunData) -> float | None:
    """The median over flows and visits of the RTT that BBR came out of PROBE_RTT with, seconds."""
    stays = [
        after_stays(flow["time_s"], flow["cc_min_rtt_s"], flow["phase"], "probe_rtt", SETTLED_S)
        for _, flow in run.flow_series().groupby("flow")
    ]
    values = np.concatenate(stays)
    return float(np.median(values)) if values.size else None


def cost_of_probe_rtt(run: RunData) -> float | None:
    """Goodput lost, as a share of the goodput in between, over whole cycles from the first PROBE_RTT to the last."""
    flow = run.flow_series()
    dips = entries_s(flow["time_s"], flow["phase"], "probe_rtt")
    if dips.size < 2:  # noqa: PLR2004 (no whole cycle)
        return None
    delivered = Counter.of(flow["time_s"], flow["delivered_bytes"])
    first, last = delivered.at([dips[0], dips[-1]])
    mean_bps = BITS_PER_BYTE * float(last - first) / float(dips[-1] - dips[0])
    usual_bps = float(np.median(rates_bps(delivered, float(dips[0]), float(dips[-1]), DIP_BIN_S)))
    return 1 - mean_bps / usual_bps


def window_share(run: RunData) -> float | None:
    """Mean congestion window over the one that fills path and buffer."""
    cwnd = _cwnd_bytes(run)
    full_bytes = (1 + swept(run, "path.buffer", "bdp")) * run.bdp_bytes * MSS_BYTES / FRAME_BYTES
    return float(cwnd.mean()) / full_bytes if cwnd.size else None


def sawtooth_period(run: RunData) -> float | None:
    """Mean time between two reductions of the window, seconds; None of fewer than two."""
    cwnd = _cwnd_bytes(run)
    if not cwnd.size:
        return None
    # A reduction crosses the middle downwards, and nothing else does.
    middle = (cwnd.min() + cwnd.max()) / 2
    falls = np.flatnonzero((cwnd[:-1] >= middle) & (cwnd[1:] < middle))
    if falls.size < 2:  # noqa: PLR2004 (no period)
        return None
    begin_s, end_s = run.window_s
    return float(falls[-1] - falls[0]) / float(falls.size - 1) * (end_s - begin_s) / cwnd.size


def _reached_s(run: RunData, from_s: float, wanted_bps: float) -> float | None:
    """When BBR's estimate first reached a rate."""
    flow = run.flow_series()
    reached = flow["time_s"][(flow["time_s"] > from_s) & (flow["bandwidth_bps"] >= wanted_bps)]
    return float(reached.min()) if len(reached) else None


def _cwnd_bytes(run: RunData) -> Floats:
    """The window's samples in the summary's window."""
    flow, (begin_s, end_s) = run.flow_series(), run.window_s
    inside = (flow["time_s"] > begin_s) & (flow["time_s"] <= end_s)
    return np.asarray(flow["cwnd_bytes"][inside].dropna(), dtype=np.float64)
