"""What is compared of a single flow, and how far it may be off: set before anything was measured, and never widened.

- Values: 5 % of the reference, as asked of a loss epoch's curve.
- Times that an algorithm counts in rounds: one base RTT, so that both engines decide in the same round.
- What an algorithm has by definition (its phases, its gains): the same.
- Shares of epochs: 5 points.
"""

from __future__ import annotations

from typing import Any, Final

from dumbbell.studies.single_flows.record import Limit

FIVE_PERCENT: Final = 0.05
ONE_RTT: Final = 1.0


def _value(key: str, label: str, unit: Any = "") -> Limit:  # noqa: ANN401 (pydantic checks it)
    return Limit(key=key, label=label, unit=unit, of="reference", limit=FIVE_PERCENT)


def _time(key: str, label: str) -> Limit:
    return Limit(key=key, label=label, unit="s", of="rtt", limit=ONE_RTT)


def _words(key: str, label: str) -> Limit:
    return Limit(key=key, label=label, unit="", of="same", limit=0.0)


LONG_SHARE: Final = Limit(key="long_share", label="share of long epochs", unit="%", of="whole", limit=FIVE_PERCENT)
CURVE_LARGEST: Final = _value("curve_largest", "cwnd curve, largest difference")
CURVE_MEDIAN: Final = _value("curve_median", "cwnd curve, median difference")
EPOCH: Final = (
    _value("w_max", "cwnd before a reduction", "segments"),
    _value("w_min", "least cwnd after it", "segments"),
    _value("length_s", "length of an epoch", "s"),
)
"""Attributes of `metrics.loss_epoch.LossEpoch`."""
BBR: Final = (
    _words("phases", "phases"),
    _words("pacing_gains", "pacing gains"),
    _words("cwnd_gains", "cwnd gains"),
    _time("startup_s", "length of STARTUP"),
    _time("drain_s", "length of DRAIN"),
    _value("share_up", "PROBE_BW's time with a gain above 1", "%"),
    _value("share_down", "PROBE_BW's time with a gain below 1", "%"),
    _value("share_cruise", "PROBE_BW's time with a gain of 1", "%"),
    _time("probe_rtt_interval_s", "from PROBE_RTT to PROBE_RTT"),
    _time("probe_rtt_length_s", "length of PROBE_RTT"),
    _value("probe_rtt_cwnd", "least cwnd in PROBE_RTT", "segments"),
    _value("bandwidth_low_bps", "bandwidth estimate, 5th percentile", "bit/s"),
    _value("bandwidth_bps", "bandwidth estimate, median", "bit/s"),
    _value("bandwidth_high_bps", "bandwidth estimate, 95th percentile", "bit/s"),
    _value("min_rtt_s", "min_rtt, median", "s"),
    _value("cwnd", "cwnd in PROBE_BW, median", "segments"),
)
"""Keys of `metrics.bbr.quantities`."""
