"""From a point and a seed to a run: text becomes integers, groups become flows, defaults become values."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from dumbbell import cc
from dumbbell.spec import run as resolved
from dumbbell.spec import tables
from dumbbell.spec.names import flow_names
from dumbbell.spec.problem import SpecError
from dumbbell.spec.quantity import BITS_PER_BYTE, NS_PER_S, PPB
from dumbbell.spec.rules import point_problems
from dumbbell.spec.section import one
from dumbbell.spec.terms import end_ns, queue_room, window_ns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dumbbell.spec.experiment import Experiment
    from dumbbell.spec.sweep import Point


@dataclass(frozen=True, slots=True)
class Resolved:
    """A run, and what the spec called its parts: one entry a flow, in the run's order."""

    run: resolved.Run
    groups: tuple[str, ...]
    """The group that each flow belongs to."""
    ccs: tuple[str, ...]
    """Each flow's congestion control as the spec wrote it."""

    @property
    def bdp_bytes(self) -> float:
        """Rate times round-trip time of the path's first flow without a time of its own, in queue bytes."""
        raise NotImplementedError
