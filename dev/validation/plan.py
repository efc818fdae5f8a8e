"""What is validated, and with how much: the parts of `plan.toml`, each of which is measured into a record."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Annotated, ClassVar, Final, Literal, TypeAlias

from pydantic import Field, field_validator
from typing_extensions import override

from dev.chance import with_controls
from dev.checks.judgement import checks, run_checks
from dev.checks.record import Checks
from dev.curves.judgement import compare_curves
from dev.curves.judgement import experiments as single_flows
from dev.curves.record import USUAL, Curves
from dev.mutant import ControlEngine
from dev.sides import KnownSides, Recorded
from dev.strata.bands import judged_again
from dev.strata.studied import drawn
from dev.table import TomlTable
from dev.validation.advice import AdvicePart, AdviceRecord
from dev.validation.claims import ClaimsRecord, Column, judge_claims
from dev.validation.hosts import (
    HostBar,
    HostsRecord,
    MeasuredTable,
    differences,
    outcomes,
    spec_hash,
    with_earlier_values,
)
from dev.validation.mutants import Kind, Mutant, MutantsRecord, judge_mutants, mutants
from dev.validation.phases import PhasesPart, PhasesRecord
from dev.validation.scale import ScalePart, ScaleRecord
from dev.validation.separate import SeparatePart
from dumbbell.campaign.plan import count
from dumbbell.comparison.agreement_text import failures
from dumbbell.comparison.campaigns import compare_engines
from dumbbell.comparison.record import Agreement, Side, Source
from dumbbell.engines.protocol import Engine
from dumbbell.errors import DumbbellError
from dumbbell.hosts.points import HostMeasurements
from dumbbell.hosts.spread import ComparedEngine, hold
from dumbbell.metrics.number import counted
from dumbbell.problem import suggestion
from dumbbell.results.provenance import figures_identity
from dumbbell.results.store import Store
from dumbbell.spec import Experiment
from dumbbell.studies import Study, load, only, run
from dumbbell.studies.execution import count_runs
from dumbbell.studies.loading import read
from dumbbell.text_file import Unreadable, text_of

Record: TypeAlias = (
    AdviceRecord | Agreement | Checks | Curves | ClaimsRecord | HostsRecord | MutantsRecord | PhasesRecord | ScaleRecord
)
Records: TypeAlias = Callable[[str], Record | None]
"""Gives what a part came to when it was last measured."""
SHIFT: Final = 100
"""By how much the seeds of a control's random streams are others than those before it: more than any part has."""
HOSTS: Final = "hosts"
"""What the parts about real hosts are called together."""
LAB: Final = "hosts"
"""The engine that has hosts by an inventory alone: `python -m dev hosts_agreement` makes them."""
ABOUT_HOSTS: Final = {HOSTS, "scale"}
"""Their kinds."""


def unmeasured(name: str) -> None:
    """What there is of a part before anything was measured."""
    del name


class ValidationError(DumbbellError):
    """The plan, or what is stored, is not as it must be."""


