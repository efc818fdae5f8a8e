"""The status of a study: what a store has of it on an engine, the verdicts on that, and what is missing."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from shlex import quote
from typing import Any

from dumbbell.charts.chart import Chart
from dumbbell.engines.protocol import Engine
from dumbbell.engines.registry import engine as engine_named
from dumbbell.metrics.number import counted
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, load
from dumbbell.studies.evidence import Evidence
from dumbbell.studies.execution import gather
from dumbbell.studies.extra import absence
from dumbbell.studies.judgement import verdicts
from dumbbell.studies.manifest import names_by_reason
from dumbbell.studies.short import with_programs
from dumbbell.studies.study import Display, Study, drawn
from dumbbell.studies.verdict import NOT_RUN, Verdict
from dumbbell.tables.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A figure or a table as an engine's runs show it."""

    display: Chart | Table
    seed: int | None
    """The one that it shows; None: all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyStatus:
    """A study, or a part of it, on one engine."""

    study: Study
    """What was asked for."""
    full_study: Study
    """What that is a part of."""
    evidence: Evidence
    verdicts: tuple[Verdict, ...]
    """On every claim with each version, in the document's order."""

    @property
    def engine(self) -> str:
        return self.evidence.engine

    @property
    def judged(self) -> tuple[Verdict, ...]:
        """The verdicts for which runs are there, or are not needed."""
        return tuple(verdict for verdict in self.verdicts if verdict.verdict != NOT_RUN)

    @property
    def waiting(self) -> tuple[str, ...]:
        """The claims of the whole study about which nothing is said here."""
        there = {verdict.claim for verdict in self.judged}
        return tuple(claim.id for claim in self.full_study.claims if claim.id not in there)

    @property
    def runs(self) -> tuple[int, int]:
        """How many runs are there, and how many the engine can carry out, each counted once."""
        ids = frozenset[str]().union(*(coverage.ids for coverage in self.evidence.coverage.values()))
        there = {outcome.run_id for own in self.evidence.outcomes.values() for outcome in own}
        return len(there), len(ids | there)

    @property
    def experiments(self) -> dict[str, Experiment]:
        """Those that have whole trials, each with the versions and the seeds of these."""
        with_trials = {}
        for title in self.study.experiments:
            trials = {variant: self.evidence.of(title, variant) for variant in self.study.variants}
            seeds = sorted({trial.seed for own in trials.values() for trial in own})
            if seeds:
                part = self.study.part(title, [variant for variant, own in trials.items() if own])
                with_trials[title] = load(part, overrides={"seeds": seeds})
        return with_trials

    def rest(self, *, out: str = "") -> str:
        """One line about what was asked for and is not here, with the command that makes it; empty if all of it is."""
        requested = [claim.id for claim in self.study.claims if claim.id in self.waiting]
        some = len(self.study.claims) < len(self.full_study.claims)
        if requested and some:
            missing = f"{', '.join(requested)} {'wait' if len(requested) > 1 else 'waits'} for runs"
        elif requested:
            missing = f"{len(requested)} of the study's {counted(len(self.full_study.claims), 'claim')} wait for runs"
        elif self.evidence.missing and not some:
            missing = "the study asks for more runs"
        else:
            return ""
        command = run_command(self.full_study, self.engine, claims=requested * some, out=out)
        return f"On {self.engine} {missing}: `{command}` makes them."

    def drawable(self) -> list[Display[Chart] | Display[Table]]:
        """The figures and tables of which all runs are there, of one version at least."""
        return [each for each in self._displays if each.is_shown_by(self.evidence)]

    @property
    def _displays(self) -> list[Display[Chart] | Display[Table]]:
        return [*self.study.figures, *self.study.tables]

    @property
    def not_computed(self) -> dict[str, str]:
        """Why each figure and table is not there whose runs are."""
        there = (each for each in self._displays if self.evidence.variants(*each.experiments))
        return {each.name: message for each in there if (message := absence(each.needs))}

    @property
    def not_computed_text(self) -> str:
        """The same in one line; empty if all are there."""
        reasons = names_by_reason(self.not_computed.items())
        return "; ".join(f"not computed: {names}: {why}" for why, names in reasons.items())

    def charts(self) -> list[Chart]:
        """The figures of which all runs are there, of one version at least."""
        return drawn(self.study.figures, self.study, self.evidence)

    def tables(self) -> list[Table]:
        """The tables of which all runs are there, of one version at least."""
        return drawn(self.study.tables, self.study, self.evidence)

    def shown(self) -> Iterator[Shown]:
        """Figures and tables; one that shows a single seed, with each seed in turn.

        Such a one shows the first trial: it is one that changes when another trial is the first.
        """
        for each in self.drawable():
            first, *others = self._seeds(each)
            display = each.draw(self.study, self.evidence)
            led = (
                Shown(display=each.draw(self.study, self.evidence.with_first_seed(seed)), seed=seed) for seed in others
            )
            second = next(led, None)
            if second is None or _looks(second.display) == _looks(display):
                yield Shown(display=display, seed=None)
            else:
                yield from (Shown(display=display, seed=first), second, *led)

    def _seeds(self, display: Display[Any]) -> list[int]:
        """Of the trials that a figure or a table shows, the one that leads first."""
        variants = self.evidence.variants(*display.experiments)
        trials = (self.evidence.of(title, variant) for title in display.experiments for variant in variants)
        return list(dict.fromkeys(trial.seed for each in trials for trial in each))


