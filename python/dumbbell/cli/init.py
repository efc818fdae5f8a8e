"""`dumbbell init`: a spec to begin with."""

from pathlib import Path
from typing import Annotated, Final

import typer

from dumbbell.errors import DumbbellError

EXAMPLE = "Example: dumbbell init mine.toml"
SCHEMA: Final = "dumbbell.schema.json"
TEMPLATE = Path(__file__).with_name("experiment.toml")
DEFAULT_FILE = Path("experiment.toml")


def init(
    file: Annotated[Path, typer.Argument(metavar="[FILE]", help="Where to write it; - is standard output.")] = (
        DEFAULT_FILE
    ),
    *,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    schema: Annotated[
        bool,
        typer.Option(
            "--schema", help=f"Write {SCHEMA} next to it, by which editors with taplo complete and check the keys."
        ),
    ] = False,
) -> None:
    """Write a commented spec: two flows on one bottleneck, and what else one could say."""
    from dumbbell.spec.keys import schema as of_keys

    text = TEMPLATE.read_text(encoding="utf-8")
    if str(file) == "-":
        typer.echo(of_keys() if schema else text, nl=False)
        return
    if schema:
        text = f"#:schema ./{SCHEMA}\n{text}"
    _write(file, text, force=force)
    if schema:
        _write(file.with_name(SCHEMA), of_keys(), force=True)
    typer.echo(f"{file}: written; next: dumbbell check {file}, dumbbell run {file}", err=True)


def _write(file: Path, text: str, *, force: bool) -> None:
    try:
        with file.open("w" if force else "x", encoding="utf-8") as opened:
            opened.write(text)
    except FileExistsError:
        raise DumbbellError(f"{file}: is already there; --force replaces it") from None
    except OSError as error:
        raise DumbbellError(f"{file}: cannot be written: {error.strerror}") from None
