"""What a line does to packets, and in time, on Linux in virtual time: as measured, and by its closed form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from dumbbell.engines.linux import LinuxEngine
from dumbbell.engines.path_check import check_paths, path_of
from dumbbell.spec.line import DELIVERIES, Change, DelaySpread, GilbertElliott, Impairments, Late, Police, Reorder
from dumbbell.spec.queue import Room
from dumbbell.units import BITS_PER_BYTE, NS_PER_S
from impaired import (
    BBR,
    MBIT,
    MS,
    PATH,
    PERCENT,
    PING,
    before_another,
    full_frames,
    has_extra,
    impaired,
    rate,
    rtts_ms,
    sent,
    share_beyond,
)

pytestmark = pytest.mark.slow
SPREAD = DelaySpread(delay_ns=20 * MS, spread_ns=4 * MS, distribution="uniform", correlation_ppb=0)


def line(**fields: Any) -> Impairments:
    return Impairments(**fields)


def test_losses_come_in_bursts(linux: LinuxEngine) -> None:
    """A hundredth of 50,000 packets in bursts of 5 on average: the share is known to about 10 %."""
    channel = GilbertElliott(
        to_bad_ppb=2_020_202, to_good_ppb=20 * PERCENT, good_loss_ppb=0, bad_loss_ppb=100 * PERCENT
    )
    for loss_at in ("before", "after"):
        measured = linux.measure(
            impaired(flows=BBR, duration="15 s", loss_at=loss_at, impairments=line(burst_loss=channel))
        )
        queue = measured.bottleneck.at_end
        passed = queue.sent_packets if loss_at == "after" else queue.offered_packets + queue.random_lost_packets
        assert queue.random_lost_packets / passed == pytest.approx(0.01, rel=0.3)
        assert passed > 30_000


def test_packets_come_twice(linux: LinuxEngine) -> None:
    measured = linux.measure(before_another(impaired(flows=BBR, impairments=line(duplicate_ppb=10 * PERCENT))))
    first, second = (hop.queue.at_end for hop in measured.hops)
    assert second.offered_packets / first.sent_packets == pytest.approx(1.1, abs=0.01)


def test_damaged_packets_are_discarded(linux: LinuxEngine) -> None:
    """Of 40,000 packets a hundredth, which is sent again; so is what the queue drops."""
    measured = linux.measure(impaired(flows=BBR, duration="10 s", impairments=line(corrupt_ppb=PERCENT)))
    flow, dropped = measured.flows[0].at_end, measured.bottleneck.at_end.dropped_packets
    assert flow.segments_sent > 30_000
    assert (flow.segments_retransmitted - dropped) / flow.segments_sent == pytest.approx(0.01, rel=0.2)


def test_a_share_of_packets_is_late(linux: LinuxEngine) -> None:
    late = Reorder(late=Late(share_ppb=10 * PERCENT, by_ns=5 * MS))
    flow = linux.measure(impaired(impairments=line(reorder=late))).flows[0]
    assert share_beyond(flow, 2.5) == pytest.approx(0.1, abs=0.015)
    extra, counts = rtts_ms(flow)
    assert np.average(extra[extra > 2.5], weights=counts[extra > 2.5]) == pytest.approx(5.2, abs=0.3)


@pytest.mark.parametrize(("distribution", "deviation_ms"), [("uniform", 4 / 3**0.5), ("normal", 4)])
def test_delays_are_spread(linux: LinuxEngine, distribution: str, deviation_ms: float) -> None:
    spread = Reorder(spread=replace(SPREAD, distribution=distribution))
    flow = linux.measure(impaired(impairments=line(reorder=spread))).flows[0]
    has_extra(flow, pytest.approx(20.2, abs=0.4), pytest.approx(deviation_ms, rel=0.06))
    within = 1 - share_beyond(flow, 24.4)
    assert within > (0.99 if distribution == "uniform" else 0.8)
    # `tabledist` takes a remainder of the number, in which nothing is left of what those before had in common with it.
    spread = Reorder(spread=replace(SPREAD, distribution=distribution, correlation_ppb=50 * PERCENT))
    flow = linux.measure(impaired(impairments=line(reorder=spread))).flows[0]
    has_extra(flow, pytest.approx(20.2, abs=0.4), pytest.approx(deviation_ms, rel=0.06))


def test_packets_are_handed_over_in_lumps(linux: LinuxEngine) -> None:
    """A packet waits from 0 to 10 ms for the next one."""
    flow = linux.measure(impaired(impairments=line(aggregation_ns=10 * MS))).flows[0]
    has_extra(flow, pytest.approx(5.2, abs=0.7), pytest.approx(10 / 12**0.5, rel=0.1))
    assert share_beyond(flow, 10.4) < 0.01


def test_all_of_it_at_once(linux: LinuxEngine) -> None:
    late = Reorder(late=Late(share_ppb=20 * PERCENT, by_ns=30 * MS))
    every = line(reorder=late, aggregation_ns=2 * MS, duplicate_ppb=5 * PERCENT)
    flow = linux.measure(impaired(impairments=every, changes=(Change(at_ns=0, delay_ns=5 * MS),))).flows[0]
    assert share_beyond(flow, 20) == pytest.approx(0.2, abs=0.03)
    assert share_beyond(flow, 4.5) > 0.99


def test_a_delay_changes(linux: LinuxEngine) -> None:
    """0, then 5 ms, then 12 ms, each for a third of the run; an earlier packet stays as late as it was."""
    delays_ms = {0: 0, 2: 5, 4: 12}
    changes = tuple(Change(at_ns=at_s * NS_PER_S, delay_ns=ms * MS) for at_s, ms in delays_ms.items())
    flow = linux.measure(impaired(duration="6 s", changes=changes)).flows[0]
    assert [share_beyond(flow, beyond) for beyond in (2.5, 8.5, 13)] == pytest.approx([2 / 3, 1 / 3, 0], abs=0.02)


def test_losses_begin_and_end(linux: LinuxEngine) -> None:
    changes = (Change(at_ns=2 * NS_PER_S, loss_ppb=2 * PERCENT), Change(at_ns=8 * NS_PER_S, loss_ppb=0))
    run = impaired(flows=BBR, duration="10 s", changes=changes)
    measured = linux.measure(run)
    lost = measured.bottleneck.at_end.random_lost_packets
    assert lost / sent(measured, 2, 8) == pytest.approx(0.02, rel=0.15)


@pytest.mark.parametrize("shaper", ["tbf", "htb"])
@pytest.mark.parametrize("unit", ["bytes", "packets"])
def test_room_changes(linux: LinuxEngine, shaper: str, unit: str) -> None:
    """A queue that is always full has as much as there is room for, and what is in it stays."""
    frame = 1 if unit == "packets" else 1_514
    few, many = (Room(**{unit: count * frame}) for count in (40, 400))
    changes = (Change(at_ns=2 * NS_PER_S, buffer=few), Change(at_ns=4 * NS_PER_S, buffer=many))
    run = impaired(flows=[{"cc": "cubic"}], duration="6 s", path={"shaper": shaper}, buffer=many, changes=changes)
    series = linux.measure(run).bottleneck.series
    at_s = series.at_ns / NS_PER_S
    most = [series.backlog_packets[(at_s > begin) & (at_s <= begin + 1.5)].max() for begin in (0.4, 2.5, 4.4)]
    assert most[0] > 300
    assert 30 < most[1] <= 40 < most[2]


@pytest.mark.parametrize("shaper", ["tbf", "htb"])
@pytest.mark.parametrize("qdisc", ["fifo", "codel"])
def test_nothing_leaves_in_an_outage(linux: LinuxEngine, shaper: str, qdisc: str) -> None:
    path = {"shaper": shaper, "qdisc": qdisc}
    run = impaired(flows=BBR, duration="4 s", path=path, changes=(rate(1.005, 0), rate(2.005, 50 * MBIT)))
    measured = linux.measure(run)
    # The sample of the instant itself is taken behind the change.
    assert sent(measured, 1.02, 2) == 0
    assert measured.bottleneck.at_window_end.sent_packets == sent(measured, 0.01, 1.02) + sent(measured, 2, 4) + int(
        measured.bottleneck.series.sent_packets[np.searchsorted(measured.bottleneck.series.at_ns, 0.01 * NS_PER_S)]
    )
    # What waited is sent at once when the line is back: the retransmission timer has nothing to do with it.
    assert sent(measured, 2, 2.03) > 50


def test_a_trace_is_followed_to_the_frame(linux: LinuxEngine) -> None:
    """200 rates of 10 ms each, outages among them, and a queue that is never empty."""
    rates = [[60, 5, 0, 25, 0, 0, 90, 12][index % 8] * MBIT for index in range(200)]
    trace = "".join(f"{index * 10 * MS},{each},,\n" for index, each in enumerate(rates))
    for shaper in ("tbf", "htb"):
        run = impaired(
            flows=[{"cc": "reno"}], duration="2 s", path={"shaper": shaper}, buffer=Room(bytes=10_000_000), trace=trace
        )
        measured = linux.measure(run)
        series = measured.bottleneck.series
        begin, end = np.searchsorted(series.at_ns, [0.5 * NS_PER_S, 2 * NS_PER_S - 1])
        assert series.backlog_packets[begin:end].min() > 0
        expected = sum(full_frames(each, 0.01, run) for each in rates[50:200])
        assert sent(measured, 0.5, 2) == pytest.approx(expected, rel=0.01)


def test_a_trace_has_delays_and_losses(linux: LinuxEngine) -> None:
    trace = f"0,{50 * MBIT},{5 * MS},0\n{2_500 * MS},,{15 * MS},{10 * PERCENT}\n"
    flow = linux.measure(impaired(trace=trace)).flows[0]
    assert flow.datagrams is not None
    assert share_beyond(flow, 10) == pytest.approx(0.9 / 1.9, abs=0.03)
    assert flow.datagrams.lost / flow.datagrams.sent == pytest.approx(0.05, abs=0.012)


def test_a_policer_passes_its_rate_and_a_burst(linux: LinuxEngine) -> None:
    burst_bytes = 60_000
    flows = [{"cc": "cubic", "count": 8}]
    run = impaired(flows=flows, shaper="police", burst_bytes=burst_bytes, buffer=Room(bytes=0))
    queue = linux.measure(run).bottleneck
    carried_bytes = run.path.rate_bps * 5 / BITS_PER_BYTE
    assert 0.9 * carried_bytes < queue.at_end.sent_bytes <= carried_bytes + burst_bytes
    assert queue.at_end.dropped_packets > 100
    assert queue.at_end.offered_packets == queue.at_end.sent_packets + queue.at_end.dropped_packets
    assert queue.at_end.queued_packets == 0


@pytest.mark.parametrize(("peak_bps", "dropped"), [(None, 0), (80 * MBIT, 10)])
def test_a_policers_peak_takes_what_comes_at_one_instant(
    linux: LinuxEngine, peak_bps: int | None, dropped: int
) -> None:
    """A first window, of which each frame takes 151 us at that rate: behind the handshake's ACK not even one passes."""
    police = Police(peak_bps=peak_bps)
    run = impaired(flows=BBR, duration="1 s", shaper="police", burst_bytes=60_000, buffer=Room(bytes=0), police=police)
    series = linux.measure(run).bottleneck.series
    at = np.searchsorted(series.at_ns, 30 * MS)
    handshake = 2
    assert series.dropped_packets[at] == dropped
    assert (series.sent_packets[at] == handshake) == (dropped > 0)


