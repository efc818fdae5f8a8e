"""The answer of an experiment in a few sentences: who gets how much, where that changes, and how sure it is.

A sentence says what the runs have, and no reason for it. Means are over seeds with the 95 % interval of Student's t;
two of them differ where the interval of the difference, paired by seed, excludes zero, and by at least 2 %.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from dumbbell.experiment.curves import Curve, Curves, curves_of
from dumbbell.experiment.group_labels import by_way, condition_text, subjects
from dumbbell.experiment.phrase import Phrase, phrases
from dumbbell.experiment.points import ExperimentRuns
from dumbbell.experiment.ranking import Contender, enumerated, ranking, tally
from dumbbell.experiment.sweep import CLIFF_SHARE, cliffs
from dumbbell.experiment.trend import crossing, extent, trend
from dumbbell.metrics.catalogue import QUANTITIES
from dumbbell.metrics.number import amount as number
from dumbbell.metrics.number import counted, span, trimmed
from dumbbell.results.measured import MeasuredPoint
from dumbbell.units import PPB

MOST_CURVES: Final = 6
"""Of which each has an amount in the sentence."""
MOST_CONDITIONS: Final = 4
"""Under which a group has a clause each."""
FEWEST_OF_A_CLIFF: Final = 3


def answer(runs: ExperimentRuns) -> list[str]:
    """One to three sentences, always in the same order; the last ones say what has no interval, failed or is missing.

    >>> answer(ExperimentRuns(name="none", engine="sim"))
    ['No run was measured.']
    """
    points = [point for point in runs.points if point.run_ids]
    if not points:
        return ["No run was measured.", *_shortfall(runs)]
    curves, ways = curves_of(runs), [phrases(runs, own) for own in by_way(runs, subjects(runs))]
    about = [each for own in ways for each in own]
    if not any(each.by_seed(point) for each in about for point in points):
        sentences = []
    elif all(len(point.ccs) == 1 for point in points):
        sentences = _alone(runs, curves, about[0])
    else:
        sentences = _of_way(runs, curves, ways[0])
        sentences += [f"on the way back, {each}" for own in ways[1:] for each in _of_way(runs, curves, own)]
    return [*map(_sentence, sentences), *_unfinished(runs, about), *_uncertain(points, about), *_shortfall(runs)]


def _sentence(text: str) -> str:
    """With a capital, but for a name, and a full stop."""
    begins = text.startswith(("at ", "for ", "goodput ", "no ", "on ", "one seed ", "over ", "the ", "there "))
    return f"{text[0].upper() if begins else text[0]}{text[1:]}."


def _of_way(runs: ExperimentRuns, curves: Curves, about: Sequence[Phrase]) -> list[str]:
    """Of the groups whose data go one way."""
    if about[0].quantity.name == "share":
        return [_shares(runs, curves, about), *_joining(curves, about)]
    return [_comparison(curves, about)]


# -- one group at a time ----------------------------------------------------------------------------------------------


def _alone(runs: ExperimentRuns, curves: Curves, phrase: Phrase) -> list[str]:
    sentences = _cliffs(runs, curves, phrase) if phrase.quantity.name == "goodput" else []
    if len(curves.curves) > 1:
        if sentences:
            return sentences
        if any(map(_workload, curves.curves)):
            return [_apart(curves, [[_alone_in(curve, phrase)] for curve in curves.curves])]
        one = not any(f"flows[{phrase.subject.index}].cc" in curve.condition for curve in curves.curves)
        contenders = [_under(curve, phrase) for curve in curves.curves]
        return [_compared(curves, contenders, phrase.subject.name if one else "")]
    (curve,) = curves.curves
    if len(curve.points) > 1 or phrase.quantity.name == "fct":
        return [*sentences, trend(curves, curve, phrase)]
    (point,) = curve.points
    filled, rtt = point.estimate("utilization"), point.estimate("rtt", phrase.subject.group(point))
    line = f", {QUANTITIES['utilization'].text(filled.mean)} of the line" if filled else ""
    delay = f", at a mean RTT of {number(rtt.mean, scale=1e3, unit=' ms')}" if rtt else ""
    return [f"{phrase.begin} {phrase.text(point)}{phrase.of}{line}{delay}"]


def _cliffs(runs: ExperimentRuns, curves: Curves, phrase: Phrase) -> list[str]:
    """Up to which loss each keeps 80 % of what the line carries then, and what all have where the best one ends."""
    known = [(_under(curve, phrase).label, phrase.at(curve)) for curve in curves.curves]
    places = cliffs(runs)
    bulk = runs.experiment is not None and all(each == "bulk" for each in runs.experiment.of_groups("workload"))
    if not places or not bulk or len(known) > MOST_CURVES or any(len(own) < FEWEST_OF_A_CLIFF for _, own in known):
        return []
    losses: list[str] = []
    reached: dict[float, str] = {}
    for (name, points), place in zip(known, places, strict=True):
        differ = "; its seeds differ" if place.half_width or 0 < place.n < len(points[0].run_ids) else ""
        last = next((point for point in points if curves.number(point) / PPB == place.at), None)
        if last is None:
            losses.append(f"less than {curves.text(points[0])} ({name}{differ})")
        else:
            reached[curves.number(last)] = curves.text(last)
            losses.append(f"{curves.text(last)} ({name}{', the most tried' if last is points[-1] else ''}{differ})")
    least = trimmed(100 * CLIFF_SHARE, " %")
    sentences = [f"goodput stays above {least} of what the line can carry up to a loss of {enumerated(losses)}"]
    if reached and len(known) > 1:
        most = max(reached)
        entries = [(name, point) for name, points in known for point in points if curves.number(point) == most]
        texts = [f"{name} {phrase.verb}s {phrase.text(point)}" for name, point in entries]
        sentences.append(f"at {reached[most]}, {enumerated(texts)}")
    return sentences


# -- groups and their competitors -------------------------------------------------------------------------------------


def _comparison(curves: Curves, about: Sequence[Phrase]) -> str:
    """Times or rates of some groups that compete with others."""
    if len(about) == len(curves.curves) == 1:
        return trend(curves, curves.curves[0], about[0])
    if len(about) > 1 and len(curves.curves) > 1:
        sets = [[Contender(each.subject.name, each, curve) for each in about] for curve in curves.curves]
        return _apart(curves, sets)
    named = len(about) > 1
    contenders = [_under(curve, each, named=named) for curve in curves.curves for each in about]
    subject = "" if named else about[0].subject.name
    if any(map(_workload, curves.curves)):
        return _apart(curves, [[each] for each in contenders], subject)
    return _compared(curves, contenders, subject)


def _compared(curves: Curves, contenders: Sequence[Contender], subject: str) -> str:
    """Who is best, or, of many, what the least and the most have."""
    return extent(curves, contenders) if len(contenders) > MOST_CURVES else ranking(curves, contenders, subject)


def _workload(curve: Curve) -> dict[str, Any]:
    """What is swept of workloads: of two that differ there nobody is better."""
    return {path: value for path, value in curve.condition.items() if ".workload" in path}


def _kind(curve: Curve) -> str:
    """Of the workloads that are swept as such: bulk, transfer, stream."""
    workloads = [value for path, value in _workload(curve).items() if path.endswith(".workload")]
    return " and ".join(next(iter(each)) if isinstance(each, Mapping) else str(each) for each in workloads)


def _alone_in(curve: Curve, phrase: Phrase) -> Contender:
    """The contender of a curve among those with its workload, in the time of its transfers where it has one."""
    condition = {path: value for path, value in curve.condition.items() if path not in _workload(curve)}
    times = replace(phrase, quantity=QUANTITIES["fct"], verb="take", of=" to complete")
    timed = _kind(curve) == "transfer" and times.at(curve)
    return replace(_under(replace(curve, condition=condition), times if timed else phrase), curve=curve)


def _apart(curves: Curves, entered: Sequence[Sequence[Contender]], subject: str = "") -> str:
    """Who is best among those with like workloads, or, of several groups, at one point; a clause a kind of workload."""
    kinds: dict[str, dict[str, list[Contender]]] = {}
    for each in entered:
        curve = each[0].curve
        key = repr(curve.condition if len(each) > 1 else _workload(curve))
        kinds.setdefault(_kind(curve), {}).setdefault(key, []).extend(each)
    clauses = []
    for kind, by_workload in kinds.items():
        sets = list(by_workload.values())
        every = [each for own in sets for each in own]
        rivals = [own for own in sets if len(own) > 1]
        points = [point for each in every for point in each.phrase.at(each.curve)]
        if rivals and len(sets) == 1 and len(every) <= MOST_CURVES:
            clause = ranking(curves, every, subject)
        elif rivals:
            clause = tally(curves, rivals, subject)
        elif len(points) == 1:
            clause = f"{every[0].phrase.begin} {every[0].phrase.text(points[0])}{every[0].phrase.of}"
        elif points:
            clause = extent(curves, every)
        else:
            continue
        clauses.append(f"for the workload {kind}, {clause}" if kind else clause)
    return "; ".join(clauses)


def _under(curve: Curve, phrase: Phrase, *, named: bool = False) -> Contender:
    """A group under the condition of a curve; by name, too, where there are several or no condition."""
    label = condition_text(curve, phrase.subject)
    return Contender(_joined(phrase.subject.name, label) if named or not label else label, phrase, curve)


def _joined(*parts: str) -> str:
    return " ".join(filter(None, parts))


def _shares(runs: ExperimentRuns, curves: Curves, about: Sequence[Phrase]) -> str:
    phrase = _favoured(runs, about)
    if len(curves.curves) > MOST_CONDITIONS:
        contenders = [_under(curve, phrase) for curve in curves.curves]
        return f"{extent(curves, contenders)}; {_fair(phrase, runs.points)}"
    if len(curves.curves) > 1:
        return _by_condition(curves, phrase)
    (curve,) = curves.curves
    if len(curve.points) > 1:
        fair = _fair(phrase, curve.points, "and")
        return f"{trend(curves, curve, phrase)}, where {fair}{crossing(curves, curve, phrase)}"
    (point,) = curve.points
    share = f"{phrase.begin} {phrase.text(point)}{phrase.of}, where {_fair(phrase, [point])}{_doubt(phrase, point)}"
    others = [f"{each.subject.name} {each.verb}s {each.text(point)}" for each in about if each is not phrase]
    return f"{share}; {enumerated(others)}" if len(others) > 1 else share


def _joining(curves: Curves, about: Sequence[Phrase]) -> list[str]:
    """Whether, and after how long, rates are equal once a late joiner is there."""
    late = next((each.subject for each in about if each.subject.late), None)
    if late is None or len(curves.curves) > MOST_CONDITIONS:
        return []
    clauses: list[str] = []
    for curve in curves.curves:
        known = [value for point in curve.points for value in point.known("converged")]
        if not known:
            return []
        count, total = sum(value > 0 for value in known), counted(len(known), "run")
        runs = f"in {count} of {total}" if count else f"in none of {total}"
        time = curve.points[0].estimate("convergence") if len(curve.points) == 1 else None
        after = f" (after {number(time.mean, time.half_width, unit=' s')})" if time else ""
        clauses.append(_joined(condition_text(curve, late), f"{runs}{after}"))
    return [f"the flows come to within 20 % of equal rates {', '.join(clauses)}"]


def _favoured(runs: ExperimentRuns, about: Sequence[Phrase]) -> Phrase:
    """The late joiner; else, if algorithms are swept, the first group; else who has most beyond its fair share."""
    late = [each for each in about if each.subject.late]
    if late or any(path.endswith("].cc") for path in runs.axes):
        return [*late, *about][0]
    points = [point for point in runs.points if point.run_ids]

    def excess(phrase: Phrase) -> float:
        return sum(phrase.level(point) / phrase.fair(point) for point in points if phrase.by_seed(point))

    return max(about, key=excess)


def _fair(phrase: Phrase, points: Sequence[MeasuredPoint], word: str = "to") -> str:
    """What would be fair at all of these points, or, with "and", at the first and the last of them."""
    shares = [phrase.fair(point) for point in points if point.run_ids]
    ends = (shares[0], shares[-1]) if word == "and" else (min(shares), max(shares))
    return f"{span(*ends, phrase.unit, word)} would be fair"


def _doubt(phrase: Phrase, point: MeasuredPoint) -> str:
    outcome, seeds = phrase.against_fair(point).outcome, len(phrase.by_seed(point))
    if outcome == "undecided" or (outcome == "same" and seeds == 1):
        return f" ({'one seed' if seeds == 1 else f'{seeds} seeds'} cannot tell these apart)"
    return " (no difference that matters)" if outcome == "same" else ""


def _by_condition(curves: Curves, phrase: Phrase) -> str:
    """The subject under each condition: at both ends of the axis where that matters."""
    known = [(curve, points) for curve in curves.curves if (points := phrase.at(curve))]
    ends = {(curves.number(points[0]), curves.number(points[-1])) for _, points in known}
    _, shown = known[0]
    places, both = "", False
    if curves.axis is not None and len(ends) == 1 and len(shown) > 1:
        both = not all(phrase.constant(points) for _, points in known)
        both_ends = f"{curves.place(shown[0])} and at {curves.text(shown[-1])}"
        places = f", {both_ends if both else curves.place(shown[0], shown[-1])},"
    clauses: list[str] = []
    for curve, points in known:
        first, last = points[0], points[-1]
        numbers = f"{phrase.text(first, unit=False)} and {phrase.text(last)}" if both else phrase.text(first)
        clauses.append(f"{numbers}{'' if clauses else phrase.of} {condition_text(curve, phrase.subject)}")
    fair = {_fair(phrase, points, "and") for _, points in known} if both else set()
    every = [point for _, points in known for point in points]
    return f"{phrase.begin}{places} {'; '.join(clauses)}; {fair.pop() if len(fair) == 1 else _fair(phrase, every)}"


# -- how sure ---------------------------------------------------------------------------------------------------------


def _unfinished(runs: ExperimentRuns, about: Sequence[Phrase]) -> list[str]:
    """Transfers that did not complete."""
    times = [each for each in about if each.quantity.name == "fct"]
    count = sum(len(set[int]().union(*(each.unknown(point) for each in times))) for point in runs.points)
    return [f"In {count} of {counted(runs.measured, 'run')} not every transfer was complete."] if count else []


def _uncertain(points: Sequence[MeasuredPoint], about: Sequence[Phrase]) -> list[str]:
    """Why amounts have no interval, where none of them has one."""
    known = [estimate for each in about for point in points if (estimate := each.estimate(point))]
    if not known or any(estimate.half_width is not None for estimate in known):
        return []
    if all(len(point.run_ids) == 1 for point in points):
        return ["There is one seed, so there are no intervals."]
    return ["All seeds gave the same, so there are no intervals."]


def _shortfall(runs: ExperimentRuns) -> list[str]:
    """What failed and what is missing."""
    absent = runs.total - runs.measured - runs.failed
    counts = ((runs.failed, "failed"), (absent, "are missing" if absent > 1 else "is missing"))
    parts = [f"{count} {verb}" for count, verb in counts if count]
    return [f"Of {counted(runs.total, 'run')}, {enumerated(parts)}."] if parts else []
