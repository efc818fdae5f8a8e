"""The families of engines: their names, and which of them measure in real time."""

from __future__ import annotations

import platform

NAMES = ("sim", "linux", "netns")
"""Those that there always are; each kernel of another name makes one more, `linux:NAME`."""
ON_LINUX = ("linux", "netns", "hosts")
"""Those of Linux's own code, which only x86-64 Linux has, and an installation with the agent."""
LIVE = ("netns", "hosts")
"""Those of real hosts in real time: what disturbs these may disturb a run."""


def family(engine: str) -> str:
    """An engine's name without its version.

    >>> family("linux:6.12"), family("sim")
    ('linux', 'sim')
    """
    return engine.partition(":")[0]


def is_live(engine: str) -> bool:
    """Whether an engine of that name measures in real time."""
    return family(engine) in LIVE


def is_linux() -> bool:
    """Whether the engines of Linux's own code can be on this machine."""
    return (platform.system(), platform.machine()) == ("Linux", "x86_64")
