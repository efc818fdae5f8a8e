from __future__ import annotations

import json
from pathlib import Path

import pytest

from commandline import dumbbell
from dumbbell.engines.sim import SimEngine


def test_a_healthy_machine(store: Path) -> None:
    done = dumbbell("doctor")
    assert (done.returncode, done.stderr) == (0, "")
    assert "BAD" not in done.stdout
    findings = {each["what"]: each for each in json.loads(dumbbell("doctor", "--json").stdout)}
    assert set(findings) == {"python", "packages", "engine sim", "disk", "store", "cores"}
    assert all(each["healthy"] for each in findings.values())
    assert "0.1 s simulated" in findings["engine sim"]["words"]
    assert not store.exists()


def test_a_broken_engine_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("no simulator")

    monkeypatch.setattr(SimEngine, "measure", broken)
    done = dumbbell("doctor")
    assert done.returncode == 1
    (line,) = [line for line in done.stdout.splitlines() if "BAD" in line]
    assert line.startswith("engine sim")
    assert "no simulator" in line


def test_a_store_that_cannot_be_read_is_found(store: Path) -> None:
    store.mkdir()
    (store / "ledger.sqlite").write_bytes(b"garbage!" * 1000)
    done = dumbbell("doctor")
    assert done.returncode == 1
    assert "is damaged" in done.stdout


def test_what_linux_needs_and_has_not(tmp_path: Path) -> None:
    user = str(tmp_path / "user")
    done = dumbbell("doctor", "--engine", "linux", "--json", DUMBBELL_CACHE=user, DUMBBELL_DATA=user)
    assert done.returncode == 1
    findings = {each["what"]: each for each in json.loads(done.stdout)}
    kernel = findings["kernel of linux"]
    assert not kernel["healthy"]
    assert "dumbbell kernel build" in kernel["words"]
    assert findings["kernels' folder"]["words"] == f"{user}/kernels: none; the first build makes one"
    assert {"agent", "compiler", "memory folder"} <= set(findings)
    assert not [what for what in findings if what.startswith("path")]
