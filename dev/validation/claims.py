"""Claims of a study on several engines, as `docs/validation/` stores them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from dumbbell.charts.chart import Chart
from dumbbell.engines.protocol import Engine
from dumbbell.engines.registry import engine as engine_named
from dumbbell.errors import DumbbellError
from dumbbell.results.store import Store
from dumbbell.studies import Study, drawn
from dumbbell.studies.evidence import Evidence
from dumbbell.studies.execution import gather
from dumbbell.studies.judgement import verdicts as verdicts_on
from dumbbell.studies.verdict import REPRODUCED, Verdict

OF_INTEREST: Final = ("dumbbell",)
"""Versions of packages that decide a verdict, besides the engine's own identity."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One engine with one version of the algorithm."""

    title: str
    """In Markdown."""
    engine: str
    variant: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """An experiment of the claims."""

    name: str
    seeds: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """What an engine was when it measured."""

    engine: str
    identity: str
    runs: int
    facts: dict[str, str]
    """What it reported of itself, the same for all of its runs: a kernel's release and settings; versions."""


class ClaimsRecord(BaseModel):
    """Verdicts on a study's claims, engine beside engine."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, ser_json_inf_nan="constants", serialize_by_alias=True, validate_by_name=True
    )

    schema_version: Literal[2] = Field(default=2, alias="schema")
    study: str
    short: str
    """What the document is called: "Claypool et al. 2019"."""
    note: str = ""
    """What to know of the versions, or of what was published."""
    columns: tuple[Column, ...]
    """Those that were measured."""
    without: tuple[Column, ...]
    """Those that were not, or not in full, or whose engine is not on this machine."""
    experiments: tuple[Ran, ...]
    origins: tuple[Origin, ...]
    verdicts: tuple[Verdict, ...]
    charts: tuple[Chart, ...] = ()
    """A panel an engine."""

    def at(self, claim: str, column: Column) -> Verdict:
        """The verdict on a claim in a column."""
        own = (each for each in self.verdicts if (each.claim, each.engine) == (claim, column.engine))
        return next(each for each in own if column.variant in (each.versions or (each.variant,)))

    @property
    def claims(self) -> tuple[str, ...]:
        """Their ids, in the document's order."""
        return tuple(dict.fromkeys(verdict.claim for verdict in self.verdicts))

    def across(self, claim: str) -> list[Verdict]:
        """The verdicts on a claim, a column each."""
        return [self.at(claim, column) for column in self.columns]

    def missed(self, column: Column) -> list[str]:
        """The claims that are not reproduced in a column."""
        return [claim for claim in self.claims if self.at(claim, column).verdict != REPRODUCED]

    @property
    def reproduced(self) -> int:
        return sum(len(self.claims) - len(self.missed(column)) for column in self.columns)


def judge_claims(
    studies: Mapping[str, Study],
    store: Store,
    engines: Sequence[Engine],
    columns: Sequence[Column],
    figures: Collection[str] = (),
) -> ClaimsRecord:
    """Judges the claims on each engine of which the store has all runs: of these engines, or this machine's others.

    `studies` has as much of the study as each engine is judged by; `figures` are those that are drawn.
    """
    complete: set[str] = set()
    verdicts: list[Verdict] = []
    origins: list[Origin] = []
    charts: dict[str, list[Chart]] = {}
    for name, own in studies.items():
        engine = _engine(name, engines)
        evidence = gather(own, store, engine) if engine else None
        if not engine or not evidence or evidence.missing or not evidence.coverage:  # half, of an earlier build, none
            continue
        complete.add(name)
        verdicts += verdicts_on(own, evidence)
        origins.append(_origin(store, evidence, engine.identity()))
        for chart in drawn(own.figures, own, evidence):
            if chart.name in figures:
                charts.setdefault(chart.name, []).append(chart)
    study = next(iter(studies.values()))
    needed = {title for claim in study.claims for title in claim.experiments}
    return ClaimsRecord(
        study=study.name,
        short=study.manifest.short,
        columns=tuple(column for column in columns if column.engine in complete),
        without=tuple(column for column in columns if column.engine not in complete),
        experiments=tuple(
            Ran(name=title, seeds=tuple(experiment.seed_values))
            for title, experiment in study.experiments.items()
            if title in needed
        ),
        origins=tuple(origins),
        verdicts=tuple(verdicts),
        charts=tuple(
            replace(
                each[0],
                name=f"{study.name}-{each[0].name}",
                columns=len(each),
                panels=tuple(panel for chart in each for panel in chart.panels),
            )
            for each in charts.values()
        ),
    )


def _engine(name: str, engines: Sequence[Engine]) -> Engine | None:
    """One of these, or the one of that name; None where this machine does not have it."""
    for engine in engines:
        if engine.name == name:
            return engine
    try:
        return engine_named(name)
    except DumbbellError:
        return None


def _origin(store: Store, evidence: Evidence, identity: str) -> Origin:
    ids = {run.result.run_id for trials in evidence.trials.values() for trial in trials for run in trial.runs}
    values: dict[str, set[str]] = {}
    for run_id in sorted(ids):
        facts = store.provenance(run_id)
        versions, measured_on = facts.get("versions"), facts.get("measured_on")
        known: dict[str, object] = dict(measured_on) if isinstance(measured_on, dict) else {}
        if isinstance(versions, dict):
            known |= {name: versions.get(name) for name in OF_INTEREST}
        for key, value in known.items():
            values.setdefault(key, set()).add(str(value))
    alike = {key: next(iter(seen)) for key, seen in values.items() if len(seen) == 1}
    return Origin(engine=evidence.engine, identity=identity, runs=len(ids), facts=alike)
