"""Which engine has which congestion control, as far as this machine knows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import dumbbell.cc as cc
from dumbbell.engines.family import is_linux
from dumbbell.errors import KernelError

if TYPE_CHECKING:
    from dumbbell.kernel import Kernel

DEFAULT_KERNEL = "6.1"


def catalogue() -> cc.Registry:
    """Everything that a spec may name here: what the simulator, every Linux, and each kernel on this machine has."""
    algorithms = dict(cc.known())
    for names in (*(kernel.controls for kernel in built()), own_controls()):
        for name, algorithm in cc.linux(names).items():
            algorithms.setdefault(name, algorithm)
    return algorithms


def engines_with(name: str) -> tuple[str, ...]:
    """The engines that have an algorithm or variant of this name; of a kernel not yet built, what is known of it."""
    return tuple(engine for engine, names in _names() if name in names)


def engine_name(kernel: str) -> str:
    """The name that `--engine` takes for the Linux engine with this kernel."""
    return "linux" if kernel == DEFAULT_KERNEL else f"linux:{kernel}"


def built() -> list[Kernel]:
    """The kernels on this machine that this version's recipe made, the newest first."""
    from dumbbell.kernel.shelf import kernels, usable  # noqa: PLC0415 (only a few commands look at kernels)

    try:
        return list(filter(usable, kernels()))
    except (KernelError, OSError):
        return []


def own_controls() -> set[str]:
    """What the kernel has that this machine runs; nothing where no engine can use it."""
    if not is_linux():
        return set()
    from dumbbell.engines.machine import controls  # noqa: PLC0415 (late: elsewhere there is nothing to look at)

    return set(controls())


def _names() -> Iterator[tuple[str, set[str]]]:
    variants = cc.variants()
    sim = cc.installed()
    yield "sim", {*sim, *(variant.name for variant in variants.values() if variant.base in sim)}
    kernels = {engine_name(kernel.name): set(kernel.controls) for kernel in reversed(built())}
    buildable = (variant.name for variant in variants.values() if variant.linux)
    yield "linux", kernels.pop("linux", {*cc.LINUX, *buildable})
    yield from sorted(kernels.items())
    yield "netns", own_controls()
