"""Expectations by runs that are made up: each kind is seen to hold, to fail and to be undecided."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

import dumbbell
from dumbbell.experiment.expectations import JudgedExpectation, judged, table
from dumbbell.experiment.points import ExperimentRuns
from dumbbell.metrics.catalogue import QUANTITIES
from dumbbell.report.junit import junit, write
from dumbbell.results.measured import MeasuredPoint
from dumbbell.results.store import Store
from dumbbell.spec import Experiment

SPEC: dict[str, Any] = {
    "name": "made-up", "duration": "4 s", "path": {"rate": "10 Mbit/s", "rtt": "20 ms", "buffer": "1 bdp"},
    "flows": [{"cc": "bbr"}, {"cc": "cubic"}],
}  # fmt: skip
GOODPUT = {"quantity": "goodput", "of": "bbr"}
AT_LEAST = GOODPUT | {"at_least": "5 Mbit/s"}
TWICE = GOODPUT | {"at_least": {"of": "cubic", "times": 2}}


def verdicts(
    tmp_path: Path,
    expect: dict[str, Any],
    values: dict[tuple[str, str], list[float]],
    *,
    failed: int = 0,
    **fields: Any,
) -> list[JudgedExpectation]:
    """Of an experiment with one point, whose seeds have these values in the quantities' units."""
    seeds = max(map(len, values.values()))
    experiment = Experiment(**(SPEC | fields), seeds=seeds + failed, expect=[expect])
    point = MeasuredPoint(
        swept=experiment.point(0).values, run_ids={seed: f"run{seed}" for seed in range(1, seeds + 1)},
        errors={seeds + nth: "it broke" for nth in range(1, failed + 1)}, ccs={"bbr": "bbr", "cubic": "cubic"},
        numbers={key: [each / QUANTITIES[key[0]].factor for each in own] for key, own in values.items()},
    )  # fmt: skip
    with Store.open(tmp_path / "store", write=True) as store:
        return judged(store, ExperimentRuns(name="made-up", engine="sim", points=[point], experiment=experiment))


@pytest.mark.parametrize(
    ("expect", "own", "other", "verdict", "said"),
    [
        (AT_LEAST, [6.0, 6.1, 6.2], [], "holds", "goodput of bbr is 6.10 Mbit/s, at least 5 Mbit/s"),
        (AT_LEAST, [4.0, 4.1, 4.2], [], "fails", "goodput of bbr is 4.10 Mbit/s, not at least 5 Mbit/s"),
        (AT_LEAST, [4.0, 6.1, 8.2], [], "undecided", "95 % interval of the mean"),
        (AT_LEAST, [6.0, 8.0], [], "undecided", "in 2 seeds: chance plays"),
        (AT_LEAST, [6.0], [], "holds", "; one seed, so the value decides"),
        (AT_LEAST, [4.9], [], "fails", "; one seed, so the value decides"),
        (AT_LEAST, [6.0, 6.0], [], "holds", "; all 2 seeds gave the same"),
        (AT_LEAST | {"seeds": "all"}, [5.1, 9.0, 30.0], [], "holds", "in 3 of 3 seeds"),
        (AT_LEAST | {"seeds": "all"}, [4.9, 9.0, 30.0], [], "fails", "in 2 of 3 seeds"),
        (GOODPUT | {"at_most": "5 Mbit/s"}, [4.0, 4.1, 4.2], [], "holds", "at most 5 Mbit/s"),
        (TWICE, [6.0, 6.1, 6.2], [2.0, 2.1, 2.2], "holds", "goodput of bbr - 2 x cubic is 1.90 Mbit/s, at least 0"),
        (TWICE, [4.0, 4.1, 4.2], [2.5, 2.6, 2.7], "fails", "is -1.10 Mbit/s, not at least 0 Mbit/s"),
        (TWICE, [4.0, 6.1, 8.2], [2.0, 3.1, 2.0], "undecided", "95 % interval of the mean"),
    ],
)  # fmt: skip
def test_the_seeds_decide(  # noqa: PLR0913, PLR0917 (a row of the table)
    expect: dict[str, Any], own: list[float], other: list[float], verdict: str, said: str, tmp_path: Path
) -> None:
    values = {("goodput", "bbr"): own} | ({("goodput", "cubic"): other} if other else {})
    (judgement,) = verdicts(tmp_path, expect, values)
    assert judgement.verdict == verdict
    assert said in judgement.sentence


