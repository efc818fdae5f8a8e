"""What becomes of a program: the report that its reader makes, and the summary in a flow's result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

SCHEMA: Final = {
    "extra": "forbid",
    "allow_inf_nan": False,
    "revalidate_instances": "always",
    "use_attribute_docstrings": True,
}
"""How `results.schema` reads the classes of a summary: the docstrings are its descriptions, and a NaN is an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramReport:
    """What a program says by itself, by its own clock; None: it does not say it."""

    __pydantic_config__: ClassVar = SCHEMA

    error: str | None = None
    """What it says went wrong; null also where it was ended at the flow's stop or the run's end."""
    payload_bytes: int | None = None
    """Payload that arrived, as iperf3's receiver counts it, or that was sent, as ncat does."""
    test_s: float | None = None
    """The time in which it was."""
    goodput_bps: float | None = None
    """What iperf3's receiver had of payload, over that time, all streams together."""
    retransmits: int | None = None
    """Segments that iperf3's sender sent again."""
    rtt_mean_s: float | None = None
    """Mean over iperf3's streams of the smoothed RTT that each had once a second."""
    media_s: float | None = None
    """How much of a film ffmpeg sent, in the film's own time."""
    speed: float | None = None
    """That over the time that sending took: 1 of a film that is sent in its own time, as `-re` does."""
    stalls: int | None = None
    """How often a player, which starts with 1 s of the film, has to wait; null where it never starts."""
    stalled_s: float | None = None
    """How long it waits in all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramSummary(ProgramReport):
    """A program that was a flow's workload: how it ended, and what it said."""

    __pydantic_config__: ClassVar = SCHEMA

    command: tuple[str, ...]
    """The words that were started at the sender, as they were filled in."""
    status: int | None
    """With which it ended by itself; null: it was ended at the flow's stop or the run's end."""
    took_s: float
    """From its start to its end."""
    output: str | None
    """The end of its standard output, of a program that no reader knows: 2,000 characters at most."""
