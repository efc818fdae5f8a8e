"""One number of a result, named by the way to it: `bottleneck.loss_per_sent`, `groups.cubic.share`, `flows.0.fct_s`."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from dumbbell.results.schema import Result
from dumbbell.studies.problem import StudyError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dumbbell.studies.evidence import RunData


def metric(name: str) -> Callable[[RunData], float | None]:
    """Takes the number out of a run's result; None where it is null.

    Raises:
        StudyError: no result has it. When called: this one has no such group or flow.
    """
    steps = name.split(".")
    if not _leads_somewhere(steps):
        raise StudyError(f'no result has "{name}"')

    def number(run: RunData) -> float | None:
        place: Any = run.result
        for step in steps:
            try:
                place = _part(place, step)
            except LookupError:
                there = ", ".join(map(str, place if isinstance(place, dict) else range(len(place))))
                raise StudyError(f'{name}: the run has no "{step}"; it has {there or "none"}') from None
        return None if place is None else float(place)

    return number


def _part(place: Any, step: str) -> Any:  # noqa: ANN401 (a result, its parts, at last a number)
    if isinstance(place, dict):
        return place[step]
    return place[int(step)] if isinstance(place, tuple) else getattr(place, step)


def _leads_somewhere(steps: Iterable[str]) -> bool:
    """Whether the classes of a result have this way to a number; a dictionary has every key, a tuple every index."""
    place: Any = Result
    for step in steps:
        if is_dataclass(place) or hasattr(place, "model_fields"):
            names = {each.name for each in fields(place)} if is_dataclass(place) else set(place.model_fields)
            if step not in names:
                return False
            place = get_type_hints(place)[step]
        elif get_args(place)[:1] == (str,):
            place = get_args(place)[1]
        elif get_args(place)[1:] == (Ellipsis,) and step.isdecimal():
            place = get_args(place)[0]
        else:
            return False
    return float in (place, *get_args(place)) or int in (place, *get_args(place))
