"""What is to be validated, and on which engines: `plan.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files

from dumbbell.studies.selection import only
from dumbbell.studies.study import Study, load


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One engine with one version of the algorithm."""

    title: str
    """In Markdown."""
    engine: str
    variant: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimsPlan:
    """Claims of a study, judged on several engines."""

    study: str
    claims: tuple[str, ...]
    columns: tuple[Column, ...]

    @property
    def engines(self) -> tuple[str, ...]:
        """In the order of the columns."""
        return tuple(dict.fromkeys(column.engine for column in self.columns))

    def study_on(self, engine: str, *, seeds: int | None = None) -> Study:
        """As much of the study as an engine's columns need."""
        variants = [column.variant for column in self.columns if column.engine == engine]
        return only(load(self.study, seeds=seeds), claims=self.claims, variants=variants)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All sections, in order."""

    sections: tuple[ClaimsPlan, ...]

    @property
    def engines(self) -> tuple[str, ...]:
        """Of all sections."""
        return tuple(dict.fromkeys(engine for section in self.sections for engine in section.engines))


def plan() -> Plan:
    """What `docs/validation.md` shows."""
    words = tomllib.loads(files("dumbbell.studies.validation").joinpath("plan.toml").read_text(encoding="utf-8"))
    return Plan(sections=tuple(_section(dict(row)) for row in words["sections"]))


def _section(row: dict[str, object]) -> ClaimsPlan:
    kinds = {"claims": _claims}
    return kinds[str(row.pop("kind"))](row)


def _claims(row: dict[str, object]) -> ClaimsPlan:
    study, claims, columns = row["study"], row["claims"], row["columns"]
    assert isinstance(claims, list)  # noqa: S101 (our own file)
    assert isinstance(columns, list)  # noqa: S101 (likewise)
    return ClaimsPlan(study=str(study), claims=tuple(claims), columns=tuple(Column(**column) for column in columns))
