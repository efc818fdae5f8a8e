"""The congestion controls of a Linux kernel: what each algorithm and variant of a run is called there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import dumbbell.cc as cc
from dumbbell.errors import EngineFailure
from dumbbell.kernel.recipe import recipe
from dumbbell.problem import Problem, suggestion

if TYPE_CHECKING:
    from dumbbell.spec.flow import Controller
    from dumbbell.spec.run import Run


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


def names_of(controls: Mapping[str, str], run: Run) -> list[str | None]:
    """That of each flow of a run; "" of one that is no connection."""
    return ["" if flow.cc is None else name_in(controls, flow.cc) for flow in run.flows]


def variant_of(controller: Controller) -> str:
    """The name of the variant that an algorithm with parameters is; the algorithm's, where that is none."""
    named = _named(controller.algorithm) if controller.parameters else {}
    return next((name for name, known in named.items() if known == controller.parameters), controller.algorithm)


def problems(run: Run, controls: Mapping[str, str], kernel: str) -> Iterator[Problem]:
    """Every flow whose algorithm a kernel of this name lacks."""
    known: dict[tuple[object, ...], tuple[str, str] | None] = {}
    """Of each algorithm with its parameters: many flows may have the same."""
    for index, flow in enumerate(run.flows):
        if flow.cc is None:
            continue
        key = (flow.cc.algorithm, *sorted(flow.cc.parameters.items()))
        if key not in known:
            known[key] = _lack(flow.cc, controls, kernel)
        lack = known[key]
        if lack is not None:
            yield Problem(f"flows[{index}].cc", *lack)


def check_versions(run: Run, facts: Mapping[str, str], kernel: str) -> None:
    """Returns where each flow had the version of its algorithm that the spec names, by what the kernel reported of it.

    Raises:
        EngineFailure: one had another, as where a machine's `bbr` is a later version than Linux's own.
    """
    numbers = {each.name: each.number for each in recipe().versions}
    for index, flow in enumerate(run.flows):
        wanted = "" if flow.cc is None else flow.cc.algorithm
        reported = facts.get(f"flows[{index}].cc_version")
        if wanted in numbers and reported not in {None, str(numbers[wanted])}:
            control = facts.get(f"flows[{index}].cc")
            raise EngineFailure(
                f'flows[{index}].cc: the "{control}" of this kernel ({kernel}) reports version {reported}, and '
                f"{wanted} is version {numbers[wanted]}"
            )


def _lack(controller: Controller, controls: Mapping[str, str], kernel: str) -> tuple[str, str] | None:
    """What a kernel lacks of an algorithm with parameters, and a hint; None: nothing."""
    if name_in(controls, controller) is not None:
        return None
    wanted, present = controller.algorithm, sorted(controls)
    if controller.parameters and wanted in controls:
        settings = ", ".join(f"{name}={value:g}" for name, value in sorted(controller.parameters.items()))
        variants = [name for name in _named(wanted) if name in controls]
        message = f"this kernel ({kernel}) was built without {wanted}[{settings}]"
        return message, f"of {wanted} it has {', '.join([wanted, *variants])}"
    versions = {each.name: each for each in recipe().versions}
    own = versions.get(wanted)
    other = next(
        (each for name, each in versions.items() if own and each.control == own.control and name in controls), None
    )
    if own and other:
        message = f'this kernel ({kernel}) has version {other.number} of "{own.control}", not version {own.number}'
        return message, f'cc = "{other.name}" is that'
    hint = suggestion(wanted, present)
    listed = "" if hint.startswith("known") else f" It has {', '.join(present)}"
    return f'this kernel ({kernel}) has no "{wanted}"', hint + listed


def _named(algorithm: str) -> dict[str, dict[str, float]]:
    """The variants of an algorithm, and the parameters in which each differs from it."""
    registry = {name: each for name, each in cc.installed().items() if name == algorithm}
    return {
        name: dict(cc.choose(name, registry).parameters)
        for name, variant in cc.variants().items()
        if variant.base in registry
    }
