"""The bands: how far an engine may be from its reference, over all conditions. Their limits are those of the design.

Every error is a share: of what its band's `of` says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

GROUP_GOODPUT, TOTAL_GOODPUT = "group_goodput", "total_goodput"
LOSS, SMALL_LOSS = "loss", "small_loss"
QUEUEING_DELAY, WINNER = "queueing_delay", "winner"

MEDIAN, TAIL = 0.5, 0.9
"""The quantiles over conditions that a band limits."""
SMALLEST_GOODPUT: Final = 0.05
"""Share of the rate that a smaller goodput of a group is held against: a starved group is no large error."""
CONSIDERABLE_LOSS: Final = 0.005
"""Loss rate of the reference above which a difference is relative to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """The limits of one metric; None: no such limit."""

    metric: str
    label: str
    unit: str
    """Of an error times 100: "%" of something, or "points" of a share."""
    of: str
    """What an error is a share of."""
    median: float | None = None
    """Most that the median of the errors over conditions may be."""
    p90: float | None = None
    """Most that their 90th percentile may be."""
    least: float | None = None
    """Least share of conditions with the same winner."""


BANDS: Final = (
    Band(
        metric=GROUP_GOODPUT, label="goodput of each group", unit="%",
        of="the larger of the reference's and 5 % of the rate", median=0.05, p90=0.15,
    ),
    Band(metric=TOTAL_GOODPUT, label="total goodput", unit="%", of="the reference's", median=0.01, p90=0.03),
    Band(
        metric=LOSS, label="queue loss, where the reference loses more than 0.5 %", unit="%", of="the reference's",
        median=0.10, p90=0.30,
    ),
    Band(metric=SMALL_LOSS, label="queue loss, elsewhere", unit="points", of="the packets offered", p90=0.002),
    Band(
        metric=QUEUEING_DELAY, label="queueing delay", unit="points", of="the buffer's drain time", median=0.05,
        p90=0.15,
    ),
    Band(
        metric=WINNER, label="same winner, where the reference's seeds agree on one", unit="%", of="such conditions",
        least=0.95,
    ),
)  # fmt: skip


def band_of(metric: str) -> Band:
    """The band of a metric."""
    return next(band for band in BANDS if band.metric == metric)
