"""What each part came to, a JSON file each in `docs/validation`: the only thing that pages are made from.

A file has the reference's numbers of each condition and seed, so that another simulator is held against them where
there is no kernel. Runs are stored by their figures, each a list over seeds, a condition a line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from dev.checks.record import Checks
from dev.validation.plan import AnyPart, Record, ValidationError
from dumbbell.comparison.record import Agreement
from dumbbell.replacement import replacing

RECORDS: Final = "validation"
"""Folder of the files, beside the page."""
ROLES: Final = ("candidate", "reference", "floor")
"""A condition's runs."""
LOOKED_UP: Final = {"run_id": "", "utilization": None}
"""What runs are looked up by in a store, or nobody compares: it is not stored."""


def recorded_of(part: AnyPart, docs: Path) -> Record | None:
    """What a part came to when it was last measured; None: it was not.

    Raises:
        ValidationError: a file cannot be read, or is not what this version stores.
    """
    path = docs / RECORDS / f"{part.name}.json"
    try:
        if not path.exists():
            return None
        fields = json.loads(path.read_bytes())
        if part.record_type in (Agreement, Checks):
            fields = fields | {"conditions": [_by_run(each) for each in fields["conditions"]]}
        return part.record_type.model_validate_json(json.dumps(fields))
    except OSError as error:
        raise ValidationError(f"{path}: cannot be read: {error}") from None
    except (ValueError, TypeError, KeyError, AttributeError) as error:  # of JSON, of its form, of another schema
        raise ValidationError(f"{path}: is not what this version stores: {error}") from None


def store_record(name: str, record: Record, docs: Path) -> Path:
    """Writes what a part came to, and gives where it is.

    Raises:
        ValidationError: it cannot be written.
    """
    path = docs / RECORDS / f"{name}.json"
    write_text(path, _compact(record) if isinstance(record, Agreement | Checks) else record.model_dump_json() + "\n")
    return path


def write_text(path: Path, content: str) -> None:
    """Writes a file of the validation whole, or leaves the one that is there.

    Raises:
        ValidationError: it cannot be written.
    """
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as partial:
            partial.write_text(content, encoding="utf-8", newline="\n")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Tells of which file it is that something cannot be written.

    Raises:
        ValidationError: it cannot.
    """
    try:
        yield
    except OSError as error:
        raise ValidationError(f"{path}: cannot be written: {error.strerror or error}") from None


def _compact(record: Agreement | Checks) -> str:
    fields = record.model_dump(mode="json")
    conditions = ",\n".join(_json(_by_figure(each)) for each in fields.pop("conditions"))
    head = "".join(f"{_json(key)}: {_json(value)},\n" for key, value in fields.items())
    return f'{{\n{head}"conditions": [\n{conditions}\n]\n}}\n'


def _by_figure(condition: Mapping[str, Any]) -> dict[str, Any]:
    stored = {
        role: columns([{key: each for key, each in run.items() if key not in LOOKED_UP} for run in condition[role]])
        for role in ROLES
    }
    return {**condition, **stored}


def _by_run(condition: Mapping[str, Any]) -> dict[str, Any]:
    return {**condition, **{role: [LOOKED_UP | run for run in rows(condition[role])] for role in ROLES}}


def columns(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Runs of the same figures as lists over runs, whatever figures are of.

    >>> columns([{"seed": 1, "groups": {"a": {"x": 3}}}, {"seed": 2, "groups": {"a": {"x": 4}}}])
    {'seed': [1, 2], 'groups': {'a': {'x': [3, 4]}}}
    """
    first = runs[0] if runs else {}
    return {
        key: columns([run[key] for run in runs]) if isinstance(value, dict) else [run[key] for run in runs]
        for key, value in first.items()
    }


def rows(by_figure: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The runs again.

    >>> rows({"seed": [1, 2], "groups": {"a": {"x": [3, 4]}}})
    [{'seed': 1, 'groups': {'a': {'x': 3}}}, {'seed': 2, 'groups': {'a': {'x': 4}}}]
    """
    parts = {key: rows(each) if isinstance(each, dict) else each for key, each in by_figure.items()}
    return [dict(zip(parts, values, strict=True)) for values in zip(*parts.values(), strict=True)]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
