"""Where an experiment lies beside what the simulator was validated on: within a stratum, or outside of the nearest one.

The page of the explorer says the same (`explorer/src/bounds.js`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

from dumbbell.comparison.strata import Range, Stratum, strata
from dumbbell.metrics.number import counted
from dumbbell.spec import Point, Resolved
from dumbbell.spec.keys import keys
from dumbbell.spec.path import Path
from dumbbell.spec.point_text import point_text, swept_text
from dumbbell.spec.quantity import magnitude, number_and_unit
from dumbbell.units import BITS_PER_BYTE, NS_PER_S, PPB

LIVE: Final = "live"
"""The stratum of this machine's kernel: the simulator was not compared with that."""
OF_EVERY: Final = frozenset({
    "name", "duration", "time_limit", "seeds", "start_jitter", "path.rate", "path.rtt", "path.buffer", "path.loss",
    "path.change", "path.bottleneck", "path.qdisc", "path.qdisc.kind", "path.qdisc.limit",
})  # fmt: skip
"""Fields of which a stratum says something by itself, or which decide nothing about who gets how much."""
CHANGED: Final = {
    "rate": "a rate that changes", "rtt": "an RTT that changes", "delay": "a delay that changes",
    "loss": "random loss that changes", "buffer": "a buffer that changes", "over": "changes that take time",
    "outage": "an outage",
}  # fmt: skip
"""What is said of a key of a change that a stratum's changes lack: that is further off than a value out of range."""
OF_EVERY_GROUP: Final = frozenset({"name", "cc", "count", "start", "stagger"})
OF_EVERY_HOP: Final = frozenset({"name", "buffer", "loss", "change"})
EXEMPT: Final = ("flows", "hops", "measure", "zip", "rtt_spread", "alone", "expect")
"""Tables and fields that have a look of their own, or decide only what a run records."""
UNTIL_DONE: Final = "until done"
ROUNDING: Final = 1e-9
MOST_REASONS: Final = 2
"""Of what is outside."""


def faults(point: Point, resolved: Resolved) -> list[str]:
    """What of a point is outside of the stratum that is nearest to it; nothing of one that is within a stratum."""
    fields = point.fields()
    every = [each for name, each in strata().items() if name != LIVE]
    of_queue = [each for each in every if resolved.run.path.qdisc.kind in each.qdiscs]
    by_stratum = [_faults(each, fields, resolved) for each in of_queue or every]
    return min(by_stratum, key=lambda each: (len(each[1]), each[0]))[1]


def outside(seen: Iterable[tuple[Point, Resolved]]) -> str:
    """What of these points lies outside of what was validated, in a sentence; empty where nothing does."""
    faulty = [(point, own) for point, resolved in seen if (own := faults(point, resolved))]
    if not faulty:
        return ""
    point, worst = max(faulty, key=lambda each: len(each[1]))
    others = counted(len(faulty) - 1, "other point") if len(faulty) > 1 else ""
    place = " and ".join(filter(None, [point_text(point.values), others]))
    more = [f"{len(worst) - MOST_REASONS} more"] if len(worst) > MOST_REASONS else []
    reasons = "; ".join([*worst[:MOST_REASONS], *more])
    return f"{f'{place}: ' if place else ''}outside of what was validated against the TCP of Linux 6.1: {reasons}"


class _Range(NamedTuple):
    """A number of a run, and between what it was drawn in a stratum."""

    what: str
    value: float
    least: float
    most: float
    unit: str = ""

    @property
    def far(self) -> float:
        """The logarithm of the factor that it is outside by; 0 within."""
        if self.least * (1 - ROUNDING) <= self.value <= self.most * (1 + ROUNDING):
            return 0.0
        smaller, larger = (self.value, self.least) if self.value < self.least else (self.most, self.value)
        return math.log(larger / smaller) if smaller else math.inf

    def __str__(self) -> str:
        return f"{self.what} {float(f'{self.value:.3g}'):g}{self.unit}, not {self.least:g} to {self.most:g}{self.unit}"


