"""What iperf3 would say of a window: its receiver counts until the test's last message has passed the queue.

When its time is over the client of iperf3 tells the server so on a connection of its own (TEST_END), which waits in the
bottleneck's queue like everything else. Until then the server reads on; both then divide what it has read by the time
that was asked for. Behind a queue of seconds it tells more than the line can carry.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dumbbell.metrics.contention import delivered
from dumbbell.metrics.window import Window, ratio
from dumbbell.units import BITS_PER_BYTE, NS_PER_S

if TYPE_CHECKING:
    from dumbbell.engines.measurement import Measurement
    from dumbbell.spec.run import Run


def goodputs_bps(run: Run, measurement: Measurement, window: Window) -> Sequence[float | None]:
    """Of each flow, in the run's order; None where the run is over before iperf3 would have stopped to count."""
    queue = measurement.bottleneck.series
    if not queue.at_ns.size:
        return [None] * len(run.flows)
    backlog_bytes = float(np.interp(window.end_ns, queue.at_ns.astype(np.float64), queue.backlog_bytes))
    rate_bps = next(
        (each.rate_bps for each in reversed(run.path.changes) if each.at_ns <= window.end_ns), run.path.rate_bps
    )
    told_ns = window.end_ns + BITS_PER_BYTE * NS_PER_S * backlog_bytes / rate_bps
    found: list[float | None] = []
    for asked, measured in zip(run.flows, measurement.flows, strict=True):
        until_ns = told_ns + asked.forward_delay_ns
        counter = delivered(measured)
        before, after = counter.at([window.begin_ns / NS_PER_S, until_ns / NS_PER_S])
        whole = until_ns <= measurement.ended_ns
        found.append(ratio(BITS_PER_BYTE * float(after - before), window.seconds) if whole else None)
    return found
