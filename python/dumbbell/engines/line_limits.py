"""What of a line's impairments, policer and changes in time a kernel cannot honour; and which of them a run has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from dumbbell.problem import Problem
from dumbbell.spec.frame import ETHERNET_HEADER_BYTES
from dumbbell.spec.line import DELIVERIES
from dumbbell.spec.quantity import Time
from dumbbell.units import BITS_PER_BYTE, NS_PER_S

if TYPE_CHECKING:
    from dumbbell.spec.line import Change
    from dumbbell.spec.path import Hop, Path
    from dumbbell.spec.run import Run

LONGEST_SPREAD_NS: Final = 2**31 - 1
"""netem keeps it in 31 bits."""
LONGEST_BURST_NS: Final = (2**32 - 1) * 64
"""A policer keeps its burst as a time, in 32 bits of 64 ns."""


def fields(run: Run) -> Iterator[str]:
    """The paths of a spec's fields that say what a line does to packets, polices, or changes other than its rate."""
    for where, line in run.path.queues.items():
        does, police = line.impairments, line.police
        for is_there, name in (
            (does.burst_loss, "loss.gilbert_elliott"),
            (does.duplicate_ppb, "duplicate"),
            (does.corrupt_ppb, "corrupt"),
            (does.reorder, "reorder"),
            (does.aggregation_ns, "aggregation"),
            (does.thins_acks, "ack_filter"),
            (line.shaper == "police", "shaper"),
            (police.peak_bps is not None, "peak"),
            (police.marks, "exceed"),
            (line.trace is not None, "trace"),
        ):
            if is_there:
                yield f"{where}.{name}"
        for index, change in enumerate(line.changes):
            yield from (f"{where}.change[{index}].{name}" for name in _beyond_rate(change))


def problems(run: Run) -> Iterator[Problem]:
    """Every field of the run's lines that no kernel with netem, or what stands in for it, can honour."""
    for where, line in run.path.queues.items():
        yield from _of_impairments(where, line)
        yield from _of_changes(where, line)
        if line.shaper == "police":
            yield from _of_a_policer(run, where, line)
    used = list(fields(run))
    if used and run.path.offload:
        message = f"a super-packet would be one packet to {used[0]}, whatever it holds"
        yield Problem("path.offload", message, "path.offload = false")
    elsewhere = (".loss", ".gilbert_elliott", ".buffer", ".rate", *(() if _has_delays(run) else (".trace",)))
    behind = [each for each in used if not each.endswith(elsewhere)]
    if behind and run.path.shaper_at == "receiver":
        yield Problem("path.shaper_at", f'"receiver": no line is behind it for {behind[0]}', 'shaper_at = "router"')


def _has_delays(run: Run) -> bool:
    lines = run.path.queues.values()
    return any(change.delay_ns is not None for line in lines for change in line.changes_in_time)


def _beyond_rate(change: Change) -> list[str]:
    has = {"delay": change.delay_ns, "loss": change.loss_ppb, "buffer": change.buffer}
    outage = ["rate"] if change.rate_bps == 0 else []
    return outage + [name for name, value in has.items() if value is not None]


def _of_impairments(where: str, line: Path | Hop) -> Iterator[Problem]:
    does = line.impairments
    if does.thins_acks:
        message = "of Linux's queues only cake thins ACKs, and it thins those of its own queues alone"
        yield Problem(f"{where}.ack_filter", message, "leave it out, or the engine sim")
    spread = does.reorder.spread if does.reorder else None
    if spread and spread.spread_ns > LONGEST_SPREAD_NS:
        message = f"Linux's netem has {Time.show(LONGEST_SPREAD_NS, 4)} at most"
        yield Problem(f"{where}.reorder.spread", message, "less, or the engine sim")


def _of_changes(where: str, line: Path | Hop) -> Iterator[Problem]:
    if line.trace is not None and line.trace.startswith(DELIVERIES):
        message = "deliveries of single packets: no queueing discipline of Linux sends by a list"
        yield Problem(f"{where}.trace", message, "the engine sim, or a table of rates")
    if line.impairments.burst_loss and any(change.loss_ppb is not None for change in line.changes_in_time):
        message = "it would take the place of the loss in bursts"
        yield Problem(f"{where}.{'trace' if line.trace else 'change'}", message, "one of both")
    for index, change in enumerate(line.changes):
        place = f"{where}.change[{index}].buffer"
        if change.buffer is None:
            continue
        if line.qdisc.kind != "fifo":
            message = f"Linux's {line.qdisc.kind} throws away what waits beyond a new limit"
            yield Problem(place, message, 'leave it out, or qdisc = "fifo"')
        elif change.buffer.count[1] != line.buffer.count[1]:
            yield Problem(place, "a queue of Linux counts bytes or packets, and never the other", "the unit of buffer")


def _of_a_policer(run: Run, where: str, line: Path | Hop) -> Iterator[Problem]:
    if line.police.marks:
        message = '"mark": the policer of Linux marks nothing'
        yield Problem(f"{where}.exceed", message, 'exceed = "drop", or the engine sim')
    if line.rates_in_time:
        message = "a policer of Linux is full again when its rate changes"
        yield Problem(f"{where}.{'trace' if line.trace else 'change'}", message, "leave it out, or the engine sim")
    if line.overhead_bytes < ETHERNET_HEADER_BYTES:
        message = "a policer of Linux counts the frames of Ethernet, and no less"
        yield Problem(f"{where}.overhead", message, f'at least "{ETHERNET_HEADER_BYTES} B"')
    if line.burst_bytes * BITS_PER_BYTE * NS_PER_S > LONGEST_BURST_NS * line.rate_bps:
        message = f"a policer of Linux saves up {Time.show(LONGEST_BURST_NS, 4)} at most"
        yield Problem(f"{where}.burst", message, "less, or a higher rate")
    if run.path.shaper_at == "receiver":
        message = '"receiver": a policer there would see what the kernel has put together'
        yield Problem("path.shaper_at", message, 'shaper_at = "router"')
