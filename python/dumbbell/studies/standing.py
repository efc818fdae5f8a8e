"""How a study stands: what a store has of it on an engine, what that tells, and what is missing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any

from dumbbell.engines.registry import engine as engine_named
from dumbbell.plots.chart import Chart
from dumbbell.studies.command import run_command
from dumbbell.studies.gathering import gather
from dumbbell.studies.verdict import NOT_REPRODUCED, REPRODUCED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dumbbell.engines.protocol import Engine
    from dumbbell.plots.table import Table
    from dumbbell.studies.evidence import Evidence, Source
    from dumbbell.studies.study import Display, Study
    from dumbbell.studies.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Runs that are missing."""

    engine: str
    experiment: str
    variant: str
    """The version of the algorithm."""
    there: int
    needed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A figure or a table as an engine's runs show it."""

    display: Chart | Table
    seed: int | None
    """The one that it shows; None: all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A study on one engine."""

    study: Study
    evidence: Evidence
    verdicts: tuple[Verdict, ...]
    """On every claim with each version, in the document's order."""

    @property
    def engine(self) -> str:
        """Its name."""
        return self.evidence.engine

    @property
    def runs(self) -> tuple[int, int]:
        """How many runs are there, and how many the engine can carry out."""
        found = self.evidence.coverage.values()
        ids = frozenset[str]().union(*(coverage.ids for coverage in found))
        missing = frozenset[str]().union(*(coverage.missing for coverage in found))
        return len(ids - missing), len(ids)

    @property
    def begun(self) -> bool:
        """Whether any of its runs is there."""
        return self.runs[0] > 0

    def gaps(self) -> list[Gap]:
        """What is missing, by experiment and version."""
        return [
            Gap(
                engine=self.engine, experiment=experiment, variant=variant, there=coverage.there, needed=coverage.needed
            )
            for (experiment, variant), coverage in self.evidence.missing.items()
        ]  # fmt: skip

    def command(self, *, out: str = "") -> str:
        """What makes the missing runs."""
        lacking, complete = set(self.evidence.missing), set(self.evidence.coverage) - set(self.evidence.missing)
        experiments = {experiment for experiment, _ in lacking} if complete else ()
        variants = {variant for _, variant in lacking}
        some = variants if variants != set(self.study.variants) else ()
        return run_command(self.study, self.engine, experiments, some, out=out)

    def drawable(self) -> list[Display[Chart] | Display[Table]]:
        """The figures and tables of which all runs are there, of one version at least."""
        planned: list[Display[Chart] | Display[Table]] = [*self.study.figures, *self.study.tables]
        return [each for each in planned if self.evidence.variants(*each.experiments)]

    def charts(self) -> list[Chart]:
        """The figures of which all runs are there, of one version at least."""
        return self.study.drawn(self.evidence)

    def tables(self) -> list[Table]:
        """The tables of which all runs are there, of one version at least."""
        return self.study.tabled(self.evidence)

    def shown(self) -> Iterator[Shown]:
        """Figures and tables; one that shows a single seed, with each seed in turn.

        Such a one shows the first trial: it is one that changes when another trial is the first.
        """
        for each in self.drawable():
            first, *others = self._seeds(each)
            display = each.draw(self.study, self.evidence)
            led = (Shown(display=each.draw(self.study, self.evidence.led_by(seed)), seed=seed) for seed in others)
            second = next(led, None)
            if second is None or _looks(second.display) == _looks(display):
                yield Shown(display=display, seed=None)
            else:
                yield from (Shown(display=display, seed=first), second, *led)

    def _seeds(self, display: Display[Any]) -> list[int]:
        """Of the trials that a figure or a table shows, the one that leads first."""
        variants = self.evidence.variants(*display.experiments)
        trials = (self.evidence.of(title, variant) for title in display.experiments for variant in variants)
        return list(dict.fromkeys(trial.seed for each in trials for trial in each))


def standing(study: Study, source: Source, engine: Engine | str) -> Standing:
    """How a study stands on an engine.

    Raises:
        UnknownEngine: there is no such engine in this version.
    """
    evidence = gather(study, source, engine_named(engine) if isinstance(engine, str) else engine)
    return Standing(study=study, evidence=evidence, verdicts=tuple(study.verdicts(evidence)))


def in_order(verdicts: Iterable[Iterable[Verdict]]) -> list[Verdict]:
    """The verdicts of several engines, what they say of a claim with a version beside one another."""
    found = [verdict for own in verdicts for verdict in own]
    order = {key: place for place, key in enumerate(dict.fromkeys((each.claim, each.variant) for each in found))}
    return sorted(found, key=lambda each: order[each.claim, each.variant])


def disputed(verdicts: Iterable[Verdict]) -> set[tuple[str, str]]:
    """Claims with versions that one engine reproduces and another does not."""
    told = {
        (each.claim, each.variant, each.verdict) for each in verdicts if each.verdict in {REPRODUCED, NOT_REPRODUCED}
    }
    counted = Counter((claim, variant) for claim, variant, _ in told)
    return {key for key, words in counted.items() if words > 1}


def _looks(display: Chart | Table) -> object:
    """What is drawn of it, to six digits: whoever adds up seeds in another order draws the same."""
    return _rounded(display.panels if isinstance(display, Chart) else display.rows)


def _rounded(value: object) -> object:
    if isinstance(value, float):
        return f"{value:.6g}"  # as text, because no NaN is like another
    if is_dataclass(value):
        return tuple(_rounded(getattr(value, each.name)) for each in fields(value))
    return tuple(map(_rounded, value)) if isinstance(value, tuple) else value
