"""A study is read from the folder that has its name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.resources.abc import Traversable
from pathlib import Path
from types import ModuleType

from pydantic import ValidationError

from dumbbell.errors import StudyError
from dumbbell.hosts.points import HostMeasurements
from dumbbell.hosts.points import read as read_points
from dumbbell.spec import Experiment
from dumbbell.spec import load as load_spec
from dumbbell.studies.claim import ClaimsFile, Vocabulary, claims_of
from dumbbell.studies.displays.loading import displays_of
from dumbbell.studies.formula import Formulas
from dumbbell.studies.manifest import (
    CLAIMS,
    FIGURES,
    FILE,
    advised_of,
    folder_of,
    manifest_of,
    problems_of,
    read_text,
    read_toml,
)
from dumbbell.studies.short import shortened
from dumbbell.studies.study import Study, controls_of


def load(name: str, *, seeds: int | None = None, short: bool = False) -> Study:
    """A study by its name, or its short form; with `seeds`, each of its experiments with the seeds 1 to that many.

    Raises:
        StudyError: there is none of that name, or its files contradict one another, or it has no short form.
        SpecError: one of its experiments has problems.
    """
    study = read(folder_of(name), seeds=seeds)
    return shortened(study) if short else study


def read(folder: Traversable, *, seeds: int | None = None) -> Study:
    """A study from its folder.

    An experiment with a table of the same name (`planes.csv` beside `planes.toml`) has the points of real hosts that
    are in it. The module `claims` of the study's name, if there is one, has what formulas cannot say, `figures` draws
    what rows cannot say.

    Raises:
        StudyError: its files contradict one another.
        SpecError: one of its experiments has problems.
    """
    manifest = manifest_of(folder)
    experiments: dict[str, Experiment] = {}
    measured: dict[str, HostMeasurements] = {}
    for title in manifest.experiments:
        spec = read_text(folder, f"{title}.toml")
        points = Path(str(folder.joinpath(f"{title}.csv")))
        if points.is_file():
            measured[title] = read_points(points, spec, overrides=_overrides(seeds))
            experiments[title] = measured[title].experiment
        else:
            experiments[title] = _experiment(spec, seeds)
    variants, axis = manifest.variants, manifest.axis
    controls = {
        title: dict.fromkeys(variants, control) if isinstance(control, str) else control
        for title, control in manifest.controls.items()
    }
    rivals = {title: control for title, control in manifest.controls.items() if isinstance(control, str)}
    fixed = (title for title, experiment in experiments.items() if controls_of(experiment, axis) is None)
    rivals |= {title: str(experiments[title].get("flows[0].cc")) for title in fixed if title not in rivals}
    written, drawn = read_toml(folder, CLAIMS), read_toml(folder, FIGURES)
    with _problems_in(folder, FILE):
        _agree(variants, axis, controls, experiments)
    with _problems_in(folder, CLAIMS):
        judged = ClaimsFile.model_validate(written)
        formulas = Formulas(judged.metrics, _module(folder.name, "claims"))
        formulas.refuse_broken()
        swept = {title: frozenset(each.path for each in spec.axes) - {axis} for title, spec in experiments.items()}
        claims = claims_of(judged.claims, Vocabulary(swept, formulas, variants))
    with _problems_in(folder, FIGURES):
        figures, tables = displays_of(drawn, formulas, experiments, _module(folder.name, "figures"))
    return Study(
        name=folder.name,
        manifest=manifest,
        readme=read_text(folder, "README.md"),
        variants=variants,
        experiments=experiments,
        claims=claims,
        metrics=formulas,
        published=read_toml(folder, "published.toml"),
        advised=advised_of(folder),
        figures=figures,
        tables=tables,
        controls=controls,
        rivals=rivals,
        measured=measured,
        seeds=seeds,
    )


@cache
def _experiment(spec: str, seeds: int | None) -> Experiment:
    """Each spec is checked once in a process: all its points are looked at, and an experiment never changes."""
    return load_spec(spec, overrides=_overrides(seeds))


def _overrides(seeds: int | None) -> dict[str, int] | None:
    return None if seeds is None else {"seeds": seeds}


@contextmanager
def _problems_in(folder: Traversable, file: str) -> Iterator[None]:
    """Says of each problem in which study and file it is."""
    try:
        yield
    except (StudyError, ValidationError) as error:
        lines = problems_of(error) if isinstance(error, ValidationError) else str(error).splitlines()
        raise StudyError("\n".join(f"study {folder.name}: {file}: {line}" for line in lines)) from None


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
        needed = controls.get(title, {variant: variant for variant in variants})
        there = controls_of(experiment, axis)
        if set(needed) != set(variants) or (there is not None and set(needed.values()) != set(there)):
            written = ", ".join(there or ())
            raise StudyError(f"experiment {title}: its {axis} ({written}) are not those of {', '.join(variants)}")


def _module(study: str, noun: str) -> ModuleType | None:
    package = f"dumbbell.studies.{study}"
    name = f"{package}.{noun}"
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name not in (name, package):  # a study that lies elsewhere has no package
            raise
        return None
