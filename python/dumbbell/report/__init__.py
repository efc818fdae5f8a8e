"""HTML about a store, or about studies judged from stores: opens without a network."""

from dumbbell.errors import ReportError
from dumbbell.report.collection import Collection
from dumbbell.report.html import LARGEST_BYTES
from dumbbell.report.page import WORK, build

__all__ = ["LARGEST_BYTES", "WORK", "Collection", "ReportError", "build"]
