"""Curves over a swept field: ours with intervals, bands, the document's points, and the axis below them."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from dumbbell.charts.chart import Axis, Layer
from dumbbell.metrics.statistics import estimate
from dumbbell.studies.evidence import SeedSweep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from dumbbell.metrics.statistics import Estimate
    from dumbbell.studies.evidence import RunData
    from dumbbell.studies.sweep import Sweep

Together: TypeAlias = "Sequence[SeedSweep] | Sequence[tuple[SeedSweep, ...]]"
"""An experiment's trials, or those of several experiments seed by seed, as `Evidence.together` gives them."""
Value: TypeAlias = "Callable[..., float | None]"
"""A number of a run; of several experiments', of the runs at the same point."""
Kind: TypeAlias = Literal["points", "line", "line+points"]


def estimates(trials: Together, sweep: Sweep, value: Value, factor: float = 1.0) -> dict[float, Estimate]:
    """For each value of the field the mean over seeds; without points at which no seed gives the number."""
    found: dict[float, list[float]] = {}
    for runs in runs_of(trials):
        told = value(*runs)
        if told is not None:
            found.setdefault(sweep.of(runs[0]), []).append(factor * told)
    return {at: estimate(values) for at, values in sorted(found.items())}


def curve(  # noqa: PLR0913 (what a curve is made of)
    label: str,
    style: str,
    trials: Together,
    sweep: Sweep,
    value: Value,
    *,
    factor: float = 1.0,
    kind: Kind = "line+points",
    instance: int = 0,
) -> Layer:
    """A mean over seeds at each point, with its 95 % interval; where nothing varied, an interval of no width."""
    found = estimates(trials, sweep, value, factor)
    return Layer(
        label=label,
        style=style,
        kind=kind,
        instance=instance,
        x=tuple(found),
        y=tuple(each.mean for each in found.values()),
        low=tuple(each.mean - (each.half_width or 0) for each in found.values()),
        high=tuple(each.mean + (each.half_width or 0) for each in found.values()),
    )


def band(  # noqa: PLR0913, PLR0917 (what a band is made of)
    label: str,
    style: str,
    trials: Sequence[SeedSweep],
    sweep: Sweep,
    ends: Callable[[RunData], tuple[float, float]],
    factor: float = 1.0,
) -> Layer:
    """Between two numbers of each run, each the mean over seeds: quartiles."""
    found: dict[float, list[tuple[float, float]]] = {}
    for (run,) in runs_of(trials):
        found.setdefault(sweep.of(run), []).append(ends(run))
    places = sorted(found)
    return Layer(
        label=label,
        style=style,
        kind="band",
        x=tuple(places),
        y=(),
        low=tuple(factor * fmean(low for low, _ in found[at]) for at in places),
        high=tuple(factor * fmean(high for _, high in found[at]) for at in places),
    )


def published(  # noqa: PLR0913, PLR0917 (what a curve is made of)
    label: str,
    style: str,
    numbers: Mapping[str, Any],
    sweep: Sweep,
    x: str,
    y: str,
    *,
    kind: Kind = "line+points",
) -> Layer:
    """Two columns of a table of `published.toml`: the field's values as specs write them, and numbers as drawn.

    `style` is "published", or "published bbr" where several things are.
    """
    return Layer(label=label, style=style, kind=kind, x=sweep.numbers(numbers[x]), y=tuple(map(float, numbers[y])))


def published_level(label: str, style: str, value: float, span: tuple[float, float]) -> Layer:
    """One number of the document as a level line."""
    return Layer(label=label, style=style, x=span, y=(value, value))


def swept_axis(
    trials: Iterable[SeedSweep], sweep: Sweep, label: str, scale: Literal["linear", "log2", "log10"] = "log2"
) -> Axis:
    """The axis of a field, with a tick at each of its values."""
    return Axis(label=label, scale=scale, ticks=tuple((at, f"{at:g}") for at in sweep.values(trials)))


def runs_of(trials: Together) -> Iterator[tuple[RunData, ...]]:
    """Each run of each seed, with those at its point of the other experiments."""
    for each in trials:
        first, *others = (each,) if isinstance(each, SeedSweep) else each
        for run in first.runs:
            yield run, *(other.beside(run) for other in others)
