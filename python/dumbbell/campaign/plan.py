"""The runs of an experiment: in which order, under which ids, and what an engine cannot honour of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, TypedDict

from dumbbell.engines.protocol import Engine
from dumbbell.results.schema import run_id
from dumbbell.spec import Experiment, Problem, Resolved, expand, resolve
from dumbbell.spec.sweep import Grid

_FLOW = re.compile(r"flows\[([0-9]+)\]")


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
    for problem in engine.unsupported_fields(resolved.run):
        match = _FLOW.match(problem.path)
        if match:
            group = groups[resolved.groups[int(match[1])]]
            yield replace(problem, path=f"flows[{group}]{problem.path[match.end() :]}")
        else:
            yield problem


class RunKey(TypedDict):
    """What identifies a run before it is measured, under the names of `results.schema`."""

    run_id: str
    engine: str
    seed: int
    point: dict[str, Any]


def run_key(planned: Planned, engine: Engine, identity: str) -> RunKey:
    """Names a run: by what the engine is asked, and by the spec's words that its summary has, which engines ignore."""
    resolved = planned.resolved
    words = json.dumps([resolved.groups, resolved.ccs, resolved.bdp_bytes]).encode()
    name = run_id(b"\n".join((resolved.run.canonical(), words)), engine.name, identity)
    return RunKey(run_id=name, engine=engine.name, seed=resolved.run.seed, point=planned.point)
