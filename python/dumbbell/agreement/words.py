"""Figures of a comparison in words, the same on the terminal, in the report and in the documentation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dumbbell.agreement.band import GROUP_GOODPUT, LOSS, QUEUEING_DELAY, SMALL_LOSS, TOTAL_GOODPUT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dumbbell.agreement.curves.record import Curves
    from dumbbell.agreement.record import Agreement, BandVerdict, Condition, Difference, Side, Worst

ABSENT = "-"
MOST_PLACES = 5
HOLDS, BROKEN, UNTOLD = "holds", "broken", "no data"
HEADER = ("band", "n", "median", "limit", "p90", "limit", "noise median", "noise p90", "difference", "verdict")
WORST_HEADER = ("condition", "what", "reference", "candidate", "noise", "excused", "x limit")
_SIZES = ((1e6, 1e6, "Mbit/s"), (1e3, 1e3, "kbit/s"), (0.0, 1.0, "bit/s"))
_METRICS = {
    GROUP_GOODPUT: "goodput",
    TOTAL_GOODPUT: "total goodput",
    LOSS: "loss rate",
    SMALL_LOSS: "loss rate",
    QUEUEING_DELAY: "queueing delay",
}


def verdict(holds: bool | None) -> str:  # noqa: FBT001 (it is what it is about)
    """Of a band."""
    return UNTOLD if holds is None else HOLDS if holds else BROKEN


def percent(value: float | None) -> str:
    """A share times 100 with three digits, or as many of them as five decimal places have.

    >>> percent(0.01234), percent(0.0), percent(None), percent(1.0), percent(6.1e-7)
    ('1.23', '0', '-', '100', '0.00006')
    """
    if value is None:
        return ABSENT
    number = float(f"{100 * value:.3g}")
    if number == 0:
        return "0"
    return f"{number:.{min(MOST_PLACES, max(0, 2 - math.floor(math.log10(abs(number)))))}f}"


def row(band: BandVerdict) -> list[str]:
    """A band as a row under `HEADER`; errors are in the band's unit."""
    measured, floor = band.measured, band.floor
    if band.least is not None:
        least = f"at least {100 * band.least:g}"
        cells = [percent(measured.share), least, ABSENT, ABSENT, percent(floor.share), ABSENT, ABSENT]
    else:
        limits = [ABSENT if limit is None else f"{100 * limit:g}" for limit in (band.median_limit, band.p90_limit)]
        cells = [percent(measured.median), limits[0], percent(measured.p90), limits[1]]
        cells += [percent(floor.median), percent(floor.p90), _with_interval(band.difference, band.half_width)]
    return [f"{band.label} ({band.unit})", str(measured.n), *cells, verdict(band.holds)]


def worst_row(agreement: Agreement, worst: Worst) -> list[str]:
    """A condition that is far off, as a row under `WORST_HEADER`."""
    found = next(
        each
        for each in agreement.condition(worst.condition).differences
        if (each.metric, each.group) == (worst.metric, worst.group)
    )
    return [worst.condition, called(found), *amounts(found), f"{worst.limits:.2f}"]


def called(difference: Difference) -> str:
    """The metric, and whose."""
    metric = _METRICS[difference.metric]
    return metric if difference.group is None else f"{metric} of {difference.group}"


def amounts(difference: Difference) -> list[str]:
    """Reference, candidate, the reference's noise and what its spread excuses, with units."""
    values = (difference.reference, difference.candidate, difference.floor, difference.excused)
    if difference.metric not in (GROUP_GOODPUT, TOTAL_GOODPUT):
        return [ABSENT if value is None else f"{percent(value)} %" for value in values]
    return [ABSENT if value is None else rate(value) for value in values]


def rate(bps: float) -> str:
    """A rate with three digits.

    >>> rate(8.0e7), rate(12_345.0), rate(0)
    ('80.0 Mbit/s', '12.3 kbit/s', '0 bit/s')
    """
    divisor, unit = next((by, unit) for least, by, unit in _SIZES if bps >= least)
    return f"{bps / divisor:#.3g}".rstrip(".") + f" {unit}" if bps else f"0 {unit}"


def setting(condition: Condition) -> str:
    """Path and flows in one line."""
    flows = " + ".join(f"{group.flows} {group.cc}" for group in condition.groups)
    loss = f", loss {percent(condition.loss)} %" if condition.loss else ""
    return (
        f"{rate(condition.rate_bps)}, {1e3 * condition.rtt_s:.3g} ms, {condition.buffer_bdp:.3g} BDP{loss}: {flows}"
    )  # fmt: skip


def origin(agreement: Agreement) -> str:
    """Which conditions, and how many runs each had."""
    source, failed = agreement.source, sum(bool(each.failures) for each in agreement.conditions)
    count = len(agreement.conditions)
    if source.spec is not None:
        what = f"{count} condition{'' if count == 1 else 's'} of {source.spec}"
    else:
        what = f"{count} random condition{'' if count == 1 else 's'} of seed {source.seed}, {source.duration} each"
    noise = f", {len(agreement.floor_seeds)} more of {agreement.reference.engine} for its noise"
    seeds = len(agreement.candidate.seeds)
    told = f"{what}; {seeds} seed{'' if seeds == 1 else 's'} an engine{noise if agreement.floor_seeds else ''}"
    return f"{told}; {failed} of them failed and are not compared" if failed else told


def engine(side: Side) -> str:
    """An engine, its kernel where it has one, and its identity."""
    kernel = side.measured_on.get("kernel.release")
    return f"{side.engine}{f' (kernel {kernel})' if isinstance(kernel, str) else ''}, identity {side.identity[:12]}"


def versions(agreement: Agreement | Curves) -> str:
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


def _with_interval(difference: float | None, half_width: float | None) -> str:
    if difference is None:
        return ABSENT
    signed = f"{'+' if difference > 0 else ''}{percent(difference)}"
    return signed if half_width is None else f"{signed} ± {percent(half_width)}"
