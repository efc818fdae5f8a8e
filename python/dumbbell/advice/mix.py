"""Advice over a server's mix of paths: on how many of its connections an algorithm wins, and on how many it matters."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING, Final

from dumbbell.advice.advice import Place, Regret, lost, place, undecided, worst
from dumbbell.advice.paths import LEAST_SHARE, REASONS, Cell, Path, algorithms, cells, paths
from dumbbell.advice.question import MOST_CANDIDATES, PRESETS, Question
from dumbbell.advice.question import question as read_question
from dumbbell.advice.reading import SEEDS, Contradiction, contradiction, simulated, starts
from dumbbell.advice.ruling import Ruling, ruling, votes
from dumbbell.advice.trials import CORES, FIRST_SEEDS, LONGEST_S, PACKETS_A_SECOND, SHORTEST_S, packets_in, trials
from dumbbell.advice.validated import outside_of_validation
from dumbbell.metrics.connections import COMMAND
from dumbbell.metrics.number import counted
from dumbbell.problem import Problem, SpecError
from dumbbell.spec.frame import FRAME_BYTES
from dumbbell.units import BITS_PER_BYTE

if TYPE_CHECKING:
    from dumbbell.cc import Registry
    from dumbbell.engines.protocol import Engine
    from dumbbell.metrics.connection import Capture
    from dumbbell.results.store import Store

    Watch = Callable[[Sequence[float]], Callable[[float], None]]
    """Told how much work each cell is, it gives what is called after each with its own."""

OF_PATHS: Final = {"satellite": "rtt", "5g": "rate", "policed": "buffer"}
"""Presets that are about a path, which a capture shows instead, and by which option."""
CELLS_PER_DECADE: Final = (6.0, 5.0, 4.0, 3.0, 2.5, 2.0, 1.5, 1.0)
"""Of rate and of RTT, the finest first: the first that fits into the time is taken."""
GROWTH: Final = 0.4
"""CUBIC's C, segments a second cubed (RFC 9438)."""
PLANNED: Final = 0.6
"""Share of the time that the first seeds are planned for; more seeds and slower machines have the rest."""
PATIENCE: Final = 2.0
"""Times the time asked for that a slow machine may take before cells are left out."""
PERIODS: Final = 8.0
"""Of CUBIC's growth that a run of bulk traffic takes: shorter ones show how it starts, slow before short queues."""
RUN_S: Final = 0.01
"""What a run takes besides its packets, which one core does: reading, resolving, summarising."""
MOST_CELL_S: Final = 5.0
"""What a cell gets at most: as much as one path by itself."""
MOST: Final = 0.5
"""Of the bytes: where the model does not explain more, the capture decides nothing. Of the connections: what more run
is what runs now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """Connections over alike paths, with what comes of each queue that theirs may be."""

    question: Question
    paths: tuple[Path, ...]
    places: tuple[Place, ...]
    """The shortest queue first."""

    @property
    def connections(self) -> int:
        return len(self.paths)

    @property
    def sent_bytes(self) -> float:
        return sum(each.sent_bytes for each in self.paths)


@dataclass(frozen=True, slots=True)
class Part:
    """A share of connections or of bytes."""

    value: float
    """Where a queue is not known, each that it may be counts alike."""
    low: float
    """Counting only where it is so for each such queue."""
    high: float
    """Counting where it is so for one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A candidate over the mix, by the names that JSON has."""

    wins: Part
    """Of the connections: it is ahead of the others there, by however little. Who harms too much is not counted among
    them, where that counts for the goal."""
    matters: Part
    """It is ahead by 2 % or more, beyond chance."""
    wins_bytes: Part
    matters_bytes: Part
    retransmit_rate: float | None
    """What it would resend, of the bytes sent."""
    regret: Regret
    """What running it everywhere leaves of the best, on the worst path and in the mean over connections."""
    harm: float | None
    """The most that it takes from the others, beyond what one more of the default does."""
    harms: Part
    """Of the connections: it takes too much from the others there, whether or not that counts for the goal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mix:
    """The answer."""

    capture: Capture
    question: Question
    """With a path that stands for none; the rest holds for all."""
    bins: tuple[Bin, ...]
    """Those with the most connections first."""
    standings: Mapping[str, Standing]
    """By candidate."""
    ruling: Ruling
    """What is right on the connections that the model explains."""
    contradictions: tuple[Contradiction, ...]
    """Connections that the model does not explain. They are in no bin."""
    now: str
    """What most connections run; empty where no algorithm is most."""
    not_simulated: Mapping[str, int]
    """Connections by algorithms that the engine lacks, so that nothing tests what was read of them."""
    open: Part
    """Of the connections: the seeds do not decide."""
    silent: Mapping[str, int]
    """By reason: connections that tell nothing."""
    not_tried: int
    """For want of time."""
    outside: Counter[str]
    """By reason: connections over paths that were not validated."""
    seeds: tuple[int, int]
    """The fewest and the most."""
    runs_s: tuple[float, float]
    """The shortest and the longest run of bulk traffic."""

    @property
    def connections(self) -> int:
        """Those that the model explains."""
        return sum(each.connections for each in self.bins)

    @property
    def paths(self) -> list[Path]:
        """All that were simulated, whether or not the model explains them."""
        return [*paths_of(self.bins), *(each.path for each in self.contradictions)]

    @property
    def unexplained_bytes(self) -> float:
        """The share of the bytes that connections sent which the model does not explain."""
        return sum(each.path.sent_bytes for each in self.contradictions) / sum(each.sent_bytes for each in self.paths)

    @property
    def decides(self) -> bool:
        """Whether the capture says what is right at all."""
        return self.unexplained_bytes <= MOST and self.ruling.kind != "undecided"

    @property
    def recommendation(self) -> str:
        """A candidate; "keep": the one that most connections run; "depends"; or "undecided"."""
        if not self.decides:
            return "undecided"
        if self.ruling.kind != "one":
            return "depends"
        return "keep" if self.ruling.candidate == self.now else self.ruling.candidate


