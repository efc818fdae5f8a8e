"""`dumbbell study claims`: what the runs that are there say of a document's claims."""

import typer

import dumbbell.cli.study.option as option
from dumbbell.cli.study.option import hypothesis_of, listed


def claims(  # noqa: PLR0913 (each is an option)
    name: option.Name,
    *,
    engine: option.Engines = None,
    out: option.Out = None,
    claims: option.Claims = None,
    variants: option.Variants = None,
    seeds: option.Seeds = None,
    sets: option.Sets = None,
    label: option.Label = None,
    why: option.Why = False,
    as_json: option.Json = False,
    totals: option.Totals = False,
    docs: option.Docs = None,
) -> None:
    """Judge the claims by the runs that are there, on each engine, without running anything."""
    import dumbbell.studies as studies
    from dumbbell.cli.study.selection import StudySelection, statuses
    from dumbbell.cli.study.verdicts import print_counts, print_judged, print_missing_runs

    judged: list[studies.StudyStatus] = []
    selection = StudySelection.of(name, out)
    suppose = hypothesis_of(sets, label, is_all=selection.is_all)
    for place in selection.places:
        with selection.guarded(place):
            full_study = studies.load(place.name, seeds=seeds)
            study = studies.only(full_study, claims=listed(claims), variants=listed(variants))
            with place.opened() as store:
                engine_statuses = statuses(study, store, engine, out=place.out, full_study=full_study)
                engines = [each.engine for each in engine_statuses]
                supposed = [studies.status_of(suppose(study), store, each) for each in engines] if suppose else []
            judged += engine_statuses
            if totals:
                continue
            for each in supposed:
                print_missing_runs(each)
            if selection.is_all and not as_json:
                typer.echo(f"{study.name}: {study.manifest.short}\n")
            print_judged(engine_statuses, supposed, out=place.out, why=why, as_json=as_json, waiting=as_json)
            if selection.is_all and not as_json:
                typer.echo()
    if judged and (totals or (selection.is_all and not as_json)):
        print_counts(judged, as_json=as_json, docs=docs)
    selection.end()
