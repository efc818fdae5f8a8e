"""Pings and other datagrams among TCP flows: what they have, and no part in what compares connections."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from dumbbell.campaign.measuring import execute
from dumbbell.campaign.plan import Planned
from dumbbell.engines.sim import SimEngine
from dumbbell.metrics.catalogue import QUANTITIES, Setup, groups
from dumbbell.results.schema import Result
from dumbbell.results.values import values_of_groups
from specs import resolved

FLOWS = [{"cc": "reno"}, {"cc": "cubic"}]
PING = {"workload": {"ping": "50 ms"}}
UDP = {"workload": {"udp": {"rate": "5 Mbit/s"}}}


MEDIA = {"workload": {"media": {"most": "2 Mbit/s"}}}


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


def test_datagrams_have_a_goodput_losses_and_delays() -> None:
    udp = result_of(*FLOWS, UDP).flows[2]
    assert (udp.name, udp.cc, udp.pings, udp.pings_lost) == ("udp", "udp", None, None)
    assert udp.datagrams == pytest.approx(5 * 5e6 / 9600, abs=20)
    assert udp.datagrams is not None
    assert udp.datagrams_lost is not None
    assert udp.goodput_bps == pytest.approx(5e6 * (1 - udp.datagrams_lost / udp.datagrams), rel=0.01)
    assert udp.goodput_bps is not None
    assert udp.throughput_bps == pytest.approx(udp.goodput_bps * 1242 / 1200, rel=0.01)
    assert (udp.rtt_mean_s, udp.rtt_min_s, udp.ack_rtt_mean_s, udp.retransmits) == (None, None, None, 0)
    assert 0 < udp.delay_p50_s <= udp.delay_p95_s <= udp.delay_p99_s < 1  # type: ignore[operator]


def test_datagrams_are_part_of_the_goodput_and_of_no_share() -> None:
    own = resolved(duration="10 s", flows=[*FLOWS, UDP])
    result = result_of(*FLOWS, UDP)
    assert result.groups["udp"].share is None
    assert sum(group.share or 0 for group in result.groups.values()) == pytest.approx(1)
    fair = {row["name"]: row["fair_share"] for row in values_of_groups(result, own)}
    assert fair == {"reno": 0.5, "cubic": 0.5, "udp": None}
    total = QUANTITIES["total_goodput"].of_run
    assert total is not None
    assert total(result, Setup.of(own.run)) == pytest.approx(
        sum(group.goodput_bps or 0 for group in result.groups.values())
    )
    group = groups(result)["udp"]
    values = {
        name: QUANTITIES[name].of_group for name in ("delay", "datagrams_lost", "pings_lost", "rtt", "retransmits")
    }
    known = {name: formula(group) for name, formula in values.items() if formula}
    assert known["delay"] == result.flows[2].delay_mean_s
    assert (known["pings_lost"], known["rtt"], known["retransmits"]) == (None, None, 0)


def test_media_have_frames_beyond_what_datagrams_have() -> None:
    media = result_of(MEDIA, UDP)
    video, udp = media.flows
    assert (video.name, video.cc, video.pings) == ("media", "media", None)
    assert media.groups["media"].share is None
    assert video.goodput_bps is not None
    assert 150e3 < video.goodput_bps < 2e6
    assert video.frames == pytest.approx(5 * 30, abs=20)
    assert 0 < video.delay_p50_s < video.frame_delay_p50_s <= video.frame_delay_p95_s  # type: ignore[operator]
    assert (udp.frames, udp.frames_late, udp.frame_delay_mean_s) == (None, None, None)
    own, other = (groups(media)[name] for name in ("media", "udp"))
    late, delay = (QUANTITIES[name].of_group for name in ("late_frames", "frame_delay_p95"))
    assert late is not None
    assert delay is not None
    assert late(own) == video.frames_late / video.frames  # type: ignore[operator]
    assert (delay(own), late(other), delay(other)) == (video.frame_delay_p95_s, None, None)
