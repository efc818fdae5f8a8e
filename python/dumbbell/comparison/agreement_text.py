"""An agreement as text, the same on the terminal, in the report and in the documentation."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from dumbbell.comparison.bands import GROUP_GOODPUT, LOSS, QUEUEING_DELAY, SMALL_LOSS, TOTAL_GOODPUT
from dumbbell.comparison.random_conditions import MOST_PACKETS, USUAL_DURATION
from dumbbell.metrics.number import ABSENT, amount, counted, percent, trimmed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dumbbell.comparison.record import Agreement, BandVerdict, Condition, Difference, EngineComparison, Side, Worst

HOLDS, BROKEN, UNTOLD = "holds", "broken", "no data"
HEADER = ("band", "n", "median", "limit", "p90", "limit", "noise median", "noise p90", "difference", "verdict")
WORST_HEADER = ("condition", "what", "reference", "candidate", "noise", "excused", "x limit")
_SIZES = ((1e6, 1e6, "Mbit/s"), (1e3, 1e3, "kbit/s"), (0.0, 1.0, "bit/s"))
_METRICS = {
    GROUP_GOODPUT: "goodput",
    TOTAL_GOODPUT: "total goodput",
    LOSS: "queue loss",
    SMALL_LOSS: "queue loss",
    QUEUEING_DELAY: "queueing delay",
}


def verdict(holds: bool | None) -> str:  # noqa: FBT001 (it is what it is about)
    """Of a band."""
    return UNTOLD if holds is None else HOLDS if holds else BROKEN


def row(band: BandVerdict) -> list[str]:
    """A band as a row under `HEADER`; errors are in the band's unit."""
    measured, floor = band.measured, band.floor
    if band.least is not None:
        cells = [_hundredths(measured.share), f"at least {100 * band.least:g}", *[ABSENT] * 2]
        cells += [_hundredths(floor.share), *[ABSENT] * 2]
    else:
        limits = [ABSENT if limit is None else f"{100 * limit:g}" for limit in (band.median_limit, band.p90_limit)]
        cells = [_hundredths(measured.median), limits[0], _hundredths(measured.p90), limits[1]]
        cells += [_hundredths(floor.median), _hundredths(floor.p90)]
        cells += [amount(band.difference, band.half_width, scale=100, signed=True)]
    return [f"{band.label} ({band.unit})", str(measured.n), *cells, verdict(band.holds)]


def worst_row(agreement: Agreement, worst: Worst) -> list[str]:
    """A condition that is far off, as a row under `WORST_HEADER`."""
    found = next(
        each
        for each in agreement.condition(worst.condition).differences
        if (each.metric, each.group) == (worst.metric, worst.group)
    )
    return [worst.condition, called(found), *amounts(found), amount(worst.limits)]


def called(difference: Difference) -> str:
    """The metric, and whose."""
    metric = _METRICS[difference.metric]
    return metric if difference.group is None else f"{metric} of {difference.group}"


def amounts(difference: Difference) -> list[str]:
    """Reference, candidate, the reference's noise and what its spread excuses, with units."""
    written = rate if difference.metric in (GROUP_GOODPUT, TOTAL_GOODPUT) else percent
    values = (difference.reference, difference.candidate, difference.floor, difference.excused)
    return [written(each) for each in values]


def rate(bps: float | None) -> str:
    """A rate.

    >>> rate(8.0e7), rate(12_345.0), rate(0), rate(None)
    ('80.0 Mbit/s', '12.3 kbit/s', '0 bit/s', '-')
    """
    if bps is None:
        return ABSENT
    divisor, unit = next((by, unit) for least, by, unit in _SIZES if bps >= least)
    return f"{amount(bps / divisor)} {unit}"


def setting(condition: Condition) -> str:
    """Path and flows in one line."""
    flows = " + ".join(f"{group.flows} {group.cc}" for group in condition.groups)
    loss = f", loss {percent(condition.loss)}" if condition.loss else ""
    return f"{path(condition.rate_bps, condition.rtt_s, condition.buffer_bdp)}{loss}: {flows}"


def path(rate_bps: float, rtt_s: float, buffer_bdp: float) -> str:
    """Rate, RTT and queue.

    >>> path(8e7, 0.1, 0.5)
    '80.0 Mbit/s, 100 ms, 0.5 BDP'
    """
    return f"{rate(rate_bps)}, {trimmed(1e3 * rtt_s)} ms, {trimmed(buffer_bdp)} BDP"


