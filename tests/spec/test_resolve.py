from __future__ import annotations

import hashlib
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dumbbell.spec import Experiment, Run, SpecError, expand, load, resolve
from dumbbell.spec.quantity import Bytes, Rate, Time
from dumbbell.spec.resolve import start_jitter_ns

Words = dict[str, Any]
S = 10**9


def only(words: Words, seed: int = 1) -> Run:
    (point,) = expand(load(words))
    return resolve(point, seed).run


@pytest.mark.parametrize(
    ("buffer", "queue", "room"),
    [
        ("1 bdp", "bytes", {"bytes": 250_000}),
        ("0.3bdp", "bytes", {"bytes": 75_000}),
        ("125 kB", "bytes", {"bytes": 125_000}),
        ("64 KiB", "bytes", {"bytes": 65_536}),
        ("100 packets", "bytes", {"bytes": 151_400}),
        ("100 packets", "packets", {"packets": 100}),
        ("1 bdp", "packets", {"packets": 165}),
    ],
)
def test_rooms_of_the_queue(words: Words, buffer: str, queue: str, room: dict[str, int]) -> None:
    words["path"] |= {"buffer": buffer, "queue": queue}
    assert only(words).path.buffer.model_dump() == room


def test_a_bdp_is_that_of_the_path_whatever_the_flows(words: Words) -> None:
    words["flows"][0]["rtt"] = "100 ms"
    run = only(words)
    assert run.path.buffer.model_dump() == {"bytes": 250_000}
    assert run.flows[0].return_delay_ns == 100_000_000


def test_bdp_rounds_half_to_even(words: Words) -> None:
    words["path"] |= {"rate": "100001000 bit/s", "rtt": "1 ms", "buffer": "1 bdp"}  # 12500.125 B
    assert only(words).path.buffer.model_dump() == {"bytes": 12_500}
    words["path"] |= {"rate": "100012000 bit/s"}  # 12501.5 B
    assert only(words).path.buffer.model_dump() == {"bytes": 12_502}


@pytest.mark.parametrize(
    ("side", "forward_ns", "return_ns"),
    [("return", 0, 25_000_001), ("forward", 25_000_001, 0), ("split", 12_500_000, 12_500_001)],
)
def test_the_side_of_the_delay(words: Words, side: str, forward_ns: int, return_ns: int) -> None:
    words["path"] |= {"rtt": "25.000001 ms", "delay_side": side}
    flow = only(words).flows[0]
    assert (flow.forward_delay_ns, flow.return_delay_ns) == (forward_ns, return_ns)


def test_groups_become_flows(words: Words) -> None:
    words["flows"] = [
        {"name": "old", "cc": "bbr_4_17", "count": 2, "start": "1 s", "stagger": "500 ms"},
        {"cc": "cubic", "count": 2},
        {"cc": "reno"},
        {"cc": "cubic[]", "count": 2},
        {"name": "cubic-4", "cc": "cubic"},
    ]
    (point,) = expand(load(words))
    resolved = resolve(point, 1)
    assert [flow.name for flow in resolved.run.flows] == [
        "old", "old-2", "cubic", "cubic-2", "reno", "cubic-3", "cubic-5", "cubic-4",
    ]  # fmt: skip
    assert resolved.groups == ("old", "old", "cubic", "cubic", "reno", "cubic-3", "cubic-3", "cubic-4")
    assert resolved.ccs == ("bbr_4_17", "bbr_4_17", "cubic", "cubic", "reno", "cubic[]", "cubic[]", "cubic")
    assert [flow.start_ns for flow in resolved.run.flows[:2]] == [1 * S, 1_500_000_000]


def test_the_jitter_is_the_documented_hash() -> None:
    digest = hashlib.sha256(b"dumbbell start_jitter 7 bbr-2").digest()
    assert start_jitter_ns(7, "bbr-2", S) == int.from_bytes(digest[:8], "big") * S >> 64


def test_the_jitter_is_uniform_and_below_its_bound() -> None:
    samples = [start_jitter_ns(seed, "bbr", 1000) for seed in range(4000)]
    assert 0 <= min(samples) < 5
    assert 995 <= max(samples) < 1000
    assert abs(sum(samples) / len(samples) - 499.5) < 15


def test_no_jitter_no_change(words: Words) -> None:
    words["flows"][0]["start"] = "1 s"
    assert {only(words, seed).flows[0].start_ns for seed in range(5)} == {S}


def test_another_flow_changes_no_others_start(words: Words) -> None:
    words["start_jitter"] = "100 ms"
    words["flows"] = [{"cc": "bbr", "count": 2}]
    alone = only(words).flows
    words["flows"] = [{"cc": "bbr", "count": 3}, {"cc": "cubic"}]
    beside = only(words).flows
    assert beside[:2] == alone
    words["flows"] = [{"cc": "cubic"}, {"cc": "bbr", "count": 2}]
    assert only(words).flows[1:] == alone


