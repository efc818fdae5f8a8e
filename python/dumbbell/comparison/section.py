"""The comparison as a section of the documentation: Markdown and figures, from the stored JSON and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dumbbell.comparison import agreement_text as text
from dumbbell.comparison import markdown
from dumbbell.comparison.charts import errors, scatter
from dumbbell.comparison.record import Agreement

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


def section(stored: Mapping[str, Any], *, figures: str = "figures") -> str:
    """Markdown of what `dumbbell agree --json` printed; `figures` is where the text finds what `draw` writes.

    The same JSON gives the same text.
    """
    agreement = Agreement.model_validate(stored)
    return markdown.document(_lines(agreement, figures))


def draw(stored: Mapping[str, Any], folder: Path) -> list[Path]:
    """Writes the figures of the section, as PNG, and gives where they are; none when nothing was compared."""
    agreement = Agreement.model_validate(stored)
    return [*markdown.save(errors(agreement), folder), *markdown.save(scatter(agreement), folder)]


def _lines(agreement: Agreement, figures: str) -> Iterator[str]:
    candidate, reference = agreement.candidate, agreement.reference
    yield f"## Agreement of `{candidate.engine}` with `{reference.engine}`"
    yield ""
    yield f"{text.origin(agreement)}. {text.summary(agreement)}"
    yield ""
    yield from markdown.console(text.command(agreement))
    yield from markdown.table(text.HEADER, text.table(agreement))
    yield text.legend(agreement)
    yield ""
    yield from markdown.figure(errors(agreement), figures, ": how many conditions differ by how much")
    yield from markdown.figure(scatter(agreement), figures, ": goodput, share, loss and RTT of every condition")
    if agreement.worst:
        yield "### The worst conditions"
        yield ""
        yield "Each by its largest error, in multiples of what the band allows the 90th percentile."
        yield ""
        settings = {each.name: text.setting(each) for each in agreement.conditions}
        rows = [[each.condition, settings[each.condition], *text.worst_row(agreement, each)[1:]]
                for each in agreement.worst]  # fmt: skip
        yield from markdown.table((text.WORST_HEADER[0], "setting", *text.WORST_HEADER[1:]), rows)
    yield from markdown.failures(text.failures(agreement.conditions))
    yield text.versions(agreement)
