"""What a study is judged by: its runs on one engine, by experiment, version of the algorithm and seed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from dumbbell.studies.problem import StudyError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pandas as pd

    from dumbbell.results.schema import FailedRun, Result


class Source(Protocol):
    """Where runs and their series are: a `dumbbell.results.store.Store`."""

    def get(self, run_id: str) -> Result | FailedRun | None:
        """The outcome of a run; None when it is not there."""

    def flow_series(self, run_id: str) -> pd.DataFrame:
        """The gauges of a run's flows."""

    def queue_series(self, run_id: str) -> pd.DataFrame:
        """The gauges of its bottleneck."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """One run that was measured."""

    point: Mapping[str, Any]
    """The swept values but for the version of the algorithm, as the spec wrote them."""
    result: Result
    flow_series: Callable[[], pd.DataFrame]
    """The gauges of its flows, read when called."""
    queue_series: Callable[[], pd.DataFrame]

    @property
    def window_s(self) -> tuple[float, float]:
        """Where its summary was taken."""
        return self.result.window_s


@dataclass(frozen=True, slots=True)
class Trial:
    """The runs of one experiment with one version and one seed: a whole sweep, once."""

    seed: int
    runs: tuple[Observed, ...]
    """In the order of the sweep."""

    def at(self, point: Mapping[str, Any]) -> Observed:
        """The run at a point.

        Raises:
            StudyError: there is none, or more than one.
        """
        found = [run for run in self.runs if all(run.point.get(path) == value for path, value in point.items())]
        if len(found) != 1:
            where = ", ".join(f"{path} = {value}" for path, value in point.items()) or "no point in particular"
            raise StudyError(f"{where}: {len(found)} runs of the experiment are there, not one")
        return found[0]

    @property
    def only(self) -> Observed:
        """The run of an experiment without a sweep."""
        return self.at({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The runs of a study on one engine."""

    engine: str
    trials: Mapping[tuple[str, str], tuple[Trial, ...]] = field(default_factory=dict)
    """By experiment and version."""
    untestable: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """What the engine could not carry out, by experiment and version, and why."""

    def of(self, experiment: str, variant: str) -> tuple[Trial, ...]:
        """The trials of an experiment with a version."""
        return self.trials.get((experiment, variant), ())

    def variants(self, *experiments: str) -> tuple[str, ...]:
        """The versions with which the engine carried out all of these experiments."""
        found = dict.fromkeys(variant for _, variant in self.trials)
        return tuple(variant for variant in found if all(self.testable(each, variant) for each in experiments))

    def testable(self, experiment: str, variant: str) -> bool:
        """Whether it has all trials of an experiment with a version."""
        return (experiment, variant) not in self.untestable and bool(self.of(experiment, variant))
