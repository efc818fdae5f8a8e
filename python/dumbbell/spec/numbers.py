"""What is swept as a number: of the texts of a point, for those who want to compute with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dumbbell._core as _core


def numbers(point: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """By swept field the columns that its value has as a number, of a point of the experiment with these fields.

    The unit is in the name, as everywhere: `_bps`, `_s`, `_bytes`, `_ratio`, `_per_s`; the bottleneck's buffer has
    `_bytes` and `_bdp`. Words, and what is a number already, have none.

    >>> numbers({"path.buffer": "2 bdp"}, {"path": {"rate": "80 Mbit/s", "rtt": "25 ms", "buffer": ["1 bdp", "2 bdp"]}})
    {'path.buffer': {'path.buffer_bytes': 500000.0, 'path.buffer_bdp': 2.0}}
    >>> numbers({"path.loss": "2 %", "flows[0].cc": "bbr", "path.mtu": 1500}, {"path": {}})
    {'path.loss': {'path.loss_ratio': 0.02}, 'flows[0].cc': {}, 'path.mtu': {}}
    >>> numbers({"path.jitter": "1 packet"}, {"path": {"rate": "10 Mbit/s", "rtt": "25 ms", "buffer": "1 bdp"}})
    {'path.jitter': {'path.jitter_s': 0.0012112}}
    """
    path = fields.get("path", {}) | {key[5:]: value for key, value in point.items() if key.startswith("path.")}
    network = {"path": path, "hops": fields["hops"]} if "hops" in fields else path
    return {field: _core.amounts(field, value, network) for field, value in point.items()}
