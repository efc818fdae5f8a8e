"""What a point of an experiment knows of its runs, and what would be fair."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import dumbbell
from commandline import MOMENT
from dumbbell.experiment.points import ExperimentRuns, read, read_campaign, runs_of
from dumbbell.metrics.catalogue import HARMS, QUANTITIES, Setup, group_values, run_values
from dumbbell.results import measured
from dumbbell.results.schema import Result
from dumbbell.results.store import Store
from dumbbell.results.values import fair_shares_of
from dumbbell.spec import expand, load, resolve

TWO_GROUPS: dict[str, Any] = {
    "name": "two",
    "duration": "60 s",
    "start_jitter": "1 s",
    "path": {"rate": "80 Mbit/s", "rtt": "25 ms", "buffer": "1 bdp"},
    "flows": [{"cc": "bbr"}, {"cc": "cubic", "count": 3}],
    "measure": {"window": ["0 s", "40 s"]},
}


def only(folder: Path) -> ExperimentRuns:
    with Store.open(folder) as store:
        (runs,) = read(store)
    return runs


def test_a_queueing_delay_is_against_the_rtt_that_the_seed_drew() -> None:
    """Up to 30 ms more at 20 ms: against another seed's RTT it would be of another sign."""
    experiment = load(MOMENT, overrides={"path.buffer": "1 bdp", "rtt_spread": "30 ms", "duration": "2 s", "seeds": 3})
    results = dumbbell.run(experiment)
    (place,) = expand(experiment)
    expected = [
        run_values(each, Setup.of(resolve(place, each.seed).run))["queueing_delay"] for each in results.summaries
    ]
    assert only(results.store).points[0].numbers["queueing_delay", ""] == expected
    assert max(filter(None, expected)) < 1.2


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("findings")
    dumbbell.run(MOMENT, store=store)
    return store


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
    assert {key: values[0] for key, values in point.numbers.items()} == {
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


def test_a_point_knows_what_would_be_fair_of_its_first_run(folder: Path) -> None:
    with Store.open(folder) as store:
        (experiment,) = (each.experiment for each in read(store))
        assert experiment is not None
        for point, planned in zip(only(folder).points, expand(experiment), strict=True):
            assert point.fair_shares == fair_shares_of(resolve(planned, 1))


LOSSY: dict[str, Any] = {
    "name": "lossy", "duration": "2 s", "seeds": 3, "measure": {"record": "summary"},
    "path": {"rate": "20 Mbit/s", "rtt": "20 ms", "buffer": "1 bdp", "loss": ["0 %", "1 %"]},
    "flows": [{"cc": ["bbr", "reno"]}, {"cc": "cubic", "workload": {"transfer": "100 kB"}}],
}  # fmt: skip


@pytest.fixture(scope="module")
def lossy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four points with three seeds, and each group alone."""
    store = tmp_path_factory.mktemp("lossy")
    dumbbell.run(LOSSY, store=store, harm=True)
    return store


def test_a_point_of_a_lossy_sweep_that_loses_none_at_random_has_0(lossy: Path) -> None:
    losses = [point.numbers["random_loss", ""] for point in only(lossy).points]
    assert losses[:2] == [[0, 0, 0]] * 2
    assert all(value > 0 for values in losses[2:] for value in values)
    with Store.open(lossy) as store:
        query = "SELECT COUNT(*), COUNT(random_loss) FROM run_value JOIN member USING (run) WHERE campaign = 1"
        assert store.ledger.rows(query)[0][:] == (12, 6)


def test_a_campaign_is_the_same_page_by_page_by_its_runs_and_of_some_seeds(
    lossy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    complete = only(lossy)
    monkeypatch.setattr(measured, "PAGE", 4)
    with Store.open(lossy) as store:
        (campaign,) = store.campaigns()
        pages: list[int] = []
        by_page = read_campaign(store, campaign, progress=pages.append)
        assert pages == [1, 1, 1, 1]
        assert repr(by_page.points) == repr(complete.points)  # no NaN is like another
        assert by_page.notices == complete.notices
        assert complete.experiment is not None
        by_seed = sorted(store.outcomes(), key=lambda outcome: outcome.seed)
        by_ids = runs_of(store, complete.experiment, "sim", by_seed)
        some = load(complete.experiment, overrides={"seeds": [3, 1]})
        of_some = read_campaign(store, campaign, some)
        goodputs = measured.measured(store.ledger, campaign, ["goodput"])
        assert {name for page in goodputs for point in page for name, _ in point.numbers} == {"goodput"}
    for point, same, few in zip(complete.points, by_ids.points, of_some.points, strict=True):
        assert {key for key in point.numbers if key[0] in HARMS} > {("harm", "cubic"), ("harm_fct", "cubic")}
        without_harm = {key: values for key, values in point.numbers.items() if key[0] not in HARMS}
        assert repr((same.swept, same.run_ids, same.numbers)) == repr((point.swept, point.run_ids, without_harm))
        assert list(few.run_ids) == [3, 1]
        assert repr(few.numbers) == repr({key: [values[2], values[0]] for key, values in point.numbers.items()})
