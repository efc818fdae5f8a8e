"""Many flows of one algorithm, less what hosts measured, as the tables, sentences and figure of the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median
from typing import TYPE_CHECKING, Final

from dev.validation.scale import FEWEST, SETTLED, STARTED, TIERS, UNFILLED, host_rows
from dumbbell.charts.chart import Axis, Chart, Level, Panel
from dumbbell.charts.shapes import Look, scatter
from dumbbell.comparison.agreement_text import engine as engine_text
from dumbbell.metrics.number import ABSENT, amount, counted, percent, span
from dumbbell.tables.table import Table

if TYPE_CHECKING:
    from dev.validation.scale import ScaleRecord, ScaleRow

SINGLE: Final = 1448 / 1514
"""Payload of a full frame: what it leaves of a line."""
FULL: Final = 0.95
"""Of a line: less is not full."""
LOST: Final = "Reno: packets lost for each halving"


def summary(record: ScaleRecord) -> str:
    """How far Jain's index is from the hosts', by tier, and the losses of Reno, over all rows."""
    single, merged = _by_setting(record)
    tiers = {tier: [abs(row.jain) for row in single if row.tier == tier] for tier in TIERS}
    medians = ", ".join(f"{amount(median(own))} ({tier})" for tier, own in tiers.items() if own)
    texts = [f"Jain's index is {medians} off in the median"] if medians else []
    for own, what in ((single, "packets lost for each halving of Reno's window"), (merged, "with super-packets")):
        if lost := _known(row.lost for row in own):
            texts.append(f"{what} {percent(median(lost), signed=True)} in the median (n = {len(lost)})")
    return f"{record.side.engine}: {'; '.join(texts)}" if texts else "nothing was compared"


def fairness_table(record: ScaleRecord) -> Table:
    """A row a tier and algorithm: Jain's index less the hosts', and goodput in points of the line's rate."""
    header = [
        "tier", "algorithm", "rows", "settled", "Jain: median", "least", "most", "goodput (points): median", "most"
    ]  # fmt: skip
    single, _ = _by_setting(record)
    rows = []
    for tier, cc in dict.fromkeys((row.tier, row.cc) for row in single):
        own = [row for row in single if (row.tier, row.cc) == (tier, cc)]
        indices, goodput = [row.jain for row in own], _known(row.goodput for row in own)
        ends = (median(indices), min(indices), max(indices))
        apart = (median(goodput), max(goodput, key=abs)) if goodput else ()
        settled = str(sum(row.settled for row in own))
        rows.append([tier, cc, str(len(own)), settled, *(f"{each:+.3f}" for each in ends),
                     *([amount(100 * each, signed=True) for each in apart] or [ABSENT, ABSENT])])  # fmt: skip
    return Table.of(header, rows)


def losses_table(record: ScaleRecord) -> Table:
    """Reno's, a row a row of the hosts: what was lost and sent again for each halving, relative to the hosts."""
    each = ["halvings", "lost for each", "resent for each"]
    header = ["tier", "RTT", "flows", *each, *(f"{name}, super-packets" for name in each)]
    rows: dict[tuple[str, ...], list[str]] = {}
    for row in record.rows:
        if row.cc == "reno":
            cells = rows.setdefault((row.tier, f"{row.rtt_ms} ms", f"{row.flows:,}"), [])
            cells += map(_share, (row.halvings, row.lost, row.resent))
    return Table.of(header, [[*place, *cells] for place, cells in rows.items()])


def rule(record: ScaleRecord) -> str:
    """What a run lasts here, and what that leaves open."""
    times = [row.times for row in record.rows]
    return (
        f"A run lasts as long as the hosts', but carries {record.packets / 1e6:.0f} million packets at most, where"
        f" that is more than {record.least_s} s; its second half is the window, and the hosts' numbers are of"
        f" {amount(min(times))} to {amount(max(times))} times as long. We set this rule before the"
        " full runs, after short tries of their cost. What is compared was changed once, when the edge had been seen:"
        " losses are counted over the whole run, as the hosts do. The index of flows"
        " whose rates go up and down rises with the time that it is taken over. So we say where it has settled:"
        f" over half of the window it differs by {SETTLED} at most. Of fewer than {FEWEST} halvings the losses are not"
        " compared."
    )


