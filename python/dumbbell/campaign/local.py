"""Runs on this machine: threads of one process, because an engine frees the interpreter while it works."""

from __future__ import annotations

import json
import re
import time
from collections import defaultdict, deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

from dumbbell.errors import EngineFailure
from dumbbell.metrics.summary import summarise
from dumbbell.results.schema import FailedRun, Result, run_id
from dumbbell.results.validity import warnings
from dumbbell.spec import expand, resolve
from dumbbell.spec.sweep import Grid

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from concurrent.futures import Future

    from dumbbell.engines.measurement import Measurement
    from dumbbell.engines.protocol import Engine
    from dumbbell.spec import Experiment, Problem, Resolved

    Outcome: TypeAlias = Result | FailedRun

_FLOW = re.compile(r"flows\[([0-9]+)\]")
AHEAD = 64
"""Runs that are given to a thread's queue before the oldest of them is awaited: bounds what a long sweep holds."""


ALIKE = 3
"""Failures that are the engine's, if nothing has succeeded before."""
_ADDRESS = re.compile(r"\b0x[0-9a-f]+\b|\b[0-9a-f]{8,}\b|(?<=pid\b)\W+[0-9]+", re.IGNORECASE)
"""What differs between two failures that are the same: addresses, and numbers of processes."""


class Beginning:
    """How a campaign begins, or several on one engine: what fails alike at once is the engine, and no run."""

    def __init__(self) -> None:
        """Takes it that nothing has been measured."""
        self._lock = Lock()
        self._succeeded = False
        self._failed: defaultdict[str, set[str]] = defaultdict(set)
        """What was said of failures -> the runs."""
        self._hopeless = ""

    def go_on(self) -> None:
        """Returns while there is hope.

        Raises:
            EngineFailure: three runs failed alike, whatever addresses they name, and none had succeeded.
        """
        if self._hopeless:
            raise EngineFailure(self._hopeless)

    def saw(self, outcome: Outcome) -> Outcome:
        """Takes note of a run that was measured, and gives it back while there is hope."""
        with self._lock:
            if outcome.status == "ok":
                self._succeeded = True
            elif not self._succeeded:
                alike = self._failed[_ADDRESS.sub("", outcome.error)]
                alike.add(outcome.run_id)
                if len(alike) == ALIKE:
                    said = f"{ALIKE} runs failed alike and none succeeded, so no other was tried"
                    self._hopeless = f"{said}: {outcome.error}"
        self.go_on()
        return outcome


@dataclass(frozen=True, slots=True)
class Planned:
    """A run to carry out, and the point of the sweep that it belongs to."""

    point: dict[str, Any]
    """Each swept value as the spec wrote it, by its path."""
    resolved: Resolved


def plan(experiment: Experiment) -> Iterator[Planned]:
    """Every run of an experiment: each point with each seed, in the order of expansion."""
    for point in expand(experiment):
        for seed in experiment.seed_values:
            yield Planned(point.values, resolve(point, seed))


def count(experiment: Experiment) -> int:
    """How many runs `plan` gives."""
    return len(Grid.of(experiment)) * len(experiment.seed_values)


def refusals(experiment: Experiment, engine: Engine) -> list[Problem]:
    """Everything about the experiment's points that the engine cannot honour, each once, in order of appearance."""
    first_seed = experiment.seed_values[0]
    return list(dict.fromkeys(
        problem for point in expand(experiment) for problem in _refused(resolve(point, first_seed), engine)
    ))  # fmt: skip


def _refused(resolved: Resolved, engine: Engine) -> Iterator[Problem]:
    """What the engine cannot honour, with the paths of the spec: an engine knows flows, a spec groups of them."""
    groups = {name: index for index, name in enumerate(dict.fromkeys(resolved.groups))}
    for problem in engine.refuses(resolved.run):
        match = _FLOW.match(problem.path)
        if match:
            group = groups[resolved.groups[int(match[1])]]
            yield replace(problem, path=f"flows[{group}]{problem.path[match.end() :]}")
        else:
            yield problem


def carry_out(runs: Iterable[Planned], engine: Engine, jobs: int) -> Iterator[Outcome]:
    """Measures every run, `jobs` at once, and yields the outcomes in their order.

    A run that fails is an outcome too. Whoever stops iterating stops the campaign: what has not begun never will.

    Raises:
        EngineFailure: the engine cannot work here, see `Beginning`.
    """
    identity = engine.identity()
    beginning = Beginning()

    def carried_out(planned: Planned) -> Outcome:
        beginning.go_on()
        return beginning.saw(measure(planned, engine, identity))

    pending: deque[Future[Outcome]] = deque()
    pool = ThreadPoolExecutor(jobs, thread_name_prefix="run")
    try:
        for planned in runs:
            pending.append(pool.submit(carried_out, planned))
            while pending and (pending[0].done() or len(pending) > AHEAD * jobs):
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    except (KeyboardInterrupt, GeneratorExit):
        pool.shutdown(wait=False, cancel_futures=True)
        engine.stop()
        raise
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


class Known(TypedDict):
    """What is known of a run before it is measured, in the words of `results.schema`."""

    run_id: str
    engine: str
    seed: int
    point: dict[str, Any]


def known(planned: Planned, engine: Engine, identity: str) -> Known:
    """Names a run: by what the engine is asked, and by the spec's words that its summary has, which engines ignore."""
    resolved = planned.resolved
    words = json.dumps([resolved.groups, resolved.ccs, resolved.bdp_bytes]).encode()
    name = run_id(b"\n".join((resolved.run.canonical(), words)), engine.name, identity)
    return Known(run_id=name, engine=engine.name, seed=resolved.run.seed, point=planned.point)


def measure(planned: Planned, engine: Engine, identity: str) -> Outcome:
    """Measures one run and summarises it."""
    outcome, _ = measured(planned, engine, identity)
    return outcome


def measured(planned: Planned, engine: Engine, identity: str) -> tuple[Outcome, Measurement | None]:
    """Measures one run and summarises it; gives what it was summarised from, too."""
    facts, resolved = known(planned, engine, identity), planned.resolved
    began = time.perf_counter()
    try:
        measurement = engine.measure(resolved.run)
    except EngineFailure as failure:
        return FailedRun(**facts, error=str(failure), wall_s=time.perf_counter() - began), None
    wall_s = time.perf_counter() - began
    summary = summarise(resolved.run, measurement, resolved.bdp_bytes, resolved.groups, resolved.ccs)
    result = Result(
        **facts,
        window_s=summary.window_s,
        flows=summary.flows,
        bottleneck=summary.bottleneck,
        groups=summary.groups,
        jain=summary.jain,
        wall_s=wall_s,
        warnings=tuple(warnings(resolved.run, measurement, resolved.groups)),
    )
    return result, measurement
