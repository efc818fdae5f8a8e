"""Runs by the hour in which they began: in the table, in an export, and how far apart the runs of a pair were."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from commandline import MOMENT, dumbbell
from dumbbell.campaign.execution import run_campaign
from dumbbell.engines.sim import SimEngine
from dumbbell.results import outcomes
from dumbbell.results.store import Store
from dumbbell.spec import load

NIGHT = datetime(2026, 11, 10, 16, 55, tzinfo=UTC)
"""In Tokyo it is 01:55."""


class Live(SimEngine):
    name = "netns"
    live = True

    def slots(self) -> int:
        return 1


@pytest.fixture
def tokyo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        yield
    time.tzset()


@pytest.fixture
def measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tokyo: None) -> Path:
    """A store with a run each quarter of an hour from 01:55 on: two algorithms in four blocks."""
    del tokyo
    ended = iter(range(100))

    class Moved(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:  # type: ignore[override]
            assert tz is UTC
            return NIGHT + next(ended) * timedelta(minutes=15)

    monkeypatch.setattr(outcomes, "datetime", Moved)
    fields = {"flows[0].cc": ["bbr", "reno"], "path.buffer": "1 bdp", "seeds": 4, "path.jitter": "none"}
    with Store.open(tmp_path / "s", write=True) as store:
        assert len(list(run_campaign(store, load(MOMENT, overrides=fields), Live()))) == 8
    return tmp_path / "s"


def test_the_table_has_a_row_for_each_hour_of_the_measuring_machine(measured: Path) -> None:
    done = dumbbell("results", "show", measured, "--by", "hour", "--columns", "n,goodput", "--sort", "hour")
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines() if line.startswith(("01:00", "02:00", "03:00", "04:00"))]
    assert [line[0] for line in lines] == sorted(line[0] for line in lines)
    assert {line[0] for line in lines} == {"01:00", "02:00", "03:00"}
    assert any(line.split()[:2] == ["hour", "group"] for line in done.stdout.splitlines())
    assert dumbbell("results", "show", measured, "--sort", "hour").returncode == 2


def test_all_runs_are_in_some_hour_with_the_numbers_that_they_have(measured: Path) -> None:
    from dumbbell.experiment.by_hour import by_hour  # noqa: PLC0415 (beside its use)
    from dumbbell.experiment.points import read_campaign  # noqa: PLC0415 (likewise)

    with Store.open(measured) as store:
        (campaign,) = store.campaigns()
        runs = read_campaign(store, campaign)
        divided = by_hour(store, campaign, runs)
    assert divided.axes == ["hour", "flows[0].cc"]
    assert sum(len(point.run_ids) for point in divided.points) == 8
    for point in runs.points:
        parts = [each for each in divided.points if each.swept["flows[0].cc"] == point.swept["flows[0].cc"]]
        for group in point.ccs:
            values = {seed: value for each in parts for seed, value in each.by_seed("goodput", group).items()}
            assert values == point.by_seed("goodput", group)


def test_an_export_has_when_each_run_began_with_the_offset_from_utc(measured: Path, tmp_path: Path) -> None:
    import pandas as pd  # noqa: PLC0415 (it takes long to load)

    assert dumbbell("results", "export", measured, tmp_path / "runs.csv").returncode == 0
    runs = pd.read_csv(tmp_path / "runs.csv")
    began = sorted(runs["began"])
    assert began[0] in {"2026-11-11T01:54:59+09:00", "2026-11-11T01:54:58+09:00", "2026-11-11T01:55:00+09:00"}
    assert min(runs["hour"]) == "01:00"
    assert (runs["hour"].str[:2] == runs["began"].str[11:13]).all()


def test_a_comparison_says_how_far_apart_its_pairs_were(measured: Path) -> None:
    arguments = ("compare", f"{measured}@flows[0].cc=bbr", "@flows[0].cc=reno", "--metrics", "goodput")
    done = dumbbell(*arguments)
    assert done.returncode == 0, done.stderr
    text = " ".join(done.stdout.split())
    assert "The runs of a pair in real time began 15 minutes apart in the median, 15 minutes at most" in text
    assert json.loads(dumbbell(*arguments, "--json").stdout.splitlines()[0])["metric"] == "goodput"


def test_virtual_time_has_no_hours(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s", write=True) as store:
        list(run_campaign(store, load(MOMENT, overrides={"path.buffer": ["1 bdp", "2 bdp"]}), SimEngine()))
    plain, divided = (dumbbell("results", "show", tmp_path / "s", *more).stdout for more in ((), ("--by", "hour")))
    assert plain == divided
    done = dumbbell("compare", f"{tmp_path / 's'}@path.buffer=1 bdp", "@path.buffer=2 bdp")
    assert "apart" not in done.stdout
    assert dumbbell("results", "export", tmp_path / "s", tmp_path / "runs.csv").returncode == 0
    header, first, *_ = (tmp_path / "runs.csv").read_text(encoding="utf-8").splitlines()
    cells = dict(zip(header.split(","), first.split(","), strict=False))
    assert (cells["began"], cells["hour"]) == ("", "")
