"""What can be wrong with a store."""

from __future__ import annotations

from dumbbell.errors import DumbbellError


class StoreError(DumbbellError):
    """A store that cannot be what it was asked to be: it is none, it is of another schema, it lacks a run."""


class StoreFailure(StoreError):  # noqa: N818 (as EngineFailure: it is not what was asked that is wrong)
    """A store that could not do what it should: a full disk, damage, another campaign. What was finished is kept."""
