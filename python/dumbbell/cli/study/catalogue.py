"""`dumbbell study list` and `show`: what studies there are, and what is in one."""

import typer

from dumbbell.cli.study.option import One


def list_() -> None:
    """List the studies."""
    import dumbbell.studies as studies
    from dumbbell.cli.table import aligned

    rows = []
    for name in studies.names():
        study = studies.load(name)
        rows.append([name, str(study.total()), str(len(study.claims)), str(len(study.figures)), study.title])
    typer.echo(aligned(("study", "runs", "claims", "figures", "document"), rows))


def show(name: One) -> None:
    """Show a study: its document, testbed, experiments, figures and claims."""
    import dumbbell.studies as studies
    from dumbbell.campaign.local import count
    from dumbbell.cli.study.screen import columns, wrapped

    study = studies.load(name)
    parts = [
        f"{study.name}: {study.title}\n{study.citation}",
        study.summary,
        f"There: {study.testbed}",
        f"Here: {study.here}",
        "Experiments: " + ", ".join(f"{title} ({count(each)} runs)" for title, each in study.experiments.items()),
        "Figures: " + "; ".join(figure.title for figure in study.figures),
        "Claims, each judged for " + " and ".join(study.variants) + ":",
    ]
    parts += [
        f"{claim.id}  {claim.statement} ({claim.section}).\nTolerated: {claim.tolerance}."
        + (f"\nNot testable: {claim.untestable}." if claim.untestable else "")
        for claim in study.claims
    ]
    typer.echo("\n\n".join(wrapped(part, columns()) for part in parts))
