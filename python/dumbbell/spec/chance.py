"""What a spec leaves to chance, drawn: `crates/draw` does it, with the same numbers for the explorer's page.

A number follows from the seed and a name, and is the same on every platform.
"""

from __future__ import annotations

import json
from typing import Any

import dumbbell._core as _core


def drawn(what: str, request: object) -> Any:  # noqa: ANN401 (each request has an answer of its own type)
    """Give the answer to a request of `crates/draw`, in words of JSON.

    >>> drawn("mean_bytes", {"fixed": 1000})
    1000.0
    """
    return json.loads(_core.drawn(json.dumps({what: request})))


def below(what: str, seed: int, flow: str, bound: int) -> int:
    """Give a flow's own whole number for a purpose, uniform below `bound`: the same for every engine.

    It depends on the seed and the flow's name only, so that another flow changes nothing.

    >>> below("start_jitter", 1, "bbr", 100_000_000) < 100_000_000
    True
    """
    if not bound:
        return 0  # as most specs leave nothing to chance here
    number: int = drawn("below", {"what": what, "seed": seed, "name": flow, "below": bound})
    return number
