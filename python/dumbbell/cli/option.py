"""Options that several commands have, and what `--json` prints."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from dumbbell.cli import completion

STANDARD_INPUT = "-"
Spec = Annotated[
    Path,
    typer.Argument(metavar="SPEC", help="The experiment: a TOML file, or - for standard input.", show_default=False),
]
Seeds = Annotated[int | None, typer.Option("--seeds", metavar="N", help="Seeds 1 to N instead of the spec's.")]
Sets = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="PATH=VALUE",
        help='Set a field, e.g. path.rtt="50 ms". May be repeated.',
        autocompletion=completion.assignments,
    ),
]
Folder = Annotated[
    Path, typer.Option("--out", metavar="STORE", envvar="DUMBBELL_STORE", help="The folder that keeps the runs.")
]
DEFAULT_STORE = Path("results")

Inventory = Annotated[
    Path | None,
    typer.Option("--inventory", metavar="FILE", help="The hosts of the engine hosts, a TOML file.", show_default=False),
]
SshConfig = Annotated[
    Path | None,
    typer.Option("--ssh-config", metavar="FILE", help="Reach them by this ssh_config, not yours.", show_default=False),
]
Jobs = Annotated[
    int | None, typer.Option("--jobs", metavar="N", min=1, help="Runs at once; default: as many as the machine can.")
]
EachSeed = Annotated[bool, typer.Option("--each-seed", help="A row for each seed, instead of means.")]
Columns = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="NAME,...",
        help="These columns, e.g. goodput,rtt_p95; all: every one there is.",
        autocompletion=completion.columns,
        show_default=False,
    ),
]
Sort = Annotated[
    str | None,
    typer.Option(
        "--sort",
        metavar="NAME",
        help="In the order of a column, e.g. goodput or path.buffer; with - before it the largest first.",
        autocompletion=completion.order,
        show_default=False,
    ),
]
Harm = Annotated[
    bool, typer.Option("--harm", help="Run each group alone, too: what do the others cost it?", show_default=False)
]
Html = Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write one page that needs no network.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def run_argument(subject: str) -> Any:  # noqa: ANN401 (an argument of typer, whose class it hides)
    """A run of the store that is named before it, by the beginning of its id; what is told of it."""
    help_text = f"The beginning of a run's id: {subject}"
    return typer.Argument(metavar="[RUN]", help=help_text, autocompletion=completion.runs)


def print_json(value: Any, *, lines: bool = False) -> None:  # noqa: ANN401 (whatever JSON can say)
    """Prints a value as JSON: over several lines, or as one of the `lines` of many values."""
    typer.echo(json.dumps(value, indent=None if lines else 2, ensure_ascii=False))


def print_files(files: Iterable[Path], *, as_json: bool) -> None:
    """Prints what was written: a path a line, or one JSON object with all."""
    if as_json:
        print_json({"files": list(map(str, files))})
    else:
        for file in files:
            typer.echo(file)
