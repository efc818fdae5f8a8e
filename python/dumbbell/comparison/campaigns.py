"""The runs behind an agreement: a campaign on each engine into one store, where what is there is not run again."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING

from dumbbell.campaign.execution import FailureWatch, run_campaign
from dumbbell.campaign.plan import count, refusals
from dumbbell.comparison.condition import Measured, Roles, compare_condition
from dumbbell.comparison.record import Side
from dumbbell.errors import ComparisonError
from dumbbell.spec import Problem, expand, load, resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from dumbbell.comparison.condition import Outcome
    from dumbbell.comparison.record import Condition, RunFigures
    from dumbbell.engines.protocol import Engine
    from dumbbell.results.store import Store
    from dumbbell.spec import Experiment, Point


@dataclass(frozen=True, slots=True)
class Sides:
    """Both engines, and with which seeds each runs every condition.

    The reference has seeds 1 to `seeds`, and the next `floor` ones to be held against itself. The candidate has seeds 1
    to `seeds` too; the same engine twice has those after the reference's, so that it is compared with itself.
    """

    candidate: Engine
    reference: Engine
    seeds: int
    floor: int

    @property
    def same(self) -> bool:
        """One engine is compared with itself."""
        ours, theirs = self.candidate, self.reference
        return (ours.name, ours.identity()) == (theirs.name, theirs.identity())

    @property
    def reference_seeds(self) -> list[int]:
        """Of the reference's runs that are compared."""
        return list(range(1, self.seeds + 1))

    @property
    def floor_seeds(self) -> list[int]:
        """Of the reference's other runs."""
        return list(range(self.seeds + 1, self.seeds + self.floor + 1))

    @property
    def candidate_seeds(self) -> list[int]:
        """Of the candidate's runs."""
        first = self.seeds + self.floor + 1 if self.same else 1
        return list(range(first, first + self.seeds))

    def campaigns(self, experiment: Experiment) -> list[tuple[Engine, Experiment]]:
        """What has to be run: an experiment on each engine, or on the one that there is."""
        ours, theirs = self.candidate_seeds, [*self.reference_seeds, *self.floor_seeds]
        if self.same:
            return [(self.reference, _with_seeds(experiment, theirs + ours))]
        return [(self.reference, _with_seeds(experiment, theirs)), (self.candidate, _with_seeds(experiment, ours))]


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
    """How many runs `carry_out` asks for."""
    return sum(count(asked) for experiment in experiments for _, asked in sides.campaigns(experiment))


def carry_out(
    store: Store, experiments: Sequence[Experiment], sides: Sides, *, jobs: int | None = None,
    progress: Callable[[], None] | None = None,
) -> list[Condition]:  # fmt: skip
    """Runs what is missing, `jobs` at once, and compares every point of every experiment.

    A run is kept the moment it is finished. Whoever interrupts it gets no comparison, and runs nothing twice.

    Raises:
        ComparisonError: two experiments have one name, which a store cannot tell apart.
        EngineFailure: the first runs on an engine failed alike.
    """
    names = [experiment.name for experiment in experiments]
    if len(set(names)) < len(names):
        raise ComparisonError("two experiments have the same name")
    jobs = jobs or min(sides.candidate.slots(), sides.reference.slots())
    abreast = min(jobs, len(experiments))
    stopped = Event()
    watches = {engine.name: FailureWatch() for engine in (sides.candidate, sides.reference)}

    def campaign(engine: Engine, experiment: Experiment) -> list[Outcome]:
        outcomes: list[Outcome] = []
        failures = watches[engine.name]
        for outcome in run_campaign(
            store, experiment, engine, jobs=max(1, jobs // abreast), progress=progress, failures=failures
        ):
            outcomes.append(outcome)
            if stopped.is_set():
                break
        return outcomes

    pool = ThreadPoolExecutor(abreast, thread_name_prefix="condition")
    finished = False
    try:
        futures = [
            [(engine.name, pool.submit(campaign, engine, asked)) for engine, asked in sides.campaigns(experiment)]
            for experiment in experiments
        ]
        conditions: list[Condition] = []
        for experiment, asked in zip(experiments, futures, strict=True):
            outcomes = [future.result() for _, future in asked]
            conditions += map(compare_condition, _points(experiment, sides, outcomes))
        finished = True
    finally:
        stopped.set()
        pool.shutdown(wait=finished, cancel_futures=True)
    return conditions


def engine_sides(store: Store, sides: Sides, conditions: Sequence[Condition]) -> tuple[Side, Side]:
    """Candidate and reference, each with what all of its compared runs say of where they were measured."""
    return (
        _side(store, sides.candidate, sides.candidate_seeds, [run for each in conditions for run in each.candidate]),
        _side(store, sides.reference, sides.reference_seeds, [run for each in conditions for run in each.reference]),
    )


def _side(store: Store, engine: Engine, seeds: Sequence[int], runs: Sequence[RunFigures]) -> Side:
    shared: dict[str, Any] = {}
    for number, run in enumerate(runs):
        facts = store.provenance(run.run_id).get("measured_on")
        own = facts if isinstance(facts, dict) else {}
        shared = own if number == 0 else {key: value for key, value in shared.items() if own.get(key) == value}
    return Side(engine=engine.name, identity=engine.identity(), seeds=tuple(seeds), measured_on=shared)


def points(experiment: Experiment) -> list[tuple[str, Point]]:
    """The points of an experiment, each with the name of its condition."""
    found = list(expand(experiment))
    return [
        (experiment.name if len(found) == 1 else f"{experiment.name}-{number}", point)
        for number, point in enumerate(found, start=1)
    ]


def _with_seeds(experiment: Experiment, seeds: list[int]) -> Experiment:
    return load(experiment, overrides={"seeds": seeds})


def _points(experiment: Experiment, sides: Sides, outcomes: Sequence[Sequence[Outcome]]) -> Iterator[Measured]:
    """The outcomes of both campaigns, point by point: they come in the order of expansion, seed after seed."""
    named = points(experiment)
    for index, (name, point) in enumerate(named):
        of_a_point = [_at(index, len(named), each) for each in outcomes]
        if sides.same:
            theirs, ours = of_a_point[0][: -sides.seeds], of_a_point[0][-sides.seeds :]
        else:
            theirs, ours = of_a_point
        yield Measured(
            name=name,
            point=point.values,
            resolved=resolve(point, sides.reference_seeds[0]),
            outcomes=Roles(ours, theirs[: sides.seeds], theirs[sides.seeds :]),
        )


def _at(index: int, points: int, outcomes: Sequence[Outcome]) -> Sequence[Outcome]:
    seeds = len(outcomes) // points
    return outcomes[index * seeds : (index + 1) * seeds]
