"""Two captures of the same traffic in sentences, a table and a figure."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dumbbell.captures.connection import Rtts
from dumbbell.captures.pair import Pair, PairFlow
from dumbbell.captures.text import COUNTED, MS, PERCENT
from dumbbell.metrics.number import amount, counted, trimmed
from dumbbell.tables.table import Amount, Cell, Column, Table
from dumbbell.units import NS_PER_S

if TYPE_CHECKING:
    from dumbbell.charts.chart import Chart, Layer

COLUMNS: Final = (
    Column("flow", key=True),
    Column("sent"),
    Column("lost"),
    Column("lost", "%"),
    Column("duplicated", spare=4),
    Column("overtaken", spare=3),
    Column("queueing p95", "ms"),
    Column("delay min", "ms"),
    Column("mean", "ms", spare=1),
    Column("p95", "ms", spare=2),
)
LEGEND: Final = (
    "Sent: packets that the place nearer to their sender saw, and of which the captures say whether they arrived at the"
    " other one; a packet of several segments (offload) counts as these. Overtaken: arrived after one that was sent"
    " later. Delay: from one place to the other, by the clocks as estimated: all of it can be wrong by what is said of"
    " the clocks. Queueing: the delay above the least of the direction, which needs no common clock."
)
MOST_BACKWARDS_NS: Final = 10_000
"""That is the noise of one machine's captures."""
NO_BOUND_PPM: Final = 1_000.0
"""Where the estimate ends: two clocks of 500 ppm."""
QUEUEING, WORST, LOST = "mean queueing (ms)", "most queueing (ms)", "packets lost"


def summary(pair: Pair) -> str:
    """What there is, in a sentence."""
    span = pair.report.common_ns
    both = "never at the same time" if span is None else f"both for {trimmed((span[1] - span[0]) / NS_PER_S, ' s')}"
    frames = " and ".join(counted(place.frames["frames"], "frame") for place in pair.report.places)
    return f"{frames}, {both}: {counted(len(pair.report.connections), 'connection')} in both."


def table(pair: Pair, most: int | None = None) -> Table:
    """A row a direction, connection by connection, the one with the most data first."""
    return Table(COLUMNS, [_row(flow) for flow in pair.flows[:most]])


def _row(flow: PairFlow) -> list[Cell]:
    passage = flow.passage
    delay, queueing = passage.delay, passage.queueing
    return [
        flow.name,
        passage.sent,
        passage.lost,
        Amount(passage.lost / passage.sent, factor=PERCENT),
        passage.duplicated,
        passage.overtaken,
        *_times(queueing, "p95_ns"),
        *_times(delay, "least_ns", "mean_ns", "p95_ns"),
    ]


def _times(rtts: Rtts | None, *names: str) -> list[Amount]:
    return [Amount(None if rtts is None else getattr(rtts, name) / NS_PER_S, factor=MS) for name in names]


def _seconds(time_ns: int) -> str:
    """A time in the unit that it is read in, to the microsecond.

    >>> _seconds(3_600_000_012_345), _seconds(12_345_678), _seconds(1_500), _seconds(0)
    ('3,600.000012 s', '12.346 ms', '2 us', '0 us')
    """
    # No float: it has sixteen digits, and a clock that began in 1970 has nineteen.
    time_us = round(time_ns, -3) // 1000
    for unit_us, decimals, unit in ((10**6, 6, "s"), (10**3, 3, "ms")):
        if time_us >= unit_us:
            units, rest = divmod(time_us, unit_us)
            fraction = f".{rest:0{decimals}d}".rstrip("0").rstrip(".")
            return f"{units:,}{fraction} {unit}"
    return trimmed(time_us, " us")


def _ms(time_ns: int) -> str:
    return trimmed(time_ns / NS_PER_S * MS, " ms")


def facts(pair: Pair) -> Iterator[tuple[str, str]]:
    """Where the captures were made, and how their clocks run."""
    clocks = pair.report.clocks
    if pair.flows:
        flow = pair.flows[0]
        yield "Nearer to the largest flow's sender", Path(pair.files[flow.sent_at]).name
        if flow.connection.translated:
            client, server = flow.connection.translated
            yield f"It is called in {Path(pair.files[1]).name}", f"{client} and {server}, as behind a NAT"
    if clocks.rtt_ns is not None:
        yield "There and back", f"{_ms(clocks.rtt_ns)} between the places at least"
    if clocks.same:
        yield "Clocks", "one, as you say (--same-clock): neither offset nor drift is estimated"
        return
    yield "Offset of the clocks", _offset(pair)
    between = clocks.drift_bounds_ppm
    sure = ""
    if between is not None and max(map(abs, between)) < NO_BOUND_PPM:
        sure = f"; from {_ppm(between[0])} to {_ppm(between[1])}, whatever the queues did"
    yield "Drift of the clocks", f"{_ppm(clocks.drift_ppm)}, the second by the first{sure}"


