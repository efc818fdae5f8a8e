"""The catalogue of quantities: what a run, a flow and a group of flows are described by, each formula once.

Values are in base units (bit/s, seconds, shares of 1); `factor` makes of one what is shown. A formula gives None where
a run has nothing of the kind.

>>> QUANTITIES["rtt"].heading, QUANTITIES["rtt"].text(0.0417)
('RTT ms', '41.7')
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias

from dumbbell.metrics.number import AMOUNT, ANY_NUMBER, SHARE, Limits, amount, ends
from dumbbell.metrics.sharing import harm
from dumbbell.metrics.summary import BottleneckSummary, FlowSummary, GroupSummary
from dumbbell.metrics.window import Window, ratio

if TYPE_CHECKING:
    from dumbbell.spec.path import Path
    from dumbbell.spec.run import Run

    Value: TypeAlias = float | None


BEFORE: Final = "before"


class Summarised(Protocol):
    """What quantities are computed from: a `Summary`, or the `Result` that has its fields."""

    @property
    def flows(self) -> Sequence[FlowSummary]:
        """A summary a flow, in the order of the spec."""

    @property
    def bottleneck(self) -> BottleneckSummary:
        """The bottleneck's counters and queue within the window."""

    @property
    def groups(self) -> Mapping[str, GroupSummary]:
        """The groups' summaries, by the name of the `[[flows]]` table."""

    @property
    def jain(self) -> float | None:
        """Jain's index of the flows' goodput."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What some quantities need to know of the path; without it they are None."""

    random_loss_at: str | None = None
    """Where packets are lost at random, "before" or "after" the queue; None: nowhere."""
    base_rtts_s: Sequence[float] = ()
    """Each flow's round-trip time without a queue."""
    drain_time_s: float | None = None
    """How long the full buffer takes to leave at the bottleneck's rate, its mean over the window where it changes."""

    @classmethod
    def of(cls, run: Run) -> Setup:
        """The setup of a resolved run."""
        return cls(
            random_loss_at=_random_loss_at(run.path),
            base_rtts_s=[flow.base_rtt_s for flow in run.flows],
            drain_time_s=ratio(8 * run.path.buffer_bytes, mean_rate_bps(run)),
        )


@dataclass(frozen=True, slots=True)
class Group:
    """A group of a run: its own summary, and its flows'."""

    summary: GroupSummary
    flows: Sequence[FlowSummary]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """One number of a run, or of each group of flows in it and of each flow."""

    name: str
    label: str
    short: str
    """Its name above a column."""
    unit: str
    """In which it is shown; "" of a ratio that is shown as it is."""
    factor: float
    """What a value is multiplied by to be in that unit."""
    better: Literal["higher", "lower"] | None = None
    """None: what one group gains, another one loses."""
    relative: bool = False
    """Conditions differ in its size, so that differences are drawn as shares of it."""
    limits: Limits = AMOUNT
    """What it can be, in base units: no interval goes beyond."""
    needs_all: bool = False
    """A run has none where it took too long for it: there is no mean over runs, as that of the others would flatter."""
    needs_several: Literal["groups", "flows"] | None = None
    """It says something only of a run with more than one of these."""
    harm_in: str | None = None
    """The quantity that it tells the harm in: it has no formula, but needs another run, of the group alone."""
    of_run: Callable[[Summarised, Setup], Value] | None = None
    of_group: Callable[[Group], Value] | None = None
    of_flow: Callable[[FlowSummary], Value] | None = None

    def ends(self, value: float, half_width: Value) -> tuple[float, float]:
        """Of an interval, all in the quantity's unit, within its limits."""
        return ends(value, half_width, self.limits, self.factor)

    @property
    def of(self) -> Literal["run", "group"]:
        """Whether a run has one of it, or each group."""
        return "group" if self.of_run is None else "run"

    @property
    def heading(self) -> str:
        """What stands above a column of it: short name and unit."""
        return f"{self.short} {self.unit}".strip()

    @property
    def suffix(self) -> str:
        """What stands behind every value: a percent sign, but no other unit."""
        return " %" if self.unit == "%" else ""

    def text(self, value: Value, half_width: Value = None, *, signed: bool = False) -> str:
        """A value, or a difference, as it is shown: three digits in its unit, and the suffix."""
        limits = ANY_NUMBER if signed else self.limits
        return amount(value, half_width, self.factor, self.suffix, signed=signed, limits=limits)

    def informative(self, summary: Summarised) -> bool:
        """Whether a run has several of what this distinguishes."""
        return self.needs_several is None or len(getattr(summary, self.needs_several)) > 1


