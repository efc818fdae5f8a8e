"""Every key that a spec may have, as the models of `tables` say it: meaning, kind, units, default, limits, examples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import annotated_types as limit
from pydantic import AfterValidator
from pydantic.fields import FieldInfo

from dumbbell.spec.quantity import Quantity
from dumbbell.spec.section import Bounds, Section, plain
from dumbbell.spec.tables import Spec


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One key of a spec."""

    path: str
    """Where it stands: `path.loss`, `flows[].access.rate`; `[]`: in each table of a list."""
    meaning: str
    """Sentences, in Markdown; empty where the model has no docstring."""
    required: bool
    default: Any
    """As a spec would write it; None: there is no value that says the same."""
    swept: bool
    """Whether a list makes it an axis of the sweep."""
    noun: str
    """What it takes: `a rate`, `a whole number`, `one of`, …"""
    units: tuple[str, ...]
    options: tuple[str, ...]
    """Words that may stand there."""
    limits: str
    """As a spec's messages say them; empty: none."""
    examples: tuple[Any, ...]
    """Values, as a spec would write them."""
    extremes: tuple[Any, ...]
    """The least and the most, and where the unit can tell it what is just above the least."""


def keys(table: type[Section] = Spec, within: str = "") -> Iterator[Key]:
    """Give every key of a table and of the tables in it, in their order."""
    for name, field in table.model_fields.items():
        path = f"{within}{field.alias or name}"
        parts = list(_parts(field.annotation, field.metadata))
        yield _key(path, field, parts, listed=name in table.lists)
        for section in (part for part in parts if _is_a(part, Section)):
            yield from keys(section, f"{path}[]." if name in table.lists else f"{path}.")


def _parts(annotation: Any, metadata: Any = ()) -> Iterator[Any]:  # noqa: ANN401 (whatever an annotation is made of)
    """Give the types that an annotation is made of and what is said of them, apart from a sweep's own list."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        yield from _parts(inner[0], inner[1:])
    elif origin in {Union, UnionType}:
        for each in inner:
            if not _is_sweep(each):
                yield from _parts(each)
    elif origin in {list, tuple}:
        yield origin
        yield from _parts(inner[0])
    else:
        yield annotation
    for each in metadata:
        yield from each.metadata if isinstance(each, FieldInfo) else [each]


def _is_sweep(annotation: object) -> bool:
    return any(getattr(each, "tag", "") == "#sweep" for each in get_args(annotation)[1:])


def _is_a(part: object, kind: type) -> bool:
    return isinstance(part, type) and issubclass(part, kind)


def _key(path: str, field: FieldInfo, parts: list[Any], *, listed: bool) -> Key:
    quantity = next((part for part in parts if _is_a(part, Quantity)), None)
    words = (word for part in parts if get_origin(part) is Literal for word in get_args(part))
    options = (*words, *(quantity.keywords if quantity else ()))
    default = None if field.is_required() else plain(field.get_default())
    rules: list[object] = [part.func for part in parts if isinstance(part, AfterValidator)]
    bounds = next((each for each in [*rules, getattr(quantity, "bounds", None)] if isinstance(each, Bounds)), None)
    told = (str(each) if isinstance(each, Bounds) else (each.__doc__ or "").rstrip(".") for each in rules or [bounds])
    lengths = _numbers(parts)
    return Key(
        path=path,
        meaning=field.description or "",
        required=field.is_required(),
        default=None if isinstance(default, dict) else default,
        swept=not listed and _may_be_swept(field.annotation),
        noun=_noun(parts, quantity),
        units=tuple(quantity.units) if quantity else (),
        options=options,
        limits="; ".join(filter(None, told)) if bounds or rules else " ".join(lengths.values()),
        examples=tuple(field.examples or ()),
        extremes=tuple(_extremes(bounds)) if bounds else tuple(lengths),
    )


def _may_be_swept(annotation: Any) -> bool:  # noqa: ANN401 (likewise)
    return _is_sweep(annotation) or any(map(_may_be_swept, get_args(annotation)))


def _noun(parts: list[Any], quantity: type[Quantity] | None) -> str:
    if any(_is_a(part, Section) for part in parts):
        words = "a word" if any(get_origin(part) is Literal for part in parts) else quantity.noun if quantity else ""
        one = f"{words}, or a table" if words else "a table"
        return "tables" if list in parts else one
    if quantity:
        return f"a list of two, each {quantity.noun}" if list in parts else quantity.noun
    if list in parts:
        return "a list of lists of paths"
    if tuple in parts:
        return "a list of words"
    if bool in parts:
        return "true or false"
    simple = {int: "a whole number", float: "a number", str: "text"}
    return next((noun for kind, noun in simple.items() if kind in parts), "a word")


def _numbers(parts: list[Any]) -> dict[int, str]:
    """Limits of a whole number, each with its words."""
    found: dict[int, str] = {}
    if int in parts:
        for part in parts:
            if isinstance(part, limit.Ge):
                found[int(str(part.ge))] = f"from {part.ge}"
            elif isinstance(part, limit.Le):
                found[int(str(part.le))] = f"to {part.le:,}"
    return found


def _extremes(bounds: Bounds[Any]) -> Iterator[str]:
    kind = type(bounds.least)
    yield str(bounds.least)
    yield kind.show(bounds.least.value + 1)
    yield str(bounds.most)
