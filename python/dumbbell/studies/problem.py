"""What can be wrong with a study, or with the store that it is judged from."""

from __future__ import annotations

from dumbbell.errors import DumbbellError


class StudyError(DumbbellError):
    """A study that does not exist, whose files contradict one another, or whose runs are not there."""
