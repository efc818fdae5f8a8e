"""The short form of a study: what of it this machine's kernel can carry out in real time while somebody waits.

`study.toml` says what of each of its experiments is set otherwise, and why that suffices. A short form has one seed,
the versions that any kernel has, and no claims: these are about the document's durations, and about several seeds. Of
many points that were measured it has every so many-th, for engines in virtual time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TypeVar

from dumbbell.campaign.plan import refusals
from dumbbell.charts.chart import Chart
from dumbbell.engines.protocol import Engine
from dumbbell.errors import StudyError
from dumbbell.spec import Experiment
from dumbbell.spec import load as load_spec
from dumbbell.spec.run import Run
from dumbbell.studies.evidence import Evidence
from dumbbell.studies.manifest import ShortForm, names_by_reason
from dumbbell.studies.study import Display, Study, known, only
from dumbbell.tables.table import Table
from dumbbell.units import NS_PER_S

Shown = TypeVar("Shown", Chart, Table)

SEEDS = 1
BETWEEN_RUNS_S = 1.0
"""What a run in real time takes beside its duration: namespaces made and taken away, and what they told read."""


def shortened(study: Study) -> Study:
    """The study's short form, with the seeds that the study was loaded with, or one.

    Raises:
        StudyError: it has none, or one that names what the study does not have.
        SpecError: what it sets has problems.
    """
    form = study.manifest.short_form
    if form is None:
        raise StudyError(f"study {study.name} has no short form")
    whose = f"{study.name}: short_form"
    known(whose, "experiment", list(form.experiments), study.experiments)
    known(whose, "figure", form.figures, _names(study.figures) + _names(study.tables))
    known(whose, "program", [each.program for each in form.experiments.values() if each.program], form.programs)
    selected = only(study, claims=None, experiments=list(form.experiments), variants=form.variants)
    every = {title: each.every for title, each in form.experiments.items() if each.every}
    known(whose, "experiment with measured points", list(every), study.measured)
    points = {title: study.measured[title].every(nth) for title, nth in every.items()}
    selected = replace(
        selected, experiments={**selected.experiments, **{t: own.experiment for t, own in points.items()}}
    )
    experiments = {title: _shortened(selected, title, form) for title in selected.experiments}
    return replace(
        selected,
        experiments=experiments,
        claims=(),
        figures=tuple(_annotated(each, form) for each in selected.figures if each.name in form.figures),
        tables=tuple(_annotated(each, form) for each in selected.tables if each.name in form.figures),
        measured={title: replace(own, experiment=experiments[title]) for title, own in points.items()},
        short=True,
    )


def _names(displays: Iterable[Display[Shown]]) -> list[str]:
    return [each.name for each in displays]


def _shortened(study: Study, title: str, form: ShortForm) -> Experiment:
    experiment = study.experiments[title]
    own = {"name": f"{experiment.name}-short", "seeds": study.seeds or SEEDS}
    return load_spec(experiment, overrides=own | form.fields_of(title))


def _annotated(display: Display[Shown], form: ShortForm) -> Display[Shown]:
    """A figure or a table whose caption says what is otherwise than it says."""
    settings = ((title, ", ".join(_changes(title, form))) for title in display.experiments)
    changes = names_by_reason(settings).items()
    note = "; ".join(f"{titles} with {setting or 'nothing set'}" for setting, titles in changes)

    def draw(study: Study, evidence: Evidence) -> Shown:
        drawn = display.draw(study, evidence)
        return replace(drawn, caption=f"{drawn.caption} This is the short form, whatever is said above: {note}.")

    return replace(display, draw=draw)


def _changes(title: str, form: ShortForm) -> Iterator[str]:
    if nth := form.experiments[title].every:
        yield f"one point of {nth}"
    yield from (f"{path} = {_text(value)}" for path, value in form.fields_of(title).items())


def _text(value: object) -> str:
    return " | ".join(map(str, value)) if isinstance(value, list) else str(value)


def with_programs(study: Study, engine: Engine) -> Study:
    """A short form with the document's own tools where an engine can run them; any other study as it is."""
    equipped = _with_programs(study)
    lacking = without_programs(study, engine)
    able = {title: experiment for title, experiment in equipped.items() if title not in lacking}
    return replace(study, experiments={**study.experiments, **able})


def without_programs(study: Study, engine: Engine) -> dict[str, str]:
    """Why an engine cannot run the tool that an experiment asks for, by the experiment: its own workloads stay."""
    reasons = {}
    for title, equipped in _with_programs(study).items():
        own = refusals(study.experiments[title], engine)
        messages = [problem.message for problem in refusals(equipped, engine) if problem not in own]
        if messages:
            reasons[title] = "; ".join(dict.fromkeys(messages))
    return reasons


def _with_programs(study: Study) -> dict[str, Experiment]:
    """Those of a short form's experiments that ask for a tool, with it as each flow's workload."""
    form = study.manifest.short_form
    if form is None or not study.short:
        return {}
    equipped = {}
    for title, experiment in study.experiments.items():
        own = form.experiments[title]
        if own.program:
            program = form.programs[own.program]
            workload = program.model_dump(exclude_none=True) | {"command": (*program.command, *own.words)}
            workloads = {f"flows[{place}].workload": workload for place in range(len(experiment.get("flows")))}
            equipped[title] = load_spec(experiment, overrides=workloads | own.set_with_program)
    return equipped


def longest_s(runs: Iterable[Run]) -> float:
    """The real time after which runs on a live engine, which follow one another, are over: a bound, in seconds."""
    return sum(run.duration_ns / NS_PER_S + BETWEEN_RUNS_S for run in runs)
