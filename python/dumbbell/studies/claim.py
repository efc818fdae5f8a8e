"""Claims as `claims.toml` has them: what is checked, where, and within which bounds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from dumbbell.studies.metric import metric
from dumbbell.studies.problem import StudyError
from dumbbell.studies.verdict import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from types import ModuleType

    from dumbbell.studies.evidence import Trial
    from dumbbell.studies.verdict import Kind

SCALES = {
    "%": 100.0, "Mbit/s": 1e-6, "Gbit/s": 1e-9, "ms": 1e3, "s": 1.0, "BDP": 1.0, "segments": 1.0, "packets": 1.0,
    "": 1.0,
}  # fmt: skip
"""What a number in base units (shares, bit/s, seconds) is multiplied with to be in the unit of a check."""

NEEDED = {"id", "kind", "section", "statement", "tolerance", "flag", "source"}
OF_CLAIM = NEEDED | {"engines", "checks", "why", "untestable", "flips"}
OF_FLIP = {"kind", "by", "instead", "at", "patch", "checks"}
OF_CHECK = {"label", "experiment", "beside", "metric", "at", "published", "least", "most", "unit", "in_seeds", "weak"}
ANY = "any"
"""In `why`: on every engine that has no words of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One number, taken of each seed's trial, and the bounds that it must keep."""

    label: str
    experiment: str
    beside: tuple[str, ...]
    """Other experiments that it needs; a trial of the same seed of each is given after the experiment's own."""
    measured: Callable[..., float | None]
    """Of the trials of one seed, in base units."""
    published: float | None
    """In `unit`, as the bounds."""
    least: float | None
    most: float | None
    unit: str
    in_seeds: float | None
    """The share of the seeds that must keep the bounds, more than half; None: as the claim's kind has it."""
    weak: str
    """Why it can hardly fail; empty: it binds."""
    derived: bool
    """A function of the study makes it: None is then an answer (curves that never cross), else it was not measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """What may make a claim hold that does not: other runs for its own, or another reading of what it counts."""

    kind: Kind
    by: str
    """What is different, in words that stand after "with"."""
    instead: Mapping[str, str]
    """Experiments whose runs are taken, by the experiment that they stand for."""
    at: Mapping[str, Any]
    """The part of those runs that counts; empty: all."""
    patch: bool
    """They stand for runs at their own points only, and the others stay."""
    checks: tuple[Check, ...]
    """The claim's, or this reading's, of the runs that are taken."""

    @property
    def experiments(self) -> tuple[str, ...]:
        """All that it needs."""
        return _asked(self.checks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
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
    engines: tuple[str, ...]
    """Engines that can test it; empty: all."""
    checks: tuple[Check, ...]
    """Empty: there is nothing that it could be judged by, and `untestable` says why."""
    untestable: str
    """What it lacks, on every engine: runs that the study does not have yet, a testbed; empty if nothing."""
    why: Mapping[str, Mapping[str, str]]
    """What is known of the cause, by engine and version, should it not be reproduced."""
    flips: tuple[Flip, ...] = ()
    """What is judged beside it then."""

    @property
    def experiments(self) -> tuple[str, ...]:
        """The experiments that it needs."""
        return _asked(self.checks)

    def cause(self, engine: str, variant: str) -> str:
        """What is known of the cause on an engine, by its name, its family's or any; empty if nothing is."""
        for name in (engine, family(engine), ANY):
            if variant in self.why.get(name, {}):
                return self.why[name][variant]
        return ""

    def runs_on(self, engine: str) -> bool:
        """Whether an engine of that name can test it."""
        return not self.engines or bool({engine, family(engine)} & set(self.engines))


def _asked(checks: Iterable[Check]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(title for check in checks for title in (check.experiment, *check.beside)))


def family(engine: str) -> str:
    """An engine's name without its version.

    >>> family("linux:6.12"), family("sim")
    ('linux', 'sim')
    """
    return engine.partition(":")[0]


def claims_of(
    rows: Iterable[Mapping[str, Any]], functions: ModuleType, experiments: Iterable[str]
) -> tuple[Claim, ...]:
    """The claims of a study's rows; a metric without a dot is one of `functions`.

    Raises:
        StudyError: a row names what there is not, or lacks what it must have.
    """
    known = set(experiments)
    return tuple(_claim(row, functions, known) for row in rows)


