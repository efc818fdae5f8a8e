"""Many flows of one algorithm before one bottleneck: Jain's index, losses and goodput, less what hosts measured.

The hosts' table is `dev/data/imc2021_scale.csv`, whose repository states no licence: a record has differences, and no
number of it. A run lasts as long as the hosts', as far as that carries `PACKETS`, and `LEAST_S` at least; this rule was
set before the full runs.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field
from typing_extensions import override

from dev.validation.separate import SeparatePart
from dumbbell.campaign.execution import run_campaign
from dumbbell.campaign.plan import count
from dumbbell.comparison.agreement import versions
from dumbbell.comparison.campaigns import side_of
from dumbbell.comparison.record import Number, Part, Side
from dumbbell.engines.protocol import Engine
from dumbbell.metrics.sharing import jain
from dumbbell.results.schema import Result
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, load
from dumbbell.units import BITS_PER_BYTE

if TYPE_CHECKING:
    import pandas as pd

HERE: Final = Path(__file__).parent
SPEC: Final = HERE / "scale.toml"
POINTS: Final = HERE.parent / "data" / "imc2021_scale.csv"
PACKETS: Final = 20_000_000
"""That a run carries at most, where it lasts longer than `LEAST_S`."""
LEAST_S: Final = 30
FRAME_BYTES: Final = 1514
MEGABYTE: Final = 1_048_576
"""As tc has it."""
TIERS: Final = {"edge": 3 * MEGABYTE, "intermediate": 25 * MEGABYTE, "core": 375 * MEGABYTE}
"""In this order they are run: the queue of each in bytes."""
STARTED: Final = {"edge": (10, 30, 50), "intermediate": (100, 300, 500), "core": (1000, 3000, 5000)}
"""How many flows the hosts started; some of them did not report."""
UNFILLED: Final = "core"
"""The tier whose line the hosts did not fill: its sums of goodput say nothing of the path."""
ALGORITHMS: Final = {"bbr": "bbr_4_17"}
"""Those of Linux 4.15, where they are no longer today's."""
FEWEST: Final = 100
"""Halvings in all flows: of fewer the losses for each are not compared."""
SETTLED: Final = 0.02
"""By how much Jain's index over the window may differ from that over its second half."""


@dataclass(frozen=True, slots=True)
class HostRow:
    """A run of the hosts."""

    tier: str
    cc: str
    rtt_ms: int
    line_mbps: int
    reported: int
    """Flows."""
    measured_s: int
    goodput_mbps: float
    jain: float
    halvings: int
    """Of the windows of all flows; 0: the table does not say."""
    lost: int
    """Packets that the router dropped."""
    resent: int

    @property
    def started(self) -> int:
        """Flows."""
        return min(each for each in STARTED[self.tier] if each >= self.reported)

    @property
    def duration_s(self) -> int:
        """What a run lasts here: even, so that its window is of whole seconds."""
        carried_s = PACKETS * FRAME_BYTES * BITS_PER_BYTE / (self.line_mbps * 1e6)
        return min(self.measured_s, max(LEAST_S, int(carried_s))) // 2 * 2

    def fields(self) -> dict[str, Any]:
        """What it gives to fields of the spec."""
        return {
            "path.rate": f"{self.line_mbps} Mbit/s",
            "path.buffer": f"{TIERS[self.tier]} B",
            "path.rtt": f"{self.rtt_ms} ms",
            "flows[0].cc": ALGORITHMS.get(self.cc, self.cc),
            "flows[0].count": self.started,
            "duration": f"{self.duration_s} s",
        }


