"""The page "when to use BBR", out of maps of advice and of what real hosts measured.

`python docs/site/when_to_use_bbr.py` writes the record `docs/answers/when-to-use-bbr.json`, then page and figures from
it; with `--page` only these. The same sources give the same bytes: no clock decides how long and how many runs are.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import inf, sqrt
from pathlib import Path
from statistics import median
from textwrap import fill
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from dumbbell.advice import map_text
from dumbbell.advice.map import Cell, Map, around, map_of
from dumbbell.advice.map_charts import origin, panel, quantities
from dumbbell.advice.published import COMPARABLE, MeasuredGain, measured_gains
from dumbbell.advice.question import ORDERS, UNKNOWN_BUFFERS_BDP, Job, Order, Question, question
from dumbbell.advice.runs import store_for
from dumbbell.cc import known
from dumbbell.charts.chart import Axis, Chart, Layer, Level, Panel
from dumbbell.charts.image import save
from dumbbell.charts.style import PUBLISHED
from dumbbell.comparison.record import Part
from dumbbell.comparison.strata import strata
from dumbbell.engines.protocol import Engine
from dumbbell.engines.sim import SimEngine
from dumbbell.metrics.number import ABSENT, trimmed
from dumbbell.tables.markdown import markdown
from dumbbell.tables.table import Table
from dumbbell.units import BITS_PER_BYTE

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = ROOT / "docs" / "answers" / "when-to-use-bbr.md"
RECORD: Final = PAGE.with_suffix(".json")
FIGURES: Final = ROOT / "docs" / "figures" / "when-to-use-bbr"
COLUMNS: Final = 120
TEMPLATE: Final = "when-to-use-bbr.md.j2"
PATH: Final = {"rate": "200 Mbit/s", "rtt": "80 ms"}
"""Of the maps, and of a line of the first figure."""
SMALLER: Final = {"rate": "100 Mbit/s", "rtt": "40 ms"}
"""Of the other line."""
JOBS: Final = {
    "bulk": ("bulk traffic", {}), "requests": ("requests of 1 MB", {"requests": "1 MB"}),
    "stream": ("a stream of 5 Mbit/s", {"stream": "5 Mbit/s"}),
}  # fmt: skip
"""The jobs of the maps: what they are called, and their options."""
SEEDS: Final = 6
"""Of each cell, two of each order of starts: the runs are the same on every machine."""
MINUTE_S: Final = 60
"""What the line carries in it is the job of the lines: it counts from the first second, as the hosts' tests did."""
CLIFF_BDP: Final = tuple(round(0.05 * 10 ** (step / 8), 3) for step in range(19))
"""Queues of the line: eight a decade, from 0.05 BDP on."""
DEEP_BDP: Final = (10.0, 20.0)
"""Queues in which who starts first decides."""
TOGETHER: Final = 5
"""Queues that are asked about at once: the fewer, the longer their runs."""
EDGES_BDP: Final = (0.0, 0.1, 0.2, 0.35, 0.6, 1.0, 2.0, 5.0, inf)
"""Between the rows of the table."""


class Answers(Part):
    """What the page is made from, but for the studies' tables."""

    engine: str
    identity: str
    """Hash of everything that decides the engine's bytes."""
    cliffs: tuple[Map, ...]
    """One flow alone, over many queues, on each of two paths."""
    maps: dict[str, Map]
    """By job."""
    orders: dict[Order, Map]
    """Bulk traffic and one CUBIC flow, by who starts first."""


def measure(jobs: int | None = None) -> Answers:
    """Runs everything."""
    engine = SimEngine()
    lines, jobs_ = _lines(), {}
    for name, (_, options) in JOBS.items():
        jobs_[name] = around(question({**PATH, **options}, known()))
    return Answers(
        engine=engine.name, identity=engine.identity(), cliffs=tuple(_map(each, engine, jobs) for each in lines),
        maps={name: _map([each], engine, jobs) for name, each in jobs_.items()},
        orders={order: _map([_ordered(order)], engine, jobs) for order in ORDERS},
    )  # fmt: skip