def refusals(linux: LinuxEngine, **fields: Any) -> list[str]:
    return [str(each) for each in linux.unsupported_fields(impaired(**fields))]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"impairments": line(thins_acks=True)}, "path.ack_filter: of Linux's queues only cake thins ACKs"),
        ({"shaper": "police", "police": Police(marks=True)}, "path.exceed: "),
        ({"shaper": "police", "changes": (rate(1, 8),)}, "path.change: a policer of Linux is full again"),
        ({"shaper": "police", "overhead_bytes": 0}, "path.overhead: "),
        ({"shaper": "police", "burst_bytes": 10**10}, "path.burst: "),
        ({"trace": f"{DELIVERIES}0\n5\n"}, "path.trace: deliveries of single packets"),
        (
            {"impairments": line(reorder=Reorder(spread=replace(SPREAD, spread_ns=3 * NS_PER_S)))},
            "path.reorder.spread: Linux's netem has 2.147 s at most",
        ),
        (
            {
                "changes": (Change(at_ns=5, loss_ppb=1),),
                "impairments": line(burst_loss=GilbertElliott(**dict.fromkeys(GilbertElliott.__struct_fields__, 1))),
            },
            "path.change: it would take the place of the loss in bursts",
        ),
        ({"changes": (Change(at_ns=5, buffer=Room(packets=5)),)}, "path.change[0].buffer: a queue of Linux counts"),
        (
            {"path": {"qdisc": "codel"}, "changes": (Change(at_ns=5, buffer=Room(packets=5)),)},
            "path.change[0].buffer: Linux's codel throws away",
        ),
        (
            {"path": {"offload": True, "burst": "80 kB"}, "impairments": line(corrupt_ppb=1)},
            "path.offload: a super-packet would be one packet to path.corrupt",
        ),
        (
            {"path": {"shaper_at": "receiver"}, "changes": (Change(at_ns=5, delay_ns=1),)},
            'path.shaper_at: "receiver": no line is behind it for path.change[0].delay',
        ),
    ],
)
def test_what_linux_cannot_do_is_refused(linux: LinuxEngine, fields: dict[str, Any], expected: str) -> None:
    (refusal,) = refusals(linux, **fields)
    assert refusal.startswith(expected)


def test_a_path_is_looked_at_without_its_impairments(linux: LinuxEngine) -> None:
    late = impaired(impairments=line(reorder=Reorder(late=Late(share_ppb=PERCENT, by_ns=MS)), duplicate_ppb=PERCENT))
    assert path_of(late) == path_of(impaired())
    skipped = [impaired(trace="0,8000,,\n"), impaired(shaper="police")]
    (checked,) = check_paths(linux, [late, *skipped])
    assert checked.deviations == ()
    assert PATH["rate"] in checked.requested


def test_pings_see_the_path_as_it_is(linux: LinuxEngine) -> None:
    """What all else here is measured by."""
    flow = linux.measure(impaired(flows=PING)).flows[0]
    has_extra(flow, pytest.approx(0.2, abs=0.3), pytest.approx(0, abs=0.3))
