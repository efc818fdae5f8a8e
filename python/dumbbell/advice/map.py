"""Maps of advice: what the best candidate gains over the default in every cell, which is right there, whom it harms."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import log
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from pydantic import Field

from dumbbell.advice.advice import Verdict, place, score, score_name, undecided
from dumbbell.advice.outcome import MOST_HARM
from dumbbell.advice.question import (
    ALONE,
    DEFAULT,
    LEAST_QUEUE_BYTES,
    UNKNOWN_BUFFERS_BDP,
    UNKNOWN_COMPANY,
    Question,
    neighbours,
)
from dumbbell.advice.trials import Case, Trials, first_runs, given_s, packets_in, trials
from dumbbell.comparison.record import Number, Part
from dumbbell.metrics.contrast import MATTERS
from dumbbell.metrics.number import trimmed
from dumbbell.metrics.sharing import gain
from dumbbell.spec.quantity import Bytes, Rate
from dumbbell.units import NS_PER_S

if TYPE_CHECKING:
    from dumbbell.advice.outcome import Interval
    from dumbbell.engines.protocol import Engine
    from dumbbell.results.store import Store

Axis: TypeAlias = Literal["queue", "rtt", "company", "rate"]
NEIGHBOURS: Final = (1, 2, 5, 10)
"""How many there are, in the rows of a path's map, beside nobody and all that switch too."""
BUFFERS_BDP: Final = (0.05, *UNKNOWN_BUFFERS_BDP, 10.0)
"""Queues of a path's map: those that advice tries, and one beyond either end."""
NEAR: Final = 1.1
"""A queue that is no farther from another, as a ratio, has its column."""


class Cell(Part):
    """A queue of a path in some company: how the best candidate besides the default does there."""

    rate_bps: int
    rtt_s: Number
    queue: str
    """As the map names it: the nominal BDP where it is one of those that are tried, else its size."""
    buffer_bytes: int
    buffer_bdp: Number
    loaded_rtt_s: Number
    """Base RTT and the full queue."""
    company: str
    neighbours: int
    neighbours_run: str | None
    """Null: nobody is there, or they run what is tried."""
    switch: bool
    """The others run what is tried."""
    asked: bool
    """The question was about this queue in this company."""
    candidate: str
    gain: Number | None
    """Its score over the default's, less 1, of the right one unless that is the default; null: the default has none."""
    best: str
    """What is right there."""
    verdict: Verdict
    harm: Number | None
    """What the others lose beside it, of what they have beside one flow more of the default; null: there are none."""
    resent: Number | None
    """Of what it sends."""
    default_resent: Number | None
    seeds: int

    @property
    def right(self) -> str:
        """Which one is, for its gain or since the other harms; "" where it does not matter, "?" where it is open."""
        if self.verdict == "open":
            return "?"
        return "" if self.verdict == "no matter" and abs(self.gain or 0.0) < MATTERS else self.best

    @property
    def harms(self) -> bool:
        """It takes too much from the others."""
        return (self.harm or 0.0) > MOST_HARM


class Map(Part):
    """Cells over two axes, and panels of what else varies."""

    schema_version: Literal[1] = Field(default=1, alias="schema")
    job: str
    goal: str
    default: str
    """What gains are over."""
    score: str
    """What gains are of: the more the better."""
    loss: Number
    x: Axis
    y: Axis
    by_goodput: bool
    """The score is goodput: what hosts measured can be held against it."""
    runs: int
    engine: str
    cells: tuple[Cell, ...]

    @property
    def panels(self) -> dict[str, list[Cell]]:
        """The cells of each panel, by its title: what neither axis says."""
        cells_by_title: dict[str, list[Cell]] = {}
        rest = [axis for axis in ("queue", "company") if axis not in (self.x, self.y)]
        for cell in self.cells:
            labels = [f"queue of {cell.queue}" if axis == "queue" else cell.company for axis in rest]
            cells_by_title.setdefault(", ".join(labels), []).append(cell)
        return cells_by_title

    @property
    def columns(self) -> list[str]:
        """What the columns are called, in order."""
        return self._positions(self.x)

    @property
    def rows(self) -> list[str]:
        """What the rows are called, the lowest first."""
        return self._positions(self.y)

    def _positions(self, axis: Axis) -> list[str]:
        """Everywhere on an axis; company in the order in which it was tried."""
        keys = {"queue": "buffer_bdp", "rtt": "rtt_s", "rate": "rate_bps"}
        cells = sorted(self.cells, key=lambda each: getattr(each, keys[axis])) if axis in keys else self.cells
        return list(dict.fromkeys(position(cell, axis) for cell in cells))


def position(cell: Cell, axis: Axis) -> str:
    """Where a cell lies on an axis, as the axis names it."""
    if axis == "queue":
        return cell.queue
    if axis == "company":
        return cell.company
    return Rate.show(cell.rate_bps) if axis == "rate" else trimmed(1e3 * cell.rtt_s, " ms")


