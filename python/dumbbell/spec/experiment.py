"""An experiment: a spec in which nothing is wrong; and its points."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from inspect import Parameter, Signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack

import dumbbell._core as _core
import dumbbell.cc as cc
import dumbbell.text_file as text_file
from dumbbell.problem import given, quoted
from dumbbell.spec.expectation import Expectation

if TYPE_CHECKING:
    from dumbbell.spec.fields import Fields

LARGEST_FILE_BYTES = 64 * 2**20
"""Of a file that a spec names."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A list where one value belongs."""

    path: str
    """The field that it varies."""
    values: Sequence[Any]
    """As the spec wrote them."""


class Experiment:
    """One description of an experiment; lists in it make it a sweep.

    The fields are those of a spec file, each table a dictionary:

    >>> experiment = Experiment(
    ...     duration="10 s",
    ...     path={"rate": "80 Mbit/s", "rtt": "25 ms", "buffer": ["0.5 bdp", "1 bdp"]},
    ...     flows=[{"cc": "bbr", "count": 2}],
    ... )
    >>> experiment
    <Experiment experiment; points: 2; seeds: 1; path.buffer = 0.5 bdp, 1 bdp>

    Raises `SpecError` with every problem at once.
    """

    __slots__ = ("_files", "_folder", "_registry", "_spec")

    def __init__(self, /, **fields: Unpack[Fields]) -> None:
        self._admit(fields, {}, Path(), cc.known())

    @classmethod
    def of(  # noqa: PLR0913 (all that a spec may come with)
        cls, spec: str | Mapping[str, Any], overrides: Mapping[str, Any] | None = None, *, folder: Path,
        registry: cc.Registry, where: str = "spec", name: str | None = None,
    ) -> Self:  # fmt: skip
        """Make an experiment of a spec's text or fields.

        `overrides` has values by the paths of their fields; files are relative to `folder`; a problem with the text is
        one of the file `where`; `name` is that of an experiment which says none.
        """
        experiment = cls.__new__(cls)
        experiment._admit(spec, overrides or {}, folder, registry, where, name)  # noqa: SLF001 (its own)
        return experiment

    @property
    def name(self) -> str:
        """Its name.

        >>> Experiment(duration="1 s", path={"rate": "1 Mbit/s", "rtt": "9 ms", "buffer": "9 kB"},
        ...     flows=[{"cc": "reno"}]).name
        'experiment'
        """
        return self._spec.name

    @property
    def seed_values(self) -> Sequence[int]:
        """Every seed: those listed, or 1 to n."""
        seeds = self._spec.seeds
        return range(1, seeds + 1) if isinstance(seeds, int) else seeds

    @property
    def axes(self) -> list[Axis]:
        """Every list where one value belongs, in order of appearance."""
        return [Axis(path, values) for path, values in self._spec.axes()]

    @property
    def bundles(self) -> list[list[str]]:
        """The paths of the axes, those that vary together in one list; the first list varies slowest."""
        return self._spec.bundles()

    @property
    def registry(self) -> cc.Registry:
        """The congestion controls that it may name."""
        return self._registry

    @property
    def folder(self) -> Path:
        """The folder that the spec's relative file names start from."""
        return self._folder

    @property
    def files(self) -> Mapping[str, str]:
        """The texts of the files that it names, by their names in the spec."""
        return self._files

    @property
    def names_programs(self) -> bool:
        """Whether a flow's workload, at some point, is a program."""
        workloads = (flow.get("workload") for flow in self.fields()["flows"])
        every = (each for workload in workloads for each in (workload if isinstance(workload, list) else [workload]))
        return any(isinstance(each, dict) and "command" in each for each in every)

    @property
    def expectations(self) -> list[Expectation]:
        """What its runs must show."""
        return [
            Expectation(
                **each,
                by=self.get(f"expect[{place}].by"),
                start=self.get(f"expect[{place}].from"),
                slack_text=self.get(f"expect[{place}].{'at_least' if each['is_least'] else 'at_most'}.slack"),
            )
            for place, each in enumerate(self._spec.expectations())
        ]

    def __len__(self) -> int:
        """How many points it has."""
        return len(self._spec)

    def point(self, number: int) -> Point:
        """Give the point at this place in the order of expansion, from 0."""
        return Point(self._spec.values(number), self, number)

    def get(self, path: str) -> Any:  # noqa: ANN401 (whatever a field may have)
        """Give what a field has, as the spec wrote it or by default; None of what is absent.

        >>> experiment = Experiment(duration="1 s", path={"rate": "1 Mbit/s", "rtt": "9 ms", "buffer": "9 kB"},
        ...     flows=[{"cc": ["reno", "bbr"]}])
        >>> experiment.get("path.loss"), experiment.get("flows[0].cc"), experiment.get("flows[0].stop")
        ('0 %', ['reno', 'bbr'], None)
        """
        return self._spec.get(path)

    def of_groups(self, key: str) -> list[Any]:
        """Give what each group of flows has at a key, as `get` does."""
        return [self.get(f"flows[{place}].{key}") for place in range(len(self.get("flows")))]

    def is_written(self, path: str) -> bool:
        """Tell whether a field of the spec or of one of its tables was written, as `path.jitter`."""
        return self._spec.is_written(path)

    def fields(self) -> dict[str, Any]:
        """Give the experiment as it was written; what is at its default is left out."""
        return self._spec.fields()

    def toml(self) -> str:
        """The experiment as a spec file.

        >>> print(Experiment(duration="1 s", path={"rate": "1 Mbit/s", "rtt": "9 ms", "buffer": "9 kB"},
        ...     flows=[{"cc": "reno"}]).toml().partition("[path]")[0].rstrip())
        duration = "1 s"
        """
        return _core.to_toml(self.fields())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Experiment) and self.fields() == other.fields()

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Callable[..., Experiment], tuple[object, ...]]:
        return _again, (self.fields(), self._folder, self._registry)

    def __repr__(self) -> str:
        swept = [f"{axis.path} = {', '.join(map(str, axis.values))}" for axis in self.axes]
        return (
            f"<Experiment {'; '.join([self.name, f'points: {len(self)}', f'seeds: {len(self.seed_values)}', *swept])}>"
        )

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.toml())}</pre>"

    def _admit(  # noqa: PLR0913, PLR0917 (all that a spec may come with)
        self, spec: str | Mapping[str, Any], overrides: Mapping[str, Any], folder: Path, registry: cc.Registry,
        where: str = "spec", name: str | None = None,
    ) -> None:  # fmt: skip
        """Become what the spec says, or say all that is wrong with them."""

        def text(file: str) -> str | tuple[str, str]:
            path = folder / file
            kind = "a CSV file, relative to the spec's folder"
            try:
                self._files[file] = text_file.text_of(path, kind, most_bytes=LARGEST_FILE_BYTES)
                return self._files[file]
            except text_file.Unreadable as error:
                return f"{quoted(str(path))}: {error.message}", error.hint

        self._folder, self._registry = folder, registry
        self._files: dict[str, str] = {}
        self._spec = given(_core.Experiment.load(spec, where, name, overrides, text, list(registry)))


