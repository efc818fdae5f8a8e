from __future__ import annotations

import itertools
import math
import signal
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from commandline import MOMENT
from dumbbell.campaign import execution
from dumbbell.campaign.execution import AHEAD, run_campaign, run_experiments
from dumbbell.campaign.plan import Planned, agenda, count, plan
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import EngineFailure
from dumbbell.results.schema import FailedRun, Result
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, Run, load
from processes import HANG_S, soon

SWEPT = {"path.rtt": ["10 ms", "20 ms", "30 ms"], "path.buffer": ["0.5 bdp", "1 bdp", "2 bdp", "4 bdp"]}
"""Twelve points."""


class Counting(SimEngine):
    """Counts what it measures, fails some seeds, and may be of another build."""

    def __init__(self, *, failing: tuple[int, ...] = (), build: str = "") -> None:
        self.failing, self.build = failing, build
        self.measured: list[int] = []
        self.lock = threading.Lock()

    def identity(self) -> str:
        return super().identity() + self.build

    def measure(self, run: Run) -> Measurement:
        with self.lock:
            self.measured.append(run.seed)
        if run.seed in self.failing:
            raise EngineFailure("a bug")
        return super().measure(run)


def experiment(**overrides: Any) -> Experiment:
    return load(MOMENT, overrides={"seeds": 4, "path.buffer": "1 bdp", "duration": "1 s"} | overrides)


def campaign_outcomes(
    folder: Path, engine: SimEngine, what: Experiment | None = None, **options: Any
) -> list[Result | FailedRun]:
    with Store.open(folder, write=True) as store:
        return list(run_campaign(store, what or experiment(), engine, **{"jobs": 2} | options))


def test_a_run_is_never_run_twice(tmp_path: Path) -> None:
    engine = Counting()
    first, second = campaign_outcomes(tmp_path / "s", engine), campaign_outcomes(tmp_path / "s", engine)
    assert sorted(engine.measured) == [1, 2, 3, 4]
    assert first == second
    assert [each.seed for each in second] == [1, 2, 3, 4]


def test_fresh_runs_it_again(tmp_path: Path) -> None:
    engine = Counting()
    campaign_outcomes(tmp_path / "s", engine)
    campaign_outcomes(tmp_path / "s", engine, fresh=True)
    assert len(engine.measured) == 8
    with Store.open(tmp_path / "s") as store:
        assert (store.count(), list(store.faults())) == (4, [])


def test_an_edited_engine_never_answers_from_old_runs(tmp_path: Path) -> None:
    before, after = Counting(), Counting(build="edited")
    old, new = campaign_outcomes(tmp_path / "s", before), campaign_outcomes(tmp_path / "s", after)
    assert len(after.measured) == 4
    assert {each.run_id for each in old}.isdisjoint(each.run_id for each in new)
    with Store.open(tmp_path / "s") as store:
        assert list(store.outcomes()) == new


def test_more_seeds_run_only_what_is_missing(tmp_path: Path) -> None:
    engine = Counting()
    campaign_outcomes(tmp_path / "s", engine, experiment(seeds=2))
    outcomes = campaign_outcomes(tmp_path / "s", engine, experiment(seeds=4))
    assert sorted(engine.measured) == [1, 2, 3, 4]
    assert [each.seed for each in outcomes] == [1, 2, 3, 4]


def test_an_interruption_that_another_thread_takes_is_noticed_while_a_run_is_awaited(tmp_path: Path) -> None:
    noticed, ended = threading.Event(), threading.Event()
    campaign = threading.get_ident()

    def is_awaited() -> bool:
        return sys._current_frames()[campaign].f_code.co_name == "ended"

    class Interrupting(SimEngine):
        def measure(self, run: Run) -> Measurement:
            assert soon(is_awaited)
            signal.pthread_kill(threading.get_ident(), signal.SIGINT)
            noticed.wait(HANG_S)
            ended.set()
            return super().measure(run)

    with pytest.raises(KeyboardInterrupt):
        campaign_outcomes(tmp_path / "s", Interrupting(), experiment(seeds=1))
    assert not ended.is_set(), "noticed only when the run was over"
    noticed.set()


