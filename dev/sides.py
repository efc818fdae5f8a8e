"""Two engines of which one may be known by an earlier record, and have more seeds than the other."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from typing_extensions import override

from dev.checks.record import Checks
from dumbbell.campaign.execution import run_experiments, stored_outcomes
from dumbbell.cc import Registry
from dumbbell.comparison.agreement import compare_condition, digest_of
from dumbbell.comparison.campaigns import Sides, points
from dumbbell.comparison.record import Agreement, Condition, RunFigures, Side
from dumbbell.engines.cores import available_cores
from dumbbell.engines.family import is_live
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.programs import Program
from dumbbell.engines.protocol import Engine
from dumbbell.errors import EngineFailure
from dumbbell.results.provenance import figures_identity
from dumbbell.results.schema import Outcome
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, Problem, Run, load, resolve

if TYPE_CHECKING:
    from dumbbell.comparison.agreement import Roles

SAMPLE: Final = 6
"""So many runs of a record an engine of another build gives again before it stands behind all of them."""
REPEATED: Final = "runs repeated by this build"
MEASURED_BY: Final = "all runs by the build"
"""Facts of a side whose runs an earlier build measured."""


@dataclass(frozen=True, slots=True)
class KnownSides(Sides):
    """Both engines, with what an earlier comparison has of the reference, and seeds of each one's own."""

    record: Agreement | Checks | None = None
    """An earlier comparison whose runs of the reference stand for those that would be the same."""
    fewer: int | None = None
    """So many seeds of the reference are compared; None: `seeds`."""
    own: int | None = None
    """So many seeds of the candidate; None: `seeds`. More of them take its chance out of what is compared."""

    @property
    @override
    def reference_seeds(self) -> list[int]:
        return list(range(1, (self.seeds if self.fewer is None else self.fewer) + 1))

    @property
    @override
    def candidate_seeds(self) -> list[int]:
        first = self.seeds + self.floor + 1 if self.same else 1
        return list(range(first, first + (self.seeds if self.own is None else self.own)))

    def known(self, experiment: Experiment) -> list[Condition]:
        """The recorded conditions of an experiment's points; none where one is missing, or was another run."""
        today = self.record is not None and self.record.reference.figures == figures_identity()
        return self.conditions(experiment) if today and not self.same else []

    def conditions(self, experiment: Experiment) -> list[Condition]:
        """The same, whatever build of the reference the record is of."""
        if self.record is None:
            return []
        by_name = {each.name: each for each in self.record.conditions}
        conditions = []
        for name, point in points(experiment):
            each = by_name.get(name)
            of_first = resolve(point, self.reference_seeds[0], live=self.reference.live).run
            wanted = (digest_of(of_first), self.reference_seeds, self.floor_seeds)
            if each is None or _measured(each) != wanted:
                return []
            conditions.append(each)
        return conditions

    @override
    def campaigns(self, experiment: Experiment) -> list[tuple[Engine, Experiment]]:
        """An experiment on each engine, or on one that there is no record of."""
        if self.known(experiment):
            return [(self.candidate, load(experiment, overrides={"seeds": self.candidate_seeds}))]
        return Sides.campaigns(self, experiment)

    @override
    def roles(self, condition: str, outcomes: Sequence[Outcome]) -> Roles:
        """With the reference's runs of the record where it had none to give; no store here has them."""
        if self.record is None or len(outcomes) > len(self.candidate_seeds):
            return Sides.roles(self, condition, outcomes)
        known = next(each for each in self.record.conditions if each.name == condition)
        reference, floor = (
            [run.model_copy(update={"run_id": ""}) for run in runs] for runs in (known.reference, known.floor)
        )
        return outcomes, reference, floor

    @override
    def recorded(self, store: Store, conditions: Sequence[Condition]) -> tuple[Side, Side]:
        candidate, reference = Sides.recorded(self, store, conditions)
        elsewhere = not any(run.run_id for each in conditions for run in each.reference)
        return candidate, self.record.reference if self.record and elsewhere else reference

    def repeated(self, store: Store, experiments: Sequence[tuple[Experiment, KnownSides]], jobs: int | None) -> Side:
        """The record's reference, with today's build behind it where that repeats a sample of the runs to the digit.

        The identity of an engine changes with any byte of it, its numbers seldom. First points of experiments run
        again, with the first seed; the sample is spread over all experiments. One other number, or one run that is not
        recorded, and the side stays that of the build that measured.
        """
        assert self.record is not None  # noqa: S101 (callers have one)
        side, every = self.record.reference, max(1, len(experiments) // SAMPLE)
        recorded = [(each, own.conditions(each)) for each, own in experiments]
        sample = [(each, conditions[0]) for each, conditions in recorded if conditions][::every][:SAMPLE]
        for each, condition in sample:
            name, point = points(each)[0]
            first = condition.reference[0]
            alone = load(point, overrides={"seeds": [first.seed]})
            with closing(run_experiments(store, [alone], self.reference, jobs=jobs)) as finished:
                for _ in finished:
                    pass
            outcomes = list(stored_outcomes(store, alone, self.reference))
            resolved = resolve(point, first.seed, live=self.reference.live)
            again = compare_condition(name, point.values, resolved, (outcomes, (), ())).candidate
            if [_figures(run) for run in again] != [_figures(first)]:
                return side
        if not sample:
            return side
        facts = side.measured_on | {
            REPEATED: len(sample),
            MEASURED_BY: side.measured_on.get(MEASURED_BY, side.identity),
        }
        return side.model_copy(
            update={"identity": self.reference.identity(), "figures": figures_identity(), "measured_on": facts}
        )


class Recorded:
    """An engine that is not on this machine, and stands here by what it measured elsewhere."""

    allows_programs = False

    def __init__(self, side: Side) -> None:
        self.name, self._identity, self.live = side.engine, side.identity, is_live(side.engine)

    def identity(self) -> str:
        return self._identity

    def algorithms(self) -> Registry:
        return {}

    def programs(self, run: Run) -> list[Program]:
        del run
        return []

    def unsupported_fields(self, run: Run) -> list[Problem]:
        """No problems: it has measured the run."""
        del run
        return []

    def ready(self) -> None:
        """Returns at once."""

    def slots(self) -> int:
        return available_cores()

    def measure(self, run: Run) -> Measurement:
        """Raises: what is not in the record cannot be measured here."""
        del run
        raise EngineFailure(f"{self.name} is not on this machine, and the record has no such run")

    def stop(self) -> None:
        """Nothing."""


def _figures(run: RunFigures) -> dict[str, object]:
    """What is recorded of a run."""
    return run.model_dump(exclude={"run_id", "utilization"})


def _measured(condition: Condition) -> tuple[str, list[int], list[int]]:
    """What a recorded condition has of the reference."""
    seeds, floor = ([run.seed for run in runs] for runs in (condition.reference, condition.floor))
    return condition.digest, seeds, floor
