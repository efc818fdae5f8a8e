"""What a study is judged by: its runs on one engine, by experiment, version of the algorithm and seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dumbbell.captures.series import CaptureSeries
from dumbbell.errors import StudyError
from dumbbell.results.run_series import RunSeries
from dumbbell.results.schema import FailedRun, Result


@dataclass(frozen=True, slots=True, kw_only=True)
class RunData(RunSeries):
    """One run that was measured, at its point of the sweep."""

    point: Mapping[str, Any]
    """The swept values but for the version of the algorithm, as the spec wrote them."""
    bdp_bytes: float
    """The path's bandwidth-delay product as the run began, in bytes of frames."""
    capture_series: Callable[[], CaptureSeries] | None = None
    """What its captures show; None: it was not captured."""

    @property
    def by_capture(self) -> RunData:
        """The same run with the series that its captures show; itself where it was not captured."""
        series = self.capture_series
        if series is None:
            return self
        return replace(
            self,
            flow_series=lambda: series().flows,
            queue_series=lambda: series().queue,
            ack_series=lambda: series().acks,
            hop_series=None,
            ss_series=None,
        )


@dataclass(frozen=True, slots=True)
class SeedSweep:
    """The runs of one experiment with one version and one seed: a whole sweep, once."""

    seed: int
    runs: tuple[RunData, ...]
    """In the order of the sweep."""

    def at(self, point: Mapping[str, Any]) -> RunData:
        """The run at a point.

        Raises:
            StudyError: there is none, or more than one.
        """
        matches = [run for run in self.runs if _has(run, point)]
        if len(matches) != 1:
            where = ", ".join(f"{path} = {value}" for path, value in point.items()) or "no point in particular"
            raise StudyError(f"{where}: {len(matches)} runs of the experiment are there, not one")
        return matches[0]

    def where(self, point: Mapping[str, Any]) -> SeedSweep:
        """The part of the sweep that has these values."""
        return SeedSweep(self.seed, tuple(run for run in self.runs if _has(run, point)))

    @property
    def by_capture(self) -> SeedSweep:
        """The same with each run as its captures show it."""
        return SeedSweep(self.seed, tuple(run.by_capture for run in self.runs))

    def replaced_by(self, other: SeedSweep) -> SeedSweep:
        """The sweep with another trial's runs in the place of its own at their points.

        Raises:
            StudyError: the other has a run where this one has none, or several.
        """
        places = {id(self.at(run.point)): run for run in other.runs}
        return SeedSweep(self.seed, tuple(places.get(id(run), run) for run in self.runs))

    def counterpart(self, run: RunData) -> RunData:
        """The run at the point of another experiment's, as far as this one sweeps what that one does.

        Raises:
            StudyError: there is none, or more than one.
        """
        swept = {path for own in self.runs for path in own.point}
        return self.at({path: value for path, value in run.point.items() if path in swept})

    def counterparts(self, sweep: SeedSweep) -> SeedSweep:
        """This sweep's run for each of another's, in its order."""
        return SeedSweep(self.seed, tuple(map(self.counterpart, sweep.runs)))

    @property
    def only(self) -> RunData:
        """The run of an experiment without a sweep."""
        return self.at({})


@dataclass(frozen=True, slots=True)
class Trials:
    """The trials of all seeds together, for what no single seed tells."""

    sweeps: tuple[tuple[SeedSweep, ...], ...]
    """Of each seed: the experiment's, and those that stand beside it."""

    def where(self, point: Mapping[str, Any]) -> Trials:
        """The part of the experiment's own sweeps that has these values."""
        return Trials(tuple((own.where(point), *others) for own, *others in self.sweeps))


def _has(run: RunData, point: Mapping[str, Any]) -> bool:
    """Whether a run is at a point; a list may have what is the same there, written in other units."""
    own = run.point.get
    return all(own(path) == value or (isinstance(value, list) and own(path) in value) for path, value in point.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How many of the runs of an experiment with a version, at the seeds that it asks for, are there."""

    ids: frozenset[str]
    """Of all."""
    missing: frozenset[str]
    """Of those that are not there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The runs of a study on one engine."""

    engine: str
    trials: Mapping[tuple[str, str], tuple[SeedSweep, ...]] = field(default_factory=dict)
    """By experiment and version: the seeds whose runs are all there."""
    untestable: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """What the engine could not carry out, by experiment and version, and why."""
    coverage: Mapping[tuple[str, str], Coverage] = field(default_factory=dict)
    """How much is there of what the engine can carry out, by experiment and version."""
    outcomes: Mapping[str, tuple[Result | FailedRun, ...]] = field(default_factory=dict)
    """Every run that is there, by experiment."""

    @property
    def missing(self) -> dict[tuple[str, str], Coverage]:
        """What is not complete, by experiment and version."""
        return {part: coverage for part, coverage in self.coverage.items() if coverage.missing}

    def of(self, experiment: str, variant: str) -> tuple[SeedSweep, ...]:
        """The trials of an experiment with a version."""
        return self.trials.get((experiment, variant), ())

    def together(self, experiments: Sequence[str], variant: str) -> list[tuple[SeedSweep, ...]]:
        """The trials of several experiments with a version, by the seeds that all of them have."""
        first, *others = (self.of(experiment, variant) for experiment in experiments)
        by_seed = [{trial.seed: trial for trial in trials} for trials in others]
        return [
            (trial, *(trials[trial.seed] for trials in by_seed))
            for trial in first
            if all(trial.seed in trials for trials in by_seed)
        ]

    def variants(self, *experiments: str) -> tuple[str, ...]:
        """The versions with which the engine carried out all of these experiments."""
        measured = dict.fromkeys(variant for _, variant in self.trials)
        return tuple(variant for variant in measured if all(self.testable(each, variant) for each in experiments))

    def testable(self, experiment: str, variant: str) -> bool:
        """Whether it has all trials of an experiment with a version."""
        return (experiment, variant) not in self.untestable and bool(self.of(experiment, variant))

    def restricted_to(self, experiment: str, at: Mapping[str, Any], *, over: str = "") -> Evidence:
        """The same, with only the part of an experiment's runs that has a point's values.

        With `over`, the name of another, they stand in its sweep, at their own points and in the seeds that both have.

        Raises:
            StudyError: the other has no run, or several, where this one has one.
        """
        trials = dict(self.trials)
        for variant in self.variants(experiment):
            taken = [trial.where(at) for trial in self.of(experiment, variant)]
            if over:
                under = {trial.seed: trial for trial in self.of(over, variant)}
                taken = [under[trial.seed].replaced_by(trial) for trial in taken if trial.seed in under]
            trials[experiment, variant] = tuple(taken)
        return replace(self, trials=trials)

    def with_first_seed(self, seed: int) -> Evidence:
        """The same, with the trials of a seed first where there are any: what shows one seed then shows that one."""
        return replace(
            self,
            trials={
                part: tuple(sorted(trials, key=lambda trial: trial.seed != seed))
                for part, trials in self.trials.items()
            },
        )
