"""Options of a question about paths, which `advise`, `advise map` and `advise mix` have."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from dumbbell.cli import completion

if TYPE_CHECKING:
    from dumbbell.report.section import Page

Rate = Annotated[
    str | None,
    typer.Option("--rate", metavar="RATE", help="The line's rate: 200mbit; of a radio in turns: 300mbit,60mbit."),
]
Rates = Annotated[str | None, typer.Option("--rate", metavar="RATE", help="The line's rate, or 10mbit..1gbit.")]
Rtt = Annotated[str | None, typer.Option("--rtt", metavar="TIME", help="Ping without load: 80ms.")]
Rtts = Annotated[str | None, typer.Option("--rtt", metavar="TIME", help="Ping without load: 80ms, or 5ms..200ms.")]
Buffer = Annotated[
    str | None, typer.Option("--buffer", metavar="SIZE", help="The bottleneck's queue, where it is known: 1bdp, 500kB.")
]
Qdisc = Annotated[
    str | None,
    typer.Option("--qdisc", metavar="NAME", help="What manages that queue: codel, fq_codel, fq, pie, red, dualpi2."),
]
LoadedRtt = Annotated[
    str | None,
    typer.Option("--loaded-rtt", metavar="TIME", help="Ping while a CUBIC upload fills the line; gives the queue."),
]
Link = Annotated[
    str | None,
    typer.Option(
        "--link", metavar="NAME", autocompletion=completion.links,
        help="A documented link, for what you do not say of the path: dsl_25_5, cable, lte, wifi, starlink, geo.",
    ),
]  # fmt: skip
Back = Annotated[
    str | None,
    typer.Option(
        "--back",
        metavar="RATE",
        help="Rate of the way back, of the ACKs: 1mbit; its queue is of 250 ms, or the link's.",
    ),
]
Loss = Annotated[str | None, typer.Option("--loss", metavar="SHARE", help="Random loss, measured without load: 0.1%.")]
Competitors = Annotated[
    str | None,
    typer.Option(
        "--beside",
        metavar="CC:N|none",
        help="Competing flows, e.g. cubic:3; same:3 run what is tried, too. Default: several cases.",
    ),
]
From = Annotated[
    Path | None,
    typer.Option(
        "--from",
        metavar="FILE",
        help="A capture (pcap, pcapng): what it knows of the path and you do not say.",
        show_default=False,
    ),
]
Starts = Annotated[
    str | None,
    typer.Option(
        "--starts", metavar="ORDER", autocompletion=completion.starts,
        help="When you start: joins (they are there), first, together, any. Default: joins for a job, any for bulk.",
    ),
]  # fmt: skip
Intervals = Annotated[
    str | None,
    typer.Option(
        "--intervals", metavar="OF", help="Whose trials: linux with the same starts (default), or hosts.",
        autocompletion=completion.measurers,
    ),
]  # fmt: skip
Now = Annotated[
    str | None,
    typer.Option(
        "--now", metavar="CC", help="What runs today, which stays where nothing matters. Default: cubic.",
        autocompletion=completion.algorithms,
    ),
]  # fmt: skip
Details = Annotated[bool, typer.Option("--details", help="What stands behind the answer: every case with its numbers.")]
Transfer = Annotated[str | None, typer.Option("--transfer", metavar="SIZE", help="The job: one file, 1GB.")]
Stream = Annotated[str | None, typer.Option("--stream", metavar="RATE", help="The job: a live stream, 3mbit.")]
Requests = Annotated[
    str | None, typer.Option("--requests", metavar="SIZE", help="The job: many answers of this size, 512kB.")
]
Candidates = Annotated[
    str | None,
    typer.Option(
        "--candidates", metavar="CC,...", help="What to choose from; default bbr,cubic.",
        autocompletion=completion.several_algorithms,
    ),
]  # fmt: skip
Goal = Annotated[
    str | None,
    typer.Option(
        "--for", metavar="GOAL",
        help="What counts: goodput, latency, completion, fairness, or balanced, which harms nobody by more than"
        " 10 % beyond what CUBIC would. Default: by the job.",
        autocompletion=completion.goals,
    ),
]  # fmt: skip
Preset = Annotated[
    str | None,
    typer.Option(
        "--preset", metavar="CASE", help="A usual case: cdn, backup, video, office, 5g, satellite, policed.",
        autocompletion=completion.presets,
    ),
]  # fmt: skip
Simulating = Annotated[
    str, typer.Option("--engine", metavar="NAME", help="What simulates it.", autocompletion=completion.engines)
]
Exactly = Annotated[
    int | None,
    typer.Option("--seeds", metavar="N", min=2, help="Exactly so many runs of a case. Default: until it decides."),
]
Stored = Annotated[
    Path | None,
    typer.Option(
        "--out", metavar="STORE", show_default=False,
        help="Store the runs there, for `report` and `results`. Default: the cache, so that the same question is"
        " answered at once.",
    ),
]  # fmt: skip
_NAMES: Final = {
    "rate": "rate", "rtt": "rtt", "buffer": "buffer", "loaded_rtt": "loaded-rtt", "loss": "loss",
    "competitors": "beside", "transfer": "transfer", "stream": "stream", "requests": "requests",
    "qdisc": "qdisc", "candidates": "candidates", "goal": "for", "preset": "preset", "starts": "starts",
    "now": "now", "intervals": "intervals", "link": "link", "back": "back",
}  # fmt: skip
"""What a question reads, by the parameters of its commands."""


_NEEDED: Final = {"rate": "rate", "rtt": "base round-trip time"}
_SAYS: Final = {
    "loaded-rtt": ("buffer",), "stream": ("transfer",), "requests": ("transfer",), "preset": ("transfer",),
}  # fmt: skip
"""What an option says, too: a usual case has a job of its own."""


def written(arguments: Mapping[str, Any]) -> dict[str, str | None]:
    """The question that a command's arguments ask, by the names of its options without dashes."""
    return {name: arguments[parameter] for parameter, name in _NAMES.items() if parameter in arguments}


