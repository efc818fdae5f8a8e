"""`dumbbell advise`: which congestion control to use on a path, for a job, and where the answer flips."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dumbbell.cli import completion
from dumbbell.cli.option import Jobs, Json, print_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dumbbell.decide.advice import Advice

EXAMPLE = "Example: dumbbell advise --rate 200mbit --rtt 80ms --loaded-rtt 105ms --beside cubic:3 --transfer 1GB"


def advise(  # noqa: PLR0913 (each is an option)
    *,
    rate: Annotated[str | None, typer.Option("--rate", metavar="RATE", help="The line's rate: 200mbit.")] = None,
    rtt: Annotated[str | None, typer.Option("--rtt", metavar="TIME", help="Ping without load: 80ms.")] = None,
    buffer: Annotated[
        str | None,
        typer.Option("--buffer", metavar="SIZE", help="The bottleneck's queue, where it is known: 1bdp, 500kB."),
    ] = None,
    loaded_rtt: Annotated[
        str | None,
        typer.Option("--loaded-rtt", metavar="TIME", help="Ping while a CUBIC upload fills the line; gives the queue."),
    ] = None,
    loss: Annotated[
        str | None, typer.Option("--loss", metavar="SHARE", help="Random loss, measured without load: 0.1%.")
    ] = None,
    competitors: Annotated[
        str | None,
        typer.Option("--beside", metavar="CC:N|none", help="Competing flows, e.g. cubic:3. Default: several cases."),
    ] = None,
    transfer: Annotated[str | None, typer.Option("--transfer", metavar="SIZE", help="The job: one file, 1GB.")] = None,
    stream: Annotated[
        str | None, typer.Option("--stream", metavar="RATE", help="The job: a live stream, 3mbit.")
    ] = None,
    requests: Annotated[
        str | None, typer.Option("--requests", metavar="SIZE", help="The job: many answers of this size, 512kB.")
    ] = None,
    candidates: Annotated[
        str | None,
        typer.Option(
            "--candidates", metavar="CC,...", help="What to choose from; default bbr,cubic.",
            autocompletion=completion.several_algorithms,
        ),
    ] = None,
    goal: Annotated[
        str | None,
        typer.Option(
            "--for", metavar="GOAL",
            help="What counts: goodput, latency, completion, fairness, or balanced, which harms nobody by more than"
            " 10 % beyond what CUBIC would. Default: by the job.",
            autocompletion=completion.goals,
        ),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(
            "--preset", metavar="CASE", help="A usual case: cdn, backup, video, office, satellite, policed.",
            autocompletion=completion.presets,
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="FILE",
            help="Read a server's connections from `ss -tin` output, and advise for all of them; - is standard input.",
        ),
    ] = None,
    engine: Annotated[
        str, typer.Option("--engine", metavar="NAME", help="What simulates it.", autocompletion=completion.engines)
    ] = "sim",
    seeds: Annotated[
        int | None,
        typer.Option("--seeds", metavar="N", min=2, help="Exactly so many runs of a case. Default: until it decides."),
    ] = None,
    jobs: Jobs = None,
    map_: Annotated[
        Path | None,
        typer.Option(
            "--map", metavar="FILE",
            help="Write one page that needs no network: the answer over every queue and company, as maps.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="STORE", show_default=False,
            help="Store the runs there, for `report` and `results`. Default: the cache, so that the same question is"
            " answered at once.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Simulate each candidate over all plausible queues and competitors, recommend one, and show where that changes.

    dumbbell tries every queue and every competitor that you do not name, and prints at which RTT under load the
    recommendation changes. A range, --rate 10mbit..1gbit or --rtt 5ms..200ms, gives a map over many paths; --from
    advises for the mix of a server's paths. Intervals include the scatter over seeds and the model's error. advise
    needs no root and changes nothing.
    """
    from dumbbell.decide.advice import advice, undecided
    from dumbbell.decide.question import question
    from dumbbell.decide.ranges import is_range
    from dumbbell.decide.runs import store_for
    from dumbbell.decide.text import as_object
    from dumbbell.decide.trials import budget, trials
    from dumbbell.engines.catalogue import catalogue
    from dumbbell.engines.registry import engine as engine_named

    options = {
        "rate": rate, "rtt": rtt, "buffer": buffer, "loaded-rtt": loaded_rtt, "loss": loss, "beside": competitors,
        "transfer": transfer, "stream": stream, "requests": requests, "candidates": candidates, "for": goal,
        "preset": preset,
    }  # fmt: skip
    if source is not None:
        from dumbbell.cli.mix import advise_mix
        from dumbbell.problem import Problem, SpecError

        if map_ is not None:
            raise SpecError(
                [Problem("--map", "contradicts --from: a map is about one path", "leave one of the two out")]
            )
        advise_mix(source, options, engine, jobs, seeds, out, as_json=as_json)
        return
    if map_ is not None or is_range(options):
        from dumbbell.cli.map import advise_map

        advise_map(options, engine, jobs, seeds, map_, out, _lines, as_json=as_json)
        return
    path_question = question(options, catalogue())
    began = time.monotonic()
    chosen = engine_named(engine)
    with store_for(path_question, chosen, out) as store:
        outcomes = trials(
            path_question, chosen, store, budget=budget(path_question, engine), jobs=jobs, undecided=undecided,
            seeds=seeds,
        )  # fmt: skip
    answer = advice(path_question, outcomes)
    seconds = time.monotonic() - began
    if as_json:
        print_json(as_object(answer, seconds=seconds, engine=engine))
        return
    for line in _lines(answer, seconds, engine):
        typer.echo(line)


def _lines(answer: "Advice", seconds: float, engine: str) -> "Iterator[str]":
    """The answer, as wide as the terminal."""
    from dumbbell.decide import text
    from dumbbell.report.advice import advised
    from dumbbell.report.section import fact_lines, section_lines
    from dumbbell.tables.terminal import columns

    yield from fact_lines(list(text.lines(answer)), columns())
    for section in advised(answer):
        yield from section_lines(section, columns())
    yield ""
    yield from fact_lines(list(text.below(answer, seconds=seconds, engine=engine)), columns())
