"""Whether the proof can fail: deliberate errors in the model, each of which a band or a limit must notice.

A mutant is the simulator with one change (`mutants.toml`). It runs the conditions that the simulator was validated
with, against the reference's recorded runs, and is held against the same bands. It is noticed by what the simulator
itself keeps, and the mutant does not. The control is the simulator without a change, but with other random streams:
what it breaks, chance breaks, and no mutant is noticed by.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from dumbbell.comparison.agreement import judged_again, versions
from dumbbell.comparison.agreement_text import failures, limit_texts
from dumbbell.comparison.record import Agreement, Curves
from dumbbell.engines.mutant import Change, ControlEngine, MutantEngine, sources
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
SHIFT: Final = 100
"""By how much the seeds of the control's random streams are others than the simulator's: more than any part has."""


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
    ) -> Agreement | Curves:
        """Measures it with the mutant in the candidate's place; what came out."""


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

    schema_version: Literal[2] = Field(default=2, alias="schema")
    versions: dict[str, str | None]
    identity: str
    """Of the simulator without a change."""
    shift: int
    """By how much the seeds of the control's random streams are moved."""
    control: dict[str, tuple[str, ...]]
    """By part, what the simulator without a change breaks with other random streams; it counts for no mutant."""
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
    """Runs the control in every part, then builds each mutant and runs it until a part notices it.

    Raises:
        EngineFailure: the simulator is not what the sources make, so that a mutant would differ in more than its error;
            or runs of the reference or of the control fail.
    """
    simulator = next(engine for engine in engines if engine.name == parts[0][0].engines[-1])
    if MutantEngine(None, _sources(), store.folder.parent / FOLDER).identity() != simulator.identity():
        raise EngineFailure("the simulator was not built from the sources that are here; `make build` does it")
    control: dict[str, tuple[str, ...]] = {}
    kept: dict[str, set[str]] = {}
    for part, known in parts:
        record = part.against(ControlEngine(simulator, SHIFT), _others(part, engines), known, store, jobs)
        if failed := failures(record):
            raise EngineFailure(f"runs of the control fail in {part.name}: {failed[0]}")
        control[part.name] = tuple(_broken(record).values())
        kept[part.name] = _kept(judged_again(known) if isinstance(known, Agreement) else known) & _kept(record)
    found = []
    for mutant in every:
        found.append(_judge(mutant, store, engines, parts, kept=kept, jobs=jobs))
        progress()
    return MutantsRecord(
        versions=versions(), identity=simulator.identity(), shift=SHIFT, control=control, mutants=tuple(found)
    )


def _judge(  # noqa: PLR0913 (which, where, against what, and how)
    mutant: Mutant, store: Store, engines: Sequence[Engine], parts: Tried, *, kept: Mapping[str, set[str]],
    jobs: int | None,
) -> MutantVerdict:  # fmt: skip
    engine = MutantEngine(mutant.change, _sources(), store.folder.parent / FOLDER)
    tried: list[str] = []
    broke: list[str] = []
    for part, known in sorted(parts, key=lambda each: each[0].name not in mutant.first):
        tried.append(part.name)
        try:
            record = part.against(engine, _others(part, engines), known, store, jobs)
        except EngineFailure as failure:
            if failure.engine != engine.name:
                raise
            broke = [f"its runs fail: {failure}"]
        else:
            if of_reference := failures(record, part.engines[0]):
                raise EngineFailure(f"runs of the reference fail in {part.name}: {of_reference[0]}")
            broken = (text for key, text in _broken(record).items() if key in kept[part.name])
            broke = [*failures(record, engine.name), *broken]
        if broke:
            break
    return MutantVerdict(
        name=mutant.name, kind=mutant.kind, why=mutant.why, broke=tuple(broke), part=tried[-1] if broke else None,
        tried=tuple(tried),
    )  # fmt: skip


def _others(part: Compared, engines: Sequence[Engine]) -> list[Engine]:
    """The reference, where it is on this machine."""
    return [each for each in engines if each.name == part.engines[0]]


def _broken(record: Agreement | Curves) -> dict[str, str]:
    """What does not hold, in words."""
    return {key: text for key, text in _limits(record) if text}


def _kept(record: Agreement | Curves) -> set[str]:
    """What holds; a limit without data is not broken."""
    return {key for key, text in _limits(record) if not text}


def _limits(record: Agreement | Curves) -> Iterator[tuple[str, str]]:
    """Every limit, and what it says where it is broken: a mutant may break the one of a band that chance does not."""
    if isinstance(record, Agreement):
        for band in record.bands:
            yield from ((f"{band.metric}: {name}", text) for name, text in limit_texts(band).items())
    else:
        for case in record.cases:
            for each in case.comparisons:
                yield f"{case.name}: {each.label}", "" if each.holds else f"{case.name}: {each.label}"


def _sources() -> Path:
    found = sources()
    if found is None:
        raise EngineFailure("mutants are built from dumbbell's sources, which are not here")
    return found
