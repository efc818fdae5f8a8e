"""Pings beside other flows: they have round-trip times and losses, and no part in what compares connections."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from dumbbell.campaign.measuring import execute
from dumbbell.campaign.plan import Planned
from dumbbell.engines.sim import SimEngine
from dumbbell.metrics.catalogue import QUANTITIES, groups
from dumbbell.results.schema import Result
from dumbbell.results.values import values_of_groups
from specs import resolved

FLOWS = [{"cc": "reno"}, {"cc": "cubic"}]
PING = {"workload": {"ping": "50 ms"}}


def result_of(*flows: Mapping[str, object]) -> Result:
    outcome = execute(Planned({}, resolved(duration="10 s", flows=[*flows])), SimEngine(), "0")[0]
    assert isinstance(outcome, Result)
    return outcome


def test_a_ping_has_round_trip_times_and_nothing_else() -> None:
    ping = result_of(*FLOWS, PING).flows[2]
    assert (ping.name, ping.cc, ping.pings_lost) == ("ping", "ping", 0)
    assert ping.pings == pytest.approx(100, abs=1)
    assert ping.goodput_bps is ping.goodput_whole_bps is None
    times = (ping.rtt_min_s, ping.rtt_p50_s, ping.rtt_p95_s, ping.rtt_p99_s)
    assert 0.025 <= times[0] < times[1] <= times[2] <= times[3]  # type: ignore[operator]
    assert ping.rtt_mean_s == ping.ack_rtt_mean_s


def test_what_compares_connections_looks_at_no_ping() -> None:
    own = resolved(duration="10 s", flows=[*FLOWS, PING])
    result = result_of(*FLOWS, PING)
    assert result.jain == pytest.approx(0.9, abs=0.1)
    assert sum(group.share or 0 for group in result.groups.values()) == pytest.approx(1)
    assert (result.groups["ping"].goodput_bps, result.groups["ping"].share) == (None, None)
    fair = {row["name"]: row["fair_share"] for row in values_of_groups(result, own)}
    assert fair == {"reno": 0.5, "cubic": 0.5, "ping": None}
    assert result.bottleneck.power is not None


def test_a_run_of_pings_alone_has_their_times() -> None:
    result = result_of(PING)
    (group,) = groups(result).values()
    rtt, lost = (QUANTITIES[name].of_group for name in ("rtt_p99", "pings_lost"))
    assert rtt is not None
    assert lost is not None
    assert rtt(group) == pytest.approx(0.025, rel=0.02)
    assert lost(group) == 0
