"""Cells of the CSV files that the package writes: a spreadsheet that opens one shows text, and computes nothing."""

from __future__ import annotations

import re
from typing import Final

MARK: Final = "'"
"""Stands before text that a spreadsheet would take for a formula, and before text that begins with such a mark: whoever
takes one away has the text as it was."""
_BEGINS_FORMULA: Final = re.compile(r"['=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_NUMBER: Final = re.compile(r"[+-]?(\d+\.?\d*(e[+-]?\d+)?|inf(inity)?)( ± \d+\.?\d*)?|-", re.ASCII | re.IGNORECASE)
"""Nor is the dash a formula that tables have where nothing is."""


def cell(text: str) -> str:
    """Text of a cell. The page has its twin, `explorer/src/experiment.js`.

    >>> cell("=1+1"), cell("'tis"), cell("-1.5"), cell("-0.5 ± 0.1"), cell("bbr")
    ("'=1+1", "''tis", '-1.5', '-0.5 ± 0.1', 'bbr')
    """
    return MARK + text if _BEGINS_FORMULA.match(text) and not _NUMBER.fullmatch(text) else text
