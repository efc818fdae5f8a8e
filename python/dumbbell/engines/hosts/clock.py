"""How far a host's clocks are from this machine's, by ping-pong over its connection.

An answer was read off the host's clock some time between the question and its arrival here. Of several the one that was
back soonest says most (Cristian, "Probabilistic clock synchronization", Distributed Computing 3, 1989).
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final, Self

from dumbbell.engines.hosts.connection import HostConnection

SAMPLES: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockOffset:
    """How far a host's clocks are ahead of another's; of both clocks the truth is at most `error_ns` away."""

    realtime_ns: int
    monotonic_ns: int
    """NTP steps the other clock and not this one: of two measurements this one differs by drift alone."""
    error_ns: int
    """Half of the shortest round trip; of a difference, the sum of both."""

    def minus(self, other: Self) -> ClockOffset:
        """How far this host's clocks are ahead of another host's, which the same machine measured."""
        return ClockOffset(
            realtime_ns=self.realtime_ns - other.realtime_ns,
            monotonic_ns=self.monotonic_ns - other.monotonic_ns,
            error_ns=self.error_ns + other.error_ns,
        )


def clock_offset(connection: HostConnection, samples: int = SAMPLES) -> ClockOffset:
    """Measures it, at the beginning of a run and at its end.

    Raises:
        HostFailure: the host has gone, or answers what no agent would.
    """
    return min((_sample(connection) for _ in range(samples)), key=lambda each: each.error_ns)


def _sample(connection: HostConnection) -> ClockOffset:
    # Both clocks are read at least once within the round trip by CLOCK_MONOTONIC, which no NTP steps.
    before_ns, realtime_ns = time.monotonic_ns(), time.time_ns()
    readings = connection.clock()
    round_trip_ns = time.monotonic_ns() - before_ns
    half_ns = -(-round_trip_ns // 2)
    return ClockOffset(
        realtime_ns=readings.realtime_ns - realtime_ns - half_ns,
        monotonic_ns=readings.monotonic_ns - before_ns - half_ns,
        error_ns=half_ns,
    )
