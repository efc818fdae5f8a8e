"""One HTML file about a store, or about a study judged from it: opens without a network."""

from dumbbell.report.failure import ReportError
from dumbbell.report.rendering import LARGEST_BYTES, build

__all__ = ["LARGEST_BYTES", "ReportError", "build"]
