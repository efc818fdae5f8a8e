"""`dumbbell advise mix`: the answer over all paths of a server."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

import typer

from dumbbell.cli.option import Jobs, Json, print_json
from dumbbell.cli.progress import progress
from dumbbell.cli.question import (
    Candidates,
    Competitors,
    Exactly,
    Goal,
    Loss,
    Preset,
    Requests,
    Simulating,
    Stored,
    Stream,
    Transfer,
    written,
)

if TYPE_CHECKING:
    from dumbbell.decide.mix import Mix

SECONDS = {"sim": 25.0}
"""By engine: how long it may take, about; where it is not told, ten minutes."""


def mix(  # noqa: PLR0913 (each is an option)
    source: Annotated[
        str, typer.Argument(metavar="FILE", help="What `ss -tin` printed; - is standard input.", show_default=False)
    ],
    *,
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
    out: Stored = None,
    as_json: Json = False,
) -> None:
    """Read a server's connections from `ss -tin` output, simulate their paths, and advise for all of them."""
    options = written(locals())
    from dumbbell.decide.mix import common_question
    from dumbbell.decide.mix import mix as mix_of
    from dumbbell.decide.mix_text import as_object
    from dumbbell.decide.runs import store_for
    from dumbbell.engines.catalogue import catalogue
    from dumbbell.engines.registry import engine as engine_named
    from dumbbell.metrics.connections import read

    question = common_question(options, catalogue())
    capture = read(source, sys.stdin.buffer)
    began = time.monotonic()
    with ExitStack() as stack:

        def watch(works: Sequence[float]) -> Callable[[float], None]:
            wanted = not (as_json and sys.stdout.isatty())
            return stack.enter_context(progress(len(works), wanted=wanted, work=sum(works)))

        given = SECONDS.get(engine, 600.0)
        chosen = engine_named(engine)
        store = stack.enter_context(store_for((question, capture.connections), chosen, out))
        answer = mix_of(capture, question, chosen, store, seconds=given, jobs=jobs, seeds=seeds, watch=watch)
    seconds = time.monotonic() - began
    if as_json:
        print_json(as_object(answer, seconds=seconds, engine=engine))
        return
    for line in _lines(answer, seconds, engine):
        typer.echo(line)


def _lines(answer: "Mix", seconds: float, engine: str) -> Iterator[str]:
    from dumbbell.decide import mix_text
    from dumbbell.report.section import fact_lines
    from dumbbell.tables.plain_text import text
    from dumbbell.tables.terminal import columns

    yield from fact_lines(list(mix_text.lines(answer)), columns())
    yield f"\n{text(mix_text.table(answer), columns())}\n"
    yield from fact_lines(list(mix_text.below(answer, seconds=seconds, engine=engine)), columns())
