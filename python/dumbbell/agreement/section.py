"""The comparison as a section of the documentation: Markdown and figures, from the stored JSON and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dumbbell.agreement import markdown, words
from dumbbell.agreement.draw import MOST_PACKETS, USUAL_DURATION
from dumbbell.agreement.errors import errors
from dumbbell.agreement.invocation import invocation
from dumbbell.agreement.record import Agreement
from dumbbell.agreement.scatter import scatter

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
    ours, theirs = agreement.candidate, agreement.reference
    yield f"## Agreement of `{ours.engine}` with `{theirs.engine}`"
    yield ""
    yield f"{words.origin(agreement)}. {verdict(agreement)}"
    yield ""
    yield from markdown.console(command(agreement))
    yield from markdown.table(words.HEADER, words.table(agreement))
    yield legend(agreement)
    yield ""
    yield from markdown.figure(errors(agreement), figures, ": how many conditions differ by how much")
    yield from markdown.figure(scatter(agreement), figures, ": goodput, share, loss and RTT of every condition")
    if agreement.worst:
        yield "### The worst conditions"
        yield ""
        yield "Each by its largest error, in multiples of what the band allows the 90th percentile."
        yield ""
        settings = {each.name: words.setting(each) for each in agreement.conditions}
        rows = [[each.condition, settings[each.condition], *words.worst_row(agreement, each)[1:]]
                for each in agreement.worst]  # fmt: skip
        yield from markdown.table((words.WORST_HEADER[0], "setting", *words.WORST_HEADER[1:]), rows)
    yield from markdown.failures(words.failures(agreement.conditions))
    yield words.versions(agreement)


def verdict(agreement: Agreement) -> str:
    """Which bands hold, in a sentence."""
    broken = [band.label for band in agreement.bands if band.holds is False]
    untold = [band.label for band in agreement.bands if band.holds is None]
    told = f"Broken: {'; '.join(broken)}." if broken else "Every band that has data holds."
    return f"{told} Without data: {'; '.join(untold)}." if untold else told


def command(agreement: Agreement) -> str:
    """What makes the same comparison."""
    source = agreement.source
    if source.spec is not None:
        conditions = [f"{source.spec}.toml"]
    else:
        conditions = [f"--random {source.random} --seed {source.seed}"]
        conditions += [f'--duration "{source.duration}"'] if source.duration not in (None, USUAL_DURATION) else []
        conditions += [f"--packets {source.most_packets}"] if source.most_packets not in (None, MOST_PACKETS) else []
    return invocation(conditions, source.sets, agreement)


def legend(agreement: Agreement) -> str:
    """What the columns of the bands' table are."""
    theirs = agreement.reference.engine
    return (
        "An error is the difference of the medians over seeds, as far as it exceeds half the interquartile range of"
        f" {theirs}'s own seeds; median and p90 are over conditions (over groups, for the goodput of each). Noise is"
        f" the same of {theirs} against itself under other seeds. Difference is the mean with its sign, unexcused,"
        " and its 95 % interval (Student's t). A group's goodput is relative to the larger of the reference's and"
        " 5 % of the rate; queueing delay is mean RTT less base RTT, in points of the buffer's drain time; the winner"
        " has most goodput a flow."
    )
