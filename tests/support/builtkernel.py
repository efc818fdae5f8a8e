"""A kernel for the tests that need a real one: the user's. No test makes one, which takes minutes."""

from __future__ import annotations

import platform

import pytest

from dumbbell.engines import agent
from dumbbell.engines.linux import LinuxEngine
from dumbbell.errors import EngineFailure, KernelError
from dumbbell.kernel import Kernel, find
from dumbbell.kernel.shelf import DEFAULT


def kernel_named(name: str) -> Kernel:
    """Debian's Linux of that version, as `dumbbell kernel build` makes it; where it is not, the test is skipped."""
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        pytest.skip("the engine linux needs x86-64 Linux")
    try:
        agent.path()
        return find(name)
    except (EngineFailure, KernelError) as error:
        pytest.skip(f"no kernel or no agent, `make kernel KERNEL={name}` makes them: {error}")


@pytest.fixture(scope="session")
def built() -> Kernel:
    """Linux 6.1."""
    return kernel_named(DEFAULT)


@pytest.fixture
def linux(built: Kernel) -> LinuxEngine:
    return LinuxEngine(built)
