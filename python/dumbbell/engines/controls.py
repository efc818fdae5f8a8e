"""The congestion controls of a Linux kernel: what each algorithm and variant of a run is called there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import dumbbell.cc as cc
from dumbbell.problem import Problem, suggestion

if TYPE_CHECKING:
    from dumbbell.spec.run import Controller, Run


def name_in(controls: Mapping[str, str], controller: Controller) -> str | None:
    """The kernel's name of an algorithm with parameters; None: it has none that is so.

    `controls` has the kernel's name of each algorithm and variant that is in it.
    """
    if not controller.parameters:
        return controls.get(controller.algorithm)
    for name, known in _named(controller.algorithm).items():
        if known == controller.parameters and name in controls:
            return controls[name]
    return None


def problems(run: Run, controls: Mapping[str, str], kernel: str) -> Iterator[Problem]:
    """Every flow whose algorithm a kernel of this name lacks."""
    for index, flow in enumerate(run.flows):
        if name_in(controls, flow.cc) is not None:
            continue
        wanted, present = flow.cc.algorithm, sorted(controls)
        if flow.cc.parameters and wanted in controls:
            settings = ", ".join(f"{name}={value:g}" for name, value in sorted(flow.cc.parameters.items()))
            variants = [name for name in _named(wanted) if name in controls]
            told = f"this kernel ({kernel}) was built without {wanted}[{settings}]"
            hint = f"of {wanted} it has {', '.join([wanted, *variants])}"
            yield Problem(f"flows[{index}].cc", told, hint)
        else:
            told = f'this kernel ({kernel}) has no "{wanted}"'
            hint = suggestion(wanted, present)
            listed = "" if hint.startswith("known") else f" It has {', '.join(present)}"
            yield Problem(f"flows[{index}].cc", told, hint + listed)


def _named(algorithm: str) -> dict[str, dict[str, float]]:
    """The variants of an algorithm, and the parameters in which each differs from it."""
    registry = {name: each for name, each in cc.installed().items() if name == algorithm}
    return {
        name: dict(cc.choose(name, registry).parameters)
        for name, variant in cc.variants().items()
        if variant.base in registry
    }
