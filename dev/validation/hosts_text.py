"""What real hosts measured, and how far engines are from it, as the tables and charts of the page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from dev.validation.gains import Gain, right_of_decided
from dumbbell.comparison.agreement_text import engine as engine_text
from dumbbell.hosts import text
from dumbbell.hosts.charts import charts
from dumbbell.hosts.record import HostRecord
from dumbbell.hosts.spread import spread
from dumbbell.metrics.catalogue import QUANTITIES
from dumbbell.metrics.number import ABSENT, amount, counted, percent, rate, trimmed
from dumbbell.spec.point_text import point_text
from dumbbell.tables.table import Table

if TYPE_CHECKING:
    from dev.validation.hosts import HostBar, HostsRecord
    from dumbbell.charts.chart import Chart
    from dumbbell.hosts.record import HostPoint


MOST_WORST: Final = 5


def summary(hosts_record: HostsRecord) -> str:
    """Each engine's median and 90th percentile over the drawn points, starved ones too, in first settings."""
    merged = together(hosts_record)
    points, texts = (merged.points, []) if merged else ((), [])
    quantities = list(dict.fromkeys(each.quantity for each in points))
    kinds = [
        (quantity, *kind)
        for kind in ((True, True, "points of the rate"), (True, False, "points"), (False, False, "%"))
        for quantity in quantities
    ]
    for engine in merged.engines if merged else ():
        parts = []
        for quantity, absolute, of_rate, unit in kinds:
            kind = quantity, absolute, of_rate
            own = spread([each for each in points if (each.quantity, each.absolute, each.of_rate) == kind], engine)
            if own:
                of = f"{QUANTITIES[quantity].label} " if len(quantities) > 1 else ""
                parts.append(
                    f"{of}{amount(100 * own.median)} {unit} in the median, {amount(100 * own.p90)} at the 90th"
                    f" percentile (n = {own.n})"
                )
        if parts:
            texts.append(f"{engine}: {', '.join(parts)}")
    return "; ".join(texts) or "nothing was compared"


def spreads_table(hosts_record: HostsRecord) -> Table:
    """How far each engine is: a row a table, part of it, setting and engine."""
    few = [table for table in hosts_record.tables if table.record.few_settings]
    settings = any(len(table.record.tried) > 1 for table in few)
    header = [
        "measured", *(["setting"] if settings else []), "points", "engine", "n", "bias [95 %]", "median", "p90", "most"
    ]  # fmt: skip
    rows = []
    for table in few:
        own = text.far_table(table.record)
        for row in own.texts():
            cells = dict(zip(own.header, row, strict=True))
            if hosts_record.by and cells["points"] != "all" and not cells["points"].startswith(f"{hosts_record.by} "):
                continue
            cells["measured"] = f"{table.table}: {cells['measured']}"
            cells["setting"] = cells.get("setting", "")
            rows.append([cells[name] for name in header])
    return Table.of(header, rows)


def bars_table(hosts_record: HostsRecord) -> Table:
    """How many points of each engine are within the bars that were set, a row a bar and table."""
    header = ["table", "bar", "engine", "points within", "holds"]
    rows = [
        [
            table.table, bar_text(each.bar), each.engine,
            f"{each.within} of {each.n} ({percent(each.within / each.n)})", "yes" if each.holds else "no",
        ]
        for table in hosts_record.tables
        for each in table.bars
    ]  # fmt: skip
    return Table.of(header, rows)


def bar_text(bar: HostBar) -> str:
    """A bar in words.

    >>> from dev.validation.hosts import HostBar
    >>> bar_text(HostBar(quantity="rtt", points=0.8, within=0.002, relative=0.1))
    'mean RTT: 80 % within 2 ms or 10 %'
    """
    quantity = QUANTITIES[bar.quantity]
    factor, unit = (100.0, "points") if bar.of_rate or quantity.unit == "%" else (quantity.factor, quantity.unit)
    relative = f" or {trimmed(100 * bar.relative)} %" if bar.relative else ""
    return f"{quantity.label}: {trimmed(100 * bar.points)} % within {trimmed(factor * bar.within)} {unit}{relative}"


def tried_tables(hosts_record: HostsRecord) -> Iterator[tuple[str, str, Table]]:
    """Of each table about many settings: its name, its first setting, and what each setting comes to."""
    for table in hosts_record.tables:
        if not table.record.few_settings:
            yield table.table, text.first_setting(table.record), text.far_table(table.record)


