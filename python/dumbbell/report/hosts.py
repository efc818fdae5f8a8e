"""Engines beside real hosts as a page."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from dumbbell.hosts import text
from dumbbell.report.section import Page, Section, provenance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dumbbell.charts.chart import Chart
    from dumbbell.hosts.record import HostRecord


def page(record: HostRecord, command: str) -> Page:
    """How far engines are from what was measured; `command` is what made it."""
    return Page(
        kind="Engines of dumbbell compared with real hosts",
        title=f"{' and '.join(record.engines)} beside {record.title}",
        summary=text.summary(record),
        made=f"{text.origin(record)}.",
        notices=[f"Not compared: {line}" for line in record.failures],
        sections=[
            *sections(record),
            provenance(list(text.provenance(record)), command, again="; runs that the store has are not repeated"),
        ],
    )


def sections(record: HostRecord, *, name: str = "") -> list[Section]:
    """How far engines are, the figures, who starves and every point; of a table of a study with its name."""
    before, anchor = (f"{name}: ", f"{name}-") if name else ("", "")

    def section(own: str, heading: str, **parts: object) -> Section:
        title = f"{before}{heading[0].lower()}{heading[1:]}" if name else heading
        return Section(anchor=f"{anchor}{own}", heading=title, **parts)  # type: ignore[arg-type]

    return [
        section(
            "spreads", "How far engines are from real hosts", table=text.far_table(record),
            above=f"{text.summary(record)} {text.origin(record)}." if name else "",
            below=tuple(filter(None, (text.first_setting(record), text.LEGEND))),
        ),
        section("figures", "Figures", charts=partial(_charts, record, anchor), titled=True),
        section(
            "starved", "Who starves", table=text.starved_table(record),
            above="A group starves with less than a tenth of what it would have if all flows had the same.",
        ),
        section("worst", "The points that are farthest off", table=text.worst_table(record)),
        section(
            "points", "Every point", table=text.points_table(record, record.points), page_only=True,
            above="Of engines the median over seeds, in brackets the least and the most.", rest="--json has all",
        ),
    ]  # fmt: skip


def _charts(record: HostRecord, anchor: str) -> Iterator[Chart]:
    from dumbbell.hosts.charts import charts  # noqa: PLC0415 (late: a terminal draws nothing)

    yield from (replace(each, name=f"{anchor}{each.name}") for each in charts(record))
