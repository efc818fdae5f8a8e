"""The runs behind an agreement: a campaign on each engine into one store, where what is there is not run again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import chain
from threading import Event
from typing import TYPE_CHECKING, Any, TypeAlias

from dumbbell.campaign import execution
from dumbbell.campaign.execution import FailureWatch
from dumbbell.campaign.plan import count, refusals
from dumbbell.cc import Registry
from dumbbell.comparison.agreement import Measured, compare_condition, digest_of, judge
from dumbbell.comparison.record import Agreement, Checks, Condition, Curves, RunFigures, Side, Source
from dumbbell.engines.cores import available_cores
from dumbbell.engines.family import is_live
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.programs import Program
from dumbbell.engines.protocol import Engine
from dumbbell.errors import ComparisonError, EngineFailure
from dumbbell.metrics.summary import summarise
from dumbbell.metrics.window import Activity, Window
from dumbbell.results.provenance import figures_identity, metrics_identity
from dumbbell.results.schema import Outcome
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, Point, Problem, Run, expand, load, resolve

if TYPE_CHECKING:
    CurvesJudge: TypeAlias = Callable[
        [Store, Sequence[Condition], Sequence[str], tuple[Side, Side], Sequence[int]], Curves
    ]


@dataclass(frozen=True, slots=True)
class Sides:
    """Both engines, and with which seeds each runs every condition.

    The reference has seeds 1 to `seeds`, and the next `floor` ones to be held against itself. The candidate has seeds
    from 1 on too; the same engine twice has those after the reference's, so that it is compared with itself.
    """

    candidate: Engine
    reference: Engine
    seeds: int
    floor: int
    recorded: Agreement | Checks | None = None
    """An earlier comparison whose runs of the reference stand for those that would be the same."""
    fewer: int | None = None
    """So many seeds of the reference are compared; None: `seeds`."""
    own: int | None = None
    """So many seeds of the candidate; None: `seeds`. More of them take its chance out of what is compared."""

    @property
    def same(self) -> bool:
        """One engine is compared with itself."""
        own, other = self.candidate, self.reference
        return (own.name, own.identity()) == (other.name, other.identity())

    @property
    def reference_seeds(self) -> list[int]:
        """Of the reference's runs that are compared."""
        return list(range(1, (self.seeds if self.fewer is None else self.fewer) + 1))

    @property
    def floor_seeds(self) -> list[int]:
        """Of the reference's other runs."""
        return list(range(self.seeds + 1, self.seeds + self.floor + 1))

    @property
    def candidate_seeds(self) -> list[int]:
        first = self.seeds + self.floor + 1 if self.same else 1
        return list(range(first, first + (self.seeds if self.own is None else self.own)))

    @property
    def slots(self) -> int:
        """How many runs either engine does at once."""
        return min(self.candidate.slots(), self.reference.slots())

    def known(self, experiment: Experiment) -> list[Condition]:
        """The recorded conditions of an experiment's points; none where one is missing, or was another run."""
        if self.recorded is None or self.same or self.recorded.reference.figures != figures_identity():
            return []
        by_name = {each.name: each for each in self.recorded.conditions}
        conditions = []
        for name, point in points(experiment):
            each = by_name.get(name)
            of_first = resolve(point, self.reference_seeds[0], live=self.reference.live).run
            wanted = (digest_of(of_first), self.reference_seeds, self.floor_seeds)
            if each is None or _measured(each) != wanted:
                return []
            conditions.append(each)
        return conditions

    def campaigns(self, experiment: Experiment) -> list[tuple[Engine, Experiment]]:
        """What has to be run: an experiment on each engine, or on one that there is no record of."""
        own, others = self.candidate_seeds, [*self.reference_seeds, *self.floor_seeds]
        if self.known(experiment):
            return [(self.candidate, load(experiment, overrides={"seeds": own}))]
        plan = [(self.reference, others + own)] if self.same else [(self.reference, others), (self.candidate, own)]
        return [(engine, load(experiment, overrides={"seeds": seeds})) for engine, seeds in plan]


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
        """None that could be told: it has measured."""
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


