"""Blocks of a live campaign: each point once with a seed, and what is compared one after the other."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

from commandline import MOMENT
from dumbbell.campaign.execution import run_experiments
from dumbbell.campaign.plan import agenda, compared, part_of, places
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.sim import SimEngine
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, Run, load

BUFFERS = ("0.5 bdp", "1 bdp", "2 bdp", "4 bdp")
ALGORITHMS = ("bbr", "cubic")


class Live(SimEngine):
    """The simulator under the name of a live engine; remembers what it was asked."""

    name = "netns"
    live = True

    def __init__(self) -> None:
        self.measured: list[Run] = []

    def slots(self) -> int:
        return 1

    def measure(self, run: Run) -> Measurement:
        self.measured.append(run)
        return super().measure(run)


def sweep(**overrides: Any) -> Experiment:
    swept = {"path.buffer": list(BUFFERS), "flows[0].cc": list(ALGORITHMS), "seeds": 3, "path.jitter": "none"}
    return load(MOMENT, overrides=swept | {"duration": "0.2 s", "flows[1].start": "0 s"} | overrides)


def test_what_is_compared_differs_in_algorithms_else_in_the_first_swept_field() -> None:
    assert compared(sweep()) == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert compared(sweep(**{"flows[0].cc": "bbr"})) == [[0, 1, 2, 3]]
    both = {"flows[0].cc": "bbr", "path.buffer": ["1 bdp", "2 bdp"], "flows[1].count": [1, 2, 3]}
    assert compared(sweep(**both)) == [[0, 3], [1, 4], [2, 5]]
    algorithms = {"flows[0].cc": ["bbr", "cubic"], "flows[1].cc": ["reno", "cubic"], "path.buffer": ["1 bdp", "2 bdp"]}
    assert compared(sweep(**algorithms)) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert compared(sweep(**{"path.buffer": "1 bdp", "flows[0].cc": "bbr"})) == [[0]]


def order(experiment: Experiment, part: slice = slice(None)) -> list[int]:
    return [place for _, place, _ in agenda([experiment], part, live=True)]


def test_a_block_has_each_point_once_and_what_is_compared_one_after_the_other() -> None:
    experiment = sweep()
    every = order(experiment)
    assert every == order(sweep()), "always the same"
    blocks = [every[begin : begin + 8] for begin in (0, 8, 16)]
    for nth, block in enumerate(blocks):
        assert [place % 3 for place in block] == [nth] * 8
        points = [place // 3 for place in block]
        assert sorted(points) == list(range(8))
        assert [point // 2 for point in points[::2]] == [point // 2 for point in points[1::2]]
    assert len({tuple(place // 3 for place in block) for block in blocks}) == 3, "in another order each"
    first = {place // 3 % 2 for block in blocks for place in block[::2]}
    assert first == {0, 1}, "neither algorithm is always the first of a pair"


def test_a_part_of_a_live_campaign_has_whole_pairs() -> None:
    experiment = sweep()
    parts = [order(experiment, part_of(f"{nth}/4")) for nth in (1, 2, 3, 4)]
    assert sorted(place for part in parts for place in part) == list(range(24))
    for nth, part in enumerate(parts, start=1):
        assert [place // 6 for place in part[::2]] == [place // 6 for place in part[1::2]]
        (own,) = places([experiment], part_of(f"{nth}/4"), live=True)
        assert list(own) == sorted(part)


def test_what_was_stopped_within_a_block_goes_on_with_it(tmp_path: Path) -> None:
    experiment, unbroken, first, second = sweep(), Live(), Live(), Live()
    with Store.open(tmp_path / "full", write=True) as store:
        assert len(list(run_experiments(store, [experiment], unbroken))) == 24
    with Store.open(tmp_path / "torn", write=True) as store:
        stopped = run_experiments(store, [experiment], first, jobs=1)
        list(islice(stopped, 11))
        stopped.close()
    with Store.open(tmp_path / "torn", write=True) as store:
        rest = list(run_experiments(store, [experiment], second))
    there = sum(each.outcome is None for each in rest)
    assert 11 <= there < 16
    assert first.measured[:there] + second.measured == unbroken.measured
    assert {run.seed for run in second.measured[: 16 - there]} == {2}
