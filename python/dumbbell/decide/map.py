"""Maps of advice: what the best candidate gains over the default in every cell, which is right there, whom it harms."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from pydantic import Field

from dumbbell.comparison.record import Number, Part
from dumbbell.decide.advice import DEFAULT, MATTERS, MOST_HARM, Verdict, place, score, undecided
from dumbbell.decide.question import ALONE, FRAME_BYTES, UNKNOWN_BUFFERS_BDP, UNKNOWN_COMPANY, Company, Question
from dumbbell.decide.text import name
from dumbbell.decide.trials import FIRST_SEEDS, Case, Tried, cases, trials
from dumbbell.spec.quantity import Bytes, Rate
from dumbbell.units import NS_PER_S

if TYPE_CHECKING:
    from dumbbell.engines.protocol import Engine

    Advance: TypeAlias = Callable[[], None]
    """To be called for each run."""

Axis: TypeAlias = Literal["queue", "rtt", "company", "rate"]
NEIGHBOURS: Final = (1, 2, 5, 10)
"""How many there are, in the rows of a path's map, beside nobody and all that switch too."""
MOST_SWITCHING: Final = UNKNOWN_COMPANY[-1]
BUFFERS_BDP: Final = (0.05, *UNKNOWN_BUFFERS_BDP, 10.0)
"""Queues of a path's map: those that advice tries, and one beyond either end."""
LEAST_FRAMES: Final = 4
NEAR: Final = 1.1
"""A queue that is no farther from another, as a ratio, has its column."""
FINAL_SECONDS: Final = float("inf")
"""Time without a limit: the longest runs, and as many seeds as may decide. What comes of it hangs on no machine."""


class Cell(Part):
    """A queue of a path in some company: what the best candidate besides the default comes to there."""

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
    switch: bool
    """The others run what is tried."""
    asked: bool
    """The question was about this queue in this company."""
    candidate: str
    gain: Number | None
    """Its score over the default's, less 1; null: the default has none."""
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
    def matters(self) -> bool:
        """The gain is one, of either sign."""
        return self.gain is not None and abs(self.gain) >= MATTERS

    @property
    def right(self) -> str:
        """Which one is, for its gain or because the other one harms; "" where it does not matter, "?" where it is open."""
        if self.verdict == "open":
            return "?"
        return "" if self.verdict == "no matter" and not self.matters else self.best

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
        found: dict[str, list[Cell]] = {}
        rest = [axis for axis in ("queue", "company") if axis not in (self.x, self.y)]
        for cell in self.cells:
            words = [f"queue of {cell.queue}" if axis == "queue" else cell.company for axis in rest]
            found.setdefault(", ".join(words), []).append(cell)
        return found

    @property
    def columns(self) -> list[str]:
        """What the columns are called, in order."""
        return self._places(self.x)

    @property
    def rows(self) -> list[str]:
        """What the rows are called, the lowest first."""
        return self._places(self.y)

    def _places(self, axis: Axis) -> list[str]:
        """Everywhere on an axis; company in the order in which it was tried."""
        keys = {"queue": "buffer_bdp", "rtt": "rtt_s", "rate": "rate_bps"}
        cells = sorted(self.cells, key=lambda each: getattr(each, keys[axis])) if axis in keys else self.cells
        return list(dict.fromkeys(position(cell, axis) for cell in cells))


@dataclass(frozen=True, slots=True)
class Mapped:
    """A map with the trials behind it."""

    map: Map
    found: Mapping[Case, Tried]
    """Of the first path."""

    def of(self, asked: Question) -> dict[Case, Tried]:
        """The trials that a question needs, which the map was made around."""
        return {case: self.found[case] for case in cases(asked)}


def position(cell: Cell, axis: Axis) -> str:
    """Where a cell lies on an axis, as the axis names it."""
    if axis == "queue":
        return cell.queue
    if axis == "company":
        return cell.company
    return Rate.show(cell.rate_bps) if axis == "rate" else f"{1e3 * cell.rtt_s:.3g} ms"


def around(asked: Question) -> Question:
    """A path's question over the whole map: every queue and company, its own ones among them."""
    least = LEAST_FRAMES * FRAME_BYTES
    sizes = [size for each in BUFFERS_BDP if (size := round(each * asked.bdp_bytes)) >= least]
    own = asked.buffers_bytes
    rest = [size for size in sizes if not any(1 / NEAR < size / each < NEAR for each in own)]
    return replace(asked, buffers_bytes=tuple(sorted({*own, *rest})), company=_companies(asked))


