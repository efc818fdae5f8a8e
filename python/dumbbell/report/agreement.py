"""A comparison of two engines as one HTML file: bands, all conditions, and the worst of them in time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from dumbbell.comparison import agreement_text as words
from dumbbell.comparison import overlay
from dumbbell.comparison.charts import errors, scatter
from dumbbell.errors import StoreError
from dumbbell.metrics.number import ABSENT, amount
from dumbbell.report.downsample import MOST_POINTS
from dumbbell.report.figure import drawing
from dumbbell.report.html import filled, write

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dumbbell.charts.chart import Chart
    from dumbbell.comparison.record import Agreement, Condition, EngineComparison
    from dumbbell.results.store import Store

IN_TIME_SHARE: Final = 2
"""A line of a run in time has this much fewer points than one of the scatter: there are many of them."""
KINDS: Final = {
    words.HOLDS: ("reproduced", "✓"), words.BROKEN: ("not-reproduced", "✗"), words.UNTOLD: ("not-testable", "○"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a band is marked."""

    word: str
    kind: str
    sign: str


def build(target: Path, agreement: Agreement, store: Store) -> Path:
    """Writes the page, and gives where it is; `store` has the runs behind the comparison.

    Raises:
        ReportError: it cannot be written, or is too large however few points are drawn.
    """
    charts, note = _in_time(agreement, store)
    return write(target, lambda most: rendered(compose(agreement, charts, note, most)))


def compose(agreement: Agreement, charts: list[Chart], note: str, most: int = MOST_POINTS) -> dict[str, Any]:
    """What the template shows, with at most `most` points a line."""
    overall = [drawing(chart, most) for chart in (errors(agreement), scatter(agreement)) if chart is not None]
    in_time = [drawing(each, max(2, most // IN_TIME_SHARE)) for each in charts]
    worst = [_worst(agreement, row) for row in words.worst_table(agreement)]
    return engines_page(agreement) | {
        "summary": words.summary(agreement),
        "made": f"{words.origin(agreement)}.",
        "notices": [f"Not compared: {failure}" for failure in words.failures(agreement.conditions)],
        "sections": (
            ("bands", "Bands", True), ("overall", "All conditions", overall),
            ("worst", "The conditions that are farthest off", worst),
            ("series", "Both engines in time", in_time or note), ("conditions", "Conditions", True),
            ("provenance", "Provenance", True),
        ),
        "bands_header": words.HEADER,
        "bands": [(cells[:-1], mark(cells[-1])) for cells in map(words.row, agreement.bands)],
        "legend": words.legend(agreement),
        "overall": overall,
        "worst_header": (words.WORST_HEADER[0], "setting", *words.WORST_HEADER[1:]),
        "worst": worst,
        "in_time": in_time,
        "note": note,
        "columns": ("condition", "setting", "goodput", "total", "loss", "queueing delay", "winner", "x limit"),
        "conditions": [_row(each) for each in agreement.conditions],
        "command": words.command(agreement),
    }  # fmt: skip


def engines_page(found: EngineComparison) -> dict[str, Any]:
    """What every page about two engines shows."""
    return {
        "kind": "Agreement of two engines of dumbbell",
        "title": f"{found.candidate.engine} against {found.reference.engine}",
        "sides": (),
        "origins": [("", list(_facts(found)))],
    }


def mark(word: str) -> Verdict:
    """How the verdict of a band or a limit is marked."""
    return Verdict(word, *KINDS[word])


def rendered(page: dict[str, Any]) -> str:
    """The page as HTML."""
    return filled("agreement.html.j2", [*page["overall"], *page["in_time"]], **page)


def _worst(agreement: Agreement, row: list[str]) -> list[str]:
    return [row[0], words.setting(agreement.condition(row[0])), *row[1:]]


def _in_time(agreement: Agreement, store: Store) -> tuple[list[Chart], str]:
    """The worst conditions in time; those without an error too, where there are few."""
    names = [each.condition for each in agreement.worst]
    rest = [each.name for each in agreement.conditions if each.differences and each.name not in names]
    charts, missing = [], []
    for number, name in enumerate((names + rest)[: max(len(names), 1)]):
        condition = agreement.condition(name)
        try:
            title = f"{name}: {words.setting(condition)}"
            charts.append(overlay.in_time(store, agreement, condition, f"in-time-{number}", title))
        except StoreError as error:
            missing.append(f"{name}: {error}")
    return charts, "; ".join(missing)


def _row(condition: Condition) -> list[tuple[str, str]]:
    """Text and what it is sorted by, of a condition."""

    def largest(*metrics: str) -> tuple[str, str]:
        errors = [each.error for each in condition.differences if each.metric in metrics]
        return (amount(max(errors), scale=100), f"{max(errors):.6g}") if errors else (ABSENT, "")

    winner = condition.winner
    won = ABSENT if winner is None else "no one" if winner.reference is None else winner.reference
    if winner is not None and winner.reference is not None and winner.candidate != winner.reference:
        won = f"{winner.reference}, not {winner.candidate or 'one'}"
    limits = max((each.limits or 0.0 for each in condition.differences), default=None)
    return [
        (condition.name, condition.name),
        (words.setting(condition), str(condition.rate_bps)),
        largest("group_goodput"),
        largest("total_goodput"),
        largest("loss", "small_loss"),
        largest("queueing_delay"),
        (won, won),
        (ABSENT, "") if limits is None else (amount(limits), f"{limits:.6g}"),
    ]


def _facts(agreement: EngineComparison) -> Iterator[tuple[str, str]]:
    """What is told of both engines, and of what computed the verdicts."""
    for role, side in (("Engine held against it", agreement.candidate), ("Reference", agreement.reference)):
        yield role, words.engine(side)
        yield f"Seeds of {role.lower()}", ", ".join(map(str, side.seeds))
        yield from ((f"{role}: {key}", str(value)) for key, value in side.measured_on.items())
    yield "Seeds for the noise", ", ".join(map(str, agreement.floor_seeds)) or "none"
    yield from ((f"Version of {name}", version) for name, version in agreement.versions.items() if version)
