"""Completion times and slowdowns: which transfers count, and what those that are not complete do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from msgspec import structs

from dumbbell.engines.measurement import NEVER_NS, Transfers
from dumbbell.metrics.completion import completion
from dumbbell.metrics.window import Window
from dumbbell.spec.flow import Arrivals, Transfer, Work
from dumbbell.spec.run import Run
from measured import SECOND, flow
from specs import resolved

FULL_RUN = Window(0, 10 * SECOND)


def transfers(started: list[float], took: list[float | None]) -> Transfers:
    """Seconds; None: it is not complete."""
    begun = np.array([round(at * SECOND) for at in started], dtype=np.uint64)
    done = [NEVER_NS if t is None else round((at + t) * SECOND) for at, t in zip(started, took, strict=True)]
    none = np.zeros(len(started), dtype=np.uint64)
    return Transfers(
        started_ns=begun, completed_ns=np.array(done, dtype=np.uint64), segments_sent=none, segments_retransmitted=none
    )


def source(*sizes: int) -> Run:
    run = resolved(path={"rate": "8 Mbit/s", "rtt": "10 ms", "buffer": "1 MB"}).run
    workload = Work(arrivals=Arrivals(arrivals=tuple((0, size) for size in sizes)))
    return structs.replace(run, flows=(structs.replace(run.flows[0], workload=workload),))


def summary(run: Run, measured: Transfers | None, window: Window = FULL_RUN) -> dict[str, Any]:
    outcome = completion(run.path, run.flows[0], replace(flow(), transfers=measured), window)
    return {name: getattr(outcome, name) for name in outcome.__slots__}


def test_slowdown_is_against_the_frames_on_an_empty_line_and_two_round_trips() -> None:
    run = source(1448, 2896)
    values = summary(run, transfers([0, 1], [0.043028, 0.043028]))
    empty_s = [1514e-6 + 0.02, 3028e-6 + 0.02]  # a byte takes a microsecond
    assert values["slowdown_mean"] == pytest.approx(np.mean([0.043028 / each for each in empty_s]))
    assert (values["transfers"], values["transfers_completed"], values["fct_s"]) == (2, 2, pytest.approx(0.043028))


def test_only_transfers_that_start_in_the_window_count() -> None:
    measured = transfers([0.5, 1.0, 1.5, 2.0], [9.0, 0.1, 0.3, 9.0])
    values = summary(source(1, 1, 1, 1), measured, Window(1 * SECOND, 2 * SECOND))
    assert (values["transfers"], values["fct_s"], values["fct_p50_s"]) == (2, pytest.approx(0.2), pytest.approx(0.2))


def test_a_transfer_that_is_not_complete_is_the_slowest_and_leaves_no_mean() -> None:
    measured = transfers([0, 1, 2, 3], [0.1, 0.2, 0.3, None])
    values = summary(source(*[1000] * 4), measured)
    assert (values["transfers"], values["transfers_completed"]) == (4, 3)
    assert (values["fct_s"], values["slowdown_mean"], values["fct_p95_s"], values["slowdown_p99"]) == (None,) * 4
    assert values["fct_p50_s"] == pytest.approx(0.25), "with four, of which one is the slowest"


def test_a_source_of_which_nothing_arrives_has_no_times() -> None:
    values = summary(source(), None)
    assert {name: value for name, value in values.items() if value is not None} == {
        "transfers": 0,
        "transfers_completed": 0,
    }


def test_a_single_transfer_has_its_slowdown() -> None:
    run = source()
    alone = structs.replace(run.flows[0], workload=Work(transfer=Transfer(bytes=1448)))
    outcome = completion(run.path, alone, flow(started_s=1, completed_s=1.043028), Window(0, 0))
    assert (outcome.transfers, outcome.fct_p50_s) == (None, None)
    assert outcome.fct_s == pytest.approx(0.043028)
    assert outcome.slowdown_mean == pytest.approx(2, rel=1e-6)
    assert completion(run.path, alone, flow(), Window(0, 0)).fct_s is None