class ComparisonPart(TomlTable):
    """Two engines held against one another: over conditions of a stratum, in checks, or flow by flow in curves."""

    name: str
    """As its file is called, and as a command asks for it."""
    kind: Literal["agreement", "checks", "curves"]
    candidate: str
    reference: str
    seeds: int = 5
    """Of each engine's runs; a check has its own."""
    floor: int = 5
    """More seeds of the reference, which it is held against itself with."""
    stratum: str | None = None
    """What conditions are drawn from, and whose bands they are held against."""
    random: int = 0
    """How many conditions are drawn."""
    seed: int = 0
    """Of the draw."""
    duration: str | None = None
    """Of a drawn condition; None: the stratum's own."""
    most_packets: int | None = None
    """That a drawn condition may carry; None: the stratum's own."""
    controls: int = 0
    """How many more times the candidate runs, each under other random streams."""
    specs: tuple[str, ...] = USUAL
    """Of curves: whose conditions."""
    reasons: dict[str, str] = Field(default_factory=dict)
    """Of conditions in real time that are beyond a bar, by their names: why, as far as it was found out."""

    @property
    def engines(self) -> tuple[str, ...]:
        """The reference first: it takes longer, and its absence is noticed at once."""
        return tuple(each for each in (self.reference, self.candidate) if each != LAB)

    @property
    def record_type(self) -> type[Agreement | Checks | Curves]:
        types: dict[str, type[Agreement | Checks | Curves]] = {
            "agreement": Agreement, "checks": Checks, "curves": Curves,
        }  # fmt: skip
        return types[self.kind]

    def obstacle(self, engines: Sequence[Engine], records: Records) -> str | None:
        """Why these engines cannot measure it, with what an earlier record has of the reference's runs."""
        names = {engine.name for engine in engines}
        if self.candidate not in names:
            return f"{self.name} is measured on {self.candidate}"
        if self.reference in names:
            return None
        sides = self.sides(engines, records(self.name))
        if missing := sum(not own.known(each) for each, own in self._experiments(sides)):
            what = counted(missing, "check" if self.kind == "checks" else "condition")
            return f"{self.name} is measured on {self.reference}, too: no record has its runs of {what}"
        return None

    def total(self, engines: Sequence[Engine], records: Records = unmeasured) -> int:
        """How many runs these engines have to give."""
        return sum(runs for _, _, runs in self.campaigns(engines, records))

    def campaigns(self, engines: Sequence[Engine], records: Records) -> list[tuple[Engine, list[Experiment], int]]:
        """What each engine carries out, and how many runs those are, controls among them: how long it takes."""
        by_engine: dict[str, tuple[Engine, list[Experiment], int]] = {}
        for each, sides in self._experiments(self.sides(engines, records(self.name))):
            for engine, experiment in sides.campaigns(each):
                times = 1 + self.controls * (engine.name == self.candidate)
                _, before, so_far = by_engine.get(engine.name, (engine, [], 0))
                by_engine[engine.name] = engine, [*before, experiment], so_far + times * count(experiment)
        return list(by_engine.values())

    def measure(
        self, store: Store, engines: Sequence[Engine], jobs: int | None, progress: Callable[[], None],
        records: Records = unmeasured,
    ) -> tuple[Record, list[str]]:  # fmt: skip
        """Runs what is missing on these engines: the record of all runs and controls, and what failed."""
        record = self._compare(self.sides(engines, records(self.name)), store, jobs, progress)
        failed = list(failures(record.conditions))
        if failed or isinstance(record, Checks) or not self.controls:
            return record, failed
        candidate = next(each for each in engines if each.name == self.candidate)
        controls = {
            shift: self.against(ControlEngine(candidate, shift), engines, record, store, jobs, progress)
            for shift in range(SHIFT, SHIFT * (self.controls + 1), SHIFT)
        }
        failed = [text for each in controls.values() for text in failures(each.conditions)]
        return record if failed else with_controls(record, controls), failed

    def repeated(
        self, store: Store, engines: Sequence[Engine], record: Record | None, jobs: int | None
    ) -> Record | None:
        """The record of another build of the reference as one of today's, where today's repeats a sample of it.

        None: it does not, or there is nothing to repeat.
        """
        reference = next((each for each in engines if each.name == self.reference), None)
        if reference is None or reference.live or not isinstance(record, Agreement | Checks):
            return None
        if (record.reference.identity, record.reference.figures) == (reference.identity(), figures_identity()):
            return None
        candidate = next(each for each in engines if each.name == self.candidate)
        sides = KnownSides(candidate, reference, self.seeds, self.floor, record)
        side = sides.repeated(store, self._experiments(sides), jobs)
        return None if side == record.reference else record.model_copy(update={"reference": side})

    def fits(self, record: Agreement | Curves, engines: Sequence[Engine]) -> bool:
        """Whether a record is of today's candidate and conditions; curves need the reference's own runs."""
        own = [engine for engine in engines if engine.name == self.candidate]
        if not own or record.candidate.identity != own[0].identity():
            return False
        if isinstance(record, Curves):
            return self.reference in {engine.name for engine in engines}
        return all(sides.known(each) for each, sides in self._experiments(self.sides(own, record)))

    def against(  # noqa: PLR0913, PLR0917 (which, beside what, and how)
        self, other: Engine, engines: Sequence[Engine], known: Record, store: Store, jobs: int | None,
        progress: Callable[[], None] = lambda: None,
    ) -> Agreement | Curves:  # fmt: skip
        """The same with another engine in the candidate's place, and the reference's runs as they are known."""
        sides = replace(
            self.sides([other, *engines], known, candidate=other.name),
            record=known if isinstance(known, Agreement) else None,
        )
        record = self._compare(sides, store, jobs, progress)
        assert isinstance(record, Agreement | Curves)  # noqa: S101 (checks have no controls)
        return record

    def _compare(
        self, sides: KnownSides, store: Store, jobs: int | None, progress: Callable[[], None]
    ) -> Agreement | Checks | Curves:
        if self.kind == "checks":
            return run_checks(store, checks(), sides, jobs=jobs, progress=progress)
        experiments = [each for each, _ in self._experiments(sides)]
        if self.kind == "curves":
            return compare_curves(store, experiments, sides, specs=self.specs, jobs=jobs, progress=progress)
        source = Source(
            stratum=self.stratum, random=self.random, seed=self.seed, duration=self.duration,
            most_packets=self.most_packets,
        )  # fmt: skip
        return judged_again(compare_engines(store, experiments, sides, source, jobs=jobs, progress=progress))

    def sides(self, engines: Sequence[Engine], recorded: Record | None, candidate: str | None = None) -> KnownSides:
        """Both engines. Runs of the record stand for those that the engine of its identity would give again.

        They do so, too, for an engine that is not among these.
        """
        by_name = {engine.name: engine for engine in engines}
        reference = by_name.get(self.reference)
        if not isinstance(recorded, Agreement | Checks):
            recorded = None
        if reference is None:
            absent_side = Side(engine=self.reference, identity="", seeds=(), measured_on={})
            reference = Recorded(recorded.reference if recorded else absent_side)
        elif recorded and recorded.reference.identity != reference.identity():
            recorded = None
        return KnownSides(by_name[candidate or self.candidate], reference, self.seeds, self.floor, recorded)

    def _drawn(self) -> Iterator[Experiment]:
        return drawn(self.stratum, self.random, self.seed, duration=self.duration, most_packets=self.most_packets)

    def _experiments(self, sides: KnownSides) -> list[tuple[Experiment, KnownSides]]:
        """Every experiment, and with which seeds."""
        if self.kind == "checks":
            return [(each.experiment, each.sides(sides)) for each in checks()]
        if self.kind == "curves":
            return [(each, sides) for each in single_flows(self.specs)]
        return [(each, sides) for each in self._drawn()]


