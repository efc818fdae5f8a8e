"""What stops a validation."""

from __future__ import annotations

from dumbbell.errors import DumbbellError


class ValidationError(DumbbellError):
    """The plan, or what is stored, is not as it must be."""
