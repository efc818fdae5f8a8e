"""`dumbbell advise mix`: the answer over all paths of a server."""

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Annotated

import typer

from dumbbell.cli import question as of
from dumbbell.cli.option import Jobs, Json, print_json
from dumbbell.cli.progress import progress

SECONDS = {"sim": 25.0}
"""By engine: how long it may take, about; where it is not told, ten minutes."""


def mix(  # noqa: PLR0913 (each is an option)
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="What `ss -tin` printed, or `iperf3 --json`; - is standard input.", show_default=False
        ),
    ],
    *,
    loss: of.Loss = None,
    competitors: of.Competitors = None,
    transfer: of.Transfer = None,
    stream: of.Stream = None,
    requests: of.Requests = None,
    candidates: of.Candidates = None,
    goal: of.Goal = None,
    preset: of.Preset = None,
    engine: of.Simulating = "sim",
    seeds: of.Exactly = None,
    jobs: Jobs = None,
    out: of.Stored = None,
    details: of.Details = False,
    as_json: Json = False,
) -> None:
    """Read a server's connections from `ss -tin` output, simulate their paths, and advise for all of them.

    dumbbell simulates what each connection runs on the path that it read. Connections that resent over three times as
    much as that, or as little, and those with packets out of order, are not explained by the model: it leaves them out.
    """
    options = of.written(locals())
    from dumbbell.advice.mix import common_question
    from dumbbell.advice.mix import mix as mix_of
    from dumbbell.advice.runs import store_for
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
        from dumbbell.advice.mix_text import as_object

        print_json(as_object(answer, seconds=seconds, engine=engine))
    else:
        from dumbbell.report.advice import mix_page

        of.print_page(mix_page(answer, seconds=seconds, engine=engine, detailed=details))
