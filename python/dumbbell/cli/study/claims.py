"""`dumbbell study claims`: what the runs that are there say of a document's claims."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from dumbbell.cli.study.option import Claims, Docs, Engines, Json, Name, Out, Seeds, Totals, Variants, listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dumbbell.studies import StudyStatus, Total


def claims(  # noqa: PLR0913 (each is an option)
    name: Name,
    *,
    engine: Engines = None,
    out: Out = None,
    claims: Claims = None,
    variants: Variants = None,
    seeds: Seeds = None,
    as_json: Json = False,
    totals: Totals = False,
    docs: Docs = None,
) -> None:
    """Judge the claims by the runs that are there, on each engine, without running anything."""
    import dumbbell.studies as studies
    from dumbbell.cli.study.place import StudySelection, statuses
    from dumbbell.cli.study.verdicts import print_json, print_totals, print_verdicts

    judged: list[studies.StudyStatus] = []
    asked = StudySelection.of(name, out)
    for place in asked.places:
        with asked.guarded(place):
            whole = studies.load(place.name, seeds=seeds)
            study = studies.only(whole, claims=listed(claims), variants=listed(variants))
            with place.opened() as store:
                found = statuses(study, store, engine, out=place.out, whole=whole)
            judged += found
            if totals:
                continue
            verdicts = studies.in_order(each.verdicts if as_json else each.judged for each in found)
            if as_json:
                print_json(study, verdicts)
            else:
                if asked.whole:
                    typer.echo(f"{study.name}: {study.manifest.short}\n")
                print_verdicts(verdicts)
            print_totals(found, out=place.out, err=as_json)
            if asked.whole and not as_json:
                typer.echo()
    if judged and (totals or (asked.whole and not as_json)):
        print_counts(judged, as_json=as_json, docs=docs)
    asked.end()


def print_counts(judged: "Sequence[StudyStatus]", *, as_json: bool = False, docs: Path | None = None) -> None:
    """The totals of several statuses, as a table or as one object; with `docs` written there, too."""
    import json

    import dumbbell.studies as studies
    from dumbbell.cli.study.verdicts import print_table
    from dumbbell.studies.totals import as_object, write

    found: list[Total] = [studies.total(each) for each in judged]
    documents = [each.study.name for each in judged if each.study.manifest.document]
    if as_json:
        typer.echo(json.dumps(as_object(found, documents), ensure_ascii=False))
    else:
        print_table(found, documents)
    if docs is not None:
        write(docs, as_object(found, documents))
