"""An experiment: a spec in which nothing is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path as FilePath
from typing import Any, Self

from pydantic import ValidationError

import dumbbell.cc as cc
from dumbbell.problem import Problem, SpecError
from dumbbell.spec.diagnosis import problems_of, without
from dumbbell.spec.inspection import experiment_problems, files
from dumbbell.spec.tables import Spec
from dumbbell.spec.trace import TraceError, read


class Experiment(Spec):
    """One description of an experiment; lists in it make it a sweep.

    The words are those of a spec file:

    >>> experiment = Experiment(
    ...     duration="10 s",
    ...     path={"rate": "80 Mbit/s", "rtt": "25 ms", "buffer": ["0.5 bdp", "1 bdp"]},
    ...     flows=[{"cc": "bbr", "count": 2}],
    ... )

    Raises `SpecError` with every problem at once.
    """

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
