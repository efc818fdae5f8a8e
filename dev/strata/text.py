"""What two engines came to over drawn conditions, as far as `agreement_text` says it otherwise of those of a spec."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from dev.sides_text import unequal_seeds
from dev.strata.bands import controls_that_keep
from dumbbell.comparison import agreement_text
from dumbbell.comparison.record import Agreement, BandVerdict
from dumbbell.metrics.number import counted
from dumbbell.tables.table import Table

NO_BAND: Final = "outer limit, no band yet"
WITHIN: Final = f"holds ({NO_BAND})"
"""The verdict on errors that no band of the stratum is there for."""


def origin(agreement: Agreement) -> str:
    """Which conditions, and how many runs each had."""
    source = agreement.source
    stratum = f" of stratum {source.stratum}," if source.stratum else ""
    length = f", {source.duration} each" if source.duration else ""
    count = counted(len(agreement.conditions), "random condition")
    return agreement_text.origin(agreement, f"{count}{stratum} of seed {source.seed}{length}")


def legend(agreement: Agreement) -> str:
    """How everything is measured."""
    limits = "the stratum's band"
    if any(_is_outer(band) and band.measured.n for band in agreement.bands):
        limits += f"; or, where the verdict says “{NO_BAND}”, the limit of the design that no band may cross"
    return agreement_text.legend(agreement, limits)


def bands_table(agreement: Agreement) -> Table:
    """All bands; a verdict tells where only the outer limit is there."""
    table = agreement_text.bands_table(agreement)
    rows = [
        [*row[:-1], WITHIN] if band.holds and _is_outer(band) else row
        for row, band in zip(table.rows, agreement.bands, strict=True)
    ]
    return replace(table, rows=rows)


def controls_text(agreement: Agreement) -> str:
    """How many controls keep every band, in a sentence."""
    keeping = controls_that_keep(agreement)
    own = "keeps" if agreement.holds else "does not keep"
    return (
        f"{agreement.candidate.engine} {own} every band; under other random streams the same build"
        f" keeps every one in {sum(keeping)} of {counted(len(keeping), 'control')}."
    )


def command(agreement: Agreement) -> str:
    """What makes the same comparison."""
    source = agreement.source
    stratum = f" --stratum {source.stratum}" if source.stratum else ""
    parts = [f"python -m dev strata --random {source.random}{stratum} --seed {source.seed}"]
    if source.duration is not None:
        parts.append(f'--duration "{source.duration}"')
    if source.most_packets is not None:
        parts.append(f"--packets {source.most_packets}")
    return " ".join((*parts, *agreement_text.options(agreement, source.sets), *unequal_seeds(agreement)))


def _is_outer(band: BandVerdict) -> bool:
    """Whether only the outer limit applies to the errors: a band of the stratum's own limits raw ones, too."""
    return band.p90_limit is not None and band.raw_p90_limit is None
