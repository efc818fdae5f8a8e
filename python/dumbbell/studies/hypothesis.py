"""A hypothesis: what becomes of a study's claims where fields of its experiments are set otherwise.

It has runs of its own and is judged beside the study. No total, figure or report has it.

What is set as `hops` stands in the bottleneck's place: a hop whose `rate` or `buffer` is "path.rate" or "path.buffer"
has the experiment's own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from dumbbell.errors import StudyError
from dumbbell.spec import Experiment
from dumbbell.spec import load as load_spec
from dumbbell.studies.study import Study

_OF_QUEUE: Final = ("rate", "buffer")


def supposed(study: Study, settings: Mapping[str, Any], label: str = "") -> Study:
    """The study with these fields in all of its experiments; `label`: what it is called, else the fields.

    Raises:
        StudyError: an experiment sweeps such a field, at whose points its claims look.
        SpecError: an experiment cannot have it.
    """
    label = label or ", ".join(f"{path} = {value}" for path, value in settings.items())
    for title, experiment in study.experiments.items():
        swept = settings.keys() & {axis.path for axis in experiment.axes}
        if swept:
            raise StudyError(
                f"--set {min(swept)}: {title} sweeps it, and its claims look at its points; set another field"
            )
    suffix = re.sub(r"[^A-Za-z0-9]+", "_", label).strip("_")
    others = {path: value for path, value in settings.items() if path != "hops"}
    hops: Sequence[Mapping[str, Any]] = settings.get("hops", ())
    return replace(
        study,
        experiments={
            title: load_spec(_placed(title, each, hops), overrides={**others, "name": f"{each.name}_{suffix}"})
            for title, each in study.experiments.items()
        },
        claims=tuple(claim.model_copy(update={"alternatives": (), "why": {}}) for claim in study.claims),
        figures=(),
        tables=(),
        measured={},
        hypothesis=label,
        places={
            f"hops[{place}].{key}": f"path.{key}"
            for place, hop in enumerate(hops) for key in _OF_QUEUE if hop.get(key) == f"path.{key}"
        },
    )  # fmt: skip


def _placed(title: str, experiment: Experiment, hops: Sequence[Mapping[str, Any]]) -> Experiment | dict[str, Any]:
    """An experiment with hops in its bottleneck's place, where there are any."""
    if not hops:
        return experiment
    fields = experiment.fields()
    path = dict(fields["path"])
    own = {f"path.{key}": path.pop(key) for key in _OF_QUEUE if key in path}
    for name, value in own.items():
        if isinstance(value, list) and sum(name in hop.values() for hop in hops) != 1:
            raise StudyError(f"--set hops: {title} sweeps {name}; give it to one hop")
    placed = [
        {key: own.get(value, value) if isinstance(value, str) else value for key, value in hop.items()} for hop in hops
    ]
    return {**fields, "path": path, "hops": placed}
