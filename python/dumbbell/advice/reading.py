"""Whether a connection fits what was read of it: its own algorithm on its path, against what it resent and its rate.

A connection that contradicts its own reading has another path, about which the answer says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from statistics import fmean
from typing import TYPE_CHECKING, Final

from dumbbell.advice.paths import HEADERS_BYTES
from dumbbell.advice.question import ALONE, Job
from dumbbell.advice.trials import ME, experiment
from dumbbell.campaign.until import run_until
from dumbbell.cc import choose
from dumbbell.errors import EngineFailure
from dumbbell.problem import SpecError
from dumbbell.spec import load
from dumbbell.spec.frame import FRAME_BYTES
from dumbbell.spec.quantity import Rate, Time
from dumbbell.units import BITS_PER_BYTE, NS_PER_S

if TYPE_CHECKING:
    from dumbbell.advice.paths import Cell, Path
    from dumbbell.advice.question import Question
    from dumbbell.cc import Registry
    from dumbbell.engines.protocol import Engine
    from dumbbell.results.store import Store

FACTOR: Final = 3.0
"""Between a connection and the model from which on it does not fit: the model itself is much nearer to the kernel
(docs/validation.md)."""
LEAST_SEGMENTS: Final = 3.0
"""Of what a connection sent, which count as nothing: who sees none of n cannot exclude a share of 3/n with 95 % (the
rule of three)."""
SEEDS: Final = 2
HALVINGS: Final = 6
"""How often the longest run is halved, for connections that sent less."""
LEAST_ROUND_TRIPS: Final = 40
"""Of a run, which begins within ten (`trials.experiment`)."""
ENDLESS: Final = Job(kind="transfer", size_bytes=10**15)
"""A file of which no run sees the end: what is lost in the start counts, as `ss` counts it."""
WITH_HEADERS: Final = FRAME_BYTES / (FRAME_BYTES - HEADERS_BYTES)
CAUSES: Final[Mapping[str, str]] = {
    "reordering": "packets out of order or twice, or a rate that such losses do not leave",
    "random loss": f"resent over {FACTOR:g} times as much",
    "neighbours": f"resent, or carried in the mean, over {FACTOR:g} times less: neighbours, or another limit",
}
"""What may be behind a connection that the model does not explain, and how that shows, by the names that JSON has."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A connection that the model does not explain."""

    path: Path
    simulated: tuple[float, float] | None
    """The least and the most that its algorithm resends on its path, whatever the queue may be; None: not simulated."""
    causes: tuple[str, ...]
    """Of `CAUSES`, the surest first."""


@dataclass(frozen=True, slots=True)
class Starts:
    """What algorithms do on a path from their first byte on, by the length of the run."""

    question: Question
    lengths_s: Sequence[float]
    """Of all runs that there may be, the longest first."""
    came: Mapping[tuple[str, int, float], tuple[float, float]]
    """Of an algorithm before a queue in so many seconds: the share that it resends, and that of the line it carries."""

    def resent(self, path: Path, buffer_bytes: int) -> tuple[float, float]:
        """The least and the most that a connection like that resends, as a share of what it sends.

        One that sent for longer than the longest run loses as in its second half from there on; one that sent for less
        than the shortest may not have lost yet.
        """
        own = [(each, self.came[path.cc, buffer_bytes, each][0]) for each in steps(self.lengths_s, sending_s(path))]
        (longer_s, share), *rest = own
        if sending_s(path) < self.lengths_s[-1]:
            return 0.0, share
        for shorter_s, before in rest:
            if sending_s(path) < longer_s:
                return min(share, before), max(share, before)
            goes_on = max(0.0, (share * longer_s - before * shorter_s) / (longer_s - shorter_s))
            share = goes_on + (share - goes_on) * longer_s / sending_s(path)
        return share, share

    def carried(self, path: Path, buffer_bytes: int) -> float:
        """The share of the line's rate that it has, in the mean over its life."""
        return self.came[path.cc, buffer_bytes, steps(self.lengths_s, sending_s(path))[-1]][1]


def sending_s(path: Path) -> float:
    """How long the line takes for what a connection sent."""
    return BITS_PER_BYTE * path.sent_bytes * WITH_HEADERS / path.rate_bps


