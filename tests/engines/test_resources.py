"""What a run takes of this machine: memory, time, a core, a folder."""

from __future__ import annotations

import os
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from dumbbell.engines import scratch
from dumbbell.engines.cores import reserve_core
from dumbbell.engines.resources import limit_s, memory_mb
from dumbbell.errors import EngineFailure
from specs import run_of


def path(rate: str, rtt: str, buffer: str, **fields: Any) -> dict[str, Any]:
    return {"path": {"rate": rate, "rtt": rtt, "buffer": buffer} | fields}


@pytest.mark.parametrize(
    ("fields", "megabytes"),
    [
        ({}, 1024),
        (path("1 Gbit/s", "200 ms", "50 MB"), 1024),
        (path("10 Gbit/s", "200 ms", "250 MB"), 4096),
        (path("10 Gbit/s", "1 s", "10 bdp") | {"duration": "300 s"}, None),
        (path("10 Mbit/s", "20 ms", "100000 bdp"), 1024),
        (path("1 Gbit/s", "200 ms", "100 bdp") | {"duration": "300 s", "host.receive_window": "3 MB"}, 1024),
        (path("1 Gbit/s", "200 ms", "100 bdp") | {"duration": "300 s"}, 32768),
        ({"flows[0].count": 4000}, 2048),
    ],
)
def test_memory_grows_with_what_can_be_on_the_way(fields: dict[str, Any], megabytes: int | None) -> None:
    assert memory_mb(run_of(fields)) == megabytes


def test_a_run_gets_a_minute_and_time_for_its_packets(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 60 < limit_s(run_of({"duration": "1 s"})) < 62
    short, long = (limit_s(run_of({"duration": each})) for each in ("10 s", "1000 s"))
    assert long - 60 == pytest.approx(100 * (short - 60), rel=0.01)
    assert long > 2 * 1000 * 80e6 / 8 / 1514 / 20_000
    faster = {"path.change": [{"at": "5 s", "rate": "8 Gbit/s"}]}
    assert limit_s(run_of(faster)) - 60 > 50 * (limit_s(run_of({})) - 60)
    monkeypatch.setenv("DUMBBELL_RUN_LIMIT_S", "2.5")
    assert limit_s(run_of({})) == 2.5
    for wrong in ("soon", "nan", "inf", "-1", "0"):
        monkeypatch.setenv("DUMBBELL_RUN_LIMIT_S", wrong)
        with pytest.raises(EngineFailure, match=f'"{wrong}" is no number of seconds above 0'):
            limit_s(run_of({}))


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="only Linux tells cores apart")
def test_each_core_has_one_holder_and_is_free_again_when_it_has_ended() -> None:
    allowed = os.sched_getaffinity(0)
    with ExitStack() as holders:
        answers = [holders.enter_context(reserve_core()) for _ in range(len(allowed) + 1)]
        reserved = [core for core in answers if core is not None]
        # Runs of somebody else may hold some.
        assert len(reserved) == len(set(reserved)) <= len(allowed)
        assert set(reserved) <= allowed
        assert answers[-1] is None
    with reserve_core() as core:
        assert core in reserved or not reserved


def test_a_folder_is_there_for_as_long_as_it_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with scratch.folder() as folder:
        assert folder.parent == tmp_path
        (folder / "deep" / "deeper").mkdir(parents=True)
        scratch.sweep(tmp_path)
        assert folder.is_dir(), "what is in use is not swept"
    assert not folder.exists()
    with pytest.raises(ZeroDivisionError), scratch.folder() as folder:
        raise ZeroDivisionError
    assert not folder.exists()


def test_what_nobody_holds_is_swept_and_nothing_else(tmp_path: Path) -> None:
    stale, ancient, young = (tmp_path / f"{scratch.PREFIX}{each}" for each in ("stale", "ancient", "young"))
    other = tmp_path / "other"
    for folder in (stale, ancient, young, other):
        folder.mkdir()
    (stale / scratch.LOCK_FILE).touch()
    an_hour_ago = time.time() - 3600
    for folder in (ancient, other):
        os.utime(folder, (an_hour_ago, an_hour_ago))
    scratch.sweep(tmp_path)
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted([young.name, "other"])
