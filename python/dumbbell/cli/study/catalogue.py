"""`dumbbell study list` and `show`: what studies there are, and what is in one. They read manifests, no experiment."""

from typing import TYPE_CHECKING

import typer

from dumbbell.cli.option import Json, print_json
from dumbbell.cli.study.option import One

if TYPE_CHECKING:
    from dumbbell.studies.manifest import Manifest


def list_(*, as_json: Json = False) -> None:
    """List the studies."""
    from dumbbell.studies.manifest import folder_of, manifest_of, names
    from dumbbell.tables.plain_text import text
    from dumbbell.tables.table import Cell, Table
    from dumbbell.tables.terminal import columns

    studies = {name: manifest_of(folder_of(name)) for name in names()}
    if as_json:
        counts = ("title", "citation", "runs", "claims", "figures", "variants")
        print_json([{"name": name, **each.model_dump(include={*counts})} for name, each in studies.items()])
        return
    rows: list[list[Cell]] = [
        [name, each.runs, each.claims, each.figures, each.title] for name, each in studies.items()
    ]
    typer.echo(text(Table.of(("study", "runs", "claims", "figures", "document"), rows), columns()))


def show(name: One, *, as_json: Json = False) -> None:
    """Show a study: its document, testbed, experiments, figures and claims."""
    from dumbbell.studies.manifest import claim_rows, figure_titles, folder_of, manifest_of
    from dumbbell.tables.terminal import columns, wrapped

    folder = folder_of(name)
    study = manifest_of(folder)
    if as_json:
        fields = study.model_dump(mode="json", by_alias=True)
        print_json({"name": name, **fields, "figures": figure_titles(folder), "claims": list(claim_rows(folder))})
        return
    experiments = ", ".join(f"{title} ({runs} runs)" for title, runs in study.experiments.items())
    shared = sum(study.experiments.values()) - study.runs
    parts = [
        f"{name}: {study.title}\n{study.citation}",
        _joined(study.summary),
        f"Testbed: {_joined(study.testbed)}",
        f"In this study: {_joined(study.here)}",
        f"Experiments: {experiments}; {study.runs} different runs" + f", {shared} of them shared" * (shared > 0),
        *_short_form(study),
        "Figures: " + "; ".join(figure_titles(folder)),
        "Claims, each judged for " + " and ".join(study.variants) + ":" if study.claims else "No claims are judged.",
    ]
    parts += [
        f"{claim['id']}  {claim['statement']} ({claim['section']}).\nTolerated: {claim['tolerance']}."
        + (f"\nNot testable: {claim['untestable']}." if "untestable" in claim else "")
        for claim in claim_rows(folder)
    ]
    typer.echo("\n\n".join(wrapped(part, columns()) for part in parts))


def _short_form(study: "Manifest") -> list[str]:
    """What `--short` carries out, and why that suffices."""
    from dumbbell.studies.manifest import names_by_reason

    if study.short_form is None:
        return []
    reasons = names_by_reason((title, each.because) for title, each in study.short_form.experiments.items())
    summary = "; ".join(f"{titles}: {because}" for because, titles in reasons.items())
    return [f"Short form (--short): {summary}"]


def _joined(paragraph: str) -> str:
    """Without the line breaks of the file."""
    return " ".join(paragraph.split())
