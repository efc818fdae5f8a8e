"""Leave to start the programs that a spec names: an option, or an answer in a terminal, now or before."""

import hashlib
import json
import sys
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dumbbell.engines.protocol import Engine
    from dumbbell.spec import Experiment

Programs = Annotated[
    bool,
    typer.Option("--programs", help="Start the programs that the spec names; without it dumbbell asks in a terminal."),
]
ANSWERS = "allowed"
"""The folder of answers: an empty file for each, named by the hash of what was allowed."""


def allow(experiments: "Iterable[Experiment]", engines: "Sequence[Engine]", file: Path | None, *, wanted: bool) -> None:
    """Lists the programs that engines would start, and lets them where the user does.

    `file` is the spec's; `wanted` is the option. An answer in a terminal is remembered for the file as it is.

    Raises:
        SpecError: there are programs, and nobody has allowed them.
    """
    from dumbbell.campaign.plan import programs
    from dumbbell.spec import SpecError

    pairs = product((each for each in experiments if each.names_programs), engines)
    named_programs = list(dict.fromkeys(program for each, engine in pairs for program in programs(each, engine)))
    if not named_programs:
        return
    lines = [str(each) for each in named_programs]
    if not allowed("this spec", lines, file.read_bytes() if file is not None else b"", wanted=wanted):
        raise SpecError([each.refusal() for each in named_programs])
    for engine in engines:
        engine.allows_programs = True


def allowed(what: str, lines: "Sequence[str]", content: bytes | None, *, wanted: bool) -> bool:
    """Lists what would be started, and says whether it may: with the option, or after a yes in a terminal.

    The yes is remembered for what the lines and the content say; without content each time asks.
    """
    typer.echo("\n".join([f"{what} starts programs:", *(f"  {line}" for line in lines)]), err=True)
    if wanted:
        return True
    answer = None if content is None else _answer(lines, content)
    if answer is not None and answer.exists():
        typer.echo("you allowed them before", err=True)
        return True
    if not (sys.stdin.isatty() and sys.stderr.isatty()) or not typer.confirm("start them?", err=True):
        return False
    if answer is not None:
        answer.parent.mkdir(parents=True, exist_ok=True)
        answer.touch()
    return True


def _answer(lines: "Sequence[str]", content: bytes) -> Path:
    """The file that is there once the user has allowed this."""
    from dumbbell.user_folder import data_folder

    digest = hashlib.sha256(json.dumps(lines).encode() + b"\n" + content)
    return data_folder(ANSWERS) / digest.hexdigest()
