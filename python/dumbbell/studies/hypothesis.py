"""A hypothesis: what becomes of a study's claims where fields of its experiments are set otherwise.

It has runs of its own and is judged beside the study. No total, figure or report has it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dumbbell.errors import StudyError
from dumbbell.spec import load as load_spec
from dumbbell.studies.study import Study


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
    return replace(
        study,
        experiments={
            title: load_spec(each, overrides={**settings, "name": f"{each.name}_{suffix}"})
            for title, each in study.experiments.items()
        },
        claims=tuple(claim.model_copy(update={"alternatives": (), "why": {}}) for claim in study.claims),
        figures=(),
        tables=(),
        measured={},
        hypothesis=label,
    )
