"""The ledger's tables, and how fast they answer when there are many runs."""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from commandline import dumbbell
from dumbbell.results.store import Store
from dumbbell.results.tables import LEDGER_SCHEMA, TABLES
from multiplied import multiplied

MANY = 100_000


def test_other_tables_are_another_schema() -> None:
    """Whoever changes the tables, or a field of a summary, gives `LEDGER_SCHEMA` the next number, and this line too."""
    digest = hashlib.sha256(" ".join(TABLES.split()).encode()).hexdigest()[:12]
    assert {6: "437b29029743"}[LEDGER_SCHEMA] == digest


def test_the_ledger_is_written_ahead(folder: Path) -> None:
    Store.open(folder, write=True).close()
    connection = sqlite3.connect(folder / "ledger.sqlite")
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("SELECT version FROM schema").fetchall() == [(LEDGER_SCHEMA,)]
    connection.close()


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a hundred thousand runs of two flows: copies of one, three seeds a point."""
    return multiplied(tmp_path_factory.mktemp("many") / "store", MANY)


def spent_s(work: Callable[[], object]) -> float:
    """Processor time."""
    began = time.process_time()
    work()
    return time.process_time() - began


def yardstick() -> int:
    """Work of the same kind that takes a second of the processors for which the bars were set, when idle."""
    rows = [[f"{i / 7:.2f}", str(i), f"{i * 3.3:.1f} %"] for i in range(600_000)]
    return sum(len("  ".join(row)) for row in rows)


def at_best(work: Callable[[], object], most: float) -> float:
    """In yardsticks, because others may slow the machine down."""
    shares: list[float] = []
    while len(shares) < 8 and min(shares, default=most) >= most:
        shares.append(spent_s(work) / spent_s(yardstick))
    return min(shares)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize(("command", "lines"), [(["list"], MANY + 1), (["show", "--each-seed"], 2 * MANY + 2)])
def test_a_hundred_thousand_runs_are_told_at_once(many: Path, command: list[str], lines: int) -> None:
    told: list[str] = []
    assert at_best(lambda: told.append(dumbbell("results", *command, many).stdout), 2) < 2
    assert len(told[-1].splitlines()) == lines


@pytest.mark.long
@pytest.mark.slow
def test_a_frame_of_a_hundred_thousand_runs_and_one_of_many_are_there_at_once(many: Path) -> None:
    with Store.open(many) as store:
        for frame in (store.runs, store.groups):
            assert at_best(frame, 2) < 2
            assert len(frame()) >= MANY
        ids = [f"{number * 2654435761:016x}" for number in range(1, 500)]
        assert at_best(lambda: [store.get(each).seed for each in ids], 0.5) < 0.5  # type: ignore[union-attr]
