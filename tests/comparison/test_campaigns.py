"""From specs to verdicts: what is run, what is not run again, and that a wrong engine is found out."""

from __future__ import annotations

import threading
from pathlib import Path
from statistics import median

import pytest

from agreed import Scaled, agreement_of, moment
from dumbbell.comparison import random_conditions
from dumbbell.comparison.agreement_text import command, origin
from dumbbell.comparison.campaigns import Recorded, Sides, flows, points, problems, run_conditions, runs
from dumbbell.comparison.record import Agreement, RunFailure
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import ComparisonError, EngineFailure, StoreFailure
from dumbbell.results.provenance import figures_identity
from dumbbell.results.store import Store
from dumbbell.spec import Problem, Run, expand, load


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


def test_the_candidate_may_have_more_seeds_and_each_role_keeps_its_own(tmp_path: Path) -> None:
    sides = Sides(Scaled(0.9), SimEngine(), 2, 1, own=4)
    agreement = agreement_of(tmp_path / "s", sides)
    assert (agreement.candidate.seeds, agreement.reference.seeds, agreement.floor_seeds) == ((1, 2, 3, 4), (1, 2), (3,))
    assert "4 seeds of double, 2 of sim, 1 more of sim for its noise" in origin(agreement)
    assert "--seeds 2 --candidate-seeds 4 --floor 1" in command(agreement)
    for condition in agreement.conditions:
        roles = (condition.candidate, condition.reference, condition.floor)
        assert [[run.seed for run in role] for role in roles] == [[1, 2, 3, 4], [1, 2], [3]]
        (difference, *_) = condition.differences
        goodputs = [run.groups[str(difference.group)].goodput_bps for run in condition.candidate]
        assert difference.candidate == pytest.approx(median(goodputs), rel=1e-5)


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
    pcap = load(moment(), overrides={"measure.record": "pcap"})
    (problem,) = problems([pcap], Sides(SimEngine(), SimEngine(), 1, 0))
    assert (problem.path, problem.message.partition(":")[0]) == ("measure.record", "sim")


def test_two_experiments_of_one_name_are_refused(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s", write=True) as store, pytest.raises(ComparisonError):
        run_conditions(store, [moment(), moment()], Sides(Scaled(), SimEngine(), 1, 0))


def test_every_flow_of_every_run_of_both_engines_with_its_counters() -> None:
    experiment = load(next(expand(moment())))
    rows = flows(experiment, Sides(Scaled(0.5), SimEngine(), 2, 3), jobs=2)
    assert [(each["engine"], each["seed"], each["flow"]) for each in rows] == [
        (engine, seed, flow) for engine in ("sim", "double") for seed in (1, 2) for flow in (0, 1)
    ]
    reference, candidate = rows[0], rows[4]
    assert candidate["goodput_bps"] == pytest.approx(reference["goodput_bps"] / 2, rel=1e-4)
    delivered = {"engine", "goodput_bps", "goodput_whole_bps", "cov", "starved_s", "starved_longest_s"}
    assert all(candidate[key] == reference[key] for key in reference.keys() - delivered)
    for each in rows:
        assert each["segments_sent"] >= each["retransmits"]
        assert each["timeouts"] is not None
        assert each["cwnd_mean_segments"] > 1
    assert sum(each["retransmits"] for each in rows) > 0


def test_a_record_stands_for_the_runs_of_an_engine_that_is_not_there(tmp_path: Path) -> None:
    """Nothing but the candidate runs then, and what comes out is the same."""
    with_both = agreement_of(tmp_path / "a", Sides(Scaled(0.9), SimEngine(), 2, 1))
    ours = Scaled(0.9)
    away = Recorded(with_both.reference)
    sides = Sides(ours, away, 2, 1, with_both)
    assert runs([moment()], sides) == 2 * 2
    again = agreement_of(tmp_path / "b", sides)
    assert len(ours.measured) == 4
    assert (again.bands, again.reference) == (with_both.bands, with_both.reference)
    with pytest.raises(EngineFailure, match="sim is not on this machine, and the record has no such run"):
        agreement_of(tmp_path / "c", Sides(ours, away, 3, 1, with_both))


def test_a_record_of_another_run_stands_for_nothing(tmp_path: Path) -> None:
    with_both = agreement_of(tmp_path / "a", Sides(Scaled(0.9), SimEngine(), 1, 1))
    sides = Sides(Scaled(0.9), SimEngine(), 1, 1, with_both)
    assert sides.known(moment())
    assert not sides.known(moment(**{"path.rtt": "21 ms"}))
    assert not sides.known(moment(name="other"))
    assert not Sides(Scaled(0.9), SimEngine(), 2, 1, with_both).known(moment())


def test_a_failure_of_the_candidate_leaves_the_references_runs_usable(tmp_path: Path) -> None:
    with_both = agreement_of(tmp_path / "a", Sides(Scaled(failing=(2,)), SimEngine(), 2, 1))
    assert all(each.failures for each in with_both.conditions)
    assert Sides(Scaled(0.9), SimEngine(), 2, 1, with_both).known(moment())
    lacking = with_both.conditions[0].model_copy(update={"reference": with_both.conditions[0].reference[:1]})
    record = with_both.model_copy(update={"conditions": (lacking, *with_both.conditions[1:])})
    assert not Sides(Scaled(0.9), SimEngine(), 2, 1, record).known(moment())


def test_figures_that_were_computed_in_another_way_stand_for_nothing(tmp_path: Path) -> None:
    record = agreement_of(tmp_path / "a", Sides(Scaled(0.9), SimEngine(), 1, 1))
    assert record.reference.figures == figures_identity()
    for other in ("another", None):
        side = record.reference.model_copy(update={"figures": other})
        sides = Sides(Scaled(0.9), SimEngine(), 1, 1, record.model_copy(update={"reference": side}))
        assert not sides.known(moment())
    again = agreement_of(tmp_path / "a", sides)
    assert again.reference.figures == figures_identity(), "what is measured here is today's"


def test_fewer_seeds_of_the_reference_are_as_many_as_are_run(tmp_path: Path) -> None:
    agreement = agreement_of(tmp_path / "a", Sides(Scaled(0.9), SimEngine(), 3, 1, fewer=1))
    for condition in agreement.conditions:
        sides = (condition.candidate, condition.reference, condition.floor)
        assert [[run.seed for run in side] for side in sides] == [[1, 2, 3], [1], [4]]