def random_loss(lost: int, offered: int, sent: int, loss_at: str) -> float | None:
    """Packets lost at random, as a share of those that could be; None where there were none.

    Before the queue that is what is `offered` to it and what is `lost`; after it, what it has `sent`.

    >>> random_loss(1, 99, 90, "before"), random_loss(9, 99, 90, "after"), random_loss(0, 0, 0, "before")
    (0.01, 0.1, None)
    """
    exposed = offered + lost if loss_at == BEFORE else sent
    return ratio(lost, exposed)


def has_random_loss(spec: Mapping[str, Any]) -> bool:
    """Whether the path of a spec, given as its words, loses packets at random at any point, or damages them."""
    from dumbbell.spec.link import link  # noqa: PLC0415 (late: it loads all of `spec`, and lists need none)
    from dumbbell.spec.quantity import Share  # noqa: PLC0415 (as above)

    path = spec["path"]
    preset = {key.path: key.value for key in link(path["link"]).keys} if "link" in path else {}
    tables = [preset | path, *(path.get("change") or preset.get("change") or ())]
    losses = [table[key] for table in tables for key in ("loss", "corrupt") if key in table]
    every = (one for each in losses for one in (each if isinstance(each, list) else [each]))
    return any(isinstance(each, dict) or Share(each).value for each in every)


def _random_loss_at(path: Path) -> str | None:
    """Where both do so the few that are damaged, behind the line, count as if they were lost where the others are."""
    if path.loses_at_random:
        return path.loss_at
    return "after" if path.impairments.corrupt_ppb else None


def mean_rate_bps(run: Run) -> float:
    """The bottleneck's rate, its mean over the window where it changes."""
    window = Window(run.measure.window_begin_ns, run.measure.window_end_ns)
    capacity_bits = run.path.capacity_bits(window.begin_ns, window.end_ns, run.path.mtu_bytes)
    return ratio(capacity_bits, window.seconds) or float(run.path.rate_bps)


def mean(values: Iterable[Value]) -> Value:
    """Of what is known: what a group of several flows has of a quantity of each."""
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def most(values: Iterable[Value]) -> Value:
    """Of what is known: the worst of a group's flows."""
    return max((value for value in values if value is not None), default=None)


def _mean_completion_s(group: Group) -> Value:
    return _mean_of_all([flow.fct_s for flow in group.flows])


def _mean_of_all(values: Sequence[Value]) -> Value:
    """None if a flow did not end: the mean of the others would flatter whoever left some behind."""
    total = _total_of_all(values)
    return None if total is None else total / len(values)


def _total_of_all(values: Sequence[Value]) -> Value:
    known = [value for value in values if value is not None]
    return sum(known) if known and len(known) == len(values) else None


def _percentile(own: str, each: str, percent: float) -> Callable[[Group], Value]:
    """Over the transfers of a group: of a source its field `own`, of flows with one transfer each over their `each`."""

    def of_group(group: Group) -> Value:
        if all(value is None for flow in group.flows for value in (flow.transfers, flow.fct_s)):
            return None
        from dumbbell.metrics.completion import percentile_of_group  # noqa: PLC0415 (late: lists need no numpy)

        flow_values = [(flow.transfers, getattr(flow, own), getattr(flow, each)) for flow in group.flows]
        return percentile_of_group(flow_values, percent)

    return of_group


def _total_goodput_bps(summary: Summarised, _: Setup) -> Value:
    pinging = {flow.name for flow in summary.flows if flow.pings is not None}
    return _total_of_all([each.goodput_bps for name, each in summary.groups.items() if name not in pinging])


def _random_loss(summary: Summarised, setup: Setup) -> Value:
    if setup.random_loss_at is None:
        return None
    queue = summary.bottleneck
    lost, offered, sent = queue.random_lost_packets, queue.offered_packets, queue.sent_packets
    if lost is None or offered is None or sent is None:
        return None
    return random_loss(lost, offered, sent, setup.random_loss_at)


def _queueing_delay(summary: Summarised, setup: Setup) -> Value:
    """Mean over flows of mean RTT less base RTT, as a share of the time in which the full buffer drains."""
    if setup.drain_time_s is None:
        return None
    wait_s = mean(
        None if flow.rtt_mean_s is None else flow.rtt_mean_s - base_s
        for base_s, flow in zip(setup.base_rtts_s, summary.flows, strict=True)
        if flow.pings is None
    )
    return None if wait_s is None else ratio(wait_s, setup.drain_time_s)


