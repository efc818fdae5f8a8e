"""Whether the proof can fail: deliberate errors in the model, each of which a comparison must notice.

A mutant is the simulator with one change (`mutants.toml`). It runs the conditions that the simulator was validated
with, against the reference's recorded runs. It is noticed where it is worse than the simulator and its controls, in a
test paired by condition (`dev/chance.py`). Each control takes the same test: the controls that it notices are
false alarms, for there is nothing wrong with them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from dev.chance import control_worse, worse
from dev.curves.record import Curves
from dev.mutant import Change, MutantEngine
from dev.table import TomlTable
from dumbbell.comparison.agreement import versions
from dumbbell.comparison.agreement_text import failures
from dumbbell.comparison.record import Agreement, Number
from dumbbell.errors import EngineFailure

if TYPE_CHECKING:
    from dumbbell.engines.protocol import Engine
    from dumbbell.results.store import Store

    Tried = Sequence[tuple["Compared", Agreement | Curves]]
    """Parts, with what the simulator and its controls came to in each."""

FOLDER: Final = "mutants"
"""Beside the store: what is built."""
Kind: TypeAlias = Literal["path", "queue", "tcp", "cc", "bbr3", "line", "source"]
LEVEL: Final = 0.05
"""The probability that an engine without an error is noticed by any of all tests: each has its part of it."""


class Compared(Protocol):
    """A part of the validation, as much of it as a mutant needs."""

    @property
    def name(self) -> str:
        """As its file is called."""

    @property
    def engines(self) -> tuple[str, ...]:
        """The reference, and the candidate."""

    def against(
        self, other: Engine, engines: Sequence[Engine], known: Agreement | Curves, store: Store, jobs: int | None
    ) -> Agreement | Curves:
        """Measures it with the mutant in the candidate's place; what came out."""


class Mutant(Change):
    """A deliberate error."""

    kind: Kind
    why: str
    """What is wrong, in words."""
    first: tuple[str, ...] = ()
    """Parts that are tried before the others."""
    only: tuple[str, ...] = ()
    """Parts whose runs it can change; none: all."""


class Evidence(TomlTable):
    """The least probable of what an engine's tests gave."""

    part: str
    metric: str
    probability: Number
    """That chance makes errors as large."""


class MutantVerdict(TomlTable):
    """What became of a mutant."""

    name: str
    kind: Kind
    why: str
    noticed: bool
    evidence: Evidence | None
    """None: its runs fail."""
    failure: str = ""
    """What the engine said of it where its runs fail."""
    tried: tuple[str, ...]
    """All parts that it was held against."""


class ControlVerdict(TomlTable):
    """What became of the simulator itself under other random streams, in all parts."""

    shift: int
    noticed: bool
    evidence: Evidence


class MutantsRecord(BaseModel):
    """Every mutant, and every control."""

    model_config = ConfigDict(extra="forbid", frozen=True, serialize_by_alias=True, validate_by_name=True)

    schema_version: Literal[3] = Field(default=3, alias="schema")
    versions: dict[str, str | None]
    identity: str
    """Of the simulator without a change."""
    parts: tuple[str, ...]
    """Those that mutants ran."""
    tests: int
    """How many all parts have."""
    level: float
    """Of one test: an engine with a probability below it is noticed."""
    controls: tuple[ControlVerdict, ...]
    mutants: tuple[MutantVerdict, ...]

    @property
    def noticed(self) -> int:
        """How many mutants are noticed: hits."""
        return sum(each.noticed for each in self.mutants)

    @property
    def false_alarms(self) -> int:
        return sum(each.noticed for each in self.controls)


@cache
def mutants() -> tuple[Mutant, ...]:
    """Every mutant, in the order of the file."""
    table = tomllib.loads(files("dev.validation").joinpath("mutants.toml").read_text(encoding="utf-8"))
    return tuple(map(Mutant.model_validate, table["mutants"]))


