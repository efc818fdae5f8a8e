"""What a line does to packets, and in time, in real time: by the kernel, or where that has no netem by the relay.

A busy machine makes packets late, and loses none: shares are held to their closed form, times loosely.
"""

from __future__ import annotations

import pytest

from dumbbell.engines.netns import NetnsEngine
from dumbbell.spec.line import Change, DelaySpread, GilbertElliott, Impairments, Late, Reorder
from dumbbell.units import NS_PER_S
from impaired import MBIT, MS, PERCENT, before_another, extra_ms, has_extra, impaired, rate, rtts_ms, sent, share_beyond

pytestmark = pytest.mark.slow
CUBIC = [{"cc": "cubic"}]


def test_packets_are_late_come_twice_and_are_lost_in_bursts(live: NetnsEngine) -> None:
    """The replies take another way, so each ping meets the line once; who comes twice is answered twice."""
    channel = GilbertElliott(
        to_bad_ppb=2 * PERCENT, to_good_ppb=20 * PERCENT, good_loss_ppb=0, bad_loss_ppb=100 * PERCENT
    )
    late = Reorder(late=Late(share_ppb=20 * PERCENT, by_ns=30 * MS))
    does = Impairments(reorder=late, duplicate_ppb=30 * PERCENT, burst_loss=channel)
    measured = live.measure(before_another(impaired(impairments=does)))
    flow, (first, second) = measured.flows[0], (hop.queue.at_end for hop in measured.hops)
    assert flow.datagrams is not None
    assert first.random_lost_packets / (first.random_lost_packets + first.offered_packets) == pytest.approx(
        0.2 / 2.2, abs=0.03
    )
    assert second.offered_packets / first.sent_packets == pytest.approx(1.3, abs=0.04)
    # The first of two answers counts: both are late at once in a fifth of the fifth.
    assert share_beyond(flow, 20) == pytest.approx(0.7 * 0.2 + 0.3 * 0.2**2, abs=0.05)


def test_damaged_packets_are_discarded(live: NetnsEngine) -> None:
    flow = live.measure(impaired(duration="4 s", impairments=Impairments(corrupt_ppb=10 * PERCENT))).flows[0]
    assert flow.datagrams is not None
    assert flow.datagrams.lost / flow.datagrams.sent == pytest.approx(0.1, abs=0.02)


def test_delays_are_spread(live: NetnsEngine) -> None:
    spread = DelaySpread(delay_ns=60 * MS, spread_ns=15 * MS, distribution="normal", correlation_ppb=0)
    flow = live.measure(impaired(duration="3 s", impairments=Impairments(reorder=Reorder(spread=spread)))).flows[0]
    has_extra(flow, pytest.approx(61, abs=3), pytest.approx(15, rel=0.15))


def test_packets_are_handed_over_in_lumps(live: NetnsEngine) -> None:
    flow = live.measure(impaired(duration="3 s", impairments=Impairments(aggregation_ns=40 * MS))).flows[0]
    assert extra_ms(flow)[0] == pytest.approx(21, abs=4)


def test_a_line_changes(live: NetnsEngine) -> None:
    """No delay and no loss, then 40 ms and a tenth, then nothing at all, and then neither again."""
    changes = (
        Change(at_ns=1 * NS_PER_S, delay_ns=40 * MS, loss_ppb=10 * PERCENT),
        rate(2, 0),
        Change(at_ns=3 * NS_PER_S, delay_ns=0, loss_ppb=0, rate_bps=50 * MBIT),
    )
    measured = live.measure(impaired(duration="4 s", changes=changes))
    flow = measured.flows[0]
    lost = measured.bottleneck.at_end.random_lost_packets
    # What comes in the outage is lost before the queue.
    assert lost / 2_000 == pytest.approx(0.1, abs=0.025)
    assert sent(measured, 2.05, 2.95) == 0
    extra, counts = rtts_ms(flow)
    assert counts[extra < 20].sum() / 2_000 == pytest.approx(1, abs=0.1)
    assert counts[(extra > 38) & (extra < 60)].sum() / 900 == pytest.approx(1, abs=0.15)


def test_a_trace_is_followed(live: NetnsEngine) -> None:
    trace = "".join(f"{index * 20 * MS},{(0, 20, 40)[index % 3] * MBIT},,\n" for index in range(150))
    run = impaired(flows=CUBIC, duration="3 s", trace=trace)
    measured = live.measure(run)
    series = measured.bottleneck.series
    assert series.backlog_packets.max() > 0
    carried = 20 * MBIT / 8 / run.path.frame_bytes * 2
    assert sent(measured, 1, 3) == pytest.approx(carried, rel=0.12)


def test_what_this_machine_lacks_is_refused(live: NetnsEngine) -> None:
    refused = [str(each) for each in live.unsupported_fields(impaired(shaper="police"))]
    expected = [] if live._has("police") else ["path.shaper: this kernel has no policers"]
    assert [each.partition(";")[0] for each in refused] == expected
