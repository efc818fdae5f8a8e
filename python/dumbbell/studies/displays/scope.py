"""What a row is drawn of: the version, experiment and point that its cases name, with the words for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from string import Formatter
from types import ModuleType
from typing import Any, Final

from dumbbell.cc import base_name
from dumbbell.charts.style import label_of
from dumbbell.errors import StudyError
from dumbbell.metrics.number import Limits
from dumbbell.studies.displays.rows import UNITS, Case, Displays, MeasuredRow, Repeated, Shown, Values
from dumbbell.studies.evidence import Evidence, RunData, SeedSweep
from dumbbell.studies.formula import Formula
from dumbbell.studies.study import Study

VERSION, EXPERIMENT = "version", "experiment"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """A part of a study's runs, as far as cases have narrowed it down."""

    study: Study
    evidence: Evidence
    row: Shown
    """The figure or table that is drawn."""
    displays: Displays
    drawing: ModuleType | None = None
    """The study's functions that draw layers, if it has any."""
    experiments: tuple[str, ...]
    """Those in question; one, once it is settled."""
    version: str = ""
    """Empty: not settled."""
    at: Mapping[str, Any] = field(default_factory=dict)
    terms: Mapping[str, Any] = field(default_factory=dict)
    identifying: frozenset[str] = frozenset()
    """Those words that only say which case it is."""

    @property
    def versions(self) -> tuple[str, ...]:
        """Those that the engine has of every experiment that the display shows."""
        return self.evidence.variants(*self.row.experiments)

    @property
    def experiment(self) -> str:
        """The experiment, or the first one in question."""
        return self.experiments[0]

    @property
    def settled(self) -> Scope:
        """The same with a version: the first one where none is settled."""
        return self if self.version else replace(self, version=self.versions[0])

    def error(self, message: str) -> StudyError:
        """What to raise about this display."""
        return StudyError(f"{self.row.name}: {message}")

    def has(self, terms: Mapping[str, Any]) -> bool:
        """Whether the cases' words are these."""
        return all(self.terms.get(name) == value for name, value in terms.items())

    def knows(self, template: str) -> bool:
        """Whether there are words for all of a template's braces."""
        names = {name.partition("[")[0] for _, name, _, _ in Formatter().parse(template) if name}
        return names <= self.terms.keys() | USUAL.keys()

    def narrowed(self, row: Repeated) -> Scope:
        """To the experiments and the point that a row names."""
        experiments = tuple(self.text(each) for each in row.experiment if self.knows(each)) or self.experiments
        for each in experiments:
            if each not in self.study.experiments:
                raise self.error(f'there is no experiment "{each}"')
        return replace(self, experiments=experiments, at={**self.at, **row.at})

    def over(self, row: Repeated, *usual: str) -> Iterator[Scope]:
        """One scope for each case of a row; `usual` are its dimensions if it names none."""
        at_once = all(map(self.knows, row.experiment)) or row.each is None
        for scope in (self.narrowed(row) if at_once else self).unique(usual if row.each is None else row.each):
            if scope.has(row.when):
                yield scope if at_once else scope.narrowed(row)

    def unique(self, dimensions: Iterable[str]) -> list[Scope]:
        """One scope for each case of all these dimensions, the first one outermost.

        What is the same for several versions, as CUBIC's own runs, is there once.
        """
        scopes = [self]
        for dimension in dimensions:
            scopes = [inner for scope in scopes for inner in scope._of(dimension)]  # noqa: SLF001 (its own)
        distinct: dict[str, Scope] = {}
        for scope in scopes:
            controls = [scope.control_in(each) for each in scope.experiments]
            distinct.setdefault(repr((scope.experiments, controls, scope.at, scope.terms)), scope)
        return list(distinct.values())

    def _of(self, dimension: str) -> Iterator[Scope]:
        if dimension == VERSION:
            yield from (replace(self, version=version) for version in self.versions)
        elif dimension == EXPERIMENT:
            yield from (replace(self, experiments=(each,)) for each in self.experiments)
        else:
            cases = self.displays.cases[dimension]
            if isinstance(cases, Values):
                runs = () if cases.values else self.evidence.of(self.experiment, self.settled.version)[0].runs
                cases = cases.cases(run.point[cases.field] for run in runs)
            for place, case in enumerate(cases):
                if self.has(case.when):
                    yield self.bound(dimension, place, case)

    def bound(self, dimension: str, place: int, case: Case) -> Scope:
        """Narrowed down to one case."""
        identifying = {dimension: self.text(case.words), f"{dimension}_place": place}
        more = case.model_extra or {}
        experiment = self.text(case.experiment)
        return replace(
            self,
            terms={**self.terms, **identifying, **more},
            identifying=self.identifying | (identifying.keys() - more.keys()),
            at={**self.at, **case.at},
            experiments=(experiment,) if experiment else self.experiments,
        )

    def control_in(self, experiment: str) -> str:
        """What sends in an experiment, with the parameters that the version is given there."""
        return self.study.rivals.get(experiment) or self.study.control(experiment, self.settled.version)

    @property
    def sender(self) -> str:
        """The algorithm or variant in question, without parameters: of the group, where a case names one."""
        own = base_name(self.control_in(self.experiment))
        group = self.terms.get("group")
        return own if group in {None, own.partition("_")[0]} else str(group)

    @property
    def sender_label(self) -> str:
        """Its name, with the kernel that the engine has."""
        return label_of(self.sender, self.evidence.engine)

    @property
    def group(self) -> str:
        """The algorithm that the document would call it by: "bbr", "cubic", "reno"."""
        return str(self.terms.get("group") or self.sender.partition("_")[0])

    def text(self, template: str) -> str:
        """A template with words in the place of braces.

        Raises:
            StudyError: there are no such words here.
        """
        try:
            return template.format_map(self)
        except (LookupError, TypeError, ValueError) as error:
            raise self.error(f'"{template}" has {error}, of which nothing is known here') from None

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 (a text, a number, or the published tables)
        """A word of a template."""
        if name in self.terms:
            return self.terms[name]
        for each in self.row.experiments:
            if name.lower() in {f"means_{each}", f"seeds_{each}"}:
                trials = self.evidence.of(each, self.settled.version)
                return len(trials) if name.startswith("seeds") else _means(trials)
        return USUAL[name](self)

    @property
    def about(self) -> tuple[object, ...]:
        """Its runs, and all the words that do more than say which runs these are."""
        own = tuple((name, repr(value)) for name, value in self.terms.items() if name not in self.identifying)
        runs = tuple(id(run) for trial in self.trials() for run in trial.runs)
        return self.experiments, self.settled.version, own, runs

    def trials(self) -> list[SeedSweep]:
        """The runs in question, of one experiment after the other, seed by seed."""
        return [
            self._here(trial) for each in self.experiments for trial in self.evidence.of(each, self.settled.version)
        ]

    def trials_with(self, others: Sequence[str]) -> list[tuple[SeedSweep, ...]]:
        """Those of the first experiment in question, seed by seed, with those of other experiments at the same seed."""
        if not others:
            return [(trial,) for trial in self.trials()]
        names = [self.experiment, *map(self.text, others)]
        together = self.evidence.together(names, self.settled.version)
        return [tuple(map(self._here, each)) for each in together]

    def run(self) -> RunData:
        """The run in question, of the first seed."""
        return self.trials()[0].only

    def _here(self, trial: SeedSweep) -> SeedSweep:
        """The part of a sweep that has the values of the cases, as far as it sweeps these fields."""
        swept = {path for run in trial.runs for path in run.point}
        return trial.where({path: value for path, value in self.at.items() if path in swept})

    def published(self, path: str) -> Any:  # noqa: ANN401 (of a TOML file)
        """What `published.toml` has at a path: "figure8a.bbr_percent.0".

        Raises:
            StudyError: it has no such thing.
        """
        value: Any = self.study.published
        for step in self.text(path).split("."):
            try:
                value = value[int(step) if isinstance(value, list) else step]
            except (LookupError, TypeError, ValueError):
                raise self.error(f'nothing is published at "{self.text(path)}"') from None
        return value

    def formula(self, text: str) -> Formula:
        """What a row measures.

        Raises:
            StudyError: it is no formula, or has a name that there is not.
        """
        return self.study.metrics.parse(self.text(text))

    def limits(self, row: MeasuredRow) -> Limits:
        """What a row's number can be, in the row's unit."""
        low, high = sorted(self.factor(row) * limit for limit in self.formula(row.metric).limits)
        return low, high

    def factor(self, row: MeasuredRow, unit: str = "") -> float:
        """From base units to those in which a row shows a number; `unit` is that of a row without one."""
        if row.factor is None:
            return UNITS[row.unit or unit]
        return float(Fraction(self.text(row.factor))) if isinstance(row.factor, str) else row.factor


