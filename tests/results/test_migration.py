"""Stores of earlier schemas: `schema1.sql` to `schema6.sql` are of earlier versions, with runs of no experiment."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from compared import compare_stores, store_of
from dumbbell.results.store import Store
from dumbbell.spec import load

SPEC = """
duration = "1 s"
seeds = 2
start_jitter = "50 ms"
measure.record = "summary"
measure.window = ["0 %", "100 %"]
path = { rate = "5 Mbit/s", rtt = "20 ms", buffer = "1 bdp", jitter = "none" }
flows = [{ cc = ["bbr", "cubic"] }, { name = "others", cc = "reno", count = 2 }]
"""
OF_NO_EXPERIMENT = "SELECT run_id FROM run WHERE id NOT IN (SELECT run FROM member)"


@pytest.fixture(params=[1, 2, 3, 4, 5, 6])
def version(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture
def old(tmp_path: Path, version: int) -> Path:
    folder = tmp_path / "old"
    folder.mkdir()
    connection = sqlite3.connect(folder / "ledger.sqlite")
    connection.executescript(Path(__file__).with_name(f"schema{version}.sql").read_text(encoding="utf-8"))
    connection.close()
    return folder


def rows(folder: Path, query: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(folder / "ledger.sqlite")
    fetched = connection.execute(query).fetchall()
    connection.close()
    return fetched


def test_it_is_read_as_it_is(old: Path, version: int, tmp_path: Path) -> None:
    with Store.open(old) as store:
        assert [each.seed for each in store.outcomes()] == [1, 2, 1, 2]
        assert all(store.finished(each.run_id) for each in store.outcomes())
        assert not any(store.finished(str(stray)) for (stray,) in rows(old, OF_NO_EXPERIMENT))
        assert {store.run(each.run_id).path.jitter_ns for each in store.outcomes()} == {0}
    comparison = compare_stores(f"{old}@cc=bbr", "@cc=cubic")
    assert (len(comparison.pairs), {each.group for each in comparison.overall}) == (2, {None, "bbr → cubic", "others"})
    other = store_of(tmp_path / "other", None, load(SPEC, overrides={"start_jitter": "10 ms"}))
    assert len(compare_stores(f"{old}@cc=bbr", f"{other}@cc=cubic").pairs) == 2
    assert rows(old, "SELECT version FROM schema") == [(version,)]


def test_it_is_migrated_where_it_is_written(old: Path, tmp_path: Path) -> None:
    with Store.open(old) as store:
        before = list(store.outcomes())
    with Store.open(old, write=True) as store:
        assert list(store.outcomes()) == before
        assert all(store.finished(each.run_id) for each in before)
        assert not any(store.finished(str(stray)) for (stray,) in rows(old, OF_NO_EXPERIMENT))
    assert rows(old, "SELECT version FROM schema") == [(7,)]
    keys = "SELECT request_key, request_groups FROM run JOIN member ON run = run.id ORDER BY position"
    new = store_of(tmp_path / "new", None, load(SPEC))
    assert rows(old, keys) == rows(new, keys)
    assert len({key for key, _ in rows(old, keys)}) == 1
    assert len(compare_stores(old, new).pairs) == 4