def judge_mutants(  # noqa: PLR0913 (which, where, against what, and how)
    every: Sequence[Mutant], store: Store, engines: Sequence[Engine], parts: Tried, *, jobs: int | None,
    progress: Callable[[], None],
) -> MutantsRecord:  # fmt: skip
    """Tests every control in every part, then builds each mutant and runs it until a part notices it.

    Raises:
        EngineFailure: the simulator is not what the sources make, so that a mutant would differ in more than its error;
            a mutant's parts are not there; or runs of the reference fail.
    """
    there = {part.name for part, _ in parts}
    for mutant in every:
        if mutant.only and not there & set(mutant.only):
            needed = " or ".join(mutant.only)
            raise EngineFailure(
                f"{mutant.name} needs {needed}, measured with the engines of now: --only {mutant.only[0]}"
            )
    simulator = next(engine for engine in engines if engine.name == parts[0][0].engines[-1])
    if MutantEngine(None, store.folder.parent / FOLDER).identity() != simulator.identity():
        raise EngineFailure("the simulator was not built from the sources that are here; `make build` does it")
    shifts = [shift for shift in parts[0][1].controls if all(shift in known.controls for _, known in parts)]
    of_controls = {
        shift: {part.name: control_worse(known, known.controls.index(shift)) for part, known in parts}
        for shift in shifts
    }
    tests = sum(len({metric for of in of_controls.values() for metric in of[part.name]}) for part, _ in parts)
    level = LEVEL / max(tests, 1)
    controls = []
    for shift, probabilities in of_controls.items():
        evidence = _least(probabilities)
        controls.append(ControlVerdict(shift=shift, noticed=evidence.probability < level, evidence=evidence))
    verdicts = []
    for mutant in every:
        verdicts.append(_judge(mutant, store, engines, parts, level=level, jobs=jobs))
        progress()
    return MutantsRecord(
        versions=versions(), identity=simulator.identity(), parts=tuple(part.name for part, _ in parts), tests=tests,
        level=level, controls=tuple(controls), mutants=tuple(verdicts),
    )  # fmt: skip


def _judge(  # noqa: PLR0913 (which, where, against what, and how)
    mutant: Mutant, store: Store, engines: Sequence[Engine], parts: Tried, *, level: float, jobs: int | None
) -> MutantVerdict:
    engine = MutantEngine(mutant, store.folder.parent / FOLDER)
    probabilities: dict[str, dict[str, float]] = {}
    failure = ""
    own = [each for each in parts if not mutant.only or each[0].name in mutant.only]
    for part, known in sorted(own, key=lambda each: each[0].name not in mutant.first):
        reference = [each for each in engines if each.name == part.engines[0]]
        probabilities[part.name] = {}
        try:
            record = part.against(engine, reference, known, store, jobs)
        except EngineFailure as error:
            if error.engine != engine.name:
                raise
            failure = str(error)
        else:
            if of_reference := list(failures(record.conditions, part.engines[0])):
                raise EngineFailure(f"runs of the reference fail in {part.name}: {of_reference[0]}")
            failure = next(failures(record.conditions, engine.name), "")
            if not failure:
                probabilities[part.name] = worse(known, record)
        if failure or min(probabilities[part.name].values(), default=1.0) < level:
            break
    evidence = None if failure else _least(probabilities)
    return MutantVerdict(
        name=mutant.name, kind=mutant.kind, why=mutant.why, tried=tuple(probabilities), evidence=evidence,
        failure=failure, noticed=evidence is None or evidence.probability < level,
    )  # fmt: skip


def _least(probabilities: Mapping[str, Mapping[str, float]]) -> Evidence:
    """The least probable of an engine's tests; with a probability of 1 where there are none."""
    every = [(probability, part, metric) for part, of in probabilities.items() for metric, probability in of.items()]
    none = (1.0, next(iter(probabilities)), "")
    probability, part, metric = min(every, key=lambda each: each[0], default=none)
    return Evidence(part=part, metric=metric, probability=probability)