def origin(agreement: Agreement) -> str:
    """Which conditions, and how many runs each had."""
    source, failed = agreement.source, sum(bool(each.failures) for each in agreement.conditions)
    count = len(agreement.conditions)
    if source.spec is not None:
        what = f"{counted(count, 'condition')} of {source.spec}"
    else:
        what = f"{counted(count, 'random condition')} of seed {source.seed}, {source.duration} each"
    noise = f", {len(agreement.floor_seeds)} more of {agreement.reference.engine} for its noise"
    seeds = counted(len(agreement.candidate.seeds), "seed")
    told = f"{what}; {seeds} an engine{noise if agreement.floor_seeds else ''}"
    return f"{told}; {failed} of them failed and are not compared" if failed else told


def engine(side: Side) -> str:
    """An engine, its kernel where it has one, and its identity."""
    kernel = side.measured_on.get("kernel.release")
    return f"{side.engine}{f' (kernel {kernel})' if isinstance(kernel, str) else ''}, identity {side.identity[:12]}"


def versions(agreement: EngineComparison) -> str:
    """Both engines, and what computed the verdicts."""
    told = ", ".join(f"{name} {version}" for name, version in agreement.versions.items() if version)
    return f"Engines: {engine(agreement.candidate)}; {engine(agreement.reference)}. Versions: {told}."


def table(agreement: Agreement) -> list[list[str]]:
    """All bands."""
    return [row(band) for band in agreement.bands]


def worst_table(agreement: Agreement) -> list[list[str]]:
    """The worst conditions."""
    return [worst_row(agreement, each) for each in agreement.worst]


def failures(conditions: Sequence[Condition]) -> list[str]:
    """What failed, a line each."""
    return [f"{condition.name}: {words}" for condition in conditions for words in condition.failures]


def _hundredths(share: float | None) -> str:
    """For a column whose head has the unit."""
    return amount(share, scale=100)


def summary(agreement: Agreement) -> str:
    """Which bands hold, in a sentence."""
    broken = [band.label for band in agreement.bands if band.holds is False]
    untold = [band.label for band in agreement.bands if band.holds is None]
    told = f"Broken: {'; '.join(broken)}." if broken else "Every band that has data holds."
    return f"{told} Without data: {'; '.join(untold)}." if untold else told


def command(agreement: Agreement) -> str:
    """What makes the same comparison."""
    source = agreement.source
    if source.spec is not None:
        conditions = [f"{source.spec}.toml"]
    else:
        conditions = [f"--random {source.random} --seed {source.seed}"]
        conditions += [f'--duration "{source.duration}"'] if source.duration not in (None, USUAL_DURATION) else []
        conditions += [f"--packets {source.most_packets}"] if source.most_packets not in (None, MOST_PACKETS) else []
    return invocation(conditions, source.sets, agreement)


def legend(agreement: Agreement) -> str:
    """What the columns of the bands' table are."""
    theirs = agreement.reference.engine
    return (
        "An error is the difference of the medians over seeds, as far as it exceeds half the interquartile range of"
        f" {theirs}'s own seeds; median and p90 are over conditions (over groups, for the goodput of each). Noise is"
        f" the same of {theirs} against itself under other seeds. Difference is the mean with its sign, unexcused,"
        " and its 95 % interval (Student's t). A group's goodput is relative to the larger of the reference's and"
        " 5 % of the rate; queueing delay is mean RTT less base RTT, in points of the buffer's drain time; the winner"
        " has most goodput a flow."
    )


def invocation(conditions: Sequence[str], sets: Sequence[str], found: EngineComparison) -> str:
    """With the words that ask for the conditions, the fields that were set, and the engines and seeds of `found`."""
    seeds, floor = len(found.reference.seeds), len(found.floor_seeds)
    return " ".join((
        "dumbbell agree",
        *conditions,
        *(f"--set {shlex.quote(each)}" for each in sets),
        f"--engines {found.candidate.engine},{found.reference.engine}",
        f"--seeds {seeds}",
        *([f"--floor {floor}"] if floor != seeds else []),
    ))  # fmt: skip
