from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dumbbell.metrics import catalogue
from dumbbell.metrics.catalogue import HARMS, QUANTITIES, Setup, group_values, run_values
from dumbbell.metrics.programs.report import ProgramSummary
from dumbbell.metrics.summary import BottleneckSummary, FlowSummary, GroupSummary, Summary
from specs import resolved

FLOW = FlowSummary(
    flow=0, name="bbr", cc="bbr", start_s=0, goodput_bps=6e6, goodput_whole_bps=6e6, retransmits=30,
    retransmit_rate=0.1, throughput_bps=6e6, segments_sent=300, rtt_mean_s=0.05, rtt_p50_s=0.05, rtt_p95_s=0.06,
    rtt_p99_s=0.07, rtt_min_s=0.04, ack_rtt_mean_s=None, ack_rtt_p99_s=None, cov=None, app_limited_s=0,
    rwnd_limited_s=0,
    sndbuf_limited_s=0, fct_s=10.0, starved_s=3.0, starved_longest_s=2.0,
)  # fmt: skip
LATE: Any = {
    "starved_s": 5.0, "starved_longest_s": 1.0, "late_mean_s": 0.1, "late_p95_s": 0.3, "late_max_s": 0.5, "stalls": 2,
    "stalled_s": 4.0,
}  # fmt: skip
BBR = GroupSummary(
    goodput_bps=6e6,
    share=0.75,
    goodput_first_half_bps=5e6,
    goodput_second_half_bps=7e6,
    goodput_trend=0.5,
    goodput_iperf3_bps=6.5e6,
)
SUMMARY = Summary(
    window_s=(0, 1),
    flows=(
        FLOW,
        replace(FLOW, flow=1, retransmits=0, segments_sent=100, rtt_mean_s=0.07, fct_s=20.0, **LATE),
        replace(FLOW, flow=2, name="cubic", cc="cubic", rtt_mean_s=None, segments_sent=0, retransmits=0, fct_s=None),
    ),
    hops=(),
    bottleneck=BottleneckSummary(
        utilization=0.9, offered_packets=900, sent_packets=800, dropped_packets=100, loss_rate=1 / 9,
        loss_per_sent=1 / 8, random_lost_packets=100, queue_mean_bytes=1e4, queue_p95_bytes=2e4, queue_max_bytes=30000,
        queue_mean_bdp=0.5, power=0.8, converged=True, convergence_s=12.0,
        loss_events=7, marked_packets=16, mark_rate=0.02, sojourn_mean_s=0.01, sojourn_p95_s=0.02, sojourn_p99_s=0.03,
    ),
    groups={"bbr": BBR, "cubic": GroupSummary(goodput_bps=2e6, share=0.25)},
    jain=0.8,
)  # fmt: skip


def test_a_group_has_the_mean_of_its_flows_times_and_all_their_segments() -> None:
    values = group_values(SUMMARY)
    assert list(values) == ["bbr", "cubic"]
    assert values["bbr"] == {
        "goodput": 6e6, "share": 0.75, "retransmits": 30 / 400, "rtt": pytest.approx(0.06), "rtt_p50": 0.05,
        "rtt_p95": 0.06, "rtt_p99": 0.07, "page_load": None, "page_load_p95": None, "pages": None, "pings_lost": None,
        "datagrams_lost": None, "delay": None, "delay_p50": None, "delay_p95": None, "delay_p99": None,
        "late_frames": None, "frame_delay": None, "frame_delay_p50": None, "frame_delay_p95": None,
        "frame_delay_p99": None,
        "fct": 15.0, "starved": 5.0, "starved_longest": 2.0, "late": 0.1, "late_p95": 0.3, "late_max": 0.5, "stalls": 2,
        "stalled": 4.0, "fct_p50": 15.0, "fct_p95": 19.5, "fct_p99": 19.9, "slowdown": None, "slowdown_p50": None,
        "slowdown_p95": None, "slowdown_p99": None, "first_half": 5e6, "second_half": 7e6, "trend": 0.5,
        "goodput_iperf3": 6.5e6, "program_goodput": None, "program_speed": None,
    }  # fmt: skip
    assert [values["cubic"][name] for name in ("retransmits", "rtt", "fct")] == [None, None, None]


def test_completion_time_is_unknown_where_a_flow_did_not_end() -> None:
    flows = (FLOW, replace(FLOW, flow=1, fct_s=None))
    assert group_values(replace(SUMMARY, flows=flows))["bbr"]["fct"] is None