def _faults(stratum: Stratum, fields: Mapping[str, Any], resolved: Resolved) -> tuple[float, list[str]]:
    """By how much in all a run is outside of a stratum, and what of it."""
    beyond = [each for each in _ranges(stratum, resolved) if each.far]
    reasons = [*map(str, beyond), *_unlike(stratum, resolved), *_fields(stratum, fields, _scales(fields, resolved))]
    links = (len(resolved.run.path.hops) or 1) / (len(stratum.hops) or 1)
    unlike = sum(reason in CHANGED.values() for reason in reasons)
    return sum(each.far for each in beyond) + abs(math.log(links)) + unlike, list(dict.fromkeys(reasons))


def _ranges(stratum: Stratum, resolved: Resolved) -> Iterator[_Range]:
    run = resolved.run
    yield _Range("rate", run.path.rate_bps / 1e6, *stratum.rate, " Mbit/s")
    if "rtt" not in stratum.groups:
        longest_ns = max(flow.base_rtt_ns for flow in run.flows) + _added_at_begin_ns(run.path)
        yield _Range("RTT", 1e3 * longest_ns / NS_PER_S, *stratum.rtt, " ms")
    room, drawn = stratum.fields.get("path.buffer"), stratum.change.get("buffer")
    if stratum.changes and isinstance(drawn, Range):
        rooms = [change.buffer for change in run.path.changes if change.buffer]
        rooms_bdp = [each.bytes_of(run.path.frame_bytes) / resolved.bdp_bytes for each in rooms]
        yield from (_Range("buffer", each, drawn.least, drawn.most, " BDP") for each in rooms_bdp)
    if run.path.shaper == "police":  # which has no queue
        pass
    elif isinstance(room, Range):
        yield _Range("buffer", run.path.buffer_bytes / run.path.frame_bytes, room.least, room.most, " packets")
    else:
        for each in run.path.hops or (run.path,):
            room_bdp = each.buffer.bytes_of(run.path.frame_bytes) / resolved.bdp_bytes
            yield _Range("buffer", room_bdp, *stratum.buffer, " BDP")
    least, most = stratum.loss
    loss = 100 * run.path.loss_ppb / PPB
    yield _Range("random loss", loss, 0.0 if stratum.lossless else least, 0.0 if stratum.lossless == 1 else most, " %")
    ways = max(len(stratum.ways), 1)
    yield _Range("flows:", len(run.flows), ways * stratum.flows[0], ways * stratum.flows[1] + len(stratum.sources))


def _added_at_begin_ns(path: Path) -> int:
    """What delays that change are longer by than at their least when the run begins."""
    lines = (*path.lines("down"), *path.lines("up"))
    return sum(each.delay_ns or 0 for line in lines for each in line.changes_in_time if not each.at_ns)


def _unlike(stratum: Stratum, resolved: Resolved) -> Iterator[str]:
    kind = resolved.run.path.qdisc.kind
    if kind not in stratum.qdiscs:
        yield f"path.qdisc = {kind}"
    if len(resolved.run.path.hops) != len(stratum.hops):
        yield f"{counted(len(resolved.run.path.hops) or 1, 'link')} in a row"
    for cc in resolved.ccs:
        if cc not in stratum.algorithms and cc not in stratum.sources:
            yield f"constants of {cc.partition('[')[0]}" if "[" in cc else cc


def _scales(fields: Mapping[str, Any], resolved: Resolved) -> Mapping[str, float]:
    """What shares are of, in base units."""
    rate_bps, rtt = float(resolved.run.path.rate_bps), fields["path"].get("rtt")
    of_link_ns = NS_PER_S * BITS_PER_BYTE * resolved.bdp_bytes / rate_bps
    return {"rate": rate_bps, "rtt": of_link_ns if rtt is None else magnitude(_text(rtt)) or 0.0}


def _fields(stratum: Stratum, fields: Mapping[str, Any], scales: Mapping[str, float]) -> Iterator[str]:
    """Fields of the spec that have neither their default nor what was drawn."""
    for path, value in _leaves(fields):
        own = path not in OF_EVERY and path.partition(".")[0] not in EXEMPT
        if own and not _admits(stratum.fields.get(path), path, value, scales):
            yield f"[[{path}]]" if _has_tables(value) else f"{path} = {swept_text(value)}"
    if fields.get("duration") == UNTIL_DONE and "duration" not in stratum.fields:
        yield f"duration = {UNTIL_DONE}"
    yield from _of_changes(stratum, fields, scales)
    yield from _of_hops(stratum, fields, scales)
    yield from _of_groups(stratum, fields, scales)


