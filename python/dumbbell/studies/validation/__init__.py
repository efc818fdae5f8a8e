"""Validation: what the engines say about published findings and about each other, as `docs/validation.md` shows it.

`docs/validation.json` keeps what was found, and the page is made from it and nothing else.
"""

from dumbbell.studies.validation.document import Document, document_of, markdown, read, write
from dumbbell.studies.validation.plan import Plan, plan

__all__ = ["Document", "Plan", "document_of", "markdown", "plan", "read", "write"]
