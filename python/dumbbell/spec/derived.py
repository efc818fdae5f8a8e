"""What follows from the words of a point: its end, its window, its BDP, the room of its queues. All in base units."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from dumbbell.spec.quantity import Size
from dumbbell.spec.run import ETHERNET_HEADER_BYTES, Buffer, RoomBytes, RoomPackets
from dumbbell.spec.section import DependsOnInvalidField, scalar
from dumbbell.spec.tables import Flow, Path, Spec
from dumbbell.units import BITS_PER_BYTE, NS_PER_S, PPB


def end_ns(experiment: Spec) -> int:
    """When a run ends, at the latest."""
    duration = scalar(experiment.duration)
    if not duration.until_done:
        return duration.ns
    if experiment.time_limit is None:
        raise DependsOnInvalidField
    return scalar(experiment.time_limit).ns


def last_start_ns(group: Flow) -> int:
    """When the last flow of a group starts, without jitter."""
    return scalar(group.start).ns + (scalar(group.count) - 1) * scalar(group.stagger).ns


def active_groups(experiment: Spec) -> range:
    """Give the places of the groups that run: all, or the one that is alone; none where there is no such group."""
    every = range(len(experiment.flows))
    if experiment.alone is None:
        return every
    place = int(scalar(experiment.alone).removeprefix("flows[").removesuffix("]"))
    return every[place : place + 1]


def window_ns(experiment: Spec) -> tuple[int, int]:
    """Give begin and end of the summary's window."""
    end = end_ns(experiment)
    if experiment.measure.window is None:
        return 0, end
    first, last = experiment.measure.window
    return first.ns(end), last.ns(end)


def frame_bytes(path: Path) -> int:
    """Give what a full packet takes of a queue and of a line."""
    return scalar(path.mtu) + ETHERNET_HEADER_BYTES


def bdp_bytes(path: Path) -> Fraction:
    """Rate times the path's own round-trip time, in queue bytes."""
    return Fraction(scalar(path.rate).bps * scalar(path.rtt).ns, BITS_PER_BYTE * NS_PER_S)


def buffer_limit(size: Size, path: Path) -> Buffer:
    """Give the room of a queue, counted as the path's queues count."""
    counts: Literal["bytes", "packets"] = scalar(path.queue)
    if size.unit == "bdp":
        room = Fraction(size.value, PPB) * bdp_bytes(path)
        return RoomPackets(packets=room // frame_bytes(path)) if counts == "packets" else RoomBytes(bytes=round(room))
    if size.unit == "packets":
        count = size.value
        return RoomPackets(packets=count) if counts == "packets" else RoomBytes(bytes=count * frame_bytes(path))
    return RoomBytes(bytes=size.bytes)
