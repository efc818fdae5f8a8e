"""The page: every part as it is kept, a JSON file each, and the Markdown and figures that are made from them."""

from __future__ import annotations

from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Final

from dumbbell.validation.failure import ValidationError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from dumbbell.validation.plan import Plan

PAGE: Final = "validation.md"
KEPT: Final = "validation"
"""Folder of the JSON files, beside the page."""
FIGURES: Final = "figures"

_HEAD = """\
# Validation

How far the simulator can be trusted, measured: against the real kernel, against theory, against published findings.
`make validation` makes this page, and goes on where it was stopped. What it found is in `validation/`, a file a part;
page and figures are made from that and nothing else, and nothing here is edited by hand. Tolerances were set before any
run; how a claim is read, and what was changed about that afterwards, is in its study's README.

| part | what came out |
| --- | --- |"""


def read(plan: Plan, docs: Path) -> dict[str, str]:
    """What is kept of each part, as far as it was measured.

    Raises:
        ValidationError: a file cannot be read.
    """
    found = {}
    for part in plan.parts:
        path = docs / KEPT / f"{part.name}.json"
        if not path.exists():
            continue
        try:
            found[part.name] = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ValidationError(f"{path}: cannot be read: {error}") from None
    return found


def assure(docs: Path) -> None:
    """Tries whether the page can be written there, before anything is measured for it.

    Raises:
        ValidationError: it cannot.
    """
    with _writable(docs):
        docs.mkdir(parents=True, exist_ok=True)
    for folder in (docs, docs / KEPT, docs / FIGURES):
        if folder.exists():
            with _writable(folder), TemporaryFile(dir=folder):
                pass


def keep(name: str, kept: str, docs: Path) -> Path:
    """Keeps what a part came to.

    Raises:
        ValidationError: it cannot be written.
    """
    path = docs / KEPT / f"{name}.json"
    _write(path, kept)
    return path


def markdown(plan: Plan, kept: Mapping[str, str]) -> str:
    """The page.

    Raises:
        ValidationError: what is kept of a part is not what this version keeps.
    """
    return "\n".join(_lines(plan, kept)).rstrip() + "\n"


def write(plan: Plan, docs: Path) -> list[Path]:
    """Writes page and figures from what is kept, and gives where they are.

    Raises:
        ValidationError: what is kept cannot be read, or what is made of it cannot be written.
    """
    kept = read(plan, docs)
    page = docs / PAGE
    _write(page, markdown(plan, kept))
    drawn = []
    for part in plan.parts:
        if part.name in kept:
            with _understood(part.name), _writable(docs / FIGURES):
                drawn += part.draw(kept[part.name], docs / FIGURES)
    return [page, *drawn]


def _lines(plan: Plan, kept: Mapping[str, str]) -> Iterator[str]:
    yield _HEAD
    sections = []
    for part in plan.parts:
        verdict = f"not measured yet: `dumbbell study validation --only {part.name}`"
        if part.name in kept:
            with _understood(part.name):
                verdict = part.verdict(kept[part.name])
                sections.append(part.told(kept[part.name]))
        yield f"| {part.name} | {verdict} |"
    yield ""
    yield from sections


def _write(path: Path, text: str) -> None:
    with _writable(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")


@contextmanager
def _writable(path: Path) -> Iterator[None]:
    """What is done there can be done."""
    try:
        yield
    except OSError as error:
        raise ValidationError(f"{path}: cannot be written: {error.strerror or error}") from None


@contextmanager
def _understood(name: str) -> Iterator[None]:
    """What is kept of a part is what this version keeps."""
    try:
        yield
    except ValueError as error:  # of JSON, of pydantic, or of another schema
        raise ValidationError(f"{KEPT}/{name}.json: is not what this version keeps: {error}") from None
