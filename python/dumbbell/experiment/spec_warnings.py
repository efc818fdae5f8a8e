"""Warnings that a spec alone decides, before anything runs: what seeds cannot show, and what a host would not do."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any, Final

from msgspec import structs

from dumbbell.experiment.warning import ExperimentWarning
from dumbbell.metrics.number import amount
from dumbbell.results.validity import is_as_reno
from dumbbell.spec import Experiment, Point, Resolved, expand, resolve
from dumbbell.spec.flow import Flow
from dumbbell.spec.quantity import Time
from dumbbell.spec.run import Run
from dumbbell.units import BITS_PER_BYTE, NS_PER_S, PPB

DRAWS: Final = frozenset({"bbr", "cdg"})
"""Algorithms that draw at random: BBR the phase of its cycle, CDG whether it backs off."""
RATE_BASED: Final = frozenset({"bbr"})
"""They send at a rate of their own, not when an ACK comes: pairs of them keep no phase."""
DELAY_BASED: Final = frozenset({"vegas", "nv"})
"""They do not fill the queue."""

LARGE_JITTER: Final = 10
"""An RTT over this is large: with netem's of 8 ms each way on a path of 50 ms, CUBIC kept 28.6 of 40 Mbit/s."""
DEFAULT_WINDOW_BYTES: Final = 3 << 20
"""What one flow has in flight with Linux's default memory: half of `tcp_rmem[2]`, 6 MiB. On `sim` 3.13 MB was measured,
a kernel holds 2.7 MB (docs/limitations.md)."""
MEMORY_REMEDY: Final = 'host.socket_memory = "default" shows it, and "max" in the spec says that it is meant'

PHASE_PACKETS: Final = 400
"""Two CUBIC flows of different RTTs, 5 to 400 Mbit/s, 20 to 100 ms: up to 330 packets of path within the shorter RTT
the share depends on a quarter of a packet time by 0.1 to 0.45, from 413 on hardly (docs/limitations.md)."""
PHASE_PACKETS_MIXED: Final = 100
"""The same beside a flow that is rate-based: 0.2 at 17 packets, 0.1 at 83; beside short flows 0.2 at both."""
NEAR_PACKETS: Final = 1000
"""RTTs that are nearly equal: 0.3 at 661 packets; nothing is seen at 1651."""
NEARLY_EQUAL: Final = 2
"""Packet times."""
PHASES: Final = 4
"""RTTs over a packet time that make a mean over phases."""
JITTER_PACKETS: Final = 0.75
"""Packet times of `path.jitter` that leave a quarter of it at most. By how much the share varies over RTTs 0.2 packet
times apart (rms of second differences / √6), without jitter and with 0.25, 0.5, 0.75 and 1 packet time: 0.14, 0.10,
0.06, 0.03, 0.01 (5 Mbit/s, 20 ms); 0.12, 0.09, 0.06, 0.03, 0.01 (10 Mbit/s, 50 ms); 0.11, 0.09, 0.04, 0.02, 0.01 (10
Mbit/s, 20 ms). 50 us change nothing there."""
SPREAD_PACKETS: Final = 1
"""Packet times within which `rtt_spread` draws phases evenly."""
SPREAD_SEEDS: Final = 5
"""Their 95 % intervals hold the mean over phases in 89 to 96 of a hundred cases, those of four seeds in 85 to 94, of
three in 71 to 90 (10 Mbit/s with 20 and 50 ms, 100 Mbit/s with 20 ms, each with 1, 2 and 4 packet times of spread)."""
LOSS_FACTOR: Final = 1.5
"""A flow with a window of W packets loses one in 2 W² / 3 by itself (Mathis et al., CCR 27(3), 1997). Random loss as
frequent as that takes the phases away (at 41 packets a flow 0.1 %, at 165 0.01 %); a tenth of it does not."""