class ScaleRow(Part):
    """A run less what the hosts had in the same."""

    tier: str
    cc: str
    rtt_ms: int
    offload: bool
    """Whether super-packets reached the queue whole, which nobody knows of the hosts."""
    flows: int
    unreported: int
    """Flows of the hosts that are in none of their numbers."""
    duration_s: int
    times: Number
    """That the hosts' run lasted as long as this one's window."""
    jain: Number
    """Jain's index, less the hosts'."""
    drift: Number
    """The index over the window's second half, less that over the window."""
    goodput: Number | None
    """Of all flows, less the hosts', as a share of the line; null: the hosts did not fill it, or flows are missing."""
    counted: int
    """Halvings of all flows in the window: peaks of the cwnd once a second."""
    halvings: Number | None
    """Those of a run as long as the hosts', relative to theirs; null: too few, or not in their table."""
    lost: Number | None
    """Packets that the queue dropped for each of these, relative to the hosts'."""
    resent: Number | None
    """Packets that were sent again for each, relative to the hosts'."""

    @property
    def settled(self) -> bool:
        """Whether a window of half the length has about the same index."""
        return abs(self.drift) <= SETTLED


class ScaleRecord(Part):
    """What many flows came to."""

    schema_version: Literal[1] = Field(default=1, alias="schema")
    versions: dict[str, str | None]
    note: str = ""
    """What was found out about some rows."""
    side: Side
    packets: int
    """The most that a run carries, where it lasts longer than `least_s`."""
    least_s: int
    rows: tuple[ScaleRow, ...]


class ScalePart(SeparatePart):
    """Rows of the hosts' table on the simulator, tier by tier."""

    record_type: ClassVar = ScaleRecord

    name: str
    kind: Literal["scale"] = "scale"
    engine: str
    note: str = ""
    """What was found out about some rows."""
    tiers: tuple[str, ...] = tuple(TIERS)

    @property
    @override
    def engines(self) -> tuple[str, ...]:
        return (self.engine,)

    def total(self, engines: Sequence[Engine], records: object = None) -> int:
        """How many runs there are."""
        del engines, records
        return sum(count(experiment) for _, experiment in self._experiments())

    def measure(
        self, store: Store, engines: Sequence[Engine], jobs: int | None, progress: Callable[[], None],
        records: Callable[[str], object | None] = lambda _: None,
    ) -> tuple[ScaleRecord, list[str]]:  # fmt: skip
        """Runs what is missing, and takes what the hosts had from it.

        Raises:
            EngineFailure: the first runs failed alike.
        """
        del records
        (engine,) = engines
        rows: list[ScaleRow] = []
        run_ids: list[str] = []
        failed: list[str] = []
        for hosts, experiment in self._experiments():
            is_offload = experiment.get("path.offload")
            with closing(run_campaign(store, experiment, engine, jobs=jobs, progress=progress)) as outcomes:
                for row, outcome in zip(hosts, outcomes, strict=True):
                    if isinstance(outcome, Result):
                        series = store.flow_series(outcome.run_id), store.queue_series(outcome.run_id)
                        rows.append(compared(row, outcome, *series, offload=is_offload))
                        run_ids.append(outcome.run_id)
                    else:
                        failed.append(f"{outcome.run_id}: {outcome.error}")
        record = ScaleRecord(
            versions=versions(), note=self.note, side=side_of(store, engine, (1,), run_ids), packets=PACKETS,
            least_s=LEAST_S, rows=tuple(rows),
        )  # fmt: skip
        return record, failed

    def _experiments(self) -> Iterator[tuple[list[HostRow], Experiment]]:
        """Each tier's rows, and the experiment that has a point for each, in order; Reno's with super-packets, too."""
        every = list(host_rows())
        for tier in self.tiers:
            for offload in (False, True):
                rows = [row for row in every if row.tier == tier and (row.halvings or not offload)]
                fields = [row.fields() for row in rows]
                lists = {path: [each[path] for each in fields] for path in fields[0]}
                name = f"{self.name}-{tier}{'-offload' if offload else ''}"
                yield rows, load(SPEC, overrides={"name": name, "path.offload": offload, **lists, "zip": [list(lists)]})