def test_a_failed_run_is_kept_and_tried_again(tmp_path: Path) -> None:
    failing, healthy = Counting(failing=(2, 3)), Counting()
    outcomes = campaign_outcomes(tmp_path / "s", failing)
    assert [each.status for each in outcomes] == ["ok", "failed", "failed", "ok"]
    with Store.open(tmp_path / "s") as store:
        assert list(store.outcomes()) == outcomes
    assert [each.status for each in campaign_outcomes(tmp_path / "s", healthy)] == ["ok"] * 4
    assert sorted(healthy.measured) == [2, 3]


class Dead(Counting):
    """Fails every run alike but for its addresses, or each in its own words."""

    def __init__(self, message: str = "panic at 0x{0:x}, pid {0}: [<00000000{0:08x}>]", *, alive: int = 0) -> None:
        super().__init__()
        self.message, self.alive = message, alive

    def measure(self, run: Run) -> Measurement:
        with self.lock:
            self.measured.append(run.seed)
        if run.seed == self.alive:
            return SimEngine.measure(self, run)
        raise EngineFailure(self.message.format(run.seed))


def test_the_third_failure_alike_stops_a_campaign_in_which_nothing_has_succeeded(tmp_path: Path) -> None:
    many, dead, healthy = experiment(seeds=400), Dead(), Counting()
    campaign_outcomes(tmp_path / "s", healthy, experiment(seeds=4))
    with pytest.raises(EngineFailure, match=r"^3 runs failed alike and none .*: panic at 0x\d, pid \d: ") as stopped:
        campaign_outcomes(tmp_path / "s", dead, many)
    assert len(str(stopped.value).splitlines()) == 1
    assert len(dead.measured) <= 3 + 1, "and what the other thread had begun"
    with Store.open(tmp_path / "s") as store:
        statuses = {each.seed: each.status for each in store.outcomes()}
    assert statuses == dict.fromkeys((1, 2, 3, 4), "ok") | dict.fromkeys(sorted(dead.measured), "failed")
    assert {each.status for each in campaign_outcomes(tmp_path / "s", healthy, experiment(seeds=12))} == {"ok"}


@pytest.mark.parametrize(
    "dead", [Dead(alive=3), Dead("a bug in run {0} of many")], ids=["one succeeded", "each in other words"]
)
def test_failures_that_are_the_runs_own_stop_no_campaign(tmp_path: Path, dead: Dead) -> None:
    outcomes = campaign_outcomes(tmp_path / "s", dead, experiment(seeds=8), jobs=1)
    assert [each.status for each in outcomes].count("failed") == (7 if dead.alive else 8)


def test_points_that_share_a_run_which_fails_are_one_failure(tmp_path: Path) -> None:
    same = experiment(**{"path.buffer": ["1 bdp", "50 kB", "50000 B"], "seeds": 2})
    assert [each.status for each in campaign_outcomes(tmp_path / "s", Dead(), same)] == ["failed"] * 6


def test_failures_of_all_experiments_of_a_campaign_count_together(tmp_path: Path) -> None:
    every = [experiment(name=name, seeds=1, duration=f"{len(name)} s") for name in ("first", "second", "the third")]
    with (
        Store.open(tmp_path / "s", write=True) as store,
        pytest.raises(EngineFailure, match="3 runs failed alike"),
    ):
        list(run_experiments(store, every, Dead(), jobs=1))


def test_a_run_that_fails_after_it_was_measured_leaves_no_series_behind(tmp_path: Path) -> None:
    campaign_outcomes(tmp_path / "s", Counting())
    campaign_outcomes(tmp_path / "s", Counting(failing=(2,)), fresh=True)
    with Store.open(tmp_path / "s") as store:
        assert list(store.faults()) == []
    assert len(list((tmp_path / "s").glob("series/*/*.parquet"))) == 6


def test_points_that_come_to_the_same_run_share_it(tmp_path: Path) -> None:
    engine = Counting()
    same = experiment(**{"path.buffer": ["1 bdp", "50 kB", "50000 B"], "seeds": 1})
    outcomes = campaign_outcomes(tmp_path / "s", engine, same)
    assert engine.measured == [1]
    assert len({each.run_id for each in outcomes}) == 1
    assert [each.point["path.buffer"] for each in outcomes] == ["1 bdp", "50 kB", "50000 B"]
    assert campaign_outcomes(tmp_path / "s", engine, same) == outcomes
    with Store.open(tmp_path / "s") as store:
        assert list(store.outcomes()) == outcomes


