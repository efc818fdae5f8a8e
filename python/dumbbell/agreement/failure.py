"""What can be wrong with a comparison of engines."""

from dumbbell.errors import DumbbellError


class AgreementError(DumbbellError):
    """A comparison that cannot be made as it was asked for."""
