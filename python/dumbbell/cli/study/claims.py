"""`dumbbell study claims`: what the runs that are there say of a document's claims."""

import typer

from dumbbell.cli.study.option import (
    Claims,
    Docs,
    Engines,
    Json,
    Label,
    Name,
    Out,
    Seeds,
    Sets,
    Totals,
    Variants,
    Why,
    hypothesis_of,
    listed,
)


def claims(  # noqa: PLR0913 (each is an option)
    name: Name,
    *,
    engine: Engines = None,
    out: Out = None,
    claims: Claims = None,
    variants: Variants = None,
    seeds: Seeds = None,
    sets: Sets = None,
    label: Label = None,
    why: Why = False,
    as_json: Json = False,
    totals: Totals = False,
    docs: Docs = None,
) -> None:
    """Judge the claims by the runs that are there, on each engine, without running anything."""
    import dumbbell.studies as studies
    from dumbbell.cli.study.selection import StudySelection, statuses
    from dumbbell.cli.study.verdicts import print_counts, print_json, print_missing_runs, print_totals, print_verdicts

    judged: list[studies.StudyStatus] = []
    selection = StudySelection.of(name, out)
    suppose = hypothesis_of(sets, label, is_all=selection.is_all)
    for place in selection.places:
        with selection.guarded(place):
            full_study = studies.load(place.name, seeds=seeds)
            study = studies.only(full_study, claims=listed(claims), variants=listed(variants))
            with place.opened() as store:
                engine_statuses = statuses(study, store, engine, out=place.out, full_study=full_study)
                supposed = (
                    [studies.status_of(suppose(study), store, each.engine) for each in engine_statuses]
                    if suppose
                    else []
                )
            judged += engine_statuses
            if totals:
                continue
            verdicts = studies.in_order(
                each.verdicts if as_json else each.judged for each in [*engine_statuses, *supposed]
            )
            for each in supposed:
                print_missing_runs(each)
            if as_json:
                print_json(study, verdicts)
            else:
                if selection.is_all:
                    typer.echo(f"{study.name}: {study.manifest.short}\n")
                print_verdicts(verdicts, why=why)
            print_totals(engine_statuses, out=place.out, err=as_json)
            if selection.is_all and not as_json:
                typer.echo()
    if judged and (totals or (selection.is_all and not as_json)):
        print_counts(judged, as_json=as_json, docs=docs)
    selection.end()
