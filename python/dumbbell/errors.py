"""The exceptions that a user of dumbbell can meet."""


class DumbbellError(Exception):
    """Whatever dumbbell raises on purpose."""


class EngineFailure(DumbbellError):  # noqa: N818 (the word of the design)
    """An engine could not finish a run: a bug in it, or something that happened to its process.

    The message says what and where, as the engine told it.
    """


class UnknownEngine(DumbbellError):  # noqa: N818 (likewise)
    """An engine that does not exist, or not in this version."""


class KernelError(DumbbellError):
    """A Linux kernel for virtual time that is not there, is damaged, or cannot be built."""


class StudyError(DumbbellError):
    """A study that does not exist, whose files contradict one another, or whose runs are not there."""


class ComparisonError(DumbbellError):
    """A comparison of runs that cannot be made as it was asked for."""
