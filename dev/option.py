"""Options that several commands of the proof have."""

from pathlib import Path
from typing import Annotated

import typer

CandidateSeeds = Annotated[
    int | None,
    typer.Option(
        "--candidate-seeds",
        metavar="N",
        min=1,
        show_default=False,
        help="Seeds of A; more seeds reduce A's random error; default: as many as --seeds.",
    ),
]
Floor = Annotated[
    int | None,
    typer.Option(
        "--floor",
        metavar="N",
        min=0,
        show_default=False,
        help="Extra seeds of B, to compare B with itself (noise floor); default: as many as --seeds.",
    ),
]
Seeds = Annotated[int, typer.Option("--seeds", metavar="N", min=1, help="Seeds of each engine: 1 to N.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the conditions, and run nothing.")]
Dump = Annotated[
    Path | None, typer.Option("--dump", metavar="DIR", help="Write each condition as a spec, and run nothing.")
]
Show = Annotated[
    str | None,
    typer.Option("--show", metavar="CONDITION", help="Measure one condition, and print every flow of every run."),
]
