"""The simulator's measurements, summarised: what holds whatever the model does."""

from __future__ import annotations

from typing import Any

import pytest

from dumbbell.campaign.execution import execute
from dumbbell.campaign.plan import Planned
from dumbbell.engines import registry
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import UnknownEngine
from dumbbell.results.schema import Result
from experiments import resolved

MIXED = [{"cc": "bbr", "count": 2}, {"cc": "cubic"}, {"cc": "reno"}]


def result(**words: Any) -> Result:
    engine = SimEngine()
    outcome = execute(Planned({}, resolved(**words)), engine, engine.identity())[0]
    assert isinstance(outcome, Result)
    return outcome


@pytest.mark.parametrize("buffer", ["0.5 bdp", "4 bdp"])
def test_the_flows_add_up_to_what_left_the_bottleneck(buffer: str) -> None:
    found = result(flows=MIXED, path={"rate": "80 Mbit/s", "rtt": "25 ms", "buffer": buffer})
    throughputs = [flow.throughput_bps or 0 for flow in found.flows]
    assert found.bottleneck.utilization is not None
    assert sum(throughputs) == pytest.approx(found.bottleneck.utilization * 80e6, rel=1e-9)
    assert sum(group.share or 0 for group in found.groups.values()) == pytest.approx(1)
    assert found.bottleneck.utilization <= 1 + 5_000 * 8 / (80e6 * 5)
    assert all((flow.goodput_bps or 0) < (flow.throughput_bps or 0) for flow in found.flows)


def test_no_round_trip_is_shorter_than_the_path() -> None:
    for flow in result(flows=MIXED).flows:
        assert flow.rtt_min_s is not None
        assert flow.rtt_min_s >= 0.025
        assert flow.ack_rtt_mean_s is not None
        assert flow.rtt_min_s <= flow.ack_rtt_mean_s
        assert flow.rtt_p50_s is not None
        assert flow.rtt_p95_s is not None
        assert 0.025 <= flow.rtt_p50_s <= flow.rtt_p95_s


def test_a_transfer_completes_and_ends_the_run() -> None:
    found = result(
        duration="until done", time_limit="60 s", flows=[{"cc": "cubic", "workload": {"transfer": "5 MB"}}], measure={}
    )
    (flow,) = found.flows
    assert flow.fct_s is not None
    assert flow.fct_s > 5e6 * 8 / 80e6
    assert flow.goodput_whole_bps == pytest.approx(5e6 * 8 / flow.fct_s)
    assert found.window_s[1] == pytest.approx(flow.fct_s)
    assert flow.goodput_bps == flow.goodput_whole_bps


def test_a_line_that_is_not_full_is_not_fully_used() -> None:
    stream = {"cc": "cubic", "workload": {"stream": "8 Mbit/s", "for": "10 s", "every": "10 ms"}}
    found = result(flows=[stream])
    assert found.bottleneck.utilization == pytest.approx(0.1, rel=0.1)
    assert found.bottleneck.dropped_packets == 0
    assert found.warnings == ()


def test_the_engines_by_name() -> None:
    assert registry.engine("sim").name == "sim"
    assert registry.engine("sim").slots() >= 1
    for planned in ("netns", "hosts"):
        with pytest.raises(UnknownEngine, match="not in this version"):
            registry.engine(planned)
    with pytest.raises(UnknownEngine, match='unknown engine "tofino"; known: sim'):
        registry.engine("tofino")


def test_what_the_simulator_cannot_honour_has_a_path() -> None:
    (problem,) = SimEngine().unsupported_fields(resolved(measure={"record": "pcap"}).run)
    assert problem.path == "measure.record"
