"""Whether the runs of an experiment show what its spec expects, each expectation at each point, in a sentence."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from dumbbell.experiment.points import ExperimentRuns, point_key
from dumbbell.metrics.attainment import GroupSeries, attained_s
from dumbbell.metrics.catalogue import HARMS, OF_HOP, QUANTITIES, Quantity
from dumbbell.metrics.checked import Checked, by_count, by_median, why_not, why_so, why_undecided
from dumbbell.metrics.number import AMOUNT, ANY_NUMBER
from dumbbell.results.harm import ADDS_HARM
from dumbbell.results.measured import MeasuredPoint
from dumbbell.spec.point_text import point_text, swept_text
from dumbbell.tables.table import Column, Table
from dumbbell.units import NS_PER_S

if TYPE_CHECKING:
    import pandas as pd

    from dumbbell.results.store import Store
    from dumbbell.spec.expectation import Expectation
    from dumbbell.spec.experiment import Experiment, Point

Word: TypeAlias = Literal["holds", "fails", "undecided"]
VERDICTS: Final[dict[str, Word]] = {"yes": "holds", "no": "fails", "undecided": "undecided"}
_FIELD_OF_HOP: Final = {quantity.name: field for field, quantity in OF_HOP.items()}
_QUANTITY_OF_HOP: Final = {quantity.name: quantity for quantity in OF_HOP.values()}


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedValues:
    """A quantity at a point and at its baseline, by seed, in its unit; a run that has none is not there."""

    unit: str
    own: Mapping[int, float]
    baseline: Mapping[int, float]
    failed: Sequence[int] = ()
    """Seeds of which a run failed, at the point or at its baseline."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedExpectation:
    """An expectation at one point of a sweep."""

    expectation: Expectation
    swept: dict[str, Any]
    """The point, each value as the spec wrote it."""
    verdict: Word
    sentence: str
    """Why, without the point."""
    check: Checked | None = None
    """The number and its bound; None where there are no runs that decide."""
    run_ids: Sequence[str] = ()
    compared: PairedValues | None = None
    """Of one with a baseline."""

    @property
    def place(self) -> str:
        """The point in words; empty of an experiment with one."""
        return point_text(self.swept)

    @property
    def text(self) -> str:
        """The sentence, with the point before it."""
        return f"{self.place}: {self.sentence}" if self.place else self.sentence


def judged(store: Store, runs: ExperimentRuns) -> list[JudgedExpectation]:
    """Every expectation at every point that it is about, in the order of the spec.

    Raises:
        StoreError: a run whose series decide has none.
    """
    experiment = runs.experiment
    expectations = experiment.expectations if experiment is not None else []
    if experiment is None or not expectations:
        return []
    there = {point_key(point.swept): point for point in runs.points}
    series: dict[str, GroupSeries] = {}
    verdicts = []
    for expectation in expectations:
        own = list(_points(experiment, expectation))
        for point in own:
            baseline = None
            if expectation.against is not None:
                first = _baseline(experiment, expectation.against[0], point)
                if first == point.values:  # noqa: PD011 (no frame)
                    continue
                baseline = there.get(point_key(first), MeasuredPoint(swept=first))
            measured = there.get(point_key(point.values))
            verdicts.append(_judge(store, experiment, expectation, point, measured, baseline, series))
        if not own:
            values = point_text(expectation.values)
            why = f"{expectation} is not judged: no point of the experiment has {values}"
            verdicts.append(JudgedExpectation(expectation=expectation, swept={}, verdict="undecided", sentence=why))
    return verdicts


def _points(experiment: Experiment, expectation: Expectation) -> Iterator[Point]:
    for number in range(len(experiment)):
        point = experiment.point(number)
        if all(point.get(path) == value for path, value in expectation.values.items()):  # noqa: PD011 (no frame)
            yield point


def _baseline(experiment: Experiment, path: str, point: Point) -> dict[str, Any]:
    """The point with the first value of a field, and of those that vary with it."""
    bundle = next(each for each in experiment.bundles if path in each)
    firsts = {axis.path: next(iter(axis.values)) for axis in experiment.axes}
    return point.values | {path: firsts[path] for path in bundle}  # noqa: PD011 (no frame)


