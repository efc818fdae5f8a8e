"""Where studies are: each in a folder with its store, figures and report; and their status there."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import typer

from dumbbell.errors import DumbbellError, EngineFailure, NoStoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dumbbell.engines.protocol import Engine
    from dumbbell.results.store import Store
    from dumbbell.studies import Study, StudyStatus

ALL = "all"
HOME = Path("out")
"""Of the studies' folders."""


class NotBegunError(DumbbellError):
    """A store that is not there, or has no runs of the study."""


@dataclass(frozen=True, slots=True)
class Place:
    """A study's name, and its folder."""

    name: str
    folder: Path
    short: bool = False
    """It is that of the study's short form."""

    @classmethod
    def of(cls, name: str, home: Path, *, short: bool) -> Place:
        """The usual one below a folder of studies."""
        return cls(name, home / (f"{name}-short" if short else name), short)

    @property
    def store(self) -> Path:
        return self.folder / "store"

    @property
    def out(self) -> str:
        """What `--out` must say; empty where that is the usual folder."""
        usual = Place.of(self.name, HOME, short=self.short)
        return "" if self == usual else self.folder.as_posix()

    def opened(self) -> Store:
        """Its store, to read.

        Raises:
            NotBegunError: there is none.
            StoreError: it is of another schema.
            StoreFailure: it is damaged.
        """
        from dumbbell.results.store import Store

        try:
            return Store.open(self.store)
        except NoStoreError:
            makes = f"dumbbell study run {self.name}{' --short' * self.short}{_out_option(self.out)}"
            raise NotBegunError(f"{self.store}: no such store; `{makes}` makes it") from None


@dataclass(slots=True)
class StudySelection:
    """The studies that a command is about: one, or all.

    Of all, a command prints what is wrong with one study and goes on with the next, unless an engine fails.
    """

    places: list[Place]
    is_all: bool
    """All studies were asked for."""
    done: int = field(default=0, init=False)
    failed: bool = field(default=False, init=False)

    @classmethod
    def of(cls, name: str, out: Path | None, *, short: bool = False) -> StudySelection:
        """The study of a name, or all; or the short forms of these, as far as there are any."""
        if name != ALL:
            usual = Place.of(name, HOME, short=short)
            return cls([Place(name, out, short) if out else usual], is_all=False)
        import dumbbell.studies as studies
        from dumbbell.studies.manifest import folder_of, manifest_of

        there = [each for each in studies.names() if not short or manifest_of(folder_of(each)).short_form]
        return cls([Place.of(each, out or HOME, short=short) for each in there], is_all=True)

    @contextmanager
    def guarded(self, place: Place) -> Iterator[None]:
        """Prints what is wrong with one study where all are asked for; raises it where one is."""
        try:
            yield
            self.done += 1
        except EngineFailure:
            raise
        except DumbbellError as error:
            if not self.is_all:
                raise
            typer.echo(f"{place.name}: {error}", err=True)
            self.failed = self.failed or not isinstance(error, NotBegunError)

    def end(self) -> None:
        """Exits with status 1 where something was wrong; a study without runs is not wrong unless none has any."""
        if self.failed:
            raise typer.Exit(1)
        if not self.done:
            home = self.places[0].folder.parent
            out = _out_option("" if home == HOME else home.as_posix())
            raise NotBegunError(f"no study has runs there; `dumbbell study run all{out}` makes them")


def _out_option(out: str) -> str:
    return f" --out {quote(out)}" if out else ""


def statuses(  # noqa: PLR0913 (a study, where, and on what)
    study: Study,
    store: Store,
    names: Sequence[str] | None,
    *,
    out: str = "",
    full_study: Study | None = None,
    known: Engine | None = None,
) -> list[StudyStatus]:
    """The status of a study on these engines, or on all that the store has runs of and this machine knows.

    `out`: what `--out` must say; `full_study`: what the study is a part of, if it is one; `known`: an engine that a
    name alone does not make, as `hosts`.

    Raises:
        NotBegunError: the store has no runs of the whole study.
    """
    import dumbbell.studies as studies
    from dumbbell.engines.registry import engine as engine_named
    from dumbbell.studies.status import run_command

    there = studies.engines_of(full_study or study, store)
    names = None if names is None else list(dict.fromkeys(names))
    for name in names or (() if there else ("sim",)):
        if name not in there:
            engine_named(name)  # which may not exist
            makes = run_command(study, name, out=out)
            raise NotBegunError(f"{store.folder}: has no runs of {study.name} on {name}; `{makes}` makes them")
    return on_engines(study, store, names or there, needed=names is not None, full_study=full_study, known=known)


def on_engines(  # noqa: PLR0913 (as above)
    study: Study,
    store: Store,
    names: Iterable[str],
    *,
    needed: bool,
    full_study: Study | None = None,
    known: Engine | None = None,
) -> list[StudyStatus]:
    """The status of a study on each engine; prints which ones this machine does not have, unless `needed`.

    `known`: as of `statuses`.

    Raises:
        UnknownEngine: there is no such engine.
        KernelError: its kernel is not on this machine.
    """
    import dumbbell.studies as studies
    from dumbbell.engines.registry import engine as engine_named

    engine_statuses = []
    for name in names:
        try:
            engine = known if known is not None and known.name == name else engine_named(name)
        except DumbbellError as error:
            if needed:
                raise
            typer.echo(f"{study.name}: not judged on {name}: {error}", err=True)
            continue
        engine_statuses.append(studies.status_of(study, store, engine, full_study=full_study))
    return engine_statuses
