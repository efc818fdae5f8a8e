"""Engines beside real hosts as sentences and tables, the same on the terminal, on a page and in Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from dumbbell.hosts.spread import HostSpread, spread
from dumbbell.metrics.catalogue import QUANTITIES
from dumbbell.metrics.number import ABSENT, counted, rate, trimmed
from dumbbell.spec.point_text import point_text, values_beyond_path
from dumbbell.tables.table import Amount, Cell, Table

if TYPE_CHECKING:
    from dumbbell.hosts.record import HostPoint, HostRecord

MOST_WORST: Final = 12
MOST_PARTS: Final = 12
"""Values of a remark that a table is parted by."""
LEGEND: Final = (
    "A difference is the engine's median over seeds less what was measured: in points of the rate, or of a share, where"
    " that is how it was told, else in % of what was measured. Bias is the median of the differences over points, with"
    " its 95 % interval (order statistics); median, p90 and most are of their sizes. Points at which the hosts starved"
    " a group, to less than a tenth of an even share, are told apart, and not counted here."
)


class _EngineSpread(NamedTuple):
    """Points that count, and how far an engine is from them."""

    measurand: str
    unit: str
    setting: str
    remark: str
    engine: str
    spread: HostSpread


def _parts(record: HostRecord, *, by_remark: bool = False) -> Iterator[_EngineSpread]:
    """Of all points by what was measured and by the setting of what is not known, and by remark if wanted."""
    by_setting: dict[tuple[str, str], list[HostPoint]] = {}
    for each in record.points:
        by_setting.setdefault((each.measurand.label, record.setting_text(each)), []).append(each)
    for (measurand, setting), every in by_setting.items():
        points = [each for each in every if not each.starved]
        unit = "points" if points and points[0].absolute else "%"
        for remark, own in (("all", points), *(_remarks(points) if by_remark else ())):
            for engine in record.engines:
                if own_spread := spread(own, engine):
                    yield _EngineSpread(measurand, unit, setting, remark, engine, own_spread)


def _remarks(points: Sequence[HostPoint]) -> Iterator[tuple[str, list[HostPoint]]]:
    """The points by each remark that parts them."""
    for name in dict.fromkeys(name for point in points for name in point.notes):
        values = list(dict.fromkeys(point.notes.get(name, "") for point in points))
        if 1 < len(values) < len(points) and len(values) <= MOST_PARTS:
            for value in values:
                yield f"{name} {value or ABSENT}", [point for point in points if point.notes.get(name, "") == value]


def summary(record: HostRecord) -> str:
    """Median and 90th percentile of the differences of each engine, in a sentence."""
    texts = []
    for each in _parts(record):
        of = ", ".join(filter(None, (each.measurand, each.setting)))
        median, p90 = (_size(value, each.unit).text for value in (each.spread.median, each.spread.p90))
        texts.append(f"{of}: {each.engine} differs by {median} in the median, {p90} at p90 (n = {each.spread.n})")
    return "; ".join(texts) + "." if texts else "Nothing was compared."


def far_table(record: HostRecord) -> Table:
    """How far each engine is: by part of the points, or, where it is about many settings, by these."""
    few, several = record.few_settings, len({point.measurand for point in record.points}) > 1
    ratios = not (few or any(point.absolute for point in record.points))
    keys: dict[str, Callable[[_EngineSpread], str]] = {"setting": lambda each: each.setting}
    if few:
        settings = keys if record.settings else {}
        keys = {"measured": lambda each: f"{each.measurand} ({each.unit})"} | settings
        keys |= {"points": lambda each: each.remark}
    elif several:
        keys |= {"measured": lambda each: each.measurand}
    rows = [
        [*(of(each) for of in keys.values()), each.engine, each.spread.n, *_spread_cells(each.spread, ratios=ratios)]
        for each in _parts(record, by_remark=few)
    ]
    headings = ["median ratio [95 %]", "median error"] if ratios else ["bias [95 %]", "median"]
    return Table.of([*keys, "engine", "n", *headings, "p90", "most"], rows, keys=len(keys) + 1)


def _spread_cells(each: HostSpread, *, ratios: bool) -> list[Cell]:
    low, high = each.interval
    bias = Amount(each.bias, factor=100.0, signed=True, ends=each.interval)
    unit = " %" if ratios else ""
    return [
        Amount(1 + each.bias, ends=(1 + low, 1 + high)) if ratios else bias,
        *(Amount(own, factor=100.0, unit=unit) for own in (each.median, each.p90, each.most)),
    ]


def _size(difference: float | None, unit: str, *, signed: bool = False) -> Amount:
    return Amount(difference, factor=100.0, unit=f" {unit}", signed=signed)


def worst_table(record: HostRecord, most: int = MOST_WORST) -> Table:
    """The points at which an engine is farthest off, of each quantity so many, those that starved among them not."""

    def farthest(point: HostPoint) -> float:
        return max(
            (abs(each) for engine in record.engines if (each := point.difference(engine)) is not None), default=0.0
        )

    by_quantity: dict[str, list[HostPoint]] = {}
    for point in sorted((each for each in record.points if not each.starved), key=farthest, reverse=True):
        by_quantity.setdefault(point.quantity, []).append(point)
    return points_table(record, [point for points in by_quantity.values() for point in points[:most]])


def starved_table(record: HostRecord) -> Table:
    """The points at which a group starved on the hosts or starves on an engine, and in how many seeds it does there."""
    header = ["point", "measured", *(part for engine in record.engines for part in (engine, f"{engine} starves in"))]
    place, rows = _places(record), list[list[Cell]]()
    for point in record.points:
        starving = {engine: point.starving(engine) for engine in record.engines}
        if not point.starved and not any(count and count[0] for count in starving.values()):
            continue
        measured = _amount(point, point.measured).text + (" (starved)" if point.starved else "")
        cells: list[Cell] = [place(point), measured]
        for engine, count in starving.items():
            cells += [_range(point, engine), ABSENT if count is None else "{} of {} seeds".format(*count)]
        rows.append(cells)
    return Table.of(header, rows)


def points_table(record: HostRecord, points: Sequence[HostPoint]) -> Table:
    several = len({each.measurand for each in record.points}) > 1
    header = ["point", *(["what"] if several else []), "measured"]
    header += [part for engine in record.engines for part in (engine, "difference")]
    place, rows = _places(record), list[list[Cell]]()
    for point in points:
        measured = _amount(point, point.measured)
        cells: list[Cell] = [place(point), *([point.measurand.label] if several else []), measured]
        for engine in record.engines:
            difference = point.difference(engine)
            cells += [_range(point, engine), _size(difference, "points" if point.absolute else "%", signed=True)]
        rows.append(cells)
    return Table.of(header, rows)


def _places(record: HostRecord) -> Callable[[HostPoint], str]:
    """What says where a point is: path, flows, other fields, setting and remarks, as far as points differ in them."""
    every = {path: None for point in record.points for path in values_beyond_path(point.at)}
    others = [path for path in every if len({str(point.at.get(path)) for point in record.points}) > 1]
    parts: list[Callable[[HostPoint], str]] = [
        lambda point: rate(point.rate_bps),
        lambda point: trimmed(1e3 * point.rtt_s, " ms"),
        lambda point: trimmed(point.buffer_bdp, " BDP"),
        lambda point: f"loss {point.at['path.loss']}" if "path.loss" in point.at else "",
        lambda point: " + ".join(f"{group.flows} {group.cc}" for group in point.groups),
        lambda point: point_text({path: point.at[path] for path in others if path in point.at}),
        record.setting_text,
        lambda point: " ".join(f"{name} {value}" for name, value in point.notes.items() if value),
    ]
    differing = [part for part in parts if len(set(map(part, record.points))) > 1] or parts[:4]
    return lambda point: ", ".join(filter(None, (part(point) for part in differing)))


def _amount(point: HostPoint, value: float | None) -> Amount:
    if point.of_rate:
        return Amount(value, factor=100.0, unit=" %")
    quantity = QUANTITIES[point.quantity]
    return Amount(value, factor=quantity.factor, unit=f" {quantity.unit}".rstrip())


def _range(point: HostPoint, engine: str) -> Amount:
    """The median, and what seeds have at least and at most."""
    values = point.values.get(engine, ())
    own = _amount(point, point.median(engine))
    return own if len(set(values)) < 2 else replace(own, ends=(min(values), max(values)))  # noqa: PLR2004


def origin(record: HostRecord) -> str:
    """How many points, and with how many seeds each engine ran them."""
    engines = ", ".join(f"{side.engine} with {counted(len(side.seeds), 'seed')}" for side in record.sides)
    rows = len({point.line for point in record.points})
    tried = len(record.tried)
    settings = f", {tried} settings of what is not known of the hosts" if tried > 1 else ""
    return f"{counted(rows, 'measured point')} of {record.file}{settings}; {engines}"


def first_setting(record: HostRecord) -> str:
    """What the first setting is, where others are named by what differs from it; else empty."""
    if len(record.settings) < 2:  # noqa: PLR2004
        return ""
    sentence = f"The first setting: {point_text(record.tried[0])}. The others are named by what differs from it."
    ratio = "" if record.few_settings else " A ratio is the engine's number over what was measured."
    return sentence + ratio


def provenance(record: HostRecord) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Where everything is from: a name, and its facts."""
    yield "Measured on real hosts", [(record.file, " ".join(record.head) or ABSENT)]
    for side in record.sides:
        facts: dict[str, Any] = {"identity": side.identity, **side.measured_on}
        yield side.engine, [(key, str(value)) for key, value in facts.items()]
    yield "", [(key, str(value)) for key, value in record.versions.items() if value]
