"""The page: the record of every part, a JSON file each, and the Markdown and figures that are made from them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from textwrap import fill
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from dumbbell.charts.chart import Chart
from dumbbell.comparison import agreement_text
from dumbbell.comparison.charts import curves_figure, errors, scatter
from dumbbell.comparison.curves import is_loss_based
from dumbbell.comparison.record import Agreement, Curves
from dumbbell.metrics.number import amount, listed, places
from dumbbell.studies.verdict import SIGNS
from dumbbell.validation.claims import ClaimsRecord
from dumbbell.validation.plan import Plan, Record, ValidationError

PAGE: Final = "validation.md"
RECORDS: Final = "validation"
"""Folder of the JSON files, beside the page."""
FIGURES: Final = "figures"
COLUMNS: Final = 120


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the plan, with what it came to."""

    name: str
    kind: str
    record: Record | None
    """None: it is not measured yet."""
    charts: tuple[Chart, ...] = ()


def read(plan: Plan, docs: Path) -> list[Section]:
    """The record of each part that was measured.

    Raises:
        ValidationError: a file cannot be read, or is not what this version stores.
    """
    sections = []
    for part in plan.parts:
        path = docs / RECORDS / f"{part.name}.json"
        record: Record | None = None
        try:
            if path.exists():
                record = part.record_type.model_validate_json(path.read_bytes())
        except OSError as error:
            raise ValidationError(f"{path}: cannot be read: {error}") from None
        except ValueError as error:  # of JSON, of pydantic, or of another schema
            raise ValidationError(f"{path}: is not what this version stores: {error}") from None
        sections.append(Section(part.name, part.kind, record, tuple(_charts(record))))
    return sections


def check_writable(docs: Path) -> None:
    """Tries whether the page can be written there, before anything is measured for it.

    Raises:
        ValidationError: it cannot.
    """
    with _writing(docs):
        docs.mkdir(parents=True, exist_ok=True)
    for folder in (docs, docs / RECORDS, docs / FIGURES):
        if folder.exists():
            with _writing(folder), TemporaryFile(dir=folder):
                pass


def store_record(name: str, record: Record, docs: Path) -> Path:
    """Writes what a part came to, and gives where it is.

    Raises:
        ValidationError: it cannot be written.
    """
    path = docs / RECORDS / f"{name}.json"
    _write(path, _compact(record) if isinstance(record, Agreement) else record.model_dump_json() + "\n")
    return path


def markdown(sections: Sequence[Section]) -> str:
    """The page; the same records give the same text."""
    return _environment().get_template("page.md.j2").render(sections=sections).rstrip() + "\n"


def write(plan: Plan, docs: Path) -> list[Path]:
    """Writes page and figures from the stored records, and gives where they are.

    Raises:
        ValidationError: a record cannot be read, or what is made of it cannot be written.
    """
    from dumbbell.charts import image  # noqa: PLC0415 (late: the renderer takes long to load)

    sections = read(plan, docs)
    _write(docs / PAGE, markdown(sections))
    with _writing(docs / FIGURES):
        charts = [chart for section in sections for chart in section.charts]
        return [docs / PAGE, *(path for chart in charts for path in image.save(chart, docs / FIGURES, ("svg",)))]


def _charts(record: Record | None) -> Iterator[Chart]:
    if isinstance(record, ClaimsRecord):
        yield from record.charts
    elif isinstance(record, Curves):
        yield from filter(None, [curves_figure(record)])
    elif record is not None:
        yield from filter(None, [errors(record), scatter(record)])


@cache
def _environment() -> Environment:
    environment = Environment(  # noqa: S701 (Markdown is no HTML)
        loader=PackageLoader("dumbbell.validation", "."), trim_blocks=True, lstrip_blocks=True,
        undefined=StrictUndefined,
    )  # fmt: skip
    environment.filters |= {"amount": amount, "prose": _prose, "listed": listed, "sign": SIGNS.__getitem__}
    environment.tests["loss_based"] = lambda case: is_loss_based(case.cc)
    environment.globals |= {"text": agreement_text, "places": places}
    return environment


def _prose(text: str, hanging: str = "") -> str:
    """A paragraph in lines that a reader of the source can follow."""
    return fill(text, COLUMNS, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False)


def _compact(agreement: Agreement) -> str:
    """An agreement as JSON without what no page shows, a line a condition.

    Left out are the runs of the noise, of which each difference has its own number, and what runs are looked up by. Two
    hundred conditions with five seeds are less than a megabyte. The store has the rest.
    """
    record = agreement.model_dump(mode="json")
    for condition in record["conditions"]:
        condition["floor"] = []
        for run in (*condition["candidate"], *condition["reference"]):
            run |= {"run_id": "", "utilization": None}
            for group in run["groups"].values():
                group["retransmit_rate"] = None
    conditions = ",\n".join(map(_json, record.pop("conditions")))
    head = "".join(f"{_json(key)}: {_json(value)},\n" for key, value in record.items())
    return f'{{\n{head}"conditions": [\n{conditions}\n]\n}}\n'


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _write(path: Path, content: str) -> None:
    with _writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8", newline="\n")


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ValidationError(f"{path}: cannot be written: {error.strerror or error}") from None
