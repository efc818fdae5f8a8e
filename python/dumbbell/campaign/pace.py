"""The pace of this machine: how many times as long something takes as where the numbers of `cost` were measured."""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Final

import dumbbell.campaign.cost as cost
from dumbbell.campaign.size import Size
from dumbbell.engines.machine import BOOT_ID
from dumbbell.errors import EngineFailure
from dumbbell.replacement import replacing
from dumbbell.spec import expand, load, resolve
from dumbbell.user_folder import cache_folder

if TYPE_CHECKING:
    from dumbbell.engines.protocol import Engine

_LOOPS: Final = 200_000
_LOOPS_S: Final = 0.022
"""What they took there."""

STANDARD: Final = """
duration = "2 s"
start_jitter = "0 s"
path = { rate = "100 Mbit/s", rtt = "25 ms", buffer = "1 bdp", jitter = "none" }
flows = [{ cc = "cubic", count = 4 }]
measure = { record = "summary" }
"""
"""What an engine is tried with that is no part of this process."""


@cache
def own_pace() -> float:
    """Of this process, by a loop that it goes through now."""
    began_s = time.thread_time()
    total = 0
    for number in range(_LOOPS):
        total += number % 7
    return max(time.thread_time() - began_s, 1e-6) / _LOOPS_S


def pace_of(engine: Engine) -> float:
    """Of an engine that measures in other processes, by a run of a second; remembered until the machine starts anew."""
    note = cache_folder("paces") / f"{sha256(engine.identity().encode()).hexdigest()[:16]}.json"
    with suppress(OSError, ValueError, KeyError, TypeError):
        known = json.loads(note.read_text(encoding="utf-8"))
        if known["boot"] == _boot():
            return float(known["pace"])
    try:
        pace = _tried(engine)
    except EngineFailure:  # `run` will say what is wrong
        return own_pace()
    with suppress(OSError):
        note.parent.mkdir(parents=True, exist_ok=True)
        with replacing(note) as partial:
            partial.write_text(json.dumps({"boot": _boot(), "pace": pace}), encoding="utf-8")
    return pace


def _tried(engine: Engine) -> float:
    run = resolve(next(expand(load(STANDARD))), 1).run
    before_s = _children_s()
    engine.measure(run)
    size = Size.of(run)
    return (_children_s() - before_s) / (cost.LINUX_START_S + cost.LINUX_PACKET_S * cost.LINUX.units(size))


def _children_s() -> float:
    """Seconds of a core that the processes took which this one has waited for: others do not count."""
    times = os.times()
    return times.children_user + times.children_system


def _boot() -> str:
    return BOOT_ID.read_text(encoding="utf-8")
