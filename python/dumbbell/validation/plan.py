"""What is validated, and with how much: `plan.toml`."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field

from dumbbell.errors import DumbbellError
from dumbbell.spec.problem import suggestion
from dumbbell.validation.part import Part

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path


class ValidationError(DumbbellError):
    """The plan, or what is stored, is not as it must be."""


class Plan(BaseModel):
    """All parts, in the order of the page."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    parts: tuple[Annotated[Part, Field(discriminator="kind")], ...]

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
