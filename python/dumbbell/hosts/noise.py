"""The noise of this machine's timing in numbers, beside the jitter that engines in virtual time make."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from dumbbell.comparison.record import Number, Part
from dumbbell.metrics.samples import histogram_quantile_s, histogram_share_below
from dumbbell.spec import expand, load, resolve
from dumbbell.spec.frame import FRAME_BYTES
from dumbbell.units import BITS_PER_BYTE, NS_PER_S

if TYPE_CHECKING:
    from dumbbell.engines.noise import NoiseReport
    from dumbbell.spec import Run

WATCHED: Final = {
    "duration": "4 s",
    "path": {"rate": "100 Mbit/s", "rtt": "20 ms", "buffer": "1 bdp"},
    "flows": [{"cc": "cubic"}],
}
"""What the machine's timing is watched at."""
QUANTILES: Final = (0.5, 0.9, 0.99)


@runtime_checkable
class Watching(Protocol):
    """An engine of real hosts, which can tell what their timing does to packets."""

    def noise(self, run: Run) -> NoiseReport:
        """Carries the run out, and tells it."""


class MachineNoise(Part):
    """How late packets leave, and how ACKs come."""

    late_s: tuple[Number, ...]
    """At each of `QUANTILES`: how long after its time a packet left that was sent by the clock."""
    ack_gap_s: Number
    """Median time between two ACKs at a sender."""
    ack_lumps: Number
    """Share of these times that are less than half of what a packet takes on the line."""
    jitter_s: Number
    """Below which other engines' jitter is drawn evenly, unless the spec says otherwise."""
    rate_bps: int
    """Of the line that it was measured at."""

    @property
    def jitter_late_s(self) -> tuple[float, ...]:
        """The default jitter at each of `QUANTILES`: it is even."""
        return tuple(share * self.jitter_s for share in QUANTILES)


def run_of(spec: Mapping[str, Any], *, live: bool = True) -> Run:
    """The only run of a spec, in real time by default."""
    (point,) = expand(load(spec))
    return resolve(point, 1, live=live).run


def machine_noise(engine: Watching) -> MachineNoise:
    """Measures it, in some seconds.

    Raises:
        EngineFailure: the engine cannot.
    """
    run = run_of(WATCHED)
    report = engine.noise(run)
    frame_ns = FRAME_BYTES * BITS_PER_BYTE * NS_PER_S // run.path.rate_bps
    return MachineNoise(
        late_s=tuple(histogram_quantile_s(report.release_late, share) or 0.0 for share in QUANTILES),
        ack_gap_s=histogram_quantile_s(report.ack_gaps, 0.5) or 0.0,
        ack_lumps=histogram_share_below(report.ack_gaps, frame_ns // 2) or 0.0,
        jitter_s=(run_of(WATCHED, live=False).path.jitter_ns or 0) / NS_PER_S,
        rate_bps=run.path.rate_bps,
    )
