"""A line of a run in the course of time: its rate, what it does to packets, and what changes."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Literal

from dumbbell.spec.part import Count, RunPart
from dumbbell.spec.queue import Room
from dumbbell.units import BITS_PER_BYTE, NS_PER_S, PPB


class Change(RunPart, frozen=True, kw_only=True):
    """From `at_ns` on, a line is another one; what is None stays as it was."""

    at_ns: Count
    rate_bps: Count | None = None
    """0: nothing leaves."""
    delay_ns: Count | None = None
    """Behind the line, in addition to all others."""
    loss_ppb: Count | None = None
    buffer: Room | None = None


class GilbertElliott(RunPart, frozen=True, kw_only=True):
    """A channel of two states, in parts per billion (`crates/run/src/impairment.rs`)."""

    to_bad_ppb: Count
    to_good_ppb: Count
    good_loss_ppb: Count
    bad_loss_ppb: Count

    @property
    def loss_ppb(self) -> int:
        """In the long run: of each state's share its loss."""
        bad = self.to_bad_ppb / max(self.to_bad_ppb + self.to_good_ppb, 1)
        return round(bad * self.bad_loss_ppb + (1 - bad) * self.good_loss_ppb)


class Late(RunPart, frozen=True, kw_only=True):
    """A share of the packets is late."""

    share_ppb: Count
    by_ns: Count


class DelaySpread(RunPart, frozen=True, kw_only=True):
    """Each packet's delay is drawn."""

    delay_ns: Count
    spread_ns: Count
    distribution: Literal["uniform", "normal"]
    correlation_ppb: Count


class Reorder(RunPart, frozen=True, kw_only=True):
    """One of these."""

    late: Late | None = None
    spread: DelaySpread | None = None


class Impairments(RunPart, frozen=True, kw_only=True):
    """What a line does to packets, apart from taking its time."""

    burst_loss: GilbertElliott | None = None
    duplicate_ppb: Count = 0
    corrupt_ppb: Count = 0
    reorder: Reorder | None = None
    aggregation_ns: Count = 0
    thins_acks: bool = False


class Police(RunPart, frozen=True, kw_only=True):
    """What a policer has beyond its rate and its burst."""

    peak_bps: Count | None = None
    marks: bool = False


CLEAR: Final = Impairments()
PLAIN_POLICE: Final = Police()
DELIVERIES: Final = "deliveries\n"
"""A trace of single packets begins with it; any other one has a row a change."""


@lru_cache(maxsize=64)
def _changes_of(trace: str) -> tuple[Change, ...]:
    """Those of a trace; of one of single packets none."""
    if trace.startswith(DELIVERIES):
        return ()
    rows = [[int(cell) if cell else None for cell in line.split(",")] for line in trace.splitlines()]
    return tuple(
        Change(at_ns=at_ns or 0, rate_bps=rate, delay_ns=delay, loss_ppb=loss) for at_ns, rate, delay, loss in rows
    )


