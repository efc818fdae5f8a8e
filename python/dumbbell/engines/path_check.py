"""Whether the path that an engine builds is the one that was asked for, as packet trains see it.

The agent tells what it saw; what is right is said here. No congestion control is involved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from msgspec import structs

from dumbbell.engines.protocol import Engine
from dumbbell.spec.flow import Controller, Flow
from dumbbell.spec.line import CLEAR
from dumbbell.spec.quantity import Rate, Share, Time
from dumbbell.spec.queue import FIFO
from dumbbell.spec.run import Measure, Run
from dumbbell.units import NS_PER_S, PPB

RATE_TOLERANCE = 0.005
RATE_TOLERANCE_NS = 512
"""Both ends of a train are told to a step of the clock of 256 ns, which counts where a short queue lets few frames
through."""
RTT_TOLERANCE = 0.01
RTT_TOLERANCE_NS = 200_000
QUEUE_TOLERANCE = 0.01
"""Beside one frame."""
LOSS_CONFIDENCE = 0.999
_DURATION_NS = 60 * NS_PER_S
"""A probe has no duration; a run needs one."""
_SEEDS = (1, 2)
"""Random loss that looks wrong is looked at again with another seed: one path in a thousand would by chance."""
_LIVE_SEEDS = (1, 2, 3)
"""In real time so is all else: whatever else the machine does passes, and a path that is wrong stays so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PathReport:
    """A path as packet trains saw it: `PathReport` of `crates/agent/src/job.rs`."""

    rate_bps: int
    rtt_ns: tuple[int, ...]
    """For each flow."""
    queue_bytes: int
    queue_packets: int
    spaced_packets: int
    """Frames that only random loss could take."""
    lost_packets: int
    """Of these."""
    reordered_packets: int


@runtime_checkable
class ProbingEngine(Engine, Protocol):
    """An engine that can look at the paths it builds."""

    def probe(self, run: Run) -> PathReport:
        """Sends packet trains through a run's path.

        Raises:
            EngineFailure: as with `measure`.
        """


@runtime_checkable
class CarryingEngine(Engine, Protocol):
    """An engine of hosts with lines of their own, which may be slower than the line of a path."""

    def shortfalls(self, path: Run) -> tuple[str, ...]:
        """Where they do not carry a path as it asks; takes some seconds.

        Raises:
            EngineFailure: as with `measure`.
        """


@dataclass(frozen=True, slots=True)
class Checked:
    """A path that was probed, and where it is not as asked."""

    run: Run
    """The path, with a flow for each way through it."""
    deviations: tuple[str, ...]
    """Each says what was asked and what was seen; none where the path is right."""

    @property
    def requested(self) -> str:
        """Rate, round-trip times, buffer and loss that were asked for, as text."""
        path = self.run.path
        rtts_ns = sorted({flow.base_rtt_ns for flow in self.run.flows})
        loss = f", loss {Share.show(path.loss_ppb)}" if path.loss_ppb else ""
        return f"{Rate.show(path.rate_bps)}, {', '.join(map(Time.show, rtts_ns))}, {path.buffer}{loss}"


def check_paths(engine: Engine, runs: Iterable[Run]) -> Iterator[Checked]:
    """Looks at each distinct path of some runs, several at once, and yields what was found in the order of the runs.

    Nothing comes of an engine that builds no path, nor of a path of several queues: a train would tell them together.
    Nor of a line that was recorded, whose rate is another one at each instant, nor of a policer, which has no queue.
    Hosts with lines of their own are looked at once for each rate, on the shortest of its paths.

    Raises:
        EngineFailure: a path could not be looked at.
    """
    if not isinstance(engine, ProbingEngine | CarryingEngine):
        return
    paths = list({run.canonical(): run for run in map(path_of, filter(_is_seen, runs))}.values())
    if isinstance(engine, CarryingEngine):
        shortest = sorted(paths, key=lambda run: max(flow.base_rtt_ns for flow in run.flows))
        first = {run.path.rate_bps: run for run in reversed(shortest)}
        seen = {rate_bps: engine.shortfalls(run) for rate_bps, run in first.items()}
        yield from (Checked(run, seen[run.path.rate_bps]) for run in paths)
        return
    pool = ThreadPoolExecutor(max(1, engine.slots()), thread_name_prefix="probe")
    try:
        yield from pool.map(lambda run: check_path(engine, run), paths)
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        engine.stop()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _is_seen(run: Run) -> bool:
    return len(run.path.queues) == 1 and run.path.trace is None and run.path.shaper != "police"


