"""The last two minutes of the run that is being measured, by flows or by what its flows have in common."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple

from dumbbell.engines.controls import variant_of
from dumbbell.metrics.number import counted
from dumbbell.units import NS_PER_S

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dumbbell.engines.live import LiveFlow, LiveReading
    from dumbbell.spec.run import Run

MOST_TRACKS: Final = 12
"""Lines that a person can follow, and that fit a terminal of 24 rows."""
SPAN_S: Final = 120.0
LATELY_S: Final = 1.0
"""What goodput is the mean of."""
_US_PER_S: Final = 1e6


@dataclass(frozen=True, slots=True)
class Track:
    """A flow, or several, of which one line is shown."""

    label: str
    algorithm: str
    """The name by which it has its style; empty: there are several."""
    places: tuple[int, ...]
    """Of its flows in the run."""


class Gauge(NamedTuple):
    """A track at an instant; of several flows the sum, of RTTs the mean."""

    goodput_bps: float
    """Over the last second, or what of it the run has had."""
    srtt_s: float | None
    cwnd_segments: int
    retransmitted_segments: int
    """Since the run's begin."""
    retransmitted_lately: int
    """Over the same time as goodput."""
    running: int
    """How many of its flows are."""


class Instant(NamedTuple):
    """All tracks, in order."""

    number: int
    """One higher than that of the instant before, also of another run."""
    at_s: float
    gauges: tuple[Gauge, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What there is to be shown."""

    label: str
    """Empty: no run has begun."""
    run: int
    """How many have begun."""
    done: int
    """How many are over or were there before."""
    runs: int
    """How many there are."""
    over: bool
    duration_s: float
    tracks: Sequence[Track]
    instants: Sequence[Instant]


class _Total(NamedTuple):
    at_s: float
    bytes: int
    retransmitted: int


class History:
    """Watches the runs of an engine; of several at once the one that has begun last."""

    def __init__(self, label_of: Callable[[Run], str], runs: int) -> None:
        self._label_of, self._lock = label_of, Lock()
        self.done, self._runs = 0, runs
        self._run, self._number = 0, 0
        self._label, self._duration_s = "", 0.0
        self._measured: Run | None = None
        self._tracks: list[Track] = []
        self._instants: deque[Instant] = deque()
        self._totals: list[deque[_Total]] = []
        """Of each track, from the last one before the last second on."""

    def begin(self, run: Run) -> None:
        label, tracks = self._label_of(run), tracks_of(run)
        with self._lock:
            self._run += 1
            self._label, self._measured, self._duration_s = label, run, run.duration_ns / NS_PER_S
            self._tracks, self._totals = tracks, [deque([_Total(0.0, 0, 0)]) for _ in tracks]
            self._instants.clear()

    def read(self, run: Run, reading: LiveReading) -> None:
        at_s = reading.at_ns / NS_PER_S
        with self._lock:
            if run is not self._measured or (self._instants and at_s <= self._instants[-1].at_s):
                return
            gauges = tuple(
                _gauge(totals, at_s, [reading.flows[place] for place in track.places])
                for track, totals in zip(self._tracks, self._totals, strict=True)
            )
            self._number += 1
            self._instants.append(Instant(self._number, at_s, gauges))
            while self._instants[0].at_s < at_s - SPAN_S:
                self._instants.popleft()

    def end(self, run: Run) -> None:
        with self._lock:
            if run is self._measured:
                self._measured = None

    def situation(self, after: int = 0) -> Situation:
        """Of the instants those behind the one of this number."""
        with self._lock:
            return Situation(
                label=self._label, run=self._run, done=self.done, runs=max(self.done, self._runs),
                over=self._measured is None, duration_s=self._duration_s,
                tracks=tuple(self._tracks), instants=[each for each in self._instants if each.number > after],
            )  # fmt: skip


def tracks_of(run: Run) -> list[Track]:
    """One for each flow; of many flows for each algorithm; of many algorithms the last ones together."""
    names = [variant_of(flow.cc) if flow.cc else flow.algorithm for flow in run.flows]
    if len(names) <= MOST_TRACKS:
        return [_single(flow.name, names[place], place) for place, flow in enumerate(run.flows)]
    places: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        places.setdefault(name, []).append(place)
    tracks = [
        Track(f"{name}, {len(own)} flows", name, tuple(own))
        if len(own) > 1
        else _single(run.flows[own[0]].name, name, *own)
        for name, own in places.items()
    ]
    if len(tracks) <= MOST_TRACKS:
        return tracks
    shown, rest = tracks[: MOST_TRACKS - 1], tracks[MOST_TRACKS - 1 :]
    others = tuple(place for track in rest for place in track.places)
    return [*shown, Track(f"{counted(len(rest), 'more algorithm')}, {counted(len(others), 'flow')}", "", others)]


def _single(name: str, algorithm: str, place: int) -> Track:
    return Track(name if name.startswith(algorithm) else f"{name}, {algorithm}", algorithm, (place,))


def _gauge(totals: deque[_Total], at_s: float, flows: Sequence[LiveFlow]) -> Gauge:
    # What has been delivered has not been acknowledged yet, and nobody may see the receiver.
    delivered = sum(max(flow.delivered_bytes, flow.acked_bytes) for flow in flows)
    total = _Total(at_s, delivered, sum(flow.retransmitted_segments for flow in flows))
    while len(totals) > 1 and totals[1].at_s <= at_s - LATELY_S:
        totals.popleft()
    before = totals[0]
    totals.append(total)
    rtts_us = [flow.srtt_us for flow in flows if flow.srtt_us]
    return Gauge(
        goodput_bps=8 * max(0, total.bytes - before.bytes) / (at_s - before.at_s) if at_s > before.at_s else 0.0,
        srtt_s=sum(rtts_us) / len(rtts_us) / _US_PER_S if rtts_us else None,
        cwnd_segments=sum(flow.cwnd_segments for flow in flows),
        retransmitted_segments=total.retransmitted,
        retransmitted_lately=max(0, total.retransmitted - before.retransmitted),
        running=sum(flow.running for flow in flows),
    )
