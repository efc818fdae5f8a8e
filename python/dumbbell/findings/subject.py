"""How a sentence calls the groups of an experiment, and the conditions under which they were measured."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from dumbbell.cc import base_name
from dumbbell.charts.style import USUAL, style_of
from dumbbell.findings.curves import field_text, value_text
from dumbbell.findings.points import ExperimentRuns, PointRuns
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

    def group(self, point: PointRuns) -> str:
        return list(point.ccs)[self.index]

    def verb(self, verb: str) -> str:
        """The third person of a verb, for one or several.

        >>> Subject(0, "BBR").verb("take"), Subject(0, "3 BBR flows", several=True).verb("take")
        ('takes', 'take')
        """
        return verb if self.several else f"{verb}s"


def algorithm(cc: str) -> str:
    """An algorithm in a sentence: its usual spelling if that is its name, else as the spec wrote it.

    >>> algorithm("bbr"), algorithm("bbr_4_17"), algorithm("bbr[cwnd_gain=1.5]")
    ('BBR', 'bbr_4_17', 'BBR[cwnd_gain=1.5]')
    """
    name = base_name(cc)
    label = style_of(name).label.removesuffix(f" of {USUAL}")
    return cc.replace(name, label, 1) if label.lower() == name else cc


@dataclass(frozen=True, slots=True)
class _Group:
    """What of a group of flows, as the spec has it, may be in its name."""

    name: Any
    count: Any
    rtt: Any
    access: Any
    start: Any

    @classmethod
    def of(cls, experiment: Experiment, place: int) -> _Group:
        own = {key: experiment.get(f"flows[{place}].{key}") for key in ("name", "count", "rtt", "access", "start")}
        return cls(**own | {"rtt": own["rtt"] or experiment.get("path.rtt")})


def subjects(runs: ExperimentRuns) -> list[Subject]:
    """The groups that every measured point has, in order."""
    points = [point for point in runs.points if point.run_ids]
    count = min(len(point.ccs) for point in points)
    if runs.experiment is None:
        names = [list(points[0].ccs)[index] for index in range(count)]
        return [Subject(index, name) for index, name in enumerate(names)]
    groups = [_Group.of(runs.experiment, place) for place in range(count)]
    ccs = [{list(point.ccs.values())[index] for point in points} for index in range(count)]
    late = _late(runs)
    return [_subject(index, groups, ccs, points[0], late=late[index]) for index in range(count)]


def condition_text(
    condition: Mapping[str, Any], of: Subject | None, groups: list[Subject], names: Sequence[str] = ()
) -> str:
    """What a curve's points have in common: "as BBR beside CUBIC", "with an algorithm or another field".

    `of` is the group that the sentence is about; None where every curve has one group only. `names` are those that the
    groups have in tables.
    """
    ccs = {int(match[1]): value for path, value in condition.items() if (match := _CC.fullmatch(path))}
    parts = []
    if ccs:
        own = None if of is None else ccs.pop(of.index, None)
        others = {algorithm(value) for value in ccs.values()}
        if own is not None and others == {algorithm(own)} and len(groups) == len(ccs) + 1:
            parts.append(f"with {algorithm(own)}")
        else:
            parts += [f"as {algorithm(own)}"] if own is not None else []
            preposition = "with" if of is None else "beside"
            parts += [f"{preposition} {' and '.join(dict.fromkeys(map(algorithm, ccs.values())))}"] if ccs else []
    rest = {path: value for path, value in condition.items() if not _CC.fullmatch(path)}
    fields = " and ".join(field_text(path, value_text(value), names) for path, value in rest.items())
    return " ".join([*parts, *([f"at {fields}"] if fields else [])])


def _subject(index: int, groups: list[_Group], ccs: list[set[str]], point: PointRuns, *, late: bool) -> Subject:
    own = groups[index]
    cc = algorithm(next(iter(ccs[index]))) if len(ccs[index]) == 1 else None
    trait = _trait(index, groups, late=late)
    if isinstance(own.name, str) and not (cc and own.name == base_name(next(iter(ccs[index])))):
        several_ccs = cc is not None and any(each != ccs[index] for each in ccs) and base_name(cc).lower() != own.name
        known = [trait] * (trait.partition(" ")[0] not in own.name) + [cc or ""] * several_ccs
        extras = ", ".join(filter(None, known))
        return Subject(index, f"{own.name} ({extras})" if extras else own.name, late=late)
    count = own.count if isinstance(own.count, int) else 0
    rivals = [each for number, each in enumerate(ccs) if number != index and ccs[index] & each]
    if cc and not rivals:
        if count == 1:
            return Subject(index, cc, late=late)
        return Subject(index, f"{count or 'the'} {cc} flows", several=True, late=late)
    kind = "flow" if count == 1 else "flows"
    if trait:
        word = f"{trait} {cc or ''}".strip() if trait[0].isdigit() else cc or f"{_ordinal(index)}"
        name = f"the {word} {kind}" if trait[0].isdigit() else f"the {word} {kind} {trait}"
        return Subject(index, name, several=count != 1, late=late)
    if cc:
        return Subject(index, list(point.ccs)[index], late=late)
    return Subject(index, f"the {_ordinal(index)} {'flow' if count == 1 else 'group'}", late=late)


def _trait(index: int, groups: Sequence[_Group], *, late: bool) -> str:
    """In what a group differs from the others, of what people build experiments on."""
    accesses = [each.access["rate"] if isinstance(each.access, dict) else each.access for each in groups]
    for values, form in (([each.rtt for each in groups], "{}"), (accesses, "on {}")):
        if len(set(map(str, values))) > 1 and isinstance(values[index], str):
            return form.format(values[index])
    start = groups[index].start
    return f"from {start} on" if late and isinstance(start, str) else ""


def _late(runs: ExperimentRuns) -> list[bool]:
    """Which groups join late at every point."""
    if runs.experiment is None:
        return []
    duration, limit = runs.experiment.get("duration"), runs.experiment.get("time_limit")
    starts = [min(Time(each).ns for each in (start if isinstance(start, list) else [start]))
              for start in runs.experiment.of_groups("start")]  # fmt: skip
    if isinstance(duration, list) or isinstance(limit, list):
        return [False] * len(starts)
    least_ns = max(LATE * Time(limit or duration).ns, LATE_NS)
    return [start - min(starts) >= least_ns for start in starts]


def _ordinal(index: int) -> str:
    return _ORDINALS[index] if index < len(_ORDINALS) else f"{index + 1}th"
