"""`study.toml`: what a study says of itself. Enough to list and show studies, without loading an experiment."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dumbbell.errors import StudyError
from dumbbell.text_file import Unreadable, text_of

FILE = "study.toml"
ADVICE = "advice.toml"
CLAIMS = "claims.toml"
FIGURES = "figures.toml"


class Program(BaseModel):
    """A tool of the document's: the words of a `command` workload."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    command: tuple[str, ...]
    server: tuple[str, ...] | None = None


class ShortExperiment(BaseModel):
    """What the short form has of an experiment."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    because: str
    """Why the figure keeps its shape, in a line."""
    set: dict[str, Any] = {}
    """Fields of the spec that are otherwise, by their paths, as `--set` has them."""
    every: int = Field(default=0, ge=0)
    """Of an experiment whose points were measured, every so many-th of them, as they are; 0: none is compared."""
    program: str = ""
    """The tool that is each flow's workload where an engine can run programs; empty: the spec's own workload."""
    words: tuple[str, ...] = ()
    """What stands behind the tool's command here."""
    set_with_program: dict[str, Any] = {}
    """Fields that are otherwise beside the tool: what only an engine that runs programs can honour, as `ss`."""


class ShortForm(BaseModel):
    """The part of a study that fits into 10 to 25 minutes of real time, or of measured points into minutes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    variants: tuple[str, ...]
    """Versions that the kernels of other machines have."""
    figures: tuple[str, ...]
    """Figures and tables that its runs can show."""
    set: dict[str, Any] = {}
    """Fields by their paths, and what they are in every experiment that does not say otherwise."""
    programs: dict[str, Program] = {}
    """The document's tools, by name."""
    experiments: dict[str, ShortExperiment]
    """By the name of the experiment; what is not here is not in the short form."""

    def fields_of(self, experiment: str) -> dict[str, Any]:
        """What of an experiment is set otherwise, by the field's path."""
        return self.set | self.experiments[experiment].set


class Manifest(BaseModel):
    """A study's `study.toml`."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

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
    axis: str
    """The path at which a spec names the congestion control in question."""
    variants: tuple[str, ...]
    """Versions of the algorithm for which every claim is judged; neither is "the document's"."""
    document: bool = True
    """It is a document's; else formulas, or proposals of ours."""
    runs: int
    """How many runs it has; one that experiments share counts once. A test holds this and the next three counts."""
    claims: int
    figures: int
    experiments: dict[str, int]
    """How many runs each has, by name."""
    controls: dict[str, str | dict[str, str]] = {}
    """What stands at `axis` for each version, by experiment; text where that is one algorithm for all versions."""
    short_form: ShortForm | None = None
    """What `--short` carries out; None: there is none."""