def test_what_is_finished_is_kept_and_told_though_an_earlier_run_is_not(tmp_path: Path) -> None:
    released = threading.Event()

    class Waiting(Counting):
        def measure(self, run: Run) -> Measurement:
            if run.seed == 1:
                released.wait(HANG_S)
            return super().measure(run)

    with Store.open(tmp_path / "s", write=True) as store:
        finished = run_experiments(store, [experiment()], Waiting(), jobs=2)
        finished_seeds = [next(finished).run.seed for _ in range(3)]
        with Store.open(tmp_path / "s") as reader:
            stored_seeds = [each.seed for each in reader.outcomes()]
        released.set()
        finished_seeds += [each.run.seed for each in finished]
    assert (finished_seeds, stored_seeds) == ([2, 3, 4, 1], [2, 3, 4])


def test_progress_is_told_once_a_run_whether_found_or_measured(tmp_path: Path) -> None:
    for _ in range(2):
        calls = itertools.count()
        campaign_outcomes(tmp_path / "s", Counting(), progress=lambda calls=calls: next(calls))
        assert next(calls) == 4


def test_a_caller_that_stops_iterating_stops_the_campaign_and_keeps_what_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn_up, released = threading.Event(), threading.Event()

    def all_at_once(*experiments: Any, **options: Any) -> Iterator[tuple[int, int, Planned]]:
        yield from agenda(*experiments, **options)
        drawn_up.set()

    monkeypatch.setattr(execution, "agenda", all_at_once)

    class Waiting(Counting):
        def measure(self, run: Run) -> Measurement:
            drawn_up.wait(HANG_S)  # a run that ends before the second is drawn up is yielded before it
            measured = super().measure(run)
            if len(self.measured) > 1:
                released.wait(HANG_S)
            return measured

    engine = Waiting()
    with Store.open(tmp_path / "s", write=True) as store:
        finished = run_experiments(store, [experiment(seeds=50)], engine, jobs=1)
        assert next(finished).outcome is not None
        assert soon(lambda: len(engine.measured) == 2)
        finished.close()
        released.set()
        assert soon(lambda: not [each for each in threading.enumerate() if each.name.startswith("run")])
    assert len(engine.measured) == 2, "the one under way was the last"
    with Store.open(tmp_path / "s") as store:
        assert store.count() == 2


def test_a_caller_that_stops_iterating_stops_the_engine_and_no_other_caller_does(tmp_path: Path) -> None:
    stopped: list[bool] = []

    class Stoppable(Counting):
        def stop(self) -> None:
            stopped.append(True)

    with Store.open(tmp_path / "s", write=True) as store:
        assert len(list(run_campaign(store, experiment(), Stoppable()))) == 4
        assert not stopped
        finished = run_experiments(store, [experiment()], Stoppable(), fresh=True)
        next(finished)
        finished.close()
    assert stopped == [True]


def test_a_bug_in_python_is_not_hidden_and_loses_nothing(tmp_path: Path) -> None:
    class Broken(Counting):
        def measure(self, run: Run) -> Measurement:
            if run.seed == 3:
                raise ZeroDivisionError(run.seed)
            return super().measure(run)

    with pytest.raises(ZeroDivisionError):
        campaign_outcomes(tmp_path / "s", Broken(), jobs=1)
    engine = Counting()
    assert len(campaign_outcomes(tmp_path / "s", engine)) == 4
    assert 1 not in engine.measured


@pytest.mark.slow
def test_outcomes_come_in_the_order_of_the_plan_and_threads_change_nothing(tmp_path: Path) -> None:
    class Overtaken(Counting):
        ended = 0

        def measure(self, run: Run) -> Measurement:
            measured = super().measure(run)
            with self.lock:
                self.ended += 1
                turn = self.ended
            assert turn % 2 == 0 or soon(lambda: self.ended > turn), "of 36 runs every other waits for the next"
            return measured

    sweep = experiment(**SWEPT, seeds=[3, 1, 2])
    engines = {1: Counting(), 2: Overtaken()}
    one, two = (campaign_outcomes(tmp_path / f"{jobs}", engine, sweep, jobs=jobs) for jobs, engine in engines.items())
    assert [(each.point, each.seed) for each in two] == [(each.point, each.resolved.run.seed) for each in plan(sweep)]
    assert one == [each.model_copy(update={"wall_s": same.wall_s}) for each, same in zip(two, one, strict=True)]
    with Store.open(tmp_path / "2") as store:
        assert list(store.outcomes()) == two


