"""Short transfers on a real kernel: connections that open as they arrive, beside the model of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dumbbell.engines.linux import LinuxEngine
from dumbbell.engines.measurement import NEVER_NS, FlowMeasurement, Measurement, Transfers
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import EngineFailure
from dumbbell.spec.run import Run
from measured import known
from specs import resolved

pytestmark = pytest.mark.slow

PATH = {"rate": "100 Mbit/s", "rtt": "20 ms", "buffer": "1 bdp"}


def source(cc: str, count: int, load: float, **fields: Any) -> dict[str, Any]:
    """Transfers that arrive by chance, of sizes whose logarithm is normal."""
    size = {"lognormal": {"mean": "100 kB", "sigma": 1.0}}
    return {"cc": cc, "workload": {"arrivals": {"load": load, "count": count}, "size": size}, **fields}


def run(*flows: dict[str, Any], **fields: Any) -> Run:
    """A run until all of the flows are done, unless the fields say how long it lasts."""
    until_done = {"duration": "until done", "time_limit": "1000 s", "path": PATH, "measure": {}}
    if "duration" in fields:
        del until_done["time_limit"]
    return resolved(**until_done | fields, flows=list(flows)).run


def transfers(flow: FlowMeasurement) -> Transfers:
    return known(flow.transfers)


def completion_ms(flow: FlowMeasurement) -> Any:
    """Of the transfers that are complete."""
    completions = transfers(flow)
    done = completions.completed_ns != NEVER_NS
    return (completions.completed_ns[done] - completions.started_ns[done]) / 1e6


def percentiles(measured: Measurement, *which: float) -> list[list[float]]:
    """Of completion times, ms, of each source."""
    flows = [flow for flow in measured.flows if flow.transfers is not None]
    return [np.percentile(completion_ms(flow), which).tolist() for flow in flows]


@pytest.mark.long
@pytest.mark.parametrize("cc", ["cubic", "bbr"])
def test_ten_thousand_transfers_take_as_long_as_in_the_model(linux: LinuxEngine, cc: str) -> None:
    spec_run = run(source(cc, 10_000, 0.6))
    real, model = (engine.measure(spec_run) for engine in (linux, SimEngine()))
    ((median, late),) = percentiles(real, 50, 95)
    ((model_median, model_late),) = percentiles(model, 50, 95)
    assert model_median == pytest.approx(median, rel=0.05)
    assert model_late == pytest.approx(late, rel=0.10)


def test_what_a_small_transfer_loses_is_found_as_soon_as_in_the_model(linux: LinuxEngine) -> None:
    """Also what was last, by the FIN behind it, a quarter of a round trip later and not by a timeout."""
    workload = {"arrivals": {"rate": "300 /s", "count": 4_000}, "size": "4 kB"}
    spec_run = run({"cc": "cubic", "workload": workload}, path=PATH | {"loss": "1 %"})
    late_ms = []
    for engine in (linux, SimEngine()):
        (flow,) = engine.measure(spec_run).flows
        lost = transfers(flow).segments_retransmitted > 0
        assert 80 < lost.sum() < 200
        late_ms.append(float(np.percentile(completion_ms(flow)[lost], 80)))
    real, model = late_ms
    assert model == pytest.approx(real, rel=0.10)
    assert model < 100


PAIRS = [
    pytest.param("cubic", "bbr", {}, {}, id="two algorithms"),
    pytest.param("cubic", "cubic", {"rtt": "80 ms"}, {}, id="two paths"),
    pytest.param("bbr", "reno", {}, {"path": PATH | {"loss": "1 %"}}, id="random loss"),
    pytest.param("cubic", "reno", {}, {"host": {"qdisc": "fq"}}, id="fq"),
    pytest.param("cubic", "bbr", {}, {"host": {"socket_memory": "default"}}, id="memory"),
]


@pytest.mark.long
@pytest.mark.parametrize(("one", "other", "own", "fields"), PAIRS)
def test_sources_share_a_path_as_in_the_model(
    linux: LinuxEngine, one: str, other: str, own: dict[str, Any], fields: dict[str, Any]
) -> None:
    spec_run = run(source(one, 1_500, 0.25, name="one"), source(other, 1_500, 0.25, name="other", **own), **fields)
    real, model = (engine.measure(spec_run) for engine in (linux, SimEngine()))
    for measured, expected in zip(percentiles(real, 25, 50), percentiles(model, 25, 50), strict=True):
        assert measured == pytest.approx(expected, rel=0.05)
    for ours, theirs in zip(real.flows, model.flows, strict=True):
        assert ours.at_end.delivered_bytes == theirs.at_end.delivered_bytes
        assert ours.at_end.segments_sent == pytest.approx(theirs.at_end.segments_sent, rel=0.01)
        assert ours.at_end.acks == pytest.approx(theirs.at_end.acks, rel=0.05)
        for gauge in ("cwnd_segments", "inflight_segments", "delivery_rate_bps"):
            mean, model_mean = (getattr(flow.series, gauge).mean() for flow in (ours, theirs))
            assert mean == pytest.approx(model_mean, rel=0.1), gauge


def test_what_a_source_counts_is_what_its_transfers_and_the_queue_do(linux: LinuxEngine) -> None:
    spec_run = run(source("cubic", 500, 0.6), start_jitter="0 s")
    measured = linux.measure(spec_run)
    (flow,) = measured.flows
    completions, end = transfers(flow), flow.at_end
    at_ns, sizes = np.array(known(spec_run.flows[0].work.arrivals).arrivals).T
    assert (completions.started_ns == spec_run.flows[0].start_ns + at_ns).all()
    assert end.delivered_bytes == sizes.sum()
    assert (completions.segments_sent >= np.ceil(sizes / spec_run.path.mss_bytes)).all()
    # A tail that is sent again needlessly is the source's, and not a complete transfer's any more.
    assert 0 <= end.segments_sent - completions.segments_sent.sum() < 5
    assert flow.completed_ns == completions.completed_ns.max() == measured.ended_ns
    assert flow.series.delivered_bytes[-1] <= end.delivered_bytes
    assert (np.diff(flow.series.delivered_bytes.astype(int)) >= 0).all()
    assert end.segments_retransmitted == measured.bottleneck.at_end.dropped_packets > 0


def test_a_source_that_stops_ends_its_open_transfers(linux: LinuxEngine) -> None:
    stopped = source("cubic", 1_000, 0.3, stop="5 s")
    late = source("cubic", 1_000, 0.3, name="late", start="2 s")
    measured = linux.measure(run(stopped, late, {"cc": "bbr"}, duration="10 s", start_jitter="0 s"))
    for flow, from_ns, to_ns in zip(measured.flows, (0, 2 * 10**9), (5 * 10**9, 10**10), strict=False):
        completions = transfers(flow)
        done = completions.completed_ns != NEVER_NS
        assert from_ns <= completions.started_ns.min() <= completions.started_ns.max() < to_ns
        assert completions.completed_ns[done].max() <= to_ns
        assert 0 < done.sum() < done.size
        assert (flow.completed_ns, flow.at_end.at_ns) == (None, to_ns)
        # Those that were cut off have counted too, unless they had not sent anything yet.
        assert completions.segments_sent[~done].any()
        assert completions.segments_sent.sum() == pytest.approx(flow.at_end.segments_sent, abs=5)


def test_the_same_transfers_give_the_same_measurement(linux: LinuxEngine) -> None:
    spec_run = run(source("bbr", 300, 0.4), {"cc": "cubic"}, duration="5 s")
    first, second = (linux.measure(spec_run) for _ in range(2))
    assert first.flows[0].at_end == second.flows[0].at_end
    for column in ("started_ns", "completed_ns", "segments_sent", "segments_retransmitted"):
        assert (getattr(transfers(first.flows[0]), column) == getattr(transfers(second.flows[0]), column)).all()


@pytest.mark.long
def test_more_connections_than_it_can_have_open_are_a_failed_run(linux: LinuxEngine) -> None:
    with pytest.raises(EngineFailure) as caught:
        linux.measure(run(source("cubic", 5_000, 3, name="web"), {"cc": "bbr"}, duration="100 s"))
    (message,) = str(caught.value).splitlines()
    assert message.startswith("flows[0] (web), transfer ")
    assert " s, when 1000 connections of all flows are open already" in message


def test_connections_that_the_kernel_gives_up_are_counted_and_the_run_goes_on(linux: LinuxEngine) -> None:
    path = PATH | {"rate": "1 kbit/s", "buffer": "1 packets"}
    workload = {"arrivals": {"rate": "10 /s", "count": 10}, "size": "100 kB"}
    measured = linux.measure(run({"cc": "cubic", "workload": workload}, path=path, duration="300 s"))
    count, _, since = measured.facts["flows[0].given_up"].partition(" ")
    # A SYN and six more, the last one 63 s after the first and in vain for 64 s (tcp_syn_retries).
    assert 0 < int(count) < 10
    assert 127 <= float(since.split()[1]) < 135
    (flow,) = measured.flows
    assert (transfers(flow).completed_ns == NEVER_NS).sum() >= int(count)
    assert flow.completed_ns is None
