"""Options that several commands about studies have."""

from pathlib import Path
from typing import Annotated

import typer

from dumbbell.cli import completion

One = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="The study; `dumbbell study list` has them.",
        autocompletion=completion.studies,
        show_default=False,
    ),
]
Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME|all",
        help="The study, or all; `dumbbell study list` has them.",
        autocompletion=completion.studies_or_all,
        show_default=False,
    ),
]
Engine = Annotated[
    str, typer.Option("--engine", metavar="NAME", help="What measures the runs.", autocompletion=completion.engines)
]
Engines = Annotated[
    list[str] | None,
    typer.Option(
        "--engine", metavar="NAME", help="Whose runs; may be given again; default: all that are there.",
        autocompletion=completion.engines, show_default=False,
    ),
]  # fmt: skip
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="FOLDER",
        help="Where store, figures and report are; default out/NAME. With all: the folder of the studies' folders.",
        show_default=False,
    ),
]
Seeds = Annotated[
    int | None, typer.Option("--seeds", metavar="N", min=1, help="Seeds 1 to N instead of the study's own.")
]
Claims = Annotated[
    str | None, typer.Option("--claims", metavar="ID,...", help="These claims, and what they need.", show_default=False)
]
Experiments = Annotated[
    str | None,
    typer.Option(
        "--experiments", metavar="NAME,...", help="These experiments, and what they can tell.", show_default=False
    ),
]
Variants = Annotated[
    str | None,
    typer.Option("--variants", metavar="NAME,...", help="These versions of the algorithm only.", show_default=False),
]
Short = Annotated[
    bool,
    typer.Option(
        "--short",
        help="The study's short form, in out/NAME-short: one seed, least durations, the document's own tools where "
        "programs can run; without claims.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object a claim, version and engine.")]
Why = Annotated[bool, typer.Option("--why", help="Tell of each claim its numbers, its bounds, and why it fails.")]
Totals = Annotated[
    bool, typer.Option("--totals", help="Count the claims that hold instead; with --json as one object.")
]
Docs = Annotated[
    Path | None,
    typer.Option(
        "--docs", metavar="FOLDER", help="With --totals: write the table into FOLDER/studies.md.", show_default=False
    ),
]


def listed(names: str | None) -> list[str] | None:
    """What stands between commas; None where nothing was asked."""
    return None if names is None else [name.strip() for name in names.split(",") if name.strip()]
