"""Every condition at once: goodput, share, loss and RTT of one engine over those of the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dumbbell.charts.chart import Axis, Chart, Layer, Panel
from dumbbell.charts.style import PUBLISHED
from dumbbell.metrics.discrepancy import median

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Literal, TypeAlias

    from dumbbell.agreement.record import Agreement, Condition, GroupRuns, RunFigures

    Names: TypeAlias = tuple[str, str]
    """Of candidate and reference."""
    Pairs: TypeAlias = dict[str, list[tuple[float, float]]]

NAME: Final = "agreement"
SMALLEST_MBPS: Final = 0.01
SMALLEST_LOSS_PERCENT: Final = 0.001
"""What is less, nothing included, is drawn here: a logarithm needs something."""


def scatter(agreement: Agreement) -> Chart | None:
    """Four panels with a point a group, or a condition; None when nothing was compared."""
    conditions = [each for each in agreement.conditions if each.differences]
    if not conditions:
        return None
    mixed = [each for each in conditions if len(each.groups) > 1]
    goodput = _of_groups(conditions, lambda group: max(group.goodput_bps / 1e6, SMALLEST_MBPS))
    share = _of_groups(mixed, lambda group: None if group.share is None else 100 * group.share)
    loss = _of_runs(conditions, _loss_percent)
    rtt = _of_groups(conditions, lambda group: None if group.rtt_mean_s is None else 1e3 * group.rtt_mean_s)
    ours, theirs = names = agreement.candidate.engine, agreement.reference.engine
    panels = (
        _panel("Goodput of each group", "Mbit/s", "log10", goodput, names),
        _panel("Share of each group", "%", "linear", share, names),
        _panel("Queue loss", "%", "log10", loss, names),
        _panel("Mean RTT of each group", "ms", "log10", rtt, names),
    )
    return Chart(
        name=NAME,
        title=f"{ours} over {theirs}",
        caption=f"{len(conditions)} conditions; medians over {len(agreement.candidate.seeds)} seeds an engine. On the"
        f" dotted line both engines agree. Goodput below {SMALLEST_MBPS:g} Mbit/s and loss below"
        f" {SMALLEST_LOSS_PERCENT:g} % are drawn there; a condition of several algorithms has its loss under “mixed”.",
        panels=tuple(panel for panel in panels if panel is not None),
        columns=2,
        alt=f"Four scatter plots of what {ours} gives over what {theirs} gives in the same condition, with the line on"
        " which both are equal: goodput, share, loss and RTT.",
    )


def _loss_percent(run: RunFigures) -> float | None:
    return None if run.loss_rate is None else max(100 * run.loss_rate, SMALLEST_LOSS_PERCENT)


def _of_groups(conditions: Iterable[Condition], quantity: Callable[[GroupRuns], float | None]) -> Pairs:
    """Reference and candidate of each group, by algorithm."""
    found: Pairs = {}
    for condition in conditions:
        for group in condition.groups:
            theirs, ours = (
                [value for run in runs if (value := quantity(run.groups[group.name])) is not None]
                for runs in (condition.reference, condition.candidate)
            )
            if theirs and ours:
                found.setdefault(algorithm(group.cc), []).append((median(theirs), median(ours)))
    return found


def _of_runs(conditions: Iterable[Condition], quantity: Callable[[RunFigures], float | None]) -> Pairs:
    """The same of what belongs to the path."""
    found: Pairs = {}
    for condition in conditions:
        theirs, ours = (
            [value for run in runs if (value := quantity(run)) is not None]
            for runs in (condition.reference, condition.candidate)
        )
        if theirs and ours:
            ccs = {algorithm(group.cc) for group in condition.groups}
            found.setdefault(ccs.pop() if len(ccs) == 1 else "mixed", []).append((median(theirs), median(ours)))
    return found


def algorithm(cc: str) -> str:
    """A congestion control without its parameters, as the style table has it."""
    return cc.partition("[")[0].strip()


def _panel(title: str, unit: str, scale: Literal["linear", "log10"], pairs: Pairs, names: Names) -> Panel | None:
    values = [value for members in pairs.values() for pair in members for value in pair]
    if not values:
        return None
    ends = (0.0, 100.0) if scale == "linear" else (min(values) / 1.3, max(values) * 1.3)
    return Panel(
        title=title,
        x=Axis(label=f"{names[1]} ({unit})", scale=scale, limits=ends),
        y=Axis(label=f"{names[0]} ({unit})", scale=scale, limits=ends),
        layers=(*_points(pairs), Layer(label="equal", style=PUBLISHED, x=ends, y=ends)),
    )


def _points(pairs: Pairs) -> Iterator[Layer]:
    order: Sequence[str] = sorted(pairs, key=lambda name: -len(pairs[name]))
    for name in order:
        x, y = zip(*pairs[name], strict=True)
        yield Layer(label=name, style=name, kind="points", x=tuple(x), y=tuple(y))
