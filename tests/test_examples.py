from __future__ import annotations

from pathlib import Path

import pytest

from commandline import ROOT, dumbbell

pytestmark = pytest.mark.slow

EXAMPLES = ROOT / "examples"
SPECS = sorted(EXAMPLES.glob("*.toml"))


def test_there_are_examples() -> None:
    assert len(SPECS) >= 2


@pytest.mark.parametrize("spec", SPECS, ids=lambda path: path.name)
def test_every_spec_can_be_run(spec: Path) -> None:
    done = dumbbell("check", spec)
    assert done.returncode == 0, done.stderr
    assert "sim: can run it" in done.stdout


def test_two_flows() -> None:
    done = dumbbell("run", EXAMPLES / "two-flows.toml")
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 1 + 3 * 2 * 2
