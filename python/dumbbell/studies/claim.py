"""Claims as `claims.toml` has them: what is checked, where, and within which bounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    FiniteFloat,
    InstanceOf,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
    with_config,
)
from typing_extensions import TypedDict

from dumbbell.engines.family import NAMES, family
from dumbbell.errors import StudyError
from dumbbell.metrics.number import Limits
from dumbbell.problem import suggestion
from dumbbell.studies.evidence import SeedSweep, Trials
from dumbbell.studies.formula import Formula, Formulas
from dumbbell.studies.manifest import path_of
from dumbbell.studies.verdict import Kind

SCALES: Final = {
    "%": 100.0, "Mbit/s": 1e-6, "Gbit/s": 1e-9, "ms": 1e3, "s": 1.0, "BDP": 1.0, "segments": 1.0, "packets": 1.0,
    "": 1.0,
}  # fmt: skip
"""What a number in base units (shares, bit/s, seconds) is multiplied with to be in the unit of a check."""
ANY: Final = "any"
"""In `why`: on every engine that has no words of its own."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What the claims of a study may name."""

    experiments: Mapping[str, frozenset[str]]
    """The fields that each sweeps, by its name."""
    formulas: Formulas = field(default_factory=lambda: Formulas({}))
    versions: tuple[str, ...] = ()
    """Of the algorithm."""

    def refuse_unswept(self, at: Mapping[str, Any], experiments: Iterable[str]) -> None:
        """Raises a ValueError where a point names a field that an experiment does not sweep."""
        for title in experiments:
            swept = sorted(self.experiments[title])
            for path in set(at) - set(swept):
                raise ValueError(f'{title} does not sweep "{path}"; {suggestion(path, swept) or "it sweeps nothing"}')


def _one_of(noun: str, name: str, known: Iterable[str]) -> str:
    names = sorted(known)
    if name not in names:
        raise ValueError(f'there is no {noun} "{name}"; {suggestion(name, names)}')
    return name


def _experiment(name: str, info: ValidationInfo[Vocabulary]) -> str:
    return _one_of("experiment", name, info.context.experiments)


def _version(name: str, info: ValidationInfo[Vocabulary]) -> str:
    return _one_of("version", name, info.context.versions)


def _engine(name: str) -> str:
    _one_of("engine", family(name), NAMES)
    return name


def _engine_or_any(name: str) -> str:
    return name if name == ANY else _engine(name)


def _unit(unit: str) -> str:
    if unit not in SCALES:
        raise ValueError(f'unknown unit "{unit}"; known: {", ".join(filter(None, SCALES))}')
    return unit


def _formula(text: object, info: ValidationInfo[Vocabulary]) -> object:
    known = info.context
    try:
        return known.formulas.parse(text) if isinstance(text, str) else text
    except StudyError as error:
        raise ValueError(str(error)) from None


ExperimentName: TypeAlias = Annotated[str, AfterValidator(_experiment)]
VersionName: TypeAlias = Annotated[str, AfterValidator(_version)]


@with_config(ConfigDict(extra="allow"))
class CheckTable(TypedDict, total=False):
    """What the sharing of keys needs to know of a check, of a claim or an alternative that says it for its checks."""

    experiment: str
    beside: list[str]


@with_config(ConfigDict(extra="allow"))
class AlternativeTable(TypedDict, total=False):
    """An alternative as it is written."""

    substitutes: dict[str, str]
    checks: list[CheckTable]


@with_config(ConfigDict(extra="allow"))
class ClaimTable(CheckTable, total=False):
    """A claim as it is written."""

    checks: list[CheckTable]
    alternatives: list[AlternativeTable]


