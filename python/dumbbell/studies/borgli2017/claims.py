"""What the claims measure where a number of one result is not enough. Base units: shares, bits per second, seconds."""

from __future__ import annotations

from itertools import pairwise
from statistics import fmean, median, pstdev
from typing import TYPE_CHECKING

from dumbbell.metrics.convergence import convergence_time_s
from dumbbell.metrics.counter import least_rate_bps, variation
from dumbbell.metrics.curve import argmax, is_unimodal, rank_correlation
from dumbbell.metrics.distribution import relative_iqr
from dumbbell.metrics.phases import after_stays, entries_s
from dumbbell.metrics.window import ratio
from dumbbell.studies.series import BIN_S, gauge, received, throughput_bps
from dumbbell.studies.sweep import Sweep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dumbbell.studies.evidence import Observed, Trial

PACKET_BYTES = 2900
"""What the document takes a packet of its queue for, as it converts to BDP."""
PAYLOAD_BPS = 10e6 * 1448 / 1514
"""What 10 Mbit/s of Ethernet frames can carry."""
AFTER_JOIN_S = 5.0
"""In which the incumbent's throughput is looked at."""
SETTLED_S = 10.0
"""What comes before is start-up, where that is left out."""
LONG_BDP = 1.0
"""CUBIC's loss is looked at from here on."""
NO_LOSS = 1e-4
"""At most this is "zero": 25 packets of a run."""
MUCH_HIGHER = 2.0
"""At least so many times as high is "much higher"."""
UNIMODAL_SLACK = 0.05
"""Of Jain's index: what a curve of single runs may step back and still rise, or fall."""
RIVALS = Sweep("flows[1].count", "")
FLOWS = Sweep("flows[0].count", "")
OTHER_RTT = Sweep("flows[1].rtt", "ms")


QUEUE = Sweep("path.buffer", "packets", packet_bytes=PACKET_BYTES)
"""In the document's packets, whether a spec has it in those or in bytes."""


def queue_bdp(run: Observed) -> float:
    """The queue in BDP as the document converts it."""
    return QUEUE.of(run) * PACKET_BYTES / run.bdp_bytes


def jain(run: Observed) -> float | None:
    """Jain's index of the flows' goodput."""
    return run.result.jain


def loss(run: Observed) -> float:
    """Dropped / (sent + dropped)."""
    return run.result.bottleneck.loss_rate or 0.0


def goodput_bps(run: Observed) -> float:
    """All flows'."""
    return sum(group.goodput_bps or 0.0 for group in run.result.groups.values())


def time_to_share(run: Observed) -> float | None:
    """From the second flow's start until both are near their half, seconds."""
    return convergence_time_s(list(received(run).values()), run.result.flows[1].start_s, run.window_s[1])


def time_over_cubics(run: Observed, cubic: Observed) -> float | None:
    """BBR's time until both flows share, over CUBIC's."""
    bbr_s, cubic_s = time_to_share(run), time_to_share(cubic)
    return None if bbr_s is None or cubic_s is None else ratio(bbr_s, cubic_s)


def disruption(run: Observed, cubic: Observed) -> float | None:
    """By how much CUBIC's incumbent keeps more than BBR's in its worst bin after the join, bit/s."""
    bbr_bps, cubic_bps = (_least_after_join(each) for each in (run, cubic))
    return None if bbr_bps is None or cubic_bps is None else cubic_bps - bbr_bps


def smallest_jain_beyond_the_shortest(trial: Trial) -> float | None:
    """Of all queues but the shortest."""
    return min(QUEUE.along(trial, jain)[1][1:], default=None)


def widening_of_jain(trial: Trial) -> float | None:
    """The standard deviation of Jain's index over the longer half of the queues less that over the shorter half."""
    _, indices = QUEUE.along(trial, jain)
    half = len(indices) // 2
    return pstdev(indices[half:]) - pstdev(indices[:half])


