"""From specs to verdicts: what is run, what is not run again, and that a wrong engine is found out."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from agreed import Scaled, agreement_of, moment
from dev.strata import conditions as random_conditions
from dumbbell.comparison.campaigns import Sides, points, problems, run_conditions, runs
from dumbbell.comparison.record import Agreement, RunFailure
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import EngineFailure, StoreFailure
from dumbbell.results.store import Store
from dumbbell.spec import Problem, Run, load


class Choosy(Scaled):
    """Refuses whatever has a buffer."""

    def unsupported_fields(self, run: Run) -> list[Problem]:
        return [Problem("path.buffer", "is too much", "have none")]


class Interrupted(Scaled):
    """Is stopped from the keyboard during its fourth run."""

    def measure(self, run: Run) -> Measurement:
        if len(self.measured) == 3:
            raise KeyboardInterrupt
        return super().measure(run)


def verdicts(agreement: Agreement) -> dict[str, bool | None]:
    return {band.metric: band.holds for band in agreement.bands}


def test_an_engine_agrees_with_itself_to_the_last_digit_under_the_same_seeds(tmp_path: Path) -> None:
    agreement = agreement_of(tmp_path / "s", Sides(Scaled(), SimEngine(), 3, 0))
    assert agreement.holds
    assert {each.difference for condition in agreement.conditions for each in condition.differences} == {0.0}


def test_an_engine_that_delivers_too_little_breaks_the_goodput_bands_and_no_other(agreement: Agreement) -> None:
    assert not agreement.holds
    assert verdicts(agreement) == {
        "group_goodput": False, "total_goodput": False, "loss": verdicts(agreement)["loss"],
        "small_loss": verdicts(agreement)["small_loss"], "queueing_delay": True, "winner": True,
    }  # fmt: skip
    assert False not in (verdicts(agreement)["loss"], verdicts(agreement)["small_loss"])
    total = next(band for band in agreement.bands if band.metric == "total_goodput")
    assert total.difference == pytest.approx(-0.1, abs=1e-4)
    assert total.floor.p90 is not None
    assert total.measured.p90 is not None
    assert total.floor.p90 < total.measured.p90


@pytest.mark.slow
def test_the_same_engine_under_other_seeds_is_within_the_bands(tmp_path: Path) -> None:
    """Ten random conditions of 20 s with five seeds. By medians: of ten conditions one that is all chance is a tail."""
    drawn = list(random_conditions.conditions(10, 21, duration="20 s", most_packets=60_000))
    agreement = agreement_of(tmp_path / "s", Sides(SimEngine(), SimEngine(), 5, 0), drawn)
    for band in agreement.bands:
        if band.measured.median is not None and band.median_limit is not None:
            assert band.measured.median <= band.median_limit, band.metric
    assert agreement.candidate.seeds == (6, 7, 8, 9, 10)
    assert all(len(each.candidate) == len(each.reference) == 5 for each in agreement.conditions)


def test_an_engine_that_fails_alike_from_the_start_is_asked_for_three_runs_of_all_conditions(tmp_path: Path) -> None:
    dead = Scaled(failing=(1, 2, 3))
    drawn = list(random_conditions.conditions(20, 21, duration="1 s", most_packets=2_000))
    with (
        Store.open(tmp_path / "s", write=True) as store,
        pytest.raises(
            EngineFailure, match="double: 3 runs failed alike and none succeeded, so no other was tried: a bug"
        ),
    ):
        run_conditions(store, drawn, Sides(dead, SimEngine(), 1, 0), jobs=1)
    assert len(dead.measured) == 3


def test_the_floor_has_seeds_of_its_own(agreement: Agreement) -> None:
    assert (agreement.reference.seeds, agreement.floor_seeds, agreement.candidate.seeds) == ((1, 2), (3,), (1, 2))
    for condition in agreement.conditions:
        sides = (condition.candidate, condition.reference, condition.floor)
        assert [[run.seed for run in side] for side in sides] == [[1, 2], [1, 2], [3]]
        assert len({run.run_id for side in sides for run in side}) == 5


def test_the_same_engine_twice_shares_no_seed() -> None:
    sides = Sides(SimEngine(), SimEngine(), 3, 2)
    assert (sides.reference_seeds, sides.floor_seeds, sides.candidate_seeds) == ([1, 2, 3], [4, 5], [6, 7, 8])
    assert runs([moment()], sides) == 2 * 8
    assert runs([moment()], Sides(Scaled(), SimEngine(), 3, 2)) == 2 * (3 + 5)


def test_points_are_named_and_in_order(agreement: Agreement) -> None:
    assert [condition.name for condition in agreement.conditions] == ["moment-1", "moment-2"]
    assert [condition.point for condition in agreement.conditions] == [
        {"path.buffer": "0.5 bdp"}, {"path.buffer": "2 bdp"},
    ]  # fmt: skip
    assert [condition.buffer_bdp for condition in agreement.conditions] == [0.5, 2.0]
    assert [name for name, _ in points(moment(**{"path.buffer": "1 bdp"}))] == ["moment"]


def test_what_is_there_is_not_run_again(tmp_path: Path) -> None:
    ours = Scaled(0.9)
    first = agreement_of(tmp_path / "s", Sides(ours, SimEngine(), 2, 1))
    second = agreement_of(tmp_path / "s", Sides(ours, SimEngine(), 2, 1))
    assert len(ours.measured) == 4
    assert first == second
    agreement_of(tmp_path / "s", Sides(ours, SimEngine(), 3, 1))
    assert sorted(seed for _, seed in ours.measured) == [1, 1, 2, 2, 3, 3]


def test_jobs_change_nothing(tmp_path: Path) -> None:
    drawn = list(random_conditions.conditions(3, 2, duration="2 s", most_packets=5_000))
    with Store.open(tmp_path / "a", write=True) as store:
        one = run_conditions(store, drawn, Sides(Scaled(), SimEngine(), 2, 1), jobs=1)
    with Store.open(tmp_path / "b", write=True) as store:
        three = run_conditions(store, drawn, Sides(Scaled(), SimEngine(), 2, 1), jobs=3)
    assert one == three
    assert [each.name for each in one] == ["random-2-1", "random-2-2", "random-2-3"]


def test_an_interrupted_comparison_keeps_what_is_finished(tmp_path: Path) -> None:
    stopped = Interrupted()
    with Store.open(tmp_path / "s", write=True) as store, pytest.raises(KeyboardInterrupt):
        run_conditions(store, [moment()], Sides(stopped, SimEngine(), 2, 0), jobs=1)
    assert len(stopped.measured) == 3
    fresh = Scaled()
    agreement_of(tmp_path / "s", Sides(fresh, SimEngine(), 2, 0))
    assert len(fresh.measured) == 1


def test_after_a_failure_of_the_store_no_condition_is_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, began = Scaled(), threading.Event()

    def full(*_: object, **__: object) -> None:
        began.set()
        raise StoreFailure("the disk is full")

    drawn = list(random_conditions.conditions(40, 2, duration="1 s", most_packets=5_000))
    with Store.open(tmp_path / "s", write=True) as store:
        monkeypatch.setattr(store, "put", full)
        with pytest.raises(StoreFailure):
            run_conditions(store, drawn, Sides(ours, SimEngine(), 1, 0), jobs=1)
    assert began.is_set()
    assert len(ours.measured) < 40


def test_an_engine_that_fails_leaves_its_condition_out_and_the_rest_is_compared(tmp_path: Path) -> None:
    agreement = agreement_of(tmp_path / "s", Sides(Scaled(failing=(2,)), SimEngine(), 2, 0))
    assert not agreement.holds
    assert [condition.failures for condition in agreement.conditions] == [
        (RunFailure(engine="double", seed=2, error="a bug"),)
    ] * 2
    assert {band.holds for band in agreement.bands} == {None}


def test_what_either_engine_refuses_is_told_once_with_its_name_and_path() -> None:
    for sides in (Sides(Choosy(), SimEngine(), 1, 0), Sides(SimEngine(), Choosy(), 1, 0)):
        assert list(map(str, problems([moment(), moment(name="other")], sides))) == [
            "path.buffer: double: is too much; have none"
        ]
    looked_at = load(moment(), overrides={"measure.ss": "100 ms"})
    (problem,) = problems([looked_at], Sides(SimEngine(), SimEngine(), 1, 0))
    assert (problem.path, problem.message.partition(":")[0]) == ("measure.ss", "sim")