def test_what_is_not_there_fails(tmp_path: Path) -> None:
    nan = float("nan")
    expect = {"quantity": "fct", "of": "bbr", "at_most": "3 s"}
    (judgement,) = verdicts(tmp_path, expect, {("fct", "bbr"): [nan, nan, nan]})
    assert (judgement.verdict, judgement.sentence) == ("fails", "fct of bbr is not there, in 3 of 3 seeds")


@pytest.mark.parametrize(
    ("values", "verdict"),
    [([6.0, 6.1, 6.2], "undecided"), ([4.0, 4.1, 4.2], "fails"), ([4.0], "undecided"), ([], "undecided")],
)
def test_a_run_that_failed_shows_nothing(values: list[float], verdict: str, tmp_path: Path) -> None:
    """What the others show to fail fails; that it holds they do not show."""
    (judgement,) = verdicts(tmp_path, AT_LEAST, {("goodput", "bbr"): values}, failed=2)
    assert judgement.verdict == verdict
    assert judgement.sentence.endswith(f"of 2 of {len(values) + 2} seeds a run failed")


def test_runs_that_are_missing_decide_nothing(tmp_path: Path) -> None:
    experiment = Experiment(**SPEC, seeds=3, expect=[AT_LEAST])
    point = MeasuredPoint(swept={}, run_ids={1: "run1"}, numbers={("goodput", "bbr"): [9e6]}, ccs={"bbr": "bbr"})
    runs = ExperimentRuns(name="made-up", engine="sim", points=[point], experiment=experiment)
    with Store.open(tmp_path / "store", write=True) as store:
        (judgement,) = judged(store, runs)
    assert judgement.verdict == "undecided"
    assert judgement.sentence == "goodput of bbr at least 5 Mbit/s is not judged: 1 of 3 runs are there"


def test_a_point_that_is_not_there_is_said(tmp_path: Path) -> None:
    expect = AT_LEAST | {"where": {"path.buffer": "7 bdp"}}
    (judgement,) = verdicts(tmp_path, expect, {("goodput", "bbr"): [6.0]})
    assert judgement.verdict == "undecided"
    assert judgement.sentence.endswith("no point of the experiment has path.buffer = 7 bdp")


def test_junit_is_read_by_a_parser(tmp_path: Path) -> None:
    values = {("goodput", "bbr"): [4.0, 4.1, 4.2]}
    own = [
        *verdicts(tmp_path, AT_LEAST, values), *verdicts(tmp_path, GOODPUT | {"at_most": "5 Mbit/s"}, values),
        *verdicts(tmp_path, AT_LEAST, {("goodput", "bbr"): [4.0, 6.1, 8.2]}),
    ]  # fmt: skip
    facts = {"spec": "a <b> & \x1b.toml", "engine": "sim", "seeds": "1 2 3"}
    for strict in (False, True):
        file = tmp_path / f"{strict}.xml"
        write(junit("made-up", own, facts, {"run1": 0.25, "run2": 0.5}, strict=strict), file)
        (suite,) = ET.parse(file).getroot()  # noqa: S314 (our own file)
        assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "2" if strict else "1", "0")
        assert (suite.get("skipped"), suite.get("time")) == ("0" if strict else "1", "0.750")
        properties = {each.get("name"): each.get("value") for each in suite.iter("property")}
        assert properties == facts | {"spec": r"a <b> & \x1b.toml"}
        failing, holding, undecided = suite.iter("testcase")
        assert failing.get("name") == "goodput of bbr at least 5 Mbit/s"
        assert failing.get("time") == "0.750"
        assert failing.find("failure").get("message") == own[0].text  # type: ignore[union-attr]
        assert holding.find("failure") is None
        assert holding.find("skipped") is None
        assert undecided.find("failure" if strict else "skipped").get("message") == own[2].text  # type: ignore[union-attr]