def host_rows() -> Iterator[HostRow]:
    """The table of the hosts."""
    lines = [line for line in POINTS.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    for row in csv.DictReader(lines):
        yield HostRow(
            tier=row["tier"], cc=row["cc"], rtt_ms=int(row["base_rtt_ms"]), line_mbps=int(row["line_mbit"]),
            reported=int(row["flows"]), measured_s=int(row["duration_s"]), goodput_mbps=float(row["total_mbit"]),
            jain=float(row["jain"]), halvings=int(row["window_halvings"] or 0), lost=int(row["router_dropped"] or 0),
            resent=int(row["retransmitted"] or 0),
        )  # fmt: skip


def compared(hosts: HostRow, result: Result, flows: pd.DataFrame, queue: pd.DataFrame, *, offload: bool) -> ScaleRow:
    """A run's numbers less the hosts'. `flows`, `queue`: their gauges, once a second."""
    begin_s, end_s = result.window_s
    own, later = (index_over(flows, since_s, end_s) for since_s in (begin_s, (begin_s + end_s) / 2))
    assert own is not None  # noqa: S101 (bulk flows deliver)
    assert later is not None  # noqa: S101
    halvings = _parts(lambda since_s, to_s: halvings_of(flows, since_s, to_s), begin_s, end_s)
    dropped = _parts(lambda _, to_s: int(queue[queue["time_s"] <= to_s]["dropped_packets"].max()), begin_s, end_s)
    dropped = dropped[0], dropped[1] - dropped[0]
    times = (hosts.measured_s - begin_s) / (end_s - begin_s)
    goodput_mbps = sum(each.goodput_bps or 0.0 for each in result.flows) / 1e6
    is_full = hosts.tier != UNFILLED and hosts.reported == hosts.started
    losses: dict[str, float] = {}
    if hosts.halvings and halvings[1] >= FEWEST:
        in_all = halvings[0] + times * halvings[1]
        lost = dropped[0] + times * dropped[1]
        again = sum(each.retransmits for each in result.flows) / max(1, result.bottleneck.dropped_packets or 0)
        losses = {
            "halvings": in_all / hosts.halvings - 1,
            "lost": lost / in_all / (hosts.lost / hosts.halvings) - 1,
            "resent": again * lost / in_all / (hosts.resent / hosts.halvings) - 1,
        }
    return ScaleRow(
        tier=hosts.tier, cc=hosts.cc, rtt_ms=hosts.rtt_ms, offload=offload, flows=hosts.started,
        unreported=hosts.started - hosts.reported, duration_s=hosts.duration_s,
        times=hosts.measured_s / (end_s - begin_s), jain=own - hosts.jain, drift=later - own,
        goodput=(goodput_mbps - hosts.goodput_mbps) / hosts.line_mbps if is_full else None,
        counted=halvings[1], **{name: losses.get(name) for name in ("halvings", "lost", "resent")},
    )  # fmt: skip


def _parts(count_of: Callable[[float, float], int], begin_s: float, end_s: float) -> tuple[int, int]:
    """Before the window, and in it."""
    return count_of(0.0, begin_s), count_of(begin_s, end_s)


def halvings_of(flows: pd.DataFrame, begin_s: float, end_s: float) -> int:
    """The peaks of all flows' windows in a time."""
    within = flows[(flows["time_s"] >= begin_s) & (flows["time_s"] <= end_s)]
    return sum(peaks(cwnd.to_numpy()) for _, cwnd in within.groupby("flow")["cwnd_bytes"])


def index_over(series: pd.DataFrame, begin_s: float, end_s: float) -> float | None:
    """Jain's index of what each flow delivers between the first and the last sample of a time."""
    within = series[(series["time_s"] >= begin_s) & (series["time_s"] <= end_s)]
    delivered = within.groupby("flow")["delivered_bytes"]
    spans = within.groupby("flow")["time_s"]
    rates = (delivered.last() - delivered.first()) / (spans.last() - spans.first())
    return jain([float(rate) for rate in rates])


def peaks(cwnd: npt.NDArray[Any]) -> int:
    """How often a window that rose falls, as the hosts' authors count halvings: equal samples in a row are one.

    >>> peaks(np.array([1, 2, 2, 3, 1, 2, 1, 1, 0]))
    2
    """
    steps = np.sign(np.diff(cwnd.astype(float)))
    steps = steps[steps != 0]
    return int(np.count_nonzero(np.diff(steps) == -2))  # noqa: PLR2004 (from up to down)