@lru_cache(maxsize=64)
def _deliveries_of(trace: str) -> tuple[int, ...]:
    """When a trace of single packets has them, ns, in order; of any other one nothing."""
    at_ms = trace.removeprefix(DELIVERIES).split() if trace.startswith(DELIVERIES) else []
    return tuple(NS_PER_S // 1000 * int(each) for each in at_ms)


class VaryingLine(RunPart, frozen=True, kw_only=True):
    """A line in the course of time: of the path, or of one of its hops."""

    if TYPE_CHECKING:
        rate_bps: Count
        overhead_bytes: Count
        impairments: Impairments
        loss_ppb: Count
        changes: tuple[Change, ...]
        trace: str | None

    @property
    def changes_in_time(self) -> tuple[Change, ...]:
        """Its changes, or those of its trace."""
        return self.changes if self.trace is None else _changes_of(self.trace)

    @property
    def rates_in_time(self) -> list[tuple[int, int]]:
        """When it has another rate, ns, and which, bit/s."""
        return [(each.at_ns, each.rate_bps) for each in self.changes_in_time if each.rate_bps is not None]

    @property
    def deliveries_ns(self) -> tuple[int, ...]:
        """When it can deliver a full frame each, if it was recorded so; after the last one all come again."""
        return () if self.trace is None else _deliveries_of(self.trace)

    @property
    def loses_at_random(self) -> bool:
        """Whether packets are lost at random at some time, in bursts or not; damaged ones are not among them."""
        lost_ppb = (self.loss_ppb, *(each.loss_ppb for each in self.changes_in_time))
        return self.impairments.burst_loss is not None or any(lost_ppb)

    @property
    def draws(self) -> bool:
        """Whether chance decides what becomes of a packet, or when it arrives."""
        does = self.impairments
        return self.loses_at_random or bool(does.corrupt_ppb or does.duplicate_ppb or does.reorder)

    @property
    def mean_loss_ppb(self) -> int:
        """The share that is lost at random when the run begins, of bursts in the long run."""
        return self.loss_ppb if self.impairments.burst_loss is None else self.impairments.burst_loss.loss_ppb

    @property
    def loss_event_ppb(self) -> float:
        """How often a packet begins a loss at random: of bursts the first one of each."""
        bursts = self.impairments.burst_loss
        return self.loss_ppb if bursts is None else bursts.loss_ppb * bursts.to_good_ppb / PPB

    def capacity_bits(self, begin_ns: float, end_ns: float, mtu_bytes: int) -> float:
        """What it can carry between two instants, without the first and with the last; of deliveries full frames."""
        if at_ns := self.deliveries_ns:
            frames = _delivered(at_ns, end_ns) - _delivered(at_ns, begin_ns)
            return max(0, frames) * self._frame_bits(mtu_bytes)
        return (
            sum(
                rate_bps * max(0, min(end_ns, until_ns) - max(begin_ns, since_ns))
                for since_ns, until_ns, rate_bps in self._stretches
            )
            / NS_PER_S
        )

    def capacity_in_time(self, end_ns: float, mtu_bytes: int) -> list[tuple[float, float]]:
        """Instants from 0 to the end, ns, and how many bits it can carry up to each, on straight lines between them."""
        if at_ns := self.deliveries_ns:
            repetitions = range(int(end_ns) // at_ns[-1] + 1)
            instants = (at_ns[-1] * repetition + each for repetition in repetitions for each in at_ns)
            bits = self._frame_bits(mtu_bytes)
            return [
                (0, 0),
                *((instant, bits * place) for place, instant in enumerate(instants, 1) if instant <= end_ns),
            ]
        at: list[tuple[float, float]] = [(0, 0)]
        for since_ns, next_ns, rate_bps in self._stretches:
            until_ns = min(next_ns, end_ns)
            if until_ns > since_ns:
                at.append((until_ns, at[-1][1] + rate_bps * (until_ns - since_ns) / NS_PER_S))
        return at

    def carried_at_ns(self, bits: float, begin_ns: float, mtu_bytes: int) -> float:
        """When so much that waits at an instant has been carried; infinite where the line is out until the end."""
        if bits <= 0:
            return begin_ns
        if at_ns := self.deliveries_ns:
            frames = _delivered(at_ns, begin_ns) + math.ceil(bits / self._frame_bits(mtu_bytes))
            repetitions, place = divmod(frames - 1, len(at_ns))
            return repetitions * at_ns[-1] + at_ns[place]
        for since_ns, until_ns, rate_bps in self._stretches:
            from_ns = max(begin_ns, since_ns)
            room_bits = rate_bps * (until_ns - from_ns) / NS_PER_S if rate_bps and until_ns > from_ns else 0.0
            if room_bits and room_bits >= bits:
                return from_ns + NS_PER_S * bits / rate_bps
            bits -= room_bits
        return math.inf

    @property
    def _stretches(self) -> Iterator[tuple[float, float, int]]:
        """From when until when it has a rate, bit/s."""
        for (since_ns, rate_bps), (until_ns, _) in pairwise([(0, self.rate_bps), *self.rates_in_time, (math.inf, 0)]):
            yield since_ns, until_ns, rate_bps

    def _frame_bits(self, mtu_bytes: int) -> int:
        return BITS_PER_BYTE * (mtu_bytes + self.overhead_bytes)


def _delivered(at_ns: Sequence[int], until_ns: float) -> int:
    """How many deliveries there were up to an instant, this included."""
    repetitions, within_ns = divmod(max(0, int(until_ns)), at_ns[-1])
    return repetitions * len(at_ns) + bisect_right(at_ns, within_ns)
