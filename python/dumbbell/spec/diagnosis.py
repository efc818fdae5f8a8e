"""From pydantic's errors to problems, and from a spec with problems to one that the other rules can be asked about."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from pydantic import ValidationError  # noqa: TC002 (pydantic is here anyway)
from pydantic_core import ErrorDetails  # noqa: TC002 (pydantic is here anyway)

from dumbbell.problem import Problem, instead_of, quoted, suggestion
from dumbbell.spec.section import UNKNOWN, Section
from dumbbell.spec.tables import SIZES, WORKLOADS, Change
from dumbbell.spec.writer import toml

Location = tuple[int | str, ...]

LEVELS = 16
"""No field of a spec lies as deep."""
_WORKLOAD_HINT = (
    'use "bulk", { transfer = "100 MB" }, { stream = … }, { trace = "writes.csv" }, { arrivals = … } or'
    " { command = […] }"
)
_SIZE_HINT = 'use "100 kB", { lognormal = … }, { pareto = … } or { cdf = "sizes.csv" }'
_WANTED = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "string_type": "text",
    "list_type": "a list",
    "tuple_type": "a list",
    "model_type": "a table",
    "model_attributes_type": "a table",
    "dict_type": "a table",
}


def problems_of(error: ValidationError, model: type[Section]) -> list[Problem]:
    """Give every problem that pydantic found, in our words."""
    return [_problem(details, model) for details in error.errors(include_url=False)]


def dotted(location: Location) -> str:
    """Write a location as a path.

    >>> dotted(("flows", 2, "cc"))
    'flows[2].cc'
    """
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location).removeprefix(".")


def without(words: Mapping[str, Any], error: ValidationError) -> dict[str, Any]:
    """Copy a spec's words with an unknown value wherever pydantic found a problem."""
    copy: dict[str, Any] = _copied(words)
    for details in error.errors(include_url=False, include_context=False, include_input=False):
        location = _location(details)
        while location and not isinstance(location[-1], str):
            location = location[:-1]
        if location:
            _blank(copy, location, delete=details["type"] == "extra_forbidden")
    return copy


def _location(details: ErrorDetails) -> Location:
    """Give where an error is, without the tags that tell which member of a union was tried."""
    location = details["loc"]
    behind = location[-1:] if details["type"] == "extra_forbidden" else ()  # a key, even if it looks like a tag
    place = location[: len(location) - len(behind)]
    return (*(part for part in place if not (isinstance(part, str) and part.startswith("#"))), *behind)


def _copied(value: Any, levels: int = LEVELS) -> Any:  # noqa: ANN401 (whatever a spec may hold)
    """Copies so many levels: what lies deeper, which is no field, stays the same one."""
    if levels and isinstance(value, dict):
        return {key: _copied(item, levels - 1) for key, item in value.items()}
    return [_copied(item, levels - 1) for item in value] if levels and isinstance(value, list | tuple) else value


def _blank(words: Any, location: Location, *, delete: bool) -> None:  # noqa: ANN401 (likewise)
    try:
        for part in location[:-1]:
            words = words[part]
        if delete:
            del words[location[-1]]
        else:
            words[location[-1]] = UNKNOWN
    except (KeyError, IndexError, TypeError):  # inside something that another problem has blanked
        return


def _problem(details: ErrorDetails, model: type[Section]) -> Problem:
    location, value, context = details["loc"], details["input"], details.get("ctx", {})
    hint = ""
    match details["type"]:
        case "spec":
            told, hint = str(context["message"]), str(context["hint"])
        case "missing":
            told, hint = "missing", _example(model, location)
        case "extra_forbidden":
            told, hint = "unknown key", _known_key(model, location)
        case "literal_error":
            options = re.findall(r"'([^']*)'", str(context["expected"]))
            told, hint = f"unknown {quoted(value)}", suggestion(value, options)
        case "union_tag_not_found" | "union_tag_invalid":
            keys = ", ".join(map(quoted, value)) if isinstance(value, dict) else ""
            wished = next((key for key in value if instead_of(key)), None) if keys else value
            noun, usual = ("size", _SIZE_HINT) if _last_key(location) == "size" else ("workload", _WORKLOAD_HINT)
            told = f"{f'a table with {keys}' if keys else quoted(value)} is no {noun}"
            hint = suggestion(wished, ()) or usual
        case "greater_than_equal" | "less_than_equal" | "less_than" | "greater_than":
            bounds = {"ge": "at least", "le": "at most", "lt": "less than", "gt": "more than"}
            bound = next(f"{words} {_plainly(context[key])}" for key, words in bounds.items() if key in context)
            told, hint = f"{quoted(value)} is out of range", bound
        case "too_short":
            told, hint = "the list is too short" if value else "the list is empty", _example(model, location)
        case "too_long":
            told, hint = "the list is too long", f"at most {context['max_length']}"
        case kind if kind in _WANTED:
            told, hint = f"must be {_WANTED[kind]}, not {quoted(value)}", _example(model, location)
        case _:
            told = details["msg"]
    return Problem(dotted(_location(details)), told, hint)


def _plainly(number: object) -> object:
    return int(number) if isinstance(number, float) and number.is_integer() else number


def _last_key(location: Location) -> str:
    return next((part for part in reversed(location) if isinstance(part, str) and not part.startswith("#")), "")


def _example(model: type[Section], location: Location) -> str:
    """Show how the field at a location is written, if it has an example."""
    owner, key = _owner(model, location)
    field = owner.model_fields.get(owner.attribute(key)) if owner else None
    if not field or not field.examples:
        return ""
    example = field.examples[0]
    header = isinstance(example, str) and example.startswith("[")
    return f"write {example if header else toml({key: example}).rstrip()}"


def _known_key(model: type[Section], location: Location) -> str:
    """Suggest a key of the table that a location is in, or the table that has such a key."""
    *place, key = location
    table_of, inner = _owner(model, place)
    owner = _section(table_of, inner) if table_of and inner else table_of
    if owner is None or not isinstance(key, str):
        return ""
    if owner is Change:
        return "of a path only the rate changes in time: at and rate"
    known = [field.alias or name for name, field in owner.model_fields.items()]
    for name in () if instead_of(key) else model.model_fields:
        table = _section(model, name)
        if table and table is not owner and key in table.model_fields:
            return f'"{key}" belongs in [{name}]' if name != "flows" else f'"{key}" belongs in [[flows]]'
    return suggestion(key, known)


def _owner(model: type[Section], location: Sequence[int | str]) -> tuple[type[Section] | None, str]:
    """Give the table that the last key of a location is in, and that key."""
    owner: type[Section] | None = model
    key = ""
    for part in location:
        if isinstance(part, int) or part in {"#one", "#sweep", "#bulk", "#fixed"}:
            continue
        if part.startswith("#"):
            owner, key = (WORKLOADS | SIZES)[part[1:]], ""
            continue
        if key:
            owner = _section(owner, key) if owner else None
        key = part
    return owner, key


def _section(model: type[Section], key: str) -> type[Section] | None:
    """Give the table that a key of another table holds, if it holds one."""
    field = model.model_fields.get(key)
    pending = [field.annotation] if field else []
    while pending:
        annotation = pending.pop()
        if isinstance(annotation, type) and issubclass(annotation, Section):
            return annotation
        pending += [part for part in get_args(annotation) if not isinstance(part, str)]
    return None
