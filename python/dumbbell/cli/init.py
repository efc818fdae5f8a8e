"""`dumbbell init`: a spec to begin with."""

from pathlib import Path
from typing import Annotated

import typer

TEMPLATE = Path(__file__).with_name("experiment.toml")
DEFAULT_FILE = Path("experiment.toml")


def init(
    file: Annotated[Path, typer.Argument(metavar="[FILE]", help="Where to write it; - is standard output.")] = (
        DEFAULT_FILE
    ),
    *,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
) -> None:
    """Write a commented spec: two flows on one bottleneck, and what else one could say."""
    text = TEMPLATE.read_text(encoding="utf-8")
    if str(file) == "-":
        typer.echo(text, nl=False)
        return
    try:
        with file.open("w" if force else "x", encoding="utf-8") as opened:
            opened.write(text)
    except FileExistsError:
        typer.echo(f"{file}: is already there; --force replaces it", err=True)
        raise typer.Exit(2) from None
    except OSError as error:
        typer.echo(f"{file}: cannot be written: {error.strerror}", err=True)
        raise typer.Exit(2) from None
    typer.echo(f"{file}: written; next: dumbbell check {file}, dumbbell run {file}", err=True)