def _ppm(value: float) -> str:
    return amount(value, unit=" ppm", signed=True)


def _offset(pair: Pair) -> str:
    clocks = pair.report.clocks
    if clocks.offset_ns is None or clocks.offset_bound_ns is None:
        return "not known, and so no delay: both captures have packets of one way only"
    direction = "ahead of" if clocks.offset_ns >= 0 else "behind"
    return (
        f"the second capture's is {_seconds(abs(clocks.offset_ns))} {direction} the first's, if both ways are equally"
        f" long: at most {_ms(clocks.offset_bound_ns)} off, by half of what one way is longer"
    )


def notices(pair: Pair) -> Iterator[str]:
    """What to know before one trusts it."""
    report = pair.report
    for file, place in zip(pair.files, report.places, strict=True):
        if place.cut:
            yield f"{file} ends inside {place.cut['what']} at byte {place.cut['offset_bytes']:,}: all before it is here"
        if place.damage:
            yield f"{file}: {place.damage}: all before it is here"
        for kind, what in COUNTED.items():
            if place.frames[kind]:
                yield f"{file}: {place.frames[kind]:,} {what}"
        if place.own_connections:
            own = counted(place.own_connections, "connection")
            yield f"only {file} has {own} ({counted(place.own_segments, 'segment')}): not counted"
    yield from _of_flows(pair)


SUMS: Final = {
    "under_way": "sent when the other capture ended or shortly before: lost or under way, and not counted",
    "outside": "sent or received while the other capture did not run: not counted",
    "unsent": "arrived that the place nearer to their sender does not have: its capture lost them, or they came another"
    " way",
    "given_up": "not waited for any longer, since too many waited: neither lost nor arrived",
}


def _of_flows(pair: Pair) -> Iterator[str]:
    for name, what in SUMS.items():
        count = sum(getattr(side, name) for each in pair.report.connections for side in each.directions)
        if count:
            yield f"{counted(count, 'packet')} {what}"
    if pair.report.passed_over:
        yield f"{counted(pair.report.passed_over, 'segment')} of connections for which there was no room"
    if pair.report.assumed:
        yield (
            f"{counted(pair.report.assumed, 'connection')} with packets of one way only: {pair.files[0]} is taken to be"
            " nearer to the client"
        )
    if pair.report.clocks.backwards_ns > MOST_BACKWARDS_NS:
        yield (
            f"packets arrive {_seconds(pair.report.clocks.backwards_ns)} before they are sent: the clocks are not one,"
            " so leave --same-clock away"
        )


def in_time(pair: Pair) -> Chart | None:
    """Queueing and losses of both directions of the largest connection; None without a packet of it."""
    import numpy as np  # noqa: PLC0415

    from dumbbell.charts.chart import Chart  # noqa: PLC0415 (late: a terminal draws nothing)
    from dumbbell.charts.in_time import curve, panels  # noqa: PLC0415
    from dumbbell.charts.shapes import Look  # noqa: PLC0415
    from dumbbell.results.run_series import Samples  # noqa: PLC0415

    rows: dict[str, list[Layer]] = {QUEUEING: [], WORST: [], LOST: []}
    end_s = 0.0
    for number, flow in enumerate(pair.report.connections[0].flows if pair.report.connections else ()):
        bins = [each for each in pair.report.bins if each.from_server == bool(flow.from_server)]
        if not bins:
            continue
        columns = {name: np.array([getattr(each, name) for each in bins]) for name in PairBinColumns}
        middle_s = (columns["bin"] + 0.5) * pair.bin_s
        end_s = max(end_s, float(middle_s[-1]) + pair.bin_s / 2)
        came = columns["arrived"] > 0
        mean_s = columns["queueing_sum_ns"][came] / columns["arrived"][came] / NS_PER_S
        look = Look(f"flow {number + 1}", number, flow.name)
        rows[QUEUEING].append(curve(Samples(middle_s[came], mean_s), look, MS))
        rows[WORST].append(curve(Samples(middle_s[came], columns["queueing_most_ns"][came] / NS_PER_S), look, MS))
        rows[LOST].append(curve(Samples(middle_s, columns["lost"].astype(float)), look, 1.0))
    if not rows[LOST]:
        return None
    return Chart(
        name="pair",
        shape="time",
        title="",
        caption=f"The connection with the most data, in bins of {trimmed(pair.bin_s, ' s')} by when packets were sent:"
        " their delay between the places above the least of their direction, and those that were lost.",
        panels=panels(end_s, rows),
        alt=f"Plots over time of {len(rows[LOST])} directions: {', '.join(rows)}.",
    )


PairBinColumns: Final = ("bin", "arrived", "lost", "queueing_sum_ns", "queueing_most_ns")
