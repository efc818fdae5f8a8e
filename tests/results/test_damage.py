"""Damage to a store: bits and bytes that are not what was written are found, and what they were part of is repeated.

`DUMBBELL_FUZZ=1000 pytest tests/results/test_damage.py` flips a thousand; `DUMBBELL_FUZZ_SEED` draws others.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

import pandas as pd
import pytest

from commandline import dumbbell
from dumbbell.errors import DamagedLedger, DamageWarning, StoreError
from dumbbell.results.export import export
from dumbbell.results.store import Store
from ledgers import execute

FLIPS: Final = int(os.environ.get("DUMBBELL_FUZZ") or 12)
SEED: Final = int(os.environ.get("DUMBBELL_FUZZ_SEED") or 36)
REPORTED: Final = 5
"""Of so many flips one is told by `report` and `compare`, too, which take longest."""
TABLES: Final = ("runs", "flows", "groups", "series", "queue", "transfers", "ss")
SPECS: Final = {
    "two": """
duration = "300 ms"
seeds = 2
start_jitter = "10 ms"
path = { rate = "5 Mbit/s", rtt = "20 ms", buffer = ["0.5 bdp", "2 bdp"] }
flows = [{ cc = "bbr" }, { cc = "cubic", start = "50 ms" }]
""",
    "short": """