def test_of_a_time_the_first_bin_decides(tmp_path: Path) -> None:
    """A real run: CUBIC has some of the line once it starts, at 2 s; BBR never has twice as much as there is."""
    flows = [{"cc": "bbr"}, {"cc": "cubic", "start": "2 s", "stop": "3 s"}]
    expect = [
        {"quantity": "goodput", "of": "cubic", "at_least": "100 kbit/s", "by": "2.5 s", "from": "0 s"},
        {"quantity": "goodput", "of": "cubic", "at_least": "100 kbit/s", "by": "1.4 s", "from": "0 s"},
        GOODPUT | {"at_least": "20 Mbit/s", "by": "2 s"},
        {"quantity": "share", "of": "bbr", "at_most": "99 %", "by": "1 s", "from": "2 s"},
        {"quantity": "rtt", "of": "bbr", "at_most": {"of": "cubic", "times": 9}, "by": "2 s", "from": "1 s"},
        {"quantity": "jain", "at_most": 1},
        {"quantity": "utilization", "of": "bottleneck", "at_most": 1},
    ]
    results = dumbbell.run(SPEC | {"flows": flows, "expect": expect}, store=tmp_path)
    frame = results.expectations()
    assert frame["verdict"].tolist() == ["holds", "fails", "fails", "holds", "holds", "holds", "holds"]
    assert frame["value"][0] == frame["value"][1] == 2.0  # its bin begins when it does
    assert (
        frame["sentence"][2]
        == "goodput of bbr is never at least 20 Mbit/s, in 1 of 1 seeds; one seed, so the value decides"
    )
    assert frame["unit"].tolist()[:4] == ["s"] * 4
    assert frame["bound"][3] == "at most 99 % by 1 s from 2 s on"


def test_a_hop_has_its_own(tmp_path: Path) -> None:
    hop = {"rate": "10 Mbit/s", "buffer": "1 bdp"}
    expect = [
        {"quantity": "queue_mean", "of": "core", "at_most": "1 MB"},
        {"quantity": "loss", "of": "first", "at_most": {"of": "core", "times": 1000}},
        {"quantity": "drops", "of": "core", "at_least": 1_000_000},
    ]
    hops = [{"name": "first", **hop}, {"name": "core", **hop, "rate": "5 Mbit/s"}]
    spec = {**SPEC, "path": {"rtt": "20 ms"}, "hops": hops, "expect": expect}
    assert dumbbell.run(spec, store=tmp_path).expectations()["verdict"].tolist() == ["holds", "holds", "fails"]


def test_another_expectation_is_the_same_campaign(tmp_path: Path) -> None:
    """Nothing is run again, and the store has the last one."""
    first = dumbbell.run(SPEC | {"expect": [AT_LEAST]}, store=tmp_path)
    second = dumbbell.run(SPEC | {"expect": [GOODPUT | {"at_least": "1 bit/s"}]}, store=tmp_path)
    third = dumbbell.run(SPEC, store=tmp_path)
    assert [first[0].run_id, first.campaign] == [second[0].run_id, second.campaign] == [third[0].run_id, third.campaign]
    assert first[0].wall_s == third[0].wall_s
    assert third.expectations().empty


def test_the_table_has_a_row_an_expectation_and_point(tmp_path: Path) -> None:
    own = verdicts(tmp_path, AT_LEAST, {("goodput", "bbr"): [6.0, 6.1, 6.2]})
    assert table(own).texts() == [["goodput of bbr", "6.10 ± 0.25 Mbit/s", "at least 5 Mbit/s", "holds"]]


def against(
    tmp_path: Path, expect: dict[str, Any], own: list[float], baseline: list[float], *, seeds: int = 0
) -> list[JudgedExpectation]:
    """Of two buffers, the first of which is the baseline."""
    count = max(len(own), len(baseline), seeds)
    fields = SPEC | {"path": SPEC["path"] | {"buffer": ["1 bdp", "2 bdp"]}}
    experiment = Experiment(**fields, seeds=count, expect=[expect])
    points = [
        MeasuredPoint(
            swept=experiment.point(nth).values, run_ids={seed: f"run{nth}-{seed}" for seed in range(1, len(each) + 1)},
            ccs={"bbr": "bbr", "cubic": "cubic"}, numbers={("goodput", "bbr"): [value * 1e6 for value in each]},
        )
        for nth, each in enumerate((baseline, own))
    ]  # fmt: skip
    with Store.open(tmp_path / "store", write=True) as store:
        return judged(store, ExperimentRuns(name="made-up", engine="sim", points=points, experiment=experiment))


AGAINST = GOODPUT | {"at_least": {"against": "path.buffer", "times": 0.5}}
SLACK = GOODPUT | {"at_most": {"against": "path.buffer", "slack": "1 Mbit/s"}}
NAN = float("nan")


