"""What the claims measure where a number of one result is not enough. Base units: shares, bits per second, seconds."""

from __future__ import annotations

from itertools import pairwise
from statistics import median, pstdev
from typing import TYPE_CHECKING

from dumbbell.metrics.counter import least_rate_bps
from dumbbell.metrics.counter import variation as coefficient_of_variation
from dumbbell.metrics.curve import argmax, is_unimodal
from dumbbell.metrics.distribution import relative_iqr
from dumbbell.metrics.dynamics import convergence_time_s
from dumbbell.metrics.phases import after_stays, entries_s
from dumbbell.metrics.window import ratio
from dumbbell.results.run_series import BIN_S, gauge, received, throughput_bps
from dumbbell.studies.sweep import Sweep

if TYPE_CHECKING:
    from collections.abc import Callable

    from dumbbell.studies.evidence import RunData, SeedSweep

PACKET_BYTES = 2900
"""What the document takes a packet of its queue for, as it converts to BDP."""
AFTER_JOIN_S = 5.0
"""In which the incumbent's throughput is looked at."""
SETTLED_S = 10.0
"""What comes before is start-up, where that is left out."""
NO_LOSS = 1e-4
"""At most this is "zero": 25 packets of a run."""
UNIMODAL_SLACK = 0.05
"""Of Jain's index: what a curve of single runs may step back and still rise, or fall."""


QUEUE = Sweep("path.buffer", "packets", packet_bytes=PACKET_BYTES)
"""In the document's packets, whether a spec has it in those or in bytes."""


def queue_bdp(run: RunData) -> float:
    """The queue in BDP as the document converts it."""
    return QUEUE.of(run) * PACKET_BYTES / run.bdp_bytes


def jain(run: RunData) -> float | None:
    """Jain's index of the flows' goodput."""
    return run.result.jain


def loss(run: RunData) -> float:
    """Dropped / (sent + dropped)."""
    return run.result.bottleneck.loss_rate or 0.0


def goodput_bps(run: RunData) -> float:
    """All flows'."""
    return sum(group.goodput_bps or 0.0 for group in run.result.groups.values())


def time_to_share(run: RunData) -> float | None:
    """From the second flow's start until both are near their half, seconds."""
    return convergence_time_s(list(received(run).values()), run.result.flows[1].start_s, run.window_s[1])


def variation(run: RunData) -> float | None:
    """The coefficient of variation of the first flow's throughput in bins of 0.5 s, start-up included."""
    return variation_of(run)


def settled_variation(run: RunData) -> float | None:
    """The same from 10 s on."""
    return variation_of(run, SETTLED_S)


def rival_variation(run: RunData) -> float | None:
    """The same of the second flow, from its start on."""
    return variation_of(run, flow=1)


def widening_of_jain(trial: SeedSweep) -> float | None:
    """The standard deviation of Jain's index over the longer half of the queues less that over the shorter half."""
    _, indices = QUEUE.along(trial, jain)
    half = len(indices) // 2
    return pstdev(indices[half:]) - pstdev(indices[:half])


def rises_and_falls(trial: SeedSweep) -> float:
    """1 if Jain's index has one peak over the queue, inside of the sweep; else 0."""
    sizes, indices = QUEUE.along(trial, jain)
    inside = argmax(sizes, indices) not in {sizes[0], sizes[-1]}
    return float(inside and is_unimodal(indices, UNIMODAL_SLACK))


def bbr_over_largest_cubic(run: RunData) -> float | None:
    """BBR's goodput over that of the CUBIC flow that gets most."""
    rates = {
        name: [flow.goodput_bps or 0.0 for flow in run.result.flows if flow.name == name] for name in ("bbr", "cubic")
    }
    return ratio(rates["bbr"][0], max(rates["cubic"]))


def variation_of(run: RunData, from_s: float = 0.0, *, flow: int = 0) -> float | None:
    """The coefficient of variation of a flow's throughput in bins of 0.5 s, from its start on or later."""
    return coefficient_of_variation(
        throughput_bps(run, flow, max(from_s, run.result.flows[flow].start_s), run.window_s[1])
    )


def rtt_spread(run: RunData) -> float | None:
    """The interquartile range of the smoothed RTT over its median."""
    return relative_iqr(gauge(run, 0, "srtt_s").value)


def interval_of_probe_rtt(run: RunData) -> float | None:
    """From one entry into PROBE_RTT to the next, the median, seconds."""
    frame = run.flow_series()
    found = entries_s(frame["time_s"], frame["phase"], "probe_rtt").tolist()
    return median(after - before for before, after in pairwise(found)) if len(found) > 1 else None


def rtt_at_probe_rtt(run: RunData) -> float | None:
    """The median of what BBR's min_rtt estimate is after PROBE_RTT, the smallest RTT in it: seconds."""
    frame = run.flow_series()
    found = after_stays(frame["time_s"], frame["cc_min_rtt_s"], frame["phase"], "probe_rtt").tolist()
    return median(found) if found else None


def threshold_of_loss_bdp(trial: SeedSweep) -> float | None:
    """The shortest queue from which on nothing is lost."""
    sizes, losses = _over_bdp(trial, loss)
    quiet = next((index for index in range(len(losses)) if max(losses[index:]) <= NO_LOSS), None)
    return None if quiet is None else sizes[quiet]


def least_after_join(run: RunData) -> float | None:
    """The incumbent's throughput in its worst bin of 0.5 s."""
    joined_s = run.result.flows[1].start_s
    return least_rate_bps(received(run)[0], joined_s, joined_s + AFTER_JOIN_S, BIN_S)


def _over_bdp(trial: SeedSweep, value: Callable[[RunData], float | None]) -> tuple[list[float], list[float]]:
    sizes, found = QUEUE.along(trial, value)
    return [size * PACKET_BYTES / trial.runs[0].bdp_bytes for size in sizes], found
