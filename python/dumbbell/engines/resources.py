"""What a run will need of this machine: a guest's memory, and time. Bounds, not predictions."""

from __future__ import annotations

import math
import os
from contextlib import suppress
from typing import TYPE_CHECKING

from dumbbell.engines.process import LIMIT
from dumbbell.errors import EngineFailure
from dumbbell.spec.quantity import Bytes
from dumbbell.spec.run import MemoryBytes
from dumbbell.units import BITS_PER_BYTE, NS_PER_S

if TYPE_CHECKING:
    from dumbbell.spec.flow import Flow
    from dumbbell.spec.path import Hop, Path
    from dumbbell.spec.queue import Room
    from dumbbell.spec.run import Run

MOST_MEMORY = Bytes("64 GiB")
MEMORY_STEPS_MB = (1024, 2048, 4096, 8192, 16384, 32768, MOST_MEMORY.bytes >> 20)
"""Memory that is not touched costs a guest 17 us/MB of its start, and nothing else."""
_KERNEL_MB = 200
_CAPTURES_MB = 96
"""Rings of packets, and what compresses them (`crates/agent/src/capture.rs`)."""
_FLOW_BYTES = 300_000
"""Sockets, buffers that are never empty, samples."""
_PACKET_BYTES = 2_500
"""A full packet of the usual size where Linux keeps it: data, descriptor, what allocation rounds up."""
_COPIES = 4
"""On the way, unacknowledged, waiting to be sent, waiting at the receiver for one before it."""
_SLOWEST_PACKETS_PER_S = 20_000
_TRANSFER_PACKETS = 200
"""A short transfer's connection takes as long as so many packets, at least: sockets made and closed, both ends read."""
MOST_CONNECTIONS = 1_000
"""So many may be open at once when short transfers arrive (`crates/agent/src/sockets.rs`)."""
START_S = 60
_FLOW_START_S = 0.1
"""A live flow's device, queues and sockets, made and taken away."""
_MB = 10**6


def memory_mb(run: Run) -> int | None:
    """The memory that a guest gets for a run; None: more than there are steps."""
    needed_mb = _needed_bytes(run) // _MB
    return next((step for step in MEMORY_STEPS_MB if needed_mb <= step), None)


def limit_s(run: Run) -> float:
    """Real time after which a run in virtual time is given up: generous, or what the environment says.

    Raises:
        EngineFailure: what the environment says is no finite number above 0.
    """
    samples = run.duration_ns // run.measure.sample_ns * _connections(run)
    transfers = sum(map(_transfers, run.flows)) * _TRANSFER_PACKETS
    work = 2 * _carried_packets(run, run.duration_ns) + sum(map(_writes, run.flows)) + samples + transfers
    return _given_limit_s() or START_S + work / _SLOWEST_PACKETS_PER_S


def live_limit_s(run: Run) -> float:
    """The same of a run in real time: what it lasts, and what its path and its flows take to be set up.

    Raises:
        EngineFailure: as `limit_s`.
    """
    return _given_limit_s() or START_S + len(run.flows) * _FLOW_START_S + run.duration_ns / NS_PER_S


def _given_limit_s() -> float | None:
    """What the environment says, if anything."""
    given = os.environ.get(LIMIT)
    if not given:
        return None
    with suppress(ValueError):
        seconds = float(given)
        if seconds > 0 and math.isfinite(seconds):
            return seconds
    raise EngineFailure(f'{LIMIT}: "{given}" is no number of seconds above 0')


def _needed_bytes(run: Run) -> int:
    in_flight = min(_room_packets(run), _grown_packets(run), _window_packets(run))
    packet = _PACKET_BYTES + max(0, run.path.mtu_bytes - 1500)
    captures = 0 if run.measure.snap_bytes is None else _CAPTURES_MB * _MB
    return _KERNEL_MB * _MB + captures + _connections(run) * _FLOW_BYTES + in_flight * packet * _COPIES


def _room_packets(run: Run) -> int:
    """What fits between the senders and the receivers."""
    longest_ns = max(flow.forward_delay_ns + flow.return_delay_ns for flow in run.flows)
    longest_ns += sum(map(_longest_ns, run.path.queues.values()))
    rooms = [run.path.buffer, *(change.buffer for change in run.path.changes if change.buffer)]
    packets = (
        max(_packets(run, room) for room in rooms)
        + _carried_packets(run, longest_ns)
        + run.path.burst_bytes // run.path.frame_bytes
    )
    for flow in run.flows:
        if flow.access:
            packets += _packets(run, flow.access.buffer)
    return packets


def _longest_ns(line: Path | Hop) -> int:
    """How long packets may be on a line beyond its delay; of a normal distribution nearly all."""
    does = line.impairments
    late = (does.reorder and does.reorder.late and does.reorder.late.by_ns) or 0
    spread = does.reorder.spread if does.reorder else None
    drawn = spread.delay_ns + 4 * spread.spread_ns if spread else 0
    added = max((change.delay_ns or 0 for change in line.changes_in_time), default=0)
    return late + drawn + does.aggregation_ns + added


def _grown_packets(run: Run) -> int:
    """What windows can grow to when each delivered packet adds one."""
    return _connections(run) * run.host.initial_window_segments + 2 * _carried_packets(run, run.duration_ns)


def _window_packets(run: Run) -> int:
    """What the hosts' limits let into the network."""
    limits = [run.host.receive_window_bytes] if run.host.receive_window_bytes is not None else []
    memory = run.host.socket_memory
    if memory == "default":
        limits.append(6_000_000)
    elif isinstance(memory, MemoryBytes):
        limits.append(memory.bytes)
    return _connections(run) * (min(limits) // run.path.mss_bytes + 1) if limits else 2**63


def _carried_packets(run: Run, time_ns: int) -> int:
    rate_bps = max(run.path.rate_bps, *(rate_bps for _, rate_bps in run.path.rates_in_time), 0)
    return rate_bps * time_ns // (BITS_PER_BYTE * NS_PER_S * run.path.frame_bytes)


def _packets(run: Run, room: Room) -> int:
    return room.bytes_of(run.path.frame_bytes) // run.path.frame_bytes


def _writes(flow: Flow) -> int:
    if flow.work.stream:
        return flow.work.stream.for_ns // flow.work.stream.every_ns
    return len(flow.work.trace.writes) if flow.work.trace else 0


def _connections(run: Run) -> int:
    """Those that may be open at once."""
    others = sum(flow.connections for flow in run.flows if not flow.work.arrivals)
    return others + min(sum(map(_transfers, run.flows)), MOST_CONNECTIONS)


def _transfers(flow: Flow) -> int:
    return len(flow.work.arrivals.arrivals) if flow.work.arrivals else 0
