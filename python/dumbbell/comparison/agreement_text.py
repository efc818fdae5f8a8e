"""What two engines came to as sentences and tables, the same on the terminal, on a page and in Markdown.

A table is its header and its rows, whose last cell may be a verdict: one of the keys of `report.comparison.MARKS`.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import Final

from dumbbell.comparison.agreement import BANDS, OF_TRANSFERS, controls_that_keep
from dumbbell.comparison.curves import is_loss_based
from dumbbell.comparison.random_conditions import MOST_PACKETS, USUAL_DURATION
from dumbbell.comparison.record import (
    Agreement,
    BandVerdict,
    Case,
    CheckRow,
    Checks,
    Condition,
    Curves,
    Difference,
    EngineComparison,
    LimitVerdict,
    Path,
    RunFailure,
    Side,
)
from dumbbell.metrics.number import ABSENT, amount, counted, percent, trimmed
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
NO_BAND: Final = "outer limit, no band yet"
WITHIN: Final = f"holds ({NO_BAND})"
SAME, DIFFERENT = "same", "other"
IDENTITY_DIGITS: Final = 12
_SIZES = ((1e6, 1e6, "Mbit/s"), (1e3, 1e3, "kbit/s"), (0.0, 1.0, "bit/s"))
_METRICS = {
    "group_goodput": "goodput", "total_goodput": "total goodput", "loss": "queue loss", "small_loss": "queue loss",
    "queueing_delay": "queueing delay", "completion": "median completion", "late_completion": "p95 completion",
}  # fmt: skip
"""What a band's metric is called of one condition."""


def verdict(holds: bool | None) -> str:  # noqa: FBT001 (it is what it is about)
    return NO_DATA if holds is None else HOLDS if holds else BROKEN


def rate(bps: float | None) -> str:
    """A rate.

    >>> rate(8.0e7), rate(12_345.0), rate(0), rate(None)
    ('80.0 Mbit/s', '12.3 kbit/s', '0 bit/s', '-')
    """
    if bps is None:
        return ABSENT
    divisor, unit = next((by, unit) for least, by, unit in _SIZES if bps >= least)
    return f"{amount(bps / divisor)} {unit}"


def path(of: Path) -> str:
    """Rate, RTT and queue of a condition.

    >>> path(Case(name="c", cc="bbr", rate_bps=80_000_000, rtt_s=0.1, buffer_bdp=0.5, epochs={}, comparisons=(),
    ...           curves=(), failures=()))
    '80.0 Mbit/s, 100 ms, 0.5 BDP'
    """
    return f"{rate(of.rate_bps)}, {trimmed(1e3 * of.rtt_s)} ms, {trimmed(of.buffer_bdp)} BDP"


def setting(condition: Condition) -> str:
    """Path and flows in one line."""
    flows = " + ".join(f"{group.flows} {group.cc}" for group in condition.groups)
    loss = f", loss {percent(condition.loss)}" if condition.loss else ""
    others = point_text(values_beyond_path(condition.point))
    return f"{path(condition)}{loss}{f', {others}' if others else ''}: {flows}"


def origin(comparison: Agreement | Checks | Curves) -> str:
    """Which conditions, and how many runs each had."""
    failed = 0
    if isinstance(comparison, Checks):
        return f"{counted(len(comparison.checks), 'check')}, {counted(len(comparison.conditions), 'condition')}"
    if isinstance(comparison, Curves):
        algorithms = len({case.cc for case in comparison.cases})
        what = f"one flow, {counted(algorithms, 'algorithm')}, {counted(len(comparison.cases), 'condition')}"
    else:
        source, count = comparison.source, len(comparison.conditions)
        failed = sum(bool(each.failures) for each in comparison.conditions)
        what = f"{counted(count, 'condition')} of {source.spec}"
        if source.spec is None:
            stratum = f" of stratum {source.stratum}," if source.stratum else ""
            length = f", {source.duration} each" if source.duration else ""
            what = f"{counted(count, 'random condition')}{stratum} of seed {source.seed}{length}"
    own, others, floor = len(comparison.candidate.seeds), len(comparison.reference.seeds), len(comparison.floor_seeds)
    seeds = f"{counted(own, 'seed')} an engine"
    if own != others:
        candidate, reference = comparison.engine_names
        seeds = f"{counted(own, 'seed')} of {candidate}, {others} of {reference}"
    noise = f", {floor} more of {comparison.reference.engine} for its noise" if floor else ""
    return f"{what}; {seeds}{noise}" + (f"; {_failed(failed)}" if failed else "")


