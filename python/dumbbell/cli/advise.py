"""`dumbbell advise`: which congestion control to use on a path, for a job, and where the answer flips."""

import sys
import time
from typing import Final

import typer

from dumbbell.cli import question as of
from dumbbell.cli.map import map_
from dumbbell.cli.mix import mix
from dumbbell.cli.option import Jobs, Json, print_json
from dumbbell.cli.progress import progress

EXAMPLE: Final = "Example: dumbbell advise --rate 200mbit --rtt 80ms --loaded-rtt 105ms --beside cubic:3 --transfer 1GB"
PATIENCE_S: Final = 0.5
"""Who asks for an answer wants to see at once that it is looked for."""
app = typer.Typer(rich_markup_mode=None)
app.command("map", epilog="Example: dumbbell advise map --rate 10mbit..1gbit --rtt 40ms --html map.html")(map_)
app.command("mix", epilog="Example: dumbbell advise mix ss.txt, after: ss -tin > ss.txt")(mix)


@app.callback(invoke_without_command=True, epilog=EXAMPLE)
def advise(  # noqa: PLR0913 (each is an option)
    context: typer.Context,
    *,
    file: of.From = None,
    rate: of.Rate = None,
    rtt: of.Rtt = None,
    buffer: of.Buffer = None,
    qdisc: of.Qdisc = None,
    link: of.Link = None,
    back: of.Back = None,
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
    details: of.Details = False,
    engine: of.Simulating = "sim",
    seeds: of.Exactly = None,
    jobs: Jobs = None,
    out: of.Stored = None,
    as_json: Json = False,
) -> None:
    """Say in five lines which algorithm to use on a path: why, when not, how sure that is, and what to do next.

    dumbbell simulates each candidate over every queue and every competitor that you do not name; --details prints each
    case. --preset alone is a complete question, and so is --from with a capture of traffic on the path. `advise map`
    shows more of a path, or many paths; `advise mix` advises for the paths of a server. Intervals include the scatter
    over seeds and the model's error. advise needs no root.
    """
    options = of.written(locals())
    from dumbbell.problem import Problem, SpecError

    if context.invoked_subcommand:
        if before := [name for name, text in {"from": file, **options}.items() if text is not None]:
            hint = f"write it behind {context.invoked_subcommand}" if file is None else "it is about one path"
            raise SpecError([Problem(f"--{before[0]}", f"stands before {context.invoked_subcommand}", hint)])
        return
    from dumbbell.advice.advice import answer
    from dumbbell.advice.question import question
    from dumbbell.advice.ranges import DOTS, is_range
    from dumbbell.advice.runs import store_for
    from dumbbell.advice.text import as_object, headline
    from dumbbell.advice.trials import first_runs
    from dumbbell.engines.catalogue import catalogue
    from dumbbell.engines.registry import engine as engine_named

    if is_range(options):
        name = next(name for name in ("rate", "rtt") if DOTS in (options[name] or ""))
        raise SpecError(
            [Problem(f"--{name}", "is a range, which is about many paths", "dumbbell advise map takes one")]
        )
    if file is not None:
        options = of.from_capture(file, options)
    path_question, chosen = question(options, catalogue()), engine_named(engine)
    began = time.monotonic()
    with (
        progress(
            first_runs(path_question, seeds), wanted=not (as_json and sys.stdout.isatty()), patience_s=PATIENCE_S
        ) as watch,
        store_for(path_question, chosen, out) as store,
    ):
        advice = answer(
            path_question, chosen, store, jobs=jobs, seeds=seeds, progress=watch,
            so_far=lambda first: watch.say(f"So far, by one seed: {headline(first)}"),
        )  # fmt: skip
    seconds = time.monotonic() - began
    if as_json:
        print_json(as_object(advice, seconds=seconds, engine=engine))
    else:
        from dumbbell.report.advice import advice_page

        of.print_page(advice_page(advice, seconds=seconds, engine=engine, detailed=details))
