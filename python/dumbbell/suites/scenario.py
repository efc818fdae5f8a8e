"""A scenario as an experiment: the baseline first, then the algorithms in question, in the groups that are tested."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, Final

import dumbbell.cc as cc
from dumbbell.campaign.plan import refusals
from dumbbell.engines.protocol import Engine
from dumbbell.errors import SuiteError
from dumbbell.spec import Experiment
from dumbbell.spec import load as load_spec
from dumbbell.suites.manifest import Suite
from dumbbell.text_file import text_of

TESTED: Final = "tested"
"""Names of groups whose algorithm is in question begin so."""
ALTERNATIVE: Final = "reno"
"""The baseline where the algorithm in question is the suite's own."""


def baseline_of(suite: Suite, control: str) -> str:
    """What an algorithm is compared with where nothing is said.

    >>> from dumbbell.suites import load
    >>> [baseline_of(load("rfc9743"), each) for each in ("bbr", "cubic")]
    ['cubic', 'reno']
    """
    return suite.manifest.baseline if control != suite.manifest.baseline else ALTERNATIVE


def experiment_of(  # noqa: PLR0913 (the options of a scenario)
    suite: Suite, name: str, control: str, baseline: str | None = None, *, short: bool = False,
    overrides: Mapping[str, Any] | None = None, registry: cc.Registry | None = None,
) -> Experiment:  # fmt: skip
    """A scenario with an algorithm and its baseline, or its short form; `overrides` set fields by their paths.

    Raises:
        SpecError: something is wrong with what results.
        SuiteError: the algorithm is its own baseline.
    """
    first = baseline or baseline_of(suite, control)
    if first == control:
        raise SuiteError(f"{control} is compared with itself; choose another baseline")
    fields: dict[str, Any] = {"name": f"{suite.name}-{name}"}
    fields |= {path: [first, control] for path in fields_in_question(suite, name)}
    fields |= suite.manifest.scenarios[name].short if short else {}
    return load_spec(suite.spec(name), overrides=fields | dict(overrides or {}), registry=registry)


def fields_in_question(suite: Suite, name: str) -> Sequence[str]:
    """The paths of the algorithms in question, the first of which is what expectations are `against`."""
    groups = tomllib.loads(text_of(suite.spec(name), "a scenario"))["flows"]
    return [f"flows[{place}].cc" for place, group in enumerate(groups) if group.get("name", "").startswith(TESTED)]


def refused(experiment: Experiment, engine: Engine) -> str:
    """Why an engine cannot run it; empty: it can."""
    return "; ".join(str(problem) for problem in refusals(experiment, engine))
