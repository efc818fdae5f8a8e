"""Validation: how far each engine can be trusted, as `docs/validation.md` shows it, part by part.

`docs/validation/` keeps what was found, a file a part, and the page is made from them and nothing else.
"""

from dumbbell.validation.failure import ValidationError
from dumbbell.validation.page import markdown, read, write
from dumbbell.validation.plan import Plan, plan

__all__ = ["Plan", "ValidationError", "markdown", "plan", "read", "write"]
