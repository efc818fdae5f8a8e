"""Numbers and words as plotly takes them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def numbers(values: Iterable[float]) -> list[float | None]:
    """Five digits are more than a screen has pixels; what is no number is a gap."""
    return [float(f"{value:.5g}") if math.isfinite(value) else None for value in values]


def escaped(text: str) -> str:
    """Plotly reads some HTML in its texts."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