def _ordered(order: Order) -> Question:
    """One CUBIC flow on the line, and who starts first."""
    usual = question({**PATH, "beside": "cubic:1", "starts": order}, known())
    return replace(
        usual, buffers_bytes=tuple(round(each * usual.bdp_bytes) for each in (*UNKNOWN_BUFFERS_BDP, *DEEP_BDP))
    )


def _lines() -> list[list[Question]]:
    """A minute of one flow alone before each queue, on each path, in parts."""
    lines = []
    for path in (PATH, SMALLER):
        usual = question({**path, "beside": "none", "for": "completion"}, known())
        alone = replace(usual, job=Job(kind="transfer", size_bytes=MINUTE_S * usual.rate_bps // BITS_PER_BYTE))
        sizes = tuple(round(each * alone.bdp_bytes) for each in CLIFF_BDP)
        some = [sizes[at : at + TOGETHER] for at in range(0, len(sizes), TOGETHER)]
        lines.append([replace(alone, buffers_bytes=each) for each in some])
    return lines


def _map(paths: Sequence[Question], engine: Engine, jobs: int | None) -> Map:
    with store_for(paths, engine) as store:
        return map_of(paths, engine, store, seconds=inf, jobs=jobs, seeds=SEEDS)


def charts(answers: Answers) -> Iterator[Chart]:
    """The figures: the cliff, and the maps of all jobs, a quantity each."""
    yield _cliff(answers)
    for name in ("gain", "harm"):
        own = {job: next(each for each in quantities(made) if each.name == name) for job, made in answers.maps.items()}
        panels = [
            panel(made, own[job], JOBS[job][0], made.cells, measured_gains() if name == "gain" else ())
            for job, made in answers.maps.items()
        ]
        dots = [dot for each in panels if each.heat for dot in each.heat.dots]
        text = own["bulk"].caption + origin(dots)
        yield Chart(name=name, title=own["bulk"].title, caption=text, panels=tuple(panels))


def _cliff(answers: Answers) -> Chart:
    """What BBR gains alone over the queue: simulated as lines, measured as points."""
    alone = sorted((each for each in measured_gains() if not each.neighbours), key=lambda each: each.buffer_bdp)
    layers = [
        Layer(
            label=f"real hosts, {len(alone)} paths ({alone[0].source})", style=PUBLISHED, kind="points",
            x=tuple(each.buffer_bdp for each in alone), y=tuple(1 + each.gain for each in alone),
        )
    ]  # fmt: skip
    for instance, line in enumerate(answers.cliffs):
        own = [cell for cell in line.cells if cell.gain is not None]
        layers.append(
            Layer(
                label=f"simulator, {map_text.path(line)}", style="bbr", instance=instance,
                x=tuple(cell.buffer_bdp for cell in own), y=tuple(1 + (cell.gain or 0.0) for cell in own),
            )
        )  # fmt: skip
    ticks = ((0.5, "½"), (1.0, "1"), (2.0, "2"), (4.0, "4"), (8.0, "8"), (16.0, "16"))
    return Chart(
        name="cliff", title="BBR over CUBIC, each alone on the line",
        caption="One flow at a time; points are measured on paths of all rates and RTTs.",
        panels=(
            Panel(
                x=Axis(label="queue (BDP)", scale="log10"),
                y=Axis(label="BBR's goodput over CUBIC's", scale="log2", ticks=ticks), layers=tuple(layers),
                levels=(Level(at=1.0, text="the same"),),
            ),
        ),
    )  # fmt: skip


def page(answers: Answers) -> str:
    """The page; the same record gives the same text."""
    environment = Environment(  # noqa: S701 (Markdown is no HTML)
        loader=FileSystemLoader(Path(__file__).parent), trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    environment.filters["trimmed"] = trimmed
    ours = (*answers.cliffs, *answers.maps.values(), *answers.orders.values())
    text = environment.get_template(TEMPLATE).render(
        maps=answers.maps, orders=answers.orders, cliffs=answers.cliffs,
        figures={each.name: each for each in charts(answers)},
        measured=[each for each in measured_gains() if not each.neighbours], table=table(answers), flip=flip,
        cells=cells, span=span, runs=sum(each.runs for each in ours), path=" and ".join(PATH.values()),
        path_of=map_text.path, strata=strata(), like=_like(answers.cliffs[0]), comparable=COMPARABLE,
    )  # fmt: skip
    return "\n\n".join(_prose(block) for block in re.split(r"\n{2,}", text.strip())) + "\n"


def cells(decision_map: Map, low: float = 0.0, high: float = inf, **wanted: int | bool) -> list[Cell]:
    """Those with queues from one BDP to another, and with so many neighbours: `neighbours=0`, `switch=True`."""
    wanted = {"switch": False, **wanted}
    return [
        cell
        for cell in decision_map.cells
        if low * 0.99 <= cell.buffer_bdp <= high * 1.01
        and all(getattr(cell, key) == value for key, value in wanted.items())
    ]


def span(some: Sequence[Cell | MeasuredGain], quantity: str) -> str:
    """From the least to the most of a quantity, in whole %."""
    values = [100 * value for cell in some if (value := getattr(cell, quantity)) is not None]
    low, high = round(min(values)), round(max(values))
    return f"{low} %" if low == high else f"{low} to {high} %"


def flip(decision_map: Map) -> float:
    """The queue in BDP, half way before the first at which CUBIC is no longer behind."""
    own = sorted(decision_map.cells, key=lambda each: each.buffer_bdp)
    after = next(place for place, cell in enumerate(own) if cell.gain is not None and cell.gain <= 0)
    assert after  # noqa: S101 (BBR is ahead in the shortest queue)
    return sqrt(own[after - 1].buffer_bdp * own[after].buffer_bdp)


def _like(decision_map: Map) -> list[MeasuredGain]:
    """What hosts measured in the shortest queues of paths like the line's."""
    path = decision_map.cells[0]
    return [
        each
        for each in measured_gains()
        if not each.neighbours and each.buffer_bdp < EDGES_BDP[1] and each.is_near(path.rate_bps, path.rtt_s)
    ]


def table(answers: Answers) -> str:
    """Gains by the queue: measured on real hosts, and simulated on the one path."""
    rows = []
    for low, high in pairwise(EDGES_BDP):
        some = [each for each in measured_gains() if not each.neighbours and low <= each.buffer_bdp < high]
        ours = [
            cell.gain for cell in answers.cliffs[0].cells if low <= cell.buffer_bdp < high and cell.gain is not None
        ]
        rows.append([
            f"below {high:g}" if not low else f"{low:g} to {high:g}" if high < inf else f"{low:g} and more",
            f"{sum(each.gain > 0 for each in some)} of {len(some)}", _median([each.gain for each in some]),
            _ends([each.gain for each in some]), _median(ours),
        ])  # fmt: skip
    header = ["queue, BDP", "BBR ahead on hosts", "median gain, %", "least to most, %", "simulator, %"]
    return markdown(Table.of(header, rows))


def _median(gains: Sequence[float]) -> str:
    return _signed(median(gains)) if gains else ABSENT


def _ends(gains: Sequence[float]) -> str:
    return f"{_signed(min(gains))} to {_signed(max(gains))}" if gains else ABSENT


def _signed(gain: float) -> str:
    percent = round(100 * gain)
    return f"{percent:+d}" if percent else "0"


def _prose(block: str) -> str:
    """Paragraphs and lists of a block in lines that a reader of the source can follow; all else as it is."""
    if not block[0].isalpha() and not block.startswith(("- ", "**")):
        return block
    items = re.split(r"\n(?=- )", block)
    return "\n".join(
        fill(
            " ".join(item.split()), COLUMNS, subsequent_indent="  " * item.startswith("- "), break_long_words=False,
            break_on_hyphens=False,
        )
        for item in items
    )  # fmt: skip


def write(answers: Answers) -> Iterator[Path]:
    """The page and its figures."""
    PAGE.write_text(page(answers), encoding="utf-8", newline="\n")
    yield PAGE
    for chart in charts(answers):
        yield from save(chart, FIGURES, ("svg",))


def read() -> Answers:
    """The record as it is stored."""
    return Answers.model_validate_json(RECORD.read_bytes())


if __name__ == "__main__":
    if "--page" not in sys.argv[1:]:
        RECORD.write_text(measure().model_dump_json(indent=1) + "\n", encoding="utf-8", newline="\n")
        print(RECORD.relative_to(ROOT))
    for path in write(read()):
        print(path.relative_to(ROOT))