@dataclass(frozen=True, slots=True)
class Point:
    """One point of an experiment: each list has one value."""

    values: dict[str, Any]
    """Each swept field's value as the spec wrote it, in order of appearance."""
    experiment: Experiment
    number: int
    """Its place in the order of expansion, from 0."""

    def get(self, path: str) -> Any:  # noqa: ANN401 (whatever a field may have)
        """Give what a field has here, as the spec wrote it or by default; None of what is absent."""
        return self.values[path] if path in self.values else self.experiment.get(path)

    def fields(self) -> dict[str, Any]:
        """Give the experiment as it is here, without its lists."""
        return self.experiment._spec.fields_at(self.number)  # noqa: SLF001 (one front of one object)

    @property
    def active_groups(self) -> range:
        """The places of the groups that run: all, or the one that is alone."""
        groups = range(len(self.experiment.get("flows")))
        alone = self.get("alone")
        if alone is None:
            return groups
        place = int(alone.removeprefix("flows[").removesuffix("]"))
        return groups[place : place + 1]

    @property
    def filled_bytes(self) -> float | None:
        """Room of the bottleneck's queue before it is a whole number of bytes; None of one in bytes or packets."""
        return self.experiment._spec.filled_bytes(self.number)  # noqa: SLF001 (one front of one object)


def expand(experiment: Experiment) -> Iterator[Point]:
    """Give every point, in order."""
    return map(experiment.point, range(len(experiment)))


def _again(fields: dict[str, Any], folder: Path, registry: cc.Registry) -> Experiment:
    return Experiment.of(fields, folder=folder, registry=registry)


def _signature() -> Signature:
    """The keys of a spec with the defaults as one writes them, which a notebook shows for `Experiment?`."""
    every = _core.keys()
    keys = [key for key in every if not set(key["path"]) & set(".[")]
    parameters = [
        Parameter(
            key["path"], Parameter.KEYWORD_ONLY,
            default=Parameter.empty if key["required"] else {} if key["noun"] == "a table" else key["default"],
        )
        for key in keys
    ]  # fmt: skip
    return Signature(sorted(parameters, key=lambda each: each.default is not Parameter.empty))


Experiment.__signature__ = _signature()  # type: ignore[attr-defined]
