"""What a run of a size costs: seconds of a core, memory, disk. Measured on one machine, whose pace others are told by.

Each number is a measurement with a process of its own: `make check-forecasts` tries them on random specs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from dumbbell.spec.run import CAPTURE_POINTS

if TYPE_CHECKING:
    from dumbbell.campaign.size import Size
    from dumbbell.spec.run import Run

_KB, _MB = 10**3, 10**6

START_S: Final = 2.0
"""What `dumbbell run` takes beside its runs: libraries are loaded, a store is opened, a table is printed."""
PROCESS_BYTES: Final = 140 * _MB
"""Resident memory of a process that has loaded them."""
WORKER_BYTES: Final = 135 * _MB
"""Of a process that measures beside it, which has loaded what writes series."""
STORED: Final = 0.3
"""The part of what a run takes beside the engine that this process does where others measure."""
STORE_BYTES: Final = 65 * _KB
"""A ledger without runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What the parts of a run cost on an engine, each in data packets of a long flow."""

    flow: float
    """A flow of the spec: set up, connected."""
    transfer: float
    """A short transfer of a source: connected, closed."""
    moment: float
    """An instant at which gauges are sampled."""
    sample: float
    """The gauges of a flow at such an instant."""
    look: float
    """Those of a source's connection."""

    def units(self, size: Size) -> float:
        """What a run takes on the engine, in packets."""
        return (
            size.packets
            + self.flow * size.flows
            + self.transfer * size.transfers
            + self.moment * size.moments
            + self.sample * size.samples
            + self.look * size.looks
        )


SIM: Final = Weights(flow=50, transfer=10, moment=1, sample=1, look=0.05)
SIM_PACKET_S: Final = 4e-7
"""On the simulator 0.2 us of CUBIC and 0.4 us of BBR."""
LINUX: Final = Weights(flow=600, transfer=120, moment=20, sample=2, look=2)
LINUX_PACKET_S: Final = 9e-6
"""On a guest 4.5 us of one flow, 20 us where a hundred flows take turns."""
LINUX_START_S: Final = 0.12
"""A guest boots, and its process ends."""


def overhead_s(size: Size, run: Run) -> float:
    """Seconds that this process takes for a run beside the engine: drawn up, summarised, written, read again."""
    record = run.measure.record
    a_flow_s = 1.3e-3 * (1 + size.flows / 20_000)
    a_sample_s = 1e-7 if record == "summary" else 1.3e-6
    acks = size.packets if record == "acks" else 0.0
    files = size.packets * (_captured(run) + run.measure.qlog)
    return (
        1.3e-6 * files
        + 0.013
        + a_flow_s * size.flows
        + 1.2e-5 * size.transfers
        + a_sample_s * size.samples
        + 4e-7 * acks
    )


def _captured(run: Run) -> float:
    """Of the places at which packets can be captured, the share at which they are."""
    return 0.0 if run.measure.snap_bytes is None else len(run.measure.capture_at) / len(CAPTURE_POINTS)


def memory_bytes(size: Size, run: Run) -> float:
    """What a run on the simulator holds at most while it is measured, summarised and written."""
    record = run.measure.record
    acks = size.packets if record == "acks" else 0.0
    return (
        5 * _MB
        + 45 * _KB * size.flows
        + (60 if record == "summary" else 150) * (size.samples + size.moments)
        + 200 * size.in_flight
        + 500 * size.transfers
        + 2_500 * size.open
        + 90 * acks
    )


def disk_bytes(size: Size, run: Run) -> float:
    """What a run takes on the disk: its row, those of its flows, and its compressed series."""
    record = run.measure.record
    files = size.packets * (45 * _captured(run) + (18 if run.measure.qlog else 0))
    rows = 3 * _KB + 300 * size.flows + 40 * size.transfers + files
    if record == "summary":
        return rows
    acks = 4 * size.packets if record == "acks" else 0.0
    return rows + 9 * _KB + 16 * (size.samples + size.moments / 3) + acks


def guest_bytes(size: Size) -> float:
    """What a guest of the engine `linux` touches of its memory."""
    return 55 * _MB + 180 * _KB * (size.flows + size.open) + 5 * _KB * size.in_flight