def _pooled(part: str, total: str) -> Callable[[Group], Value]:
    """Of a group, all its flows' `part` as a share of all their `whole`; both are names of fields."""

    def of_group(group: Group) -> Value:
        counted, of = (sum(getattr(flow, name) or 0 for flow in group.flows) for name in (part, total))
        return ratio(counted, of)

    return of_group


_PERCENT: Final = 100.0


def _share(name: str, label: str, short: str, fields: tuple[str, str]) -> Quantity:
    """Of how much went wrong: two fields, of a flow, of which the first is counted among the second."""
    part, total = fields
    return Quantity(
        name=name, label=label, short=short, unit="%", factor=_PERCENT, limits=SHARE, better="lower",
        of_group=_pooled(part, total), of_flow=lambda flow: ratio(getattr(flow, part), getattr(flow, total)),
    )  # fmt: skip


def _times(name: str, label: str, short: str) -> Iterator[Quantity]:
    """A time's mean and percentiles: of a flow its fields `NAME_mean_s`, `NAME_p50_s`, …, of a group their mean."""
    labels = {
        "mean": (f"mean {label}", short), "p50": (f"median {label}", f"p50 {short}"),
        "p95": (f"{label}, 95th percentile", f"p95 {short}"), "p99": (f"{label}, 99th percentile", f"p99 {short}"),
    }  # fmt: skip
    for statistic, (own, short_own) in labels.items():
        of_flow: Callable[[FlowSummary], Value] = attrgetter(f"{name}_{statistic}_s")
        yield Quantity(
            name=name if statistic == "mean" else f"{name}_{statistic}", label=own, short=short_own, unit="ms",
            factor=1e3, better="lower", relative=True, of_group=_mean_over_flows(of_flow), of_flow=of_flow,
        )  # fmt: skip


def _mean_over_flows(of_flow: Callable[[FlowSummary], Value]) -> Callable[[Group], Value]:
    return lambda group: mean(map(of_flow, group.flows))