def spread_over_rtts(trial: Trial) -> float | None:
    """The standard deviation of Jain's index over the second flow's RTTs, of runs that differ in these."""
    return pstdev(OTHER_RTT.along(trial, jain)[1])


def fairest_queue_bdp(trial: Trial) -> float | None:
    """Where Jain's index is highest."""
    return argmax(*_over_bdp(trial, jain))


def highest_jain(trial: Trial) -> float | None:
    """What it is there."""
    return max(QUEUE.along(trial, jain)[1], default=None)


def rises_and_falls(trial: Trial) -> float:
    """1 if Jain's index has one peak over the queue, inside of the sweep; else 0."""
    sizes, indices = QUEUE.along(trial, jain)
    inside = argmax(sizes, indices) not in {sizes[0], sizes[-1]}
    return float(inside and is_unimodal(indices, UNIMODAL_SLACK))


def later_fairness(four: Trial, two: Trial) -> float | None:
    """How much longer the fairest queue of two and two flows is than that of one and one, BDP."""
    later, sooner = fairest_queue_bdp(four), fairest_queue_bdp(two)
    return None if later is None or sooner is None else later - sooner


def change_of_bbr_share(trial: Trial) -> float | None:
    """BBR's share beside four CUBIC flows, from that beside one: a difference, without its sign."""
    alone, crowd = (trial.at({RIVALS.path: count}).result.groups["bbr"].share for count in (1, 4))
    return None if alone is None or crowd is None else abs(crowd - alone)


def bbr_over_largest_cubic(run: Observed) -> float | None:
    """BBR's goodput over that of the CUBIC flow that gets most."""
    rates = {
        name: [flow.goodput_bps or 0.0 for flow in run.result.flows if flow.name == name] for name in ("bbr", "cubic")
    }
    return ratio(rates["bbr"][0], max(rates["cubic"]))


def queues_with_less(trial: Trial, cubic: Trial) -> float | None:
    """The share of the queues in which BBR alone gets less than CUBIC alone."""
    return _share_of(goodput_bps(run) < goodput_bps(cubic.beside(run)) for run in trial.runs)


def largest_gap(trial: Trial, cubic: Trial) -> float | None:
    """By what share of CUBIC's BBR alone gets less, in the queue in which that is most."""
    return max(1 - goodput_bps(run) / goodput_bps(cubic.beside(run)) for run in trial.runs)


def smallest_step_of_total(trial: Trial) -> float | None:
    """The smallest relative change of the total goodput from one number of flows to the next; negative: it falls."""
    _, totals = FLOWS.along(trial, goodput_bps)
    return min((after - before) / before for before, after in pairwise(totals))


def saturation(trial: Trial) -> float | None:
    """The total goodput of the most flows over what the line can carry."""
    return FLOWS.along(trial, goodput_bps)[1][-1] / PAYLOAD_BPS


def queues_with_more_variation(trial: Trial, cubic: Trial) -> float | None:
    """The share of the queues in which BBR's throughput varies more than CUBIC's, start-up included."""
    return _share_of(_above(variation_of(run), variation_of(cubic.beside(run))) for run in trial.runs)


def queues_with_more_variation_when_settled(trial: Trial, cubic: Trial) -> float | None:
    """The same from 10 s on."""
    return _share_of(
        _above(variation_of(run, SETTLED_S), variation_of(cubic.beside(run), SETTLED_S)) for run in trial.runs
    )


def variation_of(run: Observed, from_s: float = 0.0, *, flow: int = 0) -> float | None:
    """The coefficient of variation of a flow's throughput in bins of 0.5 s, from its start on or later."""
    return variation(throughput_bps(run, flow, max(from_s, run.result.flows[flow].start_s), run.window_s[1]))


def bbr_variation_beside_cubic(run: Observed, alone: Observed) -> float | None:
    """COV of BBR's throughput beside CUBIC less that of BBR alone, in bins of 0.5 s."""
    return _more_variation(run, 0, alone)


