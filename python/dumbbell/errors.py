"""The exceptions that a user of dumbbell can meet. Those of a spec are in `dumbbell.spec`: they have problems."""

from pathlib import Path


class DumbbellError(Exception):
    """Whatever dumbbell raises on purpose: what was asked for cannot be, unless it is a `Failure`."""


class Failure(DumbbellError):  # noqa: N818 (it is not what was asked for that is wrong)
    """What was asked for could not be done: a full disk, damage, a bug."""


class EngineFailure(Failure):
    """An engine could not finish a run: a bug in it, or something that happened to its process.

    The message says what and where, as the engine told it. `engine` is its name, where it is one of several.
    """

    def __init__(self, message: str, engine: str | None = None) -> None:
        super().__init__(message)
        self.engine = engine


class UnknownEngine(DumbbellError):  # noqa: N818 (the word of the design)
    """An engine that does not exist, or not in this version."""


class KernelError(DumbbellError):
    """A Linux kernel for virtual time that is not there, is damaged, or cannot be built."""


class BuildFailure(Failure, KernelError):  # noqa: N818 (as `Failure`)
    """A build that could not do what it should: a tool that is missing, a full disk, a compiler's error."""


class SubstitutionError(KernelError):
    """A text of the source that is not where a substitution expects it, or there more often."""


class StoreError(DumbbellError):
    """A store that cannot be what it was asked to be: it is none, it is of another schema, it lacks a run.

    Its text begins with the store's `folder` where it is given; `message` is without, for pages that others read.
    """

    def __init__(self, message: str, folder: Path | None = None) -> None:
        super().__init__(message if folder is None else f"{folder}: {message}")
        self.message = message


class NoStoreError(StoreError):
    """A folder that is no store, or not yet one."""


class StoreFailure(Failure, StoreError):  # noqa: N818 (as `Failure`)
    """A store that could not do what it should: a full disk, damage, another campaign. What was finished is kept."""


class DamagedLedger(StoreFailure):
    """A store whose ledger is not what was written. What writes to the store keeps what is whole of it."""


class DamageWarning(UserWarning):
    """A store is damaged: what of it is not whole was left out, or taken out."""


class QueryError(DumbbellError):
    """A statement in SQL that is none over a store, or that DuckDB cannot answer."""

    def __init__(self, message: str) -> None:
        super().__init__(f"query: {message}")


class RunFileError(DumbbellError):
    """A file with a run that the explorer saved, which cannot be taken into a store. Its text begins with the file."""

    def __init__(self, file: Path, message: str) -> None:
        super().__init__(f"{file}: {message}")


class ComparisonError(DumbbellError):
    """A comparison of stored runs that cannot be made as it was asked for."""


class MissingExtra(DumbbellError):  # noqa: N818 (as `UnknownEngine`)
    """A part of dumbbell that was not installed with it; the message says how to install it."""


class StudyError(DumbbellError):
    """A study that does not exist, whose files contradict one another, or whose runs are not there."""


class SuiteError(DumbbellError):
    """A suite, or a scenario of one, that does not exist or cannot be read."""


class ReportError(Failure):
    """A report or a figure that cannot be made, or not be written where it was asked for."""
