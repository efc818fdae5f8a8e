"""What a point of a sweep is, in words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

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
