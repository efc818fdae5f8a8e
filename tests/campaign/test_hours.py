"""Blocks spread over the hours of the day, by a clock that moves when somebody sleeps or measures."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from commandline import MOMENT
from dumbbell.campaign.hours import LONGEST_NAP_S, WallClock, run_by_hours, times_of_day
from dumbbell.campaign.plan import places
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import EngineFailure
from dumbbell.results.store import Store
from dumbbell.spec import Run, SpecError, load

POINTS, SEEDS = 2, 6


class Day:
    """A clock that only its users move."""

    def __init__(self, at: str) -> None:
        self.at = datetime.fromisoformat(at)
        self.naps_s: list[float] = []

    @property
    def clock(self) -> WallClock:
        return WallClock(lambda: self.at, self.sleep)

    def sleep(self, seconds: float) -> None:
        self.naps_s.append(seconds)
        self.at += timedelta(seconds=seconds)


class Live(SimEngine):
    """Takes some time of a day for each run; notes the seed, and when each began."""

    name = "netns"
    live = True

    def __init__(self, day: Day, minutes: float = 1.0) -> None:
        self.day, self.took = day, timedelta(minutes=minutes)
        self.began: list[tuple[int, str]] = []
        self.most: int | None = None
        """Runs after which it is stopped."""
        self.before: Callable[[Run], None] = lambda _: None

    def slots(self) -> int:
        return 1

    def measure(self, run: Run) -> Measurement:
        if len(self.began) == self.most:
            raise CancelledError
        self.before(run)
        self.began.append((run.seed, f"{self.day.at:%d %H:%M}"))
        self.day.at += self.took
        return super().measure(run)

    @property
    def blocks(self) -> list[tuple[int, str]]:
        """Each seed, and when its first run began."""
        return list({seed: (seed, at) for seed, at in reversed(self.began)}.values())[::-1]


def execute(store: Path, engine: Live, times: str, *, most: int | None = None, fresh: bool = False) -> list[str]:
    """Runs all, or so many runs; gives what was said before it waited."""
    engine.most = most
    overrides = {"seeds": SEEDS, "path.jitter": "none", "duration": "0.2 s", "flows[1].start": "0 s"}
    experiment, said = load(MOMENT, overrides=overrides), list[str]()
    with Store.open(store, write=True) as opened:
        finished = run_by_hours(
            opened, [experiment], engine, places([experiment]), times=times_of_day(times), fresh=fresh,
            waiting=lambda nth, count, at: said.append(f"{nth}/{count} {at:%d %H:%M}"), clock=engine.day.clock,
        )  # fmt: skip
        with suppress(CancelledError):
            assert len(list(finished)) == POINTS * SEEDS
    return said


def test_blocks_are_spread_evenly_over_the_day_and_the_one_whose_time_comes_next_is_next(tmp_path: Path) -> None:
    engine = Live(Day("2026-11-10T10:15"))
    said = execute(tmp_path / "s", engine, "4")
    assert engine.blocks == [
        (3, "10 12:00"), (4, "10 18:00"), (1, "11 00:00"), (2, "11 06:00"), (5, "12 00:00"), (6, "12 06:00"),
    ]  # fmt: skip
    assert said == [f"{seed}/6 {at}" for seed, at in engine.blocks]
    assert max(engine.day.naps_s) == LONGEST_NAP_S
    assert all(engine.began[nth][0] == engine.began[nth + 1][0] for nth in range(0, 12, 2)), "a block, then the next"


def test_a_block_begins_late_by_half_an_hour_at_most_and_once_a_time(tmp_path: Path) -> None:
    """A timer starts the command two seconds after the time; a block that takes too long costs the next one a day."""
    engine = Live(Day("2026-11-10T09:00:02"), minutes=45)
    said = execute(tmp_path / "s", engine, "09:00,10:20")
    assert engine.blocks == [
        (1, "10 09:00"), (2, "10 10:30"), (3, "11 09:00"), (4, "11 10:30"), (5, "12 09:00"), (6, "12 10:30"),
    ]  # fmt: skip
    assert said == ["3/6 11 09:00", "5/6 12 09:00"]
    slow = Live(Day("2026-11-10T09:00:02"), minutes=60)
    execute(tmp_path / "slow", slow, "09:00,10:20")
    assert slow.blocks[:3] == [(1, "10 09:00"), (3, "11 09:00"), (5, "12 09:00")]
    assert [at[3:] for _, at in slow.blocks[3:]] == ["10:20"] * 3


def test_a_block_that_was_begun_goes_on_at_once_while_it_is_its_time_and_else_a_day_later(tmp_path: Path) -> None:
    for restarted, expected in (("2026-11-10T05:30", "10 05:30"), ("2026-11-10T07:00", "11 00:00")):
        store = tmp_path / restarted[-5:-3]
        execute(store, Live(Day("2026-11-10T00:00")), "4", most=1)
        again = Live(Day(restarted))
        execute(store, again, "4")
        assert len(again.began) == POINTS * SEEDS - 1 == 11
        assert (1, expected) in again.blocks
        assert len([seed for seed, _ in again.began if seed == 1]) == 1
    assert execute(store, Live(Day("2026-11-20T07:00")), "4") == [], "nothing waits where all is there"


def test_each_time_has_as_many_blocks_whatever_was_interrupted(tmp_path: Path) -> None:
    at, began = "2026-11-10T03:00", list[tuple[int, str]]()
    for _ in range(POINTS * SEEDS):
        engine = Live(Day(at))
        execute(tmp_path / "s", engine, "3", most=1)
        began += engine.began
        at = (engine.day.at + timedelta(hours=7)).isoformat()
    hours = [int(when[3:5]) // 8 for _, when in began]
    assert [hours.count(each) for each in (0, 1, 2)] == [4, 4, 4]
    assert all(hour == (seed - 1) % 3 for hour, (seed, _) in zip(hours, began, strict=True))


def test_what_failed_is_repeated_at_its_time_and_fresh_repeats_all(tmp_path: Path) -> None:
    engine = Live(Day("2026-11-10T00:00"))

    def failing(run: Run) -> None:
        if run.seed == 2:
            raise EngineFailure("a bug")

    engine.before = failing
    execute(tmp_path / "s", engine, "6")
    again = Live(Day("2026-11-11T10:00"))
    assert execute(tmp_path / "s", again, "6") == ["2/6 12 04:00"]
    assert again.blocks == [(2, "12 04:00")]
    fresh = Live(Day("2026-11-11T10:00"))
    execute(tmp_path / "s", fresh, "6", fresh=True)
    assert len(fresh.began) == POINTS * SEEDS
    assert fresh.blocks[0] == (4, "11 12:00")


def test_a_clock_that_is_set_while_a_block_waits_is_noticed() -> None:
    day = Day("2026-11-10T00:00")

    def sleep(seconds: float) -> None:
        day.sleep(seconds + 3600 * (len(day.naps_s) == 2))

    WallClock(lambda: day.at, sleep).wait(datetime.fromisoformat("2026-11-10T02:00"))
    assert day.at == datetime.fromisoformat("2026-11-10T02:00")
    assert len(day.naps_s) == 60


@pytest.mark.parametrize("text", ["0", "97", "-1", "9", "24:00", "9:60", "09:00,", "", "noon", "1.5", "٣"])
def test_what_is_no_time_of_day_is_refused_in_a_line(text: str) -> None:
    if text == "9":
        assert len(times_of_day(text)) == 9
        return
    with pytest.raises(SpecError, match=r"--time-of-day: .* is no time of day; write how many blocks a day, 1 to 96"):
        times_of_day(text)
