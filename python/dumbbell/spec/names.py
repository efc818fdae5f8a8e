"""Names of groups and flows. A flow's name names its random streams, so it must not depend on chance.

A group `bbr` of three flows has `bbr`, `bbr-2` and `bbr-3`. A group without a name takes its algorithm's; a second one
of the same algorithm goes on counting where the first stopped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from dumbbell.problem import Problem, quoted
from dumbbell.spec.section import scalar
from dumbbell.spec.tables import Flow

_NUMBERED = re.compile(r"(.+)-([1-9][0-9]{0,8})")


def name_problems(groups: Sequence[Flow]) -> Iterator[Problem]:
    """Find names that two flows would have."""
    owner: dict[str, int] = {}
    for index, group in enumerate(groups):
        name = _given(group)
        if name is None:
            continue
        if name in owner:
            hint = "give each group a name of its own"
            yield Problem(f"flows[{index}].name", f"{quoted(name)} is already the name of flows[{owner[name]}]", hint)
        owner.setdefault(name, index)
    counts = {name: scalar(groups[index].count) for name, index in owner.items()}
    for name, index in owner.items():
        other = _member(name, counts)
        if other is not None:
            what = f"{quoted(name)} is also a flow of group {quoted(other)}, which counts its flows so"
            yield Problem(f"flows[{index}].name", what, "give it another name")


def flow_names(groups: Sequence[Flow]) -> Iterator[list[str]]:
    """Give the names of each group's flows; the first is the group's."""
    counts = {name: scalar(group.count) for group in groups if (name := _given(group)) is not None}
    used: dict[str, int] = {}
    for group in groups:
        name, count = _given(group), scalar(group.count)
        if name is not None:
            yield [_numbered(name, number) for number in range(1, count + 1)]
            continue
        base = scalar(group.cc).partition("[")[0].strip()
        names: list[str] = []
        number = used.get(base, 0)
        while len(names) < count:
            number += 1
            candidate = _numbered(base, number)
            if candidate not in counts and _member(candidate, counts) is None:
                names.append(candidate)
        used[base] = number
        yield names


def _given(group: Flow) -> str | None:
    return None if group.name is None else scalar(group.name)


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name}-{number}"


def _member(name: str, counts: Mapping[str, int]) -> str | None:
    """Give the group, if any, whose second or later flow has this name."""
    match = _NUMBERED.fullmatch(name)
    return match[1] if match and 1 < int(match[2]) <= counts.get(match[1], 0) else None
