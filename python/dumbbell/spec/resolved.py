"""From a point and a seed to a run: text becomes integers, groups become flows, defaults become values."""

from __future__ import annotations

from dataclasses import dataclass, replace

from msgspec import structs

import dumbbell._core as _core
import dumbbell.spec.run as run
from dumbbell.problem import given
from dumbbell.spec.experiment import Point


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """A run, and the spec's words about it that engines need not know."""

    run: run.Run
    groups: tuple[str, ...]
    """The group of each flow, in the run's order."""
    ccs: tuple[str, ...]
    """Each flow's congestion control as the spec wrote it."""
    bdp_bytes: float
    """The path's rate times its round-trip time, in queue bytes."""
    start_jitter_ns: int
    """Within which each flow's start was drawn."""
    rtt_spread_ns: int
    """Within which each flow's base round-trip time is longer."""

    def id(self, engine: str, identity: str) -> str:
        """Name the run by all that decides its result: the run, what its summary has beside it, and the engine."""
        return _core.run_id(
            self.run.to_json(), list(self.groups), list(self.ccs), self.bdp_bytes, engine, identity
        )  # fmt: skip

    def tc_lines(self) -> list[str]:
        """What manages each queue that is not drop-tail, in `tc`'s own syntax, each with its field of the spec."""
        return [f"{table}.qdisc, to tc: {line}" for table, line in _core.tc_lines(self.run.to_json())]

    def base_rtts_ns(self, seed: int | None = None) -> list[int]:
        """Each flow's base round-trip time as another seed draws it; of None, without what is drawn."""

        def drawn_ns(seed: int | None, name: str) -> int:
            return 0 if seed is None else rtt_offset_ns(seed, name, self.rtt_spread_ns)

        return [
            flow.base_rtt_ns - drawn_ns(self.run.seed, flow.name) + drawn_ns(seed, flow.name) for flow in self.run.flows
        ]


def resolve(point: Point, seed: int, *, live: bool = False) -> Resolved:
    """Resolve one point with one seed; `live`: for an engine of real hosts, whose noise is theirs unless it is written.

    Raises `SpecError` where a point of a sweep too large to be checked in advance makes no sense.
    """
    resolved = given(point.experiment._spec.resolve(point.number, seed, live))  # noqa: SLF001 (one front of one object)
    return Resolved(
        run=run.Run.from_json(resolved["run"]),
        groups=tuple(resolved["groups"]),
        ccs=tuple(resolved["ccs"]),
        bdp_bytes=resolved["bdp_bytes"],
        start_jitter_ns=resolved["start_jitter_ns"],
        rtt_spread_ns=resolved["rtt_spread_ns"],
    )


def on_hosts(resolved: Resolved, point: Point) -> Resolved:
    """Give the same for an engine of real hosts: their noise is their own unless the point has it written."""
    if point.experiment.is_written("path.jitter"):
        return resolved
    path = structs.replace(resolved.run.path, jitter_ns=None)
    return replace(resolved, run=structs.replace(resolved.run, path=path))


def start_jitter_ns(seed: int, flow: str, jitter_ns: int) -> int:
    """Give a flow's own part of the start jitter, uniform below `jitter_ns`.

    >>> start_jitter_ns(1, "bbr", 100_000_000) < 100_000_000
    True
    """
    return _core.start_jitter_ns(seed, flow, jitter_ns)


def rtt_offset_ns(seed: int, flow: str, spread_ns: int) -> int:
    """Give what a flow's base round-trip time is longer by, uniform below `spread_ns`.

    >>> rtt_offset_ns(1, "bbr", 1_000_000) < 1_000_000
    True
    """
    return _core.rtt_offset_ns(seed, flow, spread_ns)


def red_mean_bits(min_bytes: int, max_bytes: int, frame_bytes: int) -> tuple[int, int]:
    """Give the bits that the mean of RED with these thresholds takes with its fraction, and the most that Linux has.

    >>> red_mean_bits(30_000, 90_000, 1514), red_mean_bits(5_000_000, 15_000_000, 1514)
    ((22, 31), (36, 31))
    """
    return _core.red_mean_bits(min_bytes, max_bytes, frame_bytes)