def _failed(count: int) -> str:
    """How many conditions failed.

    >>> _failed(1), _failed(2)
    ('1 condition failed and is not compared', '2 conditions failed and are not compared')
    """
    return f"{counted(count, 'condition')} failed and {'is' if count == 1 else 'are'} not compared"


def summary(comparison: Agreement | Checks | Curves) -> str:
    """Which bands or limits hold, and which do not, in sentences."""
    if isinstance(comparison, Checks):
        missed = [row for row in comparison.rows if not row.holds]
        by_check = ", ".join(dict.fromkeys(row.check for row in missed))
        sentence = f"{len(comparison.rows) - len(missed)} of {len(comparison.rows)} figures keep their bars"
        return f"{sentence}; not all of {by_check}." if missed else f"{sentence}."
    if isinstance(comparison, Curves):
        total = sum(len(case.comparisons) for case in comparison.cases)
        rows = limits_table(comparison, broken_only=True).rows
        if not total:
            return "Nothing was compared."
        broken = "; ".join(f"{cc}, {where}: {label}" for cc, where, label, *_ in rows)
        return f"{total - len(rows)} of {total} limits hold. Broken: {broken}." if rows else f"All {total} limits hold."
    labels = {
        holds: "; ".join(BANDS[each.metric].label for each in comparison.bands if each.holds is holds)
        for holds in (False, None)
    }
    text = f"Broken: {labels[False]}." if labels[False] else "Every band that has data holds."
    return f"{text} Without data: {labels[None]}." if labels[None] else text


def legend(comparison: Agreement | Curves) -> str:
    """How everything is measured."""
    reference = comparison.reference.engine
    if isinstance(comparison, Curves):
        return (
            "Medians over seeds, or over all whole loss epochs of all seeds. An epoch runs from one reduction of cwnd"
            " to the next; the first, of slow start's overshoot, is left out, and epochs whose lengths differ by a"
            " quarter are kept apart. Curves are medians over epochs laid on their beginnings, which each engine's"
            f" samples tell to one sample: the difference at an instant is {reference}'s value's distance from the"
            " range that the other curve has within one sample. BBR's figures are what it reports of itself"
            " (tcp_bbr_info), its phases what its gains tell. Noise is"
            f" {reference} against itself under other seeds. Limits: 5 % of values, one base RTT of times that BBR"
            " counts in rounds, equality of phases and gains."
        )
    limited = "the stratum's band"
    if comparison.source.spec is not None:
        limited = "the outer limit"
    elif without_bands(comparison):
        limited += f"; or, where the verdict says “{NO_BAND}”, the limit of the design that no band may cross"
    return (
        "An error is the difference of the medians over seeds, as far as it exceeds half the interquartile range of"
        f" {reference}'s own seeds; median and p90 are over conditions (over groups, for the goodput of each). Noise is"
        f" the same of {reference} against itself under other seeds. Difference is the mean with its sign, unexcused,"
        " and its 95 % interval (Student's t). A group's goodput is relative to the larger of the reference's and"
        " 5 % of the rate; queueing delay is mean RTT less base RTT, in points of the buffer's drain time; the winner"
        f" has most goodput a flow. In brackets: what each may be, {limited}. Raw: nothing is excused. Noise"
        " (median, p90) has as many seeds as the reference, and start jitters of its own; the other engine's runs with"
        " the reference's seeds share those of the reference."
    )


def failures(comparison: Agreement | Checks | Curves, engine: str | None = None) -> list[str]:
    """What failed, a line each; the first of each condition and engine, so that none hides another's."""
    parts: Sequence[Path] = comparison.cases if isinstance(comparison, Curves) else comparison.conditions
    return [f"{part.name}: {line}" for part in parts for line in _failures(part.failures, engine)]


def _failures(failed: Sequence[RunFailure], engine: str | None) -> Iterator[str]:
    for name in dict.fromkeys(each.engine for each in failed if engine in (None, each.engine)):
        own = [each for each in failed if each.engine == name]
        for each in own[:MOST_FAILURES]:
            yield f"{name}, seed {each.seed}: {each.error}"
        if len(own) > MOST_FAILURES:
            yield f"and {len(own) - MOST_FAILURES} more runs of {name} failed"


def without_data(comparison: Agreement | Curves) -> list[str]:
    """Single flows that did not fail, and have nothing to compare, a line each: their runs are too short."""
    return [
        f"{case.name} ({case.cc}, {path(case)}): no {'whole loss epoch' if is_loss_based(case.cc) else 'phase of BBR'}"
        for case in (comparison.cases if isinstance(comparison, Curves) else ())
        if not (case.comparisons or case.failures)
    ]