def paths_of(bins: Iterable[Bin]) -> list[Path]:
    return [path for each in bins for path in each.paths]


def resent(some: Sequence[Path]) -> float:
    """What connections resent so far, of what they sent."""
    return sum(each.resent_bytes for each in some) / sum(each.sent_bytes for each in some)


def common_question(options: Mapping[str, str | None], registry: Registry) -> Question:
    """What is asked of each path, on one that stands for all. Company that nobody names is none.

    Raises:
        SpecError: with everything that is wrong with the options, a path among them too.
    """
    written = {name: text for name, text in options.items() if text is not None}
    usual = PRESETS.get(written.get("preset", ""), {})
    problems = [
        Problem("--preset", f"{name} is about --{option}, and connections tell their paths", "leave it out")
        for name, option in OF_PATHS.items()
        if name == written.get("preset")
    ]
    try:
        company = {} if "beside" in usual else {"beside": "none"}
        question = read_question({**company, **written, "rate": "100 Mbit/s", "rtt": "40 ms"}, registry)
    except SpecError as error:
        problems += error.problems
    if problems:
        raise SpecError(problems)
    return question


def _unseen(_: Sequence[float]) -> Callable[[float], None]:
    return lambda _: None


def mix(  # noqa: PLR0913
    capture: Capture, question: Question, engine: Engine, store: Store, *, seconds: float, jobs: int | None = None,
    seeds: int | None = None, watch: Watch = _unseen,
) -> Mix:  # fmt: skip
    """Simulates the paths of a capture, alike ones once, those with the most connections first while time is left.

    With `seeds` every case has so many.

    Raises:
        SpecError: no connection tells of a path.
        EngineFailure: the engine could not finish a run.
    """
    known_paths, silent = paths(capture.connections)
    if not known_paths:
        raise SpecError([_nothing(capture, silent)])
    now = running(known_paths)
    question = _with_own(question, now, engine)
    planned, works = _planned(known_paths, question, PLANNED * seconds)
    advance = watch(works)
    bins: list[Bin] = []
    contradictions: list[Contradiction] = []
    tried_seeds, runs_s = set[int](), set[float]()
    ends, not_tried = time.monotonic() + seconds, 0
    shorter = min(1.0, PLANNED * seconds / sum(works))
    for cell, work in zip(planned, works, strict=True):
        left = ends - time.monotonic()
        own = cell.question
        if runs_s and _work_s(own, SHORTEST_S) > left + (PATIENCE - 1) * seconds:
            not_tried += cell.connections
        else:
            own = replace(own, run_s=max(SHORTEST_S, _settled_s(own) * shorter))
            budget = packets_in(min(MOST_CELL_S, seconds * work / sum(works)))
            tried = trials(own, engine, store, budget=budget, jobs=jobs, undecided=undecided, seeds=seeds)
            tried_seeds |= {len(each.run_ids) for each in tried.values()}
            runs_s.add(own.run_s)
            places = {each: place(own, tried, each, own.company[0]) for each in own.buffers_bytes}
            model = starts(cell, own, engine, store, jobs=jobs)
            for sizes, of in cell.by_queues:
                against = {id(path): contradiction(path, sizes, model) for path in of}
                contradictions += [no for no in against.values() if no]
                if fit := tuple(path for path in of if not against[id(path)]):
                    bins.append(Bin(question=own, paths=fit, places=tuple(places[size] for size in sizes)))
        advance(work)
    return answered(
        capture, question, bins, contradictions, now=now,
        not_simulated={
            cc: count for cc, count in algorithms(known_paths) if not simulated(cc, engine.algorithms())
        },
        silent=silent, not_tried=not_tried, seeds=(min(tried_seeds), max(tried_seeds)),
        runs_s=(min(runs_s), max(runs_s)),
    )  # fmt: skip


