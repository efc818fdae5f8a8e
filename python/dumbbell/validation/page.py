"""The page: the record of every part, a JSON file each, and the Markdown and figures that are made from them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryFile
from textwrap import fill
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from dumbbell.charts.chart import Chart
from dumbbell.comparison import agreement_text
from dumbbell.comparison.agreement import BANDS_FILE, judged_again, store_bands
from dumbbell.comparison.charts import curves_figure, errors, scatter
from dumbbell.comparison.curves import is_loss_based
from dumbbell.comparison.random_conditions import PLAIN, strata
from dumbbell.comparison.record import Agreement, Checks, Curves
from dumbbell.metrics.number import amount, listed, places
from dumbbell.replacement import replacing
from dumbbell.studies.verdict import SIGNS
from dumbbell.validation import advice_text, hosts_text, live_text, phases_text
from dumbbell.validation.claims import ClaimsRecord
from dumbbell.validation.hosts import HostsRecord
from dumbbell.validation.plan import AnyPart, Plan, Record, ValidationError

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
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Of conditions in real time that are beyond a bar, by their names."""


def read(plan: Plan, docs: Path) -> list[Section]:
    """The record of each part that was measured, judged by today's bands.

    Raises:
        ValidationError: a file cannot be read, or is not what this version stores.
    """
    found = [(part, recorded_of(part, docs)) for part in plan.parts]
    found = [(part, judged_again(record) if isinstance(record, Agreement) else record) for part, record in found]
    return [
        Section(part.name, part.kind, record, tuple(_charts(part.name, record)), getattr(part, "reasons", {}))
        for part, record in found
    ]


def recorded_of(part: AnyPart, docs: Path) -> Record | None:
    """What a part came to when it was last measured; None: it was not.

    Raises:
        ValidationError: a file cannot be read, or is not what this version stores.
    """
    path = docs / RECORDS / f"{part.name}.json"
    try:
        return part.record_type.model_validate_json(path.read_bytes()) if path.exists() else None
    except OSError as error:
        raise ValidationError(f"{path}: cannot be read: {error}") from None
    except ValueError as error:  # of JSON, of pydantic, or of another schema
        raise ValidationError(f"{path}: is not what this version stores: {error}") from None


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
    _write(path, _compact(record) if isinstance(record, Agreement | Checks) else record.model_dump_json() + "\n")
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


def set_bands(plan: Plan, docs: Path) -> list[Path]:
    """Makes bands of what the strata of the plan came to, and judges all records by them; gives what was written.

    A stratum's are made of the part of its name, and of no other one that draws from it.

    Raises:
        ValidationError: a record cannot be read, or a file cannot be written.
    """
    found = {part.name: record for part in plan.parts if isinstance(record := recorded_of(part, docs), Agreement)}
    bands = {name: record for name, record in found.items() if name == record.source.stratum}
    path = Path(str(files("dumbbell.comparison").joinpath(BANDS_FILE)))
    with _writing(path):
        store_bands(path, bands)
    return [path, *(store_record(name, judged_again(record), docs) for name, record in found.items())]


def _charts(name: str, record: Record | None) -> Iterator[Chart]:
    if isinstance(record, ClaimsRecord):
        yield from record.charts
    elif isinstance(record, HostsRecord):
        yield from hosts_text.figures(name, record)
    elif isinstance(record, Curves):
        yield from filter(None, [curves_figure(record)])
    elif isinstance(record, Agreement):
        charts = [errors(record), scatter(record) if record.source.stratum in (None, PLAIN) else None]
        yield from (replace(each, name=each.name.replace("agreement", name)) for each in charts if each)


@cache
def _environment() -> Environment:
    environment = Environment(  # noqa: S701 (Markdown is no HTML)
        loader=PackageLoader("dumbbell.validation", "."), trim_blocks=True, lstrip_blocks=True,
        undefined=StrictUndefined,
    )  # fmt: skip
    environment.filters |= {"amount": amount, "prose": _prose, "listed": listed, "sign": SIGNS.__getitem__}
    environment.filters["join_words"] = lambda item: f"{item[0]}: {', '.join(item[1])}"
    environment.tests["without_bands"] = agreement_text.without_bands
    environment.tests["live"] = live_text.is_live_one
    environment.tests["loss_based"] = lambda case: is_loss_based(case.cc)
    environment.globals |= {
        "text": agreement_text,
        "hosts": hosts_text,
        "advice": advice_text,
        "live": live_text,
        "phases": phases_text,
        "places": places,
        "title_of": _title,
        "named": lambda sections: {each.name: each.record for each in sections},
    }
    return environment


def _title(stratum: str | None) -> str:
    """What a stratum is called; every one that is none of those that are drawn from ranges is the studies'."""
    of = strata().get(stratum or PLAIN)
    title = "the studies' own specs" if of is None else of.title
    return title[0].upper() + title[1:]


def _prose(text: str, hanging: str = "") -> str:
    """A paragraph in lines that a reader of the source can follow."""
    return fill(text, COLUMNS, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False)


def _compact(agreement: Agreement | Checks) -> str:
    """An agreement, or checks, as JSON, a line a condition.

    The reference's runs are all there, so that another simulator can be held against them where there is no kernel;
    left out is what runs are looked up by in a store.
    """
    record = agreement.model_dump(mode="json")
    for condition in record["conditions"]:
        for run in (*condition["candidate"], *condition["reference"], *condition["floor"]):
            run |= {"run_id": "", "utilization": None}
    conditions = ",\n".join(map(_json, record.pop("conditions")))
    head = "".join(f"{_json(key)}: {_json(value)},\n" for key, value in record.items())
    return f'{{\n{head}"conditions": [\n{conditions}\n]\n}}\n'


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _write(path: Path, content: str) -> None:
    with _writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as partial:
            partial.write_text(content, encoding="utf-8", newline="\n")


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ValidationError(f"{path}: cannot be written: {error.strerror or error}") from None