def command(comparison: Agreement | Curves) -> str:
    """What makes the same comparison."""
    own, seeds, floor = (
        len(each) for each in (comparison.candidate.seeds, comparison.reference.seeds, comparison.floor_seeds)
    )
    return " ".join((
        "dumbbell agree",
        *(["--curves"] if isinstance(comparison, Curves) else _conditions(comparison)),
        *(f"--set {shlex.quote(each)}"
          for each in (comparison.sets if isinstance(comparison, Curves) else comparison.source.sets)),
        f"--engines {comparison.candidate.engine},{comparison.reference.engine}",
        f"--seeds {seeds}",
        *([f"--candidate-seeds {own}"] if own != seeds else []),
        *([f"--floor {floor}"] if floor != seeds else []),
    ))  # fmt: skip


def _conditions(agreement: Agreement) -> Iterator[str]:
    source = agreement.source
    if source.spec is not None:
        yield shlex.quote(source.file or f"{source.spec}.toml")
        return
    stratum = f" --stratum {source.stratum}" if source.stratum else ""
    yield f"--random {source.random}{stratum} --seed {source.seed}"
    if source.duration not in (None, USUAL_DURATION):
        yield f'--duration "{source.duration}"'
    if source.most_packets not in (None, MOST_PACKETS):
        yield f"--packets {source.most_packets}"


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


def versions(comparison: EngineComparison) -> str:
    """Both engines, and what computed the verdicts."""
    text = ", ".join(f"{name} {version}" for name, version in comparison.versions.items() if version)
    return f"Engines: {engine(comparison.candidate)}; {engine(comparison.reference)}. Versions: {text}."


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
    return _with_spare(header, [_band(each, drawn=agreement.source.spec is None) for each in agreement.bands])


