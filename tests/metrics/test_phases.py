from __future__ import annotations

import numpy as np
import pytest

from dumbbell.metrics.phases import after_stays, entries_s, synchrony


def test_an_entry_is_the_first_sample_of_each_stay() -> None:
    phases = ["probe_rtt", "probe_rtt", "probe_bw", "probe_rtt", "probe_bw"]
    assert entries_s([0, 1, 2, 3, 4], phases, "probe_rtt").tolist() == [0, 3]
    assert entries_s([0, 1, 2, 3, 4], phases, "drain").tolist() == []
    assert entries_s([], [], "drain").tolist() == []


@pytest.mark.parametrize(
    ("flows", "share"),
    [
        ([[10, 20], [10.4, 20.5]], 1),
        ([[10, 20], [10.4, 20.6]], 0.5),
        ([[10, 20], [10.4]], 2 / 3),
        ([[10, 20], []], 0),
        ([[10], [10.4], [10.8]], 1 / 3),
        ([[10, 20]], 1),
        ([[], []], None),
    ],
)
def test_the_share_of_entries_near_which_every_other_flow_has_one(
    flows: list[list[float]], share: float | None
) -> None:
    assert synchrony(flows, 0.5) == (None if share is None else pytest.approx(share))


def test_entries_before_the_time_only_count_as_neighbours() -> None:
    assert synchrony([[29.8, 40], [30.1, 47]], 0.5, from_s=30) == pytest.approx(1 / 3)


def test_a_gauge_after_each_stay() -> None:
    at = [0, 1, 2, 3, 4, 5, 6, 7]
    phases = ["probe_bw", "probe_rtt", "probe_rtt", "probe_bw", "probe_bw", "probe_rtt", "startup", "probe_rtt"]
    gauge = [10.0, 11, 12, 13, 14, 15, 16, 17]
    assert after_stays(at, gauge, phases, "probe_rtt").tolist() == [13, 16]
    assert after_stays(at, gauge, phases, "probe_rtt", from_s=3).tolist() == [13, 16]
    assert after_stays(at, gauge, phases, "probe_rtt", from_s=3.1).tolist() == [16]
    assert after_stays(at, [*gauge[:6], np.nan, 17], phases, "probe_rtt").tolist() == [13]
    assert after_stays(at, gauge, phases, "drain").tolist() == []
    assert after_stays([], [], [], "drain").tolist() == []
