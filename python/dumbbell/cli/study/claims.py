"""`dumbbell study claims`: what the runs that are there say of a document's claims."""

import typer

from dumbbell.cli.study.option import Claims, Engines, Json, Name, Out, Seeds, Variants, listed


def claims(  # noqa: PLR0913 (each is an option)
    name: Name,
    *,
    engine: Engines = None,
    out: Out = None,
    claims: Claims = None,
    variants: Variants = None,
    seeds: Seeds = None,
    as_json: Json = False,
) -> None:
    """Judge the claims by the runs that are there, on each engine, without running anything."""
    from dumbbell import studies
    from dumbbell.cli.study.place import Round, standings
    from dumbbell.cli.study.verdicts import print_counts, print_gaps, print_json, print_words

    judged: list[studies.Standing] = []
    asked = Round.of(name, out)
    for place in asked.places:
        with asked.guarded(place):
            whole = studies.load(place.name, seeds=seeds)
            study = studies.only(whole, claims=listed(claims), variants=listed(variants))
            with place.opened() as store:
                found = standings(study, store, engine, out=place.out, whole=whole)
            verdicts = studies.in_order(each.verdicts for each in found)
            if as_json:
                print_json(study, verdicts)
            else:
                if asked.whole:
                    typer.echo(f"{study.name}: {study.short}\n")
                print_words(verdicts)
            print_gaps(found, out=place.out, err=as_json)
            if asked.whole and not as_json:
                typer.echo()
            judged += found
    if asked.whole and judged and not as_json:
        print_counts(judged)
    asked.end()