def _family(group: str) -> str:
    """An algorithm as documents write it, without a version: "BBR", "CUBIC", "Reno"."""
    return group.capitalize() if group == "reno" else group.upper()


def _means(trials: Sequence[SeedSweep]) -> str:
    return f"mean over {len(trials)} seeds with 95 % intervals (Student's t)" if len(trials) > 1 else "one seed"


def _first(scope: Scope) -> tuple[SeedSweep, ...]:
    return scope.evidence.of(scope.row.experiments[0], scope.settled.version)


USUAL: Final[Mapping[str, Callable[[Scope], Any]]] = {
    "version": lambda scope: label_of(scope.settled.version, scope.evidence.engine),
    "sender": lambda scope: scope.sender_label,
    "cubic": lambda scope: label_of("cubic", scope.evidence.engine),
    "style": lambda scope: scope.sender,
    "group": lambda scope: scope.group,
    "family": lambda scope: _family(scope.group),
    "engine": lambda scope: scope.evidence.engine,
    "short": lambda scope: scope.study.manifest.short,
    "published": lambda scope: scope.study.published,
    "source": lambda scope: scope.published(f"{scope.row.source}.source"),
    "means": lambda scope: _means(_first(scope)),
    "Means": lambda scope: _means(_first(scope)).capitalize(),
    "seed": lambda scope: _first(scope)[0].seed,
    "seeds": lambda scope: len(_first(scope)),
}
"""The words that every template can have; also means_X and seeds_X of an experiment X that the display shows."""
