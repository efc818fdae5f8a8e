"""The series that captures show are those of the engine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from captured import Captured
from dumbbell.campaign.execution import run_campaign
from dumbbell.captures.pair import compare_files
from dumbbell.captures.series import CaptureSeries, Frames, _lost, capture_series
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import StoreError
from dumbbell.results.schema import Result
from dumbbell.results.store import Store
from dumbbell.spec import Experiment


@pytest.fixture
def series(captured: Captured) -> CaptureSeries:
    with Store.open(captured.folder) as store:
        return capture_series(store, captured.outcome.run_id)


def test_bytes_are_those_that_left_the_bottleneck(captured: Captured, series: CaptureSeries) -> None:
    with Store.open(captured.folder) as store:
        counted = store.flow_series(captured.outcome.run_id)
    for flow in range(3):
        at_s, total = (counted[counted["flow"] == flow][each].to_numpy() for each in ("time_s", "bottleneck_bytes"))
        seen = series.flows[series.flows["flow"] == flow]
        ours = np.interp(at_s, seen["time_s"], seen["bottleneck_bytes"], left=0)
        assert total[-1] > 100_000
        assert np.abs(ours - total).max() <= 2 * 1514


def test_drops_are_those_of_the_queue_and_of_the_comparison_of_the_captures(
    captured: Captured, series: CaptureSeries
) -> None:
    with Store.open(captured.folder) as store:
        queue = store.queue_series(captured.outcome.run_id)
    pair = compare_files(captured.senders, captured.receivers, same_clock=True)
    lost = {flow.source.address: flow.passage.lost for flow in pair.flows if flow.source.address < "10.128"}
    by_flow = series.flows.groupby("flow")["dropped_packets"].max()
    under_way = 2  # of what was sent last nobody knows whether it is
    for flow in range(3):
        assert 0 <= lost[f"10.0.0.{flow + 1}"] - by_flow[flow] <= under_way
    assert series.queue["dropped_packets"].iloc[-1] == by_flow.sum() > 100
    assert 0 <= queue["dropped_packets"].max() - by_flow.sum() <= 3 * under_way
    assert (series.queue["time_s"].diff().dropna() >= 0).all()


def test_rtts_are_those_of_the_engine(captured: Captured, series: CaptureSeries) -> None:
    with Store.open(captured.folder) as store:
        acks = store.ack_series(captured.outcome.run_id)
    for flow in range(2):
        ours, theirs = (
            frame[frame["flow"] == flow]
            .assign(at_us=lambda own: (own["time_s"] * 1e6).round())
            .set_index("at_us")["rtt_s"]
            for frame in (series.acks, acks)
        )
        both = ours.index.intersection(theirs.index)
        assert len(both) > 0.8 * len(ours) > 800
        # They differ where a hole closes: tshark takes the first transmission, Linux no ambiguous one.
        assert ((ours[both] - theirs[both]).abs() < 1e-6).mean() > 0.9


def test_what_is_not_captured_has_no_such_series(tmp_path: Path) -> None:
    experiment = Experiment(
        duration="1 s", path={"rate": "10 Mbit/s", "rtt": "20 ms", "buffer": "1 bdp"}, flows=[{"cc": "reno"}]
    )
    with Store.open(tmp_path, write=True) as store:
        (outcome,) = run_campaign(store, experiment, SimEngine())
        assert isinstance(outcome, Result)
        with pytest.raises(StoreError, match="kept no series of this kind"):
            capture_series(store, outcome.run_id)


def frames(numbers: Sequence[int], begin: int = 0) -> Frames:
    column = np.array(numbers, dtype=np.int64)
    ones = np.ones_like(column)
    times = begin + np.arange(len(numbers))
    return {"time_ns": times, "wire_bytes": ones, "payload_bytes": ones, "sequence_bytes": column}


@pytest.mark.parametrize(
    ("arrived", "begin", "lost"),
    [
        ((1, 2, 3, 2, 4), 9, []),
        ((1, 3, 2, 4), 9, [1]),
        ((1, 2, 3, 4), 1, [3]),  # the first one came before the second was sent
        ((1, 3, 2), 9, [1]),  # the last one may be under way
        ((2, 3, 1, 4), 9, [1]),  # out of order
        ((), 9, []),
        ((5, 4), 9, [0, 1, 2, 3]),
    ],
)
def test_lost_is_what_was_sent_and_did_not_arrive(arrived: tuple[int, ...], begin: int, lost: list[int]) -> None:
    assert np.flatnonzero(_lost(frames((1, 2, 3, 2, 4)), frames(arrived, begin))).tolist() == lost