class ClaimsPart(SeparatePart):
    """Claims of a study: each one's verdict on every engine, side by side with what was published."""

    record_type: ClassVar = ClaimsRecord

    kind: Literal["claims"] = "claims"
    study: str
    note: str
    columns: tuple[Column, ...]
    """Each an engine with a version of the algorithm."""
    claims: tuple[str, ...] = ()
    """None: all of the study."""
    figures: tuple[str, ...] = ()
    """Of the study, those that the page shows; their panels say on which engine they were measured."""
    seeds: int | None = None
    """Seeds 1 to this many; None: the study's own."""

    @property
    @override
    def engines(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(column.engine for column in self.columns))

    def total(self, engines: Sequence[Engine], records: Records = unmeasured) -> int:
        """How many runs these engines have to give."""
        del records
        return sum(count_runs(self.study_on(engine.name), engine) for engine in engines)

    def measure(
        self, store: Store, engines: Sequence[Engine], jobs: int | None, progress: Callable[[], None],
        records: Records = unmeasured,
    ) -> tuple[Record, list[str]]:  # fmt: skip
        """Runs what is missing on these engines, and judges on every engine that the store has all runs of."""
        del records
        failed = [
            f"{failure.run_id}: {failure.error}"
            for engine in engines
            for failure in run(self.study_on(engine.name), store, engine, jobs, lambda _: progress())
        ]
        studies = {engine: self.study_on(engine) for engine in self.engines}
        record = judge_claims(studies, store, engines, self.columns, self.figures)
        return record.model_copy(update={"note": self.note}), failed

    def study_on(self, engine: str) -> Study:
        """As much of the study as an engine's columns need."""
        variants = [column.variant for column in self.columns if column.engine == engine]
        return only(
            load(self.study, seeds=self.seeds), claims=self.claims or None, variants=variants, alternatives=False
        )


