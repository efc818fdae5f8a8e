"""Blocks of a campaign spread over the hours of the day: each seed begins at a time of day of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Generator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from time import sleep
from typing import TYPE_CHECKING, Final

from dumbbell.campaign.execution import Finished, run_experiments
from dumbbell.campaign.plan import plan, run_key
from dumbbell.problem import quoted
from dumbbell.spec import Problem, SpecError

if TYPE_CHECKING:
    from dumbbell.engines.protocol import Engine
    from dumbbell.results.store import Store
    from dumbbell.spec import Experiment

MOST_A_DAY: Final = 96
LONGEST_NAP_S: Final = 60.0
"""A clock may be set, and a machine be asleep, while a block waits: it is looked at so often."""
LATEST: Final = timedelta(minutes=30)
"""A block that begins so late is one of its time yet, as after another that took longer, or where a timer starts it."""
_ALL, _SOME, _NONE = "all", "some", "none"
_DAY: Final = timedelta(days=1)
_TIME: Final = re.compile(r"(?:[01]?\d|2[0-3]):[0-5]\d", re.ASCII)


def local_now() -> datetime:
    """The time of this machine's clock, as people around it have it, without its zone: a day may have 23 hours."""
    return datetime.now(UTC).astimezone().replace(tzinfo=None)


@dataclass(frozen=True, slots=True)
class WallClock:
    now: Callable[[], datetime] = local_now
    sleep: Callable[[float], None] = sleep

    def wait(self, until: datetime) -> None:
        while (left := (until - self.now()).total_seconds()) > 0:
            self.sleep(min(left, LONGEST_NAP_S))


def times_of_day(text: str) -> list[time]:
    """The times that a text names, in order: `4`, so many evenly spread from midnight on, or `09:00,21:30`.

    >>> [f"{each:%H:%M}" for each in times_of_day("4")], [f"{each:%H:%M}" for each in times_of_day("21:30,9:00")]
    (['00:00', '06:00', '12:00', '18:00'], ['09:00', '21:30'])

    Raises:
        SpecError: it names none.
    """
    if text.isascii() and text.isdigit() and 0 < int(text) <= MOST_A_DAY:
        return [time(*divmod(nth * 24 * 60 // int(text), 60)) for nth in range(int(text))]
    times = [each.strip() for each in text.split(",")]
    if not all(map(_TIME.fullmatch, times)):
        hint = f"write how many blocks a day, 1 to {MOST_A_DAY}, or when they begin: 09:00,21:00"
        raise SpecError([Problem("--time-of-day", f"{quoted(text)} is no time of day", hint)])
    return sorted({time.fromisoformat(each.zfill(5)) for each in times})


def run_by_hours(  # noqa: PLR0913 (the options of a campaign)
    store: Store, experiments: Sequence[Experiment], engine: Engine, only: Sequence[Collection[int]], *,
    times: Sequence[time], waiting: Callable[[int, int, datetime], None], jobs: int | None = None,
    fresh: bool = False, clock: WallClock | None = None,
) -> Generator[Finished]:  # fmt: skip
    """Measures what is missing of the runs at the places `only` of each experiment's plan, as `run_experiments` does.

    The nth seed begins at the nth time of day, from the first again after the last, so that each time has as many
    blocks as any other, whatever was interrupted. The block whose time comes next is next; one that was begun goes on
    at once until the next of the times comes, and else waits for its own. Before it waits it calls `waiting` with the
    number of the block, how many there are, and when the block begins.
    """
    clock = clock or WallClock()
    seeds = list(dict.fromkeys(seed for each in experiments for seed in each.seed_values))
    blocks = [[_members(each, own, seed) for each, own in zip(experiments, only, strict=True)] for seed in seeds]
    states = [_NONE if fresh else _state(store, experiments, engine, block) for block in blocks]
    pending = [nth for nth, block in enumerate(blocks) if any(block)]
    used: datetime | None = None
    while pending:
        now = clock.now()
        begins = {nth: _begin(now, times, nth % len(times), states[nth], used) for nth in pending}
        nth = min(pending, key=begins.__getitem__)
        if states[nth] != _ALL:
            if begins[nth] > now:
                waiting(nth + 1, len(seeds), begins[nth])
                clock.wait(begins[nth])
            used = clock.now()
        yield from run_experiments(store, experiments, engine, only=blocks[nth], jobs=jobs, fresh=fresh)
        pending.remove(nth)


def _begin(now: datetime, times: Sequence[time], own: int, state: str, used: datetime | None) -> datetime:
    """When a block begins that has its own of the times; the last that was not all there before began at `used`."""
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    every = [datetime.combine(today + days * _DAY, each) for days in (-1, 0, 1, 2) for each in times]
    current = max(nth for nth, each in enumerate(every) if each <= now)
    in_time = (used is None or used < every[current]) and now - every[current] <= LATEST
    if state == _ALL or (current % len(times) == own and (state == _SOME or in_time)):
        return now
    return next(each for nth, each in enumerate(every) if nth > current and nth % len(times) == own)


def _members(experiment: Experiment, places: Collection[int], seed: int) -> list[int]:
    seeds = experiment.seed_values
    return [place for place in places if seeds[place % len(seeds)] == seed]


def _state(store: Store, experiments: Sequence[Experiment], engine: Engine, block: Sequence[Collection[int]]) -> str:
    """How many runs of a block a store has."""
    identity = engine.identity()
    there = [
        store.finished(run_key(each, engine, identity)["run_id"])
        for experiment, places in zip(experiments, block, strict=True)
        for each in plan(experiment, places, live=engine.live)
    ]
    return _ALL if all(there) else _SOME if any(there) else _NONE