def winners_table(hosts_record: HostsRecord) -> Table:
    """At how many points an engine has the right algorithm ahead."""
    header = ["tables", "setting", "engine", "decided", "right", "wrong at"]
    rows = []
    for first, second, own in hosts_record.gains():
        record = hosts_record.of(first)
        assert record is not None  # noqa: S101 (it has gains)
        for setting in dict.fromkeys(record.setting_text(each.point) for each in own):
            part = [each for each in own if record.setting_text(each.point) == setting]
            for engine in record.engines:
                right, of = right_of_decided(part, engine)
                if of:
                    wrong = [each for each in part if each.decided and each.right(engine) is False]
                    right_text = f"{right} ({percent(right / of)})"
                    rows.append([
                        f"{first} over {second}", setting, engine, str(of), right_text,
                        "; ".join(_wrong(each, engine) for each in wrong) or ABSENT,
                    ])  # fmt: skip
    return Table.of(header, rows)


def _wrong(gain: Gain, engine: str) -> str:
    point, own = gain.point, gain.of(engine)
    where = f"{rate(point.rate_bps)}, {trimmed(1e3 * point.rtt_s)} ms, {trimmed(point.buffer_bdp)} BDP"
    return f"{where}: measured {percent(gain.measured, signed=True)}, here {percent(own, signed=True)}"


def starved_rows(hosts_record: HostsRecord) -> Table:
    """Who starves on the hosts or on an engine, of the points that are drawn."""
    merged = together(hosts_record)
    return text.starved_table(merged) if merged else Table((), ())


def worst_rows(hosts_record: HostsRecord) -> Table:
    """The points that are farthest off, of those that are drawn."""
    merged = together(hosts_record)
    worst = text.worst_table(merged, MOST_WORST) if merged else Table((), ())
    if not merged or not hosts_record.differences_only:
        return worst
    places = [place for place, name in enumerate(worst.header) if name not in ("measured", *merged.engines)]
    return Table.of([worst.header[place] for place in places], [[row[place] for place in places] for row in worst.rows])


def together(hosts_record: HostsRecord) -> HostRecord | None:
    """The points of the tables that are drawn, under their first settings, as one record."""
    records = [(each.table, each.record) for each in hosts_record.tables if each.table in hosts_record.drawn]
    by = hosts_record.by
    if not records:
        return None
    points = [
        point.model_copy(update={"setting": {}, "notes": {"table": table}} | (_by_remarks(point) if by else {}))
        for table, record in records
        for point in record.points
        if point.setting == record.tried[0]
    ]
    sides = {side.engine: side for _, record in records for side in record.sides}
    first = records[0][1]
    return first.model_copy(
        update={
            "title": hosts_record.short, "file": ", ".join(table for table, _ in records),
            "sides": tuple(sides.values()), "settings": {}, "points": tuple(points), "failures": (),
        }
    )  # fmt: skip


def _by_remarks(point: HostPoint) -> dict[str, Any]:
    """Where a point is, by its remarks, which say what its discipline and algorithms are."""
    known = {path: value for path, value in point.at.items() if path == "path.rate" or path.endswith(".rtt")}
    return {"notes": point.notes, "at": known}


def figures(name: str, hosts_record: HostsRecord) -> list[Chart]:
    """What engines have over what was measured, and the differences over rate, RTT, queue and company."""
    merged = together(hosts_record)
    by, only = hosts_record.by, hosts_record.differences_only
    drawn = charts(merged, by=by, differences_only=only) if merged else []
    return [replace(each, name=each.name.replace("hosts", name, 1)) for each in drawn]


def origins(hosts_record: HostsRecord) -> str:
    """The engines, and where the numbers are from."""
    engines = {
        f"{engine_text(side)}, {counted(len(side.seeds), 'seed')}"
        for table in hosts_record.tables
        for side in table.record.sides
    }
    instead = "".join(
        f" On {engine} {point_text(fields)}, which is as near as it comes."
        for engine, fields in hosts_record.instead.items()
    )
    return f"Engines: {'; '.join(sorted(engines))}.{instead}"


def heads(hosts_record: HostsRecord) -> str:
    """What the first table says of where it is from."""
    return " ".join(hosts_record.tables[0].record.head) if hosts_record.tables else ""
