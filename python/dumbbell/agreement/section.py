"""The comparison as a section of the documentation: Markdown and a figure, from the stored JSON and nothing else."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from dumbbell.agreement import words
from dumbbell.agreement.draw import MOST_PACKETS, USUAL_DURATION
from dumbbell.agreement.record import Agreement
from dumbbell.agreement.scatter import NAME, scatter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path


def section(stored: Mapping[str, Any], *, figures: str = "figures") -> str:
    """Markdown of what `dumbbell agree --json` printed; `figures` is where the text finds the file that `draw` writes.

    The same JSON gives the same text.
    """
    agreement = Agreement.model_validate(stored)
    return "\n".join(_lines(agreement, figures)).rstrip() + "\n"


def draw(stored: Mapping[str, Any], folder: Path) -> list[Path]:
    """Writes the figure of the section, as PNG, and gives where it is; none when nothing was compared."""
    from dumbbell.plots import paper  # noqa: PLC0415 (late: matplotlib takes long to load)

    chart = scatter(Agreement.model_validate(stored))
    return [] if chart is None else paper.save(chart, folder, ("png",))


def _lines(agreement: Agreement, figures: str) -> Iterator[str]:
    ours, theirs = agreement.candidate, agreement.reference
    yield f"## Agreement of `{ours.engine}` with `{theirs.engine}`"
    yield ""
    yield f"{words.origin(agreement)}. {verdict(agreement)}"
    yield ""
    yield from _again(agreement)
    yield ""
    yield from markdown(words.HEADER, words.table(agreement))
    yield ""
    yield legend(agreement)
    yield ""
    chart = scatter(agreement)
    if chart is not None:
        yield f"![{chart.title}: goodput, share, loss and RTT of every condition]({figures}/{NAME}.png)"
        yield ""
        yield f"{chart.caption}"
        yield ""
    if agreement.worst:
        yield "### The worst conditions"
        yield ""
        yield "Each by its largest error, in multiples of what the band allows the 90th percentile."
        yield ""
        settings = {each.name: words.setting(each) for each in agreement.conditions}
        rows = [[each.condition, settings[each.condition], *words.worst_row(agreement, each)[1:]]
                for each in agreement.worst]  # fmt: skip
        yield from markdown((words.WORST_HEADER[0], "setting", *words.WORST_HEADER[1:]), rows)
        yield ""
    failed = words.failures(agreement.conditions)
    if failed:
        yield "### Not compared"
        yield ""
        yield from (f"- {line}" for line in failed)
        yield ""
    yield words.versions(agreement)


def verdict(agreement: Agreement) -> str:
    """Which bands hold, in a sentence."""
    broken = [band.label for band in agreement.bands if band.holds is False]
    untold = [band.label for band in agreement.bands if band.holds is None]
    told = f"Broken: {'; '.join(broken)}." if broken else "Every band that has data holds."
    return f"{told} Without data: {'; '.join(untold)}." if untold else told


def _again(agreement: Agreement) -> Iterator[str]:
    yield "```console"
    yield f"$ {command(agreement)}"
    yield "```"


def command(agreement: Agreement) -> str:
    """What makes the same comparison."""
    source = agreement.source
    parts = ["dumbbell agree"]
    if source.spec is not None:
        parts.append(f"{source.spec}.toml")
    else:
        parts.append(f"--random {source.random} --seed {source.seed}")
        parts += [f'--duration "{source.duration}"'] if source.duration not in (None, USUAL_DURATION) else []
        parts += [f"--packets {source.most_packets}"] if source.most_packets not in (None, MOST_PACKETS) else []
    parts += [f"--set {shlex.quote(each)}" for each in source.sets]
    parts.append(f"--engines {agreement.candidate.engine},{agreement.reference.engine}")
    seeds, floor = len(agreement.reference.seeds), len(agreement.floor_seeds)
    parts.append(f"--seeds {seeds}")
    return " ".join(parts + ([f"--floor {floor}"] if floor != seeds else []))


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


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """A table, line by line."""
    yield _row(header)
    yield _row(["---"] * len(header))
    yield from map(_row, rows)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
