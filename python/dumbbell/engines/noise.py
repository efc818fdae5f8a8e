"""What a machine's timing does to packets, as its agent counted it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from dumbbell.engines.measurement import Histogram


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseReport:
    """Noise that nobody asked for: `NoiseReport` of `crates/agent/src/job.rs`."""

    release_late: Histogram
    """How long after its time, and beyond what the fastest took, each packet came that was sent by the clock; ns."""
    ack_gaps: Histogram
    """Times between two packets that came to the senders, ACKs; ns."""

    @classmethod
    def of(cls, fields: Mapping[str, Mapping[str, Any]]) -> Self:
        """A report from the agent's JSON object."""
        import numpy as np  # noqa: PLC0415 (late: to ask what an engine can do needs none)

        histograms = {
            name: Histogram(**{**of, "counts": np.asarray(of["counts"], np.uint32)}) for name, of in fields.items()
        }
        return cls(**histograms)