_PERCENTILES: Final = ((50, "median"), (95, "95th percentile"), (99, "99th percentile"))
_QUANTITIES: Final = (
    Quantity(
        name="goodput", label="goodput", short="", unit="Mbit/s", factor=1e-6, better="higher", relative=True,
        of_group=lambda group: group.summary.goodput_bps, of_flow=lambda flow: flow.goodput_bps,
    ),
    Quantity(
        name="total_goodput", label="total goodput", short="total", unit="Mbit/s", factor=1e-6, better="higher",
        relative=True, needs_several="groups", of_run=_total_goodput_bps,
    ),
    Quantity(
        name="share", label="share", short="share", unit="%", factor=_PERCENT, limits=SHARE, needs_several="groups",
        of_group=lambda group: group.summary.share,
    ),
    Quantity(
        name="utilization", label="utilization", short="utilization", unit="%", factor=_PERCENT,
        limits=SHARE, better="higher",
        of_run=lambda summary, _: summary.bottleneck.utilization,
    ),
    Quantity(
        name="jain", label="Jain's index", short="Jain", unit="", factor=1.0,
        limits=SHARE, better="higher", needs_several="flows",
        of_run=lambda summary, _: summary.jain,
    ),
    Quantity(
        name="loss", label="queue loss", short="queue loss", unit="%", factor=_PERCENT, limits=SHARE, better="lower",
        of_run=lambda summary, _: summary.bottleneck.loss_rate,
    ),
    Quantity(
        name="random_loss", label="random loss", short="random loss", unit="%", factor=_PERCENT,
        limits=SHARE, of_run=_random_loss,
    ),
    Quantity(
        name="retransmits", label="retransmit rate", short="retransmits", unit="%", factor=_PERCENT,
        limits=SHARE, better="lower",
        of_group=_pooled("retransmits", "segments_sent"), of_flow=lambda flow: flow.retransmit_rate,
    ),
    *_times("rtt", "RTT", "RTT"),
    Quantity(
        name="page_load", label="page load time, median", short="page load", unit="s", factor=1.0, better="lower",
        relative=True, of_group=lambda group: mean(flow.page_load_p50_s for flow in group.flows),
        of_flow=lambda flow: flow.page_load_p50_s,
    ),
    Quantity(
        name="page_load_p95", label="page load time, 95th percentile", short="p95 page load", unit="s", factor=1.0,
        better="lower", relative=True, of_group=lambda group: mean(flow.page_load_p95_s for flow in group.flows),
        of_flow=lambda flow: flow.page_load_p95_s,
    ),
    Quantity(
        name="pages", label="pages loaded", short="pages", unit="", factor=1.0, better="higher",
        of_group=lambda group: _total_of_all([flow.pages for flow in group.flows]), of_flow=lambda flow: flow.pages,
    ),
    _share("pings_lost", "pings lost", "pings lost", ("pings_lost", "pings")),
    _share("datagrams_lost", "datagrams lost", "lost", ("datagrams_lost", "datagrams")),
    *_times("delay", "one-way delay", "delay"),
    _share("late_frames", "late frames", "late frames", ("frames_late", "frames")),
    *_times("frame_delay", "frame delay", "frame delay"),
    Quantity(
        name="queue", label="mean queue", short="queue", unit="BDP", factor=1.0, better="lower",
        of_run=lambda summary, _: summary.bottleneck.queue_mean_bdp,
    ),
    Quantity(
        name="queueing_delay", label="queueing delay", short="queueing delay", unit="%", factor=_PERCENT,
        better="lower", of_run=_queueing_delay,
    ),
    Quantity(
        name="drops", label="packets dropped by the queue", short="drops", unit="", factor=1.0, better="lower",
        of_run=lambda summary, _: summary.bottleneck.dropped_packets,
    ),
    Quantity(
        name="dequeue_drops", label="packets dropped when they were to leave the queue", short="dequeue drops", unit="",
        factor=1.0, better="lower", of_run=lambda summary, _: summary.bottleneck.dequeue_dropped_packets,
    ),
    Quantity(
        name="low_latency_queue", label="mean low-latency queue of DualPI2", short="L queue", unit="packets",
        factor=1.0, better="lower", of_run=lambda summary, _: summary.bottleneck.low_latency_mean_packets,
    ),
    Quantity(
        name="classic_queue", label="mean classic queue of DualPI2", short="C queue", unit="packets", factor=1.0,
        better="lower", of_run=lambda summary, _: summary.bottleneck.classic_mean_packets,
    ),
    Quantity(
        name="marks", label="queue marks", short="marks", unit="%", factor=_PERCENT, limits=SHARE,
        of_run=lambda summary, _: summary.bottleneck.mark_rate,
    ),
    Quantity(
        name="sojourn", label="mean sojourn time", short="sojourn", unit="ms", factor=1e3, better="lower",
        relative=True, of_run=lambda summary, _: summary.bottleneck.sojourn_mean_s,
    ),
    Quantity(
        name="sojourn_p95", label="sojourn time, 95th percentile", short="p95 sojourn", unit="ms", factor=1e3,
        better="lower", relative=True, of_run=lambda summary, _: summary.bottleneck.sojourn_p95_s,
    ),
    Quantity(
        name="sojourn_p99", label="sojourn time, 99th percentile", short="p99 sojourn", unit="ms", factor=1e3,
        better="lower", relative=True, of_run=lambda summary, _: summary.bottleneck.sojourn_p99_s,
    ),
    Quantity(
        name="random_drops", label="packets lost at random", short="random drops", unit="", factor=1.0,
        of_run=lambda summary, _: summary.bottleneck.random_lost_packets,
    ),
    Quantity(
        name="loss_events", label="loss events of the queue", short="loss events", unit="", factor=1.0, better="lower",
        of_run=lambda summary, _: summary.bottleneck.loss_events,
    ),
    Quantity(
        name="goodput_iperf3", label="goodput reported by iperf3", short="iperf3", unit="Mbit/s", factor=1e-6,
        better="higher", relative=True, of_group=lambda group: group.summary.goodput_iperf3_bps,
    ),
    Quantity(
        name="first_half", label="goodput, first half of the window", short="first half", unit="Mbit/s", factor=1e-6,
        of_group=lambda group: group.summary.goodput_first_half_bps,
    ),
    Quantity(
        name="second_half", label="goodput, second half of the window", short="second half", unit="Mbit/s",
        factor=1e-6, of_group=lambda group: group.summary.goodput_second_half_bps,
    ),
    Quantity(
        name="trend", label="trend of the goodput", short="trend", unit="", factor=1.0, limits=ANY_NUMBER,
        of_group=lambda group: group.summary.goodput_trend,
    ),
    Quantity(
        name="fct", label="completion time", short="completion", unit="s", factor=1.0, better="lower", relative=True,
        needs_all=True, of_group=_mean_completion_s, of_flow=lambda flow: flow.fct_s,
    ),
    *(
        Quantity(
            name=f"fct_p{percent}", label=f"completion time, {label}", short=f"p{percent} completion", unit="s",
            factor=1.0, better="lower", relative=True, needs_all=True,
            of_group=_percentile(f"fct_p{percent}_s", "fct_s", percent),
        )
        for percent, label in _PERCENTILES
    ),
    Quantity(
        name="slowdown", label="mean slowdown", short="slowdown", unit="", factor=1.0, better="lower", relative=True,
        needs_all=True, of_group=lambda group: _mean_of_all([flow.slowdown_mean for flow in group.flows]),
        of_flow=lambda flow: flow.slowdown_mean,
    ),
    *(
        Quantity(
            name=f"slowdown_p{percent}", label=f"slowdown, {label}", short=f"p{percent} slowdown", unit="", factor=1.0,
            better="lower", relative=True, needs_all=True,
            of_group=_percentile(f"slowdown_p{percent}", "slowdown_mean", percent),
        )
        for percent, label in _PERCENTILES
    ),
    Quantity(
        name="power", label="power", short="power", unit="", factor=1.0, better="higher",
        of_run=lambda summary, _: summary.bottleneck.power,
    ),
    Quantity(
        name="converged", label="converged", short="converged", unit="%", factor=_PERCENT,
        limits=SHARE, better="higher",
        needs_several="flows", of_run=lambda summary, _: summary.bottleneck.converged,
    ),
    Quantity(
        name="convergence", label="convergence time", short="convergence", unit="s", factor=1.0, better="lower",
        needs_several="flows", of_run=lambda summary, _: summary.bottleneck.convergence_s,
    ),
    Quantity(
        name="starved", label="starvation, worst flow", short="starved", unit="s", factor=1.0, better="lower",
        of_group=lambda group: most(flow.starved_s for flow in group.flows), of_flow=lambda flow: flow.starved_s,
    ),
    Quantity(
        name="starved_longest", label="longest starvation, worst flow", short="longest starved", unit="s", factor=1.0,
        better="lower", of_group=lambda group: most(flow.starved_longest_s for flow in group.flows),
        of_flow=lambda flow: flow.starved_longest_s,
    ),
    Quantity(
        name="late", label="mean lateness", short="late", unit="ms", factor=1e3, better="lower",
        of_group=lambda group: mean(flow.late_mean_s for flow in group.flows), of_flow=lambda flow: flow.late_mean_s,
    ),
    Quantity(
        name="late_p95", label="lateness, 95th percentile", short="p95 late", unit="ms", factor=1e3, better="lower",
        of_group=lambda group: mean(flow.late_p95_s for flow in group.flows), of_flow=lambda flow: flow.late_p95_s,
    ),
    Quantity(
        name="late_max", label="largest lateness", short="max late", unit="ms", factor=1e3, better="lower",
        of_group=lambda group: most(flow.late_max_s for flow in group.flows), of_flow=lambda flow: flow.late_max_s,
    ),
    Quantity(
        name="stalls", label="stalls", short="stalls", unit="", factor=1.0, better="lower",
        of_group=lambda group: mean(flow.stalls for flow in group.flows), of_flow=lambda flow: flow.stalls,
    ),
    Quantity(
        name="stalled", label="time stalled", short="stalled", unit="s", factor=1.0, better="lower",
        of_group=lambda group: mean(flow.stalled_s for flow in group.flows), of_flow=lambda flow: flow.stalled_s,
    ),
    Quantity(
        name="program_goodput", label="goodput reported by the program", short="program", unit="Mbit/s", factor=1e-6,
        better="higher", relative=True,
        of_group=lambda group: _total_of_all([flow.program_goodput_bps for flow in group.flows]),
        of_flow=lambda flow: flow.program_goodput_bps,
    ),
    Quantity(
        name="program_speed", label="speed of the film that the program sends", short="speed", unit="", factor=1.0,
        better="higher", of_group=lambda group: mean(flow.program_speed for flow in group.flows),
        of_flow=lambda flow: flow.program_speed,
    ),
    *(
        Quantity(
            name=name, label=f"harm in {label}", short=short, unit="%", factor=_PERCENT,
            limits=(-math.inf, 1.0), better="lower",
            needs_all=harm_in == "fct", needs_several="groups", harm_in=harm_in,
        )
        for name, label, short, harm_in in (
            ("harm", "goodput", "harm", "goodput"),
            ("harm_rtt", "mean RTT", "RTT harm", "rtt"),
            ("harm_fct", "completion time", "completion harm", "fct"),
        )
    ),
)  # fmt: skip

