"""`import dumbbell` as a script or a notebook uses it."""

from __future__ import annotations

import gc
import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dumbbell
from commandline import MOMENT, python
from dumbbell.experiment.results import Results
from dumbbell.results.measured import MeasuredPoint
from dumbbell.spec import load

SMALL: dict[str, Any] = {
    "duration": "1 s", "path": {"rate": "8 Mbit/s", "rtt": "10 ms", "buffer": "1 bdp"}, "flows": [{"cc": "bbr"}],
}  # fmt: skip
POINT = ["0.5 bdp", "0.5 bdp", "2 bdp", "2 bdp"]


def test_a_spec_is_run_from_its_text_its_file_its_words_or_an_experiment(moment: Path) -> None:
    fields: dict[str, Any] = {
        "duration": "3 s",
        "seeds": 2,
        "start_jitter": "10 ms",
        "path": {"rate": "20 Mbit/s", "rtt": "20 ms", "buffer": ["0.5 bdp", "2 bdp"]},
        "flows": [{"cc": "bbr"}, {"cc": "cubic", "start": "500 ms"}],
        "measure": {"window": ["0 %", "100 %"]},
    }
    specs = (MOMENT, moment, str(moment), fields, dumbbell.Experiment(**fields))
    ids = [[result.run_id for result in dumbbell.run(spec)] for spec in specs]
    assert len(set(ids[0])) == 4
    assert ids == [ids[0]] * len(specs)


def test_a_point_has_seeds_until_they_are_enough_or_all_of_the_spec(tmp_path: Path) -> None:
    seen: list[tuple[str, int]] = []

    def enough(point: MeasuredPoint) -> bool:
        used = point.estimate("utilization")
        assert used is not None
        seen.append((point.swept["path.buffer"], len(point.run_ids)))
        return bool(point.swept["path.buffer"] == "2 bdp")

    spec = {**SMALL, "seeds": 5, "path": {**SMALL["path"], "buffer": ["0.5 bdp", "2 bdp"]}}
    results = dumbbell.run(spec, store=tmp_path, until=enough)
    assert [result.seed for result in results.outcomes] == [1, 2, 3, 4, 5, 1, 2, 3]
    assert seen[:2] == [("0.5 bdp", 3), ("2 bdp", 3)]
    assert max(seen) == ("2 bdp", 3)
    assert seen[-2] == ("0.5 bdp", 5)
    assert [result.run_id for result in dumbbell.run(spec, store=tmp_path, until=enough)] == [
        result.run_id for result in results
    ]


@pytest.mark.slow
def test_dir_offers_what_there_is_to_use_before_anything_was_used() -> None:
    done = python("import dumbbell, sys; print(*dir(dumbbell)); print('pandas' in sys.modules)")
    offered, pandas = done.stdout.splitlines()
    assert {"run", "open", "Experiment", "SpecError", "__version__"} <= set(offered.split())
    assert not {"TYPE_CHECKING", "annotations", "import_module"} & set(offered.split())
    assert pandas == "False"
    assert all(getattr(dumbbell, name) is not None for name in dir(dumbbell))


def test_all_that_is_wrong_with_a_spec_is_raised_at_once() -> None:
    with pytest.raises(dumbbell.SpecError) as error:
        dumbbell.run({"duration": "3", "flows": [{"cc": "bbrr"}]})
    assert {problem.path for problem in error.value.problems} == {"duration", "path", "flows[0].cc"}


def test_what_an_engine_cannot_honour_is_raised_before_anything_runs() -> None:
    with pytest.raises(dumbbell.SpecError, match=r"measure\.ss"):
        dumbbell.run(MOMENT + 'ss = "100 ms"')
    with pytest.raises(dumbbell.UnknownEngine, match="needs an inventory"):
        dumbbell.run(MOMENT, engine="hosts")


