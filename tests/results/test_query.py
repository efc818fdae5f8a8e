"""`dumbbell query`: one SELECT over a store is answered, and nothing else: no statement writes, or reads a file."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from _thread import interrupt_main
from contextlib import closing
from pathlib import Path
from threading import Event
from time import sleep
from typing import Any

import pytest

from commandline import DUMBBELL, MOMENT, dumbbell, of_a_terminal
from dumbbell.errors import QueryError
from dumbbell.results.query import KINDS, LOCKED, TABLES, _interruptible, query
from dumbbell.results.store import Store
from ledgers import execute
from processes import HANG_S

CANARY = "nightingale"
REFUSED = [
    "COPY run TO '{out}'",
    "COPY (SELECT 1) TO '{out}' (FORMAT parquet)",
    "COPY run FROM '{canary}'",
    "EXPORT DATABASE '{out}'",
    "IMPORT DATABASE '{folder}'",
    "ATTACH '{out}'",
    "ATTACH '{ledger}' AS other (TYPE sqlite)",
    "USE memory",
    "DETACH memory",
    "INSERT INTO run (id) VALUES (1)",
    "UPDATE run SET seed = 1",
    "DELETE FROM run",
    "DROP VIEW run",
    "CREATE TABLE mine AS SELECT 1",
    "CREATE MACRO mine(a) AS a",
    "SET threads = 1",
    "SET enable_external_access = true",
    "RESET lock_configuration",
    "PRAGMA version",
    "PRAGMA enable_profiling",
    "CALL pragma_version()",
    "INSTALL sqlite",
    "LOAD sqlite",
    "LOAD '{canary}'",
    "PREPARE mine AS SELECT 1",
    "BEGIN",
    "CHECKPOINT",
    "VACUUM",
    "EXPLAIN SELECT 1",
    "SELECT 1; SELECT 2",
    "SELECT 1; COPY run TO '{out}'",
    "WITH mine AS (INSERT INTO run (id) VALUES (1) RETURNING *) SELECT * FROM mine",
    "SELECT * FROM '{canary}'",
    "SELECT * FROM '{folder}/*'",
    "SELECT * FROM read_csv('{canary}')",
    "SELECT * FROM read_csv_auto('{canary}')",
    "SELECT * FROM read_json('{canary}')",
    "SELECT * FROM read_parquet('{series}')",
    "SELECT * FROM parquet_metadata('{series}')",
    "SELECT * FROM read_text('{canary}')",
    "SELECT * FROM read_blob('{canary}')",
    "SELECT * FROM sniff_csv('{canary}')",
    "SELECT * FROM glob('{folder}/*')",
    "SELECT * FROM query('COPY run TO ''{out}''')",
    "SELECT * FROM query('SELECT * FROM read_text(''{canary}'')')",
    "SELECT * FROM query_table('{canary}')",
    "SELECT * FROM sqlite_scan('{ledger}', 'run')",
    "SELECT * FROM 'https://example.org/x.parquet'",
    "SELECT * FROM duckdb_secrets()",
    "SELECT getenv('HOME')",
    "SELECT $1",
    "SELECT * FROM runs",
    "SELECT nonsense FROM run",
    "SELEC 1",
    "SELECT 1 +",
    "SELECT 'a'::INTEGER",
    "",
    ";",
    "/* nothing */",
    "\udcff",
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with four runs over a path with two queues."""
    folder = tmp_path_factory.mktemp("query")
    spec = folder / "moment.toml"
    spec.write_text(
        MOMENT.replace("[path]", "[path]\nback = { rate = '1 Mbit/s', buffer = '20 kB' }"), encoding="utf-8"
    )
    assert dumbbell("run", spec, "--out", folder / "store").returncode == 0
    return folder / "store"


def rows(store: Path, sql: str) -> list[tuple[Any, ...]]:
    with Store.open(store) as opened:
        return list(query(opened, sql).cells)


