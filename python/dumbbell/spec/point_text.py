"""What a point of a sweep is, in words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from dumbbell.spec.quantity import magnitude

MOST_CHANGES: Final = 6
_SAID_ANYWAY: Final = re.compile(r"duration|path\.(?:rate|rtt|buffer|loss)|flows\[\d+\]\.(?:cc|count)")


def point_text(values: Mapping[str, Any], seed: int | None = None) -> str:
    """A point of a sweep, or a run at it.

    >>> point_text({"path.buffer": "1 bdp", "path.offload": True}, 3)
    'path.buffer = 1 bdp, path.offload = true, seed 3'
    """
    parts = [f"{path} = {swept_text(value)}" for path, value in values.items()]
    return ", ".join([*parts, *([] if seed is None else [f"seed {seed}"])])


def swept_text(value: object) -> str:
    """A swept value.

    >>> swept_text("1 bdp"), swept_text(True), swept_text({"transfer": "1 MB"})
    ('1 bdp', 'true', '{"transfer": "1 MB"}')
    """
    return value if isinstance(value, str) else json.dumps(value)


def values_beyond_path(values: Mapping[str, Any]) -> dict[str, Any]:
    """The swept values that a point's rate, RTT, buffer, loss and flows do not say, nor how long it is.

    >>> values_beyond_path({"path.rtt": "25 ms", "flows[0].cc": "bbr", "host.ack_aggregation": "1 ms"})
    {'host.ack_aggregation': '1 ms'}
    """
    return {path: value for path, value in values.items() if not _SAID_ANYWAY.fullmatch(path)}


def changes_text(changes: Sequence[tuple[str, str]]) -> list[str]:
    """What the path's rate changes to, and when; of many changes how many, and between which rates.

    >>> changes_text([("20 Mbit/s", "5 s")]), changes_text([("20 Mbit/s", "5 s"), ("500 kbit/s", "9 s")] * 40)
    (['20 Mbit/s from 5 s on'], ['80 changes of the rate, 500 kbit/s to 20 Mbit/s'])
    """
    if len(changes) <= MOST_CHANGES:
        return [f"{rate} from {at} on" for rate, at in changes]
    ordered = sorted((rate for rate, _ in changes), key=lambda text: magnitude(text) or 0.0)
    return [f"{len(changes):,} changes of the rate, {ordered[0]} to {ordered[-1]}"]
