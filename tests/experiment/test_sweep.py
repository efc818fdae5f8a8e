"""Cliff, crossover and time below a rate, of a user's own runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dumbbell
from dumbbell.experiment.points import ExperimentRuns
from dumbbell.experiment.sweep import cliffs, crossovers
from dumbbell.results.measured import MeasuredPoint
from dumbbell.spec import Experiment
from specs import smallest


def curve(axis: str, values: list[str], goodputs: dict[str, list[list[float]]], **fields: Any) -> ExperimentRuns:
    """Runs whose groups have these goodputs in Mbit/s: a list a value of the axis, with a number a seed."""
    runs = ExperimentRuns(name="curve", engine="sim", experiment=Experiment(**smallest(**fields)))
    for nth, value in enumerate(values):
        measured = {("goodput", group): [1e6 * each for each in own[nth]] for group, own in goodputs.items()}
        seeds = {seed: str(seed) for seed, _ in enumerate(next(iter(measured.values())), start=1)}
        ccs, sizes = dict.fromkeys(goodputs, "bbr"), dict.fromkeys(goodputs, 1)
        point = MeasuredPoint(swept={axis: value}, ccs=ccs, sizes=sizes, run_ids=seeds, numbers=measured)
        runs.points.append(point)
    return runs


LOSSES = ["0.1 %", "5 %", "10 %", "20 %"]
LOSSY = {"path": {"rate": "100 Mbit/s", "rtt": "25 ms", "buffer": "1 bdp", "loss": LOSSES}}


def test_goodput_holds_up_to_the_cliff_of_the_means_and_of_each_seed() -> None:
    """80 % of what the line carries: 79.9, 76, 72 and 64 Mbit/s."""
    goodputs = {"a": [[95.0, 95.0], [90.0, 90.0], [73.0, 71.5], [80.0, 20.0]]}
    (place,) = cliffs(curve("path.loss", LOSSES, goodputs, **LOSSY))
    assert place.at == pytest.approx(0.1)
    assert place.n == 2
    assert place.half_width == pytest.approx(12.706 * 0.075, rel=1e-3)  # the seeds' own are 20 and 5 %
    (none,) = cliffs(curve("path.loss", LOSSES, {"a": [[70.0, 95.0], [10.0, 90.0], [9.0, 9.0], [1.0, 1.0]]}, **LOSSY))
    assert (none.at, none.half_width, none.n) == (0.001, None, 1)


def test_goodputs_of_all_flows_count_together_at_a_cliff() -> None:
    goodputs = {"a": [[50.0], [50.0], [20.0], [1.0]], "b": [[40.0], [30.0], [20.0], [1.0]]}
    (place,) = cliffs(curve("path.loss", LOSSES, goodputs, **LOSSY))
    assert place.at == pytest.approx(0.05)


BUFFERS = ["1 bdp", "2 bdp", "4 bdp"]
WITH_BUFFERS = {"path": {"rate": "80 Mbit/s", "rtt": "25 ms", "buffer": BUFFERS}}


def test_two_groups_cross_where_their_flows_have_the_same() -> None:
    """60 and 20, 40 and 40 (1.5 BDP between), of seeds at 2 and 1.5 BDP: the first has more at the beginning."""
    goodputs = {"b": [[20.0, 20.0], [40.0, 60.0], [70.0, 70.0]], "a": [[60.0, 60.0], [40.0, 20.0], [10.0, 10.0]]}
    (place,) = crossovers(curve("path.buffer", BUFFERS, goodputs, **WITH_BUFFERS))
    labels = {"first": "a", "second": "b", "axis": "path.buffer", "unit": "bdp"}
    assert {key: place[key] for key in (*labels, "n")} == labels | {"n": 2}
    assert place["crossover"] == pytest.approx(1 + 40 / 60)
    assert place["half_width"] == pytest.approx(12.706 * 0.25, rel=1e-3)


def test_groups_that_never_cross_have_no_crossover_and_flows_count_not_groups() -> None:
    goodputs = {"a": [[60.0], [60.0], [60.0]], "b": [[20.0], [19.0], [20.0]]}
    runs = curve("path.buffer", BUFFERS, goodputs, **WITH_BUFFERS)
    assert np.isnan([each["crossover"] for each in crossovers(runs)]).tolist() == [True]
    for point, three in zip(runs.points, (1, 4, 4), strict=True):
        point.sizes = {"a": three, "b": 1}
    (place,) = crossovers(runs)
    assert place["crossover"] == pytest.approx(1 + 40 / (40 + 4))


def test_a_user_asks_for_them_by_name() -> None:
    path = {"rate": "20 Mbit/s", "rtt": "20 ms", "buffer": ["0.25 bdp", "8 bdp"]}
    flows = [{"cc": "bbr"}, {"cc": "cubic"}]
    results = dumbbell.run(smallest(name="x", duration="20 s", path=path, flows=flows))
    (row,) = results.crossover().to_dict("records")
    assert (row["first"], row["second"], row["unit"]) == ("bbr", "cubic", "bdp")
    assert 0.25 < row["crossover"] < 8
    assert results.cliff().empty
    lossy = {"rate": "20 Mbit/s", "rtt": "20 ms", "buffer": "1 bdp", "loss": ["0.1 %", "2 %", "40 %"]}
    (row,) = dumbbell.run(smallest(name="y", path=lossy)).cliff().to_dict("records")
    assert row["cliff"] == pytest.approx(0.02)


def test_time_below_a_rate_is_what_the_series_says() -> None:
    flows = [{"cc": "bbr", "start": "4 s"}, {"cc": "cubic", "stop": "8 s"}]
    results = dumbbell.run(smallest(name="z", flows=flows, measure={"window": ["1 s", "10 s"]}, start_jitter="0 s"))
    frame = results.time_below("1 Gbit/s")
    assert frame["below"].tolist() == [1, 1]
    assert frame["below_s"].tolist() == [6, 7]
    assert results.time_below(0)["below_longest_s"].tolist() == [0, 0]
    _, some = results.time_below("40 Mbit/s", "500 ms")["below"].tolist()
    series = results.series(0)
    cubic = series[series["name"] == "cubic"]
    at = np.interp(np.arange(1, 8.1, 0.5), cubic["time_s"], cubic["delivered_bytes"])
    assert some == pytest.approx(np.mean(np.diff(at) * 16 < 40e6))
    assert 0 < some < 1


def test_time_below_a_rate_is_a_column_for_whoever_names_one() -> None:
    results = dumbbell.run(smallest(name="w", seeds=2, flows=[{"cc": "bbr"}, {"cc": "cubic", "count": 2}]))
    frame = results.time_below("20 Mbit/s").groupby(["seed", "name"])["below"].mean().groupby("name").mean()
    means = results.means("below[20 Mbit/s]", "share").query("unit == '%' and quantity != 'share'")
    assert means["group"].tolist() == ["bbr", "cubic"]
    assert means["mean"].tolist() == pytest.approx([100 * frame["bbr"], 100 * frame["cubic"]])
    assert "below[20 Mbit/s]" not in set(results.means()["quantity"])
    with pytest.raises(dumbbell.DumbbellError, match=re.escape('unknown column "below[soon]"')):
        results.means("below[soon]")


def test_a_line_that_is_recorded_or_a_presets_has_a_cliff(tmp_path: Path) -> None:
    """Half of the time it carries nothing: 50 Mbit/s in the mean."""
    goodputs = {"a": [[41.0], [10.0], [10.0], [10.0]]}
    rows = "\n".join(f"{at},{rate}" for at in range(0, 60, 2) for at, rate in ((at, 100_000_000), (at + 1, 0)))
    (tmp_path / "half.csv").write_text(f"time,rate\n{rows}\n", encoding="utf-8")
    recorded = {"trace": str(tmp_path / "half.csv"), "rtt": "25 ms", "buffer": "1 MB", "loss": LOSSES}
    (place,) = cliffs(curve("path.loss", LOSSES, goodputs, duration="60 s", path=recorded))
    assert place.at == pytest.approx(0.001)
    preset = {"link": "dsl_25_5", "loss": LOSSES}
    (place,) = cliffs(curve("path.loss", LOSSES, {"a": [[23.0], [22.0], [9.0], [9.0]]}, path=preset))
    assert place.at == pytest.approx(0.05)
