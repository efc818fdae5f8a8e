"""Engines of which one is known by an earlier record, and seeds of each one's own."""

from __future__ import annotations

from pathlib import Path
from statistics import median

import pytest

from agreed import Scaled, agreement_of, moment
from dev.sides import MEASURED_BY, KnownSides, Recorded
from dev.strata.text import command
from dumbbell.comparison.agreement_text import origin
from dumbbell.comparison.campaigns import runs
from dumbbell.comparison.record import Side
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import EngineFailure
from dumbbell.results.provenance import figures_identity
from dumbbell.results.store import Store


def test_the_candidate_may_have_more_seeds_and_each_role_keeps_its_own(tmp_path: Path) -> None:
    sides = KnownSides(Scaled(0.9), SimEngine(), 2, 1, own=4)
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


def test_a_record_stands_for_the_runs_of_an_engine_that_is_not_there(tmp_path: Path) -> None:
    """Nothing but the candidate runs then, and what comes out is the same."""
    with_both = agreement_of(tmp_path / "a", KnownSides(Scaled(0.9), SimEngine(), 2, 1))
    ours = Scaled(0.9)
    away = Recorded(with_both.reference)
    sides = KnownSides(ours, away, 2, 1, with_both)
    assert runs([moment()], sides) == 2 * 2
    again = agreement_of(tmp_path / "b", sides)
    assert len(ours.measured) == 4
    assert (again.bands, again.reference) == (with_both.bands, with_both.reference)
    with pytest.raises(EngineFailure, match="sim is not on this machine, and the record has no such run"):
        agreement_of(tmp_path / "c", KnownSides(ours, away, 3, 1, with_both))


def test_a_record_of_another_run_stands_for_nothing(tmp_path: Path) -> None:
    with_both = agreement_of(tmp_path / "a", KnownSides(Scaled(0.9), SimEngine(), 1, 1))
    sides = KnownSides(Scaled(0.9), SimEngine(), 1, 1, with_both)
    assert sides.known(moment())
    assert not sides.known(moment(**{"path.rtt": "21 ms"}))
    assert not sides.known(moment(name="other"))
    assert not KnownSides(Scaled(0.9), SimEngine(), 2, 1, with_both).known(moment())


def test_a_failure_of_the_candidate_leaves_the_references_runs_usable(tmp_path: Path) -> None:
    with_both = agreement_of(tmp_path / "a", KnownSides(Scaled(failing=(2,)), SimEngine(), 2, 1))
    assert all(each.failures for each in with_both.conditions)
    assert KnownSides(Scaled(0.9), SimEngine(), 2, 1, with_both).known(moment())
    lacking = with_both.conditions[0].model_copy(update={"reference": with_both.conditions[0].reference[:1]})
    record = with_both.model_copy(update={"conditions": (lacking, *with_both.conditions[1:])})
    assert not KnownSides(Scaled(0.9), SimEngine(), 2, 1, record).known(moment())


def test_figures_that_were_computed_in_another_way_stand_for_nothing(tmp_path: Path) -> None:
    record = agreement_of(tmp_path / "a", KnownSides(Scaled(0.9), SimEngine(), 1, 1))
    assert record.reference.figures == figures_identity()
    for other in ("another", None):
        side = record.reference.model_copy(update={"figures": other})
        sides = KnownSides(Scaled(0.9), SimEngine(), 1, 1, record.model_copy(update={"reference": side}))
        assert not sides.known(moment())
    again = agreement_of(tmp_path / "a", sides)
    assert again.reference.figures == figures_identity(), "what is measured here is today's"


def test_fewer_seeds_of_the_reference_are_as_many_as_are_run(tmp_path: Path) -> None:
    agreement = agreement_of(tmp_path / "a", KnownSides(Scaled(0.9), SimEngine(), 3, 1, fewer=1))
    for condition in agreement.conditions:
        sides = (condition.candidate, condition.reference, condition.floor)
        assert [[run.seed for run in side] for side in sides] == [[1, 2, 3], [1], [4]]


def test_another_build_that_repeats_a_sample_to_the_digit_stands_behind_the_record(tmp_path: Path) -> None:
    """One that gives another number does not, nor does a record of other runs."""
    both = agreement_of(tmp_path / "a", KnownSides(Scaled(0.9), SimEngine(), 2, 1))
    old = both.reference.model_copy(update={"identity": "0123", "figures": "of old"})
    record = both.model_copy(update={"reference": old})

    def repeated(engine: Scaled | SimEngine, **overrides: str) -> tuple[Side, KnownSides]:
        sides = KnownSides(Scaled(0.9), engine, 2, 1, record)
        with Store.open(tmp_path / "b", write=True) as store:
            return sides.repeated(store, [(moment(**overrides), sides)], None), sides

    side, sides = repeated(SimEngine())
    assert (side.identity, side.figures) == (SimEngine().identity(), figures_identity())
    assert side.measured_on[MEASURED_BY] == "0123"
    assert not sides.known(moment())
    assert KnownSides(
        Scaled(0.9), SimEngine(), 2, 1, record.model_copy(update={"reference": side})
    ).known(moment())  # fmt: skip
    assert repeated(Scaled(1.01))[0] == old
    assert repeated(SimEngine(), **{"path.rtt": "21 ms"})[0] == old
