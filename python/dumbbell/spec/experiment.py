"""An experiment: one path, its flows, and what to measure, as a spec says it."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self, TypeAlias

from pydantic import Discriminator, Field, PrivateAttr, Tag, ValidationError

import dumbbell.cc as cc
from dumbbell.spec.diagnosis import problems_of, without
from dumbbell.spec.inspection import experiment_problems, trace_paths
from dumbbell.spec.problem import Problem, SpecError
from dumbbell.spec.quantity import Time
from dumbbell.spec.run import Trace
from dumbbell.spec.section import Section, Swept, Unsettled, form
from dumbbell.spec.tables import MOST_FLOWS, Duration, Flow, Host, Instant, Measure, Name, Path, TimeLimit
from dumbbell.spec.trace import TraceError, read_trace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

MOST_SEEDS = 1_000_000

Seeds: TypeAlias = Annotated[
    Annotated[int, Field(strict=True, ge=1, le=MOST_SEEDS), Tag("#one")]
    | Annotated[
        list[Annotated[int, Field(strict=True, ge=0, lt=2**63)]],
        Field(min_length=1, max_length=MOST_SEEDS),
        Tag("#sweep"),
    ],
    Discriminator(form),
]


class Experiment(Section):
    """One description of an experiment; lists in it make it a sweep.

    The words are those of a spec file:

    >>> experiment = Experiment(
    ...     duration="10 s",
    ...     path={"rate": "80 Mbit/s", "rtt": "25 ms", "buffer": ["0.5 bdp", "1 bdp"]},
    ...     flows=[{"cc": "bbr", "count": 2}],
    ... )

    Raises `SpecError` with every problem at once.
    """

    lists: ClassVar[frozenset[str]] = frozenset({"seeds", "zip", "flows"})

    name: Name = "experiment"
    duration: Swept[Duration] = Field(examples=["300 s"])
    time_limit: Swept[TimeLimit] | None = None
    seeds: Seeds = 1
    start_jitter: Swept[Instant] = Time("0 s")
    zip: list[Annotated[list[str], Field(min_length=2)]] = Field(default=[])
    path: Path = Field(examples=["[path]"])
    flows: Annotated[list[Flow], Field(min_length=1, max_length=MOST_FLOWS)] = Field(examples=["[[flows]]"])
    host: Host = Host()
    measure: Measure = Measure()

    _folder: FilePath = PrivateAttr(default=FilePath())
    _registry: cc.Registry = PrivateAttr(default={})
    _traces: dict[str, Trace] = PrivateAttr(default={})

    def __init__(self, /, **words: object) -> None:
        self._admit(words, FilePath(), cc.known())

    @classmethod
    def of(cls, words: Mapping[str, Any], *, folder: FilePath, registry: cc.Registry) -> Self:
        """Make an experiment of a spec's words, with files relative to `folder`."""
        experiment = cls.__new__(cls)
        experiment._admit(words, folder, registry)  # noqa: SLF001 (its own)
        return experiment

    @property
    def registry(self) -> cc.Registry:
        """The congestion controls that it may name."""
        return self._registry

    @property
    def folder(self) -> FilePath:
        """Where its files are."""
        return self._folder

    @property
    def seed_values(self) -> Sequence[int]:
        """Every seed: those listed, or 1 to n."""
        return range(1, self.seeds + 1) if isinstance(self.seeds, int) else self.seeds

    def trace_of(self, name: str) -> Trace:
        """Give the writes of a trace that the spec names."""
        if name not in self._traces:
            raise Unsettled
        return self._traces[name]

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
        self._folder, self._registry, self._traces = folder, registry, {}
        problems += self._read_traces()
        problems += experiment_problems(self)
        if problems:
            raise SpecError(problems)

    def _read_traces(self) -> Iterator[Problem]:
        for path, name in trace_paths(self):
            try:
                if name not in self._traces:
                    self._traces[name] = read_trace(self._folder / name)
            except TraceError as error:
                yield Problem(path, error.message, error.hint)