def test_every_public_name_is_there() -> None:
    assert len(dumbbell.__all__) > 5
    for name in dumbbell.__all__:
        assert getattr(dumbbell, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'runn'"):
        _ = dumbbell.runn


@pytest.mark.slow
def test_the_import_loads_nothing_heavy() -> None:
    done = python("import dumbbell, sys; print(*(set(sys.modules) & {'numpy', 'pydantic', 'rich', 'dumbbell._core'}))")
    assert (done.returncode, done.stdout) == (0, "\n")


@pytest.fixture
def results() -> Results:
    return dumbbell.run(MOMENT)


def test_the_frames_have_the_runs_in_order(results: Results) -> None:
    assert results.summary()["path.buffer"].tolist() == POINT
    assert results.summary()["run_id"].tolist() == [each.run_id for each in results]
    assert (len(results), len(results.summaries), results.failures) == (4, 4, [])
    assert [each.seed for each in results] == [1, 2, 1, 2]
    assert results[0] == results.summaries[0]
    assert [each.point for each in results[2:]] == [{"path.buffer": "2 bdp"}] * 2
    assert results.flows()["name"].tolist() == ["bbr", "cubic"] * 4
    shares = results.groups().groupby(["path.buffer", "name"])["share"].mean()
    assert shares["0.5 bdp", "bbr"] + shares["0.5 bdp", "cubic"] == pytest.approx(1)


def test_series_of_one_run_or_of_all(results: Results) -> None:
    every, one = results.series(), results.series(2)
    assert list(every.columns[:3]) == ["run_id", "seed", "path.buffer"]
    third = every[every["run_id"] == results[2].run_id]
    assert third["srtt_s"].dropna().tolist() == one["srtt_s"].dropna().tolist()
    assert len(one) == len(results.series(results[2].run_id)) == len(results.series(np.int64(2))) > 50
    assert every["path.buffer"].unique().tolist() == ["0.5 bdp", "2 bdp"]
    assert len(results.queue()) == 4 * len(results.queue(0)) == 4 * 60
    assert (results.queue(0)["backlog_bytes"] <= 0.5 * 50_000).all()


def test_what_is_swept_has_its_number_behind_its_words() -> None:
    fields = {
        "duration": "1 s", "path": {"rate": "8 Mbit/s", "rtt": ["10 ms", "20 ms"], "buffer": ["2 bdp", "30 packets"]},
        "flows": [{"cc": "cubic", "start": ["0 s", "100 ms"]}],
    }  # fmt: skip
    results = dumbbell.run(fields)
    columns = ["path.rtt", "path.rtt_s", "path.buffer", "path.buffer_bytes", "path.buffer_bdp", "flows[0].start_s"]
    first, *_, last = results.summary()[columns].itertuples(index=False, name=None)
    assert first == ("10 ms", 0.01, "2 bdp", 20_000, 2, 0)
    assert last == ("20 ms", 0.02, "30 packets", 30 * 1514, pytest.approx(30 * 1514 / 20_000), 0.1)
    for frame in (results.flows(), results.groups(), results.series(), results.queue(), results.means("goodput")):
        assert set(columns) <= set(frame.columns)
        assert frame["path.buffer_bdp"].dtype == np.float64


def test_means_have_a_row_a_point_group_and_quantity_with_their_interval(results: Results) -> None:
    frame = results.means("share", "jain", "fair_share")
    assert frame[["path.buffer", "group", "quantity", "unit"]].to_numpy().tolist()[:5] == [
        ["0.5 bdp", "bbr", "share", "%"], ["0.5 bdp", "", "jain", ""], ["0.5 bdp", "bbr", "fair_share", "%"],
        ["0.5 bdp", "cubic", "share", "%"], ["0.5 bdp", "cubic", "fair_share", "%"],
    ]  # fmt: skip
    shares = results.groups().query("name == 'bbr' and `path.buffer` == '0.5 bdp'")["share"]
    first = frame.iloc[0]
    assert (first["mean"], first["n"]) == (pytest.approx(100 * shares.mean()), 2)
    half = 12.706 * 100 * shares.std() / 2**0.5  # Student's t of one degree of freedom
    assert (first["low"], first["high"]) == pytest.approx((first["mean"] - half, first["mean"] + half), rel=1e-4)
    with pytest.raises(dumbbell.DumbbellError, match="did you mean"):
        results.means("shares")
    with pytest.raises(dumbbell.DumbbellError, match=r"^cc is no quantity"):
        results.means("goodput", "cc")
    assert {"rtt", "utilization", "goodput"} <= set(results.means()["quantity"])


def test_a_notebook_shows_the_answer_and_a_table(results: Results, tmp_path: Path) -> None:
    assert repr(results) == "<Results of experiment on sim: 4 runs, 2 points>"
    html = results._repr_html_()
    assert results.answer() in html
    assert html.count("<tr>") == 1 + 2 * 2
    assert '<th scope="col">path.buffer</th>' in html
    dumbbell.run(MOMENT.replace('cc = "bbr"', 'cc = "bbr"\nname = "<b>"'), store=tmp_path)
    with dumbbell.open(tmp_path) as store:
        assert repr(store) == f"<Store {tmp_path}: 4 runs of experiment>"
        shown = store._repr_html_()
        assert store.results().answer()[:3] in {"<b>", "CUB"}
    assert "<b>" not in shown
    assert "&lt;b&gt;" in shown


def test_completion_shows_what_a_user_needs(results: Results) -> None:
    assert {"answer", "means", "plot", "series", "groups"} <= set(dir(results))
    with dumbbell.open(results.store) as store:
        assert {"results", "runs", "flows", "experiments"} <= set(dir(store))
        assert not {"put", "enrol", "prune", "ledger", "orphans"} & set(dir(store))
        shown = [results, store, dumbbell.Experiment(**SMALL)]
        assert all(hasattr(each, name) for each in shown for name in dir(each))
    signature = inspect.signature(dumbbell.Experiment)
    assert len(str(signature)) < 200
    assert {"duration", "path", "flows", "seeds"} <= signature.parameters.keys()


def test_an_experiment_is_shown_in_short_and_as_a_spec() -> None:
    experiment = dumbbell.Experiment(**SMALL)
    assert repr(experiment) == str(experiment) == "<Experiment experiment; points: 1; seeds: 1>"
    assert load(experiment.toml()).fields() == SMALL
    assert "cc = &quot;bbr&quot;" in experiment._repr_html_()


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


@pytest.mark.parametrize("jobs", [0, -1])
def test_no_runs_at_once_are_refused_before_anything_is_written(jobs: int, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"jobs: {jobs} is no number"):
        dumbbell.run(MOMENT, store=tmp_path / "store", jobs=jobs)
    assert list(tmp_path.iterdir()) == []


def test_a_run_without_series_says_so() -> None:
    results = dumbbell.run(MOMENT + 'record = "summary"')
    with pytest.raises(dumbbell.StoreError, match="kept no series"):
        results.series()
    assert len(results.summary()) == 4
