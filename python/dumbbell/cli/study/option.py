"""Options that several commands about studies have."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dumbbell.cli import completion

if TYPE_CHECKING:
    from collections.abc import Callable

    from dumbbell.studies import Study

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
        "--experiments",
        metavar="NAME,...",
        help="These experiments, and claims that need no others.",
        show_default=False,
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
Sets = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="FIELD=VALUE",
        help="A hypothesis: judge the claims also where a field of their experiments is so; may be repeated.",
        show_default=False,
    ),
]
Label = Annotated[
    str | None, typer.Option("--label", metavar="WORDS", help="What the hypothesis is called.", show_default=False)
]
Why = Annotated[bool, typer.Option("--why", help="Print the numbers and bounds of each claim, and why it fails.")]
Totals = Annotated[
    bool, typer.Option("--totals", help="Count the claims that hold instead; with --json as one object.")
]
Docs = Annotated[
    Path | None,
    typer.Option(
        "--docs", metavar="FOLDER", help="With --totals: write the table into FOLDER/studies.md.", show_default=False
    ),
]


def hypothesis_of(sets: list[str] | None, label: str | None, *, is_all: bool) -> "Callable[[Study], Study] | None":
    """What makes a study the hypothesis of `--set` and `--label`; None where nothing is set.

    Raises:
        StudyError: there is a label only, or it is of all studies.
        SpecError: something sets no field.
    """
    from dumbbell.errors import StudyError

    if not sets:
        if label is not None:
            raise StudyError("--label names what --set supposes: give both")
        return None
    if is_all:
        raise StudyError("--set needs one study: name it instead of all")
    from dumbbell.spec.source import assignment
    from dumbbell.studies import supposed

    return partial(supposed, settings=dict(map(assignment, sets)), label=label or "")


def listed(names: str | None) -> list[str] | None:
    """What stands between commas; None where nothing was asked."""
    return None if names is None else [name.strip() for name in names.split(",") if name.strip()]
