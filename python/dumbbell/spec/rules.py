"""The rules between the fields of one point, where no list is left; those of single fields are in `tables`.

A rule that needs a field with a problem of its own has nothing to say: asking it raises `DependsOnInvalidField`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import pairwise
from typing import Literal

from dumbbell.problem import Problem, quoted
from dumbbell.spec.arrivals import ArrivalTimes
from dumbbell.spec.derived import (
    active_groups,
    arrivals_per_s,
    arriving_ns,
    buffer_limit,
    end_ns,
    frame_bytes,
    jitter_ns,
    last_start_ns,
    window_ns,
)
from dumbbell.spec.names import name_problems
from dumbbell.spec.quantity import Bytes, Rate, Size, Time
from dumbbell.spec.run import RoomPackets
from dumbbell.spec.run import Trace as Writes
from dumbbell.spec.section import DependsOnInvalidField, scalar
from dumbbell.spec.tables import (
    MOST_ARRIVALS,
    MOST_FLOWS,
    Arrivals,
    Command,
    Flow,
    Jitter,
    Lognormal,
    LognormalSize,
    Pareto,
    ParetoSize,
    Path,
    ShortFlows,
    Spec,
    Stream,
    Trace,
)
from dumbbell.spec.words import places
from dumbbell.units import BITS_PER_BYTE, NS_PER_S

MOST_SAMPLES = 10_000_000
MOST_WRITES = 10_000_000
LARGEST_BUFFER = Bytes("1000000 GB")


def point_problems(point: Spec) -> Iterator[Problem]:
    """Find everything wrong between the fields of one point."""
    yield from run_rules(
        partial(_alone_problems, point),
        partial(_duration_problems, point),
        partial(_buffer_problems, point),
        partial(_jitter_problems, point.path),
        partial(_shaper_problems, point),
        partial(_change_problems, point),
    )
    with suppress(DependsOnInvalidField):
        for index, group in enumerate(point.flows):
            path = f"flows[{index}]"
            yield from run_rules(
                partial(_start_problems, point, group, path),
                partial(_stop_problems, point, group, path),
                partial(_stream_problems, group, f"{path}.workload"),
                partial(_trace_problems, point, group, f"{path}.workload.trace"),
                partial(_source_problems, point, group, path),
                partial(_command_problems, point, group, f"{path}.workload"),
                partial(_access_problems, point, group, f"{path}.access.buffer"),
            )
    yield from run_rules(
        partial(_count_problems, point),
        partial(_name_problems, point),
        partial(_window_problems, point),
        partial(_sample_problems, point),
    )


def run_rules(*rules: Callable[[], Iterable[Problem]]) -> Iterator[Problem]:
    """Ask each rule; one that cannot tell is passed over."""
    for rule in rules:
        with suppress(DependsOnInvalidField):
            yield from rule()


def _alone_problems(point: Spec) -> Iterator[Problem]:
    if point.alone is not None and not active_groups(point):
        last = len(point.flows) - 1
        hint = f'from "flows[0]" to "flows[{last}]"' if last else 'the only one is "flows[0]"'
        yield Problem("alone", f"{quoted(str(scalar(point.alone)))} is no group of this spec", hint)


def _shaper_problems(point: Spec) -> Iterator[Problem]:
    place: Literal["router", "receiver"] = scalar(point.path.shaper_at)
    if place != "receiver":
        return
    side: Literal["return", "forward", "split"] = scalar(point.path.delay_side)
    loses: Literal["before", "after"] = scalar(point.path.loss_at)
    told = "a shaper at the receiver's ingress is the last hop: nothing of the path is behind it"
    if side != "return":
        yield Problem("path.delay_side", told, 'delay_side = "return", or shaper_at = "router"')
    if scalar(point.path.loss).ppb and loses != "before":
        yield Problem("path.loss_at", told, 'loss_at = "before", or shaper_at = "router"')
    told = "what a NIC holds back comes before the receiver's ingress, and no shaper is there"
    if scalar(point.host.gro):
        yield Problem("host.gro", told, 'path.offload = true, or path.shaper_at = "router"')
    if scalar(point.host.ack_aggregation).ns:
        yield Problem("host.ack_aggregation", told, 'leave it out, or write path.shaper_at = "router"')


def _duration_problems(point: Spec) -> Iterator[Problem]:
    if not scalar(point.duration).until_done:
        if point.time_limit is not None:
            yield Problem("time_limit", 'is of use with duration = "until done" only', "leave one of the two out")
        return
    if point.time_limit is None:
        yield Problem("time_limit", 'missing: duration = "until done" needs one', 'write time_limit = "600 s"')
    groups = [point.flows[place] for place in active_groups(point)]
    if groups and all(scalar(group.workload) == "bulk" for group in groups):
        yield Problem("duration", '"until done", but no flow is ever done', 'give a flow a transfer, or write "300 s"')
    for place in active_groups(point):
        workload = scalar(point.flows[place].workload)
        if isinstance(workload, ShortFlows) and _is_endless(workload.arrivals) and point.flows[place].stop is None:
            hint = "say how many with count = 10000, or when with the flow's stop"
            yield Problem(f"flows[{place}].workload.arrivals", 'never end, and the run is "until done"', hint)


def _buffer_problems(point: Spec) -> Iterator[Problem]:
    size = scalar(point.path.buffer)
    counts: Literal["bytes", "packets"] = scalar(point.path.queue)
    if counts == "packets" and size.unit in Bytes.units:
        hint = 'write the buffer in packets, in bdp or as a time, or leave out queue = "packets"'
        yield Problem("path.buffer", f"{quoted(str(size))} is in bytes, but the queue counts packets", hint)
    else:
        yield from _room_problems(size, point.path, scalar(point.path.rate), "path.buffer")


def _access_problems(point: Spec, group: Flow, where: str) -> Iterator[Problem]:
    if group.access is not None:
        access = scalar(group.access)
        yield from _room_problems(scalar(access.buffer), point.path, scalar(access.rate), where)


def _room_problems(size: Size, path: Path, rate: Rate, where: str) -> Iterator[Problem]:
    room, frame = buffer_limit(size, path, rate), frame_bytes(path)
    if isinstance(room, RoomPackets):
        return
    if room.bytes < frame:
        same = "" if size.unit == "B" else f" ({room.bytes} B)"
        told = f"{quoted(str(size))}{same} is less than one frame of {frame} B"
        yield Problem(where, told, f'no packet would fit; at least "{frame} B"')
    elif room.bytes > LARGEST_BUFFER.bytes:
        yield Problem(where, f"{quoted(str(size))} is {room.bytes} B", f"at most {LARGEST_BUFFER}")


def _jitter_problems(path: Path) -> Iterator[Problem]:
    jitter, bounds = scalar(path.jitter), Jitter.bounds
    if jitter.unit == "packet" and not bounds.least.ns <= jitter_ns(path) <= bounds.most.ns:
        told = f"{quoted(str(jitter))} of {frame_bytes(path)} B at {scalar(path.rate)} is {Time.show(jitter_ns(path))}"
        yield Problem("path.jitter", told, f'{bounds}, or "none"')


def _change_problems(point: Spec) -> Iterator[Problem]:
    moments = [scalar(change.at).ns for change in point.path.change]
    for index, (before, moment) in enumerate(pairwise([0, *moments])):
        if moment <= before:
            hint = "order the changes by time" if index else "write the first rate as path.rate"
            told = f"{Time.show(moment)} is not after {Time.show(before)}"
            yield Problem(f"path.change[{index}].at", told, hint)
    end = end_ns(point)
    for index, moment in enumerate(moments):
        if moment >= end:
            yield _after_the_end(f"path.change[{index}].at", moment, end)


def _after_the_end(path: str, moment: int, end: int, what: str = "") -> Problem:
    where = "at" if moment == end else "after"
    told = f"{what}{Time.show(moment)} is {where} the end of the run, {Time.show(end)}"
    return Problem(path, told, "make it earlier, or the duration longer")


def _start_problems(point: Spec, group: Flow, path: str) -> Iterator[Problem]:
    end, start = end_ns(point), scalar(group.start).ns
    if start >= end:
        yield _after_the_end(f"{path}.start", start, end)
        return
    last = last_start_ns(group)
    if last >= end:
        yield _after_the_end(f"{path}.stagger", last, end, f"flow {scalar(group.count)} of the group starts late: ")
    elif last + scalar(point.start_jitter).ns > end:
        latest = last + scalar(point.start_jitter).ns
        yield _after_the_end("start_jitter", latest, end, f"{path} may start as late as that: ")


def _stop_problems(point: Spec, group: Flow, path: str) -> Iterator[Problem]:
    if group.stop is None:
        return
    stop, start = scalar(group.stop).ns, scalar(group.start).ns
    latest = last_start_ns(group) + scalar(point.start_jitter).ns
    if stop <= start:
        told = f"{Time.show(stop)} is not after the start, {Time.show(start)}"
        yield Problem(f"{path}.stop", told, "stop is a moment of the run, not a length")
    elif stop <= latest:
        told = f"{Time.show(stop)} is not after the latest start in the group, {Time.show(latest)}"
        yield Problem(f"{path}.stop", told, "stagger and start_jitter count too")
    if stop > end_ns(point):
        yield _after_the_end(f"{path}.stop", stop, end_ns(point))


def _stream_problems(group: Flow, path: str) -> Iterator[Problem]:
    stream = scalar(group.workload)
    if not isinstance(stream, Stream):
        return
    rate, length, every = scalar(stream.stream).bps, scalar(stream.for_).ns, scalar(stream.every).ns
    if length < every:
        told = f"{Time.show(length)} is shorter than the {Time.show(every)} between two writes"
        yield Problem(f"{path}.for", told, "a stream has one write at least")
    elif length // every * scalar(group.count) > MOST_WRITES:
        yield Problem(
            f"{path}.every", f"{length // every * scalar(group.count)} writes are too many", f"at most {MOST_WRITES}"
        )
    if rate * every < BITS_PER_BYTE * NS_PER_S:
        told = f"{Time.show(every)} at {scalar(stream.stream)} is less than one byte a write"
        yield Problem(f"{path}.every", told, "write less often")


def _trace_problems(point: Spec, group: Flow, path: str) -> Iterator[Problem]:
    trace = scalar(group.workload)
    if isinstance(trace, Trace):
        writes = len(point.file(Writes, scalar(trace.trace)).writes) * scalar(group.count)
        if writes > MOST_WRITES:
            yield Problem(path, f"{writes} writes of all flows of the group are too many", f"at most {MOST_WRITES}")


def _is_endless(arrivals: Arrivals) -> bool:
    return arrivals.count is None and arrivals.trace is None


def _source_problems(point: Spec, group: Flow, path: str) -> Iterator[Problem]:
    source = scalar(group.workload)
    if not isinstance(source, ShortFlows):
        return
    flows = scalar(group.count)
    if flows > 1:
        hint = "write another [[flows]] table for each source; how many transfers arrive is workload.arrivals.count"
        yield Problem(f"{path}.count", f"{flows} sources of arrivals in one table", hint)
    problems = [*_arrival_problems(point, source, f"{path}.workload"), *_size_problems(source, f"{path}.workload.size")]
    yield from problems
    if not problems:
        yield from run_rules(partial(_load_problems, point, group, source, f"{path}.workload"))


def _arrival_problems(point: Spec, source: ShortFlows, path: str) -> Iterator[Problem]:
    arrivals = source.arrivals
    kinds = [kind for kind in ("load", "rate", "trace") if getattr(arrivals, kind) is not None]
    if not kinds:
        hint = 'write load = 0.6, rate = "50 /s" or trace = "arrivals.csv"'
        yield Problem(f"{path}.arrivals", "does not say when transfers arrive", hint)
    for kind in kinds[1:]:
        yield Problem(f"{path}.arrivals.{kind}", f"beside {kinds[0]}, which says it already", "leave one of them out")
    if arrivals.trace is None:
        if source.size is None:
            yield Problem(f"{path}.size", "missing", 'write size = "100 kB"')
        return
    trace = point.file(ArrivalTimes, scalar(arrivals.trace))
    if trace.bytes is not None and source.size is not None:
        yield Problem(f"{path}.size", "the trace has a size for each arrival already", "leave one of the two out")
    elif trace.bytes is None and source.size is None:
        yield Problem(f"{path}.size", "missing: the trace has times only", 'write size = "100 kB", or add a column')
    if arrivals.count is not None and scalar(arrivals.count) > len(trace.at_ns):
        told = f"{scalar(arrivals.count)} of the trace's {len(trace.at_ns)} arrivals"
        yield Problem(f"{path}.arrivals.count", told, f"at most {len(trace.at_ns)}")


def _size_problems(source: ShortFlows, path: str) -> Iterator[Problem]:
    size = None if source.size is None else scalar(source.size)
    if isinstance(size, LognormalSize):
        yield from _one_of(size.lognormal, f"{path}.lognormal", "mean", "median")
    if not isinstance(size, ParetoSize):
        return
    tail, here = size.pareto, f"{path}.pareto"
    yield from _one_of(tail, here, "mean", "minimum")
    shape = scalar(tail.shape)
    if tail.maximum is None:
        if shape <= 1 and (tail.mean is not None or source.arrivals.load is not None):
            told = f"a Pareto distribution of shape {shape:g} has no mean"
            yield Problem(f"{here}.shape", told, 'a shape above 1, or maximum = "100 MB"')
        return
    most = scalar(tail.maximum)
    for key, written in (("mean", tail.mean), ("minimum", tail.minimum)):
        if written is not None and scalar(written).bytes >= most.bytes:
            yield Problem(
                f"{here}.{key}", f"{quoted(str(scalar(written)))} is not below the maximum", f"less than {most}"
            )


def _one_of(table: Lognormal | Pareto, path: str, first: str, second: str) -> Iterator[Problem]:
    written = [key for key in (first, second) if getattr(table, key) is not None]
    if len(written) != 1:
        told = f"{first} and {second} are both there" if written else f"neither {first} nor {second} is there"
        yield Problem(path, told, f"write one of them: {first} or {second}")


def _load_problems(point: Spec, group: Flow, source: ShortFlows, path: str) -> Iterator[Problem]:
    per_s, arriving = arrivals_per_s(point, source), arriving_ns(point, group)
    if per_s is None or arriving is None or source.arrivals.count is not None:
        return
    expected = per_s * arriving / NS_PER_S
    if expected > MOST_ARRIVALS:
        kind = "load" if source.arrivals.load is not None else "rate"
        told = f"{expected:,.0f} arrivals in {Time.show(arriving)} are too many"
        yield Problem(f"{path}.arrivals.{kind}", told, f"at most {MOST_ARRIVALS:,}: count = 10000, or a stop")


def _command_problems(point: Spec, group: Flow, path: str) -> Iterator[Problem]:
    program = scalar(group.workload)
    if not isinstance(program, Command):
        return
    command = scalar(program.command)
    named = set(places(command))
    if program.server is not None:
        server = scalar(program.server)
        served = set(places(server))
        if "port" in named ^ served:
            lacks, has = ("server", "command") if "port" in named else ("command", "server")
            told = f"without {{port}}, which {has} has: the two would not meet"
            yield Problem(f"{path}.{lacks}", told, "write {port} in both, or a port of yours in both")
        named |= served
    end = end_ns(point) if group.stop is None else scalar(group.stop).ns
    lasts = end - last_start_ns(group) - scalar(point.start_jitter).ns
    if "seconds" in named and 0 < lasts < NS_PER_S:
        told = f"{{seconds}} of a flow that may last {Time.show(lasts)} only: none is whole"
        yield Problem(f"{path}.command", told, "let it last 1 s at least")


def _count_problems(point: Spec) -> Iterator[Problem]:
    flows = sum(scalar(group.count) for group in point.flows)
    if flows > MOST_FLOWS:
        yield Problem("flows", f"{flows} flows in all are too many", f"at most {MOST_FLOWS}")


def _name_problems(point: Spec) -> Iterator[Problem]:
    return name_problems(point.flows)


def _window_problems(point: Spec) -> Iterator[Problem]:
    if point.measure.window is None:
        return
    if scalar(point.duration).until_done:
        for index, moment in enumerate(point.measure.window):
            if moment.unit == "%":
                told = f'{quoted(str(moment))} of a duration that is "until done"'
                yield Problem(f"measure.window[{index}]", told, "write the window in times, or leave it out")
                return
    (begin, end), last = window_ns(point), end_ns(point)
    if begin >= end:
        told = f"begins at {Time.show(begin)}, not before its end at {Time.show(end)}"
        yield Problem("measure.window", told, "write the earlier moment first")
    if begin >= last:
        yield _after_the_end("measure.window[0]", begin, last)
    if end > last:
        yield _after_the_end("measure.window[1]", end, last)


def _sample_problems(point: Spec) -> Iterator[Problem]:
    sample, end = scalar(point.measure.sample).ns, end_ns(point)
    if end // sample > MOST_SAMPLES:
        yield Problem("measure.sample", f"{end // sample} samples are too many", f"at most {MOST_SAMPLES} a run")
    window_begin, window_end = window_ns(point)
    if 0 < window_end - window_begin < sample:
        told = f"{Time.show(sample)} is longer than the window, {Time.show(window_end - window_begin)}"
        yield Problem("measure.sample", told, "sample more often, or widen the window")
