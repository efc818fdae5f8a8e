from __future__ import annotations

import pytest

from dumbbell.engines.measurement import Measurement, Program, ProgramEnd
from dumbbell.metrics.catalogue import run_values
from dumbbell.metrics.summary import FlowSummary, Summary, summarise
from dumbbell.spec import Resolved
from measured import flow, flow_counters, flow_series, histogram, measurement, queue, queue_counters
from specs import resolved

TWO_GROUPS = [{"cc": "bbr", "count": 2}, {"cc": "cubic[beta=0.5]", "name": "other"}]


def summary(of: Measurement, run: Resolved) -> Summary:
    return summarise(run.run, of, run.bdp_bytes, run.groups, run.ccs)


def summary_of_flow(**parts: object) -> FlowSummary:
    (only,) = summary(measurement(flow(**parts)), resolved()).flows  # type: ignore[arg-type]
    return only


def test_a_flow_in_the_window() -> None:
    flow_summary = summary_of_flow(
        begin=flow_counters(
            5, delivered_bytes=1_000_000, bottleneck_bytes=1_100_000, segments_sent=800, segments_retransmitted=10
        ),
        end=flow_counters(
            10,
            delivered_bytes=6_000_000,
            bottleneck_bytes=6_600_000,
            segments_sent=4_800,
            segments_retransmitted=110,
            app_limited_ns=1_000_000_000,
            rwnd_limited_ns=2_000_000_000,
            sndbuf_limited_ns=500_000_000,
        ),
        rtt_min_ns=25_000_000,
        ack_rtt=histogram(30_000_000, 40_000_000),
        series=flow_series([6, 7], srtt_us=[30_000, 50_000]),
    )
    assert flow_summary == FlowSummary(
        flow=0,
        name="bbr",
        cc="bbr",
        start_s=0,
        goodput_bps=8_000_000,
        goodput_whole_bps=4_800_000,
        retransmits=100,
        retransmit_rate=0.025,
        throughput_bps=8_800_000,
        segments_sent=4_000,
        rtt_mean_s=0.040,
        rtt_p50_s=0.040,
        rtt_p95_s=pytest.approx(0.049),  # type: ignore[arg-type]
        rtt_p99_s=pytest.approx(0.0498),  # type: ignore[arg-type]
        rtt_min_s=0.025,
        ack_rtt_mean_s=0.035,
        ack_rtt_p99_s=pytest.approx(0.040, rel=1 / 64),  # type: ignore[arg-type]
        cov=None,
        app_limited_s=1,
        rwnd_limited_s=2,
        sndbuf_limited_s=0.5,
        fct_s=None,
    )


def test_a_transfer_has_a_completion_time_and_a_goodput_to_its_end() -> None:
    flow_summary = summary_of_flow(started_s=1, completed_s=9, end=flow_counters(10, delivered_bytes=1_000_000))
    assert flow_summary.fct_s == 8
    assert flow_summary.goodput_whole_bps == 1_000_000
    assert flow_summary.goodput_bps == 2_000_000


def test_a_flow_that_sent_nothing_has_no_rates_of_anything() -> None:
    flow_summary = summary_of_flow()
    assert (
        flow_summary.goodput_bps,
        flow_summary.retransmit_rate,
        flow_summary.rtt_mean_s,
        flow_summary.rtt_min_s,
    ) == (0, None, None, None)


def test_groups_add_up_to_what_the_path_carried_although_a_flow_came_late() -> None:
    run = resolved(flows=TWO_GROUPS)
    run_summary = summary(
        measurement(
            flow(end=flow_counters(10, delivered_bytes=2_000_000)),
            flow(end=flow_counters(10, delivered_bytes=2_000_000)),
            flow(started_s=9, end=flow_counters(10, delivered_bytes=1_000_000)),
        ),
        run,
    )
    assert [each.goodput_bps for each in run_summary.flows] == [3_200_000, 3_200_000, 8_000_000]
    assert [(each.name, each.cc) for each in run_summary.flows] == [("bbr", "bbr")] * 2 + [("other", "cubic[beta=0.5]")]
    assert {name: (group.goodput_bps, group.share) for name, group in run_summary.groups.items()} == {
        "bbr": (6_400_000, 0.8),
        "other": (1_600_000, 0.2),
    }
    assert run_summary.jain == pytest.approx((3.2 + 3.2 + 8) ** 2 / (3 * (3.2**2 + 3.2**2 + 8**2)))


