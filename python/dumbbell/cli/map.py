"""`dumbbell advise map`: the answer over many queues, companies and paths."""

import shlex
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import typer

from dumbbell.cli import question as of
from dumbbell.cli.option import Html, Jobs, Json, print_json

SIM_SECONDS, SECONDS = 30.0, 600.0
"""How long a map may take, about: on the simulator, and on other engines."""


def map_(  # noqa: PLR0913 (each is an option)
    *,
    rate: of.Rates = None,
    rtt: of.Rtts = None,
    buffer: of.Buffer = None,
    loaded_rtt: of.LoadedRtt = None,
    loss: of.Loss = None,
    competitors: of.Competitors = None,
    transfer: of.Transfer = None,
    stream: of.Stream = None,
    requests: of.Requests = None,
    candidates: of.Candidates = None,
    goal: of.Goal = None,
    preset: of.Preset = None,
    starts: of.Starts = None,
    now: of.Now = None,
    intervals: of.Intervals = None,
    engine: of.Simulating = "sim",
    seeds: of.Exactly = None,
    jobs: Jobs = None,
    html: Html = None,
    out: of.Stored = None,
    as_json: Json = False,
) -> None:
    """Advise for every queue and company around a path, or for the paths of a range of rates or of RTTs.

    A range, --rate 10mbit..1gbit or --rtt 5ms..200ms, gives a cell a path and queue; one path gives its answer, and
    with --html a page with nine queues and six companies, gain and harm cell by cell.
    """
    options = of.written(locals())
    from dumbbell.advice.advice import answer
    from dumbbell.advice.map import around, map_of, runs_of
    from dumbbell.advice.question import question
    from dumbbell.advice.ranges import is_range, questions
    from dumbbell.advice.runs import store_for
    from dumbbell.cli.progress import progress
    from dumbbell.engines.catalogue import catalogue
    from dumbbell.engines.registry import engine as engine_named
    from dumbbell.report.advice import advice_page, map_page, range_page
    from dumbbell.report.html import check_writable

    own = None if is_range(options) else question(options, catalogue())
    paths = [around(own)] if own else questions(options, catalogue())
    if html is not None:
        check_writable(html)
    chosen, limit = engine_named(engine), SIM_SECONDS if engine == "sim" else SECONDS
    began = time.monotonic()
    total = runs_of(paths, limit, seeds) + (runs_of([own], 0.0, seeds) if own else 0)
    with (
        progress(total, wanted=not (as_json and sys.stdout.isatty())) as advance,
        store_for(paths, chosen, out) as store,
    ):
        advice = answer(own, chosen, store, jobs=jobs, seeds=seeds, progress=advance) if own else None
        own_s = time.monotonic() - began
        mapped = map_of(paths, chosen, store, seconds=limit, jobs=jobs, seeds=seeds, progress=advance, question=own)
    seconds = own_s if own else time.monotonic() - began
    if html is not None:
        map_page(mapped, advice, seconds=seconds, command=_command(options, engine, seeds, html)).write(html)
    if as_json:
        from dumbbell.advice.text import as_object

        fields = as_object(advice, seconds=seconds, engine=engine) if advice else {"wall_s": round(seconds, 3)}
        files = {"files": [str(html)]} if html else {}
        print_json({"schema": 1, **fields, "map": mapped.model_dump(mode="json"), **files})
        return
    of.print_page(
        advice_page(advice, seconds=seconds, engine=engine) if advice else range_page(mapped, seconds=seconds)
    )
    if html is not None:
        typer.echo(html, err=True)


def _command(options: Mapping[str, str | None], engine: str, seeds: int | None, target: Path) -> str:
    """What makes the page again."""
    written = [part for name, text in options.items() if text is not None for part in (f"--{name}", text)]
    others = [*(["--engine", engine] if engine != "sim" else []), *(["--seeds", str(seeds)] if seeds else [])]
    return shlex.join(["dumbbell", "advise", "map", *written, *others, "--html", target.name])
