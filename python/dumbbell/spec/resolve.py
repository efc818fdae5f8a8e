"""From a point and a seed to a run: text becomes integers, groups become flows, defaults become values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import dumbbell.cc as cc
import dumbbell.spec.arrivals as arrivals
import dumbbell.spec.chance as chance
import dumbbell.spec.derived as derived
import dumbbell.spec.run as run
import dumbbell.spec.tables as tables
from dumbbell.problem import SpecError
from dumbbell.spec.names import flow_names
from dumbbell.spec.rules import point_problems
from dumbbell.spec.section import scalar
from dumbbell.spec.sweep import Point


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

    def base_rtts_ns(self, seed: int | None = None) -> list[int]:
        """Each flow's base round-trip time as another seed draws it; of None, without what is drawn."""

        def drawn_ns(seed: int | None, name: str) -> int:
            return 0 if seed is None else rtt_offset_ns(seed, name, self.rtt_spread_ns)

        return [
            flow.base_rtt_ns - drawn_ns(self.run.seed, flow.name) + drawn_ns(seed, flow.name) for flow in self.run.flows
        ]


def resolve(point: Point, seed: int, *, live: bool = False, checked: bool = False) -> Resolved:
    """Resolve one point with one seed; `live`: for an engine of real hosts, whose noise is theirs unless it is written.

    `checked`: somebody resolved it before, as where it was measured. Raises `SpecError` where a point of a sweep too
    large to be checked in advance makes no sense.
    """
    experiment = point.experiment
    problems = [] if checked else list(point_problems(experiment))
    if problems:
        raise SpecError(problems)
    flows: list[run.Flow] = []
    groups: list[str] = []
    ccs: list[str] = []
    active = derived.active_groups(experiment)
    for place, (group, names) in enumerate(zip(experiment.flows, flow_names(experiment.flows), strict=True)):
        if place not in active:
            continue
        flows += _flows(experiment, place, names, seed)
        groups += [names[0]] * len(names)
        ccs += [scalar(group.cc)] * len(names)
    resolved = run.Run(
        seed=seed,
        duration_ns=derived.end_ns(experiment),
        until_done=scalar(experiment.duration).until_done,
        path=_path(experiment.path),
        flows=tuple(flows),
        host=_host(experiment.host),
        measure=_measure(experiment),
    )
    bdp_bytes = float(derived.bdp_bytes(experiment.path))
    found = Resolved(
        run=resolved,
        groups=tuple(groups),
        ccs=tuple(ccs),
        bdp_bytes=bdp_bytes,
        start_jitter_ns=scalar(experiment.start_jitter).ns,
        rtt_spread_ns=scalar(experiment.rtt_spread).ns,
    )
    return on_hosts(found, point) if live else found


def on_hosts(resolved: Resolved, point: Point) -> Resolved:
    """Give the same for an engine of real hosts: their noise is their own unless the point has it written."""
    if "jitter" in dict(point.experiment.path.written()):
        return resolved
    path = resolved.run.path.model_copy(update={"jitter_ns": None})
    return replace(resolved, run=resolved.run.model_copy(update={"path": path}))


def start_jitter_ns(seed: int, flow: str, jitter_ns: int) -> int:
    """Give a flow's own part of the start jitter, uniform below `jitter_ns`.

    >>> start_jitter_ns(1, "bbr", 100_000_000) < 100_000_000
    True
    """
    return chance.below("start_jitter", seed, flow, jitter_ns)


def rtt_offset_ns(seed: int, flow: str, spread_ns: int) -> int:
    """Give what a flow's base round-trip time is longer by, uniform below `spread_ns`.

    >>> rtt_offset_ns(1, "bbr", 1_000_000) < 1_000_000
    True
    """
    return chance.below("rtt_spread", seed, flow, spread_ns)