def check_path(engine: ProbingEngine, run: Run) -> Checked:
    """Looks at the path of a run."""
    for seed in _LIVE_SEEDS if engine.live else _SEEDS:
        seeded_run = structs.replace(run, seed=seed)
        checked = Checked(run, tuple(deviations(seeded_run, engine.probe(seeded_run))))
        by_chance = engine.live or all(each.startswith("path.loss:") for each in checked.deviations)
        if not checked.deviations or not by_chance:
            break
    return checked


def path_of(run: Run) -> Run:
    """The path of a run: its first state, with a flow for each way through it, whatever they send and for how long.

    What belongs to the hosts is left out: behind an access line as slow as the bottleneck no train could fill the
    bottleneck's queue, fq holds a hundred packets of a train, and timing noise and lumps are no part of a delay.
    So are what manages the queue, which would drop frames of a train that fit, and what the line does to packets.
    """
    ways = dict.fromkeys((flow.forward_delay_ns, flow.return_delay_ns) for flow in run.flows)
    flows = tuple(
        Flow(
            name=f"way-{number}",
            cc=Controller(algorithm="reno", parameters={}),
            start_ns=0,
            stop_ns=None,
            workload="bulk",
            forward_delay_ns=forward_ns,
            return_delay_ns=return_ns,
            access=None,
        )
        for number, (forward_ns, return_ns) in enumerate(ways, start=1)
    )
    return Run(
        seed=_SEEDS[0],
        duration_ns=_DURATION_NS,
        until_done=False,
        path=structs.replace(run.path, changes=(), jitter_ns=0, qdisc=FIFO, impairments=CLEAR),
        flows=flows,
        host=structs.replace(run.host, qdisc="none", gro=False, ack_aggregation_ns=0),
        measure=Measure(window_begin_ns=0, window_end_ns=_DURATION_NS, sample_ns=_DURATION_NS, record="summary"),
    )


def deviations(run: Run, report: PathReport) -> Iterator[str]:
    """Everything about a path that is not as the run asks: the field, what was asked, what was seen."""
    requested_bps = run.path.rate_bps
    train_ns = max(report.queue_packets, 1) * run.path.frame_bytes * 8 * NS_PER_S / requested_bps
    if abs(report.rate_bps / requested_bps - 1) > max(RATE_TOLERANCE, RATE_TOLERANCE_NS / train_ns):
        yield f"path.rate: asked for {Rate.show(requested_bps)}, saw {Rate.show(report.rate_bps, digits=6)}"
    yield from _of_rtt(run, report)
    yield from _of_the_queue(run, report)
    yield from _of_loss(run, report)
    if report.reordered_packets:
        yield f"path: asked for no reordering, saw {report.reordered_packets} packets out of order"


def _of_rtt(run: Run, report: PathReport) -> Iterator[str]:
    if len(report.rtt_ns) != len(run.flows):
        yield f"path.rtt: asked for that of {len(run.flows)} flows, saw {len(report.rtt_ns)}"
    for flow, seen in zip(run.flows, report.rtt_ns, strict=False):
        requested_ns = flow.base_rtt_ns
        if abs(seen - requested_ns) > RTT_TOLERANCE * requested_ns + RTT_TOLERANCE_NS:
            yield f"path.rtt: asked for {Time.show(requested_ns)}, saw {Time.show(seen, digits=6)} ({flow.name})"


def _of_the_queue(run: Run, report: PathReport) -> Iterator[str]:
    requested, unit = run.path.buffer.count
    seen, frame = (report.queue_bytes, run.path.frame_bytes) if unit == "B" else (report.queue_packets, 1)
    if abs(seen - requested) > frame + QUEUE_TOLERANCE * requested:
        yield f"path.buffer: asked for {requested} {unit}, saw {seen} {unit}"


def _of_loss(run: Run, report: PathReport) -> Iterator[str]:
    requested = run.path.loss_ppb / PPB
    if not report.spaced_packets:
        yield "path.loss: no packet was sent to see it"
    elif not plausible(report.lost_packets, report.spaced_packets, requested):
        seen = Share.show(PPB * report.lost_packets / report.spaced_packets, digits=3)
        yield f"path.loss: asked for {Share.show(run.path.loss_ppb)}, saw {seen} of {report.spaced_packets} packets"


def plausible(lost: int, sent: int, probability: float) -> bool:
    """Whether so many losses are within the exact binomial interval.

    >>> plausible(100, 10_000, 0.01), plausible(150, 10_000, 0.01), plausible(1, 10_000, 0)
    (True, False, False)
    """
    if probability <= 0:
        return lost == 0
    from scipy.special import bdtr, bdtrc  # noqa: PLC0415 (late: only a path with random loss needs it)

    tail = bdtrc(lost - 1, sent, probability) if lost > sent * probability else bdtr(lost, sent, probability)
    return bool(tail > (1 - LOSS_CONFIDENCE) / 2)
