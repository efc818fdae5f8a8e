"""Less than the whole of a study: some claims, some experiments, some versions; what a store has of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dumbbell.spec.problem import suggestion
from dumbbell.studies.problem import StudyError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dumbbell.results.store import Store
    from dumbbell.studies.claim import Claim
    from dumbbell.studies.study import Study


def only(
    study: Study,
    *,
    claims: Sequence[str] | None = None,
    experiments: Sequence[str] | None = None,
    variants: Sequence[str] | None = None,
    alternatives: bool = True,
) -> Study:
    """The study with these claims and the experiments that they need, or these experiments and what they can tell.

    None: all of them. A figure stays if its experiments do. A claim that is untestable needs no experiment, and no
    experiment tells it. Without `alternatives` claims do not need the experiments that may make them hold; an
    alternative stays if its experiments do.

    Raises:
        StudyError: there is no such claim, experiment or version, or nothing is left.
    """
    by_id = {claim.id: claim for claim in study.claims}
    chosen = [by_id[each] for each in _known(study, "claim", claims, by_id)]
    needed = set(study.experiments)
    if claims is not None:
        needed = {
            title
            for claim in chosen
            for title in (*claim.experiments, *(_of_alternatives(claim) if alternatives else ()))
        }
    kept = needed & set(_known(study, "experiment", experiments, study.experiments))
    lost = [
        claim.id
        for claim in chosen
        if not kept.issuperset(claim.experiments) or (claim.untestable and experiments is not None)
    ]
    if claims is not None and lost:
        raise StudyError(f"{study.name}: {', '.join(lost)} cannot be told by {', '.join(experiments or ())} alone")
    chosen = [
        claim.model_copy(
            update={"alternatives": tuple(each for each in claim.alternatives if kept.issuperset(each.experiments))}
        )
        for claim in chosen
        if claim.id not in lost
    ]
    smaller = replace(
        study,
        variants=tuple(_known(study, "version", variants, study.variants)),
        claims=tuple(chosen),
        figures=tuple(figure for figure in study.figures if kept.issuperset(figure.experiments)),
        tables=tuple(table for table in study.tables if kept.issuperset(table.experiments)),
    )
    if not (kept or chosen) or not smaller.variants:
        raise StudyError(f"{study.name}: nothing of the study was asked for")
    left = {title: smaller.part(title, smaller.variants) for title in study.experiments if title in kept}
    return replace(smaller, experiments=left)


def _of_alternatives(claim: Claim) -> set[str]:
    return {title for each in claim.alternatives for title in each.experiments}


def engines_of(study: Study, store: Store) -> tuple[str, ...]:
    """The engines on which a store has runs of a study, in the order of their first."""
    asked = {experiment.name for experiment in study.experiments.values()}
    return tuple(dict.fromkeys(each.engine for each in store.campaigns() if each.experiment in asked))


def _known(study: Study, what: str, asked: Sequence[str] | None, there: Iterable[str]) -> list[str]:
    """What was asked for, in the study's order."""
    names = list(there)
    for name in asked or ():
        if name not in names:
            hint = suggestion(name, names)
            raise StudyError(f'{study.name}: there is no {what} "{name}"' + (f"; {hint}" if hint else ""))
    return names if asked is None else [name for name in names if name in asked]