class ClaimsFile(BaseModel):
    """`claims.toml` as it is written: tables and lists stand where they must."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    metrics: dict[str, str] = {}
    claims: list[ClaimTable] = []


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Check(_Row):
    """One number, taken of each seed's runs, and the bounds that it must keep."""

    label: str
    experiment: ExperimentName
    beside: tuple[ExperimentName, ...] = ()
    """Other experiments that its metric names as `beside`."""
    metric: Annotated[InstanceOf[Formula], BeforeValidator(_formula)]
    """In base units."""
    spread: Annotated[InstanceOf[Formula] | None, BeforeValidator(_formula)] = None
    """Of a metric that is one number of all seeds together: half the width of an interval about it, all of which must
    keep the bounds."""
    at: dict[str, Any] = {}
    """Values of swept fields: the part of the sweep that counts."""
    published: FiniteFloat | None = None
    """In `unit`, as the bounds."""
    least: FiniteFloat | None = None
    most: FiniteFloat | None = None
    unit: Annotated[str, AfterValidator(_unit)]
    in_seeds: float | None = Field(None, gt=0.5, le=1)
    """The share of the seeds that must keep the bounds; None: as the claim's kind has it."""
    weak: str = ""
    """Why it can hardly fail; empty: it binds."""

    @field_validator("at")
    @classmethod
    def _is_swept(cls, at: dict[str, Any], info: ValidationInfo[Vocabulary]) -> dict[str, Any]:
        info.context.refuse_unswept(at, [info.data["experiment"]] if "experiment" in info.data else [])
        return at

    @model_validator(mode="after")
    def _has_bounds_and_what_its_metric_needs(self) -> Check:
        if self.least is None and self.most is None:
            raise ValueError(f"{self.label} has neither least nor most")
        if self.least is not None and self.most is not None and self.least > self.most:
            raise ValueError(f"{self.label} can be neither: least is {self.least:g}, most {self.most:g}")
        try:
            self.metric.refuse_without(self.beside)
        except StudyError as error:
            raise ValueError(str(error)) from None
        if self.spread is not None and not (self.metric.together and self.spread.together):
            raise ValueError(f"{self.label}: a spread is of all seeds together, and beside a metric that is")
        if self.in_seeds is not None and self.metric.together:
            raise ValueError(f"{self.label}: in_seeds says nothing of one number of all seeds together")
        return self

    @property
    def limits(self) -> Limits:
        """What its metric can be, in `unit`."""
        low, high = (SCALES[self.unit] * limit for limit in self.metric.limits)
        return low, high

    @property
    def experiments(self) -> tuple[str, ...]:
        return (self.experiment, *self.beside)

    def value(self, sweep: SeedSweep, *others: SeedSweep) -> float | None:
        """What is measured of one seed, in `unit`; None where the runs do not give it.

        Raises:
            StudyError: there is not one run at the point.
        """
        part = sweep.where(self.at)
        if self.at and not part.runs:
            sweep.at(self.at)
        value = self.metric.value(part, *others)
        return None if value is None else SCALES[self.unit] * value

    def value_together(self, trials: Trials) -> tuple[float | None, float | None]:
        """What is measured of all seeds together, and its spread, in `unit`; None where the runs do not give it."""
        part = trials.where(self.at)
        value = self.metric.value_together(part)
        spread = None if self.spread is None else self.spread.value_together(part)
        scale = SCALES[self.unit]
        return None if value is None else scale * value, None if spread is None else scale * spread


class Alternative(_Row):
    """What may make a claim hold that does not: other runs for its own, or another reading of what it counts."""

    kind: Kind
    condition: str
    """What is different, in words that stand after "with"."""
    substitutes: dict[ExperimentName, ExperimentName] = {}
    """Experiments whose runs are taken, by the experiment that they stand for."""
    at: dict[str, Any] = {}
    """The part of those runs that counts; empty: all."""
    patch: bool = False
    """They stand for runs at their own points only, and the others stay."""
    checks: tuple[Check, ...]
    """The claim's, or this reading's, of the runs that are taken."""

    @field_validator("at")
    @classmethod
    def _is_swept(cls, at: dict[str, Any], info: ValidationInfo[Vocabulary]) -> dict[str, Any]:
        info.context.refuse_unswept(at, info.data.get("substitutes", {}).values())
        return at

    @property
    def experiments(self) -> tuple[str, ...]:
        return _needed(self.checks)


