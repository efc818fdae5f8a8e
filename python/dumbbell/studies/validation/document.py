"""The document: what was found, kept as JSON, and the page that is made from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from dumbbell.studies.problem import StudyError
from dumbbell.studies.validation.claims import ClaimsSection, found, told

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dumbbell.results.store import Store
    from dumbbell.studies.validation.plan import Plan

SCHEMA: Final = 1
JSON, PAGE = "validation.json", "validation.md"

_HEAD = """\
# Validation

What each engine says about published findings. `make validation` makes this page, and `validation.json`, which it is
written from: neither is edited by hand. Tolerances were set before any run; how each claim is read, and what was
changed about that afterwards, is in its study's README.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """Everything that the page says, but for its words."""

    schema: int
    sections: tuple[ClaimsSection, ...]


def document_of(plan: Plan, store: Store, *, seeds: int | None = None) -> Document:
    """What a store has of a plan: engines without runs are left out, and named.

    Raises:
        StudyError: an engine's runs are there in part.
    """
    return Document(schema=SCHEMA, sections=tuple(found(section, store, seeds=seeds) for section in plan.sections))


def markdown(document: Document, more: Sequence[str] = ()) -> str:
    """The page; `more` are sections in Markdown that other packages make of what they have stored themselves."""
    return "\n".join([_HEAD, *(told(section) for section in document.sections), *more])


def write(document: Document, folder: Path, more: Sequence[str] = ()) -> list[Path]:
    """Writes JSON and page into a folder, and gives where they are."""
    from pydantic import TypeAdapter  # noqa: PLC0415 (late: few need it)

    folder.mkdir(parents=True, exist_ok=True)
    kept = TypeAdapter(Document).dump_json(document, indent=1, ensure_ascii=False).decode() + "\n"
    for name, text in ((JSON, kept), (PAGE, markdown(document, more))):
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    return [folder / JSON, folder / PAGE]


def read(folder: Path) -> Document:
    """The document that `write` kept in a folder.

    Raises:
        StudyError: there is none, or one of another schema.
    """
    from pydantic import TypeAdapter, ValidationError  # noqa: PLC0415 (as above)

    path = folder / JSON
    try:
        document = TypeAdapter(Document).validate_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise StudyError(f"{path}: cannot be read: {error}") from None
    except ValidationError as error:
        raise StudyError(f"{path}: is no validation of this version: {error.error_count()} problems") from None
    if document.schema != SCHEMA:
        raise StudyError(f"{path}: has schema {document.schema}, and this version writes {SCHEMA}")
    return document