def answered(  # noqa: PLR0913 (what an answer has)
    capture: Capture, question: Question, bins: Sequence[Bin], contradictions: Sequence[Contradiction], *, now: str,
    not_simulated: Mapping[str, int], silent: Mapping[str, int], not_tried: int, seeds: tuple[int, int],
    runs_s: tuple[float, float],
) -> Mix:  # fmt: skip
    """The answer, of the bins that the model explains and of the connections that it does not."""
    standings = {candidate: standing(bins, candidate) for candidate in question.candidates} if bins else {}
    outside = Counter[str]()
    for each in bins:
        buffers = tuple(where.buffer_bytes for where in each.places)
        if why := outside_of_validation(replace(each.question, buffers_bytes=buffers)):
            outside[why] += each.connections
    every = list(votes((each.question, each.places, each.connections) for each in bins))
    return Mix(
        capture=capture, question=question, bins=tuple(sorted(bins, key=lambda each: -each.connections)),
        standings=standings,
        ruling=ruling(
            every, question.candidates, question.default, {name: each.regret.mean for name, each in standings.items()}
        ),
        contradictions=tuple(contradictions), now=now, not_simulated=not_simulated,
        open=part(bins, lambda where: where.verdict == "open"), silent=silent, not_tried=not_tried, outside=outside,
        seeds=seeds, runs_s=runs_s,
    )  # fmt: skip


def running(known_paths: Sequence[Path]) -> str:
    """The algorithm that most of these connections run; empty where no one is most."""
    counts = Counter(each.cc for each in known_paths)
    return next((cc for cc, count in counts.items() if count > MOST * len(known_paths)), "")


