"""What follows from the words of a point: its end, its window, its BDP, the room of its queues. All in base units."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

import dumbbell.spec.tables as tables
from dumbbell.spec.quantity import Bytes, Rate, Size
from dumbbell.spec.run import ETHERNET_HEADER_BYTES, Buffer, RoomBytes, RoomPackets, wire_bytes
from dumbbell.spec.section import DependsOnInvalidField, scalar
from dumbbell.spec.sizes import Cdf, Fixed, Lognormal, Pareto, Sizes, mean_bytes
from dumbbell.spec.tables import CdfSize, Flow, LognormalSize, ParetoSize, Path, ShortFlows, Spec
from dumbbell.units import BITS_PER_BYTE, NS_PER_S


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


def sizes_of(experiment: Spec, source: ShortFlows) -> Sizes | None:
    """Give the distribution of a source's sizes; None where none is written."""
    if source.size is None:
        return None
    size = scalar(source.size)
    if isinstance(size, LognormalSize):
        return _lognormal(size.lognormal)
    if isinstance(size, ParetoSize):
        return _pareto(size.pareto)
    if isinstance(size, CdfSize):
        return experiment.file(Cdf, scalar(size.cdf))
    return Fixed(size.bytes) if isinstance(size, Bytes) else None


def _lognormal(table: tables.Lognormal) -> Lognormal:
    return Lognormal(sigma=scalar(table.sigma), mean=_bytes(table.mean), median=_bytes(table.median))


def _pareto(table: tables.Pareto) -> Pareto:
    return Pareto(
        shape=scalar(table.shape),
        mean=_bytes(table.mean),
        minimum=_bytes(table.minimum),
        maximum=_bytes(table.maximum),
    )


def _bytes(size: Bytes | list[Bytes] | None) -> int | None:
    return None if size is None else scalar(size).bytes


def arrivals_per_s(point: Spec, source: ShortFlows) -> float | None:
    """Give how many transfers of a source arrive in a second, in the mean; None where a trace tells."""
    arrivals = source.arrivals
    if arrivals.rate is not None:
        return scalar(arrivals.rate).per_s
    sizes = sizes_of(point, source)
    if arrivals.load is None or sizes is None:
        return None
    wire = wire_bytes(mean_bytes(sizes), scalar(point.path.mtu))
    return scalar(arrivals.load) * scalar(point.path.rate).bps / (BITS_PER_BYTE * wire)


def arriving_ns(point: Spec, group: Flow) -> int | None:
    """Give how long transfers of a source arrive after its start, without jitter; None: until there are no more."""
    start_ns = scalar(group.start).ns
    if group.stop is not None:
        return scalar(group.stop).ns - start_ns
    return None if scalar(point.duration).until_done else end_ns(point) - start_ns


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


def jitter_ns(path: Path) -> int:
    """Give the bound of the hosts' timing noise; a packet is a full one at the rate of the run's beginning."""
    jitter = scalar(path.jitter)
    if jitter.unit != "packet":
        return jitter.value
    return round(Fraction(jitter.number) * frame_bytes(path) * BITS_PER_BYTE * NS_PER_S / scalar(path.rate).bps)


def filled_bytes(size: Size, path: Path, rate: Rate) -> Fraction | None:
    """Give the room of a queue that is written in bdp or as a time, before a line of this rate; None of others."""
    fills_ns = size.fills_ns(scalar(path.rtt).ns)
    return None if fills_ns is None else fills_ns * rate.bps / (BITS_PER_BYTE * NS_PER_S)


def buffer_limit(size: Size, path: Path, rate: Rate) -> Buffer:
    """Give the room of a queue before a line of this rate, counted as the path's queues count.

    One in bdp or as a time holds a frame at least: a queue that none fits in is no queue.
    """
    counts: Literal["bytes", "packets"] = scalar(path.queue)
    room, frame = filled_bytes(size, path, rate), frame_bytes(path)
    if room is not None:
        if counts == "packets":
            return RoomPackets(packets=max(1, room // frame))
        return RoomBytes(bytes=max(frame, round(room)))
    if size.unit == "packets":
        count = size.value
        return RoomPackets(packets=count) if counts == "packets" else RoomBytes(bytes=count * frame)
    return RoomBytes(bytes=size.bytes)