def every_file(folder: Path) -> dict[str, bytes]:
    return {path.as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("table", TABLES)
def test_a_table_is_that_of_the_ledger(store: Path, table: str) -> None:
    with closing(sqlite3.connect(store / "ledger.sqlite")) as connection:
        cursor = connection.execute(f"SELECT * FROM {table}")  # noqa: S608 (ours)
        names, ours = [name for name, *_ in cursor.description], cursor.fetchall()
    assert ours
    shown = [nth for nth, name in enumerate(names) if name != "digest"]
    with Store.open(store) as opened:
        columns, theirs = query(opened, f"SELECT * FROM {table}")  # noqa: S608 (likewise)
        assert columns == [names[nth] for nth in shown]
        assert list(theirs) == [tuple(row[nth] for nth in shown) for row in ours]


def test_tables_are_joined_whatever_they_are_called_and_json_is_taken_apart(store: Path) -> None:
    sql = """
        WITH own AS (FROM MEMBER JOIN main."run" ON run.id = member.run WHERE seed = 2)
        SELECT point->>'path.buffer' AS buffer, count(*), round(sum(share), 6)
        FROM own JOIN query('SELECT run AS of, share FROM group_value') ON of = own.id GROUP BY buffer ORDER BY buffer
        -- a comment
        ;
    """
    assert rows(store, sql) == [("0.5 bdp", 2, 1.0), ("2 bdp", 2, 1.0)]


def test_a_series_is_one_table_of_all_runs(store: Path) -> None:
    with Store.open(store) as opened:
        for outcome in opened.outcomes():
            frame = opened.flow_series(outcome.run_id)
            sql = f"SELECT at_ns, name, phase, cwnd_segments FROM flow_series WHERE run_id = '{outcome.run_id}'"  # noqa: S608
            theirs = list(query(opened, f"{sql} ORDER BY flow, at_ns").cells)
            assert [at / 1e9 for at, *_ in theirs] == pytest.approx(frame["time_s"].tolist())
            assert [name for _, name, *_ in theirs] == frame["name"].tolist()
            assert {phase for _, _, phase, _ in theirs} - {None} == {*frame["phase"].dropna().unique()}
    counts = rows(
        store, "SELECT count(DISTINCT run_id), count(*) FROM queue_series a JOIN queue_series b USING (run_id, at_ns)"
    )
    assert counts == [(4, rows(store, "SELECT count(*) FROM queue_series")[0][0])]
    by_hop = rows(store, "SELECT name, count(*) FROM hop_series GROUP BY name ORDER BY name")
    assert by_hop == [(name, counts[0][1]) for name in ("back", "bottleneck")]
    assert set(KINDS) == {"flow_series", "queue_series", "hop_series", "ack_series", "ss_series", "transfers", "pages"}
    with pytest.raises(QueryError, match=r"^query: no run in .* has ack_series; see measure.record"):
        rows(store, "SELECT * FROM ack_series")


@pytest.mark.parametrize("statement", REFUSED, ids=lambda statement: statement[:40].encode("ascii", "replace").decode())
def test_what_is_no_select_over_the_store_is_refused_and_touches_nothing(
    store: Path, statement: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    canary = tmp_path / "canary.csv"
    canary.write_text(f"{CANARY}\n{CANARY}\n", encoding="utf-8")
    places = {
        "out": tmp_path / "out", "canary": canary, "folder": tmp_path, "ledger": store / "ledger.sqlite",
        "series": next(store.glob("series/*/*.parquet")),
    }  # fmt: skip
    before = every_file(tmp_path) | every_file(store)
    done = dumbbell("query", store, statement.format(**places))
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("query: ")
    assert CANARY not in line
    assert every_file(tmp_path) | every_file(store) == before


def test_the_words_of_what_is_refused(store: Path) -> None:
    for sql, message in {
        "COPY run TO 'x'": "query: one SELECT, and nothing else, is answered; this is COPY\n",
        "SELECT 1; SELECT 2": "query: one SELECT, and nothing else, is answered; this is SELECT and SELECT\n",
        "": "query: one SELECT, and nothing else, is answered; this is empty\n",
        "SELEC 1": 'query: Parser Error: syntax error at or near "SELEC"\n',
        "\udcff": "query: is not UTF-8 text\n",
    }.items():
        assert dumbbell("query", store, sql).stderr == message


VALUES = """
SELECT 1.5e9 AS number, NULL AS nothing, 'nan'::DOUBLE AS none, 0.1::DECIMAL(4, 3) AS tenth, '=1+1' AS formula,
    [1, 2] AS several, {'a': 'inf'::DOUBLE, 'b': DATE '2026-11-28'} AS nested, true AS yes,
    'two' || chr(10) || 'lines' AS text
"""


def test_a_table_is_aligned_and_json_and_csv_have_every_digit(store: Path) -> None:
    done = dumbbell("query", store, "SELECT name, goodput, 1 / 3 AS third FROM group_value WHERE run < 3 ORDER BY ALL")
    assert done.returncode == 0
    header, *lines = done.stdout.splitlines()
    assert header.split() == ["name", "goodput", "third"]
    assert {len(line) for line in lines} == {len(header)}
    assert {line.split()[2] for line in lines} == {"0.333"}
    ((first,),) = rows(store, "SELECT min(goodput) FROM group_value WHERE name = 'bbr' AND run < 3")
    assert lines[0].split()[1] == f"{first:.0f}"
    (line,) = dumbbell("query", store, VALUES, "--json").stdout.splitlines()
    assert json.loads(line) == {
        "number": 1.5e9, "nothing": None, "none": None, "tenth": 0.1, "formula": "=1+1", "several": [1, 2],
        "nested": {"a": None, "b": "2026-11-28"}, "yes": True, "text": "two\nlines",
    }  # fmt: skip
    (row,) = csv.DictReader(io.StringIO(dumbbell("query", store, VALUES, "--csv").stdout))
    assert row | {"nested": ""} == {
        "number": "1500000000.0", "nothing": "", "none": "nan", "tenth": "0.100", "formula": "'=1+1",
        "several": "[1, 2]", "nested": "", "yes": "True", "text": "two\nlines",
    }  # fmt: skip
    assert len(dumbbell("query", store, VALUES).stdout.splitlines()) == 2
    assert dumbbell("query", store, "SELECT 1 AS a WHERE false").stdout == "a\n"


def test_names_of_json_are_each_once_and_it_is_no_csv(store: Path) -> None:
    done = dumbbell("query", store, "SELECT 1 AS a, 2 AS a", "--json")
    assert (done.returncode, done.stderr) == (2, 'query: two columns are called "a"; name one of them with AS\n')
    assert dumbbell("query", store, "SELECT 1 AS a, 2 AS a").stdout == "a  a\n1  2\n"
    assert dumbbell("query", store, "SELECT 1", "--json", "--csv").returncode == 2


def test_a_damaged_run_is_left_out_of_every_table(store: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(store, tmp_path / "copy")
    execute(copy, "UPDATE flow SET goodput_bps = 0 WHERE run = 1 AND flow = 0", vouched=False)
    done = dumbbell("query", copy, "SELECT DISTINCT run FROM flow ORDER BY run")
    assert done.stdout.split() == ["run", "2", "3", "4"]
    assert "1 run is damaged and left out" in done.stderr


def test_a_damaged_series_is_refused_with_what_shows_it(store: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(store, tmp_path / "copy")
    series = next(copy.glob("series/*/*.queue.parquet"))
    series.write_bytes(series.read_bytes()[:-1])
    done = dumbbell("query", copy, "SELECT count(*) FROM queue_series")
    assert (done.returncode, done.stdout) == (1, "")
    assert re.search(f"series .*{series.name}: has .*`dumbbell results verify {copy}`", done.stderr)


def test_a_series_that_rotted_under_an_intact_time_stamp_is_no_traceback(store: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(store, tmp_path / "copy")
    for series in copy.glob("series/*/*.queue.parquet"):
        times, content = series.stat(), series.read_bytes()
        series.write_bytes(content[:4] + bytes(byte ^ 85 for byte in content[4:-8]) + content[-8:])
        os.utime(series, ns=(times.st_atime_ns, times.st_mtime_ns))
        done = dumbbell("query", copy, "SELECT sum(backlog_bytes) FROM queue_series")
        assert (done.returncode in {1, 2}, done.stdout, len(done.stderr.splitlines())) == (True, "", 1)


@pytest.mark.slow
def test_sql_comes_by_standard_input_too(store: Path) -> None:
    for sql, status, stdout in (("SELECT 1 AS a\n", 0, "a\n1\n"), ("\0", 2, ""), ("", 2, "")):
        done = subprocess.run(
            [DUMBBELL, "query", store, "-"],
            capture_output=True,
            check=False,
            encoding="utf-8",
            input=sql,
            timeout=HANG_S,
        )
        assert (done.returncode, done.stdout) == (status, stdout)
        assert len(done.stderr.splitlines()) == bool(status)


@pytest.mark.parametrize(("setting", "value"), LOCKED.items())
def test_no_setting_is_looser_than_it_was_started_with(store: Path, setting: str, value: str) -> None:
    done = dumbbell("query", store, f"SELECT current_setting('{setting}') AS value", "--json")
    assert json.loads(done.stdout)["value"] == json.loads(value or '""'), "nothing of Python's, no file, no change"


def test_a_column_or_a_comment_may_be_called_as_a_table_is(store: Path) -> None:
    done = dumbbell(
        "query", store, "SELECT run, transfers FROM Flow /* ack_series */ WHERE 'ss_series' <> ''", "--json"
    )
    assert (done.returncode, set(json.loads(done.stdout.splitlines()[0]))) == (0, {"run", "transfers"})


def test_a_table_shows_what_is_tiny_and_what_is_endless(store: Path) -> None:
    sql = "SELECT 1e-12::double AS a, 'inf'::double AS b, 0::double AS c, 'nan'::double AS d, 1e8::double AS e"
    assert dumbbell("query", store, sql).stdout.splitlines()[1].split() == ["1e-12", "inf", "0", "-", "100000000"]


def test_words_stand_to_the_left_whatever_they_begin_with(store: Path) -> None:
    sql = "SELECT * FROM (VALUES ('23c7', 1), ('4', 200)) AS t(run_id, n)"
    assert dumbbell("query", store, sql).stdout == "run_id    n\n23c7      1\n4       200\n"


def test_without_duckdb_it_says_how_to_install_it(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    done = dumbbell("query", store, "SELECT 1")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == 'query: needs DuckDB, which is not installed: pip install "duckdb>=2"\n'


@pytest.mark.slow
def test_on_a_terminal_a_table_is_no_wider(store: Path) -> None:
    sql = "SELECT spec, experiment, engine, identity FROM campaign"
    lines = of_a_terminal([DUMBBELL, "query", store, sql], COLUMNS="70").splitlines()
    assert len(lines) > 5
    assert max(len(re.sub(r"\x1b\[\d+m", "", line)) for line in lines) <= 70


FOREVER = """
import sys
from dumbbell.cli.main import main
from dumbbell.results import query

interruptible = query._interruptible

def announced(*arguments):
    print("begun", flush=True)
    return interruptible(*arguments)

query._interruptible = announced
sys.argv = ["dumbbell", *{arguments!r}]
main()
"""
"""A query that says when DuckDB begins to work."""


@pytest.mark.slow
@pytest.mark.parametrize(("how", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_what_takes_for_ever_is_interrupted(store: Path, how: signal.Signals, status: int) -> None:
    forever = "SELECT count(*) FROM range(1000000000000) a(x) WHERE hash(x) = 1"
    program = FOREVER.format(arguments=["query", str(store), forever])
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8") as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "begun\n"
        running.send_signal(how)
        try:
            _, printed = running.communicate(timeout=HANG_S)
        finally:
            running.kill()
    assert (running.returncode, printed) == (status, "interrupted\n")


def test_an_interruption_of_before_duckdb_begins_is_not_lost() -> None:
    executes, stopped = Event(), Event()

    def interrupt() -> None:
        if executes.is_set():
            stopped.set()

    def begins_late() -> None:
        interrupt_main()
        sleep(0.2)
        executes.set()
        assert stopped.wait(HANG_S)

    with pytest.raises(KeyboardInterrupt):
        _interruptible(interrupt, begins_late)
    assert stopped.is_set()
