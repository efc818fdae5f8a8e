"""How a sentence calls the groups of an experiment, and the conditions under which they were measured."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from dumbbell.cc import base_name
from dumbbell.charts.style import PATCHED, USUAL, style_of
from dumbbell.experiment.curves import Curve, field_text, value_text
from dumbbell.experiment.points import ExperimentRuns
from dumbbell.results.measured import MeasuredPoint
from dumbbell.spec import Experiment
from dumbbell.spec.quantity import Time
from dumbbell.units import NS_PER_S

LATE: Final = 0.1
LATE_NS: Final = 5 * NS_PER_S
"""A group that starts so much of the run's duration, and so long, after the first one is a late joiner."""
_CC: Final = re.compile(r"flows\[(\d+)\]\.cc")
_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth", "sixth")


@dataclass(frozen=True, slots=True)
class Subject:
    """A group of flows; its name at a point may be that of its algorithm, so its number tells it from others."""

    index: int
    name: str
    """In a sentence."""
    several: bool = False
    """The name is a plural."""
    late: bool = False
    """It joins others that have been there for a while."""

    def group(self, point: MeasuredPoint) -> str:
        return list(point.ccs)[self.index]


def algorithm(cc: str) -> str:
    """An algorithm in a sentence: its usual spelling if that is its name, else as the spec wrote it.

    >>> algorithm("bbr"), algorithm("bbr3"), algorithm("bbr_4_17"), algorithm("bbr[cwnd_gain=1.5]")
    ('BBR', 'BBR v3', 'bbr_4_17', 'BBR[cwnd_gain=1.5]')
    """
    name = base_name(cc)
    label = style_of(name).label.removesuffix(f" of {USUAL}").removesuffix(f" ({PATCHED})")
    return cc.replace(name, label, 1) if label.lower().replace(" v", "") == name else cc


def subjects(runs: ExperimentRuns) -> list[Subject]:
    """The groups that every measured point has, in order."""
    points = [point for point in runs.points if point.run_ids]
    ccs = [set(of_group) for of_group in zip(*(point.ccs.values() for point in points), strict=False)]
    groups = list(points[0].ccs)[: len(ccs)]
    if runs.experiment is None:
        return [Subject(index, name) for index, name in enumerate(groups)]
    keys = ("name", "count", "rtt", "access", "start")
    fields = {key: runs.experiment.of_groups(key)[: len(ccs)] for key in keys}
    fields["rtt"] = [own or runs.experiment.get("path.rtt") for own in fields["rtt"]]
    late = _late(runs.experiment)
    return [_subject(index, group, fields, ccs, late=late[index]) for index, group in enumerate(groups)]


def by_way(runs: ExperimentRuns, groups: Sequence[Subject]) -> list[list[Subject]]:
    """Those whose data go the usual way, and then those whose data go the way back."""
    directions = [] if runs.experiment is None else runs.experiment.of_groups("direction")
    up = {index for index, direction in enumerate(directions) if direction == "up"}
    ways = [[each for each in groups if (each.index in up) == is_up] for is_up in (False, True)]
    return [own for own in ways if own]


def condition_text(curve: Curve, of: Subject) -> str:
    """What a curve's points have in common, in a sentence about a group: "as BBR beside CUBIC", or "BBR" if alone."""
    names = list(curve.points[0].ccs)
    ccs = {int(match[1]): value for path, value in curve.condition.items() if (match := _CC.fullmatch(path))}
    own = algorithm(ccs.pop(of.index)) if of.index in ccs else ""
    others = list(dict.fromkeys(map(algorithm, ccs.values())))
    if others == [own] and len(names) == len(ccs) + 1:
        parts = [f"with {own}"]
    else:
        parts = [own if len(names) == 1 else f"as {own}"] * bool(own) + ["beside", " and ".join(others)] * bool(others)
    rest = {path: value for path, value in curve.condition.items() if not _CC.fullmatch(path)}
    fields = " and ".join(field_text(path, value_text(value), names) for path, value in rest.items())
    return " ".join([*parts, *([f"at {fields}"] if fields else [])])


def _subject(
    index: int, group: str, fields: Mapping[str, Sequence[Any]], ccs: Sequence[set[str]], *, late: bool
) -> Subject:
    name, count = fields["name"][index], fields["count"][index]
    single = next(iter(ccs[index])) if len(ccs[index]) == 1 else ""
    cc, trait = algorithm(single) if single else "", _trait(index, fields, late=late)
    if isinstance(name, str) and not (single and name == base_name(single)):
        several_ccs = cc and any(each != ccs[index] for each in ccs) and base_name(cc).lower() != name
        known = [trait if trait.partition(" ")[0] not in name else "", cc if several_ccs else ""]
        extras = ", ".join(filter(None, known))
        return Subject(index, f"{name} ({extras})" if extras else name, late=late)
    count = count if isinstance(count, int) else 0
    flows = "flow" if count == 1 else "flows"
    if cc and not any(ccs[index] & each for number, each in enumerate(ccs) if number != index):
        text = cc if count == 1 else f"{count or 'the'} {cc} flows"
    elif trait and trait[0].isdigit():
        text = " ".join(filter(None, ["the", trait, cc, flows]))
    elif trait:
        text = f"the {cc or _ordinal(index)} {flows} {trait}"
    else:
        text = group if cc else f"the {_ordinal(index)} {'flow' if count == 1 else 'group'}"
        return Subject(index, text, late=late)
    return Subject(index, text, several=count != 1, late=late)


def _trait(index: int, fields: Mapping[str, Sequence[Any]], *, late: bool) -> str:
    """In what a group differs from the others, of what people build experiments on."""
    accesses = [each["rate"] if isinstance(each, dict) else each for each in fields["access"]]
    for values, form in ((fields["rtt"], "{}"), (accesses, "on {}")):
        if len(set(map(str, values))) > 1 and isinstance(values[index], str):
            return form.format(values[index])
    start = fields["start"][index]
    return f"from {start} on" if late and isinstance(start, str) else ""


def _late(experiment: Experiment) -> list[bool]:
    """Which groups join late at every point."""
    starts = [min(Time(each).ns for each in (start if isinstance(start, list) else [start]))
              for start in experiment.of_groups("start")]  # fmt: skip
    ends = [experiment.get("time_limit"), experiment.get("duration")]
    if any(isinstance(end, list) for end in ends):
        return [False] * len(starts)
    least_ns = max(LATE * Time(ends[0] or ends[1]).ns, LATE_NS)
    return [start - min(starts) >= least_ns for start in starts]


def _ordinal(index: int) -> str:
    return _ORDINALS[index] if index < len(_ORDINALS) else f"{index + 1}th"
