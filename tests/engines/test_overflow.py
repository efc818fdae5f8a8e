"""No sum of the simulator wraps: random valid specs on a build that would panic."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from commandline import ROOT
from dev.mutant import LIBRARY, extension
from dumbbell.campaign.size import Size
from dumbbell.spec import expand, load, resolve
from validspecs import SIMULATED, valid_specs

if TYPE_CHECKING:
    from types import ModuleType

SEED = int(os.environ.get("DUMBBELL_SPECS_SEED", "1"))
SPECS = int(os.environ.get("DUMBBELL_SPECS", "200"))
MOST_S = 0.4
MOST_CONNECTIONS, MOST_SAMPLES = 50_000, 2_000_000


@pytest.fixture(scope="module")
def core() -> ModuleType:
    """The simulator as Rust's own tests have it, which share what it needs."""
    command = ["cargo", "build", "--profile", "test", "--quiet", "--package", "py"]
    subprocess.run(command, cwd=ROOT, env=os.environ | {"PYO3_PYTHON": sys.executable}, check=True)
    return extension(ROOT / "target" / "debug" / LIBRARY)


@pytest.mark.long(takes_s=60)
def test_no_sum_wraps_on_random_specs(core: ModuleType) -> None:
    """Each for a moment: the extremes are there from the start."""
    ended = 0
    for fields in valid_specs(SEED, SPECS, SIMULATED):
        run = resolve(next(iter(expand(load(fields)))), 1).run
        size = Size.of(run)
        if size.flows + size.transfers <= MOST_CONNECTIONS and size.samples <= MOST_SAMPLES:
            ended += core.attempt(run.to_json(), MOST_S)["ended"]
    assert ended > SPECS / 10


@pytest.mark.long
def test_the_sum_of_a_source_does_not_wrap(core: ModuleType) -> None:
    fields = {
        "duration": "100 ms", "path": {"rate": "1 Mbit/s", "rtt": "10 ms", "buffer": "10 packets"},
        "measure": {"sample": "10 ms"},
        "flows": [{"cc": "reno", "workload": {"arrivals": {"rate": "200000 /s"}, "size": "1000000 GB"}}],
    }  # fmt: skip
    run = resolve(next(iter(expand(load(fields)))), 1).run
    assert core.attempt(run.to_json(), 60.0)["ended"]
