"""The two sides of any comparison in words: their engines, versions and seeds."""

from __future__ import annotations

from collections.abc import Iterator

from dumbbell.comparison import agreement_text
from dumbbell.comparison.record import EngineComparison


def unequal_seeds(comparison: EngineComparison) -> Iterator[str]:
    """Options of the candidate's seeds and of the noise, where they are not as many as the reference's."""
    own, seeds, floor = (
        len(each) for each in (comparison.candidate.seeds, comparison.reference.seeds, comparison.floor_seeds)
    )
    if own != seeds:
        yield f"--candidate-seeds {own}"
    if floor != seeds:
        yield f"--floor {floor}"


def versions(comparison: EngineComparison) -> str:
    """Both engines, and what computed the verdicts."""
    text = ", ".join(f"{name} {version}" for name, version in comparison.versions.items() if version)
    engines = "; ".join(map(agreement_text.engine, (comparison.candidate, comparison.reference)))
    return f"Engines: {engines}. Versions: {text}."
