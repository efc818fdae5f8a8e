"""The page of a suite: what holds of an algorithm, what fails, by how much, and what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from dumbbell.experiment.expectations import table as expectations_table
from dumbbell.metrics.number import counted
from dumbbell.report.section import Page, Section
from dumbbell.suites.manifest import Suite
from dumbbell.suites.outcome import ScenarioOutcome, counts, sentence, table
from dumbbell.tables.table import Cell, Column, Table
from dumbbell.version import __version__

SHORT: Final = (
    "This is the short form: one seed, few points, seconds. It shows that each scenario runs; verdicts are of the full"
    " one."
)
SIGNS: Final = {"holds": "✓", "fails": "✗", "undecided": "?", "refused": "-", "missing": "-"}
MOST_SENTENCES: Final = 6
"""Of a scenario's expectations that do not hold."""


def page_of(  # noqa: PLR0913, PLR0917 (what a page is of)
    suite: Suite, outcomes: Sequence[ScenarioOutcome], control: str, baseline: str, engine: str, command: str, *,
    short: bool = False,
) -> Page:  # fmt: skip
    """The page of one algorithm on one engine; `command` makes it again. That of a `short` form says that it is one."""
    run = [each for each in outcomes if each.findings]
    return Page(
        kind=f"Suite {suite.name} in dumbbell",
        title=f"{control} by {suite.manifest.title}",
        citation=suite.manifest.source,
        summary=f"{counts(outcomes)}.",
        made=(
            f"{suite.manifest.about} Each number of {control} is compared with that of {baseline} in runs that differ"
            f" in nothing else, seed by seed, on the engine {engine}; dumbbell {__version__}."
        ),
        notices=[SHORT] * short,
        sections=[
            Section(
                anchor="scenarios", heading="Scenarios", table=_summary(outcomes, control, baseline),
                legend=(
                    "Of each scenario the expectation that fails most, or holds most narrowly, at the point where it"
                    " does. Means over seeds; margins are shares of the bound."
                ),
            ),
            *(_section(suite, each, control, baseline) for each in run),
            _unjudged(outcomes),
            Section(anchor="again", heading="Again", code=[("Command", command)]),
        ],
    )  # fmt: skip


def _summary(outcomes: Sequence[ScenarioOutcome], control: str, baseline: str) -> Table:
    columns = [
        Column("section", key=True), Column("scenario", key=True), Column("measured"), Column("where"), Column(control),
        Column(baseline), Column("margin"), Column("verdict"),
    ]  # fmt: skip
    rows: list[list[Cell]] = []
    for each in outcomes:
        decisive = each.decisive
        row: list[Cell] = [f"{SIGNS[each.status]} {each.scenario.section}", each.scenario.title]
        if decisive is None:
            rows.append([*row, "", "", None, None, "", each.status])
            continue
        (own,) = table([_only(each, decisive)], control, baseline).rows
        rows.append([*row, decisive.subject, decisive.place, own[2], own[3], decisive.margin, each.status])
    return Table(columns, rows)


def _only(outcome: ScenarioOutcome, finding: object) -> ScenarioOutcome:
    return ScenarioOutcome(
        name=outcome.name, scenario=outcome.scenario, status=outcome.status,
        findings=[each for each in outcome.findings if each is finding],
    )  # fmt: skip


def _section(suite: Suite, outcome: ScenarioOutcome, control: str, baseline: str) -> Section:
    scenario, anchor = outcome.scenario, outcome.name
    others = [each for each in outcome.findings if each.decisive.verdict != "holds"]
    texts = [sentence(each) for each in others[:MOST_SENTENCES]]
    judged = table([outcome], control, baseline)
    spec = suite.spec(outcome.name).read_text(encoding="utf-8")
    return Section(
        anchor=anchor,
        heading=f"{SIGNS[outcome.status]} {scenario.section} {scenario.title}",
        above=" ".join(filter(None, [scenario.measures, scenario.otherwise])),
        table=Table(judged.columns[1:], [row[1:] for row in judged.rows]),
        below=[f"{text[0].upper()}{text[1:]}." for text in texts],
        parts=[
            Section(
                anchor=f"{anchor}-points", heading=f"Each point ({counted(len(outcome.verdicts), 'verdict')})",
                table=expectations_table(outcome.verdicts), folded=True,
            ),
            Section(
                anchor=f"{anchor}-spec", heading=f"{outcome.name}.toml", code=[(f"{outcome.name}.toml", spec)],
                folded=True,
            ),
        ],
    )  # fmt: skip


def _unjudged(outcomes: Sequence[ScenarioOutcome]) -> Section:
    def facts() -> Iterator[tuple[str, str]]:
        for each in outcomes:
            if not each.findings:
                yield f"{each.scenario.section} {each.scenario.title}", f"{each.status}: {each.why}"

    return Section(anchor="missing", heading="Not judged", facts=list(facts()))
