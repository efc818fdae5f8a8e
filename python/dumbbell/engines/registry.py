"""The engines by name."""

from __future__ import annotations

from dumbbell.engines.family import NAMES, PLANNED, is_linux
from dumbbell.engines.protocol import Engine
from dumbbell.errors import KernelError, UnknownEngine


def engine(name: str) -> Engine:
    """The engine of that name.

    Raises:
        UnknownEngine: there is none, or not in this version.
        KernelError: its kernel is not on this machine, or damaged, or cannot be.
    """
    family, colon, kernel = name.partition(":")
    if name == "sim":
        from dumbbell.engines.sim import SimEngine  # noqa: PLC0415 (an engine is loaded when it is asked for)

        return SimEngine()
    if family == "linux" and bool(colon) == bool(kernel):
        _need_linux(family)
        from dumbbell.engines.linux import LinuxEngine  # noqa: PLC0415 (likewise)

        return LinuxEngine(kernel) if kernel else LinuxEngine()
    if name == "netns":
        _need_linux(name)
        from dumbbell.engines.netns import NetnsEngine  # noqa: PLC0415 (likewise)

        return NetnsEngine()
    if family in PLANNED:
        raise UnknownEngine(f'engine "{name}" is not in this version; known: {_known()}')
    raise UnknownEngine(f'unknown engine "{name}"; known: {_known()}')


def _need_linux(name: str) -> None:
    if not is_linux():
        raise KernelError(f"the engine {name} needs x86-64 Linux")


def _known() -> str:
    return ", ".join((*NAMES, "linux:KERNEL"))
