"""What can go wrong with a build."""

from __future__ import annotations

from dumbbell.errors import KernelError


class BuildFailure(KernelError):  # noqa: N818 (as EngineFailure: it is not what was asked that is wrong)
    """A build that could not do what it should: a tool that is missing, a full disk, a compiler's error."""


class SubstitutionError(KernelError):
    """A text of the source that is not where a substitution expects it, or there more often."""