def problems(experiments: Sequence[Experiment], sides: Sides) -> list[Problem]:
    """Every field that either engine cannot honour, each once, with its path."""
    engines = [sides.reference] if sides.same else [sides.candidate, sides.reference]
    return list(dict.fromkeys(
        Problem(problem.path, f"{engine.name}: {problem.message}", problem.hint)
        for experiment in experiments
        for engine in engines
        for problem in refusals(experiment, engine)
    ))  # fmt: skip


def check_names(experiments: Sequence[Experiment]) -> None:
    """Refuses experiments of one name.

    Raises:
        ComparisonError: two experiments have one name, which a store cannot tell apart.
    """
    counts = Counter(experiment.name for experiment in experiments)
    if several := [name for name, times in counts.items() if times > 1]:
        raise ComparisonError(f'name: "{several[0]}" is that of {counts[several[0]]} conditions; each needs its own')


def runs(experiments: Sequence[Experiment], sides: Sides) -> int:
    """How many runs `run_conditions` asks for."""
    return sum(count(campaign) for experiment in experiments for _, campaign in sides.campaigns(experiment))


def run_conditions(
    store: Store, experiments: Sequence[Experiment], sides: Sides, *, jobs: int | None = None,
    progress: Callable[[], None] | None = None,
) -> list[Condition]:  # fmt: skip
    """Runs what is missing, `jobs` at once, and compares every point of every experiment.

    A run is kept the moment it is finished. Whoever interrupts it gets no comparison, and runs nothing twice.

    Raises:
        ComparisonError: two experiments have one name, which a store cannot tell apart.
        EngineFailure: the first runs on an engine failed alike.
    """
    check_names(experiments)
    jobs = jobs or sides.slots
    abreast = min(jobs, len(experiments))
    stopped = Event()
    watches = {engine.name: FailureWatch() for engine in (sides.candidate, sides.reference)}

    def campaign(engine: Engine, experiment: Experiment) -> list[Outcome]:
        watch, own = watches[engine.name], max(1, jobs // abreast)
        try:
            with closing(execution.run_experiments(store, [experiment], engine, jobs=own, failures=watch)) as finished:
                for _ in finished:
                    if progress:
                        progress()
                    if stopped.is_set():
                        break
        except EngineFailure as failure:
            raise EngineFailure(f"{engine.name}: {failure}", engine.name) from failure
        return list(execution.stored_outcomes(store, experiment, engine))

    pool = ThreadPoolExecutor(abreast, thread_name_prefix="condition")
    finished = False
    try:
        futures = [
            [
                pool.submit(campaign, engine, seeded_experiment)
                for engine, seeded_experiment in sides.campaigns(experiment)
            ]
            for experiment in experiments
        ]
        conditions = [
            compare_condition(measured)
            for experiment, own in zip(experiments, futures, strict=True)
            for measured in _by_point(experiment, sides, [future.result() for future in own])
        ]
        finished = True
    finally:
        stopped.set()
        pool.shutdown(wait=finished, cancel_futures=True)
    return conditions


def compare_engines(  # noqa: PLR0913 (what is compared, and how)
    store: Store, experiments: Sequence[Experiment], sides: Sides, source: Source,
    judge_curves: CurvesJudge | None = None, *, jobs: int | None = None, progress: Callable[[], None] | None = None,
) -> Agreement | Curves:  # fmt: skip
    """Carries out all experiments, and judges them: by the bands, or by what single flows are judged by."""
    conditions = run_conditions(store, experiments, sides, jobs=jobs, progress=progress)
    candidate, reference = both = measured_by(store, sides, conditions)
    if judge_curves:
        return judge_curves(store, conditions, source.sets, both, sides.floor_seeds)
    return judge(conditions, source, candidate, reference, sides.floor_seeds)


def measured_by(store: Store, sides: Sides, conditions: Sequence[Condition]) -> tuple[Side, Side]:
    """Candidate and reference, as they were when they measured these conditions."""
    candidate, reference = (
        side_of(
            store, engine, seeds, [run.run_id for each in conditions for role in roles for run in getattr(each, role)]
        )
        for engine, seeds, roles in (
            (sides.candidate, sides.candidate_seeds, ["candidate"]),
            (sides.reference, sides.reference_seeds, ["reference", "floor"]),
        )
    )
    if sides.recorded and not any(run.run_id for each in conditions for run in each.reference):
        reference = sides.recorded.reference
    return candidate, reference


def side_of(store: Store, engine: Engine, seeds: Sequence[int], run_ids: Sequence[str]) -> Side:
    """An engine as it was when it measured these runs; one without an id is in no store."""
    facts = [store.provenance(run_id) for run_id in run_ids if run_id]
    today = bool(facts) and all(each.get("metrics") == metrics_identity() for each in facts)
    known = [each.get("measured_on") for each in facts]
    items = [each.items() if isinstance(each, dict) else () for each in known]
    alike = {key: value for key, value in (items[0] if items else ()) if all((key, value) in each for each in items)}
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


def flows(experiment: Experiment, sides: Sides, jobs: int | None = None) -> list[dict[str, Any]]:
    """Every flow of every run of an experiment with one point, with counters that no summary has.

    All seeds that are compared are measured again on both engines, which in virtual time gives the same bytes.

    Raises:
        EngineFailure: an engine could not finish a run.
    """
    (point,) = expand(experiment)
    requests = [(sides.reference, seed) for seed in sides.reference_seeds]
    requests += [(sides.candidate, seed) for seed in sides.candidate_seeds]
    with ThreadPoolExecutor(jobs or sides.slots) as pool:
        return list(chain.from_iterable(pool.map(lambda run: list(_flows_of_run(point, *run)), requests)))


def _measured(condition: Condition) -> tuple[str, list[int], list[int]]:
    """What a recorded condition has of the reference."""
    seeds, floor = ([run.seed for run in runs] for runs in (condition.reference, condition.floor))
    return condition.digest, seeds, floor


def _elsewhere(condition: Condition) -> list[RunFigures]:
    """The reference's runs of a record: no store here has them."""
    return [run.model_copy(update={"run_id": ""}) for run in (*condition.reference, *condition.floor)]


def _by_point(experiment: Experiment, sides: Sides, outcomes: Sequence[Sequence[Outcome]]) -> Iterator[Measured]:
    """The outcomes of both campaigns, point by point: they come in the order of expansion, seed after seed."""
    named, known = points(experiment), sides.known(experiment)
    for index, (name, point) in enumerate(named):
        sizes = [len(each) // len(named) for each in outcomes]
        own = [each[index * size : (index + 1) * size] for each, size in zip(outcomes, sizes, strict=True)]
        measured = [outcome for part in own for outcome in part]
        begin = len(measured) - len(sides.candidate_seeds)
        every = _elsewhere(known[index]) if known else measured[:begin]
        yield Measured(
            name=name,
            point=point.values,
            resolved=resolve(point, sides.reference_seeds[0], live=sides.reference.live),
            candidate=measured[begin:],
            reference=every[: len(sides.reference_seeds)],
            floor=every[len(sides.reference_seeds) :],
        )


def _flows_of_run(point: Point, engine: Engine, seed: int) -> Iterator[dict[str, Any]]:
    """A flow's summary, what was counted of it in its part of the window, and the bottleneck's loss and queue."""
    resolved = resolve(point, seed, live=engine.live)
    measurement = engine.measure(resolved.run)
    summary = summarise(resolved.run, measurement, resolved.bdp_bytes, resolved.groups, resolved.ccs)
    window = Window.of(resolved.run.measure, measurement.ended_ns)
    for flow, measured in zip(summary.flows, measurement.flows, strict=True):
        activity = Activity.within(window, measured)
        counted, series = activity.counted, measured.series
        cwnd = series.cwnd_segments
        cwnd = cwnd[activity.window.holds(series.at_ns)] if len(cwnd) else cwnd
        yield {
            "engine": engine.name,
            "seed": seed,
            **asdict(flow),
            "lost": counted.segments_lost,
            "timeouts": counted.timeouts,
            "probes": counted.probes,
            "undos": counted.undos,
            "dropped": counted.dropped_packets,
            "random_lost": counted.random_lost_packets,
            "acks": counted.acks,
            "cwnd_mean_segments": float(cwnd.mean()) if cwnd.size else None,
            "loss_rate": summary.bottleneck.loss_rate,
            "queue_mean_bdp": summary.bottleneck.queue_mean_bdp,
        }