class MutantsPart(TomlTable):
    """Deliberate errors in the candidate, held against the controls of other parts."""

    record_type: ClassVar = MutantsRecord

    name: str
    kind: Literal["mutants"] = "mutants"
    of: tuple[Kind, ...] = ("path", "tcp", "cc")
    """Errors of these kinds."""
    parts: tuple[str, ...] = ()
    """The parts that they run; none: all."""
    against: tuple[ComparisonPart, ...] = ()
    """In this order; filled in by the plan: those that there are."""

    @property
    def engines(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(engine for part in self.against for engine in part.engines))

    @property
    def mutants(self) -> tuple[Mutant, ...]:
        return tuple(each for each in mutants() if each.kind in self.of)

    def obstacle(self, engines: Sequence[Engine], records: Records) -> str | None:
        """Why no mutant can be judged."""
        if not self._known(engines, records):
            return f"{self.name} need the records of other parts, and none is of the engines of now"
        return None

    def total(self, engines: Sequence[Engine], records: Records = unmeasured) -> int:
        """How many mutants there are."""
        del engines, records
        return len(self.mutants)

    def measure(
        self, store: Store, engines: Sequence[Engine], jobs: int | None, progress: Callable[[], None],
        records: Records = unmeasured,
    ) -> tuple[Record, list[str]]:  # fmt: skip
        """Builds and judges every mutant."""
        record = judge_mutants(
            self.mutants, store, engines, self._known(engines, records), jobs=jobs, progress=progress
        )
        return record, []

    def _known(self, engines: Sequence[Engine], records: Records) -> list[tuple[ComparisonPart, Agreement | Curves]]:
        """The parts that were measured with what there is now."""
        recorded = [(part, records(part.name)) for part in self.against]
        return [
            (part, record)
            for part, record in recorded
            if isinstance(record, Agreement | Curves) and record.controls and part.fits(record, engines)
        ]


class HostsSide(TomlTable):
    """An engine, and how much of a study of real hosts it runs."""

    engine: str
    seeds: int | None = None
    """Seeds 1 to this many; None: the study's own."""
    tables: tuple[str, ...] = ()
    """None: all of the part's."""
    instead: dict[str, str] = Field(default_factory=dict)
    """What it has in the place of fields that it cannot honour, by path."""


