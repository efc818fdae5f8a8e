"""The part of a run that a summary is about, and each flow's own part of it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar

from dumbbell.engines.measurement import FlowCounters, FlowMeasurement, QueueCounters
from dumbbell.units import NS_PER_S

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dumbbell.spec.run import Measure

Counters = TypeVar("Counters", FlowCounters, QueueCounters)


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of virtual time without its first instant and with its last: that of a difference of counters."""

    begin_ns: int
    end_ns: int

    @classmethod
    def of(cls, measure: Measure, ended_ns: int) -> Window:
        """The window that was asked for, as far as the run lasted; empty when it ended before."""
        return cls(min(measure.window_begin_ns, ended_ns), min(measure.window_end_ns, ended_ns))

    @property
    def seconds(self) -> float:
        """Its length; 0 when it is empty."""
        return max(0, self.end_ns - self.begin_ns) / NS_PER_S

    def holds(self, at_ns: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
        """Which of these instants lie in it: a mask of the same length."""
        return (at_ns > self.begin_ns) & (at_ns <= self.end_ns)

    def advance(self, before: Counters, after: Counters) -> Counters:
        """By how much each counter grew from its begin to its end: not at all when it is empty."""
        if not self.seconds:
            after = before
        grown: dict[str, Any] = {
            each.name: _growth(getattr(before, each.name), getattr(after, each.name)) for each in fields(after)
        }
        return type(after)(**grown)


@dataclass(frozen=True, slots=True)
class Activity:
    """What one flow did in a stretch of time."""

    window: Window
    counted: FlowCounters
    """By how much each counter grew in it."""

    @classmethod
    def lifetime(cls, flow: FlowMeasurement) -> Activity:
        """From the flow's start to its end: the last byte of a workload that has one, else when it stopped."""
        return cls(Window(flow.started_ns, ended_ns(flow)), flow.at_end)

    @classmethod
    def within(cls, window: Window, flow: FlowMeasurement) -> Activity:
        """The flow's own part of the window.

        A flow that starts or ends in the window is measured over the time that it was there: its rates are those
        that it had, not diluted by its absence. The stretch is empty when it was there at no time.
        """
        until_ns = ended_ns(flow)
        own = Window(max(window.begin_ns, flow.started_ns), min(window.end_ns, until_ns))
        after = flow.at_window_end if window.end_ns <= until_ns else flow.at_end
        return cls(own, own.advance(flow.at_window_begin, after))

    def rate_bps(self, advanced_bytes: int) -> float | None:
        """This many bytes over the stretch, in bits per second; None when it is empty."""
        return ratio(8 * advanced_bytes, self.window.seconds)


def ratio(part: float | None, total: float | None) -> float | None:
    """`part / total`; None where there is no total, or one of both is not known."""
    return part / total if total and part is not None else None


def ended_ns(flow: FlowMeasurement) -> int:
    """When a flow was over: its last byte delivered, or stopped, or the run at its end."""
    return flow.at_end.at_ns if flow.completed_ns is None else min(flow.completed_ns, flow.at_end.at_ns)


def _growth(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None else after - before
