"""Conditions at random, of every stratum: within their ranges, the same for ever, and spread as they should be."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from dev.strata import conditions as random_conditions
from dev.strata import studied
from dev.strata.conditions import condition, conditions
from dumbbell.comparison.strata import strata
from dumbbell.engines.linux_limits import problems
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import ComparisonError
from dumbbell.spec import Run, expand, load, resolve, toml

MANY = 400
SEED = 20261123
OF_STRATUM = 40


@pytest.fixture(scope="module")
def runs() -> list[Run]:
    return runs_of(MANY, 5)


def runs_of(count: int, seed: int, *stratum: str) -> list[Run]:
    return [resolve(point, 1).run for drawn in conditions(count, seed, *stratum) for point in expand(drawn)]


def of(stratum: str) -> list[Run]:
    return runs_of(OF_STRATUM, SEED, stratum)


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
    assert min(map(room, runs)) < 12_000
    assert max(map(room, runs)) > 10_000_000


def test_they_are_spread_as_they_should_be(runs: list[Run]) -> None:
    """Each share within four standard deviations of 400 draws."""
    rates = [run.path.rate_bps for run in runs]
    assert sum(rate < 5e6 * 200**0.5 for rate in rates) == pytest.approx(MANY / 2, abs=40)
    assert sum(run.path.loss_ppb == 0 for run in runs) == pytest.approx(MANY / 2, abs=40)
    kinds = [
        len({(flow.algorithm, *sorted(flow.parameters.items())) for flow in run.flows}) for run in runs
    ]  # fmt: skip
    assert set(kinds) == {1, 2, 3}
    assert sum(kind > 1 for kind in kinds) == pytest.approx(MANY * 0.685 * 2 / 3, abs=40)
    assert {len(run.flows) for run in runs} == set(range(1, 9))


def test_every_algorithm_is_drawn() -> None:
    drawn = Counter(str(cc) for each in conditions(MANY, 5) for cc in each.of_groups("cc"))
    assert set(drawn) == {"reno", "cubic", "bbr", "bbr_4_17", "bbr_1_1", "bbr_1_5", "bbr_shallow"}
    assert min(drawn["reno"], drawn["cubic"], drawn["bbr"]) > 2 * max(drawn["bbr_4_17"], drawn["bbr_1_1"])


FOR_EVER = (
    (condition(2, 7), {
        "name": "random-7-2", "duration": "60 s", "start_jitter": "100 ms",
        "path": {"rate": "18.5 Mbit/s", "rtt": "7.05 ms", "buffer": "0.577 bdp", "loss": "0.0069 %"},
        "flows": [{"cc": "bbr"}, {"cc": "reno", "count": 2}], "measure": {"window": ["50 %", "100 %"]},
    }),
    (condition(3, SEED, "access"), {
        "name": "access-20261123-3", "duration": "60 s", "start_jitter": "100 ms",
        "path": {"rate": "119 Mbit/s", "rtt": "19.1 ms", "buffer": "0.348 bdp"},
        "flows": [{"cc": "bbr", "access": {"rate": "75.2 Mbit/s", "buffer": "240 packets", "kind": "device"}}],
        "measure": {"window": ["50 %", "100 %"], "record": "summary"},
    }),
    (condition(3, 20261129, "parking-lot"), {
        "name": "parking-lot-20261129-3", "duration": "60 s", "start_jitter": "100 ms", "path": {"rtt": "21.4 ms"},
        "flows": [
            {"cc": "bbr", "start": "4.7 s", "name": "all-bbr"},
            {"cc": "cubic", "start": "1.1 s", "name": "first-cubic", "route": ["first"]},
            {"cc": "bbr", "name": "second-bbr", "route": ["second"]},
            {"cc": "cubic", "start": "3.5 s", "name": "third-cubic", "route": ["third"]},
            {"cc": "bbr", "start": "4.8 s", "name": "third-bbr", "route": ["third"]},
        ],
        "hops": [
            {"name": "first", "rate": "12 Mbit/s", "delay": "3.07 ms", "buffer": "0.73 bdp"},
            {"name": "second", "rate": "8.85 Mbit/s", "delay": "5.18 ms", "buffer": "0.943 bdp"},
            {"name": "third", "rate": "9.61 Mbit/s", "delay": "0.464 ms", "buffer": "0.625 bdp"},
        ],
        "measure": {"window": ["50 %", "100 %"], "record": "summary"},
    }),
)  # fmt: skip
"""Literally: whoever changes this changes every published seed."""


def test_a_condition_is_the_same_for_ever_and_depends_on_the_seed_but_not_on_how_many_are_drawn() -> None:
    assert [drawn.fields() for drawn, _ in FOR_EVER] == [fields for _, fields in FOR_EVER]
    few, many = list(conditions(3, 7)), list(conditions(9, 7))
    assert [each.fields() for each in few] == [each.fields() for each in many[:3]]
    assert condition(1, 8).fields()["path"] != few[0].fields()["path"]
    assert len({str(each.fields()["path"]) for each in many}) == 9


@pytest.mark.parametrize("stratum", strata())
def test_every_condition_of_a_stratum_is_an_ordinary_spec_of_its_name(stratum: str) -> None:
    drawn = list(conditions(OF_STRATUM, SEED, stratum))
    prefix = "random" if stratum == "plain" else stratum
    assert [each.name for each in drawn] == [f"{prefix}-{SEED}-{number}" for number in range(1, OF_STRATUM + 1)]
    assert len({str((each.fields()["path"], each.fields().get("hops"))) for each in drawn}) == OF_STRATUM
    assert all(load(toml(each.fields())).fields() == each.fields() for each in drawn[:5])
    most = strata()[stratum].most_packets
    if stratum != "transfers":  # which end when they are done
        assert max(map(random_conditions.packets, drawn)) <= 1.01 * most


@pytest.mark.slow
def test_strata_are_about_what_they_say() -> None:
    assert {run.host.qdisc for run in of("fq")} == {"fq"}
    assert {flow.access.kind for run in of("access") for flow in run.flows if flow.access} == {"device", "router"}
    assert all(len({flow.base_rtt_s for flow in run.flows}) == len(run.flows) >= 2 for run in of("rtts"))
    assert all(run.path.jitter_ns == pytest.approx(run.path.frame_bytes * 8e9 / run.path.rate_bps, abs=1)
               for run in of("rtts"))  # fmt: skip
    for run in of("short"):
        assert run.path.buffer.bytes is not None
        assert 3 * 1514 <= run.path.buffer.bytes <= 20 * 1514
    assert {run.path.burst_bytes for run in of("short")} == {1600, 5000, 15_000}
    assert all(20_000_000 <= run.path.loss_ppb <= 200_000_000 for run in of("loss"))
    assert all(9 <= len(run.flows) <= 200 for run in of("many"))
    assert max(len(run.flows) for run in of("many")) > 100
    assert all(run.path.changes for run in of("change"))
    assert all(run.path.offload and not run.path.loss_ppb for run in of("offload"))
    assert all(run.host.socket_memory == "default" for run in of("memory"))
    assert all(run.until_done for run in of("transfers"))
    assert {run.host.gro for run in of("nic")} == {True, False}
    assert {flow.algorithm for run in of("live") for flow in run.flows} == {"reno", "cubic", "bbr"}
    assert not any(flow.parameters or run.path.loss_ppb for run in of("live") for flow in run.flows)
    for run in of("deep"):
        assert run.path.buffer_bytes >= 9.9 * run.path.rate_bps * run.flows[0].base_rtt_s / 8
    assert all(12 <= run.duration_ns / 1e9 / run.flows[0].base_rtt_s <= 60.1 for run in of("startup"))


def test_strata_of_managed_queues_differ_in_the_queue_and_in_who_has_ecn() -> None:
    for name in ("codel", "fq_codel", "pie", "red", "dualpi2"):
        assert {run.path.qdisc.kind for run in of(name) + of(f"{name}_ecn")} == {name}
        without, having = ([flow for run in of(each) for flow in run.flows] for each in (name, f"{name}_ecn"))
        assert {flow.ecn for flow in without} == {"off"}
        assert {flow.ecn for flow in having if flow.algorithm != "dctcp"} == {"off", "classic"}
        assert {flow.algorithm for flow in having} - {flow.algorithm for flow in without} == {"dctcp"}
        assert all(run.path.qdisc.marks for run in of(f"{name}_ecn"))
    laws = [run.path.qdisc.codel for run in of("fq_codel_ecn")]
    assert all(law and 2_000_000 <= law.target_ns <= 15_000_000 for law in laws), "as CoDel's, which it is like"


def test_strata_of_several_queues_have_them_and_flows_on_each_of_their_ways() -> None:
    for run in of("series"):
        assert len(run.path.hops) == 2
        fastest, slowest = sorted((hop.rate_bps for hop in run.path.hops), reverse=True)
        assert slowest == run.path.rate_bps
        assert fastest <= 1.51 * slowest
        assert all(hop.buffer.bytes and hop.buffer.bytes >= 6 * 1514 and hop.delay_ns for hop in run.path.hops)
        assert not any(flow.direction == "up" for flow in run.flows)
    assert {run.path.bottleneck for run in of("series")} == {0, 1}
    for run in of("both-ways"):
        (back,) = run.path.back
        assert 0.249 <= back.rate_bps / run.path.rate_bps <= 1.01
        assert (
            1
            <= sum(flow.direction == "up" for flow in run.flows)
            <= 3
            >= len(run.flows) - sum(flow.direction == "up" for flow in run.flows)
            >= 1
        )
    for run in of("narrow-back"):
        (back,) = run.path.back
        assert 0.0099 <= back.rate_bps / run.path.rate_bps <= 0.0501
        assert back.rate_bps % 8 == 0, "or `linux` refuses"
        assert 10 <= (back.buffer.packets or 0) <= 200
    for run in of("parking-lot"):
        assert len(run.path.hops) == 3
        assert {flow.route.data for flow in run.flows} == {None, (0, 0), (1, 1), (2, 2)}
    assert {run.path.bottleneck for run in of("parking-lot")} == {0, 1, 2}


@pytest.mark.parametrize("stratum", ["series", "both-ways", "narrow-back", "parking-lot"])
def test_paths_of_several_queues_are_the_same_for_a_seed_and_honoured_by_both_engines(stratum: str) -> None:
    drawn = [list(conditions(count, SEED, stratum)) for count in (OF_STRATUM, OF_STRATUM, 3)]
    fields = [[each.fields() for each in some] for some in drawn]
    assert fields[0] == fields[1]
    assert fields[2] == fields[0][:3]
    others = [each.fields() for each in conditions(3, SEED + 1, stratum)]
    assert all(one["path"] != other["path"] for one, other in zip(fields[2], others, strict=True))
    for run in of(stratum):
        assert len(run.path.queues) > 1
        assert not SimEngine().unsupported_fields(run)
        assert list(problems(run)) == []


def test_steps_of_the_rate_are_in_order_and_in_the_run() -> None:
    for run in of("change"):
        at = [change.at_ns for change in run.path.changes]
        assert at == sorted(set(at))
        assert 0.1 * run.duration_ns <= at[0] <= at[-1] < run.duration_ns


@pytest.mark.long
def test_the_studies_stratum_has_points_of_their_specs_unchanged() -> None:
    drawn = list(studied.conditions(OF_STRATUM, SEED))
    assert drawn[0].name.startswith(f"studies-{SEED}-1-")
    assert len({each.name.split("-", 3)[3] for each in drawn}) > OF_STRATUM / 2
    assert [each.fields() for each in studied.conditions(3, SEED)] == [each.fields() for each in drawn[:3]]
    for each in drawn:
        (point,) = expand(each)
        assert not SimEngine().unsupported_fields(resolve(point, 1).run)


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
    experiment = load(condition(2, 7), overrides=sets)
    assert random_conditions.packets(experiment) == pytest.approx(packets)


def test_packets_bound_the_rate() -> None:
    for drawn in conditions(50, 3, most_packets=100_000, duration="10 s"):
        assert random_conditions.packets(drawn) <= 100_500  # a rate has three digits


@pytest.mark.parametrize(
    ("stratum", "options", "message"),
    [
        ("plain", {"most_packets": 100}, "are more than 100 packets"),
        ("plain", {"duration": "10"}, "duration"),
        ("plain", {"duration": "0 s"}, "duration"),
        ("plain", {"duration": "x"}, "duration"),
        ("transfers", {"duration": "60 s"}, '^duration: stratum "transfers" has its own; leave it out$'),
        ("startup", {"duration": "60 s"}, '^duration: stratum "startup" has its own; leave it out$'),
        ("fqs", {}, 'there is no stratum "fqs"; known: plain, fq, access'),
    ],
)
def test_what_cannot_be_drawn_is_refused(stratum: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ComparisonError, match=message):
        list(conditions(1, 1, stratum, **options))