def _with_spare(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    return Table([Column(name, spare=SPARE.get(name, 0)) for name in header], rows)


def _is_outer(band: BandVerdict) -> bool:
    """Whether errors are held against the outer limit alone: a band of the stratum's own limits raw ones, too."""
    return band.p90_limit is not None and band.raw_p90_limit is None


def without_bands(agreement: Agreement) -> bool:
    """Whether a stratum has errors that only the outer limit is there for."""
    return agreement.source.spec is None and any(_is_outer(band) and band.measured.n for band in agreement.bands)


def _band(band: BandVerdict, *, drawn: bool) -> list[str]:
    """A band by today's words: a record has those of when it was made."""
    label, unit = BANDS[band.metric].label, BANDS[band.metric].unit
    if band.least is not None:
        shares = [amount(spread.share, scale=100) for spread in (band.measured, band.floor)]
        figures = [f"{shares[0]} (at least {100 * band.least:g})", ABSENT, ABSENT, ABSENT, shares[1], ABSENT]
    else:
        figures = [_limited(*each) for each in _statistics(band)]
        figures += [f"{_hundred(each.median)}, {_hundred(each.p90)}" for each in (band.floor, band.raw_floor)]
    difference = amount(band.difference, band.half_width, scale=100, signed=True)
    cell = BEYOND if band.beyond_design else WITHIN if band.holds and drawn and _is_outer(band) else verdict(band.holds)
    return [f"{label} ({unit})", str(band.measured.n), *figures, difference, cell]


def _statistics(band: BandVerdict) -> list[tuple[float | None, float | None]]:
    """What a band limits, each with its limit: median and p90, then the same of what nothing is excused of."""
    return [
        (band.measured.median, band.median_limit), (band.measured.p90, band.p90_limit),
        (band.raw.median, band.raw_median_limit), (band.raw.p90, band.raw_p90_limit),
    ]  # fmt: skip


def _limited(value: float | None, limit: float | None) -> str:
    return _hundred(value) if limit is None or value is None else f"{_hundred(value)} ({100 * limit:g})"


def _hundred(value: float | None) -> str:
    return amount(value, scale=100)


def controls_text(agreement: Agreement) -> str:
    """How many controls keep every band, in a sentence."""
    keeping = controls_that_keep(agreement)
    own = "keeps" if agreement.holds else "does not keep"
    return (
        f"{agreement.candidate.engine} {own} every band; under other random streams the same build"
        f" keeps every one in {sum(keeping)} of {counted(len(keeping), 'control')}."
    )


def checks_table(checks: Checks) -> Table:
    """Every figure with its bar."""
    candidate, reference = checks.engine_names
    header = ["check", "setting", "figure", reference, candidate, "difference", "bar", "noise", "verdict"]
    return Table.of(header, [_check(each) for each in checks.rows], keys=2)


def _check(row: CheckRow) -> list[str]:
    own = row.reference_limit  # each engine's figure has a bar of its own
    absolute = own is not None or row.label.startswith("share")
    scale, unit = (1.0, "") if absolute else (100.0, " %")
    bars = [limit for limit in (own, row.limit) if limit is not None]
    return [
        row.check,
        row.setting,
        row.label,
        *(_figure(row, value) for value in (row.reference, row.candidate)),
        ABSENT if own is not None else amount(row.difference, scale=scale, unit=unit, signed=True),
        " and ".join(f"{scale * limit:g}{unit}" for limit in dict.fromkeys(bars)),
        amount(row.noise, scale=scale, unit=unit, signed=True),
        verdict(row.holds),
    ]


def _figure(row: CheckRow, value: float | None) -> str:
    if row.unit == "bit/s":
        return rate(value)
    if row.unit == "s":
        return amount(value, scale=1e3, unit=" ms")
    return amount(value) if row.label.endswith("share") or "share" in row.label else percent(value)


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
        written = rate if each.metric.endswith("goodput") else _seconds if each.metric in OF_TRANSFERS else percent
        values = (each.reference, each.candidate, each.floor, each.excused)
        rows.append([condition.name, setting(condition), _called(each), *map(written, values), amount(worst.limits)])
    return _with_spare(header, rows)


def _seconds(value: float | None) -> str:
    return ABSENT if value is None else f"{amount(value)} s"


def _called(difference: Difference) -> str:
    metric = _METRICS[difference.metric]
    return metric if difference.group is None else f"{metric} of {difference.group}"


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
    return [condition.name, setting(condition), *errors, largest("queueing_delay"), won, amount(limits)]


def limits_table(curves: Curves, *, broken_only: bool = False) -> Table:
    """Every quantity of every condition of single flows, or those beyond their limit."""
    candidate, reference = curves.engine_names
    header = ["algorithm", "path", "quantity", reference, candidate, "difference", "limit", "noise", "verdict"]
    rows = [
        [case.cc, path(case), *_limit(each)]
        for case in curves.cases
        for each in case.comparisons
        if not (broken_only and each.holds)
    ]
    return Table.of(header, rows, keys=3)


def worst_of_paths(cases: Sequence[Case]) -> Table:
    """For each quantity and algorithm the largest difference over the paths, and in brackets the largest noise."""
    algorithms = list(dict.fromkeys(case.cc for case in cases))
    by_label: dict[str, dict[str, list[LimitVerdict]]] = {}
    for case in cases:
        for each in case.comparisons:
            by_label.setdefault(each.label, {}).setdefault(case.cc, []).append(each)
    rows = []
    for label, of in by_label.items():
        first = next(iter(of.values()))[0]
        rows.append([label, *(_worst(of.get(cc, [])) for cc in algorithms), _scaled(first, first.limit)])
    return Table.of(["quantity", *(f"`{cc}`" for cc in algorithms), "limit"], rows)


def _limit(each: LimitVerdict) -> list[str]:
    alike = isinstance(each.candidate, str) and each.candidate == each.reference
    return [
        each.label,
        _value(each, each.reference),
        SAME if alike else _value(each, each.candidate),
        _scaled(each, each.difference, signed=True),
        _scaled(each, each.limit),
        _scaled(each, each.noise, signed=True),
        verdict(each.holds),
    ]


def _worst(verdicts: Sequence[LimitVerdict]) -> str:
    """Bold where a limit is broken."""
    if not verdicts:
        return ABSENT
    worst = max(verdicts, key=lambda each: float("inf") if each.difference is None else abs(each.difference))
    noisiest = max(verdicts, key=lambda each: abs(each.noise or 0.0))
    difference, noise = (
        _scaled(each, None if value is None else abs(value))
        for each, value in ((worst, worst.difference), (noisiest, noisiest.noise))
    )
    text = f"{difference} ({noise})"
    return text if all(each.holds for each in verdicts) else f"**{text}**"


def _value(each: LimitVerdict, value: float | str | None) -> str:
    """One engine's value with its unit."""
    if value is None or isinstance(value, str):
        return value or ABSENT
    if each.unit == "bit/s":
        return rate(value)
    if each.unit == "s":
        return amount(value, unit=" s") if value >= 1 else amount(value, scale=1e3, unit=" ms")
    return percent(value) if each.unit == "%" else amount(value, unit=f" {each.unit}")


def _scaled(each: LimitVerdict, value: float | None, *, signed: bool = False) -> str:
    """A difference, a limit or a noise, in what it is a share of."""
    if value is not None and each.of == "same":
        return DIFFERENT if value else SAME
    scale, unit = {"rtt": (1.0, " RTT"), "whole": (100.0, " points")}.get(each.of, (100.0, " %"))
    return amount(value, scale=scale, unit=unit, signed=signed)