def around(question: Question) -> Question:
    """A path's question over the whole map, its own queues and company among the others.

    Company is nobody, the more neighbours the higher, and all that switch too.
    """
    sizes = [size for each in BUFFERS_BDP if (size := round(each * question.bdp_bytes)) >= LEAST_QUEUE_BYTES]
    own = question.buffers_bytes
    rest = [size for size in sizes if not any(1 / NEAR < size / each < NEAR for each in own)]
    cc = next((each.cc for each in question.company if each.cc), DEFAULT)
    counts = sorted({*NEIGHBOURS, *(each.flows for each in question.company if each.cc)})
    company = (ALONE, *(neighbours(cc, count) for count in counts), UNKNOWN_COMPANY[-1])
    return replace(question, buffers_bytes=tuple(sorted({*own, *rest})), company=company)


def runs_of(paths: Sequence[Question], seconds: float, seeds: int | None = None) -> int:
    """How many runs so many seeds of all cells are, in so many seconds."""
    return sum(first_runs(part, seeds) for path in paths for part in _parts(path, seconds / len(paths)))


def map_of(  # noqa: PLR0913 (of what, and how it is made)
    paths: Sequence[Question], engine: Engine, store: Store, *, seconds: float, jobs: int | None = None,
    seeds: int | None = None, progress: Callable[[], None] = lambda: None, question: Question | None = None,
) -> Map:  # fmt: skip
    """Runs the cells of one path or of many, in about so many seconds, and makes a map of what they came to.

    `seeds`: every cell has so many, and the map is the same on every machine. `question`: the one of which the only
    path was made by `around`.

    Raises:
        EngineFailure: the engine could not finish a run.
    """
    cells: list[Cell] = []
    runs = 0

    def advance() -> None:
        nonlocal runs
        runs += 1
        progress()

    path = paths[0]
    has_one_queue = len(paths) > 1 and path.known_buffer and len({each.buffers_bytes for each in paths}) == 1
    for each in paths:
        parts = _parts(each, seconds / len(paths))
        for part in parts:
            case_trials = trials(
                part, engine, store, budget=packets_in(seconds / len(paths) / len(parts)), jobs=jobs,
                undecided=undecided, seeds=seeds, progress=advance,
            )  # fmt: skip
            cells += _cells(part, case_trials, question, by_size=has_one_queue)
    x, y = _axes(paths)
    return Map(
        job=path.job.description, goal=path.goal, default=path.default, score=score_name(path),
        loss=path.loss_ppb / 1e9, x=x, y=y, runs=runs, engine=engine.name, cells=tuple(cells),
        by_goodput=path.endless and path.goal in {"goodput", "completion", "balanced"},
    )  # fmt: skip


def _parts(path: Question, seconds: float) -> list[Question]:
    """Where time allows each company by itself, since fewer cases have longer runs; else all at once."""
    if len(path.company) * given_s(path) > seconds:
        return [path]
    return [replace(path, company=(each,)) for each in path.company]


def _axes(paths: Sequence[Question]) -> tuple[Axis, Axis]:
    """Rates, else RTTs, else company go up; across go RTTs where both vary, else queues, else company."""
    rates, rtts = ({getattr(each, name) for each in paths} for name in ("rate_bps", "rtt_ns"))
    y: Axis = "rate" if len(rates) > 1 else "rtt" if len(rtts) > 1 else "company"
    if len(rates) > 1 and len(rtts) > 1:
        return "rtt", y
    return ("queue" if len(paths[0].buffers_bytes) > 1 else "company"), y


def _cells(path: Question, case_trials: Trials, question: Question | None, *, by_size: bool) -> Iterator[Cell]:
    """`by_size`: queues are named by it, since many paths have the same one."""
    for company in path.company:
        for buffer in path.buffers_bytes:
            own, buffer_bdp = place(path, case_trials, buffer, company), path.buffer_bdp(buffer)
            nominal = min(BUFFERS_BDP, key=lambda each: abs(log(each / buffer_bdp)))
            named_bdp = nominal if 1 / NEAR < nominal / buffer_bdp < NEAR else buffer_bdp
            default, outcome = own.of(path.default), own.of(own.best)
            if outcome is default:
                outcome = max((each for each in own.outcomes if each is not default), key=partial(score, path))
            yield Cell(
                rate_bps=path.rate_bps, rtt_s=path.rtt_ns / NS_PER_S, buffer_bytes=buffer, buffer_bdp=buffer_bdp,
                queue=Bytes.show(buffer) if by_size else trimmed(named_bdp, " BDP", digits=2),
                loaded_rtt_s=path.loaded_rtt_ns(buffer) / NS_PER_S,
                company=company.name, neighbours=company.flows, neighbours_run=company.cc,
                switch=bool(company.flows) and company.cc is None,
                asked=question is not None and buffer in question.buffers_bytes and company in question.company,
                candidate=outcome.candidate, gain=gain(score(path, outcome), score(path, default)), best=own.best,
                verdict=own.verdict, harm=_value(outcome.harm), resent=_value(outcome.retransmit_rate),
                default_resent=_value(default.retransmit_rate),
                seeds=min(len(case_trials[Case(name, buffer, company)].run_ids) for name in path.candidates),
            )  # fmt: skip


def _value(interval: Interval | None) -> float | None:
    return interval.value if interval else None
