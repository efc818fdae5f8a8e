"""Conditions at random: within their ranges, the same for ever, and spread as they should be."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from dev.strata import conditions as random_conditions
from dumbbell.errors import ComparisonError
from dumbbell.spec import Run, expand, load, resolve, toml

MANY = 400


@pytest.fixture(scope="module")
def runs() -> list[Run]:
    return [resolve(point, 1).run for drawn in random_conditions.conditions(MANY, 5) for point in expand(drawn)]


def room(run: Run) -> int:
    assert run.path.buffer.bytes is not None
    return run.path.buffer.bytes


def test_every_condition_is_within_its_ranges(runs: list[Run]) -> None:
    assert len(runs) == MANY
    for run in runs:
        rtt_ns = run.flows[0].forward_delay_ns + run.flows[0].return_delay_ns
        bdp_bytes = run.path.rate_bps * rtt_ns / 8e9
        assert 5e6 <= run.path.rate_bps <= 1e9
        assert 5e6 <= rtt_ns <= 200e6
        assert 6 * 1514 <= room(run) <= 50e6
        assert 0.0999 <= room(run) / bdp_bytes <= 10.001 or room(run) in (6 * 1514, 50_000_000)
        assert run.path.loss_ppb == 0 or 10_000 <= run.path.loss_ppb <= 20_000_000
        assert 1 <= len(run.flows) <= 8
        assert run.duration_ns == 60e9
        assert (run.measure.window_begin_ns, run.measure.window_end_ns) == (30e9, 60e9)
        assert max(flow.start_ns for flow in run.flows) < 0.22 * run.duration_ns
        assert run.path.rate_bps * 60 / 8 / 1514 < 5.0e6


def test_small_and_large_buffers_reach_their_bounds(runs: list[Run]) -> None:
    assert min(map(room, runs)) < 12_000
    assert max(map(room, runs)) > 10_000_000


def test_they_are_spread_as_they_should_be(runs: list[Run]) -> None:
    """Each share within four standard deviations of 400 draws."""
    rates = [run.path.rate_bps for run in runs]
    assert sum(rate < 5e6 * 200**0.5 for rate in rates) == pytest.approx(MANY / 2, abs=40)
    assert sum(run.path.loss_ppb == 0 for run in runs) == pytest.approx(MANY / 2, abs=40)
    kinds = [
        len({(flow.cc.algorithm, *sorted(flow.cc.parameters.items())) for flow in run.flows}) for run in runs
    ]  # fmt: skip
    assert set(kinds) == {1, 2, 3}
    assert sum(kind > 1 for kind in kinds) == pytest.approx(MANY * 0.685 * 2 / 3, abs=40)
    assert {len(run.flows) for run in runs} == set(range(1, 9))


def test_every_algorithm_is_drawn() -> None:
    drawn = Counter(str(cc) for each in random_conditions.conditions(MANY, 5) for cc in each.of_groups("cc"))
    assert set(drawn) == {"reno", "cubic", "bbr", "bbr_4_17", "bbr_1_1", "bbr_1_5", "bbr_shallow"}
    assert min(drawn["reno"], drawn["cubic"], drawn["bbr"]) > 2 * max(drawn["bbr_4_17"], drawn["bbr_1_1"])


def test_a_condition_is_the_same_for_ever() -> None:
    """Literally: whoever changes this changes every published seed."""
    assert random_conditions.condition(2, 7).fields() == {
        "name": "random-7-2",
        "duration": "60 s",
        "start_jitter": "100 ms",
        "path": {"rate": "18.5 Mbit/s", "rtt": "7.05 ms", "buffer": "0.577 bdp", "loss": "0.0069 %"},
        "flows": [{"cc": "bbr"}, {"cc": "reno", "count": 2}],
        "measure": {"window": ["50 %", "100 %"]},
    }


def test_a_condition_does_not_depend_on_how_many_are_drawn_but_on_the_seed() -> None:
    few, many = list(random_conditions.conditions(3, 7)), list(random_conditions.conditions(9, 7))
    assert [each.fields() for each in few] == [each.fields() for each in many[:3]]
    assert random_conditions.condition(1, 8).fields()["path"] != few[0].fields()["path"]
    assert len({str(each.fields()["path"]) for each in many}) == 9


def test_a_condition_is_an_ordinary_spec() -> None:
    for drawn in random_conditions.conditions(20, 11):
        again = load(toml(drawn.fields()))
        assert again.fields() == drawn.fields()


@pytest.mark.parametrize(
    ("sets", "packets"),
    [
        ({}, 18.5e6 * 60 / 8 / 1514),
        ({"path.rate": "1 Gbit/s"}, 1e9 * 60 / 8 / 1514),
        ({"path.rate": "10Mbit/s", "duration": "2000 ms"}, 10e6 * 2 / 8 / 1514),
        ({"path.rate": ["1 Gbit/s", "10 Mbit/s"], "path.mtu": 9000, "path.buffer": "1 MB"}, 1.01e9 * 60 / 8 / 9014),
        ({"path.change": [{"at": "30 s", "rate": "37 Mbit/s"}]}, 37e6 * 60 / 8 / 1514),
    ],
)
def test_packets_are_those_of_every_run_at_its_highest_rate(sets: dict[str, Any], packets: float) -> None:
    experiment = load(random_conditions.condition(2, 7), overrides=sets)
    assert random_conditions.packets(experiment) == pytest.approx(packets)


def test_packets_bound_the_rate() -> None:
    for drawn in random_conditions.conditions(50, 3, most_packets=100_000, duration="10 s"):
        assert random_conditions.packets(drawn) <= 100_500  # a rate has three digits


@pytest.mark.parametrize("options", [{"most_packets": 100}, {"duration": "10"}, {"duration": "0 s"}, {"duration": "x"}])
def test_what_cannot_be_drawn_is_refused(options: dict[str, object]) -> None:
    with pytest.raises(ComparisonError):
        list(random_conditions.conditions(1, 1, **options))  # type: ignore[arg-type]