def spec_warnings(
    experiment: Experiment, known: Iterable[tuple[Point, Resolved]] | None = None
) -> list[ExperimentWarning]:
    """What can be said of an experiment before it is run, of each kind at most one for each point and group.

    `known`: the points to look at, with what the first seed makes of each; by default all.
    """
    every = ((point, resolve(point, experiment.seed_values[0])) for point in expand(experiment))
    points = list(every if known is None else known)
    warnings = chain.from_iterable(of_point(point, resolved) for point, resolved in points)
    return unexpected(list(warnings), len(points))


def of_point(point: Point, resolved: Resolved) -> Iterator[ExperimentWarning]:
    """What can be said of a point, resolved with the experiment's first seed."""
    yield from _as_reno(point, resolved)
    yield from _phases(point, resolved)
    yield from _socket_memory(point, resolved)
    yield from _one_frame(point, resolved)
    yield from _in_order(point, resolved)
    yield from _nothing_drawn(point, resolved)


def unexpected(warnings: Sequence[ExperimentWarning], points: int) -> list[ExperimentWarning]:
    """Nobody expects that seeds change a flow that is alone, unless they do nothing else in all points."""
    always = sum(each.kind == "seeds alike" for each in warnings) == points
    return [each for each in warnings if each.kind != "seeds alike" or each.severity or always]


def seeds_alike(point: Mapping[str, Any], resolved: Resolved, text: str) -> ExperimentWarning:
    """Seeds that all give the same at a point; the severity is 0 of a flow alone."""
    flows, jitter_ns = resolved.run.flows, resolved.start_jitter_ns
    if len(flows) == 1:
        remedy = "one flow alone leaves little to chance: seeds = 1 is enough, unless there is random loss"
    else:
        wider_ns = max(10 * jitter_ns, *(flow.base_rtt_ns for flow in flows))
        instead = f' instead of "{Time.show(jitter_ns)}"' if jitter_ns else ""
        remedy = f'start_jitter = "{Time.show(wider_ns)}"{instead} lets them begin in other phases'
    return ExperimentWarning(kind="seeds alike", text=text, remedy=remedy, point=point, severity=float(len(flows) > 1))


def has_unasked_memory(point: Point, run: Run) -> bool:
    """Whether socket memory never limits, and nobody said so."""
    written = point.experiment.is_written("host.socket_memory")
    return run.host.socket_memory == "max" and not written and run.host.receive_window_bytes is None


def answers_to_loss(flow: Flow) -> bool:
    """Whether its algorithm fills the queue until it drops."""
    return flow.algorithm not in RATE_BASED | DELAY_BASED


def sends_always(flow: Flow, run: Run) -> bool:
    """Whether it has always something to send, and is there in the window."""
    stop_ns = math.inf if flow.stop_ns is None else flow.stop_ns
    return (
        flow.workload == "bulk" and flow.start_ns < run.measure.window_end_ns and stop_ns > run.measure.window_begin_ns
    )


def _nothing_drawn(point: Point, resolved: Resolved) -> Iterator[ExperimentWarning]:
    seeds, run = point.experiment.seed_values, resolved.run
    lines = any(line.draws for line in run.path.queues.values())
    drawn = run.path.jitter_ns or lines or any(flow.algorithm in DRAWS for flow in run.flows)
    if len(seeds) == 1 or drawn:
        return
    if structs.replace(resolve(point, seeds[1]).run, seed=run.seed) == run:
        text = f"{len(seeds)} seeds have nothing to draw (no jitter, no random loss): all give the same numbers"
        yield seeds_alike(point.values, resolved, text)


def _as_reno(point: Point, resolved: Resolved) -> Iterator[ExperimentWarning]:
    run = resolved.run
    for algorithm in dict.fromkeys(flow.algorithm for flow in run.flows if is_as_reno(flow, run.path)):
        yield ExperimentWarning(
            kind="behaves as Reno", point=point.values,
            text=f"{algorithm} behaves as Reno{': no queue marks packets' if algorithm == 'dctcp' else ''}",
            remedy=f"`dumbbell cc show {algorithm}` says why",
        )  # fmt: skip