class HostsPart(SeparatePart):
    """A study of points that others measured on real hosts: how far each engine is from them."""

    record_type: ClassVar = HostsRecord

    kind: Literal["hosts"] = "hosts"
    study: str
    apart: bool = False
    """The study lies in `dev/data`, and no wheel has it, because nobody gave leave to pass on what was measured."""
    tables: tuple[str, ...]
    """Its experiments with measured points, in the order of the page."""
    pairs: tuple[tuple[str, str], ...] = ()
    """Tables that have an algorithm each, whose gain over the other is told."""
    drawn: tuple[str, ...] = ()
    """Tables whose points, under their first settings, are drawn and counted together; None: all."""
    by: str = ""
    """The remark that alone parts the points; empty: each that does."""
    every: dict[str, int] = Field(default_factory=dict)
    """Of tables with very many points every so many-th, by table."""
    bars: tuple[HostBar, ...] = ()
    """For every engine, in every table; they were set before any run."""
    sides: tuple[HostsSide, ...]
    note: str = ""
    """What its page says besides."""

    @property
    @override
    def engines(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(side.engine for side in self.sides))

    def total(self, engines: Sequence[Engine], records: Records = unmeasured) -> int:
        """How many runs these engines have to give."""
        del records
        study = self.loaded()
        return sum(
            count(each.experiment_of(self._measured(study, table)))
            for table in self.tables
            for each in self._compared_engines(table, engines)
        )

    def measure(
        self, store: Store, engines: Sequence[Engine], jobs: int | None, progress: Callable[[], None],
        records: Records = unmeasured,
    ) -> tuple[Record, list[str]]:  # fmt: skip
        """Runs what is missing on these engines; the others' numbers stay, as far as the points are the same."""
        study, earlier = self.loaded(), records(self.name)
        known = {each.table: each for each in earlier.tables} if isinstance(earlier, HostsRecord) else {}
        tables: list[MeasuredTable] = []
        failed: list[str] = []
        for table in self.tables:
            compared, spec = self._compared_engines(table, engines), spec_hash(study, table)
            measured = hold(self._measured(study, table), store, compared, jobs=jobs, progress=progress)
            failed += measured.failures
            old = known.get(table)
            old = old if old and old.spec == spec else None
            here = [each.engine.name for each in compared]
            bars = [
                *outcomes(measured, self.bars),
                *(each for each in (old.bars if old else ()) if each.engine not in here),
            ]
            own = differences(measured) if self.apart else measured
            merged = with_earlier_values(own, old.record if old else None, here)
            tables.append(MeasuredTable(table=table, spec=spec, record=merged, bars=tuple(bars)))
        record = HostsRecord(
            study=study.name, short=study.manifest.short, testbed=study.manifest.testbed, pairs=self.pairs,
            drawn=self.drawn or self.tables, by=self.by, tables=tuple(tables),
            instead={side.engine: side.instead for side in self.sides if side.instead},
            note=self.note, differences_only=self.apart,
        )  # fmt: skip
        return record, failed

    def loaded(self) -> Study:
        """The study, from where it lies."""
        return read(files("dev").joinpath("data", self.study)) if self.apart else load(self.study)

    def _measured(self, study: Study, table: str) -> HostMeasurements:
        """The points of a table that are compared."""
        return study.measured[table].every(self.every.get(table, 1))

    def _compared_engines(self, table: str, engines: Sequence[Engine]) -> list[ComparedEngine]:
        """Each of these engines that runs a table, with its seeds."""
        by_name = {engine.name: engine for engine in engines}
        return [
            ComparedEngine(by_name[side.engine], side.seeds, side.instead)
            for side in self.sides
            if side.engine in by_name and table in (side.tables or self.tables)
        ]


AnyPart: TypeAlias = AdvicePart | ComparisonPart | ClaimsPart | HostsPart | MutantsPart | PhasesPart | ScalePart


class Plan(TomlTable):
    """All parts, in the order of the page."""

    parts: tuple[Annotated[AnyPart, Field(discriminator="kind")], ...]

    @field_validator("parts", mode="after")
    @classmethod
    def _mutants_are_compared_with_the_others(cls, parts: tuple[AnyPart, ...]) -> tuple[AnyPart, ...]:
        others = tuple(part for part in parts if isinstance(part, ComparisonPart) and part.controls)
        return tuple(
            part.model_copy(
                update={
                    "against": part.against or tuple(of for of in others if not part.parts or of.name in part.parts)
                }
            )
            if isinstance(part, MutantsPart)
            else part
            for part in parts
        )

    @property
    def engines(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(engine for part in self.parts for engine in part.engines))

    def only(self, names: Collection[str]) -> Plan:
        """The plan with these parts alone; `hosts` names all that are about real hosts.

        Raises:
            ValidationError: there is no such part.
        """
        known = [*(part.name for part in self.parts), HOSTS]
        for name in names:
            if name not in known:
                hint = suggestion(name, known) or f"known: {', '.join(known)}"
                raise ValidationError(f'validation has no part "{name}"; {hint}')
        kinds = ABOUT_HOSTS if HOSTS in names else ()
        return Plan(parts=tuple(part for part in self.parts if part.name in names or part.kind in kinds))


def load_plan(file: Path | None = None) -> Plan:
    """What `docs/validation.md` shows, or the plan in another file.

    Raises:
        ValidationError: it is no plan.
    """
    path = files("dev.validation").joinpath("plan.toml") if file is None else file
    try:
        return Plan.model_validate(tomllib.loads(text_of(path, "a TOML file")))
    except Unreadable as error:
        raise ValidationError(f"{path}: {error}") from None
    except (ValueError, RecursionError) as error:
        raise ValidationError(f"{path}: is no plan of a validation: {error}") from None