_BELOW: Final = re.compile(r"below\[(.+)\]")


def rate_below(name: str) -> int | None:
    """The rate, in bit/s, that a quantity of time below a rate has in its name; None of any other name.

    >>> rate_below("below[5 Mbit/s]"), rate_below("goodput"), rate_below("below[soon]")
    (5000000, None, None)
    """
    match = _BELOW.fullmatch(name)
    if match is None:
        return None
    from dumbbell.spec.quantity import QuantityError, Rate  # noqa: PLC0415 (late, as above)

    try:
        return Rate(match[1]).bps
    except QuantityError:
        return None


class _Quantities(dict[str, Quantity]):
    """Those that stand above, and `below[RATE]` of whatever rate, which is asked for by name and comes in no list."""

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (isinstance(name, str) and rate_below(name) is not None)

    def __missing__(self, name: str) -> Quantity:
        if rate_below(name) is None:
            raise KeyError(name)
        rate = name.removeprefix("below[").removesuffix("]")
        return Quantity(
            name=name, label=f"time below {rate}", short=f"below {rate}", unit="%", factor=_PERCENT, better="lower",
        )  # fmt: skip


QUANTITIES: Final = _Quantities({quantity.name: quantity for quantity in _QUANTITIES})
"""By name. A group of several flows has the mean over them of its times, and all their segments together."""


