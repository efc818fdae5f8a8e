"""An experiment: a spec in which nothing is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from inspect import Parameter, Signature
from pathlib import Path as FilePath
from typing import Any, ClassVar, Self

from pydantic import ValidationError

import dumbbell.cc as cc
from dumbbell.problem import Problem, SpecError
from dumbbell.spec.diagnosis import problems_of, without
from dumbbell.spec.inspection import experiment_problems, files
from dumbbell.spec.quantity import Quantity
from dumbbell.spec.section import Section
from dumbbell.spec.sweep import Grid
from dumbbell.spec.tables import Spec
from dumbbell.spec.trace import TraceError, read
from dumbbell.spec.writer import toml


class Experiment(Spec):
    """One description of an experiment; lists in it make it a sweep.

    The words are those of a spec file, each table a dictionary:

    >>> experiment = Experiment(
    ...     duration="10 s",
    ...     path={"rate": "80 Mbit/s", "rtt": "25 ms", "buffer": ["0.5 bdp", "1 bdp"]},
    ...     flows=[{"cc": "bbr", "count": 2}],
    ... )
    >>> experiment
    <Experiment experiment; points: 2; seeds: 1; path.buffer = 0.5 bdp, 1 bdp>

    Raises `SpecError` with every problem at once.
    """

    _OFFERED: ClassVar = ("seed_values", "toml", "words")

    def __init__(self, /, **words: object) -> None:
        self._admit(words, FilePath(), cc.known())

    @classmethod
    def of(cls, words: Mapping[str, Any], *, folder: FilePath, registry: cc.Registry) -> Self:
        """Make an experiment of a spec's words, with files relative to `folder`."""
        experiment = cls.__new__(cls)
        experiment._admit(words, folder, registry)  # noqa: SLF001 (its own)
        return experiment

    @property
    def seed_values(self) -> Sequence[int]:
        """Every seed: those listed, or 1 to n."""
        return range(1, self.seeds + 1) if isinstance(self.seeds, int) else self.seeds

    @property
    def names_programs(self) -> bool:
        """Whether a flow's workload, at some point, is a program."""
        words = (flow.get("workload") for flow in self.words()["flows"])
        every = (each for word in words for each in (word if isinstance(word, list) else [word]))
        return any(isinstance(each, dict) and "command" in each for each in every)

    def toml(self) -> str:
        """The experiment as a spec file.

        >>> print(Experiment(duration="1 s", path={"rate": "1 Mbit/s", "rtt": "9 ms", "buffer": "9 kB"},
        ...     flows=[{"cc": "reno"}]).toml().partition("[path]")[0].rstrip())
        duration = "1 s"
        """
        return toml(self.words())

    def __repr__(self) -> str:
        grid = Grid.of(self)
        swept = [f"{axis.path} = {', '.join(map(str, axis.values))}" for axis in grid.axes]
        return (
            f"<Experiment {'; '.join([self.name, f'points: {len(grid)}', f'seeds: {len(self.seed_values)}', *swept])}>"
        )

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.toml())}</pre>"

    def __dir__(self) -> list[str]:
        return sorted([*type(self).model_fields, *self._OFFERED])

    def _admit(self, words: Mapping[str, Any], folder: FilePath, registry: cc.Registry) -> None:
        """Become what the words say, or tell all that is wrong with them."""
        validate = type(self).__pydantic_validator__.validate_python
        problems: list[Problem] = []
        try:
            validate(dict(words), self_instance=self)
        except ValidationError as error:
            problems += problems_of(error, type(self))
            try:
                validate(without(words, error), self_instance=self)
            except ValidationError:  # too broken to ask more
                raise SpecError(problems) from None
        self._folder, self._registry, self._files = folder, registry, {}
        problems += self._read_files()
        problems += experiment_problems(self)
        if problems:
            raise SpecError(problems)

    def _read_files(self) -> Iterator[Problem]:
        for path, kind, name in files(self):
            try:
                if (kind, name) not in self._files:
                    self._files[kind, name] = read(kind, self._folder / name)
            except TraceError as error:
                yield Problem(path, error.message, error.hint)


def _signature() -> Signature:
    """The keys of a spec with the defaults as one writes them, which a notebook shows for `Experiment?`."""
    parameters = []
    for name, field in Spec.model_fields.items():
        default = {} if isinstance(field.default, Section) else field.default
        default = str(default) if isinstance(default, Quantity) else default
        missing = Parameter.empty if field.is_required() else default
        parameters.append(Parameter(name, Parameter.KEYWORD_ONLY, default=missing))
    return Signature(sorted(parameters, key=lambda each: each.default is not Parameter.empty))


Experiment.__signature__ = _signature()
