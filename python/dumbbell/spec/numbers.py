"""What is swept as a number: of the texts of a point, for those who want to compute with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

import dumbbell.spec.derived as derived
from dumbbell.spec.quantity import Frequency, QuantityError, Rate, Share, Size, Time
from dumbbell.spec.run import RoomBytes
from dumbbell.spec.section import scalar
from dumbbell.spec.tables import Path
from dumbbell.units import NS_PER_S, PPB

BUFFER: Final = "path.buffer"
JITTER: Final = "path.jitter"
_KINDS: Final = ((Rate, "bps", 1), (Time, "s", NS_PER_S), (Share, "ratio", PPB), (Frequency, "per_s", PPB))


def numbers(point: Mapping[str, Any], words: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """By swept field the columns that its value has as a number, of a point of the experiment with these words.

    The unit is in the name, as everywhere: `_bps`, `_s`, `_bytes`, `_ratio`, `_per_s`; the bottleneck's buffer has
    `_bytes` and `_bdp`. Words, and what is a number already, have none.

    >>> numbers({"path.buffer": "2 bdp"}, {"path": {"rate": "80 Mbit/s", "rtt": "25 ms", "buffer": ["1 bdp", "2 bdp"]}})
    {'path.buffer': {'path.buffer_bytes': 500000.0, 'path.buffer_bdp': 2.0}}
    >>> numbers({"path.loss": "2 %", "flows[0].cc": "bbr", "path.mtu": 1500}, {"path": {}})
    {'path.loss': {'path.loss_ratio': 0.02}, 'flows[0].cc': {}, 'path.mtu': {}}
    >>> numbers({"path.jitter": "1 packet"}, {"path": {"rate": "10 Mbit/s", "rtt": "25 ms", "buffer": "1 bdp"}})
    {'path.jitter': {'path.jitter_s': 0.0012112}}
    """
    path = words.get("path", {}) | {key[5:]: value for key, value in point.items() if key.startswith("path.")}
    return {
        field: {f"{field}_{unit}": number for unit, number in _numbers(field, value, path)}
        for field, value in point.items()
    }


def _numbers(field: str, value: object, path: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    if not isinstance(value, str):
        return
    if field == JITTER:
        known = Path(**{key: path[key] for key in ("rate", "rtt", "buffer", "mtu") if key in path} | {"jitter": value})
        yield "s", derived.jitter_ns(known) / NS_PER_S
        return
    for kind, unit, per_unit in () if field == BUFFER else _KINDS:
        with suppress(QuantityError):
            yield unit, kind(value).value / per_unit
            return
    with suppress(QuantityError):
        size = Size(value)
        known = Path(**{key: path[key] for key in ("rate", "rtt", "mtu", "queue") if key in path} | {"buffer": value})
        room = derived.buffer_limit(size, known, scalar(known.rate))
        room_bytes = room.bytes if isinstance(room, RoomBytes) else room.packets * derived.frame_bytes(known)
        yield "bytes", float(room_bytes)
        if field == BUFFER:
            yield "bdp", size.value / PPB if size.unit == "bdp" else float(room_bytes / derived.bdp_bytes(known))
