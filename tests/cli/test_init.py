from __future__ import annotations

from pathlib import Path

import pytest

from commandline import dumbbell

pytestmark = pytest.mark.slow


def test_the_spec_passes_check_and_can_be_run(tmp_path: Path) -> None:
    spec = tmp_path / "mine.toml"
    done = dumbbell("init", spec)
    assert (done.returncode, done.stdout) == (0, "")
    assert f"dumbbell run {spec}" in done.stderr
    checked = dumbbell("check", spec)
    assert checked.stdout.splitlines()[:2] == ["mine: 3 points, 9 runs, 540 simulated seconds", "sim: can run it"]
    assert dumbbell("run", spec, "--seeds", "1", "--set", "duration=5 s").returncode == 0


def test_every_suggestion_of_it_is_a_spec_too(tmp_path: Path) -> None:
    """A line that begins with a comment sign and has an assignment becomes part of the spec."""
    text = dumbbell("init", "-").stdout
    head, body = text.split("\n\n", 1)
    suggestions = [line for line in body.splitlines() if line.startswith("# ")]
    assert len(suggestions) > 8
    spec = tmp_path / "all.toml"
    lines = (
        line[2:] if line.startswith("# ") and ("=" in line or "[[" in line) else line for line in body.splitlines()
    )
    spec.write_text("\n".join(lines), encoding="utf-8")
    done = dumbbell("check", spec)
    assert (done.returncode, done.stderr) == (0, "")
    assert "sim: can run it" in done.stdout
    assert head.startswith("#")


def test_what_is_there_is_not_overwritten(tmp_path: Path) -> None:
    spec = tmp_path / "mine.toml"
    spec.write_text("precious", encoding="utf-8")
    done = dumbbell("init", spec)
    assert (done.returncode, done.stdout) == (2, "")
    assert "already there" in done.stderr
    assert spec.read_text(encoding="utf-8") == "precious"
    assert dumbbell("init", spec, "--force").returncode == 0
    assert spec.read_text(encoding="utf-8") != "precious"
    assert dumbbell("init", tmp_path / "absent" / "mine.toml").returncode == 2
