"""A study: a document's experiments, claims and figures, read from the folder that has its name."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from dumbbell.errors import StudyError
from dumbbell.spec import load as load_spec
from dumbbell.spec.problem import suggestion
from dumbbell.spec.sweep import axes
from dumbbell.studies.claim import Vocabulary, claims_of
from dumbbell.studies.displays.loading import Display, displays_of
from dumbbell.studies.formula import Formulas
from dumbbell.studies.judgement import judge
from dumbbell.studies.manifest import FIGURES, claim_rows, folder_of, manifest_of, metric_rows, read_text, read_toml

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from importlib.resources.abc import Traversable
    from types import ModuleType

    from dumbbell.charts.chart import Chart
    from dumbbell.charts.table import Table
    from dumbbell.spec import Experiment
    from dumbbell.studies.claim import Claim
    from dumbbell.studies.evidence import Evidence
    from dumbbell.studies.verdict import Verdict

ANY_VERSION = "any version"
"""In the place of a version, of a claim that is not tested with any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """A document made runnable."""

    name: str
    title: str
    citation: str
    """Authors, where, when."""
    short: str
    """For legends and tables: "Claypool et al. 2019"."""
    summary: str
    """What the document is about and found, in a few sentences."""
    testbed: str
    """Path and hosts of the document, in words."""
    here: str
    """How that is run here, in words."""
    readme: str
    """The study's README: every ambiguity and the reading that was chosen."""
    variants: tuple[str, ...]
    """Versions of the algorithm for which every claim is judged; neither is "the document's"."""
    axis: str
    """The path at which a spec names the congestion control in question."""
    experiments: Mapping[str, Experiment]
    """By name."""
    figures: tuple[Display[Chart], ...]
    claims: tuple[Claim, ...]
    metrics: Formulas
    """What its claims and figures may measure, by name."""
    published: Mapping[str, Any]
    """The document's numbers, as `published.toml` has them."""
    tables: tuple[Display[Table], ...] = ()
    controls: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """What stands at `axis` for each version, by experiment; the version itself in an experiment that is not here."""
    rivals: Mapping[str, str] = field(default_factory=dict)
    """What stands at `axis` in an experiment that contains no version, by experiment: "cubic"."""
    document: bool = True
    """It is a document's; else formulas, or proposals of ours."""
    seeds: int | None = None
    """The seeds that were asked for, 1 to this many; None: each experiment has its own."""

    def control(self, experiment: str, variant: str) -> str:
        """What stands for a version of the algorithm in an experiment: itself, another form of it, or its rival."""
        return self.controls.get(experiment, {}).get(variant, variant)

    def part(self, experiment: str, variants: Iterable[str]) -> Experiment:
        """The part of an experiment that some versions need; all of it where it sweeps no controls, or no others."""
        needed = {self.control(experiment, variant) for variant in variants}
        swept = _controls_of(self.experiments[experiment], self.axis) or ()
        controls = [control for control in swept if control in needed]
        if len(controls) == len(swept):
            return self.experiments[experiment]
        return load_spec(self.experiments[experiment], overrides={self.axis: controls})

    def parts(self) -> Iterator[tuple[str, str]]:
        """Each experiment with each version."""
        return ((experiment, variant) for experiment in self.experiments for variant in self.variants)

    def verdicts(self, evidence: Evidence) -> list[Verdict]:
        """On every claim, in the document's order, for each version of the algorithm that it contains."""
        return [verdict for claim in self.claims for verdict in self._judged(claim, evidence)]

    def _judged(self, claim: Claim, evidence: Evidence) -> Iterator[Verdict]:
        """For each version, or once where no experiment of the claim contains one."""
        if any(experiment not in self.rivals for experiment in claim.experiments):
            yield from (judge(claim, evidence, variant) for variant in self.variants)
        else:
            about = ", ".join(dict.fromkeys(self.rivals[each] for each in claim.experiments))
            verdict = judge(claim, evidence, self.variants[0])
            yield replace(verdict, variant=about or ANY_VERSION, versions=self.variants)

    def drawn(self, evidence: Evidence) -> list[Chart]:
        """Every figure that the runs at hand can show, with the published numbers in it."""
        return [figure.draw(self, evidence) for figure in self.figures if evidence.variants(*figure.experiments)]

    def tabled(self, evidence: Evidence) -> list[Table]:
        """Every table that the runs at hand can fill, with the published numbers in it."""
        return [table.draw(self, evidence) for table in self.tables if evidence.variants(*table.experiments)]


