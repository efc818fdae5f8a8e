"""`dumbbell.run` and `dumbbell.open`, as a notebook uses them."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

import dumbbell
from commandline import MOMENT
from dumbbell.campaign.run import Results

POINT = ["0.5 bdp", "0.5 bdp", "2 bdp", "2 bdp"]


@pytest.fixture
def results() -> Results:
    return dumbbell.run(MOMENT)


def test_the_frames_have_the_runs_in_order(results: Results) -> None:
    assert results.summary()["path.buffer"].tolist() == POINT
    assert results.summary()["run_id"].tolist() == [each.run_id for each in results]
    assert results.flows()["name"].tolist() == ["bbr", "cubic"] * 4
    shares = results.groups().groupby(["path.buffer", "name"])["share"].mean()
    assert shares["0.5 bdp", "bbr"] + shares["0.5 bdp", "cubic"] == pytest.approx(1)


def test_series_of_one_run_or_of_all(results: Results) -> None:
    every, one = results.series(), results.series(2)
    assert list(every.columns[:3]) == ["run_id", "seed", "path.buffer"]
    third = every[every["run_id"] == results[2].run_id]
    assert third["srtt_s"].dropna().tolist() == one["srtt_s"].dropna().tolist()
    assert len(one) == len(results.series(results[2].run_id)) > 50
    assert every["path.buffer"].unique().tolist() == ["0.5 bdp", "2 bdp"]
    assert len(results.queue()) == 4 * len(results.queue(0)) == 4 * 60
    assert (results.queue(0)["backlog_bytes"] <= 0.5 * 50_000).all()


def test_a_temporary_store_goes_with_its_results() -> None:
    results = dumbbell.run(MOMENT)
    folder = results.store
    assert (folder / "ledger.sqlite").is_file()
    del results
    gc.collect()
    assert not folder.exists()


def test_a_store_keeps_the_runs_and_answers_from_them(tmp_path: Path) -> None:
    first, second = (dumbbell.run(MOMENT, store=tmp_path / "store") for _ in range(2))
    assert first.outcomes == second.outcomes  # with wall_s
    fresh = dumbbell.run(MOMENT, "sim", tmp_path / "store", fresh=True)
    assert first.outcomes != fresh.outcomes
    with dumbbell.open(tmp_path / "store") as store:
        assert isinstance(store, dumbbell.Store)
        assert tuple(store.outcomes()) == fresh.outcomes
        assert store.runs().equals(fresh.summary())


def test_results_are_those_of_their_own_campaign(tmp_path: Path) -> None:
    one = dumbbell.run(MOMENT, store=tmp_path / "store")
    other = dumbbell.run(MOMENT.replace("seeds = 2", "seeds = 1"), store=str(tmp_path / "store"))
    assert (len(one.summary()), len(other.summary())) == (4, 2)
    assert (len(one.flows()), len(other.flows())) == (8, 4)


def test_what_is_no_store_is_an_error_of_dumbbell(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(dumbbell.StoreError, match="is a file"):
        dumbbell.run(MOMENT, store=tmp_path / "file")
    with pytest.raises(dumbbell.StoreError, match="no such store"):
        dumbbell.open(tmp_path / "absent")


def test_a_run_without_series_says_so() -> None:
    results = dumbbell.run(MOMENT + '[measure]\nrecord = "summary"')
    with pytest.raises(dumbbell.StoreError, match="kept no series"):
        results.series()
    assert len(results.summary()) == 4
