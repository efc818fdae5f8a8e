"""What the explorer's page must know of specs, as JSON: sections, types, quantities, algorithms, words and limits.

The page interprets these tables (`explorer/src/spec/tables.js`), so that each key, bound, unit, default and example is
written once, in Python. What no table can say, rules between fields and validators that are functions, the page has as
twins of the same name. `explorer/TABLES.md` describes the form.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

import annotated_types as limit
from pydantic import AfterValidator, Discriminator, Tag
from pydantic.fields import FieldInfo

import dumbbell.cc as cc
import dumbbell.problem as problem
import dumbbell.spec.diagnosis as diagnosis
import dumbbell.spec.inspection as inspection
import dumbbell.spec.quantity as quantity
import dumbbell.spec.rules as rules
import dumbbell.spec.run as run
import dumbbell.spec.sweep as sweep
import dumbbell.spec.tables as tables
import dumbbell.spec.words as words
import dumbbell.spec.writer as writer
from dumbbell.metrics.statistics import t_quantile
from dumbbell.spec.keys import keys
from dumbbell.spec.quantity import Quantity
from dumbbell.spec.section import Bounds, Section, plain

MOST_DEGREES: Final = 200
"""Of freedom, of which the page has the quantile of Student's t."""
_NUMBERS: Final = {"ge": limit.Ge, "gt": limit.Gt, "le": limit.Le, "lt": limit.Lt}
_SIMPLE: Final[Mapping[type, str]] = {bool: "bool", int: "int", float: "float", str: "str"}
_METHODS: Final = ("read", "spelling", "unknown_unit")
"""Of quantities: what the page has twins of, by the quantity's name."""
_LIMITS: Final = (
    (tables, ("MOST_FLOWS", "MOST_SEEDS", "MOST_ARRIVALS", "LONGEST_NAME")),
    (rules, ("MOST_SAMPLES", "MOST_WRITES")),
    (sweep, ("MOST_POINTS",)),
    (inspection, ("GROUPS_WORTH", "FEWEST_POINTS", "MOST_TOLD", "STRIDE")),
    (problem, ("LONGEST_QUOTE", "LONGEST_LIST", "FEW", "LARGEST_SHOWN_BITS")),
    (quantity, ("MANY", "LARGEST", "_LONGEST", "_LARGEST_EXPONENT")),
    (cc, ("_LONGEST",)),
    (run, ("ETHERNET_HEADER_BYTES", "TCP_IP_HEADER_BYTES", "MTU_BYTES")),
    (writer, ("COLUMNS",)),
)


def page_tables() -> dict[str, Any]:
    """Everything, ready for JSON."""
    sections = list(_sections(tables.Spec))
    return {
        "sections": {section.__name__: _section(section) for section in sections},
        "workloads": {kind: section.__name__ for kind, section in tables.WORKLOADS.items()},
        "sizes": {kind: section.__name__ for kind, section in tables.SIZES.items()},
        "quantities": {kind.__name__: _quantity(kind) for kind in _quantities(Quantity)},
        "algorithms": {name: _algorithm(algorithm) for name, algorithm in cc.known().items()},
        "simulated": list(cc.installed()),
        "variants": {
            name: {"about": variant.about, "base": variant.base, "parameters": dict(variant.parameters)}
            for name, variant in cc.variants().items()
        },
        "wishes": dict(_private(problem, "_INSTEAD")),
        "meant": dict(_private(problem, "_MEANT")),
        "wanted": dict(_private(diagnosis, "_WANTED")),
        "hints": {"workload": _private(diagnosis, "_WORKLOAD_HINT"), "size": _private(diagnosis, "_SIZE_HINT")},
        "largest_buffer": _extreme(rules.LARGEST_BUFFER),
        "largest_buffers": {
            unit: _extreme(most) for unit, most in _private(tables, "_LARGEST_BUFFERS").items()
        } | {"": _extreme(_private(tables, "_LARGEST_BUFFER"))},
        "places": dict(words.PLACES),
        "most_words": words.MOST_WORDS,
        "lists": sorted(writer.LISTS),
        "limits": {
            _limit_name(module.__name__, name): _private(module, name) for module, names in _LIMITS for name in names
        },
        "keys": [asdict(key) for key in keys()],
        "t": [t_quantile(degrees) for degrees in range(1, MOST_DEGREES + 1)],
    }  # fmt: skip


def function_name(function: Callable[..., object]) -> str:
    """The name under which the page has the twin of a function of `dumbbell.spec`: its module's, and its own.

    >>> function_name(words._proper_word)
    'words.properWord'
    """
    return f"{function.__module__.rpartition('.')[2]}.{camel_case(function.__name__)}"


def camel_case(name: str) -> str:
    """A name of Python as JavaScript writes it.

    >>> camel_case("_proper_word")
    'properWord'
    """
    return re.sub(r"_([a-z0-9])", lambda match: match[1].upper(), name.lstrip("_"))


def _private(module: object, name: str) -> Any:  # noqa: ANN401 (whatever the module has)
    return getattr(module, name)


def _limit_name(module: str, name: str) -> str:
    """What a module keeps to itself has the module's name before it: `CC_LONGEST`."""
    return f"{module.rpartition('.')[2].upper()}{name}" if name.startswith("_") else name


def _sections(section: type[Section]) -> Iterator[type[Section]]:
    """A section and, each once, those that stand in it."""
    pending, seen = [section], dict.fromkeys([section])
    while pending:
        found = pending.pop(0)
        yield found
        for field in found.model_fields.values():
            inner = [each for each in _classes(field.annotation) if each not in seen]
            seen.update(dict.fromkeys(inner))
            pending += inner


