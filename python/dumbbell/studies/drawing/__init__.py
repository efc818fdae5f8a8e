"""From evidence to the layers, panels and entries that several studies' figures and tables are made of."""

from dumbbell.studies.drawing.curve import band, curve, published, published_level, swept_axis
from dumbbell.studies.drawing.distribution import ack_rtt_cdf, cdf, smoothed_rtt_cdf
from dumbbell.studies.drawing.entry import entry
from dumbbell.studies.drawing.grid import grid
from dumbbell.studies.drawing.label import MBIT, MS, PAYLOAD_MBIT, PERCENT, family, means, seeds
from dumbbell.studies.drawing.time import (
    backlog,
    flow_rates,
    gauge_in_time,
    group_rates,
    losses,
    panel_in_time,
    round_trips,
)

__all__ = [
    "MBIT",
    "MS",
    "PAYLOAD_MBIT",
    "PERCENT",
    "ack_rtt_cdf",
    "backlog",
    "band",
    "cdf",
    "curve",
    "entry",
    "family",
    "flow_rates",
    "gauge_in_time",
    "grid",
    "group_rates",
    "losses",
    "means",
    "panel_in_time",
    "published",
    "published_level",
    "round_trips",
    "seeds",
    "smoothed_rtt_cdf",
    "swept_axis",
]
