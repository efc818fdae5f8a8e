from __future__ import annotations

import json
from pathlib import Path

import pytest

from commandline import dumbbell

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _no_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without kernels, whatever the user has."""
    monkeypatch.setenv("DUMBBELL_CACHE", str(tmp_path / "cache"))


def test_what_a_spec_comes_to(moment: Path) -> None:
    done = dumbbell("check", moment)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "moment: 2 points, 4 runs, 12 simulated seconds",
        "sim: can run it",
        'linux: no kernel "6.1" here: `dumbbell kernel build` makes it (about 3 minutes)',
        "netns: not in this version",
        "hosts: not in this version",
    ]


def test_the_same_as_json(moment: Path) -> None:
    facts = json.loads(dumbbell("check", moment, "--json", "--seeds", "5").stdout)
    assert (facts["points"], facts["runs"], facts["simulated_s"]) == (2, 10, 30)
    assert facts["engines"]["sim"] == []
    assert facts["engines"]["netns"] == ["not in this version"]


def test_an_engine_that_cannot_run_it_says_why(moment: Path) -> None:
    done = dumbbell("check", moment, "--set", "measure.record=pcap")
    assert done.returncode == 0
    assert "sim: measure.record: " in done.stdout


def test_what_only_linux_has_is_no_mistake(moment: Path) -> None:
    lines = dumbbell("check", moment, "--set", "flows[1].cc=vegas").stdout.splitlines()
    assert 'sim: flows[1].cc: the simulator has no "vegas"; the linux engine has it' in lines
    refused = dumbbell("check", moment, "--set", "flows[1].cc=vegass")
    assert (refused.returncode, refused.stderr) == (2, 'flows[1].cc: unknown "vegass"; did you mean "vegas"?\n')
