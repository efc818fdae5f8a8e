"""A lab of hosts behind SSH, one for all tests of a file."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from dev.sshlab import Lab, obstacle
from dev.sshlab import lab as make_lab
from dumbbell.engines import agent
from dumbbell.engines.hosts.connection import program
from dumbbell.errors import EngineFailure


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """Where a plain user can reach it, which pytest's own folders are not."""
    if why := obstacle():
        pytest.skip(why)
    try:
        agent.path()
    except EngineFailure as failure:
        pytest.skip(f"no lab: {failure}")
    with tempfile.TemporaryDirectory(prefix="dumbbell-lab-") as folder:
        Path(folder).chmod(0o755)
        with make_lab(Path(folder)) as made:
            yield made


@pytest.fixture
def no_agents(lab: Lab) -> Iterator[None]:
    """No test is left with another one's agents."""
    yield
    for each in lab.hosts.values():
        shutil.rmtree(each.home / ".dumbbell", ignore_errors=True)


@pytest.fixture(autouse=True)
def _one_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever else was built here."""
    monkeypatch.setattr(agent, "OTHERS", ())


@pytest.fixture
def own_agent() -> str:
    """Where the agent is on a host."""
    return program(agent.path())
