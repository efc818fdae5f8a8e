"""One measurement of a run, from what each of its hosts has seen: a sender's end, a receiver's, the queues between."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from dumbbell.engines import outcome
from dumbbell.engines.hosts.failure import spoken
from dumbbell.engines.measurement import (
    FlowCounters,
    FlowMeasurement,
    FlowSeries,
    Measurement,
    Program,
    QueueMeasurement,
    QueueSeries,
    Transfers,
    unseen_queue,
)
from dumbbell.errors import EngineFailure
from dumbbell.problem import visible

if TYPE_CHECKING:
    import numpy.typing as npt

    from dumbbell.engines.hosts.assignment import Assignment
    from dumbbell.engines.hosts.leader import HostPart
    from dumbbell.spec.run import Run

MOST_PAYLOAD_BYTES: Final = 1500
HEADERS_BYTES: Final = 100
"""Of a segment, of Ethernet, IP and TCP, at most."""
_MOST_FACT: Final = 500
"""Letters of what a host says of itself."""


def joined(
    run: Run, assignment: Assignment, seen: Mapping[str, Measurement], parts: Mapping[str, HostPart]
) -> Measurement:
    """What all hosts together have measured.

    What a receiver counts is taken at the instants at which the sender was looked at, by the offset of their clocks;
    between two looks at the receiver it is taken to grow evenly.
    """
    ends = [
        (seen[sender.name].flows[index], seen[receiver.name].flows[index])
        for index, (sender, receiver) in enumerate(zip(assignment.senders, assignment.receivers, strict=True))
    ]
    done = [each for each in (_completed_ns(*both) for both in ends) if each is not None]
    ended_ns = max(done) if run.until_done and done else max(each.ended_ns for each in seen.values())
    flows = tuple(_flow(*both, ended_ns) for both in ends)
    path = seen.get(assignment.path.name) if assignment.path is not None else None
    return Measurement(
        ended_ns=ended_ns,
        flows=flows,
        bottleneck=unseen_queue(run, ended_ns) if path is None else _until(path.bottleneck, ended_ns),
        hops=() if path is None else tuple(replace(hop, queue=_until(hop.queue, ended_ns)) for hop in path.hops),
        facts=dict(_facts(assignment, flows, seen, parts)),
    )


def _completed_ns(sender: FlowMeasurement, receiver: FlowMeasurement) -> int | None:
    """A program is done where it was started, all others are where the last byte came."""
    return receiver.completed_ns if sender.program is None else sender.completed_ns


def _until(queue: QueueMeasurement, ended_ns: int) -> QueueMeasurement:
    """Of a run that is over when all is complete: hosts learn it a moment later."""
    marks = {name: getattr(queue, name) for name in ("at_window_begin", "at_window_end", "at_end")}
    return replace(queue, **{name: replace(it, at_ns=min(it.at_ns, ended_ns)) for name, it in marks.items()})


def _flow(sender: FlowMeasurement, receiver: FlowMeasurement, last_ns: int) -> FlowMeasurement:
    program = sender.program or receiver.program
    if program is not None and receiver.program is not None:
        program = Program(client=program.client, server=receiver.program.server)
    transfers = sender.transfers
    if transfers is not None and receiver.transfers is not None:
        own = transfers
        transfers = Transfers(
            started_ns=own.started_ns, completed_ns=receiver.transfers.completed_ns,
            segments_sent=own.segments_sent, segments_retransmitted=own.segments_retransmitted,
        )  # fmt: skip
    delivered = _Growth.of(receiver, "delivered_bytes")
    passed = _Growth.of(receiver, "bottleneck_bytes")

    def counters(own: FlowCounters) -> FlowCounters:
        at_ns = min(own.at_ns, last_ns)
        return replace(own, at_ns=at_ns, delivered_bytes=delivered.at(at_ns), bottleneck_bytes=passed.at(at_ns))

    series: FlowSeries = replace(sender.series, delivered_bytes=delivered.column(sender.series.at_ns))
    if len(sender.series.bottleneck_bytes):
        series = replace(series, bottleneck_bytes=passed.column(sender.series.at_ns))
    return replace(
        sender,
        completed_ns=_completed_ns(sender, receiver),
        at_window_begin=counters(sender.at_window_begin),
        at_window_end=counters(sender.at_window_end),
        at_end=counters(sender.at_end),
        series=series,
        transfers=transfers,
        program=program,
    )


class _Growth:
    """A counter of a receiver over time."""

    def __init__(self, at_ns: npt.NDArray[np.float64], counts: npt.NDArray[np.float64]) -> None:
        self._at_ns, self._counts = at_ns, counts

    @classmethod
    def of(cls, flow: FlowMeasurement, counter: str) -> _Growth:
        """From its series and its counters at the window's ends and the flow's."""
        column, at_ns = getattr(flow.series, counter), flow.series.at_ns
        marks = (flow.at_window_begin, flow.at_window_end, flow.at_end)
        times = [*(at_ns[: len(column)].tolist()), *(each.at_ns for each in marks)]
        counts = [*column.tolist(), *(getattr(each, counter) for each in marks)]
        pairs = sorted({0: 0, **dict(zip(times, counts, strict=True))}.items())
        return cls(*(np.array(each, np.float64) for each in zip(*pairs, strict=True)))

    def at(self, at_ns: int) -> int:
        """Its count at an instant."""
        return round(float(np.interp(at_ns, self._at_ns, self._counts)))

    def column(self, at_ns: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
        """Its counts at some instants."""
        return np.interp(at_ns.astype(np.float64), self._at_ns, self._counts).round().astype(np.uint64)


def _facts(
    assignment: Assignment,
    flows: Sequence[FlowMeasurement],
    seen: Mapping[str, Measurement],
    parts: Mapping[str, HostPart],
) -> Iterator[tuple[str, str]]:
    made = "none of ours: that of the hosts is measured"
    if assignment.path is not None:
        made = f"made by {assignment.path.name}, for what it {_TAKES[assignment.passage or 'router']}"
    yield "hosts.path", made
    for index, (sender, receiver) in enumerate(zip(assignment.senders, assignment.receivers, strict=True)):
        yield f"flows[{index}].hosts", f"{sender.name} to {receiver.name}"
        for end, names in ((sender, ("cc", "cc_version", "sender", "ecn")), (receiver, ("ect",))):
            own = seen[end.name].facts
            known = (f"flows[{index}].{fact}" for fact in names)
            yield from ((fact, _text(own[fact])) for fact in known if fact in own)
    for name, measurement in seen.items():
        yield from ((f"{name}: {fact}", text) for fact, text in _of_connection(parts[name]))
        for way, own_bytes in _own_bytes(name, assignment, flows):
            all_bytes = measurement.facts.get(f"live.interface_{way}_bytes", "")
            if all_bytes.isdecimal():
                yield f"{name}: live.foreign_{way}_bytes", str(max(0, int(all_bytes) - own_bytes))
        yield from _of_host(name, measurement.facts)


def _of_host(name: str, facts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What a host says of itself; each point is captured at one host, and flows are spoken of above."""
    for fact, text in facts.items():
        if fact.startswith("capture."):
            yield _text(fact), _text(text)
        elif not fact.startswith("flows["):
            yield f"{name}: {_text(fact)}", _text(text)


