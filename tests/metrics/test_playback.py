from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from dumbbell.metrics.playback import Stalls, Writes, lateness, stalls, writes_of
from dumbbell.metrics.window import Window
from dumbbell.spec import Run
from measured import SECOND, flow, flow_counters, flow_series, known
from specs import resolved

FULL_RUN = Window(0, 100 * SECOND)


def stream(**workload: str) -> Run:
    """1000 bytes each 100 ms for 10 s, but for what is said, over 8 Mbit/s and 20 ms, forward."""
    fields = {"stream": "80 kbit/s", "for": "10 s", "every": "100 ms"} | workload
    path = {"rate": "8 Mbit/s", "rtt": "20 ms", "buffer": "1 bdp", "delay_side": "forward"}
    return resolved(path=path, duration="100 s", flows=[{"cc": "bbr", "workload": fields}]).run


def seen(run: Run, at_s: Sequence[float], delivered_bytes: Sequence[int]) -> Writes:
    """The writes of a flow that started at 1 s, was established 20 ms later, and has these samples."""
    end = flow_counters(at_s[-1], delivered_bytes=delivered_bytes[-1])
    series = flow_series(at_s, [20_000] * len(at_s), delivered_bytes)
    return known(writes_of(run.path, run.flows[0], flow(started_s=1, at_end=end, series=series)))


def test_a_write_is_due_after_what_an_empty_path_takes() -> None:
    """1.02 s: established; 0.1 s each; 20 ms and 1066 bytes at 8 Mbit/s: 1.066 ms."""
    writes = seen(stream(), [1.05, 2.05], [0, 2000])
    assert len(writes.at_s) == 100
    assert writes.at_s[:3] == pytest.approx([0, 0.1, 0.2])
    assert writes.due_s[:3] == pytest.approx(1.02 + np.array([0, 0.1, 0.2]) + 0.021066)
    assert np.isinf(writes.delivered_s[2:]).all()


def test_what_may_have_been_in_time_was() -> None:
    """Delivered between samples on both sides of when it was due."""
    writes = seen(stream(), [1.0, 1.05, 2.05], [0, 1000, 2000])
    assert writes.delivered_s[0] == writes.due_s[0]
    assert lateness(Writes(*(each[:1] for each in writes)), FULL_RUN, 2.05) == (0, 0, 0)


def test_a_late_write_is_delivered_between_two_samples() -> None:
    """Due at 1.041 and 1.141 s; the second half of the bytes that came between 2 and 3 s had come by 2.5 s."""
    writes = seen(stream(), [2.0, 3.0], [0, 2000])
    assert writes.delivered_s[:2] == pytest.approx([2.5, 1.141066 + 2 * 0.858934])
    late = lateness(Writes(*(each[:2] for each in writes)), FULL_RUN, 3.0)
    assert late == pytest.approx((1.588401, 1.704921, 1.717868))


def test_what_the_end_finds_undelivered_is_late_until_then_and_what_is_due_later_does_not_count() -> None:
    writes = seen(stream(), [1.5, 2.0], [0, 0])
    late = known(lateness(writes, FULL_RUN, 2.0))
    assert late.max_s == pytest.approx(2.0 - 1.041066)
    assert late.mean_s == pytest.approx(np.mean(2.0 - 1.041066 - 0.1 * np.arange(10)))
    assert lateness(writes, Window(50 * SECOND, 60 * SECOND), 2.0) is None


def test_a_stream_of_very_many_writes_is_that_of_fewer() -> None:
    few, many = (
        seen(stream(every=every, stream="800 kbit/s", **{"for": "20 s"}), [1.5, 22.0], [0, 2_000_000])
        for every in ("1 ms", "100 us")
    )
    assert len(many.at_s) <= 100_000
    assert lateness(many, FULL_RUN, 22.0) == pytest.approx(lateness(few, FULL_RUN, 22.0), abs=2e-3)


def delivered(at_s: Sequence[float], *later_s: tuple[int, float]) -> Writes:
    """Writes at these seconds that are delivered at once, but for some."""
    there = np.array(at_s, dtype=float)
    for index, instant_s in later_s:
        there[index:] = np.maximum(there[index:], instant_s)
    return Writes(np.array(at_s, dtype=float), np.array(at_s, dtype=float), there)


EACH_TENTH_S = [round(0.1 * k, 1) for k in range(100)]


@pytest.mark.parametrize(
    ("writes", "expected"),
    [
        (delivered(EACH_TENTH_S), Stalls(0, 0)),
        # plays from 0.9 s on; what was written at 5 s is played at 5.9 s, and may come until then
        (delivered(EACH_TENTH_S, (50, 5.85)), Stalls(0, 0)),
        # it comes at 7 s, and with it what was written until then: 1 s and more
        (delivered(EACH_TENTH_S, (50, 7.0)), Stalls(1, 1.1)),
        # then playing is 2 s behind: a second gap of 2 s does no harm, one of 3 s does, by 1 s
        (delivered(EACH_TENTH_S, (50, 7.0), (80, 9.9)), Stalls(1, 1.1)),
        (delivered(EACH_TENTH_S, (50, 7.0), (80, 11.0)), Stalls(2, 2.1)),
        # it never comes
        (delivered(EACH_TENTH_S, (50, np.inf)), Stalls(1, 20 - 5.9)),
        (delivered(EACH_TENTH_S, (5, np.inf)), None),
        (delivered([0.0]), Stalls(0, 0)),
    ],
)
def test_a_player_waits_for_what_is_not_there(writes: Writes, expected: Stalls | None) -> None:
    assert stalls(writes, 20.0) == (None if expected is None else pytest.approx(expected))


def test_a_player_waits_until_it_has_as_much_again_as_at_the_start() -> None:
    """The write of 5 s comes at 7 s, and each further one 0.2 s after the last: 1 s of them is there at 8.8 s."""
    slow = [(50 + k, 7.0 + 0.2 * k) for k in range(10)]
    waits = stalls(delivered(EACH_TENTH_S, *slow), 20.0)
    assert waits == pytest.approx(Stalls(1, 8.8 - 5.9))


def test_other_workloads_are_no_streams() -> None:
    assert writes_of(resolved().run.path, resolved().run.flows[0], flow()) is None
