"""The pages: Markdown and figures, made from the record of every part; one screen, and behind it a page a part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryFile
from textwrap import fill
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from dev import sides_text
from dev.checks import text as checks_text
from dev.curves import text as curves_text
from dev.curves.charts import curves_figure
from dev.curves.judgement import is_loss_based
from dev.curves.record import Curves
from dev.strata import text as strata_text
from dev.strata.bands import judged_again, store_bands
from dev.strata.deviations import deviations_of, hosts_deviation, store_deviations
from dev.validation import (
    advice_text,
    claims_text,
    hosts_text,
    live_text,
    mutants_text,
    phases_text,
    scale_text,
    section,
    uses,
)
from dev.validation.claims import ClaimsRecord
from dev.validation.hosts import HostsRecord
from dev.validation.plan import Plan, Record
from dev.validation.records import RECORDS, recorded_of, store_record, write_text, writing
from dev.validation.scale import ScaleRecord
from dev.validation.section import Section
from dumbbell.charts.chart import Chart
from dumbbell.comparison import agreement_text
from dumbbell.comparison.charts import errors, scatter
from dumbbell.comparison.record import Agreement
from dumbbell.comparison.strata import BANDS_FILE, DEVIATIONS_FILE, GOODPUT, HOSTS, PLAIN, strata
from dumbbell.metrics.number import listed
from dumbbell.tables.markdown import markdown as to_markdown

PAGE: Final = "validation.md"
HOSTS_PART: Final = "mishra2022"
"""Whose shares say how far hosts are: the most paths, queues and companies."""
FIGURES: Final = "figures"
COLUMNS: Final = 120


def read(plan: Plan, docs: Path) -> list[Section]:
    """The record of each part that was measured, judged by today's bands.

    Raises:
        ValidationError: a file cannot be read, or is not what this version stores.
    """
    recorded = [(part, recorded_of(part, docs)) for part in plan.parts]
    recorded = [(part, judged_again(record) if isinstance(record, Agreement) else record) for part, record in recorded]
    return [
        Section(part.name, part.kind, record, tuple(_charts(part.name, record)), getattr(part, "reasons", {}))
        for part, record in recorded
    ]


def check_writable(docs: Path) -> None:
    """Tries whether the page can be written there, before anything is measured for it.

    Raises:
        ValidationError: it cannot.
    """
    with writing(docs):
        docs.mkdir(parents=True, exist_ok=True)
    for folder in (docs, docs / RECORDS, docs / FIGURES):
        if folder.exists():
            with writing(folder), TemporaryFile(dir=folder):
                pass


def markdown(sections: Sequence[Section]) -> str:
    """The front page; the same records give the same text."""
    return _environment().get_template("page.md.j2").render(sections=sections).rstrip() + "\n"


def part_markdown(part: Section) -> str:
    """The page of a part that was measured."""
    return _environment().get_template("part.md.j2").render(part=part).rstrip() + "\n"


def pages(sections: Sequence[Section]) -> dict[str, str]:
    """All pages by their paths in the folder of documents."""
    of_parts = {f"{RECORDS}/{each.name}.md": part_markdown(each) for each in sections if each.record}
    return {PAGE: markdown(sections)} | of_parts


def write(plan: Plan, docs: Path) -> list[Path]:
    """Writes page and figures from the stored records, and gives where they are.

    Raises:
        ValidationError: a record cannot be read, or what is made of it cannot be written.
    """
    from dumbbell.charts import image  # noqa: PLC0415 (late: the renderer takes long to load)

    sections = read(plan, docs)
    written = pages(sections)
    for name, text in written.items():
        write_text(docs / name, text)
    with writing(docs / FIGURES):
        charts = [chart for section in sections for chart in section.charts]
        figures = [path for chart in charts for path in image.save(chart, docs / FIGURES, ("svg",))]
    return [*(docs / name for name in written), *figures]


def set_bands(plan: Plan, docs: Path) -> list[Path]:
    """Makes bands of what the strata of the plan came to, and judges all records by them; gives what was written.

    A stratum's are made of the part of its name, and of no other one that draws from it.

    Raises:
        ValidationError: a record cannot be read, or a file cannot be written.
    """
    records = {part.name: record for part in plan.parts if isinstance(record := recorded_of(part, docs), Agreement)}
    bands = {name: record for name, record in records.items() if name == record.source.stratum}
    path = Path(str(files("dumbbell.comparison").joinpath(BANDS_FILE)))
    with writing(path):
        store_bands(path, bands)
    return [path, *(store_record(name, judged_again(record), docs) for name, record in records.items())]


def set_deviations(plan: Plan, docs: Path) -> list[Path]:
    """Makes the deviations of the simulator of what the strata and `HOSTS_PART` came to; gives what was written.

    Raises:
        ValidationError: a record cannot be read, or a file cannot be written.
    """
    measured = {}
    for part in plan.parts:
        record = recorded_of(part, docs)
        if isinstance(record, Agreement) and part.name == record.source.stratum and record.candidate.engine == "sim":
            measured[part.name] = deviations_of(record)
        elif isinstance(record, HostsRecord) and part.name == HOSTS_PART:
            measured[HOSTS] = {GOODPUT: hosts_deviation(record, "sim")}
    path = Path(str(files("dumbbell.comparison").joinpath(DEVIATIONS_FILE)))
    with writing(path):
        store_deviations(path, measured)
    return [path]


def _charts(name: str, record: Record | None) -> Iterator[Chart]:
    if isinstance(record, ClaimsRecord):
        yield from record.charts
    elif isinstance(record, HostsRecord):
        yield from hosts_text.figures(name, record)
    elif isinstance(record, ScaleRecord):
        yield from scale_text.figures(name, record)
    elif isinstance(record, Curves):
        yield from (replace(each, name=name) for each in [curves_figure(record)] if each)
    elif isinstance(record, Agreement) and record.source.spec is None:
        charts = [errors(record), scatter(record) if record.source.stratum in (None, PLAIN) else None]
        yield from (replace(each, name=each.name.replace("agreement", name)) for each in charts if each)


@cache
def _environment() -> Environment:
    environment = Environment(  # noqa: S701 (Markdown is no HTML)
        loader=PackageLoader("dev.validation", "."), trim_blocks=True, lstrip_blocks=True,
        undefined=StrictUndefined,
    )  # fmt: skip
    environment.filters |= {"prose": _prose, "listed": listed, "table": to_markdown}
    environment.tests["live"] = live_text.is_live_one
    environment.tests["loss_based"] = lambda case: is_loss_based(case.cc)
    environment.globals |= {
        "text": agreement_text,
        "strata": strata_text,
        "curves": curves_text,
        "checks": checks_text,
        "sides": sides_text,
        "hosts": hosts_text,
        "advice": advice_text,
        "live": live_text,
        "phases": phases_text,
        "mutants": mutants_text,
        "scale": scale_text,
        "claims": claims_text,
        "title_of": _title,
        "section": section,
        "uses": uses,
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
