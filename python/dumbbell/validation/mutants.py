"""Whether the proof can fail: deliberate errors in the model, each of which a band or a limit must notice.

A mutant is the simulator with one change (`mutants.toml`). It runs the conditions that the simulator was validated
with, against the reference's recorded runs, and is held against the same bands. It is noticed by what the simulator
itself keeps, and the mutant does not.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from dumbbell.comparison.agreement import versions
from dumbbell.comparison.agreement_text import band_text
from dumbbell.comparison.record import Agreement, Curves
from dumbbell.engines.mutant import Change, MutantEngine, sources
from dumbbell.errors import EngineFailure
from dumbbell.table import Table

if TYPE_CHECKING:
    from pathlib import Path

    from dumbbell.engines.protocol import Engine
    from dumbbell.results.store import Store

    Tried = Sequence[tuple["Compared", Agreement | Curves]]
    """Parts, with what the simulator came to in each."""

FOLDER: Final = "mutants"
"""Beside the store: what is built."""


class Compared(Protocol):
    """A part of the validation, as much of it as a mutant needs."""

    @property
    def name(self) -> str:
        """As its file is called."""

    @property
    def engines(self) -> tuple[str, ...]:
        """The reference, and the candidate."""

    def against(
        self, mutant: Engine, engines: Sequence[Engine], known: Agreement | Curves, store: Store, jobs: int | None
    ) -> tuple[Agreement | Curves, list[str]]:
        """Measures it with the mutant in the candidate's place; what came out, and what failed."""


class Mutant(Table):
    """A deliberate error."""

    name: str
    kind: Literal["path", "tcp", "cc"]
    why: str
    """What is wrong, in words."""
    file: str
    find: str
    replace: str
    first: tuple[str, ...] = ()
    """Parts that are tried before the others."""

    @property
    def change(self) -> Change:
        """What is done to the sources."""
        return Change(name=self.name, file=self.file, find=self.find, replace=self.replace)


class MutantVerdict(Table):
    """What became of a mutant."""

    name: str
    kind: Literal["path", "tcp", "cc"]
    why: str
    broke: tuple[str, ...]
    """What it breaks in the part that notices it; empty: nothing, in any part."""
    part: str | None
    """The part that notices it first."""
    tried: tuple[str, ...]
    """All parts that it was held against."""


class MutantsRecord(BaseModel):
    """Every mutant."""

    model_config = ConfigDict(extra="forbid", frozen=True, serialize_by_alias=True, validate_by_name=True)

    schema_version: Literal[1] = Field(default=1, alias="schema")
    versions: dict[str, str | None]
    identity: str
    """Of the simulator without a change."""
    mutants: tuple[MutantVerdict, ...]

    @property
    def noticed(self) -> int:
        """How many break something."""
        return sum(bool(each.broke) for each in self.mutants)


@cache
def mutants() -> tuple[Mutant, ...]:
    """Every mutant, in the order of the file."""
    table = tomllib.loads(files("dumbbell.validation").joinpath("mutants.toml").read_text(encoding="utf-8"))
    return tuple(map(Mutant.model_validate, table["mutants"]))


def judge_mutants(  # noqa: PLR0913 (which, where, against what, and how)
    every: Sequence[Mutant], store: Store, engines: Sequence[Engine], parts: Tried, *, jobs: int | None,
    progress: Callable[[], None],
) -> MutantsRecord:  # fmt: skip
    """Builds each mutant, and runs it until a part notices it.

    Raises:
        EngineFailure: the simulator is not what the sources make, so that a mutant would differ in more than its error.
    """
    simulator = next(engine for engine in engines if engine.name == parts[0][0].engines[-1])
    if MutantEngine(None, _sources(), store.folder.parent / FOLDER).identity() != simulator.identity():
        raise EngineFailure("the simulator was not built from the sources that are here; `make build` does it")
    found = []
    for mutant in every:
        found.append(_judge(mutant, store, engines, parts, jobs))
        progress()
    return MutantsRecord(versions=versions(), identity=simulator.identity(), mutants=tuple(found))


def _judge(
    mutant: Mutant, store: Store, engines: Sequence[Engine], parts: Tried, jobs: int | None
) -> MutantVerdict:  # fmt: skip
    engine = MutantEngine(mutant.change, _sources(), store.folder.parent / FOLDER)
    tried, broke = [], []
    for part, known in sorted(parts, key=lambda each: each[0].name not in mutant.first):
        tried.append(part.name)
        others = [each for each in engines if each.name == part.engines[0]]
        try:
            record, failed = part.against(engine, others, known, store, jobs)
        except EngineFailure as failure:
            broke = [f"its runs fail: {failure}"]
        else:
            broke = [*failed, *_broken(record, known)]
        if broke:
            break
    return MutantVerdict(
        name=mutant.name, kind=mutant.kind, why=mutant.why, broke=tuple(broke), part=tried[-1] if broke else None,
        tried=tuple(tried),
    )  # fmt: skip


def _broken(mutant: Agreement | Curves, simulator: Agreement | Curves) -> list[str]:
    """What the simulator keeps, and the mutant does not."""
    if isinstance(mutant, Curves) and isinstance(simulator, Curves):
        kept = {(case.name, each.label) for case in simulator.cases for each in case.comparisons if each.holds}
        return [
            f"{case.name}: {each.label}"
            for case in mutant.cases
            for each in case.comparisons
            if not each.holds and (case.name, each.label) in kept
        ]
    assert isinstance(mutant, Agreement)  # noqa: S101 (both are of one part)
    assert isinstance(simulator, Agreement)  # noqa: S101
    kept_bands = {each.metric for each in simulator.bands if each.holds is not False}
    return [band_text(each) for each in mutant.bands if each.holds is False and each.metric in kept_bands]


def _sources() -> Path:
    found = sources()
    if found is None:
        raise EngineFailure("mutants are built from dumbbell's sources, which are not here")
    return found