def cubic_variation_beside_bbr(run: Observed, alone: Observed) -> float | None:
    """COV of CUBIC's throughput beside BBR less that of CUBIC alone."""
    return _more_variation(run, 1, alone)


def rtt_apart(run: Observed, cubic: Observed) -> float | None:
    """By what share of the smaller one the median RTTs of BBR and CUBIC differ."""
    medians = sorted(_median_rtt_s(each) for each in (run, cubic))
    return medians[1] / medians[0] - 1


def rtt_difference(run: Observed, cubic: Observed) -> float | None:
    """CUBIC's median RTT less BBR's, seconds."""
    return _median_rtt_s(cubic) - _median_rtt_s(run)


def rtt_spread(run: Observed) -> float | None:
    """The interquartile range of the smoothed RTT over its median."""
    return relative_iqr(gauge(run, 0, "srtt_s").value)


def interval_of_probe_rtt(run: Observed) -> float | None:
    """From one entry into PROBE_RTT to the next, the median, seconds."""
    frame = run.flow_series()
    found = entries_s(frame["time_s"], frame["phase"], "probe_rtt").tolist()
    return median(after - before for before, after in pairwise(found)) if len(found) > 1 else None


def rtt_at_probe_rtt(run: Observed) -> float | None:
    """The median of what BBR's min_rtt estimate is after PROBE_RTT, the smallest RTT in it: seconds."""
    frame = run.flow_series()
    found = after_stays(frame["time_s"], frame["cc_min_rtt_s"], frame["phase"], "probe_rtt").tolist()
    return median(found) if found else None


def threshold_of_loss_bdp(trial: Trial) -> float | None:
    """The shortest queue from which on nothing is lost."""
    sizes, losses = _over_bdp(trial, loss)
    quiet = next((index for index in range(len(losses)) if max(losses[index:]) <= NO_LOSS), None)
    return None if quiet is None else sizes[quiet]


def queues_with_much_more_loss(trial: Trial, cubic: Trial) -> float | None:
    """Of the queues below that threshold the share in which BBR loses much more than CUBIC; None if there is none."""
    threshold = threshold_of_loss_bdp(trial)
    return _share_of(
        loss(run) >= MUCH_HIGHER * loss(cubic.beside(run))
        for run in trial.runs
        if threshold is None or queue_bdp(run) < threshold
    )


def growth_of_loss(trial: Trial) -> float | None:
    """The rank correlation of loss and queue from 1 BDP on."""
    points = [(size, lost) for size, lost in zip(*_over_bdp(trial, loss), strict=True) if size >= LONG_BDP]
    return rank_correlation([size for size, _ in points], [lost for _, lost in points])


def smallest_goodput(trial: Trial) -> float | None:
    """In the queue in which it is smallest."""
    return min(map(goodput_bps, trial.runs))


def _least_after_join(run: Observed) -> float | None:
    """The incumbent's throughput in its worst bin of 0.5 s."""
    joined_s = run.result.flows[1].start_s
    return least_rate_bps(received(run)[0], joined_s, joined_s + AFTER_JOIN_S, BIN_S)


def _over_bdp(trial: Trial, value: Callable[[Observed], float | None]) -> tuple[list[float], list[float]]:
    sizes, found = QUEUE.along(trial, value)
    return [size * PACKET_BYTES / trial.runs[0].bdp_bytes for size in sizes], found


def _share_of(kept: Iterable[bool]) -> float | None:
    found = list(kept)
    return fmean(found) if found else None


def _above(one: float | None, other: float | None) -> bool:
    return one is not None and other is not None and one > other


def _more_variation(run: Observed, flow: int, alone: Observed) -> float | None:
    beside, single = variation_of(run, flow=flow), variation_of(alone)
    return None if beside is None or single is None else beside - single


def _median_rtt_s(run: Observed) -> float:
    return run.result.flows[0].rtt_p50_s or 0.0
