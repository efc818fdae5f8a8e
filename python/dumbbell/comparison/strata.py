"""The conditions that the simulator was validated at, in named strata: their ranges, and how far off it was in each.

`strata.toml` has what each draws otherwise than the plain path, `bands.toml` what was measured.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct, convert
from msgspec import field as struct_field

from dumbbell.spec.queue import FIFO

PLAIN: Final = "plain"
WEIGHTS: Final = {"reno": 4, "cubic": 4, "bbr": 4, "bbr_4_17": 1, "bbr_1_1": 1, "bbr_1_5": 1, "bbr_shallow": 1}
USUAL_DURATION: Final = "60 s"
MOST_PACKETS: Final = 5_000_000
"""Of one run: what 1 Gbit/s carries in 60 s, which is 20 s and more of a kernel's time."""
BANDS_FILE: Final = "bands.toml"
GROUP_GOODPUT, TOTAL_GOODPUT = "group_goodput", "total_goodput"
LOSS, SMALL_LOSS, MARKS, SMALL_MARKS = "loss", "small_loss", "marks", "small_marks"
QUEUEING_DELAY, MANAGED_DELAY, WINNER = "queueing_delay", "managed_delay", "winner"
COMPLETION, LATE_COMPLETION = "completion", "late_completion"
"""What has a band in each stratum."""
DEVIATIONS_FILE: Final = "deviations.toml"
GOODPUT, RESENDS = "goodput", "resends"
"""What has a deviation."""
QDISC: Final = "path.qdisc.kind"
"""The field that a stratum of a managed queue has."""
HOSTS: Final = "hosts"
"""No stratum: what real hosts measured."""

Choices: TypeAlias = tuple[str | bool | int | float, ...]
Extent: TypeAlias = tuple[float, float]
Way: TypeAlias = Mapping[str, str | tuple[str, ...]]
"""Where a group's data goes: its `direction`, and the hops of its `route`."""


class Range(Struct, frozen=True, forbid_unknown_fields=True):
    """A value of a spec's field, log-uniform."""

    least: float = struct_field(name="from")
    most: float = struct_field(name="to")
    unit: str = ""
    of: Literal["rate", "rtt"] | None = None
    """It is a share of the condition's own."""


Drawn: TypeAlias = Range | Choices
"""Of what a field's value is drawn."""
STEPS_OF_RATE: Final = {"rate": Range(least=0.25, most=4, of="rate")}
"""By how much a step changes the rate that a condition begins with."""


class Stratum(Struct, frozen=True, forbid_unknown_fields=True):
    """What conditions of one kind are drawn from; the defaults are the plain path's."""

    title: str
    rate: Extent = (5.0, 1000.0)
    """Mbit/s."""
    rtt: Extent = (5.0, 200.0)
    """ms."""
    buffer: Extent = (0.1, 10.0)
    """BDP."""
    loss: Extent = (0.001, 2.0)
    """%, where there is some."""
    lossless: float = 0.5
    """Share of the conditions without random loss."""
    flows: tuple[int, int] = (1, 8)
    """Of each way, where there are several."""
    algorithms: Mapping[str, int] = struct_field(default_factory=lambda: WEIGHTS)
    """How often each is drawn."""
    apart: bool = False
    """Each flow is a group of its own."""
    staggered: float = 0.5
    """Share of the conditions whose flows do not start together."""
    start_jitter: str = "100 ms"
    changes: tuple[int, int] | None = None
    """How many changes there are, each in its part of the run after the first tenth."""
    change: Mapping[str, Drawn] = struct_field(default_factory=lambda: STEPS_OF_RATE)
    """What each of them sets."""
    lasts: Range | None = None
    """After so long all is as it was; None: it stays."""
    duration: str = USUAL_DURATION
    window: tuple[str, ...] = ("50 %", "100 %")
    """Empty: the whole run."""
    most_packets: int = MOST_PACKETS
    fields: Mapping[str, Drawn] = {}
    """Other fields of the spec, by their path."""
    groups: Mapping[str, Drawn] = {}
    """Fields of each group of flows."""
    sources: Mapping[str, Mapping[str, Drawn]] = {}
    """Other groups, by their names: all fields of each."""
    ways: Mapping[str, Way] = {}
    """Flows are drawn for each of these by itself; its name begins the names of their groups."""
    hops: tuple[str, ...] = ()
    """Links in a row, each with a buffer. One of them, any, is the bottleneck, with the condition's rate and loss."""
    hop: Mapping[str, Drawn] = {}
    """Other fields of each link; a rate is that of the others."""

    @property
    def qdiscs(self) -> Sequence[object]:
        """What manages the bottleneck's queue: one of these."""
        kinds = self.fields.get(QDISC, (FIFO.kind,))
        return () if isinstance(kinds, Range) else kinds


@cache
def strata() -> Mapping[str, Stratum]:
    """Every stratum by its name, the plain path first."""
    tables = _table("strata.toml")
    return convert({name: _stratum_table(tables, name) for name in tables}, dict[str, Stratum])


@cache
def stored_bands() -> Mapping[str, Mapping[str, Any]]:
    """What the simulator's errors may be in every stratum, by metric, and what they were measured with."""
    return _table(BANDS_FILE)


@cache
def stored_deviations() -> Mapping[str, Mapping[str, float]]:
    """The simulator's standard deviations from the kernel by stratum, shares of a quantity; from hosts, of the line."""
    return _table(DEVIATIONS_FILE)


def _stratum_table(tables: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A stratum's table, merged into that of the one that it is like."""
    own = dict(tables[name])
    other = _stratum_table(tables, own.pop("like")) if "like" in own else {}
    return {**other, **own, "fields": {**other.get("fields", {}), **own.get("fields", {})}}


def _table(name: str) -> dict[str, Any]:
    return tomllib.loads(files("dumbbell.comparison").joinpath(name).read_text(encoding="utf-8"))