class Advised(BaseModel):
    """A study's `advice.toml`: its document's question to `dumbbell advise`, and the answer."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    question: str
    """In words."""
    options: str
    """As on the command line, behind `dumbbell advise`."""
    answer: dict[str, str] = {}
    """The lines of the answer by their labels, as `docs/site/study_advice.py` writes them."""


class _Statement(BaseModel):
    id: str
    section: str
    statement: str
    tolerance: str
    untestable: str = ""


class _Statements(BaseModel):
    """What is shown of `claims.toml`."""

    claims: tuple[_Statement, ...] = ()


class _Title(BaseModel):
    name: str
    title: str
    dimension: str = Field(default="", alias="for")


class _Titles(BaseModel):
    """What is shown of `figures.toml`."""

    figures: tuple[_Title, ...] = ()
    cases: dict[str, tuple[dict[str, Any], ...] | dict[str, Any]] = {}
    """By dimension: a list, or the values of a field, which no figure is repeated for."""
    order: tuple[str, ...] = ()


M = TypeVar("M", bound=BaseModel)


def names() -> tuple[str, ...]:
    """The studies that are installed."""
    return tuple(sorted(each.name for each in _home().iterdir() if each.joinpath(FILE).is_file()))


def folder_of(name: str) -> Traversable:
    """The folder of a study.

    Raises:
        StudyError: there is none of that name.
    """
    if name not in names():
        from dumbbell.problem import suggestion  # noqa: PLC0415 (late: the spec's models take long to load)

        hint = suggestion(name, names())
        raise StudyError(f'unknown study "{name}"' + (f"; {hint}" if hint else ""))
    return _home().joinpath(name)


def manifest_of(folder: Traversable) -> Manifest:
    """What a study says of itself.

    Raises:
        StudyError: the file cannot be read, or has problems: all of them, one a line.
    """
    return _validated(Manifest, folder, FILE, read_toml(folder, FILE))


def advised_of(folder: Traversable) -> Advised | None:
    """What `dumbbell advise` answers to a document's question; None: it asks none.

    Raises:
        StudyError: the file cannot be read, or has problems: all of them, one a line.
    """
    if not folder.joinpath(ADVICE).is_file():
        return None
    return _validated(Advised, folder, ADVICE, read_toml(folder, ADVICE))


def claim_rows(folder: Traversable) -> list[dict[str, Any]]:
    """The claims of a study as `claims.toml` has them; only what each says is validated.

    Raises:
        StudyError: the file cannot be read, or a claim does not say it.
    """
    written = read_toml(folder, CLAIMS)
    _validated(_Statements, folder, CLAIMS, written)
    rows: list[dict[str, Any]] = written.get("claims", [])
    return rows


def figure_titles(folder: Traversable) -> list[str]:
    """The titles of a study's figures, as `figures.toml` has them.

    Raises:
        StudyError: the file cannot be read, or has no titles.
    """
    titled = _validated(_Titles, folder, FIGURES, read_toml(folder, FIGURES))
    titles = {}
    try:
        for row in titled.figures:
            cases = titled.cases[row.dimension] if row.dimension else ({},)
            if isinstance(cases, dict):
                raise StudyError(f'study {folder.name}: {FIGURES}: "{row.dimension}" is no list of cases')
            for case in cases:
                fields = {**case, row.dimension: case.get("words", "")}
                titles[row.name.format_map(fields)] = row.title.format_map(fields)
        return [titles[name] for name in titled.order or titles]
    except (LookupError, AttributeError, ValueError) as error:  # of a name, or of a template
        raise StudyError(f"study {folder.name}: {FIGURES}: a title cannot be made: there is no {error}") from None


def _validated(model: type[M], folder: Traversable, file: str, written: Mapping[str, Any]) -> M:
    try:
        return model.model_validate(written)
    except ValidationError as error:
        raise StudyError("\n".join(f"study {folder.name}: {file}: {each}" for each in problems_of(error))) from None


def names_by_reason(reasons: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The names that have the same reason, in a line, by that reason."""
    names: dict[str, list[str]] = {}
    for name, reason in reasons:
        names.setdefault(reason, []).append(name)
    return {reason: ", ".join(own) for reason, own in names.items()}


def problems_of(error: ValidationError) -> Iterator[str]:
    """Each problem with the path of its field: "checks[0].unit: Field required"."""
    for each in error.errors(include_url=False, include_context=False, include_input=False):
        yield f"{path_of(each['loc'])}: {each['msg'].removeprefix('Value error, ')}"


def path_of(steps: Iterable[str | int]) -> str:
    """A field's path, as users write it."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).removeprefix(".")


def read_text(folder: Traversable, name: str) -> str:
    """A file of a study.

    Raises:
        StudyError: it cannot be read.
    """
    try:
        return text_of(folder.joinpath(name), "a text file")
    except Unreadable as error:
        raise StudyError(f"study {folder.name}: {name}: {error}") from None


def read_toml(folder: Traversable, name: str) -> dict[str, Any]:
    """A TOML file of a study.

    Raises:
        StudyError: it cannot be read, or is not TOML.
    """
    try:
        return tomllib.loads(read_text(folder, name))
    except (ValueError, RecursionError) as error:  # beside what is no TOML, a number or a nesting beyond all measure
        raise StudyError(f"study {folder.name}: {name} is not TOML: {error}") from None


def _home() -> Traversable:
    return files("dumbbell.studies")
