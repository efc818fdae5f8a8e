"""What is validated, and with how much: the parts of `plan.toml`, each of which is measured into a record."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Collection, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from dumbbell.comparison import curves, random_conditions
from dumbbell.comparison.agreement_text import failures
from dumbbell.comparison.campaigns import Sides, compare_engines, runs
from dumbbell.comparison.record import Agreement, Curves, Source
from dumbbell.engines.protocol import Engine
from dumbbell.errors import DumbbellError
from dumbbell.problem import suggestion
from dumbbell.results.store import Store
from dumbbell.spec import Experiment
from dumbbell.studies import Study, load, only, run
from dumbbell.studies.execution import count_runs
from dumbbell.validation.claims import ClaimsRecord, Column, judge_claims

Record: TypeAlias = Agreement | Curves | ClaimsRecord


class ValidationError(DumbbellError):
    """The plan, or what is stored, is not as it must be."""


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ComparisonPart(_Table):
    """Two engines held against one another: over conditions drawn at random, or flow by flow in curves."""

    needs_all_engines: ClassVar = True

    name: str
    """As its file is called, and as a command asks for it."""
    kind: Literal["agreement", "curves"]
    candidate: str
    reference: str
    seeds: int
    """Of each engine's runs."""
    floor: int
    """More seeds of the reference, which it is held against itself with."""
    random: int = 0
    """How many conditions are drawn."""
    seed: int = 0
    """Of the draw."""
    duration: str = random_conditions.USUAL_DURATION
    most_packets: int = random_conditions.MOST_PACKETS

    @property
    def engines(self) -> tuple[str, ...]:
        """The reference first: it takes longer, and its absence is noticed at once."""
        return (self.reference, self.candidate)

    @property
    def record_type(self) -> type[Agreement | Curves]:
        """What `measure` makes."""
        return Curves if self.kind == "curves" else Agreement

    def total(self, engines: Sequence[Engine]) -> int:
        """How many runs these engines have to give."""
        return runs(self._experiments(), self._sides(engines))

    def measure(
        self, store: Store, engines: Sequence[Engine], jobs: int | None, progress: Callable[[], None]
    ) -> tuple[Record, list[str]]:
        """Runs what is missing on these engines: the record of all runs, and what failed."""
        judge = curves.judge if self.kind == "curves" else None
        source = Source(random=self.random, seed=self.seed, duration=self.duration, most_packets=self.most_packets)
        found = compare_engines(
            store, self._experiments(), self._sides(engines), source, judge, jobs=jobs, progress=progress
        )
        return found, failures(found)

    def _experiments(self) -> list[Experiment]:
        if self.kind == "curves":
            return list(curves.experiments())
        return list(
            random_conditions.conditions(self.random, self.seed, duration=self.duration, most_packets=self.most_packets)
        )

    def _sides(self, engines: Sequence[Engine]) -> Sides:
        by_name = {engine.name: engine for engine in engines}
        return Sides(by_name[self.candidate], by_name[self.reference], self.seeds, self.floor)


class ClaimsPart(_Table):
    """Claims of a study: each one's verdict on every engine, side by side with what was published."""

    needs_all_engines: ClassVar = False
    record_type: ClassVar = ClaimsRecord

    name: str
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
    def engines(self) -> tuple[str, ...]:
        """In the order of the columns."""
        return tuple(dict.fromkeys(column.engine for column in self.columns))

    def total(self, engines: Sequence[Engine]) -> int:
        """How many runs these engines have to give."""
        return sum(count_runs(self.study_on(engine.name), engine) for engine in engines)

    def measure(
        self, store: Store, engines: Sequence[Engine], jobs: int | None, progress: Callable[[], None]
    ) -> tuple[Record, list[str]]:
        """Runs what is missing on these engines, and judges on every engine that the store has all runs of."""
        failed = [
            f"{failure.run_id}: {failure.error}"
            for engine in engines
            for failure in run(self.study_on(engine.name), store, engine, jobs, progress)
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


class Plan(_Table):
    """All parts, in the order of the page."""

    parts: tuple[Annotated[ComparisonPart | ClaimsPart, Field(discriminator="kind")], ...]

    @property
    def engines(self) -> tuple[str, ...]:
        """Of all parts."""
        return tuple(dict.fromkeys(engine for part in self.parts for engine in part.engines))

    def only(self, names: Collection[str]) -> Plan:
        """The plan with these parts alone.

        Raises:
            ValidationError: there is no such part.
        """
        known = [part.name for part in self.parts]
        for name in names:
            if name not in known:
                hint = suggestion(name, known) or f"known: {', '.join(known)}"
                raise ValidationError(f'validation has no part "{name}"; {hint}')
        return Plan(parts=tuple(part for part in self.parts if part.name in names))


def load_plan(file: Path | None = None) -> Plan:
    """What `docs/validation.md` shows, or the plan in another file.

    Raises:
        ValidationError: it is no plan.
    """
    path = files("dumbbell.validation").joinpath("plan.toml") if file is None else file
    try:
        return Plan.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise ValidationError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise ValidationError(f"{path}: is no plan of a validation: {error}") from None