def status_of(study: Study, store: Store, engine: Engine | str, *, full_study: Study | None = None) -> StudyStatus:
    """The status of a study on an engine; `full_study` is what it is a part of, if it is one.

    Raises:
        UnknownEngine: there is no such engine in this version.
    """
    chosen = engine_named(engine) if isinstance(engine, str) else engine
    study = with_programs(study, chosen)
    evidence = gather(study, store, chosen)
    judged = tuple(replace(each, hypothesis=study.hypothesis) for each in verdicts(study, evidence))
    return StudyStatus(study=study, full_study=full_study or study, evidence=evidence, verdicts=judged)


def run_command(  # noqa: PLR0913 (each is an option)
    study: Study,
    engine: str,
    experiments: Collection[str] = (),
    variants: Collection[str] = (),
    *,
    claims: Collection[str] = (),
    out: str = "",
) -> str:
    """The command that carries out a study with these claims, experiments and versions.

    It names the seeds where they are not the study's own.
    `out`: the folder, where it is not the usual one.
    """
    on = "" if engine == "sim" else f" --engine {engine}{' --inventory FILE' * (engine == 'hosts')}"
    some = ",".join(title for title in study.experiments if title in experiments)
    versions = ",".join(variant for variant in study.variants if variant in variants)
    options = (
        (" --claims ", ",".join(claims)), (" --experiments ", some), (" --variants ", versions),
        (" --seeds ", study.seeds or ""), (" --out ", out and quote(out)),
    )  # fmt: skip
    arguments = "".join(f"{option}{value}" for option, value in options if value)
    return f"dumbbell study run {study.name}{_short(study)}{on}{arguments}"


def report_command(study: Study) -> str:
    """The command that writes the study's page, of the same seeds."""
    return f"dumbbell study report {study.name}{_short(study)}" + (f" --seeds {study.seeds}" if study.seeds else "")


def _short(study: Study) -> str:
    return " --short" * study.short


def _looks(display: Chart | Table) -> object:
    """What is drawn of it, to six digits: whoever adds up seeds in another order draws the same."""
    return _rounded(display.panels if isinstance(display, Chart) else display.rows)


def _rounded(value: object) -> object:
    if isinstance(value, float):
        return f"{value:.6g}"  # as text, because no NaN is like another
    if is_dataclass(value):
        return tuple(_rounded(getattr(value, each.name)) for each in fields(value))
    return tuple(map(_rounded, value)) if isinstance(value, tuple) else value
