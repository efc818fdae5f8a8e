"""What is said of a capture is what happened."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dumbbell._core as _core
from captured import Captured
from dumbbell.captures.analysis import CaptureError, Sink, analyse
from dumbbell.captures.connection import Columns
from dumbbell.results.store import Store

NS_PER_S, NS_PER_US = 1e9, 1e3


def test_counts_are_those_of_the_engine(captured: Captured) -> None:
    analysis = analyse(captured.senders, Sink())
    assert analysis.report.connections == len(analysis.flows) == 3
    by_connection = {flow.connection.connection: flow for flow in analysis.flows}
    for measured in captured.outcome.flows:
        flow = by_connection[measured.flow]
        assert flow.sent.data_packets == measured.segments_sent
        assert flow.sent.retransmissions.packets == measured.retransmits
        assert flow.sent.retransmissions.spurious == 0
        assert flow.connection.capture_point == "client"
    transfer = by_connection[2]
    assert (transfer.sent.unique_bytes, transfer.sent.acked_bytes) == (100_000, 100_000)
    assert transfer.active_s is not None
    assert transfer.active_s < 1


def test_an_acks_rtt_is_the_engines(captured: Captured) -> None:
    """Linux takes the first segment that an ACK newly covers, Wireshark the last: they differ where a hole closes.

    Engines have samples of SACKs besides, at other instants.
    """
    batches: list[Columns] = []
    analyse(captured.senders, Sink(packets=batches.append))
    rows = {name: np.concatenate([batch[name] for batch in batches]) for name in batches[0]}
    with Store.open(captured.folder) as store:
        acks = store.ack_series(captured.outcome.run_id)
    for number in range(2):
        own = acks[acks["flow"] == number]
        of_engine = dict(zip((own["time_s"] * NS_PER_S).round(), own["rtt_s"] * NS_PER_S, strict=True))
        sound = (rows["connection"] == number) & rows["ack_rtt_sound"]
        pairs = [
            (rtt_ns, of_engine[time_ns])
            for time_ns, rtt_ns in zip(rows["time_ns"][sound], rows["ack_rtt_ns"][sound], strict=True)
            if time_ns in of_engine
        ]
        ours, theirs = np.array(pairs).T
        assert len(pairs) >= 0.99 * sound.sum() > 1_000
        assert np.mean(np.abs(ours - theirs) < NS_PER_US) > 0.995
        quantiles = (0.05, 0.5, 0.95)
        assert np.abs(np.quantile(ours, quantiles) - np.quantile(theirs, quantiles)).max() < 10 * NS_PER_US


def test_bins_add_up_to_the_flows(captured: Captured) -> None:
    analysis = analyse(captured.senders, Sink(), bin_s=0.1)
    for flow in analysis.flows:
        bins = analysis.bins[flow.key]
        assert bins["new_bytes"].sum() == flow.sent.unique_bytes
        assert bins["acked_bytes"].sum() == flow.sent.acked_bytes
        assert bins["retransmissions"].sum() == flow.sent.retransmissions.packets
        assert bins["wire_bytes"].sum() == flow.sent.wire_bytes
        assert flow.rtt is not None
        assert bins["rtt_samples"].sum() == flow.rtt.samples
        assert bins["rtt_sum_ns"].sum() / flow.rtt.samples == pytest.approx(flow.rtt.mean_ns, abs=1)


def test_a_receiver_sees_what_came_and_says_nothing_of_limits(captured: Captured) -> None:
    flows = analyse(captured.receivers, Sink()).flows
    assert {flow.connection.capture_point for flow in flows[:2]} == {"server"}
    assert all(flow.limited == {} for flow in flows[:2])


def test_only_the_largest_flows_and_their_bins_stay(captured: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, most in (("MOST_FLOWS", 2), ("MOST_DRAWN", 1), ("MOST_BINS", 10)):
        monkeypatch.setattr(f"dumbbell.captures.analysis.{name}", most)
    every = analyse(captured.senders, Sink())
    (first, second) = every.flows
    assert first.sent.unique_bytes > second.sent.unique_bytes > 100_000
    assert list(every.bins) == [first.key]
    assert every.bins[first.key]["new_bytes"].sum() == first.sent.unique_bytes


@pytest.mark.parametrize(("content", "said"), [
    (b"", "no capture: the stream is empty"),
    (b"hello world", r"no capture: the stream begins with the bytes 68 65 6c 6c"),
])  # fmt: skip
def test_what_is_no_capture_is_one_clear_error(tmp_path: Path, content: bytes, said: str) -> None:
    file = tmp_path / "trace"
    file.write_bytes(content)
    with pytest.raises(CaptureError, match=said):
        analyse(file, Sink())
    with pytest.raises(CaptureError, match="No such file"):
        analyse(tmp_path / "absent", Sink())


def test_what_a_sink_raises_ends_the_analysis(captured: Captured) -> None:
    def refuse(_: Columns) -> None:
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        analyse(captured.senders, Sink(packets=refuse))


def test_samples_of_a_runs_flows_are_those_that_its_senders_took(captured: Captured) -> None:
    """But for those of timestamps, which senders take where a segment was sent twice."""
    window = (10**9, 2 * 10**9)
    senders = ["10.0.0.1", "10.0.0.2:32769", "10.0.0.3", "10.0.0.9"]
    *flows, (nobody, none) = _core.ack_samples(captured.senders, senders, window)
    assert len(nobody["at_ns"]) == none["count"] == 0
    with Store.open(captured.folder) as store:
        acks = store.ack_series(captured.outcome.run_id)
    for number, (samples, spread) in enumerate(flows):
        own = acks[acks["flow"] == number]
        of_engine = dict(zip((own["time_s"] * NS_PER_S).round(), own["rtt_s"] * NS_PER_S, strict=True))
        pairs = [
            (rtt_ns, of_engine[at_ns])
            for at_ns, rtt_ns in zip(samples["at_ns"].tolist(), samples["rtt_ns"].tolist(), strict=True)
            if at_ns in of_engine
        ]
        ours, theirs = np.array(pairs).T
        assert len(pairs) >= len(samples["at_ns"]) - 1, "the handshake's is the engine's own"
        assert len(pairs) > 0.85 * len(own)
        assert np.abs(ours - theirs).max() < NS_PER_US
        within = (samples["at_ns"] >= window[0]) & (samples["at_ns"] < window[1])
        assert spread["count"] == within.sum() == sum(spread["counts"])
        assert spread["sum"] == samples["rtt_ns"][within].sum()
