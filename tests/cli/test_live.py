"""What commands say of runs in real time: whether each is to be trusted."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from msgspec import structs

from commandline import dumbbell, json_lines
from dumbbell.campaign import hours
from dumbbell.campaign.hours import WallClock
from dumbbell.engines import family, registry
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.sim import SimEngine
from dumbbell.problem import Problem
from dumbbell.spec.run import Run


class Live(SimEngine):
    """The simulator under the name of a live engine, on a machine that is disturbed while it has seed 2."""

    name = "netns"
    live = True

    def measure(self, run: Run) -> Measurement:
        assert run.path.jitter_ns is None, "the machine's own"
        virtual = structs.replace(run, path=structs.replace(run.path, jitter_ns=0))
        return replace(super().measure(virtual), facts={"live.relay_dropped": str(run.seed - 1)})

    def unsupported_fields(self, run: Run) -> list[Problem]:
        del run
        return []


def test_whether_a_live_run_is_valid_is_told_wherever_runs_are(
    moment: Path, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "engine", lambda _: Live())
    done = dumbbell("run", moment, "--engine", "netns")
    assert done.returncode == 0, done.stderr
    assert "moment on netns: 2 points, seeds 1, 2, mean ± 95 %, 2 VALID, 2 SUSPECT" in " ".join(done.stdout.split())
    assert "warning: path.buffer = 0.5 bdp, seed 2 (and 1 more run): live: the relay dropped 1 packet" in done.stderr
    _, *listed = dumbbell("results", "list").stdout.splitlines()
    assert [line.split()[4] for line in listed] == ["VALID", "SUSPECT", "VALID", "SUSPECT"]
    for command in ("show", "list"):
        assert [each["validity"] for each in json_lines("results", command)] == ["VALID", "SUSPECT"] * 2
    assert dumbbell("report", store, "--out", tmp_path / "page.html").returncode == 0
    assert "4 runs, 2 points, 2 seeds, engine netns, 2 VALID, 2 SUSPECT, " in (tmp_path / "page.html").read_text(
        encoding="utf-8"
    )


def test_how_many_blocks_a_difference_takes_is_said_after_the_third_and_the_last(
    moment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "engine", lambda _: Live())

    def said(*options: str) -> list[str]:
        done = dumbbell("run", moment, "--engine", "netns", *options)
        assert done.returncode == 0, done.stderr
        lines = [line for line in done.stderr.splitlines() if line.startswith("after ")]
        assert all("path.buffer = 0.5 bdp and path.buffer = 2 bdp differ by" in line for line in lines)
        assert all(line.endswith(" a difference of 5 %") for line in lines)
        return [line.partition(":")[0] for line in lines]

    assert said("--seeds", "2") == []
    assert said("--seeds", "5") == ["after 3 blocks", "after 5 blocks"]
    assert said("--seeds", "5") == ["after 5 blocks"]
    assert said("--seeds", "3", "--fresh") == ["after 3 blocks"]


def test_blocks_wait_for_their_time_of_day_and_say_when_that_is(moment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at = [datetime(2026, 11, 10, 10, 15)]  # noqa: DTZ001 (of a machine's clock)

    def sleep(seconds: float) -> None:
        at[0] += timedelta(seconds=seconds)

    monkeypatch.setattr(registry, "engine", lambda _: Live())
    monkeypatch.setattr(hours, "WallClock", lambda: WallClock(lambda: at[0], sleep))
    done = dumbbell("run", moment, "--engine", "netns", "--time-of-day", "9:00,21:00")
    assert done.returncode == 0, done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith("block ")]
    assert said == ["block 2 of 2 begins on Tuesday at 21:00", "block 1 of 2 begins on Wednesday at 09:00"]
    again = dumbbell("run", moment, "--engine", "netns", "--time-of-day", "2")
    assert not [line for line in again.stderr.splitlines() if line.startswith("block ")]
    assert "(all there before)" in again.stderr


def test_virtual_time_has_no_time_of_day(moment: Path, store: Path) -> None:
    done = dumbbell("run", moment, "--time-of-day", "4")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--time-of-day: sim has a clock of its own" in " ".join(done.stderr.split())
    assert not store.exists()


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="nobody is root here")
def test_the_doctor_says_what_a_live_engine_lacks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if not family.is_linux():
        pytest.skip("the engine netns needs x86-64 Linux")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("DUMBBELL_CACHE", str(tmp_path / "cache"))
    done = dumbbell("doctor", "--engine", "netns", "--json")
    assert done.returncode == 1
    findings = {each["what"]: each for each in json.loads(done.stdout)}
    assert findings["queueing disciplines"]["words"].startswith("needs root")
    assert not findings["queueing disciplines"]["healthy"]
    assert findings["iperf3"]["words"] == "none; only workloads that call it need it"
    assert (findings["leases"]["healthy"], findings["leases"]["words"]) == (True, "none left")
    assert findings["kernel"]["healthy"]
    assert not [what for what in findings if what.startswith("path")]
