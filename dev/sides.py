"""Two engines of which one may be known by an earlier record, and have more seeds than the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from typing_extensions import override

from dev.checks.record import Checks
from dumbbell.cc import Registry
from dumbbell.comparison.agreement import Measured, digest_of
from dumbbell.comparison.campaigns import Sides, points
from dumbbell.comparison.record import Agreement, Condition, Side
from dumbbell.engines.cores import available_cores
from dumbbell.engines.family import is_live
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.programs import Program
from dumbbell.engines.protocol import Engine
from dumbbell.errors import EngineFailure
from dumbbell.results.provenance import figures_identity
from dumbbell.results.schema import Outcome
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, Point, Problem, Run, load, resolve


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
        if self.record is None or self.same or self.record.reference.figures != figures_identity():
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
    def measured(self, name: str, point: Point, outcomes: Sequence[Outcome]) -> Measured:
        """With the reference's runs of the record where it had none to give; no store here has them."""
        measured = Sides.measured(self, name, point, outcomes)
        if self.record is None or len(outcomes) > len(self.candidate_seeds):
            return measured
        known = next(each for each in self.record.conditions if each.name == name)
        reference, floor = (
            [run.model_copy(update={"run_id": ""}) for run in runs] for runs in (known.reference, known.floor)
        )
        return replace(measured, candidate=outcomes, reference=reference, floor=floor)

    @override
    def recorded(self, store: Store, conditions: Sequence[Condition]) -> tuple[Side, Side]:
        candidate, reference = Sides.recorded(self, store, conditions)
        elsewhere = not any(run.run_id for each in conditions for run in each.reference)
        return candidate, self.record.reference if self.record and elsewhere else reference


class Recorded:
    """An engine that is not on this machine, and stands here by what it measured elsewhere."""

    allows_programs = False

    def __init__(self, side: Side) -> None:
        self.name, self._identity, self.live = side.engine, side.identity, is_live(side.engine)

    def identity(self) -> str:
        """That of the engine that measured."""
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
        """As many as anyone asks for."""
        return available_cores()

    def measure(self, run: Run) -> Measurement:
        """Raises: what is not in the record cannot be measured here."""
        del run
        raise EngineFailure(f"{self.name} is not on this machine, and the record has no such run")

    def stop(self) -> None:
        """Nothing."""


def _measured(condition: Condition) -> tuple[str, list[int], list[int]]:
    """What a recorded condition has of the reference."""
    seeds, floor = ([run.seed for run in runs] for runs in (condition.reference, condition.floor))
    return condition.digest, seeds, floor