def test_percentiles_are_over_the_flows_of_a_group_or_the_transfers_of_a_source() -> None:
    left = group_values(replace(SUMMARY, flows=(FLOW, FLOW, replace(FLOW, fct_s=None))))["bbr"]
    assert (left["fct_p50"], left["fct_p95"]) == (FLOW.fct_s, None), "who is not complete is the slowest"
    source = replace(FLOW, transfers=100, fct_p95_s=7.0, slowdown_mean=2.0, slowdown_p99=9.0)
    values = group_values(replace(SUMMARY, flows=(source,)))["bbr"]
    assert [values[name] for name in ("fct_p95", "fct_p99", "slowdown", "slowdown_p99")] == [7.0, None, 2.0, 9.0]


def test_a_group_has_what_its_programs_delivered_together_and_the_mean_speed_of_their_films() -> None:
    program = ProgramSummary(command=("iperf3",), status=0, took_s=9.0, output=None, goodput_bps=5e6, speed=0.5)
    flows = [replace(FLOW, program=replace(program, speed=speed)) for speed in (0.5, 1.0)]
    values = group_values(replace(SUMMARY, flows=tuple(flows)))["bbr"]
    assert (values["program_goodput"], values["program_speed"]) == (10e6, 0.75)
    others = group_values(replace(SUMMARY, flows=(*flows, FLOW)))["bbr"]
    assert (others["program_goodput"], others["program_speed"]) == (None, 0.75)


def test_a_run() -> None:
    values = run_values(SUMMARY, Setup(random_loss_at="before", base_rtts_s=(0.04, 0.04, 0.04), drain_time_s=0.1))
    assert values == {
        "total_goodput": 8e6, "utilization": 0.9, "jain": 0.8, "loss": 1 / 9, "random_loss": 0.1, "queue": 0.5,
        "queueing_delay": pytest.approx(0.2), "power": 0.8, "converged": True, "convergence": 12.0,
        "drops": 100, "random_drops": 100, "loss_events": 7, "marks": 0.02, "sojourn": 0.01, "sojourn_p95": 0.02,
        "sojourn_p99": 0.03, "dequeue_drops": None, "low_latency_queue": None, "classic_queue": None,
    }  # fmt: skip
    assert [run_values(SUMMARY)[name] for name in ("random_loss", "queueing_delay")] == [None, None]


def test_what_tells_groups_or_flows_apart_is_no_news_of_one() -> None:
    alone = replace(SUMMARY, flows=(FLOW,), groups={"bbr": SUMMARY.groups["bbr"]})
    silent = {name for name, each in QUANTITIES.items() if not each.informative(alone)}
    assert silent == {"share", "total_goodput", "jain", "converged", "convergence", *HARMS}
    assert all(each.informative(SUMMARY) for each in QUANTITIES.values())


def test_the_setup_of_a_run_is_that_of_its_path() -> None:
    path = {"rate": "12 Mbit/s", "rtt": "40 ms", "buffer": "100 packets", "loss": "1 %", "loss_at": "after"}
    setup = Setup.of(resolved(path=path).run)
    assert (setup.random_loss_at, list(setup.base_rtts_s)) == ("after", [0.04])
    assert setup.drain_time_s == pytest.approx(100 * 1514 * 8 / 12e6)


@pytest.mark.parametrize(
    ("path", "where"),
    [
        ({}, None),
        ({"corrupt": "1 %"}, "after"),
        ({"corrupt": "1 %", "loss": "1 %"}, "before"),
        ({"loss": {"gilbert_elliott": {"loss": "1 %", "burst": 5}}}, "before"),
        ({"change": [{"at": "1 s", "loss": "1 %"}], "loss_at": "after"}, "after"),
        ({"change": [{"at": "1 s", "rate": "1 Mbit/s"}]}, None),
    ],
)
def test_a_path_loses_at_random_in_bursts_after_changes_and_by_damage(
    path: dict[str, object], where: str | None
) -> None:
    own = {"rate": "12 Mbit/s", "rtt": "40 ms", "buffer": "100 packets"}
    assert Setup.of(resolved(path=own | path).run).random_loss_at == where


@pytest.mark.parametrize(
    ("path", "lossy"),
    [
        ({}, False), ({"loss": "0 %"}, False), ({"loss": "0.1 %"}, True), ({"loss": ["0 %", "1 %"]}, True),
        ({"loss": {"gilbert_elliott": {"loss": "1 %", "burst": 5}}}, True), ({"corrupt": "0.1 %"}, True),
        ({"change": [{"at": "1 s", "rate": "1 Mbit/s"}]}, False), ({"change": [{"at": "1 s", "loss": "1 %"}]}, True),
        ({"link": "starlink"}, False), ({"link": "geo", "loss": "1 %"}, True),
    ],
)  # fmt: skip
def test_a_spec_says_whether_its_path_loses_at_random(path: dict[str, object], lossy: bool) -> None:  # noqa: FBT001
    assert catalogue.has_random_loss({"path": path}) is lossy
