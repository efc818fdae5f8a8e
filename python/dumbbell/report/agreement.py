"""A comparison of two engines as one HTML file: bands, all conditions, and the worst of them in time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from dumbbell.agreement import overlay, section, words
from dumbbell.agreement.errors import errors
from dumbbell.agreement.scatter import scatter
from dumbbell.metrics.number import ABSENT, amount
from dumbbell.report.downsample import MOST_POINTS
from dumbbell.report.figure import drawing
from dumbbell.report.html import filled, write
from dumbbell.results.failure import StoreError
from dumbbell.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dumbbell.agreement.record import Agreement, Condition, EngineComparison
    from dumbbell.charts.chart import Chart
    from dumbbell.report.figure import Drawing
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


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementPage:
    """What the template says."""

    version: str
    title: str
    made: str
    summary: str
    bands: list[tuple[list[str], Verdict]]
    legend: str
    overall: list[Drawing]
    worst: list[list[str]]
    in_time: list[Drawing]
    note: str
    conditions: list[list[tuple[str, str]]]
    columns: tuple[str, ...]
    failures: list[str]
    facts: list[tuple[str, str]]
    command: str


def build(target: Path, agreement: Agreement, store: Store) -> Path:
    """Writes the page, and gives where it is; `store` has the runs behind the comparison.

    Raises:
        ReportError: it cannot be written, or is too large however few points are drawn.
    """
    charts, note = _in_time(agreement, store)
    return write(target, lambda most: rendered(compose(agreement, charts, note, most)))


def compose(agreement: Agreement, charts: list[Chart], note: str, most: int = MOST_POINTS) -> AgreementPage:
    """The page, with at most `most` points a line."""
    overall = [chart for chart in (errors(agreement), scatter(agreement)) if chart is not None]
    told = [words.row(band) for band in agreement.bands]
    return AgreementPage(
        version=__version__,
        title=f"{agreement.candidate.engine} against {agreement.reference.engine}",
        made=f"{words.origin(agreement)}. Made by dumbbell {__version__}.",
        summary=section.verdict(agreement),
        bands=[(cells[:-1], Verdict(cells[-1], *KINDS[cells[-1]])) for cells in told],
        legend=section.legend(agreement),
        overall=[drawing(chart, most) for chart in overall],
        worst=[_worst(agreement, row) for row in words.worst_table(agreement)],
        in_time=[drawing(each, max(2, most // IN_TIME_SHARE)) for each in charts],
        note=note,
        columns=("condition", "setting", "goodput", "total", "loss", "queueing delay", "winner", "x limit"),
        conditions=[_row(each) for each in agreement.conditions],
        failures=words.failures(agreement.conditions),
        facts=list(sides(agreement)),
        command=section.command(agreement),
    )


def rendered(page: AgreementPage) -> str:
    """The page as HTML."""
    drawings = [*page.overall, *page.in_time]
    worst_header = (words.WORST_HEADER[0], "setting", *words.WORST_HEADER[1:])
    return filled("agreement.html.j2", drawings, page=page, bands_header=words.HEADER, worst_header=worst_header)


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


def sides(agreement: EngineComparison) -> Iterator[tuple[str, str]]:
    """What is told of both engines, and of what computed the verdicts."""
    for role, side in (("Engine held against it", agreement.candidate), ("Reference", agreement.reference)):
        yield role, words.engine(side)
        yield f"Seeds of {role.lower()}", ", ".join(map(str, side.seeds))
        yield from ((f"{role}: {key}", str(value)) for key, value in side.measured_on.items())
    yield "Seeds for the noise", ", ".join(map(str, agreement.floor_seeds)) or "none"
    yield from ((f"Version of {name}", version) for name, version in agreement.versions.items() if version)
