"""Specs as texts: right ones, every class of bad input, and slips in both; from a seed, always the same."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from random import Random
from typing import Any

from dumbbell.spec.source import toml
from mutation import mutated
from oddspecs import ODD
from specs import EVERY_FIELD, SWEPT, smallest
from tests.spec.test_bad_input import ARRIVING, BROKEN, COMMANDS, ONE_FIELD, SEVERAL_FIELDS, SOURCES, WISHES
from validspecs import valid_specs

FORMS = ("+{}", "0{}", "{}.", "{}.0", "{}e0", "{}0E-1", " {} ")
"""A number in others of the forms that it may have."""
VALUES = (
    "1979-05-27",
    "true",
    "nan",
    "inf",
    "-1",
    "1.5",
    "0b101",
    "9" * 20,
    '""',
    '"x"',
    "[]",
    "[[1]]",
    "{ a = 1 }",
    '["1 s", 5]',
)
"""What is put in the place of any other value."""
MORE = (
    {"flows[0].workload": ARRIVING, "flows[0].count": 3}, {"alone": "flows[7]"}, {"alone": "cubic"}, {"alone": 3},
    {"flows[0].count": 4, "flows[0].stagger": "5 s"}, {"flows[0].cc": "bbr[policer=yes, cycle_len=1.5]"},
    {"flows[0].cc": "bbr[cwnd_gain=1e999]"}, {"flows[0].cc": "vegas[a=1]"},
    {"start_jitter": "2 s", "flows[0].start": "9 s"},
)  # fmt: skip
"""Fields of bad specs beside those of the package's tests."""
LONGEST = 10_000
"""Bytes of a spec that slips are made in."""
NAMES = ("a", "b", "core", "z-1")
"""Of hops on the path."""
BACK = ("up", "up2")
"""Of hops on the way back, where they are listed."""


def networks(seed: int, count: int) -> Iterator[Mapping[str, Any]]:
    """Small specs of several queues: hops in a row, ways back, data both ways, routes."""
    for number in range(count):
        yield _network(Random(f"networks {seed} {number}"))


def _network(draw: Random) -> Mapping[str, Any]:
    """With delays that have room in the round trip of each group."""
    down = NAMES[: draw.randint(0, len(NAMES))]
    up = BACK[: draw.randint(0, len(BACK))]
    path: dict[str, Any] = {"rtt": f"{draw.randint(20, 60)} ms", **({} if down else _queue(draw))}
    is_single = not up and draw.random() < 0.6
    if up:
        path["back"] = {"hops": [{"name": name, **_queue(draw), **_delay(draw)} for name in up]}
    elif is_single:
        path["back"] = _queue(draw) | _delay(draw)
    path |= {"bottleneck": draw.choice(down)} if down and draw.random() < 0.3 else {}
    path |= {"queue": "packets"} if draw.random() < 0.2 else {}
    path |= {"delay_side": draw.choice(("forward", "split"))} if draw.random() < 0.3 else {}
    back = up or (("back",) if is_single else ())
    fields: dict[str, Any] = {"duration": f"{draw.randint(500, 2500)} ms", "seeds": 2, "path": path}
    if down:
        fields["hops"] = [{"name": name, **_queue(draw), **_delay(draw)} for name in down]
    groups = draw.randint(1, 3)
    return fields | {"flows": [_group(draw, f"flow {number}", down, back) for number in range(groups)]}


def _queue(draw: Random) -> dict[str, Any]:
    """Its buffer is of a unit that a queue that counts packets has, too."""
    rate = f"{draw.randint(500, 40_000)} kbit/s"
    buffer = draw.choice(
        (f"{draw.randint(2, 200)} packets", f"{draw.uniform(0.2, 3):.2f} bdp", f"{draw.randint(2, 80)} ms")
    )
    own: dict[str, Any] = {"rate": rate, "buffer": buffer}
    own |= {"loss": f"{draw.uniform(0.01, 2):.3f} %"} if draw.random() < 0.3 else {}
    own |= {"overhead": "38 B"} if draw.random() < 0.2 else {}
    own |= {"shaper": "htb", "burst": "1600 B"} if draw.random() < 0.2 else {}
    if draw.random() < 0.2:
        own["change"] = [{"at": "300 ms", "rate": f"{draw.randint(500, 40_000)} kbit/s"}]
    return own


def _delay(draw: Random) -> dict[str, Any]:
    return {"delay": f"{draw.randint(1, 3)} ms"} if draw.random() < 0.5 else {}


def _group(draw: Random, name: str, down: tuple[str, ...], back: tuple[str, ...]) -> dict[str, Any]:
    group: dict[str, Any] = {"name": name, "cc": draw.choice(("bbr", "cubic", "reno")), "count": draw.randint(1, 3)}
    group |= {"direction": "up"} if back and draw.random() < 0.4 else {}
    group |= {"workload": {"transfer": "300 kB"}} if draw.random() < 0.2 else {}
    ways = [way for way in (down, back) if way]
    if ways and draw.random() < 0.5:
        group["route"] = [name for way in ways for name in _part(draw, way)]
    return group


def _part(draw: Random, way: tuple[str, ...]) -> tuple[str, ...]:
    first, last = sorted(draw.choices(range(len(way) + 1), k=2))
    return way[first : max(last, first + 1)] or way[-1:]


def specs(seed: int, right: int = 250, slips: int = 250) -> list[str]:
    """So many that are right and that have slips, between them the bad ones of the package's own tests."""
    draw = Random(f"specs {seed}")
    usual = islice(valid_specs(seed, 2 * right), 0, None, 2)  # the others have runs of 100,000 flows
    good = [SWEPT, EVERY_FIELD, *(_rewritten(toml(fields), draw) for fields in (*usual, *networks(seed, right // 4)))]
    bad = [BROKEN, *(toml(fields) for fields in _bad()), *_with_other_values()]
    examples = [text.encode() for text in (*good, *bad, *ODD) if len(text) < LONGEST]
    slipped = (mutated(examples, draw).decode("utf-8", "ignore") for _ in range(slips))
    return [*good, *bad, *(text for text in slipped if len(text) < LONGEST)]


def _rewritten(text: str, draw: Random) -> str:
    """The same with some of its numbers in other forms."""
    return re.sub(r'(?<=")\d+(?= )', lambda match: draw.choice((*FORMS, "{}")).format(match[0]), text)


def _with_other_values() -> Iterator[str]:
    """A spec of every field with another value of each."""
    for field in re.finditer(r"(?m)(?<= = ).+$", EVERY_FIELD):
        yield from (f"{EVERY_FIELD[: field.start()]}{value}{EVERY_FIELD[field.end() :]}" for value in VALUES)


def _bad() -> Iterator[Mapping[str, Any]]:
    for table in (ONE_FIELD, WISHES):
        for path, values in table.items():
            yield from (_with({path: value}) for value in values)
    yield from (_with(fields) for fields in SEVERAL_FIELDS.values())
    yield from (_with({"flows[0].workload": workload}) for workload in (*SOURCES, *COMMANDS))
    yield from (_with(fields) for fields in MORE)


def _with(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The smallest spec with these values by their paths, whatever a table is in its way."""
    fields = smallest()
    for path, value in values.items():
        place: Any = fields
        *tables, last = (int(key) if key.isdigit() else key for key in re.findall(r"\w+", path))
        for key in tables:
            place = place[key] if isinstance(key, int) else place.setdefault(key, {})
        place[last] = value
    return fields
