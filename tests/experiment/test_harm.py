"""Harm: each group alone, at the same points with the same seeds, and what the others cost it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import dumbbell
from dumbbell.campaign.plan import count, each_alone, plan, planned_alone
from dumbbell.engines.sim import SimEngine
from dumbbell.experiment.points import read
from dumbbell.results.store import Store
from dumbbell.spec import Experiment
from specs import smallest

TWO = [{"cc": ["bbr", "reno"]}, {"cc": "cubic", "count": 2}, {"cc": "cubic"}]
SWEPT: dict[str, Any] = {
    "name": "shared", "duration": "4 s", "seeds": 2, "start_jitter": "10 ms", "flows": TWO,
    "path": {"rate": "20 Mbit/s", "rtt": "20 ms", "buffer": ["0.5 bdp", "2 bdp"]},
}  # fmt: skip


def test_a_group_alone_has_the_names_and_starts_that_it_has_beside_others() -> None:
    experiment = Experiment(**SWEPT)
    alone = each_alone(experiment)
    assert alone is not None
    shared_runs = {(*each.point.values(), each.resolved.run.seed): each.resolved for each in plan(experiment)}
    for each in plan(alone):
        *point, place = each.point.values()
        shared = shared_runs[*point, each.resolved.run.seed]
        group = list(dict.fromkeys(shared.groups))[int(place[-2])]
        assert each.resolved.run.flows == tuple(
            flow for flow, own in zip(shared.run.flows, shared.groups, strict=True) if own == group
        )
    assert {"cubic", "cubic-2", "cubic-3"} <= {flow.name for flow in shared.run.flows}


def test_points_that_differ_in_the_others_only_are_one_run() -> None:
    """2 buffers and 2 seeds: of the first group with both algorithms, of the others once."""
    experiment = Experiment(**SWEPT)
    alone = each_alone(experiment)
    assert alone is not None
    assert (count(experiment), count(alone), len(planned_alone(experiment))) == (8, 24, 8 + 4 + 4)
    assert planned_alone(Experiment(**smallest())) == []


def test_a_group_that_would_never_be_done_is_not_run_alone() -> None:
    flows = [{"cc": "bbr"}, {"cc": "cubic", "workload": {"transfer": "1 MB"}}]
    alone = each_alone(Experiment(**smallest(duration="until done", time_limit="100 s", flows=flows)))
    assert alone is not None
    assert alone.fields()["alone"] == ["flows[1]"]
    assert each_alone(alone) is None


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of the experiment with its groups alone."""
    store = tmp_path_factory.mktemp("harm") / "store"
    dumbbell.run(SWEPT, store=store, harm=True)
    return store


def test_harm_is_what_is_lost_of_what_a_group_has_alone(folder: Path) -> None:
    (runs,) = (each for each in read(Store.open(folder)) if each.name == "shared")
    frame = Store.open(folder).groups()
    alone = Store.open(folder).groups(campaigns=[2])
    assert len(frame) == 24
    assert len(alone) == 24
    for _, row in frame.iterrows():
        (own,) = (
            each
            for _, each in alone.iterrows()
            if all(each[key] == row[key] for key in ("path.buffer", "flows[0].cc", "seed", "name"))
        )
        assert row["harm"] == pytest.approx((own["goodput_bps"] - row["goodput_bps"]) / own["goodput_bps"])
        assert 0 < row["harm"] < 1
        assert -1 < row["harm_rtt"] < 1
    assert frame["harm_fct"].isna().all()
    first = frame[(frame["path.buffer"] == "0.5 bdp") & (frame["flows[0].cc"] == "bbr") & (frame["name"] == "cubic-3")]
    estimate = runs.points[0].estimate("harm", "cubic-3")
    assert estimate is not None
    assert estimate.mean == pytest.approx(first["harm"].mean())
    assert (estimate.n, estimate.half_width is None) == (2, False)


def test_runs_of_groups_alone_are_shown_where_they_are_asked_for(folder: Path) -> None:
    store = Store.open(folder)
    assert store.experiments() == ["shared"]
    assert len(list(store.outcomes())) == 8
    assert [each.label for each in store.campaigns(include_superseded=True)] == ["shared", "shared (each group alone)"]
    assert len(list(store.outcomes(experiment="shared (each group alone)"))) == 24
    assert len(list(store.outcomes(experiment="shared"))) == 8
    assert (store.count(), store.superseded()) == (8 + 16, {})


def test_without_them_harm_is_not_known(tmp_path: Path) -> None:
    frame = dumbbell.run(SWEPT | {"seeds": 1}, store=tmp_path / "store").groups()
    assert frame[["harm", "harm_rtt", "harm_fct"]].isna().all(axis=None)
    (runs,) = read(Store.open(tmp_path / "store"))
    assert runs.points[0].estimate("harm", "bbr") is None


def test_nobody_harms_a_group_that_is_alone_anyway_and_nothing_is_run_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = []
    real = SimEngine.measure

    def counted(engine: SimEngine, run: Any) -> Any:
        measured.append(run)
        return real(engine, run)

    monkeypatch.setattr(SimEngine, "measure", counted)
    spec = smallest(name="one", duration="2 s")
    results = dumbbell.run(spec, store=tmp_path / "store", harm=True)
    assert results.groups()[["harm", "harm_rtt"]].to_numpy().tolist() == [[0, 0]]
    assert Store.open(tmp_path / "store").experiments() == ["one"]
    assert not any(runs.knows_harm for runs in read(Store.open(tmp_path / "store")))
    assert len(measured) == 1
    shared = SWEPT | {"seeds": 1, "duration": "1 s"}
    dumbbell.run(shared, store=tmp_path / "store", harm=True)
    dumbbell.run(shared, store=tmp_path / "store", harm=True, fresh=True)
    assert len(measured) == 1 + 2 * (4 + 8)


def test_runs_alone_of_an_earlier_build_are_superseded_with_those_beside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = SWEPT | {"seeds": 1, "duration": "1 s"}
    dumbbell.run(spec, store=tmp_path / "store", harm=True)
    monkeypatch.setattr(SimEngine, "identity", lambda _: "another")
    results = dumbbell.run(spec, store=tmp_path / "store")
    assert results.groups()["harm"].isna().all()
    with Store.open(tmp_path / "store", write=True) as store:
        assert sum(store.superseded().values()) == 4 + 8
        assert store.prune() == 4 + 8
        assert store.experiments() == ["shared"]
        assert store.count() == 4


@pytest.mark.parametrize(
    ("alone", "problem"),
    [
        ("flows[1]", 'alone: "flows[1]" is no group of this spec; the only one is "flows[0]"'),
        ("cubic", 'alone: "cubic" is no group of flows; write it by its place, as "flows[0]"'),
    ],
)
def test_a_group_that_is_not_there_cannot_be_alone(alone: str, problem: str) -> None:
    with pytest.raises(dumbbell.SpecError) as caught:
        Experiment(**smallest(alone=alone))
    assert list(map(str, caught.value.problems)) == [problem]