def _with_own(question: Question, now: str, engine: Engine) -> Question:
    """With what runs now among the candidates: somebody who changes it should know its numbers."""
    candidates = tuple(dict.fromkeys([*question.candidates, now]))
    if now not in question.candidates and (
        len(candidates) > MOST_CANDIDATES or not simulated(now, engine.algorithms())
    ):
        return question
    return replace(question, candidates=candidates, now=now)


def part(bins: Sequence[Bin], holds: Callable[[Place], bool], of: str = "connections") -> Part:
    """The share of all connections, or of their `sent_bytes`, with paths where something holds."""
    total = value = low = high = 0.0
    for each in bins:
        weight, true = getattr(each, of), [holds(where) for where in each.places]
        total += weight
        value += weight * fmean(true)
        low += weight * all(true)
        high += weight * any(true)
    return Part(value / total, low / total, high / total) if total else Part(0.0, 0.0, 0.0)


def _nothing(capture: Capture, silent: Mapping[str, int]) -> Problem:
    if not capture.connections:
        message = (
            f"has {counted(capture.other_sockets, 'socket')} of TCP, and none with data: they listen, open or close"
        )
    else:
        parts = [
            f"{count:,}: {REASONS[name].text}" for name, count in sorted(silent.items(), key=lambda each: -each[1])
        ]
        message = (
            f"has {counted(len(capture.connections), 'connection')}, and none tells of a path ({'; '.join(parts)})"
        )
    return Problem(capture.name, message, COMMAND)


def _planned(known_paths: Sequence[Path], question: Question, seconds: float) -> tuple[list[Cell], list[float]]:
    """The finest cells of which runs of their length fit into the time, and how many seconds each takes then."""
    for per_decade in CELLS_PER_DECADE:
        planned = cells(known_paths, per_decade, question)
        works = [_work_s(each.question, _settled_s(each.question)) for each in planned]
        if sum(works) <= seconds:
            break
    return planned, works


def _work_s(question: Question, run_s: float) -> float:
    """How long the first seeds take on a path, roughly, on a small machine."""
    of_starts = 2 * SEEDS  # each half as long as the one before, mostly of one algorithm
    runs = (FIRST_SEEDS * len(question.candidates) + of_starts) * len(question.buffers_bytes)
    packets = question.rate_bps / BITS_PER_BYTE / FRAME_BYTES * run_s
    return runs * (packets / PACKETS_A_SECOND / CORES + RUN_S)


def _settled_s(question: Question) -> float:
    """How long a run should be for its window to show what goes on: in periods of CUBIC's K (RFC 9438, equation 2)."""
    segments = question.bdp_bytes / FRAME_BYTES
    period_s: float = (segments * (1 - LEAST_SHARE["cubic"]) / GROWTH) ** (1 / 3)
    return min(LONGEST_S, max(SHORTEST_S, float(PERIODS * period_s)))


def standing(bins: Sequence[Bin], candidate: str) -> Standing:
    """A candidate over some of the paths."""
    losses = [lost(each.question, each.places, candidate) for each in bins]
    rates = [(each.sent_bytes, [where.of(candidate).retransmit_rate for where in each.places]) for each in bins]
    known = [(weight, fmean(own)) for weight, of in rates if (own := [share.value for share in of if share])]

    def wins(where: Place) -> bool:
        return where.leader == candidate

    def matters(where: Place) -> bool:
        return wins(where) and where.verdict == "ahead"

    harm = worst(where.of(candidate).harm for each in bins for where in each.places)
    return Standing(
        wins=part(bins, wins), matters=part(bins, matters), wins_bytes=part(bins, wins, "sent_bytes"),
        matters_bytes=part(bins, matters, "sent_bytes"),
        retransmit_rate=fmean([share for _, share in known], [weight for weight, _ in known]) if known else None,
        regret=Regret(
            max(each.most for each in losses),
            fmean([each.mean for each in losses], [each.connections for each in bins]),
        ),
        harm=harm.value if harm else None, harms=part(bins, lambda where: candidate in where.harmful),
    )  # fmt: skip