class Claim(_Row):
    """A claim of the document."""

    id: str
    kind: Literal["N", "Q", "M"]
    """Numeric: the median over seeds keeps the bounds. Ordering or shape, or mechanism: 80 % of the seeds keep them.

    A seed without such a number is outside the bounds.
    """
    section: str
    statement: str
    tolerance: str
    flag: Literal["OK", "SENS", "ART", "CONTRA"]
    source: str
    engines: tuple[Annotated[str, AfterValidator(_engine)], ...] = ()
    """Engines that can test it; empty: all."""
    checks: tuple[Check, ...] = ()
    """Empty: there is nothing that it could be judged by, and `untestable` says why."""
    untestable: str = ""
    """What it lacks, on every engine: runs that the study does not have yet, a testbed; empty if nothing."""
    why: dict[Annotated[str, AfterValidator(_engine_or_any)], dict[VersionName, str]] = {}
    """What is known of the cause, by engine and version, should it not be reproduced."""
    alternatives: tuple[Alternative, ...] = ()
    """What is judged beside it then."""

    @model_validator(mode="before")
    @classmethod
    def _share_keys(cls, row: Mapping[str, Any]) -> dict[str, Any]:
        """Gives each check the keys of a check that the claim has, and each alternative the claim's checks."""
        own = dict(row)
        shared = {key: own.pop(key) for key in set(Check.model_fields) & set(own)}
        own["checks"] = [{**shared, **check} for check in own.get("checks", ())]
        own["alternatives"] = [_with_checks(each, own["checks"], shared) for each in own.get("alternatives", ())]
        return own

    @model_validator(mode="after")
    def _has_checks_or_says_why_not(self) -> Claim:
        if bool(self.checks) == bool(self.untestable):
            raise ValueError("untestable, and has checks" if self.untestable else "there is nothing to check")
        return self

    @property
    def experiments(self) -> tuple[str, ...]:
        """The experiments that it needs."""
        return _needed(self.checks)

    def cause(self, engine: str, variant: str) -> str:
        """What is known of the cause on an engine, by its name, its family's or any; empty if nothing is."""
        for name in (engine, family(engine), ANY):
            if variant in self.why.get(name, {}):
                return self.why[name][variant]
        return ""

    def runs_on(self, engine: str) -> bool:
        """Whether an engine of that name can test it."""
        return not self.engines or bool({engine, family(engine)} & set(self.engines))


def claims_of(rows: Sequence[Mapping[str, Any]], vocabulary: Vocabulary) -> tuple[Claim, ...]:
    """The claims of a study's rows.

    Raises:
        StudyError: rows name what there is not, or lack what they must have: all of that, one a line.
    """
    try:
        claims = TypeAdapter(tuple[Claim, ...]).validate_python(rows, context=vocabulary)
    except ValidationError as error:
        raise StudyError("\n".join(_problems(error, rows))) from None
    twice = [name for name, count in Counter(claim.id for claim in claims).items() if count > 1]
    if twice:
        raise StudyError(f"claims: more than one is called {', '.join(twice)}")
    return claims


def _problems(error: ValidationError, rows: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    """Each with its claim and the field's path; once where alternatives have it from the claim's checks."""
    seen = set()
    for each in error.errors(include_url=False, include_context=False, include_input=False):
        index, *path = each["loc"]
        message = each["msg"].removeprefix("Value error, ")
        inherited = path[:1] == ["alternatives"] and "checks" in path
        problem = (index, *(path[2:] if inherited else path), message)
        if problem not in seen:
            yield ": ".join(filter(None, (f"claim {rows[int(index)].get('id', '?')}", path_of(path), message)))
        seen.add(problem)


def _with_checks(row: Mapping[str, Any], checks: Iterable[Mapping[str, Any]], shared: Mapping[str, Any]) -> Any:  # noqa: ANN401 (not validated yet)
    """An alternative's row with its own checks or the claim's, of the experiments that it substitutes."""
    substitutes: Mapping[str, str] = row.get("substitutes", {})
    if not substitutes and "checks" not in row:
        raise ValueError(f'the alternative "{row.get("condition")}" has neither substitutes nor checks')
    read = [{**shared, **check} for check in row["checks"]] if "checks" in row else list(checks)
    idle = set(substitutes) - {title for check in read for title in (check.get("experiment"), *check.get("beside", ()))}
    if idle:
        raise ValueError(
            f'the alternative "{row.get("condition")}" substitutes {", ".join(sorted(idle))}, of which no check is'
        )
    replaced = [
        {
            **check,
            "experiment": substitutes.get(check.get("experiment", ""), check.get("experiment")),
            "beside": [substitutes.get(title, title) for title in check.get("beside", ())],
        }
        for check in read
    ]
    return {**row, "checks": replaced}


def _needed(checks: Iterable[Check]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(title for check in checks for title in check.experiments))
