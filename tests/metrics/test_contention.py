"""What theory says of runs on the model: how their flows share in time, what a stream's receiver sees, and power."""

from __future__ import annotations

from typing import Any

import pytest

from dumbbell.engines.sim import SimEngine
from dumbbell.metrics.contention import Convergence, convergence
from dumbbell.metrics.contention import delivered as delivered_of
from dumbbell.metrics.summary import Summary, summarise
from dumbbell.spec import Resolved
from measured import flow, flow_counters, flow_series, known
from specs import resolved

PATH = {"rate": "20 Mbit/s", "rtt": "20 ms", "buffer": "0.25 bdp"}
STREAM = {"stream": "5 Mbit/s", "for": "20 s", "every": "40 ms"}


def summary(*flows: dict[str, Any], **fields: Any) -> Summary:
    resolved_spec = resolved(**{"path": PATH, "duration": "30 s", "flows": list(flows)} | fields)
    return summarise(
        resolved_spec.run,
        SimEngine().measure(resolved_spec.run),
        resolved_spec.bdp_bytes,
        resolved_spec.groups,
        resolved_spec.ccs,
    )


def test_two_cubic_flows_converge() -> None:
    run_summary = summary({"cc": "cubic", "count": 2, "stagger": "5 s"}, duration="120 s")
    assert run_summary.bottleneck.converged is True
    assert 0 < known(run_summary.bottleneck.convergence_s) < 100
    assert [each.starved_s for each in run_summary.flows] == [0, 0]


def test_cubic_beside_bbr_in_a_shallow_queue_does_not_and_starves() -> None:
    path = {"rate": "50 Mbit/s", "rtt": "30 ms", "buffer": "0.05 bdp", "jitter": "none"}
    run_summary = summary({"cc": "bbr"}, {"cc": "cubic"}, path=path, duration="60 s")
    assert (run_summary.bottleneck.converged, run_summary.bottleneck.convergence_s) == (False, None)
    bbr, cubic = (each.starved_s for each in run_summary.flows)
    assert bbr == 0
    assert known(cubic) > 20


def equal(resolved_spec: Resolved, at_s: list[float]) -> Convergence:
    """Of two flows that deliver 1 MB/s."""
    series = flow_series(at_s, delivered_bytes=[round(1e6 * each) for each in at_s])
    end = flow_counters(at_s[-1], delivered_bytes=series.delivered_bytes[-1])
    flows = [flow(series=series, at_end=end)] * 2
    return convergence(resolved_spec.run, flows, [delivered_of(each) for each in flows])


BULK = {"cc": "bbr"}


@pytest.mark.parametrize(
    ("other", "sample", "lasts_s", "expected"),
    [
        (BULK, "50 ms", 20, Convergence(converged=True, time_s=0.0)),
        (BULK, "50 ms", 12, Convergence(None, None)),
        (BULK | {"workload": STREAM}, "50 ms", 20, Convergence(None, None)),
        (BULK, "2 s", 20, Convergence(None, None)),
    ],
)
def test_not_to_come_about_is_another_thing_than_not_to_be_known(
    other: dict[str, Any], sample: str, lasts_s: int, expected: Convergence
) -> None:
    at_s = [0.5 * each for each in range(1, 2 * lasts_s + 1)]
    assert equal(resolved(flows=[BULK, other], measure={"sample": sample}), at_s) == expected


def test_a_flow_alone_neither_converges_nor_starves() -> None:
    run_summary = summary({"cc": "bbr"})
    assert (run_summary.bottleneck.converged, run_summary.bottleneck.convergence_s) == (None, None)
    assert run_summary.flows[0].starved_s is None


def test_power_is_one_at_kleinrocks_point_and_falls_with_the_queue() -> None:
    """A window of one BDP fills the line without a queue; in a queue of one BDP that is full, the RTT is twice it."""
    window = {"receive_window": "50 kB"}
    kleinrock = summary({"cc": "reno"}, path=PATH | {"buffer": "4 bdp"}, host=window)
    assert kleinrock.bottleneck.power == pytest.approx(1, abs=0.06)
    full = summary({"cc": "reno"}, path=PATH | {"buffer": "4 bdp"}, host={"receive_window": "100 kB"})
    assert full.bottleneck.power == pytest.approx(0.5, abs=0.05)


def test_a_stream_alone_is_in_time_and_never_stalls() -> None:
    flow_summary = summary({"cc": "cubic", "workload": STREAM}, path=PATH | {"buffer": "1 bdp"}, measure={}).flows[0]
    assert (flow_summary.stalls, flow_summary.stalled_s) == (0, 0)
    assert known(flow_summary.late_mean_s) < 0.001
    assert flow_summary.starved_s is None


def test_a_stream_beside_bbr_in_a_shallow_queue_is_late_and_stalls() -> None:
    flow_summary = summary(
        {"cc": "cubic", "workload": STREAM, "start": "5 s"}, {"cc": "bbr", "count": 3}, measure={}
    ).flows[0]
    assert known(flow_summary.goodput_bps) < 4e6
    assert known(flow_summary.late_mean_s) > 1
    assert known(flow_summary.stalls) > 0
    assert 1 < known(flow_summary.stalled_s) < 25
