"""The runs behind an agreement: a campaign on each engine into one store, where what is there is not run again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from dumbbell.campaign.execution import run_experiments, stored_outcomes
from dumbbell.campaign.plan import count, refusals
from dumbbell.comparison.agreement import compare_condition, judge
from dumbbell.comparison.record import Agreement, Condition, Side, Source
from dumbbell.engines.protocol import Engine
from dumbbell.errors import EngineFailure
from dumbbell.results.provenance import figures_identity, metrics_identity
from dumbbell.results.schema import Outcome
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, Point, Problem, expand, load, resolve

if TYPE_CHECKING:
    from dumbbell.comparison.agreement import Roles


@dataclass(frozen=True, slots=True)
class Sides:
    """Both engines, and with which seeds each runs every condition.

    The reference has seeds 1 to `seeds`, and the next `floor` ones to be compared with itself. The candidate has seeds
    from 1 on too; the same engine twice has those after the reference's, so that it is compared with itself.
    """

    candidate: Engine
    reference: Engine
    seeds: int
    floor: int

    @property
    def same(self) -> bool:
        """One engine is compared with itself."""
        own, other = self.candidate, self.reference
        return (own.name, own.identity()) == (other.name, other.identity())

    @property
    def reference_seeds(self) -> list[int]:
        return list(range(1, self.seeds + 1))

    @property
    def floor_seeds(self) -> list[int]:
        return list(range(self.seeds + 1, self.seeds + self.floor + 1))

    @property
    def candidate_seeds(self) -> list[int]:
        first = self.seeds + self.floor + 1 if self.same else 1
        return list(range(first, first + self.seeds))

    def campaigns(self, experiment: Experiment) -> list[tuple[Engine, Experiment]]:
        """What has to be run: an experiment on each engine."""
        own, others = self.candidate_seeds, [*self.reference_seeds, *self.floor_seeds]
        plan = [(self.reference, others + own)] if self.same else [(self.reference, others), (self.candidate, own)]
        return [(engine, load(experiment, overrides={"seeds": seeds})) for engine, seeds in plan]

    def roles(self, condition: str, outcomes: Sequence[Outcome]) -> Roles:
        """Outcomes of a condition, which are those of its campaigns in order, by role."""
        del condition
        begin, floor = len(outcomes) - len(self.candidate_seeds), len(self.reference_seeds)
        return outcomes[begin:], outcomes[:floor], outcomes[floor:begin]

    def recorded(self, store: Store, conditions: Sequence[Condition]) -> tuple[Side, Side]:
        """Candidate and reference, as they were when they measured these conditions."""
        candidate = [run.run_id for each in conditions for run in each.candidate]
        reference = [run.run_id for each in conditions for run in (*each.reference, *each.floor)]
        return (
            side_of(store, self.candidate, self.candidate_seeds, candidate),
            side_of(store, self.reference, self.reference_seeds, reference),
        )


def problems(experiments: Sequence[Experiment], sides: Sides) -> list[Problem]:
    """Every field that either engine cannot honour, each once, with its path."""
    engines = [sides.reference] if sides.same else [sides.candidate, sides.reference]
    return list(dict.fromkeys(
        Problem(problem.path, f"{engine.name}: {problem.message}", problem.hint)
        for experiment in experiments
        for engine in engines
        for problem in refusals(experiment, engine)
    ))  # fmt: skip


def runs(experiments: Sequence[Experiment], sides: Sides) -> int:
    """How many runs `run_conditions` asks for."""
    return sum(count(campaign) for experiment in experiments for _, campaign in sides.campaigns(experiment))


def run_conditions(
    store: Store, experiments: Sequence[Experiment], sides: Sides, *, jobs: int | None = None,
    progress: Callable[[], None] | None = None,
) -> list[Condition]:  # fmt: skip
    """Runs what is missing on one engine and then on the other, `jobs` at once, and compares every point.

    A run is kept the moment it is finished. Whoever interrupts it gets no comparison, and runs nothing twice.

    Raises:
        EngineFailure: the first runs on an engine failed alike.
    """
    campaigns = [sides.campaigns(experiment) for experiment in experiments]
    for engine in dict.fromkeys(engine for each in campaigns for engine, _ in each):
        own = [seeded for each in campaigns for other, seeded in each if other is engine]
        try:
            with closing(run_experiments(store, own, engine, jobs=jobs)) as finished:
                for _ in finished:
                    if progress:
                        progress()
        except EngineFailure as failure:
            raise EngineFailure(f"{engine.name}: {failure}", engine.name) from failure
    conditions = []
    for experiment, own_campaigns in zip(experiments, campaigns, strict=True):
        named = points(experiment)
        outcomes = [list(stored_outcomes(store, seeded, engine)) for engine, seeded in own_campaigns]
        for index, (name, point) in enumerate(named):  # outcomes are in the order of expansion, seed after seed
            sizes = [len(each) // len(named) for each in outcomes]
            of_point = [each[index * size : (index + 1) * size] for each, size in zip(outcomes, sizes, strict=True)]
            resolved = resolve(point, sides.reference_seeds[0], live=sides.reference.live)
            roles = sides.roles(name, list(chain.from_iterable(of_point)))
            conditions.append(compare_condition(name, point.values, resolved, roles))
    return conditions


def compare_engines(  # noqa: PLR0913 (what is compared, and how)
    store: Store, experiments: Sequence[Experiment], sides: Sides, source: Source, *, jobs: int | None = None,
    progress: Callable[[], None] | None = None,
) -> Agreement:  # fmt: skip
    """Runs all experiments, and judges them by the outer limits."""
    conditions = run_conditions(store, experiments, sides, jobs=jobs, progress=progress)
    return judge(conditions, source, *sides.recorded(store, conditions), sides.floor_seeds)


def side_of(store: Store, engine: Engine, seeds: Sequence[int], run_ids: Sequence[str]) -> Side:
    """An engine as it was when it measured these runs; one without an id is in no store."""
    facts: list[dict[str, Any]] = [dict(store.provenance(run_id)) for run_id in run_ids if run_id]
    known = [each.get("measured_on") or {} for each in facts]
    alike = {
        key: value
        for key, value in (known[0] if known else {}).items()
        if all(key in each and each[key] == value for each in known)
    }
    today = bool(facts) and all(each.get("metrics") == metrics_identity() for each in facts)
    return Side(
        engine=engine.name, identity=engine.identity(), seeds=tuple(seeds), measured_on=alike,
        figures=figures_identity() if today else None,
    )  # fmt: skip


def points(experiment: Experiment) -> list[tuple[str, Point]]:
    """The points of an experiment, each with the name of its condition."""
    every = list(expand(experiment))
    return [
        (experiment.name if len(every) == 1 else f"{experiment.name}-{number}", point)
        for number, point in enumerate(every, start=1)
    ]
