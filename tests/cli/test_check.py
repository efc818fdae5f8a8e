from __future__ import annotations

import json
from pathlib import Path

import pytest

from commandline import dumbbell

pytestmark = pytest.mark.slow


def test_what_a_spec_comes_to(moment: Path) -> None:
    done = dumbbell("check", moment)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "moment: 2 points, 4 runs, 12 simulated seconds",
        "sim: can run it",
        "linux: not in this version",
        "netns: not in this version",
        "hosts: not in this version",
    ]


def test_the_same_as_json(moment: Path) -> None:
    facts = json.loads(dumbbell("check", moment, "--json", "--seeds", "5").stdout)
    assert (facts["points"], facts["runs"], facts["simulated_s"]) == (2, 10, 30)
    assert facts["engines"]["sim"] == []
    assert facts["engines"]["linux"] == ["not in this version"]


def test_an_engine_that_cannot_run_it_says_why(moment: Path) -> None:
    done = dumbbell("check", moment, "--set", "measure.record=pcap")
    assert done.returncode == 0
    assert "sim: measure.record: " in done.stdout
