"""Two engines over the conditions of a spec as a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Final

from dumbbell.charts.chart import Chart
from dumbbell.comparison import agreement_text as text
from dumbbell.comparison.record import Agreement, EngineComparison, Path
from dumbbell.errors import StoreError
from dumbbell.report.section import Page, Section, provenance
from dumbbell.results.store import Store

KIND: Final = "Agreement of two engines of dumbbell"
IN_TIME_SHARE: Final = 0.5
"""A line of a run in time has this share of the points of one of the scatter: there are many of them."""


def page(agreement: Agreement, store: Store) -> Page:
    """What two engines say, and how far they differ; `store` has the runs behind it."""
    return Page(
        kind=KIND,
        title="{} against {}".format(*agreement.engine_names),
        summary=text.summary(agreement),
        made=f"{text.origin(agreement)}.",
        notices=not_compared(agreement.conditions),
        sections=[
            Section(
                anchor="bands", heading="Bands", table=text.bands_table(agreement), legend=text.legend(agreement),
            ),
            Section(anchor="overall", heading="All conditions", charts=partial(_overall, agreement)),
            Section(
                anchor="worst", heading="The conditions that are farthest off", table=text.worst_table(agreement),
                above="Each by its largest error, in multiples of what the band allows the 90th percentile.",
            ),
            Section(
                anchor="series", heading="Both engines in time", charts=partial(_in_time, agreement, store),
                choice="Condition", points=IN_TIME_SHARE,
            ),
            Section(
                anchor="conditions", heading="Conditions", table=text.conditions_table(agreement), page_only=True,
                above="The largest error of each, times 100. Every figure of every run is in the JSON.",
            ),
            source(agreement, text.command(agreement)),
        ],
    )  # fmt: skip


def not_compared(conditions: Iterable[Path]) -> list[str]:
    return [f"Not compared: {line}" for line in text.failures(conditions)]


def source(comparison: EngineComparison, command: str) -> Section:
    """Where a comparison of engines is from, and what makes it again."""
    return provenance(
        [("", list(text.provenance(comparison)))], command, again="; runs that the store has are not repeated"
    )


def _overall(agreement: Agreement) -> Iterator[Chart | None]:
    from dumbbell.comparison.charts import errors, scatter  # noqa: PLC0415 (late: a terminal draws nothing)

    yield from (errors(agreement), scatter(agreement))


def _in_time(agreement: Agreement, store: Store) -> Iterator[Chart | str]:
    """The worst conditions in time; those without an error too, where there are few, if the store has their series."""
    from dumbbell.comparison import overlay  # noqa: PLC0415 (late: a terminal draws nothing)

    names = [each.condition for each in agreement.worst]
    rest = [each.name for each in agreement.conditions if each.differences and each.name not in names]
    for number, name in enumerate((names + rest)[: max(len(names), 1)]):
        condition = agreement.condition(name)
        try:
            title = f"{name}: {text.setting(condition)}"
            yield overlay.in_time(store, agreement, condition, f"in-time-{number}", title)
        except StoreError as error:
            yield f"{name}: {error.message}"