def lengths(longest_s: float, rtt_s: float) -> tuple[float, ...]:
    """Of runs: each half of the one before."""
    halves = [longest_s / 2**halved for halved in range(HALVINGS + 1)]
    return (longest_s, *(each for each in halves[1:] if each >= LEAST_ROUND_TRIPS * rtt_s))


def steps(lengths_s: Sequence[float], time_s: float) -> tuple[float, ...]:
    """The lengths between which a time is, the longer one first; of one beyond them the nearest."""
    if time_s < lengths_s[-1]:
        return (lengths_s[-1],)
    above = [nth for nth, each in enumerate(lengths_s) if each > time_s]
    first = above[-1] if above else 0
    return tuple(lengths_s[first : first + 2])


def simulated(cc: str, registry: Registry) -> bool:
    """Whether an engine has the algorithm that a connection runs."""
    try:
        choose(cc, registry)
    except SpecError:
        return False
    return True


def starts(cell: Cell, question: Question, engine: Engine, store: Store, *, jobs: int | None = None) -> Starts:
    """Runs what the connections of a cell run, as long as they sent.

    Raises:
        EngineFailure: the engine could not finish a run.
    """
    every = lengths(question.run_s, question.rtt_ns / NS_PER_S)
    own = [path for path in cell.paths if simulated(path.cc, engine.algorithms())]
    needed = sorted({each for path in own for each in steps(every, sending_s(path))})
    if not own:
        return Starts(question, every, {})
    ccs = tuple(sorted({path.cc for path in own}))
    alone = replace(question, candidates=ccs, company=(ALONE,), job=ENDLESS, goal="goodput")
    one_campaign = load(
        experiment(alone, ALONE, "together"),
        overrides={
            "name": f"start {Rate.show(question.rate_bps)} {Time.show(question.rtt_ns)}", "seeds": SEEDS,
            "duration": [Time.show(round(each * NS_PER_S)) for each in needed], "measure.window": ["0 %", "100 %"],
        },
    )  # fmt: skip
    (points,) = run_until(
        store, [one_campaign], engine, lambda _: [()], first=SEEDS, names=("retransmits", "goodput"), jobs=jobs
    )
    came = {}
    for point, (buffer, cc, length_s) in zip(points, product(question.buffers_bytes, ccs, needed), strict=True):
        for error in point.errors.values():
            raise EngineFailure(error, engine.name)
        resent, goodput_bps = (fmean(point.known(name, ME) or [0.0]) for name in ("retransmits", "goodput"))
        came[cc, buffer, length_s] = resent, goodput_bps * WITH_HEADERS / question.rate_bps
    return Starts(question, every, came)


def contradiction(path: Path, buffers_bytes: Sequence[int], model: Starts) -> Contradiction | None:
    """How a connection contradicts what was read of it, with any of the queues that it may have; None: it fits."""
    known = [each for each in buffers_bytes if any(key[:2] == (path.cc, each) for key in model.came)]
    both = [model.resent(path, each) for each in known]
    between = (min(low for low, _ in both), max(high for _, high in both)) if both else None
    causes = ["reordering"] if path.reordered else []
    if between:
        causes += _misfits(path, between, [model.carried(path, each) for each in known], model)
    return Contradiction(path, between, tuple(dict.fromkeys(causes))) if causes else None


def _misfits(path: Path, between: tuple[float, float], carried: Sequence[float], model: Starts) -> Iterator[str]:
    """By how much it is off, and by how much its path is off the one that stands for it, which counts for it."""
    question, shortest_s = model.question, model.lengths_s[-1]
    apart = [path.rate_bps / question.rate_bps, path.rtt_s * NS_PER_S / question.rtt_ns]
    factor = FACTOR
    for each in apart:
        factor *= max(each, 1 / each)
    least = LEAST_SEGMENTS * path.segment_bytes / path.sent_bytes
    if path.resent_share > factor * between[1] + least:
        yield "random loss"
    elif not path.at_least and between[0] > factor * path.resent_share + least:
        yield "neighbours"
    if path.mean_bps and not path.at_least and sending_s(path) >= shortest_s:
        share = path.mean_bps / path.rate_bps
        if share * FACTOR < min(carried):
            yield "neighbours"
        elif share > FACTOR * max(carried):
            yield "reordering"
