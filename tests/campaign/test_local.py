from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator

import pytest

from commandline import MOMENT
from dumbbell.campaign.local import AHEAD, Planned, carry_out, count, plan
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import EngineFailure
from dumbbell.results.schema import FailedRun
from dumbbell.spec import Run, load


class Fickle(SimEngine):
    """Fails some seeds, is slow with the first, and counts what it was asked."""

    def __init__(self, failing: tuple[int, ...] = ()) -> None:
        self.failing = failing
        self.begun: list[int] = []
        self.lock = threading.Lock()

    def measure(self, run: Run) -> Measurement:
        with self.lock:
            self.begun.append(run.seed)
        if run.seed == 1:
            time.sleep(0.2)
        if run.seed in self.failing:
            raise EngineFailure("a bug")
        return super().measure(run)


def runs(seeds: int) -> list[Planned]:
    overrides = {"seeds": seeds, "path.buffer": "1 bdp", "duration": "1 s"}
    return list(plan(load(MOMENT, overrides=overrides)))


def test_outcomes_come_in_the_order_of_the_plan_whoever_is_first() -> None:
    assert [outcome.seed for outcome in carry_out(runs(8), Fickle(), 2)] == list(range(1, 9))


def test_a_run_that_fails_is_an_outcome_among_the_others() -> None:
    outcomes = list(carry_out(runs(4), Fickle(failing=(2, 3)), 2))
    assert [outcome.status for outcome in outcomes] == ["ok", "failed", "failed", "ok"]
    assert isinstance(outcomes[1], FailedRun)
    assert outcomes[1].error == "a bug"


def test_an_engine_that_fails_three_runs_alike_before_any_succeeds_is_asked_no_more() -> None:
    engine = Fickle(failing=tuple(range(1, 100)))
    outcomes = carry_out(runs(99), engine, 1)
    assert [next(outcomes).seed, next(outcomes).seed] == [1, 2]
    with pytest.raises(EngineFailure, match=r"^3 runs failed alike and none succeeded, so no other was tried: a bug$"):
        next(outcomes)
    assert engine.begun == [1, 2, 3]


def test_a_bug_in_python_is_not_hidden() -> None:
    class Broken(SimEngine):
        def measure(self, run: Run) -> Measurement:
            raise ZeroDivisionError(run.seed)

    with pytest.raises(ZeroDivisionError):
        list(carry_out(runs(2), Broken(), 2))


def test_whoever_stops_asking_stops_the_campaign() -> None:
    engine = Fickle()
    outcomes = carry_out(runs(50), engine, 1)
    assert next(outcomes).seed == 1
    outcomes.close()  # type: ignore[attr-defined]
    begun = len(engine.begun)
    time.sleep(0.3)
    assert len(engine.begun) <= begun + 1
    assert begun < 50


def test_a_long_plan_is_not_drawn_up_at_once() -> None:
    drawn = 0

    def endless() -> Iterator[Planned]:
        nonlocal drawn
        (planned,) = runs(1)
        while True:
            drawn += 1
            yield planned

    outcomes = carry_out(endless(), Fickle(), 1)
    next(outcomes)
    assert drawn <= AHEAD + 1
    outcomes.close()  # type: ignore[attr-defined]


def test_threads_change_nothing() -> None:
    texts = [
        [re.sub(r'"wall_s":[^,]+', "", outcome.model_dump_json()) for outcome in carry_out(runs(6), SimEngine(), jobs)]
        for jobs in (1, 2, 1)
    ]
    assert len(texts[0]) == 6
    assert texts[0] == texts[1] == texts[2]


def test_a_plan_has_as_many_runs_as_were_counted() -> None:
    experiment = load(MOMENT)
    assert count(experiment) == len(list(plan(experiment))) == 4
