"""What the flows of a run do while it is measured in real time, for a watcher."""

from __future__ import annotations

import os
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING, Annotated, Final, Protocol, TypeAlias, runtime_checkable

from msgspec import Meta, MsgspecError, Struct
from msgspec.json import Decoder

from dumbbell.engines.protocol import Engine

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dumbbell.spec.run import Run

LOOK_S: Final = 0.2
"""Between two looks for new lines; the agent writes no more than so many."""
MOST_BYTES: Final = 4_000_000
"""Of lines that were read: then they are removed."""
_LINE_BYTES: Final = 400
"""Of a flow in a line, at most, and of what is around them."""
_Number: TypeAlias = Annotated[int, Meta(ge=0, le=2**63 - 1)]


class LiveFlow(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A flow at one instant: `LiveFlow` of `crates/agent/src/traffic/live.rs`; what a host does not see is 0."""

    delivered_bytes: _Number
    """Payload that the receiver has in order."""
    acked_bytes: _Number
    """Payload that the sender knows to be there; SYN and FIN count as a byte each."""
    retransmitted_segments: _Number
    srtt_us: _Number
    """0: there is none."""
    cwnd_segments: _Number
    running: bool
    """It has started and is not over."""


class LiveReading(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All flows of a run at one instant, in the run's order."""

    at_ns: _Number
    """Since the run's time 0."""
    flows: tuple[LiveFlow, ...]


class Watcher(Protocol):
    """Is called by an engine's threads, about a run each time with the same object; must return soon."""

    def begin(self, run: Run) -> None:
        """A run is to be measured."""

    def read(self, run: Run, reading: LiveReading) -> None:
        """So far it has come."""

    def end(self, run: Run) -> None:
        """It is over, or has failed."""


@runtime_checkable
class LiveEngine(Engine, Protocol):
    """An engine whose runs can be watched."""

    watcher: Watcher | None
    """Whom it calls while it measures; None: nobody."""


_READING: Final = Decoder(LiveReading)


class Feed:
    """Lines about a run, from one host or from several that each see a part of it, as readings for a watcher.

    What is no reading of this run ends the feed, and not the run.
    """

    def __init__(self, run: Run, watcher: Watcher) -> None:
        self._run, self._watcher = run, watcher
        self._rest: dict[str, bytes] = {}
        self._latest: dict[str, LiveReading] = {}
        self._longest = _LINE_BYTES * (1 + len(run.flows))
        self.over = False

    def take(self, data: bytes, host: str = "") -> None:
        """Takes more of a host's lines, cut anywhere."""
        *lines, rest = (self._rest.pop(host, b"") + data).split(b"\n")
        for line in lines:
            if not self.over:
                self._read(line, host)
        self.over |= len(rest) > self._longest
        if not self.over:
            self._rest[host] = rest

    def _read(self, line: bytes, host: str) -> None:
        try:
            reading = _READING.decode(line) if len(line) <= self._longest else None
        except MsgspecError:
            reading = None
        if reading is None or len(reading.flows) != len(self._run.flows):
            self.over = True
            return
        self._latest[host] = reading
        self._watcher.read(self._run, _merged([*self._latest.values()]))


@contextmanager
def watched(run: Run, watcher: Watcher | None) -> Iterator[Feed | None]:
    """Tells a watcher that a run is measured within, and gives what takes the lines about it; None: nobody watches."""
    if watcher is None:
        yield None
        return
    watcher.begin(run)
    try:
        yield Feed(run, watcher)
    finally:
        watcher.end(run)


@contextmanager
def tailed(file: Path, feed: Feed | None) -> Iterator[dict[str, str]]:
    """Has a feed take the lines that are added to a file meanwhile; gives the field of a job that has them written."""
    if feed is None:
        yield {}
        return
    file.touch(mode=0o600)
    ended = Event()
    thread = Thread(target=_tail, args=(file, feed, ended), name="live", daemon=True)
    thread.start()
    try:
        yield {"live": str(file.absolute())}
    finally:
        ended.set()
        thread.join()


def _tail(file: Path, feed: Feed, ended: Event) -> None:
    with file.open("r+b") as lines:
        last = False
        while not (last or feed.over):
            last = ended.wait(LOOK_S)
            data = lines.read()
            feed.take(data)
            # A line that comes just now is lost with the others: the next one says all that it said.
            if lines.seek(0, os.SEEK_CUR) > MOST_BYTES and data.endswith(b"\n"):
                lines.truncate(0)
                lines.seek(0)


def _merged(readings: list[LiveReading]) -> LiveReading:
    """What some hosts see of the same flows: each number is 0 where a host does not see it."""
    if len(readings) == 1:
        return readings[0]
    flows = [
        LiveFlow(**{name: max(getattr(flow, name) for flow in same) for name in LiveFlow.__struct_fields__})
        for same in zip(*(reading.flows for reading in readings), strict=True)
    ]
    return LiveReading(at_ns=max(reading.at_ns for reading in readings), flows=tuple(flows))
