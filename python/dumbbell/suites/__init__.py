"""Suites: the scenarios of a document as specs with expectations, each judged relative to a baseline in paired runs."""

from dumbbell.suites.manifest import Scenario, Suite, load, names
from dumbbell.suites.outcome import ScenarioFinding, ScenarioOutcome, counts, outcome_of, table
from dumbbell.suites.scenario import baseline_of, experiment_of, refused

__all__ = [
    "Scenario",
    "ScenarioFinding",
    "ScenarioOutcome",
    "Suite",
    "baseline_of",
    "counts",
    "experiment_of",
    "load",
    "names",
    "outcome_of",
    "refused",
    "table",
]  # fmt: skip
