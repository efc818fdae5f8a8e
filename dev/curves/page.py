"""Single flows on two engines as a page."""

from __future__ import annotations

from collections.abc import Iterator

from dev.curves import text
from dev.curves.record import Curves
from dumbbell.charts.chart import Chart
from dumbbell.report.comparison import KIND, not_compared, source
from dumbbell.report.section import Page, Section


def page(curves: Curves) -> Page:
    """The curves, and every limit."""

    def charts() -> Iterator[Chart | None]:
        from dev.curves.charts import chart_of_case  # noqa: PLC0415 (late: a terminal draws nothing)

        yield from (chart_of_case(case, curves) for case in curves.cases if case.curves)

    without_data = [f"Not compared: {line}" for line in text.without_data(curves)]
    return Page(
        kind=KIND,
        title="Single flows: {} over {}".format(*curves.engine_names),
        summary=text.summary(curves),
        made=f"{text.origin(curves)}.",
        notices=[*not_compared(curves.conditions), *without_data],
        sections=[
            Section(anchor="series", heading="Curves", charts=charts, choice="Algorithm and path"),
            Section(anchor="limits", heading="Limits", table=text.limits_table(curves), legend=text.legend(curves)),
            source(curves, text.command(curves)),
        ],
    )