def _claim(row: Mapping[str, Any], functions: ModuleType, experiments: set[str]) -> Claim:
    where = f"claim {row.get('id', '?')}"
    shared = {key: value for key, value in row.items() if key in OF_CHECK}
    untestable = row.get("untestable", "")
    _expect(where, row, NEEDED, OF_CLAIM | OF_CHECK)
    for key, words in (("kind", {"N", "Q", "M"}), ("flag", {"OK", "SENS", "ART", "CONTRA"})):
        if row[key] not in words:
            raise StudyError(f'{where}: {key} is "{row[key]}", not one of {", ".join(sorted(words))}')
    checks = tuple(_check(where, {**shared, **check}, functions, experiments) for check in row.get("checks", ()))
    if bool(checks) == bool(untestable):
        raise StudyError(f"{where}: " + ("untestable, and has checks" if untestable else "there is nothing to check"))
    return Claim(
        id=row["id"],
        kind=row["kind"],
        section=row["section"],
        statement=row["statement"],
        tolerance=row["tolerance"],
        flag=row["flag"],
        source=row["source"],
        engines=tuple(row.get("engines", ())),
        checks=checks,
        untestable=untestable,
        why=row.get("why", {}),
        flips=tuple(_flip(where, each, shared, row, functions, experiments) for each in row.get("flips", ())),
    )


def _flip(  # noqa: PLR0913, PLR0917 (it is read as a part of its claim)
    where: str,
    row: Mapping[str, Any],
    shared: Mapping[str, Any],
    claim: Mapping[str, Any],
    functions: ModuleType,
    experiments: set[str],
) -> Flip:
    _expect(f"{where}: a flip", row, {"by", "kind"}, OF_FLIP)
    where = f'{where}: the flip by "{row["by"]}"'
    if row["kind"] not in KINDS:
        raise StudyError(f'{where}: kind is "{row["kind"]}", not one of {", ".join(KINDS)}')
    instead: Mapping[str, str] = row.get("instead", {})
    if not instead and "checks" not in row:
        raise StudyError(f"{where} has neither other runs (instead) nor another reading (checks)")
    checks = [{**shared, **check} for check in row.get("checks", claim.get("checks", ()))]
    idle = set(instead) - {title for check in checks for title in (check.get("experiment"), *check.get("beside", ()))}
    if idle:
        raise StudyError(f"{where} replaces {', '.join(sorted(idle))}, of which no check is")
    for check in checks:
        check["experiment"] = instead.get(check.get("experiment", ""), check.get("experiment", ""))
        check["beside"] = [instead.get(title, title) for title in check.get("beside", ())]
    return Flip(
        kind=row["kind"],
        by=row["by"],
        instead=instead,
        at=row.get("at", {}),
        patch=row.get("patch", False),
        checks=tuple(_check(where, check, functions, experiments) for check in checks),
    )


def _check(where: str, row: Mapping[str, Any], functions: ModuleType, experiments: set[str]) -> Check:
    _expect(where, row, {"label", "experiment", "metric", "unit"}, OF_CHECK)
    for title in (row["experiment"], *row.get("beside", ())):
        if title not in experiments:
            raise StudyError(f'{where}: there is no experiment "{title}"; known: {", ".join(sorted(experiments))}')
    if row["unit"] not in SCALES:
        raise StudyError(f'{where}: unknown unit "{row["unit"]}"; known: {", ".join(filter(None, SCALES))}')
    if "least" not in row and "most" not in row:
        raise StudyError(f"{where}: {row['label']} has neither least nor most")
    return Check(
        label=row["label"],
        experiment=row["experiment"],
        beside=tuple(row.get("beside", ())),
        measured=_measured(where, row, functions),
        published=row.get("published"),
        least=row.get("least"),
        most=row.get("most"),
        unit=row["unit"],
        in_seeds=row.get("in_seeds"),
        weak=row.get("weak", ""),
        derived="." not in row["metric"],
    )


def _expect(where: str, row: Mapping[str, Any], needed: set[str], known: set[str]) -> None:
    missing, unknown = sorted(needed - set(row)), sorted(set(row) - known)
    if missing or unknown:
        told = [f"lacks {', '.join(missing)}"] * bool(missing) + [f"has unknown {', '.join(unknown)}"] * bool(unknown)
        raise StudyError(f"{where}: {' and '.join(told)}")


def _measured(where: str, row: Mapping[str, Any], functions: ModuleType) -> Callable[..., float | None]:
    name, at = row["metric"], row.get("at")
    if "." not in name:
        function: Callable[..., float | None] = getattr(functions, name, _nothing)
        if getattr(function, "__module__", "") != functions.__name__ or name.startswith("_"):
            raise StudyError(
                f'{where}: there is no metric "{name}"; a result\'s has a dot, as bottleneck.loss_per_sent'
            )
        return function if at is None else partial(_at, function, at)
    if row.get("beside"):
        raise StudyError(f"{where}: {name} is of one result; what stands beside another needs a function")
    try:
        return partial(_at, metric(name), at or {})
    except StudyError as error:
        raise StudyError(f"{where}: {error}") from None


def _at(function: Callable[..., float | None], point: Mapping[str, Any], trial: Trial, *others: Trial) -> float | None:
    """Of the run at a point, and of those at the same point in other experiments."""
    run = trial.at(point)
    return function(run, *(other.beside(run) for other in others))


def _nothing(trial: Trial) -> None:
    """What a name that there is not stands for."""
