"""What a row is drawn of: the version, experiment and point that its cases name, with the words for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from string import Formatter
from types import ModuleType
from typing import Any

from dumbbell.cc import base_name
from dumbbell.charts.chart import Layer
from dumbbell.charts.style import label_of
from dumbbell.errors import StudyError
from dumbbell.metrics.number import Limits
from dumbbell.studies.displays.rows import UNITS, Case, Displays, Repeated, Shown, Values
from dumbbell.studies.evidence import Evidence, RunData, SeedSweep
from dumbbell.studies.study import Study

VERSION, EXPERIMENT = "version", "experiment"
Cases = dict[str, Values | tuple["Case", ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """A part of a study's runs, as far as cases have narrowed it down."""

    study: Study
    evidence: Evidence
    drawing: ModuleType | None
    """The study's functions that draw layers, if it has any."""
    cases: Cases
    display: str
    shown: tuple[str, ...]
    """The experiments that the display shows."""
    source: str = ""
    experiments: tuple[str, ...] = ()
    """Those in question; one, once it is settled."""
    version: str = ""
    """Empty: not settled."""
    at: tuple[tuple[str, Any], ...] = ()
    terms: tuple[tuple[str, Any], ...] = ()
    identifying: frozenset[str] = frozenset()
    """Those words that only say which case it is."""

    @classmethod
    def of(cls, row: Shown, displays: Displays, drawing: ModuleType | None, study: Study, evidence: Evidence) -> Scope:
        """All that a figure or a table shows."""
        return cls(
            study=study,
            evidence=evidence,
            drawing=drawing,
            cases=displays.cases,
            display=row.name,
            shown=row.experiments,
            experiments=row.experiments,
            source=row.source,
        )

    @property
    def versions(self) -> tuple[str, ...]:
        """Those that the engine has of every experiment that the display shows."""
        return self.evidence.variants(*self.shown)

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
        return StudyError(f"{self.display}: {message}")

    def has(self, terms: Mapping[str, Any]) -> bool:
        """Whether the cases' words are these."""
        return all(self.word(name) == value for name, value in terms.items())

    def knows(self, template: str) -> bool:
        """Whether there are words for all of a template's braces."""
        names = {name.partition("[")[0] for _, name, _, _ in Formatter().parse(template) if name}
        return names <= dict(self.terms).keys() | _TERMS.keys()

    def narrowed(self, row: Repeated) -> Scope:
        """To the experiments and the point that a row names."""
        experiments = tuple(self.text(each) for each in row.experiment if self.knows(each)) or self.experiments
        for each in experiments:
            if each not in self.study.experiments:
                raise self.error(f'there is no experiment "{each}"')
        return replace(self, experiments=experiments, at=(*self.at, *row.at.items()))

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
            version = scope.control if len(scope.experiments) == 1 else scope.version
            distinct.setdefault(repr((scope.experiments, version, scope.at, scope.terms)), scope)
        return list(distinct.values())

    def _of(self, dimension: str) -> Iterator[Scope]:
        if dimension == VERSION:
            yield from (replace(self, version=version) for version in self.versions)
        elif dimension == EXPERIMENT:
            yield from (replace(self, experiments=(each,)) for each in self.experiments)
        elif dimension not in self.cases:
            raise self.error(f'there are no cases "{dimension}"')
        else:
            for place, case in enumerate(self._cases(self.cases[dimension])):
                if self.has(case.when):
                    yield self.bound(dimension, place, case)

    def _cases(self, members: Values | tuple[Case, ...]) -> tuple[Case, ...]:
        if not isinstance(members, Values):
            return members
        runs = () if members.values else self.evidence.of(self.experiment, self.settled.version)[0].runs
        swept = dict.fromkeys(run.point[members.field] for run in runs)
        return members.model_copy(update={"values": tuple(swept)}).cases() if swept else members.cases()

    def bound(self, dimension: str, place: int, case: Case) -> Scope:
        """Narrowed down to one case."""
        identifying = {dimension: self.text(case.words), f"{dimension}_place": place}
        more = case.model_extra or {}
        experiment = self.text(case.experiment)
        return replace(
            self,
            terms=(*self.terms, *(identifying | more).items()),
            identifying=self.identifying | (identifying.keys() - more.keys()),
            at=(*self.at, *case.at.items()),
            experiments=(experiment,) if experiment else self.experiments,
        )

    def word(self, name: str) -> Any:  # noqa: ANN401 (a text or a number)
        """A word of a case; None where no case has it."""
        return dict(self.terms).get(name)

    @property
    def control(self) -> str:
        """What sends in the experiment, with the parameters that the version is given there."""
        name, version = self.experiment, self.settled.version
        return self.study.rivals.get(name) or self.study.control(name, version)

    @property
    def sender(self) -> str:
        """The algorithm or variant in question, without parameters: of the group, where a case names one."""
        own = base_name(self.control)
        group = self.word("group")
        return own if group in {None, own.partition("_")[0]} else str(group)

    @property
    def group(self) -> str:
        """The algorithm that the document would call it by: "bbr", "cubic", "reno"."""
        return str(self.word("group") or self.sender.partition("_")[0])

    def text(self, template: str) -> str:
        """A template with words in the place of braces.

        Raises:
            StudyError: there are no such words here.
        """
        if "{" not in template:
            return template
        try:
            return template.format_map(_Terms(self))
        except (LookupError, TypeError, ValueError) as error:
            raise self.error(f'"{template}" has {error}, of which nothing is known here') from None

    @property
    def about(self) -> tuple[object, ...]:
        """Its runs, and all the words that do more than say which runs these are."""
        version, at = self.settled.version, dict(self.at)
        trials = [_at(trial, at) for each in self.experiments for trial in self.evidence.of(each, version)]
        own = tuple((name, repr(value)) for name, value in self.terms if name not in self.identifying)
        return self.experiments, version, own, tuple(id(run) for trial in trials for run in trial.runs)

    def trials(
        self, others: Sequence[str] = (), also: Sequence[str] = ()
    ) -> list[SeedSweep] | list[tuple[SeedSweep, ...]]:
        """The runs in question, seed by seed, with those of other experiments at the same seed."""
        scope, at = self.settled, dict(self.at)
        if others:
            together = self.evidence.together([self.experiment, *map(self.text, others)], scope.version)
            return [tuple(_at(trial, at) for trial in each) for each in together]
        names = (self.experiment, *map(self.text, also))
        return [_at(trial, at) for name in names for trial in self.evidence.of(name, scope.version)]

    def run(self) -> RunData:
        """The run in question, of the first seed."""
        return _at(self.evidence.of(self.experiment, self.settled.version)[0], dict(self.at)).only

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

    def metric(self, name: str) -> Callable[..., float | None]:
        """What a formula gives of a run or of a sweep, and of those beside it.

        Raises:
            StudyError: it is no formula, or has a name that there is not.
        """
        formula = self.study.metrics.parse(self.text(name))
        return lambda one, *others: (formula.value if isinstance(one, SeedSweep) else formula.of_run)(one, *others)

    def limits(self, name: str, factor: float) -> Limits:
        """What a formula can be, times a factor."""
        low, high = sorted(factor * limit for limit in self.study.metrics.parse(self.text(name)).limits)
        return low, high

    def factor(self, unit: str, factor: float | str | None) -> float:
        """From base units to those that are drawn."""
        if factor is not None:
            return float(self.text(factor)) if isinstance(factor, str) else factor
        if unit not in UNITS:
            raise self.error(f'unknown unit "{unit}"; known: {", ".join(filter(None, UNITS))}')
        return UNITS[unit]


