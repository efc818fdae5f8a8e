"""What an amount does over a sweep, as part of a sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from dumbbell.experiment.curves import Curve, Curves
from dumbbell.experiment.phrase import Phrase
from dumbbell.experiment.ranking import Contender
from dumbbell.metrics.curve import crossover
from dumbbell.metrics.number import counted
from dumbbell.results.measured import MeasuredPoint


def trend(curves: Curves, curve: Curve, phrase: Phrase) -> str:
    """From one end of the axis to the other, and what is between where that is beyond both."""
    points = phrase.at(curve)
    if not points:
        return f"{phrase.subject.name} has no known amount"
    first, last = points[0], points[-1]
    if first is last:
        return f"{phrase.begin} {phrase.text(first)}{phrase.of}"
    if phrase.constant(points):
        low, high = (phrase.text(point, interval=False, unit=False) for point in phrase.extremes(points))
        numbers = low if low == high else f"{low} to {high}"
        return f"{phrase.begin} {numbers}{phrase.unit}{phrase.of} {curves.place(first, last)}"
    low_point, high_point = phrase.extremes(points)
    beyond = [
        f"{word} at {curves.text(point)}: {phrase.text(point)}"
        for word, point in (("least", low_point), ("most", high_point))
        if all(end is not point and phrase.contrast(end, point).differs for end in (first, last))
    ]
    start = f"{phrase.begin} {phrase.text(first)}{phrase.of} {curves.place(first)}"
    said = f"{start} and {phrase.text(last)} at {curves.text(last)}"
    if beyond:
        return f"{said} ({'; '.join(beyond)})"
    if phrase.contrast(first, last).outcome == "undecided":
        return f"{said} (the seeds do not tell these apart)"
    return f"{said}{_plateau(curves, points, phrase)}"


def crossing(curves: Curves, curve: Curve, phrase: Phrase) -> str:
    """Where a share comes to be more or less than fair, and stays so; nothing where it is never both."""
    points = phrase.at(curve)
    contrasts = [phrase.against_fair(point) for point in points]
    signs = {math.copysign(1, each.difference.mean) for each in contrasts if each.differs}
    if curves.axis is None or len(signs) < 2:  # noqa: PLR2004 (more, and less)
        return ""
    places, fair = [curves.number(point) for point in points], [phrase.fair(point) for point in points]
    levels = [phrase.level(point) for point in points]
    falls = levels[-1] < fair[-1]
    at = crossover(places, levels, fair) if falls else crossover(places, fair, levels)
    if at is None:
        return ""
    inside = next(pair for pair in pairwise(points) if curves.number(pair[0]) <= at <= curves.number(pair[1]))
    return f"; it {'falls below' if falls else 'rises above'} that between {curves.between(*inside)}"


def extent(curves: Curves, contenders: Sequence[Contender]) -> str:
    """The least and the most over all points, where there are too many to tell one by one."""
    entries = [(each, point) for each in contenders for point in each.phrase.at(each.curve)]
    low, high = (end(entries, key=lambda entry: entry[0].phrase.level(entry[1])) for end in (min, max))

    def text(entry: tuple[Contender, MeasuredPoint], of: str = "") -> str:
        each, point = entry
        return f"{each.phrase.text(point)}{of} ({', '.join(filter(None, [each.label, curves.place(point)]))})"

    first = contenders[0].phrase
    one = all(each.phrase.subject == first.subject for each in contenders)
    who = first.begin if one else f"a group {first.verb}s"
    return f"over {counted(len(entries), 'point')}, {who} from {text(low, first.of)} to {text(high)}"


def _plateau(curves: Curves, points: Sequence[MeasuredPoint], phrase: Phrase) -> str:
    """The longest stretch without a difference, where it has half of the points: neighbours are mostly alike."""
    levels = [phrase.level(point) for point in points]
    longest: Sequence[MeasuredPoint] = ()
    for begin in range(len(points) // 2 + 1):
        low = high = begin
        for end in range(begin + 1, len(points)):
            low, high = min(low, end, key=levels.__getitem__), max(high, end, key=levels.__getitem__)
            if phrase.contrast(points[low], points[high]).outcome != "same":
                break
            if end - begin >= len(longest):
                longest = points[begin : end + 1]
    is_plateau = (
        len(longest) > 1 and 2 * len(longest) >= len(points) and any(len(point.run_ids) > 1 for point in longest)
    )
    return f" (no difference between {curves.between(longest[0], longest[-1])})" if is_plateau else ""