def _one_frame(point: Point, resolved: Resolved) -> Iterator[ExperimentWarning]:
    """Buffers in bdp or as a time that would hold no packet."""
    frame_bytes, size, room_bytes = resolved.run.path.frame_bytes, point.get("path.buffer"), point.filled_bytes
    if room_bytes is not None and room_bytes < frame_bytes:
        yield ExperimentWarning(
            kind="one frame", point=point.values, severity=float(frame_bytes - room_bytes),
            text=f"a buffer of {size} is less than a frame: it is one frame, {frame_bytes} B",
            remedy="write packets where few are meant",
        )  # fmt: skip


def _in_order(point: Point, resolved: Resolved) -> Iterator[ExperimentWarning]:
    """Jitter that netem would reorder by, as everybody who writes it expects."""
    run = resolved.run
    shortest_ns = min(flow.base_rtt_ns for flow in run.flows)
    jitter_ns = run.path.jitter_ns or 0
    if run.path.impairments.reorder:
        return
    if jitter_ns * LARGE_JITTER >= shortest_ns and point.experiment.is_written("path.jitter"):
        yield ExperimentWarning(
            kind="jitter in order", point=point.values, severity=jitter_ns / shortest_ns,
            text=f"path.jitter of {_time(jitter_ns)} delays packets in their order, also where netem's would reorder"
            " them: on such a path hosts deliver far less",
            remedy=f'path.reorder = {{ spread = "{_time(jitter_ns)}" }} lets them overtake',
        )  # fmt: skip


def _phases(point: Point, resolved: Resolved) -> Iterator[ExperimentWarning]:
    """Floyd and Jacobson, "On Traffic Phase Effects in Packet-Switched Gateways", Internetworking 3, 1992."""
    run, groups = resolved.run, list(dict.fromkeys(resolved.groups))
    if run.path.trace is not None or run.path.shaper == "police" or run.path.impairments.reorder:
        return  # no packet takes as long as any other, or none waits, or delays are drawn
    there = [
        (flow, groups.index(group))
        for group, flow in zip(resolved.groups, run.flows, strict=True)
        if sends_always(flow, run)
    ]
    clocked = [(flow.base_rtt_ns, index) for flow, index in there if answers_to_loss(flow)]
    rtts_ns = sorted({rtt_ns for rtt_ns, _ in clocked})
    if len(rtts_ns) < 2:  # noqa: PLR2004
        return
    packet_ns = BITS_PER_BYTE * run.path.frame_bytes * NS_PER_S / run.path.rate_bps
    packets, frames = rtts_ns[0] / packet_ns, run.path.buffer_bytes / run.path.frame_bytes
    mixed = any(flow.algorithm in RATE_BASED for flow, _ in there) or any(
        flow.work.arrivals is not None for flow in run.flows
    )
    apart_ns, longer_ns = min((after - before, after) for before, after in pairwise(rtts_ns))
    nearly_equal = apart_ns <= NEARLY_EQUAL * packet_ns and packets <= NEAR_PACKETS and not mixed
    lost_by_themselves = LOSS_FACTOR / ((packets + frames) / len(clocked)) ** 2
    if run.path.loss_event_ppb >= PPB * lost_by_themselves or not (
        nearly_equal or packets <= (PHASE_PACKETS_MIXED if mixed else PHASE_PACKETS)
    ):
        return
    index = next(index for rtt_ns, index in clocked if rtt_ns == longer_ns)
    grid = next((axis.values for axis in point.experiment.axes if axis.path == f"flows[{index}].rtt"), ())
    jitter_ns, spread = run.path.jitter_ns, resolved.rtt_spread_ns >= SPREAD_PACKETS * packet_ns
    if (
        jitter_ns is None  # a machine's own, of which nobody knows
        or jitter_ns >= JITTER_PACKETS * packet_ns
        or (spread and len(point.experiment.seed_values) >= SPREAD_SEEDS)
        or sum(abs(Time(each).ns - longer_ns) <= packet_ns for each in grid) >= PHASES
    ):
        return  # the remedy is there
    late = f", and hosts that are up to {_time(jitter_ns)} late do not change that" if jitter_ns else ""
    alike = f", alike in all seeds{late}" if not resolved.rtt_spread_ns else ""
    yield ExperimentWarning(
        kind="phase effects", point=point.values, severity=1 / packets,
        text=f"phase effects: with RTTs of {_time(longer_ns - apart_ns)} and {_time(longer_ns)} before a drop-tail"
        f" queue that takes a packet every {_time(packet_ns)}, shares can hang on a quarter of such a time in the"
        f" RTT{alike}",
        remedy=_phase_remedy(packet_ns, spread=spread),
    )  # fmt: skip


