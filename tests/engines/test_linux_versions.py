"""Every version of Linux that the recipe knows: the same bytes twice, and a path that is full."""

from __future__ import annotations

import pytest

from builtkernel import kernel_named
from dumbbell.engines.linux import LinuxEngine
from dumbbell.kernel.recipe import recipe
from dumbbell.kernel.shelf import DEFAULT
from specs import resolved

pytestmark = pytest.mark.slow


@pytest.fixture(params=recipe().sources)
def linux(request: pytest.FixtureRequest) -> LinuxEngine:
    return LinuxEngine(kernel_named(request.param))


def test_two_cubic_flows_fill_the_path_and_give_the_same_bytes_twice(linux: LinuxEngine, answers: list[bytes]) -> None:
    run = resolved(
        duration="5 s",
        path={"rate": "20 Mbit/s", "rtt": "20 ms", "buffer": "1 bdp"},
        flows=[{"cc": "cubic"}, {"cc": "cubic"}],
    ).run
    measured = linux.measure(run)
    linux.measure(run)
    assert len(answers[0]) > 1_000
    assert answers[0] == answers[1]
    frames = sum(flow.at_end.bottleneck_bytes for flow in measured.flows)
    assert frames * 8 == pytest.approx(20e6 * 5, rel=0.05)
    version = linux.name.removeprefix("linux").removeprefix(":") or DEFAULT
    assert measured.facts["kernel.release"].startswith(f"{version}.")


def test_a_kernel_carries_a_transfer(linux: LinuxEngine, answers: list[bytes]) -> None:
    linux.transfer()
    assert len(answers) == 1
