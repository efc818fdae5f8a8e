"""What a point of an experiment knows of its runs, and what would be fair."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import dumbbell
from commandline import MOMENT
from dumbbell.findings import points
from dumbbell.findings.points import ExperimentRuns, fair_shares_of, read, runs_of
from dumbbell.metrics.catalogue import QUANTITIES, Setup, group_values, run_values
from dumbbell.results.schema import Result
from dumbbell.results.store import Store
from dumbbell.spec import expand, load, resolve

TWO_GROUPS: dict[str, Any] = {
    "name": "two",
    "duration": "60 s",
    "start_jitter": "1 s",
    "path": {"rate": "80 Mbit/s", "rtt": "25 ms", "buffer": "1 bdp"},
    "flows": [{"cc": "bbr"}, {"cc": "cubic", "count": 3}],
    "measure": {"window": ["0 s", "40 s"]},
}


def test_a_queueing_delay_is_against_the_rtt_that_the_seed_drew() -> None:
    """Up to 30 ms more at 20 ms: against another seed's RTT it would be of another sign."""
    experiment = load(MOMENT, overrides={"path.buffer": "1 bdp", "rtt_spread": "30 ms", "duration": "2 s", "seeds": 3})
    runs = runs_of(experiment, "sim", dumbbell.run(experiment))
    (place,) = expand(experiment)
    expected = [
        run_values(each, Setup.of(resolve(place, each.seed).run))["queueing_delay"]
        for each in dumbbell.run(experiment)
        if isinstance(each, Result)
    ]
    assert runs.points[0].measured["queueing_delay", ""] == expected
    assert max(filter(None, expected)) < 1.2


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("findings")
    dumbbell.run(MOMENT, store=store)
    return store


def only(folder: Path) -> ExperimentRuns:
    with Store.open(folder) as store:
        (runs,) = read(store)
    return runs


def test_a_point_has_every_quantity_of_its_runs(folder: Path) -> None:
    runs = only(folder)
    with Store.open(folder) as store:
        first, second, *_ = store.outcomes()
        resolved = store.run(first.run_id)
    assert isinstance(first, Result)
    assert isinstance(second, Result)
    point = runs.points[0]
    assert point.sizes == {"bbr": 1, "cubic": 1}
    assert point.run_ids == {1: first.run_id, 2: second.run_id}
    expected = {"": run_values(first, Setup.of(resolved)), **group_values(first)}
    assert {key: values[0] for key, values in point.measured.items()} == {
        (name, group): value
        for group, values in expected.items()
        for name, value in values.items()
        if value is not None
    }
    of_path = point.estimate("loss", "cubic")
    assert of_path is not None
    assert of_path.mean == pytest.approx((first.bottleneck.loss_rate or 0) / 2 + (second.bottleneck.loss_rate or 0) / 2)
    assert point.estimate("fct", "cubic") is None
    assert point.values(QUANTITIES["goodput"], "bbr")[1] == (second.groups["bbr"].goodput_bps or 0) * 1e-6


@pytest.mark.parametrize(
    ("changes", "shares"),
    [
        ({}, [0.25, 0.75]),
        ({"flows[1].start": "20 s"}, [0.5 + 0.25 / 2, 0.75 / 2]),  # half of the window it is alone
        ({"flows[0].stop": "10 s"}, [0.25 / 4, 0.75 / 4 + 3 / 4]),
        ({"flows[1].start": "50 s"}, [1.0, 0.0]),  # after the window
        ({"flows[0].access": {"rate": "30 Mbit/s", "buffer": "1 MB"}}, [0.25, 0.75]),
        ({"flows[0].access": {"rate": "10 Mbit/s", "buffer": "1 MB"}}, None),
        ({"flows[0].workload": {"transfer": "1 MB"}}, None),
        ({"flows[1].workload": {"stream": "1 Mbit/s", "for": "30 s", "every": "40 ms"}}, None),
        ({"flows": [{"cc": "bbr", "count": 4}]}, None),
    ],
    ids=str,
)
def test_fair_is_what_equal_flows_would_have(changes: dict[str, Any], shares: list[float] | None) -> None:
    (point,) = expand(load(TWO_GROUPS, overrides=changes))
    fair_shares = fair_shares_of(resolve(point, 3))
    assert list(fair_shares.values()) == pytest.approx(shares or [])


def test_a_large_campaign_is_read_by_columns_to_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    complete = only(folder)
    monkeypatch.setattr(points, "MOST_READ_IN_FULL", 0)
    columns = only(folder)
    assert [(each.swept, each.ccs, each.sizes, each.run_ids, each.failed) for each in columns.points] == [
        (each.swept, each.ccs, each.sizes, each.run_ids, each.failed) for each in complete.points
    ]
    assert columns.notices == complete.notices
    for theirs, ours in zip(complete.points, columns.points, strict=True):
        assert set(ours.measured) == set(theirs.measured)
        for key, values in ours.measured.items():
            assert values == pytest.approx(theirs.measured[key], nan_ok=True), key
