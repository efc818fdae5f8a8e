"""What campaigns are to one another, as their rows say: which one is replaced, and which is part of another."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import dumbbell
from commandline import MOMENT
from dumbbell.campaign.execution import run_experiments
from dumbbell.campaign.plan import agenda
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import DamageWarning
from dumbbell.results.campaign import begin
from dumbbell.results.store import Store
from dumbbell.spec import load
from ledgers import execute
from specs import smallest

PART = {"path__buffer": ["2 bdp"]}
WIDE = ["0.5 bdp", "1 bdp", "2 bdp", "4 bdp", "8 bdp", "16 bdp"]


def relations(folder: Path) -> list[tuple[int | None, int | None]]:
    """Which one replaced each campaign, and which one it is part of, in the order of their first beginning."""
    with Store.open(folder) as store:
        return [row[:] for row in store.ledger.rows("SELECT replaced_by, part_of FROM campaign ORDER BY id")]


def faults(folder: Path) -> list[str]:
    with Store.open(folder) as store:
        return [each.text for each in store.faults()]


def test_of_builds_that_take_turns_the_last_is_shown(folder: Path, campaign: Any) -> None:
    campaign(build="one")
    assert relations(folder) == [(None, None)]
    campaign(build="two")
    assert relations(folder) == [(2, None), (None, None)]
    campaign(build="one")
    assert relations(folder) == [(None, None), (1, None)]
    assert faults(folder) == []


def test_a_later_build_replaces_what_it_is_asked_for_again_and_no_more(folder: Path, campaign: Any) -> None:
    campaign(build="one")
    campaign(build="two", **PART)
    assert relations(folder) == [(None, None), (None, None)], "half of the points are of the first build only"
    campaign(build="two", path__buffer=["2 bdp", "0.5 bdp", "1 bdp"])
    assert relations(folder) == [(3, None), (None, 3), (None, None)]


def test_a_part_is_one_as_long_as_the_other_has_all_of_its_runs(folder: Path, campaign: Any) -> None:
    campaign(**PART)
    campaign()
    assert relations(folder) == [(None, 2), (None, None)]
    campaign(**PART, seeds=3)
    assert relations(folder) == [(None, None), (None, None)], "the third seed is the part's only"
    campaign(seeds=3)
    assert relations(folder) == [(None, 2), (None, None)]
    campaign(**PART, seeds=3)
    assert relations(folder) == [(None, 2), (None, None)], "however late it was resumed"


def test_of_two_with_the_same_runs_the_earlier_is_part_of_the_later(folder: Path, campaign: Any) -> None:
    campaign(path__buffer=["25 kB"])
    campaign(path__buffer=["25000 B"])
    assert relations(folder) == [(None, 2), (None, None)]
    campaign(path__buffer=["25 kB"])
    assert relations(folder) == [(None, None), (None, 1)]


def test_a_larger_one_that_was_stopped_hides_no_run_that_it_has_not(folder: Path, campaign: Any) -> None:
    """Its first runs are over, or known, before the last one of the smaller is looked for."""
    wide = load(MOMENT, overrides={"name": "moment", "duration": "1 s", "path.buffer": WIDE, "seeds": 1})
    *_, late, last = (planned.point["path.buffer"] for *_, planned in agenda([wide]))
    outcomes = campaign(path__buffer=[late, last], seeds=1)
    with Store.open(folder, write=True) as store, closing(run_experiments(store, [wide], SimEngine(), jobs=1)) as runs:
        next(runs)
    assert relations(folder)[0] == (None, None)
    with Store.open(folder) as store:
        assert list(store.outcomes(experiment="moment"))[: len(outcomes)] == outcomes
    campaign(path__buffer=WIDE, seeds=1)
    assert relations(folder) == [(None, 2), (None, None)]


def test_a_part_is_shown_while_it_gets_runs(folder: Path, campaign: Any) -> None:
    campaign()
    part = load(MOMENT, overrides={"name": "moment", "duration": "1 s", "path.buffer": ["2 bdp"]})
    with Store.open(folder, write=True) as store:
        list(run_experiments(store, [part], SimEngine()))
        assert relations(folder) == [(None, None), (None, None)]
        begin(store.ledger, part, "sim", SimEngine().identity(), 1)
        assert relations(folder) == [(None, None), (None, None)]
    assert relations(folder) == [(None, None), (None, 1)]


def test_what_a_killed_writer_left_is_put_right_by_the_next(folder: Path, campaign: Any) -> None:
    campaign(**PART)
    campaign()
    execute(folder, "UPDATE campaign SET part_of = NULL, replaced_by = 1 WHERE id = 2", "INSERT INTO writer VALUES (1)")
    with Store.open(folder, write=True):
        assert relations(folder) == [(None, 2), (None, None)]


def test_what_is_pruned_is_nobodys_any_more(folder: Path, campaign: Any) -> None:
    campaign(build="one", path__rtt=["20 ms"], **PART)
    campaign(build="one", path__rtt="20 ms")
    campaign(build="two", path__rtt="20 ms")
    assert relations(folder) == [(None, 2), (3, None), (None, None)], "a list of one value is another spec"
    with Store.open(folder, write=True) as store:
        assert store.prune() == 2
    assert relations(folder) == [(None, None), (None, None)]
    assert faults(folder) == []


@pytest.mark.parametrize("write", [False, True], ids=["read", "salvaged"])
def test_a_part_is_shown_where_the_other_is_damaged(folder: Path, campaign: Any, *, write: bool) -> None:
    outcomes = campaign(**PART)
    campaign()
    execute(folder, "UPDATE campaign SET turn = 9 WHERE id = 2", vouched=False)
    with pytest.warns(DamageWarning), Store.open(folder, write=write) as store:
        assert list(store.outcomes()) == outcomes
    if write:
        assert relations(folder) == [(None, None)]
        assert faults(folder) == []


def test_groups_alone_are_part_of_the_campaign_that_they_are_of_and_replaced_with_it(tmp_path: Path) -> None:
    both = smallest(name="both", duration="1 s", flows=[{"cc": "bbr"}, {"cc": "cubic"}])
    for build in ("one", "two"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(SimEngine, "identity", lambda _, build=build: build)
            dumbbell.run(both, store=tmp_path, harm=build == "one")
    assert relations(tmp_path) == [(3, None), (3, 1), (None, None)]
