"""What became of a scenario: each of its expectations at the point where least speaks for it, and by how much."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from dumbbell.experiment.expectations import JudgedExpectation, Word, judged, quantity_of
from dumbbell.experiment.points import ExperimentRuns
from dumbbell.metrics.number import counted, percent
from dumbbell.spec.point_text import point_text
from dumbbell.tables.table import Amount, Cell, Column, Table

if TYPE_CHECKING:
    from dumbbell.results.store import Store
    from dumbbell.suites.manifest import Scenario

Status: TypeAlias = Literal["holds", "fails", "undecided", "refused", "missing"]
STATUSES: Final[tuple[Status, ...]] = ("holds", "fails", "undecided", "refused", "missing")
"""In the order in which they are counted: `refused` by the engine, `missing` in dumbbell."""
MANY_TIMES: Final = 10.0
"""Beyond which a margin is a multiple of the bound."""
_WORST_FIRST: Final[tuple[Word, ...]] = ("fails", "undecided", "holds")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioFinding:
    """An expectation of a scenario, at all points: the one that fails most, or holds most narrowly, decides."""

    decisive: JudgedExpectation
    points: int
    """At which it was judged."""
    holding: int
    """At which it holds."""
    place: str
    """The decisive point, without the algorithm; empty where there is one."""
    ours: float | None
    """Mean over seeds there, in `unit`; None: there is none, as of a transfer that never ends."""
    baseline: float | None
    """What the baseline has there."""
    unit: str
    beyond: float
    """How far it is beyond its bound, in `unit`; negative where it keeps it, not a number where there is none."""
    share: float
    """The same as a share of the bound."""

    @property
    def subject(self) -> str:
        """What was measured, of whom."""
        expectation = self.decisive.expectation
        if expectation.relative is not None and not expectation.by:
            other, times = expectation.relative
            return f"{expectation.subject} - {times:g} x {other}"
        return f"time to {expectation.goal} {expectation.subject}" if expectation.by else expectation.subject

    @property
    def margin(self) -> str:
        """By how much it fails or holds.

        A bound of 0 has no share.
        """
        if math.isnan(self.beyond):
            if self.decisive.verdict != "undecided":
                return "never"
            compared = self.decisive.compared
            return "runs failed" if compared is not None and compared.failed else "no baseline"
        word = "beyond" if self.beyond > 0 else "to spare"
        if MANY_TIMES < self.share < math.inf:
            return f"{Amount(1 + self.share).text} x the bound"
        if math.isfinite(self.share):
            return f"{percent(abs(self.share))} {word}"
        unit = "points" if self.unit == "%" else self.unit
        return f"{Amount(abs(self.beyond), unit=f' {unit}' * bool(unit)).text} {word}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioOutcome:
    """A scenario with one algorithm on one engine."""

    name: str
    scenario: Scenario
    status: Status
    why: str = ""
    """Of one that is refused or missing."""
    findings: Sequence[ScenarioFinding] = ()
    verdicts: Sequence[JudgedExpectation] = ()
    """Of the algorithm at each point."""
    wall_s: float = 0.0
    """What the engine took for its runs."""

    @property
    def decisive(self) -> ScenarioFinding | None:
        """The finding that decides."""
        return min(self.findings, key=_rank, default=None)


def outcome_of(  # noqa: PLR0913, PLR0917 (what an outcome is made of)
    store: Store, name: str, scenario: Scenario, runs: ExperimentRuns, fields: Sequence[str], control: str
) -> ScenarioOutcome:
    """What the runs of a scenario say of an algorithm; `fields` are the paths at which it stands."""
    verdicts = judged(store, runs)
    own = [each for each in verdicts if each.swept.get(fields[0], control) == control]
    others = {
        (id(each.expectation), _elsewhere(each, fields)): each
        for each in verdicts
        if each.swept.get(fields[0]) != control
    }
    by_expectation: dict[int, list[JudgedExpectation]] = {}
    for each in own:
        by_expectation.setdefault(id(each.expectation), []).append(each)
    findings = [
        _finding([one for one in each if not _is_empty(one)] or each, others, fields)
        for each in by_expectation.values()
    ]
    there = {each.decisive.verdict for each in findings}
    worst: Status = next((each for each in _WORST_FIRST if each in there), "undecided")
    outcomes = [store.get(run_id) for point in runs.points for run_id in point.run_ids.values()]
    return ScenarioOutcome(
        name=name, scenario=scenario, status=worst, findings=findings, verdicts=own,
        wall_s=sum(each.wall_s for each in outcomes if each is not None),
    )  # fmt: skip


def _is_empty(each: JudgedExpectation) -> bool:
    """Whether there is no such number at its point, as no index of fairness of one flow."""
    return each.compared is not None and not (each.compared.own or each.compared.baseline or each.compared.failed)


def _elsewhere(each: JudgedExpectation, fields: Sequence[str]) -> str:
    """Its point without the algorithm."""
    return point_text({path: value for path, value in each.swept.items() if path not in fields})


def _rank(finding: ScenarioFinding) -> tuple[int, float]:
    share = finding.share if not math.isnan(finding.share) else finding.beyond
    return _WORST_FIRST.index(finding.decisive.verdict), -math.inf if math.isnan(share) else -share


def _finding(
    every: Sequence[JudgedExpectation], others: Mapping[tuple[int, str], JudgedExpectation], fields: Sequence[str]
) -> ScenarioFinding:
    holding = sum(each.verdict == "holds" for each in every)
    every_finding = [
        _at(each, others.get((id(each.expectation), _elsewhere(each, fields))), fields, len(every), holding)
        for each in every
    ]
    return min(every_finding, key=_rank)


def _at(
    own: JudgedExpectation, other: JudgedExpectation | None, fields: Sequence[str], points: int, holding: int
) -> ScenarioFinding:
    expectation = own.expectation
    quantity = quantity_of(expectation)
    unit = "s" if expectation.by else quantity.unit
    ours = baseline = limit = None
    if own.compared is not None and expectation.against is not None:
        both, failed = (own.compared.own, own.compared.baseline), own.compared.failed
        ours, baseline = (_mean(value for seed, value in each.items() if seed not in failed) for each in both)
        if own.compared.baseline.keys() - own.compared.own.keys() - set(failed):
            ours = None  # as of a transfer that only the baseline completes
        sign = -1 if expectation.is_least else 1
        if baseline is not None:
            limit = expectation.against[2] * baseline + sign * expectation.slack * quantity.factor
    elif own.check is not None:
        ours = own.check.value
        baseline = other.check.value if other is not None and other.check is not None else None
        limit = own.check.least if own.check.most is None else own.check.most
    is_least = expectation.is_least and not expectation.by
    beyond = math.nan if ours is None or limit is None else (limit - ours if is_least else ours - limit)
    share = beyond / abs(limit) if limit else math.copysign(math.inf, beyond)
    return ScenarioFinding(
        decisive=own, points=points, holding=holding, place=_elsewhere(own, fields), ours=ours, baseline=baseline,
        unit=unit, beyond=beyond, share=math.nan if math.isnan(beyond) else share,
    )  # fmt: skip


def _mean(values: Iterable[float]) -> float | None:
    numbers = list(values)
    return mean(numbers) if numbers else None


def table(outcomes: Sequence[ScenarioOutcome], control: str, baseline: str) -> Table:
    """A row an expectation, with its number at the point that decides; a scenario that was not run has one."""
    columns = [
        Column("scenario", key=True), Column("measured", key=True), Column(control), Column(baseline),
        Column("must be", spare=2), Column("points", spare=1), Column("margin"), Column("verdict"),
    ]  # fmt: skip
    rows: list[list[Cell]] = []
    for each in outcomes:
        if not each.findings:
            rows.append([each.name, "", None, None, "", "", "", each.status])
        for own in each.findings:
            values = [Amount(value, unit=f" {own.unit}" * bool(own.unit)) for value in (own.ours, own.baseline)]
            bound, points = own.decisive.expectation.bound, f"{own.holding} of {own.points}"
            rows.append([each.name, own.subject, *values, bound, points, own.margin, own.decisive.verdict])
    return Table(columns, rows)


def counts(outcomes: Sequence[ScenarioOutcome]) -> str:
    """How many hold, fail and so on, in a sentence.

    >>> counts([])
    '0 scenarios'
    """
    numbers = Counter[str](each.status for each in outcomes)
    labels = {"holds": "hold", "fails": "fail"}
    parts = [f"{numbers[each]} {labels.get(each, each)}" for each in STATUSES if numbers[each]]
    return f"{counted(len(outcomes), 'scenario')}{': ' if parts else ''}{', '.join(parts)}"


def sentence(finding: ScenarioFinding) -> str:
    """A finding that does not hold, with its place."""
    text = finding.decisive.sentence
    where = f"at {finding.place}: " if finding.place else ""
    return f"{finding.decisive.verdict} {where}{text} ({finding.holding} of {counted(finding.points, 'point')} hold)"