def from_capture(file: Path, options: Mapping[str, str | None]) -> dict[str, str | None]:
    """The options, and what a capture knows of those that are not there; says what it was and what it does not know.

    Raises:
        CaptureError: it cannot be read.
        NoExperimentError: it shows no path.
        SpecError: neither has the path's rate, or its RTT.
    """
    from dumbbell.captures.analysis import Sink, analyse
    from dumbbell.captures.experiment import answers
    from dumbbell.captures.text import notices
    from dumbbell.problem import Problem, SpecError
    from dumbbell.tables import terminal

    analysis = analyse(file, Sink())
    there = {name for name, text in options.items() if text is not None}
    said = there | {other for name in there for other in _SAYS.get(name, ())}
    lines = [line for line in answers(analysis) if _NAMES[line.key] not in said]
    lacking = [line for line in lines if line.instead]
    problems = [
        Problem(
            "--from", f"{file} does not show the path's {name}: {line.reason or line.instead}", f"give --{line.key}"
        )
        for line in lacking
        if (name := _NEEDED.get(line.key))
    ]
    if problems:
        raise SpecError(problems)
    known = [line for line in lines if not line.instead]
    texts = [
        (f"from {file}: ", [f"{each.key} {each.text} ({each.interval or each.reason})" for each in known]),
        (f"not known from {file}: ", [f"{each.key} ({each.reason}): {each.instead}" for each in lacking]),
        *(("note: ", [text]) for text in notices(analysis)),
    ]
    for start, parts in texts:
        if parts:
            typer.echo(terminal.wrapped(start + ", ".join(parts), terminal.columns()), err=True)
    return {**options, **{_NAMES[line.key]: line.text for line in known}}


def print_page(page: "Page") -> None:
    """Prints an answer, as wide as the terminal."""
    from dumbbell.tables.terminal import columns

    for line in page.lines(columns()):
        typer.echo(line)
