"""What is validated, and with how much: `plan.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from dumbbell.spec.problem import suggestion
from dumbbell.validation.agreement import AgreementPart
from dumbbell.validation.claims import ClaimsPart, Column
from dumbbell.validation.curves import CurvesPart
from dumbbell.validation.failure import ValidationError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from pathlib import Path

    from dumbbell.validation.part import Part

KINDS: Final[Mapping[str, Callable[..., Part]]] = {
    "agreement": AgreementPart,
    "claims": ClaimsPart,
    "curves": CurvesPart,
}


@dataclass(frozen=True, slots=True)
class Plan:
    """All parts, in the order of the page."""

    parts: tuple[Part, ...]

    @property
    def engines(self) -> tuple[str, ...]:
        """Of all parts."""
        return tuple(dict.fromkeys(engine for part in self.parts for engine in part.engines))

    def only(self, names: Collection[str]) -> Plan:
        """These parts.

        Raises:
            ValidationError: there is no such part.
        """
        known = [part.name for part in self.parts]
        for name in names:
            if name not in known:
                hint = suggestion(name, known) or f"known: {', '.join(known)}"
                raise ValidationError(f'validation has no part "{name}"; {hint}')
        return Plan(tuple(part for part in self.parts if part.name in names))


def plan(file: Path | None = None) -> Plan:
    """What `docs/validation.md` shows; with `file`, what another plan asks for.

    Raises:
        ValidationError: it is no plan.
    """
    path = files("dumbbell.validation").joinpath("plan.toml") if file is None else file
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8"))["parts"]
        return Plan(tuple(_part(dict(row)) for row in rows))
    except OSError as error:
        raise ValidationError(f"{path}: cannot be read: {error.strerror}") from None
    except (KeyError, TypeError, ValueError) as error:
        raise ValidationError(f"{path}: is no plan of a validation: {error}") from None


def _part(row: dict[str, Any]) -> Part:
    kind = KINDS[row.pop("kind")]
    if "columns" in row:
        row["columns"] = tuple(Column(**column) for column in row["columns"])
    return kind(**{key: tuple(value) if isinstance(value, list) else value for key, value in row.items()})