def test_a_stop_at_the_end_is_none(words: Words) -> None:
    words["flows"][0]["stop"] = "10 s"
    assert only(words).flows[0].stop_ns is None
    words["flows"][0]["stop"] = "9 s"
    assert only(words).flows[0].stop_ns == 9 * S


def test_the_default_window_is_the_whole_run(words: Words) -> None:
    measure = only(words).measure
    assert (measure.window_begin_ns, measure.window_end_ns) == (0, 10 * S)


@pytest.mark.parametrize(("text", "json"), [("max", "max"), ("default", "default"), ("16 MB", {"bytes": 16_000_000})])
def test_socket_memory(words: Words, text: str, json: object) -> None:
    assert only(words | {"host": {"socket_memory": text}}).model_dump()["host"]["socket_memory"] == json


def test_the_same_meaning_is_the_same_run(words: Words) -> None:
    words["flows"][0]["cc"] = "bbr[cwnd_gain=2]"
    words["path"] |= {"rate": "0.08 Gbit/s", "rtt": "25000 us", "buffer": "250 kB", "loss": "0 %"}
    other = {
        "name": "another",
        "flows": [{"cc": "bbr", "count": 1}],
        "path": {"buffer": "1bdp", "rtt": "25ms", "rate": "80mbit"},
        "duration": "10 s",
    }
    assert only(words).canonical() == only(other).canonical()
    assert only(words, 2).canonical() != only(other, 1).canonical()


def test_a_run_reads_back_and_its_bytes_are_sorted(words: Words) -> None:
    words["flows"][0] |= {"cc": "bbr_4_17", "workload": {"transfer": "1 MB"}}
    run = only(words)
    assert Run.from_json(run.to_json()) == run
    assert Run.from_json(run.canonical()) == run
    assert run.canonical().startswith(b'{"duration_ns":10000000000,"flows":[{"access":null,"cc":{"algorithm":"bbr",')
    assert b" " not in run.canonical()


def test_a_point_with_a_problem_is_refused(words: Words) -> None:
    experiment = load(words)
    point = next(expand(experiment))
    late = experiment.flows[0].model_copy(update={"start": Time("20 s")})
    broken = type(point)(point.values, experiment.model_copy(update={"flows": [late]}))
    with pytest.raises(SpecError, match=r"flows\[0\].start"):
        resolve(broken, 1)


def test_ten_thousand_flows_resolve_quickly_and_all_have_names(words: Words) -> None:
    words["flows"] = [{"cc": "bbr", "count": 5000}, {"cc": "cubic", "count": 5000}]
    run = only(words)
    assert len({flow.name for flow in run.flows}) == 10_000


times = st.integers(1, 9_999).map(lambda ms: f"{ms} ms")
flows = st.fixed_dictionaries(
    {"cc": st.sampled_from(["bbr", "bbr_4_17", "cubic", "reno[beta=0.7]", "bbr[cwnd_gain=1.5, policer=0]"])},
    optional={
        "count": st.integers(1, 5),
        "start": times,
        "rtt": st.integers(1, 1000).map(lambda ms: f"{ms} ms"),
        "workload": st.one_of(
            st.just("bulk"),
            st.integers(1, 10**9).map(lambda size: {"transfer": f"{size} B"}),
            st.integers(1, 1000).map(lambda ms: {"stream": "1 Mbit/s", "for": "1 s", "every": f"{ms} ms"}),
        ),
        "access": st.just({"rate": "1 Gbit/s", "buffer": "1 MB"}),
    },
)
experiments = st.fixed_dictionaries(
    {
        "duration": st.just("10 s"),
        "path": st.fixed_dictionaries(
            {
                "rate": st.integers(1000, 10**12).map(Rate.show),
                "rtt": st.integers(1000, 10**10).map(Time.show),
                "buffer": st.integers(65_600, 10**9).map(Bytes.show),
            },
            optional={
                "loss": st.integers(0, 10**9 - 1).map(lambda ppb: f"{ppb / 10**7:.7f} %"),
                "mtu": st.integers(576, 65_535),
                "delay_side": st.sampled_from(["return", "forward", "split"]),
                "burst": st.integers(1, 10**9).map(Bytes.show),
            },
        ),
        "flows": st.lists(flows, min_size=1, max_size=4),
    },
    optional={"seeds": st.lists(st.integers(0, 2**63 - 1), min_size=1, max_size=3, unique=True)},
)


@given(experiments)
def test_valid_specs_resolve_and_round_trip(words: Words) -> None:
    experiment = Experiment(**words)
    assert experiment.words() == words
    for point, seed in product(expand(experiment), experiment.seed_values):
        resolved = resolve(point, seed)
        run = resolved.run
        assert Run.from_json(run.to_json()) == run
        assert run.path.rate_bps == Rate(words["path"]["rate"]).bps
        assert len(run.flows) == sum(flow.get("count", 1) for flow in words["flows"]) == len(resolved.groups)
        assert len({flow.name for flow in run.flows}) == len(run.flows)
        for flow, group in zip(run.flows, resolved.groups, strict=True):
            assert flow.start_ns < run.duration_ns
            assert flow.name.startswith(group.rstrip("0123456789"))