def test_seeds_that_the_store_has_besides_change_neither_which_outcomes_come_nor_their_order(tmp_path: Path) -> None:
    campaign_outcomes(tmp_path / "s", Counting(), experiment(**SWEPT, seeds=[4, 2]))
    outcomes = campaign_outcomes(tmp_path / "s", Counting(), experiment(**SWEPT, seeds=[3, 2, 1]))
    assert [each.seed for each in outcomes] == [3, 2, 1] * 12
    with Store.open(tmp_path / "s") as store:
        assert [each.seed for each in store.outcomes()] == [1, 2, 3, 4] * 12


def test_a_campaign_is_carried_out_seed_by_seed_with_the_points_of_each_shuffled_in_the_same_way(
    tmp_path: Path,
) -> None:
    sweep = experiment(**SWEPT, seeds=3)
    places = [place for _, place, _ in agenda([sweep])]
    every = list(plan(sweep))
    assert [each for *_, each in agenda([sweep])] == [every[place] for place in places]
    assert sorted(places) == list(range(36))
    points = [[place // 3 for place in places[begin : begin + 12]] for begin in (0, 12, 24)]
    assert [sorted(each) for each in points] == [list(range(12))] * 3, "all points with each seed before the next"
    assert [place % 3 for place in places] == [0] * 12 + [1] * 12 + [2] * 12
    assert len({tuple(each) for each in (*points, range(12))}) == 4, "in another order with each"
    with Store.open(tmp_path / "s", write=True) as store:
        done = [finished.outcome for finished in run_experiments(store, [sweep], SimEngine(), jobs=1)]
    assert [(each.point, each.seed) for each in done if each] == [
        (each.point, each.resolved.run.seed) for *_, each in agenda([sweep])
    ]


@pytest.mark.slow
def test_a_tenth_of_a_campaign_is_from_all_over_the_sweep() -> None:
    """Of 100 cells of 400 points each none has less than half or more than twice its part of 4,000 runs."""
    axes = {"path.rtt": [f"{n} ms" for n in range(10, 210)], "path.buffer": [f"{n} kB" for n in range(10, 210)]}
    sweep = experiment(**axes, seeds=1)
    first = islice((place for _, place, _ in agenda([sweep])), 4000)
    cells = Counter((place // 200 // 20, place % 200 // 20) for place in first)
    assert len(cells) == 100
    assert 20 <= min(cells.values()) <= max(cells.values()) <= 80


@pytest.mark.slow
def test_a_run_that_several_points_come_to_is_tried_once_however_far_apart_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More points than are drawn up ahead, each the same as the one a whole block later."""
    buffers = [f"{n} B" for n in range(50_000, 50_100)] + [f"{n / 1000} kB" for n in range(50_000, 50_100)]
    same = experiment(**{"path.buffer": buffers, "duration": "50 ms", "flows[1].start": "0 s", "seeds": 1})
    for fresh in (False, True):
        engine = Counting()
        outcomes = campaign_outcomes(tmp_path / "s", engine, same, jobs=1, fresh=fresh)
        assert len(engine.measured) == 100
        assert [each.point["path.buffer"] for each in outcomes] == buffers
    monkeypatch.setattr(execution, "ALIKE", math.inf)
    dead = Dead("a bug")
    failed = campaign_outcomes(tmp_path / "failed", dead, same, jobs=1)
    assert [each.status for each in failed] == ["failed"] * 200
    assert len(dead.measured) == 100


def test_a_long_plan_is_not_drawn_up_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Planned] = []

    def counting(*experiments: Any, **options: Any) -> Iterator[tuple[int, int, Planned]]:
        for each in agenda(*experiments, **options):
            drawn.append(each[-1])
            yield each

    class Waiting(Counting):
        def measure(self, run: Run) -> Measurement:
            assert soon(lambda: len(drawn) > AHEAD)
            return super().measure(run)

    monkeypatch.setattr(execution, "agenda", counting)
    with Store.open(tmp_path / "s", write=True) as store:
        finished = run_experiments(store, [experiment(seeds=200)], Waiting(), jobs=1)
        next(finished)
        assert len(drawn) == AHEAD + 1
        finished.close()


def test_a_plan_has_as_many_runs_as_were_counted() -> None:
    moment = load(MOMENT)
    assert count(moment) == len(list(plan(moment))) == 4