def unfilled() -> str:
    """What the hosts could not carry, and which of their flows did not report."""
    rows = list(host_rows())
    core = [row.goodput_mbps / row.line_mbps for row in rows if row.tier == UNFILLED]
    short = [100 * share for share in core if share < FULL]
    missing = [
        f"{row.started - row.reported} of {row.started:,} ({row.tier}, {row.cc}, {row.rtt_ms} ms)"
        for row in rows
        if row.reported not in STARTED[row.tier]
    ]
    most = f" ({span(min(short), max(short), ' %')} of it)" if short else ""
    return (
        f"The hosts did not fill the core's line in {len(short)} of {counted(len(core), 'row')}{most}: there we compare"
        " no sum of goodput, and some of what they sent again they had lost themselves. Nor do we compare it where"
        f" flows did not report: {'; '.join(missing) or 'nowhere'}."
    )


def beyond_the_line() -> str:
    """In how many rows the hosts carried more than the line's rate leaves for data."""
    rows = [row for row in host_rows() if row.tier != UNFILLED]
    beyond = [share for row in rows if (share := row.goodput_mbps / row.line_mbps - SINGLE) > 0]
    if not beyond:
        return ""
    return (
        f"In {len(beyond)} of {counted(len(rows), 'row')} of edge and intermediate the hosts' flows have more than the"
        f" {percent(SINGLE)} of the line that frames of 1,514 bytes leave for data, by {amount(100 * max(beyond))}"
        " points at most. Their htb was offloaded to the NIC; what that counts of a packet we do not know."
    )


def twins() -> str:
    """Whether a row is another one's copy."""
    numbers = [(row.goodput_mbps, row.jain) for row in host_rows()]
    copies = len(numbers) - len(set(numbers))
    return f"{counted(copies, 'row')} of theirs is a copy." if copies else "No row of theirs is another one's copy."


def figures(name: str, record: ScaleRecord) -> list[Chart]:
    """Jain's index less the hosts', and Reno's losses for each halving, over the number of flows."""
    single, merged = _by_setting(record)
    panels = [
        _panel(
            f"{tier[0].upper()}{tier[1:]}: Jain's index", "difference",
            [
                (Look(cc, label=cc), [(row.flows, row.jain) for row in single if (row.tier, row.cc) == (tier, cc)])
                for cc in dict.fromkeys(row.cc for row in single)
            ],
        )
        for tier in dict.fromkeys(row.tier for row in single)
    ]  # fmt: skip
    lost = [
        (Look("reno", instance, label), [(row.flows, 100 * row.lost) for row in own if row.lost is not None])
        for instance, (label, own) in enumerate((("reno, packets", single), ("reno, super-packets", merged)))
    ]
    panels.append(_panel(LOST, "difference (%)", lost))
    return [Chart(
        name=name, title="Many flows of one algorithm, less what hosts measured", panels=tuple(panels), columns=2,
        caption="Each point is a run of one seed, less one run of the hosts; three RTTs (20, 100, 200 ms) for each"
        " number of flows.",
        alt="Differences of Jain's index by tier, and of losses for each halving, over the number of flows.",
    )]  # fmt: skip


def origins(record: ScaleRecord) -> str:
    """The engine, and what else was needed."""
    known = ", ".join(f"{name} {version}" for name, version in record.versions.items() if version)
    return f"Engine: {engine_text(record.side)}, one seed. Versions: {known}."


def _by_setting(record: ScaleRecord) -> tuple[list[ScaleRow], list[ScaleRow]]:
    """The rows of single packets, and those of super-packets."""
    return [row for row in record.rows if not row.offload], [row for row in record.rows if row.offload]


def _panel(title: str, label: str, layers: Sequence[tuple[Look, Sequence[tuple[float, float]]]]) -> Panel:
    places = sorted({x for _, points in layers for x, _ in points})
    return Panel(
        title=title,
        x=Axis(
            label="flows", scale="log10",
            ticks=tuple((x, f"{x:,}") for x in places) if len(places) <= len(TIERS) else (),
        ),
        y=Axis(label=label), levels=(Level(at=0.0, text="as measured"),),
        layers=tuple(scatter(look, [x for x, _ in points], [y for _, y in points]) for look, points in layers),
    )  # fmt: skip


def _known(values: Iterable[float | None]) -> list[float]:
    return [each for each in values if each is not None]


def _share(difference: float | None) -> str:
    return ABSENT if difference is None else percent(difference, signed=True)
