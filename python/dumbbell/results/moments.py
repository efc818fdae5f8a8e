"""When a run began, by the clock of the machine that measured it: the store has when it ended, and how long it took."""

from __future__ import annotations

from datetime import datetime, timedelta


def began(finished: str, wall_s: float) -> datetime:
    """When a run began, to a second, with the offset from UTC that the machine's clock had.

    >>> began("2026-11-29T09:00:04+01:00", 6.0).isoformat()
    '2026-11-29T08:59:58+01:00'
    """
    return datetime.fromisoformat(finished) - timedelta(seconds=wall_s)


def hour(moment: datetime) -> str:
    """The hour of the day, as people around the machine have it: load follows them, and not UTC.

    >>> hour(began("2026-11-29T09:00:04+01:00", 6.0))
    '08:00'
    """
    return f"{moment:%H}:00"
