"""What is compared of one run: a few numbers of its summary, in units that make conditions alike."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from dumbbell.agreement.record import GroupRuns, RunFigures
from dumbbell.metrics.queue import capacity_bits
from dumbbell.metrics.window import NANOSECONDS, Window, ratio
from dumbbell.spec.run import ETHERNET_HEADER_BYTES, RoomBytes

if TYPE_CHECKING:
    from dumbbell.metrics.summary import FlowSummary
    from dumbbell.results.schema import Result
    from dumbbell.spec.run import Flow, Run

BITS = 8


def figures(run: Run, result: Result) -> RunFigures:
    """The figures of a result; `run` is what any seed of its point was resolved to."""
    members: dict[str, list[FlowSummary]] = {}
    for flow in result.flows:
        members.setdefault(flow.name, []).append(flow)
    return RunFigures(
        seed=result.seed,
        run_id=result.run_id,
        goodput_bps=sum(group.goodput_bps or 0.0 for group in result.groups.values()),
        loss_rate=result.bottleneck.loss_rate,
        queueing_delay=queueing_delay(run, result),
        utilization=result.bottleneck.utilization,
        groups={
            name: GroupRuns(
                goodput_bps=group.goodput_bps or 0.0,
                share=group.share,
                rtt_mean_s=_mean([flow.rtt_mean_s for flow in members[name]]),
                retransmit_rate=ratio(
                    sum(flow.retransmits for flow in members[name]), sum(flow.segments_sent for flow in members[name])
                ),
            )
            for name, group in result.groups.items()
        },
    )


def queueing_delay(run: Run, result: Result) -> float | None:
    """Mean RTT less the base RTT of the same flow, mean over flows, as a share of the time the full buffer drains in.

    None without a sample of an RTT, or without a buffer.
    """
    waits_s = [
        None if flow.rtt_mean_s is None else flow.rtt_mean_s - base_rtt_s(asked)
        for asked, flow in zip(run.flows, result.flows, strict=True)
    ]
    wait_s = _mean(waits_s)
    return None if wait_s is None else ratio(wait_s, drain_time_s(run))


def base_rtt_s(flow: Flow) -> float:
    """A flow's round-trip time without any queue."""
    return (flow.forward_delay_ns + flow.return_delay_ns) / NANOSECONDS


def room_bytes(run: Run) -> int:
    """Room of the bottleneck's queue, in bytes of frames."""
    room = run.path.buffer
    return (
        room.bytes if isinstance(room, RoomBytes) else room.packets * (run.path.mtu_bytes + ETHERNET_HEADER_BYTES)
    )  # fmt: skip


def rate_bps(run: Run) -> float:
    """The bottleneck's rate, its mean over the window where it changes."""
    window = Window(run.measure.window_begin_ns, run.measure.window_end_ns)
    changes = [(change.at_ns, change.rate_bps) for change in run.path.changes]
    return ratio(capacity_bits(run.path.rate_bps, changes, window), window.seconds) or float(run.path.rate_bps)


def drain_time_s(run: Run) -> float:
    """How long the full buffer takes to leave at the bottleneck's rate."""
    return BITS * room_bytes(run) / rate_bps(run)


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