def _classes(annotation: object) -> Iterator[type[Section]]:
    if isinstance(annotation, type) and issubclass(annotation, Section):
        yield annotation
    for part in get_args(annotation):
        yield from _classes(part)


def _section(section: type[Section]) -> dict[str, Any]:
    return {
        "about": (section.__doc__ or "").strip(),
        "lists": sorted(section.lists),
        "fields": [_field(name, field) for name, field in section.model_fields.items()],
    }


def _field(name: str, field: FieldInfo) -> dict[str, Any]:
    kind = _type(field.annotation, field.metadata)
    default = None if field.is_required() else plain(field.get_default())
    return {
        "key": field.alias or name,
        "attribute": name,
        "required": field.is_required(),
        "default": default,
        "type": kind,
        "write": _write(field.alias or name, field),
        "meaning": field.description or "",
        "examples": list(field.examples or ()),
    }


def _write(key: str, field: FieldInfo) -> str:
    """How a message shows the way in which the field is written, as `diagnosis` does; "" without an example."""
    if not field.examples:
        return ""
    example = field.examples[0]
    header = isinstance(example, str) and example.startswith("[")
    return f"write {example if header else writer.toml({key: example}).rstrip()}"


def _type(  # noqa: PLR0911 (a kind of type each)
    annotation: Any,  # noqa: ANN401 (as typing has it)
    metadata: Iterable[Any] = (),
) -> dict[str, Any]:
    """Describe a type with all that is said of it; that it may be absent is the default's to say."""
    origin, inner = get_origin(annotation), get_args(annotation)
    said = [each for part in metadata for each in (part.metadata if isinstance(part, FieldInfo) else [part])]
    if origin is Annotated:
        return _type(inner[0], (*inner[1:], *said))
    if origin in {Union, UnionType}:
        members = [each for each in inner if each is not NoneType]
        chooser = next((each for each in said if isinstance(each, Discriminator)), None)
        if chooser is None or isinstance(chooser.discriminator, str):
            (only,) = members
            return _type(only, said)
        return {
            "kind": "union",
            "by": function_name(chooser.discriminator),
            "members": {_tag(each): _type(each) for each in members},
        }
    rules = {"rules": [_rule(each) for each in said if isinstance(each, AfterValidator)]}
    if origin is Literal:
        return {"kind": "literal", "options": list(inner)}
    if origin in {list, tuple}:
        return {"kind": origin.__name__, "item": _type(inner[0]), **_lengths(said), **rules}
    if issubclass(annotation, Quantity):
        return {"kind": "quantity", "quantity": annotation.__name__, **rules}
    if issubclass(annotation, Section):
        return {"kind": "section", "section": annotation.__name__}
    return {"kind": _SIMPLE[annotation], **_bounds(said, annotation), **_lengths(said), **rules}


def _tag(annotation: object) -> str:
    return next(each.tag for each in get_args(annotation)[1:] if isinstance(each, Tag))


def _lengths(said: Iterable[object]) -> dict[str, int]:
    """The least and the most entries or characters."""
    found: dict[str, int] = {}
    for each in said:
        if isinstance(each, limit.MinLen):
            found["min"] = each.min_length
        elif isinstance(each, limit.MaxLen):
            found["max"] = each.max_length
    return found


def _bounds(said: Iterable[object], kind: type) -> dict[str, Any]:
    """Limits of a number; whole ones as text, as JavaScript's numbers have no 64 bits."""
    written = str if kind is int else float
    return {
        name: written(getattr(each, name))
        for each in said
        for name, constraint in _NUMBERS.items()
        if isinstance(each, constraint)
    }


def _rule(validator: AfterValidator) -> dict[str, Any]:
    """A function's twin by its name, or bounds."""
    if isinstance(validator.func, Bounds):
        return {"bounds": _extremes(validator.func)}
    function: Any = validator.func
    return {"function": function_name(function)}


def _extremes(bounds: Bounds[Any]) -> dict[str, str]:
    """In base units, as text, and as messages tell them."""
    return {"least": str(bounds.least.value), "most": str(bounds.most.value), "told": str(bounds)}


def _extreme(most: Quantity) -> dict[str, str]:
    return {"value": str(most.value), "text": str(most)}


def _quantities(kind: type[Quantity]) -> Iterator[type[Quantity]]:
    for subclass in kind.__subclasses__():
        yield subclass
        yield from _quantities(subclass)


def _quantity(kind: type[Quantity]) -> dict[str, Any]:
    parent = kind.__mro__[1]
    bounds: Bounds[Any] | None = getattr(kind, "bounds", None)
    return {
        "base": None if parent is Quantity else parent.__name__,
        "noun": kind.noun,
        "zero": kind.zero,
        "usual": dict(kind.usual),
        "units": dict(kind.units),
        "keywords": list(kind.keywords),
        "refused": dict(kind.refused),
        "bounds": [str(bounds.least), str(bounds.most)] if bounds else None,
        "methods": [method for method in _METHODS if method in vars(kind)],
    }


def _algorithm(algorithm: cc.Algorithm) -> dict[str, Any]:
    return {
        "title": algorithm.title,
        "source": algorithm.source,
        "parameters": {
            name: asdict(parameter) | {"wanted": cc._wanted(parameter)}  # noqa: SLF001 (as its messages say it)
            for name, parameter in algorithm.parameters.items()
        },
    }


def main() -> None:
    """Print them."""
    print(json.dumps(page_tables(), ensure_ascii=False, allow_nan=False, separators=(",", ":")))  # noqa: T201


if __name__ == "__main__":
    main()
