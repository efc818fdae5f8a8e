"""`dumbbell agree` as it was called: what makes a comparison again."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dumbbell.agreement.record import EngineComparison


def invocation(conditions: Sequence[str], sets: Sequence[str], found: EngineComparison) -> str:
    """With the words that ask for the conditions, the fields that were set, and the engines and seeds of `found`."""
    seeds, floor = len(found.reference.seeds), len(found.floor_seeds)
    return " ".join((
        "dumbbell agree",
        *conditions,
        *(f"--set {shlex.quote(each)}" for each in sets),
        f"--engines {found.candidate.engine},{found.reference.engine}",
        f"--seeds {seeds}",
        *([f"--floor {floor}"] if floor != seeds else []),
    ))  # fmt: skip
