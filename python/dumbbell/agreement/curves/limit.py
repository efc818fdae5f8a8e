"""What is compared of a single flow, and how far it may be off: set before anything was measured, and never widened.

- Values: 5 % of the reference, as asked of a loss epoch's curve.
- Times that an algorithm counts in rounds: one base RTT, so that both engines decide in the same round.
- What an algorithm has by definition (its phases, its gains): the same.
- Shares of epochs: 5 points.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Scale: TypeAlias = Literal["reference", "rtt", "whole", "same"]
"""What a difference is a share of: the reference's value, the base RTT, or the whole; "same": words, equal or not."""
Unit: TypeAlias = Literal["segments", "s", "bit/s", "%", ""]

FIVE_PERCENT: Final = 0.05
ONE_RTT: Final = 1.0


@dataclass(frozen=True, slots=True)
class Quantity:
    """Something compared."""

    key: str
    label: str
    unit: Unit
    of: Scale
    limit: float


LARGEST: Final = Quantity("curve_largest", "cwnd curve, largest difference", "", "reference", FIVE_PERCENT)
MEDIAN: Final = Quantity("curve_median", "cwnd curve, median difference", "", "reference", FIVE_PERCENT)
LONG_SHARE: Final = Quantity("long_share", "share of long epochs", "%", "whole", FIVE_PERCENT)
EPOCH: Final = (
    Quantity("w_max", "cwnd before a reduction", "segments", "reference", FIVE_PERCENT),
    Quantity("w_min", "least cwnd after it", "segments", "reference", FIVE_PERCENT),
    Quantity("length_s", "length of an epoch", "s", "reference", FIVE_PERCENT),
)
MODEL: Final = (
    Quantity("phases", "phases", "", "same", 0.0),
    Quantity("pacing_gains", "pacing gains", "", "same", 0.0),
    Quantity("cwnd_gains", "cwnd gains", "", "same", 0.0),
    Quantity("startup_s", "length of STARTUP", "s", "rtt", ONE_RTT),
    Quantity("drain_s", "length of DRAIN", "s", "rtt", ONE_RTT),
    Quantity("share_up", "PROBE_BW's time with a gain above 1", "%", "reference", FIVE_PERCENT),
    Quantity("share_down", "PROBE_BW's time with a gain below 1", "%", "reference", FIVE_PERCENT),
    Quantity("share_cruise", "PROBE_BW's time with a gain of 1", "%", "reference", FIVE_PERCENT),
    Quantity("probe_rtt_interval_s", "from PROBE_RTT to PROBE_RTT", "s", "rtt", ONE_RTT),
    Quantity("probe_rtt_length_s", "length of PROBE_RTT", "s", "rtt", ONE_RTT),
    Quantity("probe_rtt_cwnd", "least cwnd in PROBE_RTT", "segments", "reference", FIVE_PERCENT),
    Quantity("bandwidth_low_bps", "bandwidth estimate, 5th percentile", "bit/s", "reference", FIVE_PERCENT),
    Quantity("bandwidth_bps", "bandwidth estimate, median", "bit/s", "reference", FIVE_PERCENT),
    Quantity("bandwidth_high_bps", "bandwidth estimate, 95th percentile", "bit/s", "reference", FIVE_PERCENT),
    Quantity("min_rtt_s", "min_rtt, median", "s", "reference", FIVE_PERCENT),
    Quantity("cwnd", "cwnd in PROBE_BW, median", "segments", "reference", FIVE_PERCENT),
)
