"""What two engines came to as sentences and tables, the same on the terminal, on a page and in Markdown.

The last cell of a row may be a verdict: one of the keys of `report.html.MARKS`.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Final

from dumbbell.comparison.agreement import BANDS, OF_TRANSFERS
from dumbbell.comparison.record import Agreement, BandVerdict, Condition, EngineComparison, Path, Side
from dumbbell.metrics.number import ABSENT, amount, counted, percent, rate, trimmed
from dumbbell.spec.point_text import point_text, values_beyond_path
from dumbbell.tables.table import Column, Table

SPARE: Final = {
    "difference": 1, "x limit": 2, "excused": 3, "noise": 4, "raw median": 5, "raw p90": 6, "raw noise": 7,
}  # fmt: skip
"""Columns that a narrow terminal goes without, the one with the largest number first."""
HOLDS, BROKEN, NO_DATA = "holds", "broken", "no data"
BEYOND: Final = "beyond the outer limit"
MOST_FAILURES: Final = 3
"""Of one engine, shown of one condition."""
IDENTITY_DIGITS: Final = 12
_METRICS = {
    "group_goodput": "goodput", "total_goodput": "total goodput", "loss": "queue loss", "small_loss": "queue loss",
    "marks": "queue marks", "small_marks": "queue marks", "queueing_delay": "queueing delay",
    "managed_delay": "queueing delay", "completion": "median completion", "late_completion": "p95 completion",
}  # fmt: skip
"""What a band's metric is called of one condition."""


def verdict(holds: bool | None) -> str:  # noqa: FBT001 (it is what it is about)
    return NO_DATA if holds is None else HOLDS if holds else BROKEN


def path(of: Path) -> str:
    """Rate, RTT and queue of a condition.

    >>> path(Path(name="c", rate_bps=80_000_000, rtt_s=0.1, buffer_bdp=0.5, failures=()))
    '80.0 Mbit/s, 100 ms, 0.5 BDP'
    """
    return ", ".join((rate(of.rate_bps), trimmed(1e3 * of.rtt_s, " ms"), trimmed(of.buffer_bdp, " BDP")))


def setting(condition: Condition) -> str:
    """Path and flows in one line."""
    flows = " + ".join(f"{group.flows} {group.cc}" for group in condition.groups)
    loss = f", loss {percent(condition.loss)}" if condition.loss else ""
    others = point_text(values_beyond_path(condition.point))
    return f"{path(condition)}{loss}{f', {others}' if others else ''}: {flows}"


def origin(agreement: Agreement, conditions: str = "") -> str:
    """Which conditions, and how many runs each had; `conditions` says it of those that are of no spec."""
    count, failed = len(agreement.conditions), sum(bool(each.failures) for each in agreement.conditions)
    what = conditions or f"{counted(count, 'condition')} of {agreement.source.spec}"
    text = f"{counted(failed, 'condition')} failed and {'is' if failed == 1 else 'are'} not compared" if failed else ""
    return "; ".join(filter(None, (what, seeds(agreement), text)))


def seeds(comparison: EngineComparison) -> str:
    """How many runs of each engine there are in each condition."""
    own, others, floor = len(comparison.candidate.seeds), len(comparison.reference.seeds), len(comparison.floor_seeds)
    of_both = f"{counted(own, 'seed')} of {{}}, {others} of {{}}".format(*comparison.engine_names)
    text = of_both if own != others else f"{counted(own, 'seed')} an engine"
    return text + (f", {floor} more of {comparison.reference.engine} for its noise" if floor else "")


def summary(agreement: Agreement) -> str:
    """Which bands hold, and which do not, in sentences."""
    labels = {
        holds: "; ".join(BANDS[each.metric].label for each in agreement.bands if each.holds is holds)
        for holds in (False, None)
    }
    text = f"Broken: {labels[False]}." if labels[False] else "Every band that has data holds."
    return f"{text} Without data: {labels[None]}." if labels[None] else text


def legend(agreement: Agreement, limits: str = "the outer limit") -> str:
    """How everything is measured; `limits` is what the limits are."""
    reference = agreement.reference.engine
    return (
        "An error is the difference of the medians over seeds, as far as it exceeds half the interquartile range of"
        f" {reference}'s own seeds; median and p90 are over conditions (over groups, for the goodput of each). Noise is"
        f" the same of {reference} against itself under other seeds. Difference is the mean with its sign, unexcused,"
        " and its 95 % interval (Student's t). A group's goodput is relative to the larger of the reference's and"
        " 5 % of the rate; queueing delay is mean RTT less base RTT, in points of the buffer's drain time; the winner"
        f" has most goodput a flow. In brackets: what each may be, {limits}. Raw: nothing is excused. Noise"
        " (median, p90) has as many seeds as the reference, and start jitters of its own; the other engine's runs with"
        " the reference's seeds share those of the reference."
    )


def failures(conditions: Iterable[Path], engine: str | None = None) -> Iterator[str]:
    """What failed, a line each; the first of each condition and engine, so that none hides another's."""
    for condition in conditions:
        for name in dict.fromkeys(each.engine for each in condition.failures if engine in (None, each.engine)):
            own = [each for each in condition.failures if each.engine == name]
            for each in own[:MOST_FAILURES]:
                yield f"{condition.name}: {name}, seed {each.seed}: {each.error}"
            if len(own) > MOST_FAILURES:
                yield f"{condition.name}: and {len(own) - MOST_FAILURES} more runs of {name} failed"