duration = "300 ms"
seeds = 1
measure.record = "summary"
path = { rate = "5 Mbit/s", rtt = "20 ms", buffer = "1 bdp", loss = ["0 %", "1 %"] }
[[flows]]
cc = "cubic"
workload = { arrivals = { rate = "50 /s" }, size = "10 kB" }
""",
}


class Intact(NamedTuple):
    """A store of two experiments that nothing has happened to."""

    store: Path
    specs: list[Path]
    tables: dict[str, str]


@pytest.fixture(scope="module")
def intact(tmp_path_factory: pytest.TempPathFactory) -> Intact:
    folder = tmp_path_factory.mktemp("intact")
    specs = [folder / f"{name}.toml" for name in SPECS]
    for spec in specs:
        spec.write_text(SPECS[spec.stem], encoding="utf-8")
        assert dumbbell("run", spec, "--out", folder / "store").returncode == 0
    assert dumbbell("results", "verify", folder / "store").returncode == 0
    return Intact(folder / "store", specs, tables(folder / "store"))


def tables(folder: Path) -> dict[str, str]:
    """All that a store tells of its runs, but for what differs between two runs of the same."""
    texts = {}
    for command in (("list",), ("show", "--each-seed"), ("list", "--all", "--json")):
        done = dumbbell("results", command[0], folder, *command[1:])
        texts[" ".join(command)] = f"{done.returncode} {done.stdout} {done.stderr}"
    done = dumbbell("results", "show", folder, "--json")
    outcomes = [json.loads(line) for line in done.stdout.splitlines()]
    texts["outcomes"] = json.dumps([each | {"wall_s": 0} for each in outcomes])
    with Store.open(folder) as store:
        facts = {each["run_id"]: store.provenance(each["run_id"]) | {"finished": 0} for each in outcomes}
        texts["provenance"] = json.dumps(facts)
        for table in TABLES:
            file = folder.parent / f"{table}.csv"
            try:
                export(store, table, file)
            except StoreError as error:
                texts[table] = error.message.removeprefix(str(folder))
            else:
                texts[table] = pd.read_csv(file, dtype=str).drop(columns="wall_s", errors="ignore").to_csv()
                file.unlink()
    return texts


def assert_same(actual: dict[str, str], right: dict[str, str]) -> None:
    """Table by table, so that a failure names the first that differs."""
    for name, text in right.items():
        assert actual[name] == text, name


class Flip(NamedTuple):
    """One byte of a store that is not what was written."""

    file: Path
    """Below the store."""
    offset: int
    mask: int

    def at(self, store: Path) -> None:
        """Changes the byte; what says when the file was written stays."""
        path = store / self.file
        times = path.stat()
        content = bytearray(path.read_bytes())
        content[self.offset] ^= self.mask
        path.write_bytes(content)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def flips(store: Path, count: int, seed: int) -> Iterator[Flip]:
    """Two in three in the ledger; single bits, and bytes."""
    draw = random.Random(seed)  # noqa: S311 (a test that can be repeated)
    series = sorted(path.relative_to(store) for path in store.glob("series/??/*.parquet"))
    for _ in range(count):
        file = Path("ledger.sqlite") if draw.random() < 2 / 3 else draw.choice(series)
        mask = 1 << draw.randrange(8) if draw.random() < 1 / 2 else draw.randrange(1, 256)
        yield Flip(file, draw.randrange((store / file).stat().st_size), mask)


def is_detected_and_repeated(intact: Intact, flip: Flip, folder: Path, *, reported: bool) -> bool:
    """Asserts that a flip is found or has no effect, and that what is found is repeated; whether it was found."""
    store = folder / "store"
    shutil.copytree(intact.store, store)
    flip.at(store)
    assert dumbbell("results", "show", store).returncode in {0, 1}
    if reported:
        assert dumbbell("report", store, "--out", folder / "report.html").returncode in {0, 1}
        assert dumbbell("compare", intact.store, store).returncode in {0, 1, 2}
    verified = dumbbell("results", "verify", store)
    if verified.returncode == 0:
        assert_same(tables(store), intact.tables)
        assert not list(store.glob("*damaged*"))
        return False
    assert verified.returncode == 1
    for spec in intact.specs:
        done = dumbbell("run", spec, "--out", store)
        assert done.returncode == 0, done.stderr
    after = dumbbell("results", "verify", store)
    assert (after.returncode, after.stdout) == (0, ""), after.stderr
    assert_same(tables(store), intact.tables)
    return True


@pytest.mark.long
@pytest.mark.slow
def test_whatever_bit_flips_is_found_or_without_effect_and_repeated(intact: Intact, tmp_path: Path) -> None:
    detected = 0
    for number, flip in enumerate(flips(intact.store, FLIPS, SEED)):
        folder = tmp_path / str(number)
        folder.mkdir()
        try:
            detected += is_detected_and_repeated(intact, flip, folder, reported=not number % REPORTED)
        except BaseException as error:
            error.add_note(f"DUMBBELL_FUZZ_SEED={SEED}, flip {number}: {flip}")
            raise
        shutil.rmtree(folder)
    summary = f"seed {SEED}: {detected} of {FLIPS} flips were found and repeated, {FLIPS - detected} had no effect"
    print(f"{summary}; 0 tracebacks")  # noqa: T201 (with -s, and where it fails)
    assert detected


# -- one by one -------------------------------------------------------------------------------------------------------


@pytest.fixture
def store(intact: Intact, tmp_path: Path) -> Path:
    """A copy of the store, whose files are as old as they were."""
    return Path(shutil.copytree(intact.store, tmp_path / "store"))


def last_line(spec: Path, store: Path) -> str:
    """How `run` ends, without its seconds."""
    done = dumbbell("run", spec, "--out", store)
    assert done.returncode == 0, done.stderr
    return re.sub(r", [0-9.]+ s;.*", "", done.stderr.splitlines()[-1].removeprefix(f"{store} "))


def faults(store: Path) -> list[str]:
    return dumbbell("results", "verify", store).stdout.splitlines()


def test_a_number_that_changed_in_the_ledger_is_found_left_out_and_repeated(intact: Intact, store: Path) -> None:
    """SQLite finds nothing wrong with it."""
    ledger = store / "ledger.sqlite"

    def backlog() -> tuple[str, float]:
        with closing(sqlite3.connect(ledger)) as connection:
            run_id, number = connection.execute("SELECT run_id, queue_mean_bdp FROM run WHERE id = 2").fetchone()
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            return run_id, number

    run_id, number = backlog()
    right = ledger.read_bytes()
    for match in re.finditer(re.escape(struct.pack(">d", number)), right):  # also where it stood before
        ledger.write_bytes(right)
        Flip(Path(ledger.name), match.start() + 1, 4).at(store)
        if backlog()[1] != number:
            break
    else:
        pytest.fail("no byte of the number was found")
    shown = dumbbell("results", "list", store)
    assert shown.stderr == f"note: {store}: 1 run is damaged and left out; run the experiment again\n"
    assert run_id not in shown.stdout
    assert "1 run is damaged and left out" in dumbbell("results", "show", store).stderr
    done = dumbbell("report", store, "--out", store.parent / "report.html")
    assert (done.returncode, "1 run is damaged and left out" in done.stderr) == (0, True)
    assert faults(store) == [f"run {run_id}: its rows in ledger.sqlite are not what was written"]
    marked = (store / "ledger.sqlite").read_bytes()
    done = dumbbell("run", intact.specs[0], "--out", store)
    assert "5 runs of it are whole and kept, 1 run is repeated when the experiment is run again" in done.stderr
    assert "4 runs in " in done.stderr
    assert "(3 of them there before)" in done.stderr
    assert [path.name for path in store.glob("ledger.damaged-*")] == ["ledger.damaged-1.sqlite"]
    assert (store / "ledger.damaged-1.sqlite").read_bytes() == marked
    assert faults(store) == []
    assert "(all there before)" in last_line(intact.specs[1], store)
    assert_same(tables(store), intact.tables)


def test_a_series_that_changed_without_a_trace_is_found_marked_and_repeated(intact: Intact, store: Path) -> None:
    file = next(store.glob("series/??/*.flows.parquet"))
    right = file.read_bytes()
    Flip(file.relative_to(store), len(right) // 2, 255).at(store)
    assert "4 runs" in last_line(intact.specs[0], store)  # its time stamp says that it is whole
    assert file.read_bytes() != right
    (fault,) = faults(store)
    assert file.name in fault
    assert last_line(intact.specs[0], store).endswith("(3 of them there before, 1 repeated)")
    assert file.read_bytes() == right
    assert faults(store) == []
    assert "(all there before)" in last_line(intact.specs[1], store)
    assert_same(tables(store), intact.tables)


def test_a_report_says_how_many_runs_it_draws_without_series_and_has_them_repeated(intact: Intact, store: Path) -> None:
    file = next(store.glob("series/??/*.flows.parquet"))
    Flip(file.relative_to(store), 2_000, 1).at(store)
    done = dumbbell("report", store, "--out", store.parent / "report.html")
    assert "the series of 1 run are damaged and left out; run the experiment again" in done.stderr
    assert last_line(intact.specs[0], store).endswith("(3 of them there before, 1 repeated)")


def test_a_folder_in_the_place_of_a_series_is_moved_out_of_the_way(intact: Intact, store: Path) -> None:
    file = next(store.glob("series/??/*.queue.parquet"))
    right = file.read_bytes()
    file.unlink()
    file.mkdir()
    (file / "mine.txt").write_text("mine", encoding="utf-8")
    assert len(faults(store)) == 1
    assert last_line(intact.specs[0], store).endswith("(3 of them there before, 1 repeated)")
    assert file.read_bytes() == right
    assert (file.with_name(f"{file.name}.aside-1") / "mine.txt").read_text(encoding="utf-8") == "mine"
    assert faults(store) == []


def test_a_store_that_nobody_can_write_is_verified_and_says_that_nothing_was_marked(
    intact: Intact, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = next(store.glob("series/??/*.flows.parquet"))
    Flip(file.relative_to(store), 2_000, 1).at(store)
    before = (store / "ledger.sqlite").read_bytes()
    monkeypatch.setattr("dumbbell.results.ledger.os.access", lambda _, mode: mode != os.W_OK)
    done = dumbbell("results", "verify", store)
    assert (done.returncode, len(done.stdout.splitlines())) == (1, 1)
    assert "cannot mark what is damaged" in done.stderr
    assert "read-only" in done.stderr
    assert (store / "ledger.sqlite").read_bytes() == before
    assert dumbbell("results", "verify", intact.store).returncode == 0


def test_of_a_large_ledger_a_run_is_checked_when_it_is_asked_for_and_all_when_it_is_marked(
    intact: Intact, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dumbbell.results.ledger.LARGEST_FULLY_READ_BYTES", 0)
    execute(store, "UPDATE flow SET goodput_bps = goodput_bps + 1 WHERE run = 2", vouched=False)
    assert dumbbell("results", "list", store).stderr == ""
    assert last_line(intact.specs[0], store).endswith("(3 of them there before, 1 repeated)")
    assert faults(store) == []
    execute(store, "UPDATE campaign SET experiment = 'three' WHERE id = 1", vouched=False)
    assert faults(store) == ["ledger.sqlite: campaign 1 is not what was written"]
    assert "1 experiment is damaged and left out" in dumbbell("results", "list", store).stderr
    with pytest.warns(DamageWarning, match="6 runs of it are whole and kept; the damaged file is"):
        Store.open(store, write=True).close()
    for spec in intact.specs:
        assert "(all there before)" in last_line(spec, store)
    assert faults(store) == []
    assert_same(tables(store), intact.tables)


def test_an_error_over_numbers_that_nobody_foresaw_is_told_as_damage_where_there_is_some(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dumbbell.results.ledger.LARGEST_FULLY_READ_BYTES", 0)
    with pytest.raises(ZeroDivisionError), Store.open(store):
        raise ZeroDivisionError
    execute(store, "UPDATE run SET warnings = '[' WHERE id = 1", vouched=False)
    with pytest.raises(DamagedLedger, match="run its experiment again"), Store.open(store) as opened:
        opened.runs()
    done = dumbbell("results", "show", store)
    assert (done.returncode, "is damaged" in done.stderr) == (1, True)
