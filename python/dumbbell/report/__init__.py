"""One HTML file about a store, or about a study judged from it: opens without a network."""

from dumbbell.report.failure import ReportError
from dumbbell.report.html import LARGEST_BYTES
from dumbbell.report.rendering import build

__all__ = ["LARGEST_BYTES", "ReportError", "build"]
