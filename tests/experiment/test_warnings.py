"""Warnings that only runs together can tell: each by a spec that must raise it, and by one that must not."""

from __future__ import annotations

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

import dumbbell
from dumbbell.experiment.points import ExperimentRuns, Notice, read
from dumbbell.experiment.warning import summaries
from dumbbell.experiment.warnings import of_single_runs, warnings
from dumbbell.results.measured import MeasuredPoint
from dumbbell.results.store import Store
from dumbbell.spec import Experiment
from specs import smallest

LATER = {"window": ["25 %", "100 %"], "record": "summary"}
TWO_RENO: dict[str, Any] = {
    "duration": "120 s",
    "path": {"rate": "100 Mbit/s", "rtt": "20 ms", "buffer": "4 MB"},
    "flows": [{"name": "near", "cc": "reno"}, {"name": "far", "cc": "reno", "rtt": "100 ms"}],
    "measure": {"window": ["50 %", "100 %"], "record": "summary"},
}
PAIR: dict[str, Any] = smallest(
    duration="40 s", start_jitter="100 ms", flows=[{"cc": "bbr", "count": 2}], measure=LATER
)
SMALL: dict[str, Any] = {"rate": "20 Mbit/s", "rtt": "20 ms", "buffer": "1 bdp"}
LOSSY = SMALL | {"loss": "0.1 %"}
MARKING = SMALL | {"qdisc": {"kind": "codel", "ecn": True}}
DEEP: dict[str, Any] = {"rate": "80 Mbit/s", "rtt": "25 ms", "buffer": "16 bdp"}

DOWNLOAD: dict[str, Any] = {
    "duration": "until done",
    "time_limit": "40 s",
    "path": {"rate": "80 Mbit/s", "rtt": "100 ms", "buffer": "1 bdp"},
    "flows": [{"cc": "cubic", "workload": {"transfer": "9 MB"}}],
    "measure": {"sample": "10 ms"},
}


def measured_runs(**fields: Any) -> ExperimentRuns:
    results = dumbbell.run(Experiment(**fields))
    with Store.open(results.store) as store:
        (runs,) = read(store)
    return runs


def texts(kind: str, **fields: Any) -> list[str]:
    return [text for each, text in summaries(warnings(measured_runs(**fields))).items() if each == kind]


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"seeds": 2, "start_jitter": "100 ms"},
        {"seeds": 4, "start_jitter": "100 ms"},
        {"seeds": 4, "path": TWO_RENO["path"] | {"jitter": "none"}},  # four times the same
    ],
)
def test_a_window_that_is_not_stationary(more: dict[str, Any], snapshot: SnapshotAssertion) -> None:
    assert texts("not stationary", **TWO_RENO | more) == snapshot


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"seeds": 4},
        {"measure": {"window": ["5 s", "15 s"]}},  # BBR's PROBE_RTT is in one half
        {"flows": [{"cc": "bbr"}, {"cc": "bbr", "start": "20 s"}]},  # nobody expects that it stays
        {"path": {**SMALL, "change": [{"at": "25 s", "rate": "10 Mbit/s"}]}},
        {"flows": [{"cc": "cubic"}], "path": SMALL},
        DOWNLOAD,  # begins slowly, as every one does
    ],
)
def test_a_window_of_which_nothing_is_said(more: dict[str, Any]) -> None:
    assert texts("not stationary", **PAIR | more) == []


def test_seeds_that_change_nothing_although_they_draw(snapshot: SnapshotAssertion) -> None:
    alone = {"flows": [{"cc": "cubic"}], "seeds": 3}
    assert texts("seeds alike", **PAIR | alone) == snapshot
    assert texts("seeds alike", **PAIR | alone | {"path": {**SMALL, "loss": ["0 %", "1 %"]}}) == []
    assert texts("seeds alike", **PAIR | {"seeds": 3}) == []


@pytest.mark.parametrize(
    ("spread", "jain", "said"),
    [(0.0009, [0.5, 0.5], True), (0.0011, [0.5, 0.5], False), (0.0, [0.5, 0.6], False)],
)
def test_seeds_are_alike_by_what_they_give(spread: float, jain: list[float], said: bool) -> None:  # noqa: FBT001
    """Two flows of which a thousandth depends on the seed, two of which more does, two that share it otherwise."""
    measured = {(name, "bbr"): [1.0, 1.0 + spread] for name in ("goodput", "rtt")} | {("jain", ""): jain}
    point = MeasuredPoint(swept={}, ccs={"bbr": "bbr"}, run_ids={1: "a", 2: "b"}, numbers=measured)
    runs = ExperimentRuns(name="x", engine="sim", points=[point], experiment=Experiment(**PAIR | {"seeds": 2}))
    assert [each.kind for each in warnings(runs)] == ["seeds alike"] * said


def test_few_losses(snapshot: SnapshotAssertion) -> None:
    cubic = {"flows": [{"cc": "cubic", "count": 2}], "path": DEEP}
    rare: dict[str, Any] = {
        "flows": [{"cc": "cubic"}],
        "path": {**DEEP, "loss": "0.0001 %"},
        "measure": {"window": ["70 %", "75 %"]},
    }
    assert {
        "some": texts("few losses", **PAIR | cubic),
        "some in several runs": texts(
            "few losses", **PAIR | cubic | {"seeds": 2, "measure": {"window": ["60 %", "100 %"]}}
        ),
        "none, so that the start decides": texts("few losses", **TWO_RENO),
        "none at random": texts("few losses", **PAIR | rare),
    } == snapshot


@pytest.mark.parametrize(
    "more",
    [
        {"path": DEEP},  # BBR loses nothing in a deep queue: a result
        {"flows": [{"cc": "reno", "count": 2}], "path": SMALL},
        {"flows": [{"cc": "cubic"}], "path": LOSSY},
        {"flows": [{"cc": "cubic", "workload": {"transfer": "1 MB"}}]},
        {"flows": [{"cc": "reno", "count": 2, "ecn": True}], "path": MARKING},
    ],
)
def test_losses_enough_or_nothing_to_tell_of_them(more: dict[str, Any]) -> None:
    assert texts("few losses", **PAIR | more) == []


@pytest.mark.slow
def test_memory_that_a_host_has_not_where_only_the_runs_show_it(snapshot: SnapshotAssertion) -> None:
    """Two flows have enough together, but the path of one is long."""
    long = {"path": {"rate": "400 Mbit/s", "rtt": "20 ms", "buffer": "1 bdp"}, "measure": LATER}
    flows = [{"name": "near", "cc": "bbr"}, {"name": "far", "cc": "bbr", "rtt": "200 ms"}]
    assert texts("socket memory", **PAIR | long | {"flows": flows}) == snapshot
    assert texts("socket memory", **PAIR | long | {"flows": flows, "host": {"socket_memory": "max"}}) == []
    assert texts("socket memory", **PAIR | long) == []


def test_what_a_store_does_not_tell_is_not_said() -> None:
    runs = measured_runs(**TWO_RENO)
    runs.experiment = None
    assert warnings(runs) == []


def test_what_is_said_of_the_experiment_is_not_said_of_its_runs_too() -> None:
    about = ["flow 0 (dctcp): behaves as Reno; `dumbbell cc show dctcp` says why", "flow 0 (dctcp): delivered nothing"]
    notices = [Notice("warning", text, "seed 1", 1) for text in about]
    runs = ExperimentRuns(name="x", engine="linux", notices=notices, experiment=Experiment(**PAIR))
    assert [each.text for each in of_single_runs(runs)] == about[1:]
    runs.experiment = None
    assert [each.text for each in of_single_runs(runs)] == about
