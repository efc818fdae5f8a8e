"""What can be wrong with a comparison of stored runs."""

from dumbbell.errors import DumbbellError


class ComparisonError(DumbbellError):
    """A comparison that cannot be made as it was asked for."""