def layers_function(name: str, drawing: ModuleType | None) -> Callable[[Scope], Iterable[Layer]]:
    """A study's function that draws the layers of a line.

    Raises:
        StudyError: there is none of that name.
    """
    function: Callable[[Scope], Iterable[Layer]] | None = getattr(drawing, name, None)
    if function is None:
        raise StudyError(f'figures.py has no function "{name}"')
    return function


def _family(group: str) -> str:
    """An algorithm as documents write it, without a version: "BBR", "CUBIC", "Reno"."""
    return group.capitalize() if group == "reno" else group.upper()


def _means(trials: Sequence[SeedSweep]) -> str:
    return f"mean over {len(trials)} seeds with 95 % intervals (Student's t)" if len(trials) > 1 else "one seed"


class _Terms(dict[str, Any]):
    """The words of a scope, found when a template has them."""

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope.terms)
        self._scope = scope

    def __missing__(self, key: str) -> Any:  # noqa: ANN401 (a text, or the published tables)
        scope = self._scope
        experiment = next((each for each in scope.shown if key.lower() in {f"means_{each}", f"seeds_{each}"}), "")
        if experiment:
            trials = scope.evidence.of(experiment, scope.settled.version)
            return len(trials) if key.startswith("seeds") else _means(trials)
        if key not in _TERMS:
            raise KeyError(key)
        return _TERMS[key](scope)


def _first(scope: Scope) -> tuple[SeedSweep, ...]:
    return scope.evidence.of(scope.shown[0], scope.settled.version)


_TERMS: Mapping[str, Callable[[Scope], Any]] = {
    "version": lambda scope: label_of(scope.settled.version, scope.evidence.engine),
    "sender": lambda scope: label_of(scope.sender, scope.evidence.engine),
    "cubic": lambda scope: label_of("cubic", scope.evidence.engine),
    "style": lambda scope: scope.sender,
    "group": lambda scope: scope.group,
    "family": lambda scope: _family(scope.group),
    "engine": lambda scope: scope.evidence.engine,
    "short": lambda scope: scope.study.manifest.short,
    "published": lambda scope: scope.study.published,
    "source": lambda scope: scope.published(f"{scope.source}.source"),
    "means": lambda scope: _means(_first(scope)),
    "Means": lambda scope: _means(_first(scope)).capitalize(),
    "seed": lambda scope: _first(scope)[0].seed,
    "seeds": lambda scope: len(_first(scope)),
}
"""What every template can have; beside these means_X and seeds_X of an experiment X that the display shows."""


PLACEHOLDERS = frozenset(_TERMS)


def _at(trial: SeedSweep, point: Mapping[str, Any]) -> SeedSweep:
    swept = {path for run in trial.runs for path in run.point}
    return trial.where({path: value for path, value in point.items() if path in swept})
