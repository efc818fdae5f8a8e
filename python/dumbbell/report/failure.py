"""What can be wrong with a report."""

from dumbbell.errors import DumbbellError


class ReportError(DumbbellError):
    """A report that cannot be made, or not be written where it was asked for."""
