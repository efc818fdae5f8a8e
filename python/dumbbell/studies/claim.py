"""Claims as `claims.toml` has them: what is checked, where, and within which bounds."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args, get_type_hints

from dumbbell.results.schema import Result
from dumbbell.studies.problem import StudyError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from types import ModuleType

    from dumbbell.studies.evidence import Trial

SCALES = {"%": 100.0, "Mbit/s": 1e-6, "ms": 1e3, "s": 1.0, "BDP": 1.0, "": 1.0}
"""What a number in base units (shares, bit/s, seconds) is multiplied with to be in the unit of a check."""

OF_CLAIM = {"id", "kind", "section", "statement", "tolerance", "flag", "source", "engines", "checks", "why"}
OF_CHECK = {"label", "experiment", "metric", "at", "published", "least", "most", "unit", "in_seeds"}
ANY = "any"
"""In `why`: on every engine that has no words of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One number, taken of each seed's trial, and the bounds that it must keep."""

    label: str
    experiment: str
    measured: Callable[[Trial], float | None]
    """In base units."""
    published: float | None
    """In `unit`, as the bounds."""
    least: float | None
    most: float | None
    unit: str
    in_seeds: float | None
    """The share of the seeds that must keep the bounds, more than half; None: as the claim's kind has it."""
    derived: bool
    """A function of the study makes it: None is then an answer (curves that never cross), else it was not measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A claim of the document."""

    id: str
    kind: Literal["N", "Q", "M"]
    """Numeric: the median over seeds keeps the bounds. Ordering or shape, or mechanism: 80 % of the seeds keep them."""
    section: str
    statement: str
    tolerance: str
    flag: Literal["OK", "SENS", "ART", "CONTRA"]
    source: str
    engines: tuple[str, ...]
    """Engines that can test it; empty: all."""
    checks: tuple[Check, ...]
    why: Mapping[str, Mapping[str, str]]
    """What is known of the cause, by engine and version, should it not be reproduced."""

    @property
    def experiments(self) -> tuple[str, ...]:
        """The experiments that it needs."""
        return tuple(dict.fromkeys(check.experiment for check in self.checks))

    def cause(self, engine: str, variant: str) -> str:
        """What is known of the cause on an engine, by its name, its family's or any; empty if nothing is."""
        for name in (engine, family(engine), ANY):
            if variant in self.why.get(name, {}):
                return self.why[name][variant]
        return ""

    def runs_on(self, engine: str) -> bool:
        """Whether an engine of that name can test it."""
        return not self.engines or bool({engine, family(engine)} & set(self.engines))


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
    _expect(where, row, OF_CLAIM - {"engines", "why"}, OF_CLAIM | OF_CHECK)
    for key, words in (("kind", {"N", "Q", "M"}), ("flag", {"OK", "SENS", "ART", "CONTRA"})):
        if row[key] not in words:
            raise StudyError(f'{where}: {key} is "{row[key]}", not one of {", ".join(sorted(words))}')
    checks = tuple(_check(where, {**shared, **check}, functions, experiments) for check in row["checks"])
    if not checks:
        raise StudyError(f"{where}: there is nothing to check")
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
        why=row.get("why", {}),
    )


def _check(where: str, row: Mapping[str, Any], functions: ModuleType, experiments: set[str]) -> Check:
    _expect(where, row, {"label", "experiment", "metric", "unit"}, OF_CHECK)
    if row["experiment"] not in experiments:
        raise StudyError(
            f'{where}: there is no experiment "{row["experiment"]}"; known: {", ".join(sorted(experiments))}'
        )
    if row["unit"] not in SCALES:
        raise StudyError(f'{where}: unknown unit "{row["unit"]}"; known: {", ".join(filter(None, SCALES))}')
    if "least" not in row and "most" not in row:
        raise StudyError(f"{where}: {row['label']} has neither least nor most")
    return Check(
        label=row["label"],
        experiment=row["experiment"],
        measured=_measured(where, row, functions),
        published=row.get("published"),
        least=row.get("least"),
        most=row.get("most"),
        unit=row["unit"],
        in_seeds=row.get("in_seeds"),
        derived="." not in row["metric"],
    )


def _expect(where: str, row: Mapping[str, Any], needed: set[str], known: set[str]) -> None:
    missing, unknown = sorted(needed - set(row)), sorted(set(row) - known)
    if missing or unknown:
        told = [f"lacks {', '.join(missing)}"] * bool(missing) + [f"has unknown {', '.join(unknown)}"] * bool(unknown)
        raise StudyError(f"{where}: {' and '.join(told)}")


def _measured(where: str, row: Mapping[str, Any], functions: ModuleType) -> Callable[[Trial], float | None]:
    metric, at = row["metric"], row.get("at")
    if "." not in metric:
        function: Callable[[Any], float | None] = getattr(functions, metric, _nothing)
        if getattr(function, "__module__", "") != functions.__name__ or metric.startswith("_"):
            raise StudyError(
                f'{where}: there is no metric "{metric}"; a result\'s has a dot, as bottleneck.loss_per_sent'
            )
        return function if at is None else lambda trial: function(trial.at(at))
    steps = metric.split(".")
    if not _leads_somewhere(steps):
        raise StudyError(f'{where}: no result has "{metric}"')
    return lambda trial: _value(trial.at(at or {}).result, steps)


def _nothing(trial: Trial) -> None:
    """What a name that there is not stands for."""


def _value(result: Any, steps: Iterable[str]) -> float | None:  # noqa: ANN401 (a result, its parts, at last a number)
    for step in steps:
        result = result[step] if isinstance(result, dict) else getattr(result, step)
    return None if result is None else float(result)


def _leads_somewhere(steps: Iterable[str]) -> bool:
    """Whether the classes of a result have this way to a number; a dictionary has every key."""
    place: Any = Result
    for step in steps:
        if is_dataclass(place) or hasattr(place, "model_fields"):
            names = {each.name for each in fields(place)} if is_dataclass(place) else set(place.model_fields)
            if step not in names:
                return False
            place = get_type_hints(place)[step]
        elif get_args(place)[:1] == (str,):
            place = get_args(place)[1]
        else:
            return False
    return float in (place, *get_args(place)) or int in (place, *get_args(place))
