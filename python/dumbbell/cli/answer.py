"""An answer of `advise` about one path, as wide as the terminal."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dumbbell.decide.advice import Advice


def lines(answer: "Advice", seconds: float, engine: str) -> Iterator[str]:
    """Its sentences and tables, and how sure it is."""
    from dumbbell.decide import text
    from dumbbell.report.advice import advised
    from dumbbell.report.section import fact_lines, section_lines
    from dumbbell.tables.terminal import columns

    yield from fact_lines(list(text.lines(answer)), columns())
    for section in advised(answer):
        yield from section_lines(section, columns())
    yield ""
    yield from fact_lines(list(text.below(answer, seconds=seconds, engine=engine)), columns())
