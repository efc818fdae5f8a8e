"""What the claims measure where a number of one result is not enough. Base units: shares, bits per second, BDP."""

from __future__ import annotations

from itertools import chain
from typing import Literal

import numpy as np

from dumbbell.metrics.distribution import alternation, boundary, modes
from dumbbell.metrics.dynamics import correlation, dominant_period_s, jain_in_bins
from dumbbell.metrics.phases import after_stays, entries_s, synchrony
from dumbbell.metrics.window import ratio
from dumbbell.results.run_series import BIN_S, dropped_and_sent, group_rates_bps, quartiles_bps, received
from dumbbell.studies.evidence import RunData
from dumbbell.studies.limits import Share

SETTLED_S = 30.0
"""When Figure 4b's flows are said to have found each other."""
TOGETHER_S = 0.5
"""Entries into PROBE_RTT this near are one."""
CYCLES_S = (60.0, 285.0)
"""Where the raw data's periods were taken."""
PROBE_RTT_S = 0.2
"""The shortest stay there."""


def jain_when_settled(run: RunData) -> Share | None:
    """The smallest of Jain's indices in 5-s bins from 30 s to the end."""
    indices = jain_in_bins(list(received(run).values()), SETTLED_S, run.window_s[1])
    known = [index for index in indices if index is not None]
    return min(known) if known and len(known) == len(indices) else None


def probe_rtt_synchrony(run: RunData) -> Share | None:
    """Of all entries into PROBE_RTT from 30 s on, the share within 0.5 s of one of every other flow."""
    frame = run.flow_series()
    entries = [entries_s(each["time_s"], each["phase"], "probe_rtt") for _, each in frame.groupby("flow")]
    return synchrony(entries, TOGETHER_S, SETTLED_S)


def cycle_period(run: RunData) -> float | None:
    """The dominant period of BBR's throughput in bins of 0.5 s, seconds."""
    return dominant_period_s(group_rates_bps(run, "bbr", *CYCLES_S), BIN_S)


def correlation_of_groups(run: RunData) -> float | None:
    """Pearson's, of BBR's and CUBIC's throughput in bins of 0.5 s."""
    return correlation(*(group_rates_bps(run, group, *CYCLES_S) for group in ("bbr", "cubic")))


def min_rtt(run: RunData, mode: Literal["low", "high"]) -> float | None:
    """The median of the low or the high ones of BBR's min_rtt estimates as PROBE_RTT left them, seconds."""
    return _median(min_rtts_s(run), mode)


def drawn_rtt(run: RunData, mode: Literal["low", "high"]) -> float | None:
    """The same of the RTTs that a figure in bins of 0.5 s has at PROBE_RTT."""
    return _median(_drawn_rtts_s(run), mode)


def alternation_of_drawn_rtt(run: RunData) -> Share | None:
    """Of all that have a successor in their flow, the share whose successor is of the other kind."""
    flows_s = _drawn_rtts_s(run)
    between = boundary(list(chain.from_iterable(flows_s)))
    return None if between is None else alternation(flows_s, between)


def drops_after_probes(run: RunData, within_s: float) -> Share | None:
    """Of all drops from 60 to 285 s, the share within that after a BBR flow left PROBE_RTT with a high estimate."""
    probes = _probes(run)
    between = boundary([estimate for flow in probes for _, estimate in flow])
    if between is None:
        return None
    takeovers = np.array([left for flow in probes for left, estimate in flow if estimate > between])
    dropped, _ = dropped_and_sent(run)
    at, gone = dropped.time_s[1:], np.diff(dropped.total)
    counted = (at > CYCLES_S[0]) & (at <= CYCLES_S[1])
    since = at[:, None] - takeovers
    after = ((since > 0) & (since <= within_s)).any(axis=1)
    return ratio(float(gone[counted & after].sum()), float(gone[counted].sum()))


def quartile_range(run: RunData) -> float | None:
    """The interquartile range of throughput in bins of 0.5 s, of each BBR flow and summed."""
    first, third = quartiles_bps(run, "bbr")
    return third - first


def min_rtts_s(run: RunData) -> list[list[float]]:
    """The estimates that each BBR flow came out of PROBE_RTT with, from 60 s on."""
    return [[estimate for _, estimate in flow] for flow in _probes(run)]


def _probes(run: RunData) -> list[list[tuple[float, float]]]:
    """When each BBR flow left PROBE_RTT, from 60 s on, and its estimate then."""
    frame = run.flow_series().dropna(subset=["cc_min_rtt_s"])
    by_flow = []
    for flow in run.result.flows:
        if flow.name == "bbr":
            own = frame[frame["flow"] == flow.flow]
            left, estimates = (
                after_stays(own["time_s"], own[column], own["phase"], "probe_rtt", CYCLES_S[0]).tolist()
                for column in ("time_s", "cc_min_rtt_s")
            )
            by_flow.append(list(zip(left, estimates, strict=True)))
    return by_flow


def _drawn_rtts_s(run: RunData) -> list[list[float]]:
    """The lowest smoothed RTT of each BBR flow in bins of 0.5 s about each of its stays in PROBE_RTT, from 60 s on."""
    frame = run.flow_series().dropna(subset=["srtt_s"])
    senders = [flow.flow for flow in run.result.flows if flow.name == "bbr"]
    by_flow = []
    for sender, probes in zip(senders, _probes(run), strict=True):
        own = frame[frame["flow"] == sender]
        drawn = own.groupby((own["time_s"] // BIN_S).astype(int))["srtt_s"].mean()
        stays = [{int((left - PROBE_RTT_S) // BIN_S), int(left // BIN_S)} for left, _ in probes]
        by_flow.append([min(drawn[each] for each in stay if each in drawn.index) for stay in stays])
    return by_flow


def _median(flows_s: list[list[float]], mode: Literal["low", "high"]) -> float | None:
    together = list(chain.from_iterable(flows_s))
    between = boundary(together)
    return None if between is None else getattr(modes(together, between), mode)
