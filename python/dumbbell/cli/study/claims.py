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
    from dumbbell.cli.study.verdicts import print_counts, print_json, print_totals, print_verdicts, tell_waiting

    judged: list[studies.StudyStatus] = []
    asked = StudySelection.of(name, out)
    suppose = hypothesis_of(sets, label, whole=asked.whole)
    for place in asked.places:
        with asked.guarded(place):
            whole = studies.load(place.name, seeds=seeds)
            study = studies.only(whole, claims=listed(claims), variants=listed(variants))
            with place.opened() as store:
                found = statuses(study, store, engine, out=place.out, whole=whole)
                supposed = [studies.status_of(suppose(study), store, each.engine) for each in found] if suppose else []
            judged += found
            if totals:
                continue
            verdicts = studies.in_order(each.verdicts if as_json else each.judged for each in [*found, *supposed])
            for each in supposed:
                tell_waiting(each)
            if as_json:
                print_json(study, verdicts)
            else:
                if asked.whole:
                    typer.echo(f"{study.name}: {study.manifest.short}\n")
                print_verdicts(verdicts, why=why)
            print_totals(found, out=place.out, err=as_json)
            if asked.whole and not as_json:
                typer.echo()
    if judged and (totals or (asked.whole and not as_json)):
        print_counts(judged, as_json=as_json, docs=docs)
    asked.end()