@pytest.mark.parametrize(
    ("expect", "own", "baseline", "verdict", "said"),
    [
        (AGAINST, [3.0, 3.1, 3.2], [5.0, 5.1, 5.2], "holds",
         "goodput of bbr - 0.5 x that with 1 bdp is 0.550 Mbit/s, at least 0 Mbit/s"),
        (AGAINST, [2.0, 2.1, 2.2], [5.0, 5.1, 5.2], "fails", "is -0.450 Mbit/s, not at least 0 Mbit/s"),
        (AGAINST, [1.0, 3.1, 5.2], [5.0, 5.1, 5.2], "undecided", "95 % interval of the mean"),
        (AGAINST, [3.0], [5.0], "holds", "; one seed, so the value decides"),
        (AGAINST | {"seeds": "all"}, [3.0, 2.0, 4.0], [5.0, 5.0, 5.0], "fails", "in 2 of 3 seeds"),
        # Paired: the seeds differ by more than the two points of each do.
        (AGAINST, [1.1, 5.1, 9.1], [2.0, 10.0, 18.0], "holds", "is 0.100 Mbit/s, at least 0"),
        (SLACK, [5.9, 6.0, 6.1], [5.1, 5.2, 5.3], "holds", "is 0.800 Mbit/s, at most 1 Mbit/s"),
        (SLACK, [6.9, 7.0, 7.1], [5.1, 5.2, 5.3], "fails", "is 1.80 Mbit/s, not at most 1 Mbit/s"),
        # A seed in which the baseline has none is left out; one in which only the baseline has one fails.
        (AGAINST, [3.0, 3.1, 0.1, 3.0], [5.0, 5.1, NAN, 5.1], "holds", "at least 0 Mbit/s"),
        (AGAINST, [NAN, NAN, 9.0], [5.0, 5.1, 5.2], "fails", "on average, but not at least 0 Mbit/s in 2 of 3 seeds"),
        (AGAINST, [3.0, 3.1, 3.2], [NAN, NAN, NAN], "undecided", "is not judged: the baseline has no goodput"),
        (AGAINST, [3.0, 3.1, 3.2], [5.0, 5.1], "undecided", "is not judged: 2 of 3 runs of the baseline are there"),
    ],
)  # fmt: skip
def test_a_baseline_gives_a_bound_seed_by_seed(  # noqa: PLR0913, PLR0917 (a row of the table)
    expect: dict[str, Any], own: list[float], baseline: list[float], verdict: str, said: str, tmp_path: Path
) -> None:
    (judgement,) = against(tmp_path, expect, own, baseline)
    assert judgement.swept == {"path.buffer": "2 bdp"}  # at its own points the baseline is not judged
    assert judgement.verdict == verdict
    assert said in judgement.sentence


def test_what_was_compared_is_there(tmp_path: Path) -> None:
    (judgement,) = against(tmp_path, SLACK, [5.9, 6.0, NAN], [5.1, 5.2, 5.3])
    assert judgement.compared is not None
    assert judgement.compared.unit == "Mbit/s"
    assert judgement.compared.own == pytest.approx({1: 5.9, 2: 6.0})
    assert judgement.compared.baseline == pytest.approx({1: 5.1, 2: 5.2, 3: 5.3})
    assert judgement.expectation.bound == "at most that with 1 bdp + 1 Mbit/s"


def test_a_baseline_differs_in_one_field_and_those_zipped_with_it(tmp_path: Path) -> None:
    flows = [{"name": "tested", "cc": ["cubic", "reno"]}, {"name": "late", "cc": ["cubic", "reno"], "start": "1 s"}]
    expect = [
        {"quantity": "goodput", "of": "tested", "at_least": {"against": "flows[0].cc", "times": 0.1}},
        {"quantity": "jain", "at_most": {"against": "flows[1].cc", "times": 9}},
    ]
    spec = SPEC | {"flows": flows, "expect": expect, "zip": [["flows[0].cc", "flows[1].cc"]]}
    spec |= {"path": SPEC["path"] | {"buffer": ["1 bdp", "2 bdp"]}}
    frame = dumbbell.run(spec, store=tmp_path).expectations()
    assert frame["verdict"].tolist() == ["holds"] * 4
    assert set(frame["flows[0].cc"]) == {"reno"}
    assert frame["path.buffer"].tolist() == ["1 bdp", "2 bdp"] * 2