def _judge(  # noqa: PLR0913, PLR0917 (what a verdict is made of)
    store: Store, experiment: Experiment, expectation: Expectation, point: Point, measured: MeasuredPoint | None,
    baseline: MeasuredPoint | None, series: dict[str, GroupSeries],
) -> JudgedExpectation:  # fmt: skip
    seeds = experiment.seed_values
    run_ids = [] if measured is None else list(measured.run_ids.values())
    judgement = partial(JudgedExpectation, expectation=expectation, swept=point.values, run_ids=run_ids)
    ended = 0 if measured is None else len(measured.run_ids) + len(measured.errors)
    there = ended if baseline is None else min(ended, len(baseline.run_ids) + len(baseline.errors))
    if measured is None or there < len(seeds):
        whose = "" if there == ended else " of the baseline"
        why = f"{expectation} is not judged: {there} of {len(seeds)} runs{whose} are there"
        return judgement(verdict="undecided", sentence=why)
    compared = None if baseline is None else _compared(expectation, measured, baseline)
    failed = len(measured.errors.keys() | (baseline.errors.keys() if baseline is not None else ()))
    so_many = f"of {failed} of {len(seeds)} seeds a run failed"
    check = _check(store, expectation, measured, compared, series) if failed < len(seeds) else None
    if check is None:
        why = so_many if failed else f"the baseline has no {expectation.quantity}"
        return judgement(verdict="undecided", sentence=f"{expectation} is not judged: {why}", compared=compared)
    alone = expectation.all_seeds or len(seeds) == 1
    verdict: Word = ("holds" if check.holds else "fails") if alone else VERDICTS[check.word]
    sentence = _sentence(expectation, check, verdict)
    if failed:  # what a run that failed would have shown nobody knows
        verdict, sentence = "fails" if verdict == "fails" else "undecided", f"{sentence}; {so_many}"
    return judgement(verdict=verdict, sentence=sentence, check=check, compared=compared)


def _compared(expectation: Expectation, point: MeasuredPoint, baseline: MeasuredPoint) -> PairedValues:
    quantity = quantity_of(expectation)
    own, other = (_by_seed(each, quantity, expectation.of) for each in (point, baseline))
    return PairedValues(
        unit=quantity.unit,
        own={seed: quantity.factor * value for seed, value in own.items()},
        baseline={seed: quantity.factor * value for seed, value in other.items()},
        failed=sorted(point.errors.keys() | baseline.errors.keys()),
    )


def quantity_of(expectation: Expectation) -> Quantity:
    """Of the catalogue."""
    return QUANTITIES.get(expectation.quantity) or _QUANTITY_OF_HOP[expectation.quantity]


def _check(
    store: Store, expectation: Expectation, point: MeasuredPoint, compared: PairedValues | None,
    series: dict[str, GroupSeries],
) -> Checked | None:  # fmt: skip
    """The number of each seed whose run did not fail, None where it has none, and the bounds, in the quantity's unit.

    None where there is a baseline and no seed of it has the quantity.
    """
    quantity = quantity_of(expectation)
    seeds = sorted(point.run_ids)
    label, unit, limits, level = expectation.subject, quantity.unit, (-math.inf, math.inf), expectation.level
    if expectation.by_s is not None:
        own = {seed: _attained_s(store, run_id, expectation, series) for seed, run_id in point.run_ids.items()}
        label, unit, limits = f"time until {expectation.subject} is {expectation.goal}", "s", AMOUNT
        bounds = {"least": None, "most": expectation.by_s}
    else:
        values = _by_seed(point, quantity, expectation.of)
        if expectation.relative is not None:
            other, times = expectation.relative
            others = _by_seed(point, quantity, other)
            values = {seed: value - times * others[seed] for seed, value in values.items() if seed in others}
            label, limits, level = f"{expectation.subject} - {times:g} x {other}", ANY_NUMBER, 0.0
        elif expectation.against is not None and compared is not None:
            _, baseline, times = expectation.against
            seeds = [seed for seed in seeds if seed in compared.baseline]
            if not seeds:
                return None
            values = {
                seed: value - times * compared.baseline[seed] / quantity.factor
                for seed, value in values.items()
                if seed in compared.baseline
            }
            so_many = f"{times:g} x " * (times != 1)
            label = f"{expectation.subject} - {so_many}that with {swept_text(baseline)}"
            limits, level = ANY_NUMBER, 0.0
        else:
            least, most = (quantity.factor * each for each in quantity.limits)
            limits = (least, most)
        own = {seed: quantity.factor * value for seed, value in values.items()}
        level = None if level is None else level + expectation.slack * (-1 if expectation.is_least else 1)
        bound = None if level is None else float(f"{quantity.factor * level:.12g}")
        bounds = {"least": bound if expectation.is_least else None, "most": None if expectation.is_least else bound}
    facts = {"label": label, "unit": unit, **bounds}
    numbers = [own.get(seed) for seed in seeds]
    if expectation.all_seeds:
        return by_count(numbers, 1.0, limits, **facts)
    return by_median(numbers, limits, **facts)


