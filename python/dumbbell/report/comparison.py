"""Two engines as a page: over many conditions, or on single flows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from dumbbell.charts.chart import Chart
from dumbbell.comparison import agreement_text as text
from dumbbell.comparison.record import Agreement, Curves
from dumbbell.errors import StoreError
from dumbbell.report.section import Page, Section, provenance
from dumbbell.results.store import Store

IN_TIME_SHARE: Final = 0.5
"""A line of a run in time has this share of the points of one of the scatter: there are many of them."""


def page(record: Agreement | Curves, store: Store) -> Page:
    """What two engines say, and how far they differ; `store` has the runs behind it."""
    curves = isinstance(record, Curves)
    return Page(
        kind="Agreement of two engines of dumbbell",
        title=("Single flows: {} over {}" if curves else "{} against {}").format(*record.engine_names),
        summary=text.summary(record),
        made=f"{text.origin(record)}.",
        notices=[f"Not compared: {line}" for line in (*text.failures(record), *text.without_data(record))],
        sections=[
            *(_curves(record) if isinstance(record, Curves) else _agreement(record, store)),
            provenance(
                [("", list(text.provenance(record)))], text.command(record),
                again="; runs that the store has are not repeated",
            ),
        ],
    )  # fmt: skip


def _agreement(agreement: Agreement, store: Store) -> list[Section]:
    def overall() -> Iterator[Chart | None]:
        from dumbbell.comparison.charts import errors, scatter  # noqa: PLC0415 (late: a terminal draws nothing)

        yield from (errors(agreement), scatter(agreement))

    return [
        Section(
            anchor="bands", heading="Bands", table=text.bands_table(agreement), legend=text.legend(agreement),
        ),
        Section(anchor="overall", heading="All conditions", charts=overall),
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
    ]  # fmt: skip


def _curves(curves: Curves) -> list[Section]:
    def charts() -> Iterator[Chart | None]:
        from dumbbell.comparison.charts import chart_of_case  # noqa: PLC0415 (late: a terminal draws nothing)

        yield from (chart_of_case(case, curves) for case in curves.cases if case.curves)

    return [
        Section(anchor="series", heading="Curves", charts=charts, choice="Algorithm and path"),
        Section(anchor="limits", heading="Limits", table=text.limits_table(curves), above=text.legend(curves)),
    ]


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
