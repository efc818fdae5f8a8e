"""The engines by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dumbbell.errors import UnknownEngine

if TYPE_CHECKING:
    from dumbbell.engines.protocol import Engine

NAMES = ("sim",)
PLANNED = ("linux", "netns", "hosts")


def engine(name: str) -> Engine:
    """The engine of that name.

    Raises:
        UnknownEngine: there is none, or not in this version.
    """
    if name == "sim":
        from dumbbell.engines.sim import SimEngine  # noqa: PLC0415 (an engine is loaded when it is asked for)

        return SimEngine()
    if name.partition(":")[0] in PLANNED:
        raise UnknownEngine(f'engine "{name}" is not in this version; known: {", ".join(NAMES)}')
    raise UnknownEngine(f'unknown engine "{name}"; known: {", ".join(NAMES)}')