def _of_changes(stratum: Stratum, fields: Mapping[str, Any], scales: Mapping[str, float]) -> Iterator[str]:
    """The same of changes in time: how many there are does not matter."""
    drawn = stratum.change if stratum.changes else {}
    tables = [each for line in (fields["path"], *fields.get("hops", ())) for each in line.get("change", ())]
    for key, value in (each for table in tables for each in table.items() if each[0] in CHANGED):
        own = drawn.get(key)
        if key == "rate" and not magnitude(_text(value)):
            if isinstance(own, Range) or not own:
                yield CHANGED["outage"]
        elif own is None:
            yield CHANGED[key]
        elif not _changes_alike(stratum, key, value, own, scales):
            yield f"path.change: {key} = {value}"


def _changes_alike(
    stratum: Stratum, key: str, value: object, drawn: Range | Sequence[object], scales: Mapping[str, float]
) -> bool:
    """Whether a change's value is one of those that were drawn, or one that restores what was."""
    size = magnitude(_text(value)) or 0.0
    if key == "over" and not isinstance(drawn, Range):
        return size <= max(magnitude(_text(each)) or 0.0 for each in drawn)
    is_restored = stratum.lasts is not None and math.isclose(size, scales.get(key, math.inf))
    return key == "buffer" or is_restored or _admits(drawn, f"path.change.{key}", value, scales)


def _of_hops(stratum: Stratum, fields: Mapping[str, Any], scales: Mapping[str, float]) -> Iterator[str]:
    """The same of links in a row, where the stratum has such."""
    for number, hop in enumerate(fields.get("hops", ()) if stratum.hops else ()):
        for path, value in _leaves(hop):
            if path not in OF_EVERY_HOP and not _admits(stratum.hop.get(path), f"hops[].{path}", value, scales):
                yield f"hops[{number}].{path} = {value}"


def _of_groups(stratum: Stratum, fields: Mapping[str, Any], scales: Mapping[str, float]) -> Iterator[str]:
    """The same of groups of flows; of a route it is the links' places that count, not their names."""
    names = dict(zip((hop["name"] for hop in fields.get("hops", ())), stratum.hops, strict=False))
    for number, group in enumerate(fields["flows"]):
        for path, value in _leaves(group):
            of_source = next((source[path] for source in stratum.sources.values() if path in source), None)
            of_way = [way[path] for way in stratum.ways.values() if path in way]
            drawn = stratum.groups.get(path) or of_source or of_way
            own = [names.get(name, name) for name in value] if path == "route" else value
            if path not in OF_EVERY_GROUP and not _admits(drawn, f"flows[].{path}", own, scales):
                yield f"flows[{number}].{path} = {value}"


def _admits(drawn: Range | Sequence[object] | None, path: str, value: object, scales: Mapping[str, float]) -> bool:
    """Whether a field's value is its default, or one of those that were drawn."""
    text = _text(value)
    if text == _defaults().get(path):
        return True
    if drawn is None:
        return False
    if not isinstance(drawn, Range):
        return any(_text(each) == text for each in drawn) or _is_between(drawn, value)
    size = magnitude(text)
    if size is None:
        return False
    if drawn.of:
        return drawn.least * scales[drawn.of] <= size <= drawn.most * scales[drawn.of]
    quantity = number_and_unit(text)
    alike = (quantity is not None and quantity[1] == "packets") == (drawn.unit == "packets")
    ends = (magnitude(f"{end:.15g} {drawn.unit}".strip()) or 0.0 for end in (drawn.least, drawn.most))
    return alike and next(ends) <= size <= next(ends)


def _is_between(drawn: Sequence[object], value: object) -> bool:
    """Whether a number, which is no truth value, lies between those that were drawn."""
    numbers = [each for each in drawn if isinstance(each, int | float) and not isinstance(each, bool)]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and bool(numbers) and min(numbers) <= float(str(value)) <= max(numbers)


@cache
def _defaults() -> Mapping[str, str]:
    return {key.path: _text(key.default) for key in keys() if key.default is not None}


def _text(value: object) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _has_tables(value: object) -> bool:
    return isinstance(value, Sequence) and any(isinstance(each, Mapping) for each in value)


def _leaves(fields: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Each field of a table with its path."""
    for key, value in fields.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{before}{key}.")
        else:
            yield before + key, value
