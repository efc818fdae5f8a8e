"""The part of an experiment that has some of its congestion controls only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dumbbell.spec import load
from dumbbell.spec.sweep import axes

if TYPE_CHECKING:
    from collections.abc import Collection

    from dumbbell.spec import Experiment


def controls_of(experiment: Experiment, axis: str) -> tuple[str, ...] | None:
    """What the experiment sweeps at `axis`, the path of a congestion control; None where that is no list."""
    found = next((each for each in axes(experiment) if each.path == axis), None)
    return None if found is None else tuple(map(str, found.values))


def part(experiment: Experiment, axis: str, controls: Collection[str]) -> Experiment:
    """The experiment with these of its controls; all of it where it has no others, or no list of them."""
    there = controls_of(experiment, axis)
    kept = [control for control in there or () if control in controls]
    if there is None or len(kept) == len(there):
        return experiment
    return load(experiment, overrides={axis: kept})