def _flows(experiment: tables.Spec, number: int, names: list[str], seed: int) -> Iterator[run.Flow]:
    group = experiment.flows[number]
    choice = cc.choose(scalar(group.cc), experiment.registry)
    controller = run.Controller(algorithm=choice.algorithm, parameters=dict(choice.parameters))
    start_ns, stagger_ns, jitter_ns = (
        scalar(group.start).ns,
        scalar(group.stagger).ns,
        scalar(experiment.start_jitter).ns,
    )
    stop_ns = None if group.stop is None else scalar(group.stop).ns
    stop_ns = None if stop_ns == derived.end_ns(experiment) else stop_ns
    rtt_ns = scalar(experiment.path.rtt if group.rtt is None else group.rtt).ns
    side: Literal["return", "forward", "split"] = scalar(experiment.path.delay_side)
    spread_ns = scalar(experiment.rtt_spread).ns
    workload, access = _workload(experiment, number, seed), _access(experiment.path, group)
    for index, name in enumerate(names):
        own_rtt_ns = rtt_ns + rtt_offset_ns(seed, name, spread_ns)
        forward_ns = {"return": 0, "forward": own_rtt_ns, "split": own_rtt_ns // 2}[side]
        yield run.Flow(
            name=name,
            cc=controller,
            start_ns=start_ns + index * stagger_ns + start_jitter_ns(seed, name, jitter_ns),
            stop_ns=stop_ns,
            workload=workload,
            forward_delay_ns=forward_ns,
            return_delay_ns=own_rtt_ns - forward_ns,
            access=access,
        )


def _path(path: tables.Path) -> run.Path:
    return run.Path(
        rate_bps=scalar(path.rate).bps,
        buffer=derived.buffer_limit(scalar(path.buffer), path, scalar(path.rate)),
        burst_bytes=scalar(path.burst).bytes,
        shaper=scalar(path.shaper),
        shaper_at=scalar(path.shaper_at),
        jitter_ns=derived.jitter_ns(path),
        loss_ppb=scalar(path.loss).ppb,
        loss_at=scalar(path.loss_at),
        mtu_bytes=scalar(path.mtu),
        offload=scalar(path.offload),
        changes=tuple(run.Change(at_ns=scalar(c.at).ns, rate_bps=scalar(c.rate).bps) for c in path.change),
    )


def _workload(experiment: tables.Spec, number: int, seed: int) -> run.Workload:
    workload = scalar(experiment.flows[number].workload)
    if isinstance(workload, tables.Transfer):
        return run.TransferWorkload(transfer=run.Transfer(bytes=scalar(workload.transfer).bytes))
    if isinstance(workload, tables.Stream):
        rate_bps, for_ns, every_ns = scalar(workload.stream).bps, scalar(workload.for_).ns, scalar(workload.every).ns
        return run.StreamWorkload(stream=run.Stream(rate_bps=rate_bps, for_ns=for_ns, every_ns=every_ns))
    if isinstance(workload, tables.Trace):
        return run.TraceWorkload(trace=experiment.file(run.Trace, scalar(workload.trace)))
    if isinstance(workload, tables.ShortFlows):
        return run.ArrivalsWorkload(arrivals=run.Arrivals(arrivals=_arrivals(experiment, number, workload, seed)))
    if isinstance(workload, tables.Command):
        server = () if workload.server is None else scalar(workload.server)
        program = run.Command(command=scalar(workload.command), server=server, user=scalar(workload.user))
        return run.CommandWorkload(command=program)
    return "bulk"


def _arrivals(
    experiment: tables.Spec, number: int, source: tables.ShortFlows, seed: int
) -> tuple[arrivals.Arrival, ...]:
    """Draw a source's transfers; under its name or, of a table without one, its place, so that cc changes nothing."""
    group = experiment.flows[number]
    drawn_for = arrivals.Source(
        seed=seed,
        name=f"flows[{number}]" if group.name is None else scalar(group.name),
        end_ns=derived.arriving_ns(experiment, group),
        most=None if source.arrivals.count is None else scalar(source.arrivals.count),
    )
    sizes, per_s = derived.sizes_of(experiment, source), derived.arrivals_per_s(experiment, source)
    if source.arrivals.trace is not None:
        trace = experiment.file(arrivals.ArrivalTimes, scalar(source.arrivals.trace))
        return arrivals.listed(drawn_for, trace, sizes)
    if sizes is None or per_s is None:
        raise AssertionError("the rules saw neither a trace nor times and sizes")
    return arrivals.poisson(drawn_for, per_s, sizes)


def _access(path: tables.Path, group: tables.Flow) -> run.Access | None:
    if group.access is None:
        return None
    access = scalar(group.access)
    return run.Access(
        rate_bps=scalar(access.rate).bps,
        buffer=derived.buffer_limit(scalar(access.buffer), path, scalar(access.rate)),
        kind=scalar(access.kind),
    )


def _host(host: tables.Host) -> run.Host:
    memory = scalar(host.socket_memory)
    return run.Host(
        socket_memory=memory.keyword or run.MemoryBytes(bytes=memory.bytes),
        receive_window_bytes=None if host.receive_window is None else scalar(host.receive_window).bytes,
        initial_window_segments=scalar(host.initial_window),
        qdisc=scalar(host.qdisc),
        sack_compression=scalar(host.sack_compression),
        gro=scalar(host.gro),
        ack_aggregation_ns=scalar(host.ack_aggregation).ns,
    )


def _measure(experiment: tables.Spec) -> run.Measure:
    begin_ns, end_ns = derived.window_ns(experiment)
    measure = experiment.measure
    return run.Measure(
        window_begin_ns=begin_ns,
        window_end_ns=end_ns,
        sample_ns=scalar(measure.sample).ns,
        record=scalar(measure.record),
        ss_ns=None if measure.ss is None else scalar(measure.ss).ns,
    )
