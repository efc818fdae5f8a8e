"""Parts of a validation: what each runs on which engines, and the record of what came out."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from dumbbell.comparison import agreement, agreement_text, curves, random_conditions
from dumbbell.comparison.campaigns import Sides, carry_out, engine_sides, runs
from dumbbell.comparison.record import Agreement, Curves, Source
from dumbbell.studies import load, only, run
from dumbbell.studies.execution import count_runs
from dumbbell.validation.claims import ClaimsRecord, Column, judge_claims

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dumbbell.engines.protocol import Engine
    from dumbbell.results.store import Store
    from dumbbell.spec import Experiment
    from dumbbell.studies import Study

Record: TypeAlias = Agreement | Curves | ClaimsRecord


class _Part(BaseModel):
    """One section of the page."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    """As its file is called, and as a command asks for it."""


class ComparisonPart(_Part):
    """Two engines held against one another: over conditions drawn at random, or flow by flow in curves."""

    needs_all_engines: ClassVar = True

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
    """Of the random_conditions."""
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
        sides = self._sides(engines)
        conditions = carry_out(store, self._experiments(), sides, jobs=jobs, progress=progress)
        pair = engine_sides(store, sides, conditions)
        record: Agreement | Curves
        if self.kind == "curves":
            record = curves.judge(store, conditions, (), pair, sides.floor_seeds)
        else:
            source = Source(random=self.random, seed=self.seed, duration=self.duration, most_packets=self.most_packets)
            record = agreement.judge(conditions, source, *pair, sides.floor_seeds)
        return record, agreement_text.failures(record)

    def _experiments(self) -> list[Experiment]:
        if self.kind == "curves":
            return list(curves.experiments())
        return list(
            random_conditions.conditions(self.random, self.seed, duration=self.duration, most_packets=self.most_packets)
        )

    def _sides(self, engines: Sequence[Engine]) -> Sides:
        by_name = {engine.name: engine for engine in engines}
        return Sides(by_name[self.candidate], by_name[self.reference], self.seeds, self.floor)


class ClaimsPart(_Part):
    """Claims of a study: each one's verdict on every engine, side by side with what was published."""

    needs_all_engines: ClassVar = False
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
        failures = [
            f"{failure.run_id}: {failure.error}"
            for engine in engines
            for failure in run(self.study_on(engine.name), store, engine, jobs, progress)
        ]
        studies = {engine: self.study_on(engine) for engine in self.engines}
        record = judge_claims(studies, store, engines, self.columns, self.figures)
        return record.model_copy(update={"note": self.note}), failures

    def study_on(self, engine: str) -> Study:
        """As much of the study as an engine's columns need."""
        variants = [column.variant for column in self.columns if column.engine == engine]
        return only(
            load(self.study, seeds=self.seeds), claims=self.claims or None, variants=variants, alternatives=False
        )


Part: TypeAlias = ComparisonPart | ClaimsPart
