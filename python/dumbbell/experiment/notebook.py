"""An experiment in a notebook: its means as a frame, and what a cell displays of it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Final

from dumbbell.experiment.answer import answer
from dumbbell.experiment.points import ExperimentRuns
from dumbbell.experiment.results_table import of_rows
from dumbbell.experiment.table import FACTS, ColumnError, quantity, table
from dumbbell.metrics.number import counted
from dumbbell.spec.numbers import numbers
from dumbbell.tables.html import html as html_table

if TYPE_CHECKING:
    import pandas as pd

SHOWN: Final = ("goodput", "share", "fair_share", "fct", "fct_p50", "fct_p95", "rtt", "loss", "random_loss", "jain")
"""Columns of a displayed table; `means` has all quantities."""
MOST_ROWS: Final = 40
MOST_NOTICES: Final = 3


def means(runs: ExperimentRuns, quantities: Sequence[str] = ()) -> pd.DataFrame:
    """A row a point, group and quantity: mean over the seeds, and the 95 % interval of Student's t around it.

    What belongs to the path has no group, and stands with the first of them only.

    Raises:
        ColumnError: there is no such quantity.
    """
    import pandas as pd  # noqa: PLC0415 (late: it takes long to load)

    if facts := [name for name in quantities if name in FACTS]:
        raise ColumnError(f"{facts[0]} is no quantity: it says what a row is; name one of {', '.join(SHOWN)}")
    results = table(runs, list(quantities) or None)
    cells: list[dict[str, Any]] = []
    for row in results.rows:
        point: dict[str, Any] = {}
        for path, own in numbers(row.point.swept, runs.spec).items():
            point |= {path: row.point.swept[path]} | own
        first = row.group == next(iter(row.point.ccs), "")
        for name in results.columns:
            known, estimate = quantity(name), row.estimates.get(name)
            of_run = known is not None and known.of == "run"
            if known is None or estimate is None or (of_run and not first):
                continue
            half = None if estimate.half_width is None else abs(known.factor * estimate.half_width)
            mean = known.factor * estimate.mean
            low, high = (float("nan"), float("nan")) if half is None else known.ends(mean, half)
            group, cc = ("", "") if of_run else (row.group, row.cc)
            cells.append(point | {
                "group": group, "cc": cc, "quantity": name, "unit": known.unit, "mean": mean, "low": low, "high": high,
                "n": estimate.n,
            })  # fmt: skip
    return pd.DataFrame(cells)


def html(runs: ExperimentRuns) -> str:
    """The answer, a table of points and groups, and warnings, in HTML as a notebook displays it."""
    results = table(runs)
    shown = of_rows(results, [name for name in SHOWN if name in results.columns], MOST_ROWS)
    parts = [f"<p><strong>{escape(' '.join(answer(runs)))}</strong></p>"]
    parts.append(html_table(shown, attributes=' style="white-space: nowrap"'))
    more = len(results.rows) - len(shown.rows)
    parts += [f"<p>and {counted(more, 'more row')}: <code>.means()</code> has all</p>"] * (more > 0)
    parts += [
        f"<p>{each.kind}, {counted(each.runs, 'run')}: {escape(each.place)}: {escape(each.text)}</p>"
        for each in runs.notices[:MOST_NOTICES]
    ]
    return "".join(parts)
