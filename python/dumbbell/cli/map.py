"""`dumbbell advise map`: the answer over many queues, companies and paths."""

import shlex
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from dumbbell.cli.answer import lines as answer_lines
from dumbbell.cli.option import Html, Jobs, Json, print_json
from dumbbell.cli.question import (
    Buffer,
    Candidates,
    Competitors,
    Exactly,
    Goal,
    LoadedRtt,
    Loss,
    Preset,
    Rates,
    Requests,
    Rtts,
    Simulating,
    Stored,
    Stream,
    Transfer,
    written,
)

if TYPE_CHECKING:
    from dumbbell.decide.map import Map

SIM_SECONDS, SECONDS = 30.0, 600.0
"""How long a map may take, about: on the simulator, and on other engines."""


def map_(  # noqa: PLR0913 (each is an option)
    *,
    rate: Rates = None,
    rtt: Rtts = None,
    buffer: Buffer = None,
    loaded_rtt: LoadedRtt = None,
    loss: Loss = None,
    competitors: Competitors = None,
    transfer: Transfer = None,
    stream: Stream = None,
    requests: Requests = None,
    candidates: Candidates = None,
    goal: Goal = None,
    preset: Preset = None,
    engine: Simulating = "sim",
    seeds: Exactly = None,
    jobs: Jobs = None,
    html: Html = None,
    out: Stored = None,
    as_json: Json = False,
) -> None:
    """Advise for every queue and company around a path, or for the paths of a range of rates or of RTTs.

    A range, --rate 10mbit..1gbit or --rtt 5ms..200ms, gives a cell a path and queue; one path gives its answer, and
    with --html a page with nine queues and six companies, gain and harm cell by cell.
    """
    options = written(locals())
    from dumbbell.cli.progress import progress
    from dumbbell.decide.advice import advice, undecided
    from dumbbell.decide.map import around, map_of, runs_of
    from dumbbell.decide.question import question
    from dumbbell.decide.ranges import is_range, questions
    from dumbbell.decide.runs import store_for
    from dumbbell.decide.trials import FIRST_SEEDS, budget, trials
    from dumbbell.engines.catalogue import catalogue
    from dumbbell.engines.registry import engine as engine_named
    from dumbbell.report.html import check_writable

    path_question = None if is_range(options) else question(options, catalogue())
    paths = questions(options, catalogue()) if path_question is None else [around(path_question)]
    if html is not None:
        check_writable(html)
    chosen, limit = engine_named(engine), SIM_SECONDS if engine == "sim" else SECONDS
    began = time.monotonic()
    total = runs_of(paths, limit, seeds or FIRST_SEEDS) + (
        runs_of([path_question], 0.0, seeds or FIRST_SEEDS) if path_question else 0
    )
    with (
        progress(total, wanted=not (as_json and sys.stdout.isatty())) as advance,
        store_for(paths, chosen, out) as store,
    ):
        answer = None
        if path_question:
            outcomes = trials(
                path_question, chosen, store, budget=budget(path_question, engine), jobs=jobs, undecided=undecided,
                seeds=seeds, progress=advance,
            )  # fmt: skip
            answer = advice(path_question, outcomes)
        own_s = time.monotonic() - began
        mapped = map_of(
            paths, chosen, store, seconds=limit, jobs=jobs, seeds=seeds, progress=advance, question=path_question
        )
    seconds = own_s if answer else time.monotonic() - began
    if html is not None:
        from dumbbell.report.map import page

        page(mapped, answer, seconds=seconds, command=_command(options, engine, seeds, html)).write(html)
    if as_json:
        from dumbbell.decide.text import as_object

        own = as_object(answer, seconds=seconds, engine=engine) if answer else {"wall_s": round(seconds, 3)}
        print_json(_object(own, mapped, html))
        return
    for line in answer_lines(answer, seconds, engine) if answer else _lines(mapped, seconds):
        typer.echo(line)
    if html is not None:
        typer.echo(html, err=True)


def _object(own: Mapping[str, Any], mapped: "Map", target: Path | None) -> dict[str, Any]:
    """One object: of one path what advice has, and the map in either case."""
    return {"schema": 1, **own, "map": mapped.model_dump(mode="json"), **({"files": [str(target)]} if target else {})}


def _lines(mapped: "Map", seconds: float) -> "Iterator[str]":
    """The answer over ranges, as wide as the terminal."""
    from dumbbell.decide import map_text
    from dumbbell.metrics.number import counted, elapsed
    from dumbbell.report.map import cells
    from dumbbell.report.section import fact_lines, section_lines
    from dumbbell.tables.terminal import columns

    yield from fact_lines(list(map_text.lines(mapped)), columns())
    for section in cells(mapped):
        yield from section_lines(section, columns())
    effort = f"{counted(mapped.runs, 'run')}, {mapped.engine}, {elapsed(seconds)}; of one path it shows more."
    yield from ("", *fact_lines([("Sure?", effort)], columns()))


def _command(options: Mapping[str, str | None], engine: str, seeds: int | None, target: Path) -> str:
    """What makes the page again."""
    written = [part for name, text in options.items() if text is not None for part in (f"--{name}", text)]
    others = [*(["--engine", engine] if engine != "sim" else []), *(["--seeds", str(seeds)] if seeds else [])]
    return shlex.join(["dumbbell", "advise", "map", *written, *others, "--html", target.name])