def _own_bytes(host: str, assignment: Assignment, flows: Sequence[FlowMeasurement]) -> Iterator[tuple[str, int]]:
    """What of the frames that came and went by a host's interface were the run's data, at most: with every header."""
    sent = [flow.at_end for flow, sender in zip(flows, assignment.senders, strict=True) if sender.name == host]
    received = [
        flow.at_end for flow, receiver in zip(flows, assignment.receivers, strict=True) if receiver.name == host
    ]
    if sent:
        again = sum(each.segments_retransmitted for each in sent) * MOST_PAYLOAD_BYTES
        headers = sum(each.segments_sent for each in sent) * HEADERS_BYTES
        yield "sent", sum(each.delivered_bytes for each in sent) + again + headers
    if received:
        yield "received", sum(each.bottleneck_bytes for each in received)


def _of_connection(part: HostPart) -> Iterator[tuple[str, str]]:
    """What this machine saw of a host."""
    for fact, offset in (("ahead", part.clock), ("drift", part.clock_after.minus(part.clock))):
        yield f"clock.{fact}_ns", str(offset.monotonic_ns)
        yield f"clock.{fact}_error_ns", str(offset.error_ns)
    if part.interruptions:
        yield "connection.lost", str(part.interruptions)


_TAKES: Final = {"router": "forwards", "sender": "sends", "receiver": "receives"}


def _text(said: str) -> str:
    """What a host says, cut short, every letter of which prints."""
    return visible(said[:_MOST_FACT])


def believed(host: str, answer: bytes, run: Run) -> Measurement:
    """What a host has measured; it is believed to be one of this run, and no more."""
    try:
        measurement = outcome.measurement(answer)
    except EngineFailure as failure:
        raise EngineFailure(f"{host}: measure: {spoken(str(failure))}") from None
    series: list[FlowSeries | QueueSeries] = [flow.series for flow in measurement.flows]
    series.extend(queue.series for queue in (measurement.bottleneck, *(hop.queue for hop in measurement.hops)))
    queues = len(run.path.queues)
    if (
        len(measurement.flows) != len(run.flows)
        or len(measurement.hops) != (queues if queues > 1 else 0)
        or not all(map(_is_even, series))
    ):
        raise EngineFailure(f"{host}: measure: what it left is no measurement of this run")
    return measurement


def _is_even(series: FlowSeries | QueueSeries) -> bool:
    """Whether its columns have one length, or are empty as those of a summary."""
    lengths = {len(getattr(series, each.name)) for each in fields(series)}
    return lengths <= {0, len(series.at_ns)}