def _by_seed(point: MeasuredPoint, quantity: Quantity, of: str | None) -> dict[int, float]:
    """The value of each run that has one, in base units: of a group, of a hop, of the run."""
    if quantity.name in _FIELD_OF_HOP and (of or "") in {hop for _, hop in point.hops}:
        numbers = point.hops.get((_FIELD_OF_HOP[quantity.name], of or ""), ())
        values = zip(point.run_ids, numbers, strict=False)
        return {seed: value for seed, value in values if not math.isnan(value)}
    group = "" if quantity.of == "run" else of or next(iter(point.ccs), "")
    return point.by_seed(quantity.name, group)


def _attained_s(store: Store, run_id: str, expectation: Expectation, read: dict[str, GroupSeries]) -> float | None:
    """When it is first so in a run, after the group's start or the time that the spec says; None: never."""
    series = read.get(run_id)
    if series is None:
        series = read[run_id] = _series(store, run_id)
    group = expectation.of or next(iter(series.groups.values()), "")
    begin_s = series.start_s(group) if expectation.from_s is None else expectation.from_s
    if begin_s is None:
        return None
    own = series.bins(expectation.quantity, group, begin_s)
    if expectation.relative is None:
        bound = own * 0.0 + (expectation.level or 0.0)
    else:
        other, times = expectation.relative
        slack = expectation.slack * (-1 if expectation.is_least else 1)
        bound = times * series.bins(expectation.quantity, other, begin_s) + slack
    return attained_s(own >= bound if expectation.is_least else own <= bound)


def _series(store: Store, run_id: str) -> GroupSeries:
    run, result = store.run(run_id), store.get(run_id)
    flows = result.flows if result is not None and result.status == "ok" else ()
    samples = store.flow_series(run_id)
    return GroupSeries(
        samples,
        groups={flow.flow: flow.name for flow in flows},
        starts_s={flow.flow: flow.start_s for flow in flows},
        end_s=min(run.duration_ns / NS_PER_S, float(samples["time_s"].max()) if len(samples) else 0.0),
    )


def _sentence(expectation: Expectation, check: Checked, verdict: Word) -> str:
    if check.value is None:
        never = (
            f"{expectation.subject} is never {expectation.goal}" if expectation.by_s else f"{check.label} is not there"
        )
        text = f"{never}, in {check.seeds} of {check.seeds} seeds"
    elif expectation.all_seeds:
        text = f"{check.label} is {check.measured}; {check.bounds} in {check.holding} of {check.seeds} seeds"
    else:
        text = {"holds": why_so, "fails": why_not, "undecided": why_undecided}[verdict](check)
    notes = []
    if verdict != "undecided" and not expectation.all_seeds:
        notes += ["one seed, so the value decides"] * (check.seeds == 1)
        notes += [f"all {check.seeds} seeds gave the same"] * (check.seeds > 1 and check.n == 1 and not check.without)
    notes += [ADDS_HARM] * (expectation.quantity in HARMS and check.value is None)
    return "; ".join([text, *notes])


def table(verdicts: Sequence[JudgedExpectation]) -> Table:
    """A row an expectation and point: what, where, the value with its interval, the bound, the verdict."""
    axes = list(dict.fromkeys(path for each in verdicts for path in each.swept))
    columns = [Column("expected", key=True), *(Column(axis, key=True, axis=True) for axis in axes)]
    columns += [Column("measured"), Column("bound"), Column("verdict")]
    rows = [
        [
            each.check.label.partition(" is at ")[0] if each.check else each.expectation.subject,
            *(swept_text(each.swept[axis]) if axis in each.swept else None for axis in axes),
            each.check.measured or None if each.check else None,
            each.expectation.bound,
            each.verdict,
        ]
        for each in verdicts
    ]
    return Table(columns, rows)


def frame(verdicts: Sequence[JudgedExpectation]) -> pd.DataFrame:
    """A row an expectation and point."""
    import pandas as pd  # noqa: PLC0415 (late: it takes long to load)

    return pd.DataFrame([
        each.swept | {
            "quantity": each.expectation.quantity, "of": each.expectation.of or "", "bound": each.expectation.bound,
            "verdict": each.verdict, "value": check.value if check else None, "low": check.low if check else None,
            "high": check.high if check else None, "unit": check.unit if check else "", "n": check.n if check else 0,
            "seeds": check.seeds if check else 0, "sentence": each.sentence,
        }
        for each in verdicts for check in [each.check]
    ])  # fmt: skip
