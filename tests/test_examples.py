from __future__ import annotations

import re
import subprocess
import sys
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


def test_figure_7_of_claypool_in_a_minute() -> None:
    done = subprocess.run(
        [sys.executable, EXAMPLES / "claypool_figure7.py"],
        capture_output=True,
        check=True,
        encoding="utf-8",
        timeout=180,
    )
    lines = done.stdout.splitlines()
    rows = [line for line in lines if line[:8].endswith(" bdp")]
    assert [row[8:].split()[0] for row in rows] == ["12.4", "11.0", "8.2", "2.5", "0.0", "0", "0", "0", "0"]
    measured = [[float(loss) for loss in re.findall(r"(\d+\.\d\d) (?:±|deterministic)", row)] for row in rows]
    assert all(10 < loss < 16 for loss in measured[0])
    assert [loss < 0.6 for loss in measured[-1]] == [True, True]
    assert lines[-1].startswith("54 runs in ")