def test_of_a_program_that_speaks_no_tcp_nothing_is_known_that_others_would_be_compared_with() -> None:
    said = ProgramEnd(argv=("quic",), began_ns=0, ended_ns=10, status=0, stdout="", stderr="")
    programs = [{"cc": "cubic", "name": "quic", "workload": {"command": ["quic"]}}, {"cc": "bbr", "name": "tcp"}]
    unseen, seen = (
        flow(program=Program(client=said, server=None)),
        flow(end=flow_counters(10, delivered_bytes=2_000_000)),
    )
    run_summary = summary(measurement(unseen, seen), resolved(flows=programs))
    assert [(each.goodput_bps, each.throughput_bps) for each in run_summary.flows] == [(None, None), (3_200_000, 0)]
    groups = {name: (group.goodput_bps, group.share) for name, group in run_summary.groups.items()}
    assert groups == {"quic": (None, None), "tcp": (3_200_000, None)}
    assert (run_summary.jain, run_values(run_summary)["total_goodput"]) == (None, None)


def test_the_bottleneck_in_the_window() -> None:
    bottleneck = queue(
        begin=queue_counters(5, offered_packets=1_000, sent_packets=900, sent_bytes=10**6, dropped_packets=90),
        end=queue_counters(
            10,
            offered_packets=2_000,
            sent_packets=1_700,
            sent_bytes=41 * 10**6,
            dropped_packets=290,
            random_lost_packets=7,
        ),
        at_s=[6, 8],
        backlog_bytes=[100_000, 150_000],
    )
    queue_summary = summary(measurement(flow(), bottleneck=bottleneck), resolved()).bottleneck
    assert queue_summary.utilization == 0.8
    assert (queue_summary.offered_packets, queue_summary.sent_packets, queue_summary.dropped_packets) == (
        1_000,
        800,
        200,
    )
    assert (queue_summary.loss_rate, queue_summary.loss_per_sent, queue_summary.random_lost_packets) == (0.2, 0.25, 7)
    assert (queue_summary.queue_mean_bytes, queue_summary.queue_max_bytes, queue_summary.queue_mean_bdp) == (
        125_000,
        150_000,
        0.5,
    )
    assert queue_summary.queue_p95_bytes == pytest.approx(147_500)


def test_utilization_respects_a_change_of_rate() -> None:
    path = {"rate": "80 Mbit/s", "rtt": "25 ms", "buffer": "1 bdp", "change": [{"at": "7500 ms", "rate": "40 Mbit/s"}]}
    bottleneck = queue(end=queue_counters(10, sent_bytes=30 * 10**6))
    run_summary = summary(measurement(flow(), bottleneck=bottleneck), resolved(path=path))
    assert run_summary.bottleneck.utilization == pytest.approx(0.8)


def test_the_window_ends_with_the_run() -> None:
    transfer = [{"cc": "bbr", "workload": {"transfer": "1 MB"}}]
    run = resolved(duration="until done", time_limit="10 s", flows=transfer, measure={"window": ["5 s", "10 s"]})
    done = flow(completed_s=6, end=flow_counters(6, delivered_bytes=1_000_000))
    run_summary = summary(measurement(done, ended_s=6), run)
    assert run_summary.window_s == (5, 6)
    assert run_summary.groups["bbr"].goodput_bps == 8_000_000


def test_an_empty_window_has_no_rates() -> None:
    """An engine that never came to the window's begin may have left its counters at 0."""
    done = flow(completed_s=4, begin=flow_counters(0), end=flow_counters(4, delivered_bytes=1_000_000))
    bottleneck = queue(begin=queue_counters(0), end=queue_counters(4, offered_packets=700))
    run_summary = summary(measurement(done, ended_s=4, bottleneck=bottleneck), resolved())
    assert run_summary.window_s == (4, 4)
    assert run_summary.flows[0].goodput_bps is None
    assert run_summary.flows[0].goodput_whole_bps == 2_000_000
    assert (run_summary.bottleneck.utilization, run_summary.bottleneck.offered_packets) == (None, 0)
    assert (run_summary.groups["bbr"].goodput_bps, run_summary.groups["bbr"].share) == (None, None)
    assert run_summary.jain is None