def _companies(asked: Question) -> tuple[Company, ...]:
    """Nobody, the more neighbours the higher, and all that switch too."""
    cc = next((each.cc for each in asked.company if each.cc), DEFAULT)
    known = {(each.cc, each.flows): each for each in (*UNKNOWN_COMPANY, *asked.company)}
    counts = sorted({*NEIGHBOURS, *(each.flows for each in asked.company if each.cc)})
    some = [
        known.get((cc, count)) or Company(name=f"beside {count} {name(cc)}", cc=cc, flows=count) for count in counts
    ]
    return ALONE, *some, MOST_SWITCHING


def runs_of(paths: Sequence[Question]) -> int:
    """How many runs the first seeds of all cells are."""
    return sum(FIRST_SEEDS * len(each.buffers_bytes) * len(each.company) * len(each.candidates) for each in paths)


def map_of(  # noqa: PLR0913 (how it is made)
    paths: Sequence[Question], engine: Engine, *, seconds: float, jobs: int | None = None,
    advance: Advance = lambda: None, asked: Question | None = None,
) -> Mapped:  # fmt: skip
    """Runs the cells of one path or of many, in about so many seconds, and makes a map of what they came to.

    `asked`: the question of which the only path was made by `around`.

    Raises:
        EngineFailure: the engine could not finish a run.
    """
    share = seconds / sum(len(each.company) for each in paths)
    cells: list[Cell] = []
    first: dict[Case, Tried] = {}
    sizes = {path.buffers_bytes for path in paths}
    fixed = len(paths) > 1 and paths[0].known_buffer and len(sizes) == 1
    runs = 0
    for path in paths:
        found: dict[Case, Tried] = {}
        for company in path.company:
            row = replace(path, company=(company,))
            own = trials(row, engine, seconds=share, jobs=jobs, undecided=undecided)
            runs += sum(len(tried.seeds) for tried in own.values())
            found |= own
            for _ in range(runs_of([row])):
                advance()
        cells += _cells(path, found, asked, fixed=fixed)
        first = first or found
    x, y = _axes(paths)
    path = paths[0]
    return Mapped(
        Map(
            job=path.job.words, goal=path.goal, default=usual(path), loss=path.loss_ppb / 1e9, x=x, y=y,
            by_goodput=_is_by_goodput(path), runs=runs, engine=engine.name, cells=tuple(cells),
        ), first,
    )  # fmt: skip


def usual(asked: Question) -> str:
    """What gains are over: the default, or the first candidate where that is none."""
    return DEFAULT if DEFAULT in asked.candidates else asked.candidates[0]


def _axes(paths: Sequence[Question]) -> tuple[Axis, Axis]:
    """Over many paths their rates, else their RTTs, go up; across go RTTs where both vary, else queues, else company."""
    rates, rtts = ({getattr(each, name) for each in paths} for name in ("rate_bps", "rtt_ns"))
    y: Axis = "rate" if len(rates) > 1 else "rtt" if len(rtts) > 1 else "company"
    if len(rates) > 1 and len(rtts) > 1:
        return "rtt", y
    return ("queue" if len(paths[0].buffers_bytes) > 1 else "company"), y


def _is_by_goodput(asked: Question) -> bool:
    return asked.job.kind in {"bulk", "transfer"} and asked.goal in {"goodput", "completion", "balanced"}


def _cells(path: Question, found: Mapping[Case, Tried], asked: Question | None, *, fixed: bool) -> Iterator[Cell]:
    """`fixed`: many paths have the same queue, which its size names, and not its BDP."""
    for company in path.company:
        for buffer in path.buffers_bytes:
            own = place(path, found, buffer, company)
            default = own.of(usual(path))
            outcome = max((each for each in own.outcomes if each is not default), key=lambda each: score(path, each))
            base = score(path, default)
            yield Cell(
                rate_bps=path.rate_bps, rtt_s=path.rtt_ns / NS_PER_S, buffer_bytes=buffer, buffer_bdp=path.buffer_bdp(buffer),
                queue=Bytes.show(buffer) if fixed else f"{path.buffer_bdp(buffer):.2g} BDP", loaded_rtt_s=path.loaded_rtt_ns(buffer) / NS_PER_S,
                company=company.name, neighbours=company.flows, switch=bool(company.flows) and company.cc is None,
                asked=bool(asked) and (buffer in asked.buffers_bytes and company in asked.company),
                candidate=outcome.candidate, gain=score(path, outcome) / base - 1 if base else None, best=own.best,
                verdict=own.verdict, harm=outcome.harm, resent=outcome.resent, default_resent=default.resent,
                seeds=min(len(found[Case(name, buffer, company)].seeds) for name in path.candidates),
            )  # fmt: skip