HARMS: Final = {each.name: each.harm_in for each in _QUANTITIES if each.harm_in}
"""What a group's harm is told in, by the name of the harm."""
OF_HOP: Final = {
    "utilization": QUANTITIES["utilization"],
    "loss_rate": QUANTITIES["loss"],
    "dropped_packets": QUANTITIES["drops"],
    "mark_rate": QUANTITIES["marks"],
    "sojourn_mean_s": QUANTITIES["sojourn"],
    "random_lost_packets": QUANTITIES["random_drops"],
    "queue_mean_bytes": Quantity(
        name="queue_mean", label="mean queue", short="mean queue", unit="kB", factor=1e-3, better="lower"
    ),
    "queue_p95_bytes": Quantity(
        name="queue_p95", label="queue, 95th percentile", short="p95 queue", unit="kB", factor=1e-3, better="lower"
    ),
}
"""What is shown of each queue of a path with several, by the field of its summary."""
OF_RUN: Final = tuple(each.name for each in _QUANTITIES if each.of_run)
OF_GROUP: Final = tuple(each.name for each in _QUANTITIES if each.of_group)


def run_values(summary: Summarised, setup: Setup = Setup(), names: Sequence[str] = OF_RUN) -> dict[str, float | None]:
    """What a whole run has of these quantities, by name."""
    formulas = {name: QUANTITIES[name].of_run for name in names}
    return {name: formula(summary, setup) for name, formula in formulas.items() if formula}


def group_values(summary: Summarised, names: Sequence[str] = OF_GROUP) -> dict[str, dict[str, float | None]]:
    """What each group of a run has of these quantities, by the names of both."""
    formulas = {name: formula for name in names if (formula := QUANTITIES[name].of_group)}
    return {
        group: {name: formula(part) for name, formula in formulas.items()} for group, part in groups(summary).items()
    }


def harms(contended: Mapping[str, Value], alone: Mapping[str, Value]) -> dict[str, Value]:
    """The harm to a group, from what it has of quantities beside the others and alone; None where one is not known."""
    values: dict[str, Value] = {}
    for name, of in HARMS.items():
        without, with_others = alone.get(of), contended.get(of)
        values[name] = (
            None
            if without is None or with_others is None
            else harm(without, with_others, more_is_better=QUANTITIES[of].better == "higher")
        )
    return values


def groups(summary: Summarised) -> dict[str, Group]:
    """The groups of a run with their flows, in the order of the spec."""
    members: dict[str, list[FlowSummary]] = {name: [] for name in summary.groups}
    for flow in summary.flows:
        members[flow.name].append(flow)
    return {name: Group(own, members[name]) for name, own in summary.groups.items()}
