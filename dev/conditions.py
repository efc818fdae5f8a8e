"""The conditions of a comparison: where they are printed or written as specs, or one is looked into, instead of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import typer

from dev import flows
from dumbbell.cli.agree import check
from dumbbell.comparison.campaigns import Sides
from dumbbell.errors import ComparisonError
from dumbbell.metrics.number import rounded
from dumbbell.spec import Experiment, toml
from dumbbell.tables.plain_text import text
from dumbbell.tables.terminal import columns

NOT_OF_A_FILE_NAME: Final = '/\\:*?"<>|'
"""Letters that some system has no file name with."""


def shown(  # noqa: PLR0913 (each is an option)
    experiments: Sequence[Experiment], sides: Sides, jobs: int | None, *, dry_run: bool, dump: Path | None,
    show: str | None, html: Path | None, as_json: bool,
) -> bool:  # fmt: skip
    """Prints the conditions, writes them, or measures one, where an option asks for that; whether one does.

    Raises:
        ComparisonError: two of the options are given, or two conditions have one name.
    """
    modes = {"--dry-run": dry_run, "--dump": dump is not None, "--show": show is not None}
    given = [name for name, wanted in modes.items() if wanted]
    if len(given) > 1:
        raise ComparisonError(f"give one of {' and '.join(given)}")
    if given and html is not None:
        raise ComparisonError(f"--html is of a comparison; {given[0]} makes none")
    name, count = Counter(experiment.name for experiment in experiments).most_common(1)[0]
    if count > 1:
        raise ComparisonError(f'name: "{name}" is that of {count} conditions; each needs its own')
    if dry_run:
        for experiment in experiments:
            typer.echo(f"# {experiment.name}\n{toml(experiment.fields())}")
    elif dump is not None:
        _write_specs(experiments, dump)
    elif show is not None:
        _print_flows(experiments, show, sides, jobs, as_json=as_json)
    return bool(given)


def _write_specs(experiments: Sequence[Experiment], folder: Path) -> None:
    """Writes a file for each condition, and prints where.

    Raises:
        ComparisonError: a name is none of a file, or the folder cannot be written.
    """
    for experiment in experiments:
        if set(experiment.name) & set(NOT_OF_A_FILE_NAME) or experiment.name.startswith("."):
            letters = " ".join(NOT_OF_A_FILE_NAME)
            raise ComparisonError(
                f'name: "{experiment.name}" is no name of a file; one without {letters}, and no dot at its beginning'
            )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for experiment in experiments:
            path = folder / f"{experiment.name}.toml"
            path.write_text(toml(experiment.fields()), encoding="utf-8")
            typer.echo(path)
    except OSError as error:
        raise ComparisonError(f"{folder}: cannot write a spec there: {error.strerror or error}") from error


def _print_flows(
    experiments: Sequence[Experiment], name: str, sides: Sides, jobs: int | None, *, as_json: bool
) -> None:
    """Measures the condition of a name or number, and prints every flow of every run."""
    experiment = flows.chosen(experiments, name)
    check([experiment], sides)
    measured = flows.flows(experiment, sides, jobs)
    if as_json:
        for flow in measured:
            typer.echo(json.dumps({k: rounded(v) if isinstance(v, float) else v for k, v in flow.items()}))
        return
    typer.echo(toml(experiment.fields()))
    typer.echo(text(flows.table(measured), columns()))
