"""The ledger's tables, and how much work they are when there are many runs."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from commandline import dumbbell
from dumbbell.results.store import Store
from dumbbell.results.tables import LEDGER_SCHEMA, TABLES
from multiplied import multiplied
from work import lines_run

FEW, MANY = 300, 1_200


def test_other_tables_are_another_schema() -> None:
    """Whoever changes the tables, or a field of a summary, gives `LEDGER_SCHEMA` the next number, and this line too."""
    digest = hashlib.sha256(" ".join(TABLES.split()).encode()).hexdigest()[:12]
    assert {15: "f1cc257dcc87"}[LEDGER_SCHEMA] == digest


def test_the_ledger_is_written_ahead(folder: Path) -> None:
    Store.open(folder, write=True).close()
    connection = sqlite3.connect(folder / "ledger.sqlite")
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("SELECT version FROM schema").fetchall() == [(LEDGER_SCHEMA,)]
    connection.close()


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """Stores with runs of two flows: copies of one, three seeds a point."""
    return {runs: multiplied(tmp_path_factory.mktemp(f"{runs}") / "store", runs) for runs in (FEW, MANY)}


def steps(store: Store, work: Callable[[], object]) -> int:
    """How many tens of steps SQLite's machine takes for it."""
    count = 0

    def step() -> None:
        nonlocal count
        count += 1

    connection = store.ledger._connection
    connection.set_progress_handler(step, 10)
    try:
        work()
    finally:
        connection.set_progress_handler(None, 0)
    return count


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("command", [["list"], ["show", "--each-seed"]], ids=" ".join)
def test_four_times_as_many_runs_are_told_with_no_more_than_four_times_the_work(
    stores: dict[int, Path], command: list[str]
) -> None:
    def line_count(runs: int) -> int:
        return len(dumbbell("results", *command, stores[runs]).stdout.splitlines())

    line_count(FEW)  # imports are not what is measured
    assert line_count(MANY) - line_count(FEW) == (MANY - FEW) * (2 if "show" in command else 1)
    assert lines_run(lambda: line_count(MANY)) < 1.1 * MANY / FEW * lines_run(lambda: line_count(FEW))


@pytest.mark.slow
@pytest.mark.parametrize("table", ["runs", "groups"])
def test_a_frame_of_four_times_as_many_runs_is_no_more_than_four_times_the_work(
    stores: dict[int, Path], table: str
) -> None:
    lines, sql = dict[int, int](), dict[int, int]()
    for runs, folder in stores.items():
        with Store.open(folder) as store:
            frame = getattr(store, table)
            assert len(frame()) >= runs
            lines[runs], sql[runs] = lines_run(frame), steps(store, frame)
    assert lines[MANY] < 1.1 * MANY / FEW * lines[FEW]
    assert sql[FEW] < sql[MANY] < 1.1 * MANY / FEW * sql[FEW]


def test_one_run_is_found_with_the_same_work_among_many(stores: dict[int, Path]) -> None:
    ids = [f"{number * 2654435761:016x}" for number in range(1, 100)]
    lines, sql = dict[int, int](), dict[int, int]()
    for runs, folder in stores.items():
        with Store.open(folder) as store:

            def get(store: Store = store) -> list[int]:
                return [store.get(each).seed for each in ids]  # type: ignore[union-attr]

            assert len(get()) == len(ids)
            lines[runs], sql[runs] = lines_run(get), steps(store, get)
    assert lines[MANY] == lines[FEW]
    assert 0 < sql[MANY] < 1.1 * sql[FEW]