def _phase_remedy(packet_ns: float, *, spread: bool) -> str:
    """What averages phases out, and what shows what hangs on them; `spread`: that is there, but for the seeds."""
    unit = 10 ** math.floor(math.log10(SPREAD_PACKETS * packet_ns))
    range_ns = unit * math.ceil(SPREAD_PACKETS * packet_ns / unit)
    range_too = "" if spread else f'rtt_spread = "{Time.show(range_ns)}" and '
    by_seeds = f"{range_too}{SPREAD_SEEDS} seeds or more"
    return f'path.jitter = "1 packet" averages phases out; {by_seeds} show in the intervals how much hangs on them'


def _socket_memory(point: Point, resolved: Resolved) -> Iterator[ExperimentWarning]:
    """What `host.socket_memory = "max"`, which was not asked for, hides."""
    run = resolved.run
    flows = [flow for flow in run.flows if _wants_more(flow)] if has_unasked_memory(point, run) else []
    if not flows:
        return
    rate_bps = max([run.path.rate_bps, *(rate_bps for _, rate_bps in run.path.rates_in_time)])
    most_bps = sum(BITS_PER_BYTE * DEFAULT_WINDOW_BYTES * NS_PER_S / flow.base_rtt_ns for flow in flows)
    one = f"with default socket memory {'the flow has' if len(flows) == 1 else f'{len(flows)} flows have'} at most"
    most_bytes = len(flows) * DEFAULT_WINDOW_BYTES
    most = amount(most_bytes, scale=1e-6, unit=" MB")
    path_bytes = rate_bps * min(flow.base_rtt_ns for flow in flows) / BITS_PER_BYTE / NS_PER_S
    if most_bps < rate_bps:
        yield ExperimentWarning(
            kind="socket memory", point=point.values, severity=rate_bps / most_bps, remedy=MEMORY_REMEDY,
            text=f"{one} {most} in flight: a host would be limited to about"
            f" {amount(most_bps, scale=1e-6, unit=' Mbit/s')} here",
        )  # fmt: skip
    elif (
        most_bytes < path_bytes + run.path.buffer_bytes
        and not run.path.loses_at_random
        and any(map(answers_to_loss, flows))
    ):
        yield ExperimentWarning(
            kind="socket memory", point=point.values, remedy=MEMORY_REMEDY,
            text=f"{one} {most} in flight, less than path and queue hold"
            f" ({amount(path_bytes + run.path.buffer_bytes, scale=1e-6, unit=' MB')}): hosts would not fill it",
        )  # fmt: skip


def _wants_more(flow: Flow) -> bool:
    """Whether it could have more in flight than default memory allows."""
    return flow.workload == "bulk" or (
        flow.work.transfer is not None and flow.work.transfer.bytes > DEFAULT_WINDOW_BYTES
    )


def _time(time_ns: float) -> str:
    return Time.show(10 * round(time_ns / 10))