def load(name: str, *, seeds: int | None = None) -> Study:
    """A study by its name; with `seeds`, each of its experiments with the seeds 1 to that many.

    Raises:
        StudyError: there is none of that name, or its files contradict one another.
        SpecError: one of its experiments has problems.
    """
    return read(folder_of(name), _claims(name), _module(name, "figures"), seeds=seeds)


def read(
    folder: Traversable, claims: ModuleType, figures: ModuleType | None = None, *, seeds: int | None = None
) -> Study:
    """A study from its folder; `claims` and `figures` have what rows of claims, figures and tables cannot say.

    Raises:
        StudyError: its files contradict one another.
        SpecError: one of its experiments has problems.
    """
    manifest = manifest_of(folder)
    overrides = None if seeds is None else {"seeds": seeds}
    experiments = {
        title: load_spec(read_text(folder, f"{title}.toml"), overrides=overrides) for title in manifest.experiments
    }
    variants, axis, written = manifest.variants, manifest.axis, manifest.controls
    controls = {
        title: dict.fromkeys(variants, control) if isinstance(control, str) else control
        for title, control in written.items()
    }
    rivals = {title: control for title, control in written.items() if isinstance(control, str)}
    fixed = (title for title, experiment in experiments.items() if _controls_of(experiment, axis) is None)
    rivals |= {title: str(experiments[title].flows[0].cc) for title in fixed if title not in rivals}
    _agree(variants, axis, controls, experiments)
    functions = (claims,) if figures is None else (figures, claims)
    drawn, tabled = displays_of(read_toml(folder, FIGURES), functions, experiments)
    formulas = Formulas(metric_rows(folder), claims)
    return Study(
        name=folder.name,
        title=manifest.title,
        citation=manifest.citation,
        short=manifest.short,
        summary=manifest.summary,
        testbed=manifest.testbed,
        here=manifest.here,
        readme=read_text(folder, "README.md"),
        variants=variants,
        axis=axis,
        experiments=experiments,
        figures=drawn,
        tables=tabled,
        metrics=formulas,
        claims=claims_of(claim_rows(folder), Vocabulary(frozenset(experiments), formulas)),
        published=read_toml(folder, "published.toml"),
        controls=controls,
        rivals=rivals,
        document=manifest.document,
        seeds=seeds,
    )


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


def _agree(
    variants: tuple[str, ...],
    axis: str,
    controls: Mapping[str, Mapping[str, str]],
    experiments: Mapping[str, Experiment],
) -> None:
    """Refuses versions of which an experiment has no runs, and runs that no version needs."""
    for title in controls:
        if title not in experiments:
            raise StudyError(f'controls: there is no experiment "{title}"')
    for title, experiment in experiments.items():
        asked = controls.get(title, {variant: variant for variant in variants})
        there = _controls_of(experiment, axis)
        if set(asked) != set(variants) or (there is not None and set(asked.values()) != set(there)):
            written = ", ".join(there or ())
            raise StudyError(f"experiment {title}: its {axis} ({written}) are not those of {', '.join(variants)}")


def _controls_of(experiment: Experiment, axis: str) -> tuple[str, ...] | None:
    """What the experiment sweeps at `axis`, the path of a congestion control; None where that is no list."""
    found = next((each for each in axes(experiment) if each.path == axis), None)
    return None if found is None else tuple(map(str, found.values))


def _known(study: Study, what: str, asked: Sequence[str] | None, there: Iterable[str]) -> list[str]:
    """What was asked for, in the study's order."""
    names = list(there)
    for name in asked or ():
        if name not in names:
            hint = suggestion(name, names)
            raise StudyError(f'{study.name}: there is no {what} "{name}"' + (f"; {hint}" if hint else ""))
    return names if asked is None else [name for name in names if name in asked]


def _claims(study: str) -> ModuleType:
    found = _module(study, "claims")
    if found is None:
        raise StudyError(f"study {study}: there is no claims.py")
    return found


def _module(study: str, noun: str) -> ModuleType | None:
    name = f"dumbbell.studies.{study}.{noun}"
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return None
