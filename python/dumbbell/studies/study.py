"""A study: a document's experiments, claims and figures, as they were read, and the part of it that is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Generic, TypeVar

from dumbbell.charts.chart import Chart
from dumbbell.errors import StudyError
from dumbbell.hosts.points import HostMeasurements
from dumbbell.problem import suggestion
from dumbbell.spec import Experiment
from dumbbell.spec import load as load_spec
from dumbbell.studies.claim import Claim
from dumbbell.studies.evidence import Evidence
from dumbbell.studies.extra import absence
from dumbbell.studies.formula import Formulas
from dumbbell.studies.manifest import Advised, Manifest
from dumbbell.tables.table import Table

Shown = TypeVar("Shown")


@dataclass(frozen=True, slots=True)
class Display(Generic[Shown]):
    """A figure or a table of the document, made again."""

    name: str
    """As its chart, or table, and its files are called: "figure7"."""
    experiments: tuple[str, ...]
    """The experiments that it shows."""
    draw: Callable[[Study, Evidence], Shown]
    """Makes it."""
    needs: str = ""
    """An extra of dumbbell that makes it; empty: none."""
    captured: bool = False
    """It is only of runs that were captured."""

    def is_shown_by(self, evidence: Evidence) -> bool:
        """Whether all of its runs are there, of one version at least, and what makes it."""
        variants = evidence.variants(*self.experiments)
        if not variants or absence(self.needs):
            return False
        trials = chain.from_iterable(evidence.of(each, variants[0]) for each in self.experiments)
        return not self.captured or all(run.capture_series for trial in trials for run in trial.runs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """A document made runnable, or a part of one."""

    name: str
    manifest: Manifest
    readme: str
    """The study's README: every ambiguity and the reading that was chosen."""
    variants: tuple[str, ...]
    """Versions of the algorithm for which every claim is judged: the manifest's, or some of them."""
    experiments: Mapping[str, Experiment]
    """By name."""
    claims: tuple[Claim, ...]
    metrics: Formulas
    """What its claims and figures may measure, by name."""
    published: Mapping[str, Any]
    """The document's numbers, as `published.toml` has them."""
    advised: Advised | None = None
    """What `dumbbell advise` answers to the document's question; None: it asks none."""
    figures: tuple[Display[Chart], ...] = ()
    tables: tuple[Display[Table], ...] = ()
    controls: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """What stands at the manifest's axis for each version, by experiment; where it has none, the version itself."""
    rivals: Mapping[str, str] = field(default_factory=dict)
    """What stands there in an experiment that contains no version, by experiment: "cubic"."""
    measured: Mapping[str, HostMeasurements] = field(default_factory=dict)
    """What was measured on real hosts, by the experiment whose points these are."""
    seeds: int | None = None
    """The seeds that were asked for, 1 to this many; None: each experiment has its own."""
    short: bool = False
    """It is the study's short form."""
    hypothesis: str = ""
    """What it supposes, in words; empty: nothing that the study does not say."""
    places: Mapping[str, str] = field(default_factory=dict)
    """Swept fields that its claims know by another path, and that one."""

    def control(self, experiment: str, variant: str) -> str:
        """What stands for a version of the algorithm in an experiment: itself, another form of it, or its rival."""
        return self.controls.get(experiment, {}).get(variant, variant)

    def part(self, experiment: str, variants: Iterable[str]) -> Experiment:
        """The part of an experiment that some versions need; all of it where it sweeps no controls, or no others."""
        axis, spec = self.manifest.axis, self.experiments[experiment]
        needed = {self.control(experiment, variant) for variant in variants}
        swept = controls_of(spec, axis) or ()
        controls = [control for control in swept if control in needed]
        return spec if len(controls) == len(swept) else load_spec(spec, overrides={axis: controls})

    def parts(self) -> dict[tuple[str, str], Experiment]:
        """The part of each experiment that each version needs, by the names of both."""
        return {
            (title, variant): self.part(title, [variant]) for title in self.experiments for variant in self.variants
        }


def drawn(displays: Iterable[Display[Shown]], study: Study, evidence: Evidence) -> list[Shown]:
    """Those of a study's figures, or tables, that the runs at hand can show, with the published numbers in them."""
    return [each.draw(study, evidence) for each in displays if each.is_shown_by(evidence)]


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
    chosen = [by_id[each] for each in known(study.name, "claim", claims, by_id)]
    needed = set(study.experiments)
    if claims is not None:
        needed = {title for claim in chosen for title in claim.experiments}
        if alternatives:
            needed |= {title for claim in chosen for each in claim.alternatives for title in each.experiments}
    retained = needed & set(known(study.name, "experiment", experiments, study.experiments))
    lost = [
        claim.id
        for claim in chosen
        if not retained.issuperset(claim.experiments) or (claim.untestable and experiments is not None)
    ]
    if claims is not None and lost:
        raise StudyError(f"{study.name}: {', '.join(experiments or ())} alone cannot judge {', '.join(lost)}")
    chosen = [
        claim.model_copy(
            update={"alternatives": tuple(each for each in claim.alternatives if retained.issuperset(each.experiments))}
        )
        for claim in chosen
        if claim.id not in lost
    ]
    smaller = replace(
        study,
        variants=tuple(known(study.name, "version", variants, study.variants)),
        claims=tuple(chosen),
        figures=tuple(figure for figure in study.figures if retained.issuperset(figure.experiments)),
        tables=tuple(table for table in study.tables if retained.issuperset(table.experiments)),
    )
    if not (retained or chosen) or not smaller.variants:
        raise StudyError(f"{study.name}: no claim, experiment or version of the study was asked for")
    left = {title: smaller.part(title, smaller.variants) for title in study.experiments if title in retained}
    return replace(
        smaller, experiments=left, measured={title: study.measured[title] for title in study.measured if title in left}
    )


def controls_of(experiment: Experiment, axis: str) -> tuple[str, ...] | None:
    """What the experiment sweeps at `axis`, the path of a congestion control; None where that is no list."""
    swept = next((each for each in experiment.axes if each.path == axis), None)
    return None if swept is None else tuple(map(str, swept.values))


def known(whose: str, what: str, requested: Sequence[str] | None, there: Iterable[str]) -> list[str]:
    """What was asked for, in the order of what is there; all of that where nothing was.

    Raises:
        StudyError: something is not there.
    """
    names = list(there)
    for name in requested or ():
        if name not in names:
            hint = suggestion(name, names)
            raise StudyError(f'{whose}: there is no {what} "{name}"' + (f"; {hint}" if hint else ""))
    return names if requested is None else [name for name in names if name in requested]
