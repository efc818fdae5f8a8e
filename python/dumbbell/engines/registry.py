"""The engines by name."""

from __future__ import annotations

from pathlib import Path

from dumbbell.engines.family import NAMES, ON_LINUX, family, is_linux
from dumbbell.engines.protocol import Engine
from dumbbell.errors import EngineFailure, KernelError, UnknownEngine


def engine(name: str) -> Engine:
    """The engine of that name.

    Raises:
        UnknownEngine: there is none, or not in this version.
        CaptureError: a capture is not there.
        SpecError: something is wrong with an inventory.
        KernelError: this machine or this installation cannot have it, or its kernel is not there, or damaged.
    """
    _, colon, kernel = name.partition(":")
    if name == "sim":
        from dumbbell.engines.sim import SimEngine  # noqa: PLC0415 (an engine is loaded when it is asked for)

        return SimEngine()
    if family(name) == "linux" and bool(colon) == bool(kernel):
        _need_linux("linux")
        from dumbbell.engines.linux import LinuxEngine  # noqa: PLC0415 (likewise)

        return LinuxEngine(kernel) if kernel else LinuxEngine()
    if name == "netns":
        _need_linux(name)
        from dumbbell.engines.netns import NetnsEngine  # noqa: PLC0415 (likewise)

        return NetnsEngine()
    if family(name) == "capture":
        from dumbbell.engines.capture import CaptureEngine  # noqa: PLC0415 (likewise)

        return CaptureEngine(kernel)
    if family(name) == "hosts":
        if not kernel:
            raise UnknownEngine("the engine hosts needs an inventory: --inventory FILE, or hosts:FILE")
        _need_linux("hosts")
        from dumbbell.engines.hosts.engine import HostsEngine  # noqa: PLC0415 (likewise)

        return HostsEngine(Path(kernel))
    raise UnknownEngine(f'unknown engine "{name}"; known: {_known()}')


def absence(name: str) -> str | None:
    """Why this installation has no engine of that name, whatever kernels there are; None: nothing is lacking."""
    if family(name) not in ON_LINUX:
        return None
    if not is_linux():
        return f"the engine {name} needs x86-64 Linux"
    from dumbbell.engines import agent  # noqa: PLC0415 (late: only these engines need it)

    try:
        agent.path()
    except EngineFailure as failure:
        return f"the engine {name} is not in this installation: {failure}"
    return None


def _need_linux(name: str) -> None:
    if why := absence(name):
        raise KernelError(why)


def _known() -> str:
    return ", ".join((*NAMES, "linux:KERNEL", "hosts:FILE", "capture:FILE"))