def command(agreement: Agreement) -> str:
    """What makes the same comparison."""
    file = agreement.source.file or f"{agreement.source.spec}.toml"
    return " ".join(("dumbbell agree", shlex.quote(file), *options(agreement, agreement.source.sets)))


def options(comparison: EngineComparison, sets: Sequence[str]) -> Iterator[str]:
    """Fields that are set, engines and seeds, as a command has them."""
    yield from (f"--set {shlex.quote(each)}" for each in sets)
    yield f"--engines {comparison.candidate.engine},{comparison.reference.engine}"
    yield f"--seeds {len(comparison.reference.seeds)}"


def engine(side: Side) -> str:
    """An engine, its kernel where it has one, and its identity."""
    return identified(engine_name(side), side.identity)


def engine_name(side: Side) -> str:
    """An engine, and its kernel where it has one."""
    kernel = side.measured_on.get("kernel.release")
    return f"{side.engine} (kernel {kernel})" if isinstance(kernel, str) else side.engine


def identified(name: str, identity: str) -> str:
    """An engine with as much of its identity as tells builds apart."""
    return f"{name}, identity {identity[:IDENTITY_DIGITS]}"


def provenance(comparison: EngineComparison) -> Iterator[tuple[str, str]]:
    for role, side in (("Candidate", comparison.candidate), ("Reference", comparison.reference)):
        yield role, engine(side)
        yield f"Seeds of {role.lower()}", ", ".join(map(str, side.seeds))
        yield from ((f"{role}: {key}", str(value)) for key, value in side.measured_on.items())
    yield "Seeds for the noise", ", ".join(map(str, comparison.floor_seeds)) or "none"
    for name, version in comparison.versions.items():
        if version:
            yield "Commit" if name == "commit" else f"Version of {name}", version


def bands_table(agreement: Agreement) -> Table:
    """All bands; errors are in the band's unit, and what each may be is in brackets."""
    header = ["band", "n", "median", "p90", "raw median", "raw p90", "noise", "raw noise", "difference", "verdict"]
    return _with_spare(header, [_band(each) for each in agreement.bands])


def _with_spare(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    return Table([Column(name, spare=SPARE.get(name, 0)) for name in header], rows)


def _band(band: BandVerdict) -> list[str]:
    """A band by today's words: a record has those of when it was made."""
    label, unit = BANDS[band.metric].label, BANDS[band.metric].unit
    if band.least is not None:
        shares = [amount(spread.share, scale=100) for spread in (band.measured, band.floor)]
        figures = [f"{shares[0]} (at least {100 * band.least:g})", ABSENT, ABSENT, ABSENT, shares[1], ABSENT]
    else:
        limited = [
            (band.measured.median, band.median_limit), (band.measured.p90, band.p90_limit),
            (band.raw.median, band.raw_median_limit), (band.raw.p90, band.raw_p90_limit),
        ]  # fmt: skip
        figures = [
            amount(value, scale=100) + ("" if limit is None or value is None else f" ({100 * limit:g})")
            for value, limit in limited
        ]
        figures += [
            ", ".join(amount(value, scale=100) for value in (noise.median, noise.p90))
            for noise in (band.floor, band.raw_floor)
        ]
    difference = amount(band.difference, band.half_width, scale=100, signed=True)
    cell = BEYOND if band.beyond_design else verdict(band.holds)
    return [f"{label} ({unit})", str(band.measured.n), *figures, difference, cell]


def worst_table(agreement: Agreement, most: int | None = None) -> Table:
    """The conditions that are farthest off, with units; excused is what the reference's own spread excuses."""
    candidate, reference = agreement.engine_names
    header = ["condition", "setting", "what", reference, candidate, "noise", "excused", "x limit"]
    rows = []
    for worst in agreement.worst[:most]:
        condition = agreement.condition(worst.condition)
        (each,) = (
            each for each in condition.differences if (each.metric, each.group) == (worst.metric, worst.group)
        )  # fmt: skip
        seconds = partial(amount, unit=" s")
        written = rate if each.metric.endswith("goodput") else seconds if each.metric in OF_TRANSFERS else percent
        values = map(written, (each.reference, each.candidate, each.floor, each.excused))
        metric = _METRICS[each.metric] if each.group is None else f"{_METRICS[each.metric]} of {each.group}"
        rows.append([condition.name, setting(condition), metric, *values, amount(worst.limits)])
    return _with_spare(header, rows)


def conditions_table(agreement: Agreement) -> Table:
    """The largest error of each condition, times 100, and who won it."""
    header = ["condition", "setting", "goodput", "total", "loss", "queueing delay", "winner", "x limit"]
    return Table.of(header, [_condition(each) for each in agreement.conditions])


def _condition(condition: Condition) -> list[str]:
    def largest(*metrics: str) -> str:
        errors = [each.error for each in condition.differences if each.metric in metrics]
        return amount(max(errors, default=None), scale=100)

    winner = condition.winner
    won = ABSENT if winner is None else winner.reference or "no one"
    if winner is not None and winner.reference is not None and winner.candidate != winner.reference:
        won = f"{winner.reference}, not {winner.candidate or 'one'}"
    errors = (largest("group_goodput"), largest("total_goodput"), largest("loss", "small_loss"))
    limits = max((each.limits or 0.0 for each in condition.differences), default=None)
    return [
        condition.name,
        setting(condition),
        *errors,
        largest("queueing_delay", "managed_delay"),
        won,
        amount(limits),
    ]
