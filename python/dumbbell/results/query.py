"""One SELECT over the tables of a store, by DuckDB, which sees nothing else: no file, no setting, nothing of Python's.

DuckDB reads SQLite by an extension that it would download, so the tables that a statement names come from the ledger.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from dumbbell.errors import QueryError
from dumbbell.results.diagnosis import damaged_source
from dumbbell.results.ledger import Ledger, listed
from dumbbell.results.outcomes import SERIES
from dumbbell.results.series import SeriesFile, SeriesFolder
from dumbbell.results.tables import RUN_TABLES

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.dataset as dataset  # type: ignore[import-untyped]

    from dumbbell.results.store import Store

TABLES: Final = ("campaign", "member", "run", "provenance", *RUN_TABLES)
KINDS: Final = {
    "flow_series": "flows", "queue_series": "queue", "hop_series": "hops", "ack_series": "acks", "ss_series": "ss",
    "transfers": "transfers", "pages": "pages",
}  # fmt: skip
"""Tables of all files of a kind, whose rows have the run's id."""
PAGE: Final = 1_000
"""Rows that are in Python's memory at a time."""
INTERRUPTED_EVERY_S: Final = 0.05
LOCKED: Final[dict[str, Any]] = {
    "enable_external_access": "false", "python_enable_replacements": "false", "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false", "temp_directory": "", "lock_configuration": "true",
}  # fmt: skip
"""What DuckDB is started with, and no statement changes."""
_Of = TypeVar("_Of")


class Rows(NamedTuple):
    """What a statement gives."""

    columns: list[str]
    cells: Iterator[tuple[Any, ...]]
    """A tuple a row."""


def query(store: Store, sql: str) -> Rows:
    """The rows of one SELECT over a store's tables and series.

    Raises:
        QueryError: it is none, it is wrong, it wants what is not the store's, or there is no DuckDB.
        StoreFailure: a series that it names is damaged.
    """
    try:
        import duckdb  # noqa: PLC0415 (an extra of its own)
    except ImportError:
        raise QueryError('needs DuckDB, which is not installed: pip install "duckdb>=2"') from None
    if not sql.isascii() and sql != sql.encode(errors="replace").decode():
        raise QueryError("is not UTF-8 text")
    try:
        connection = duckdb.connect(":memory:", config=LOCKED)
        statements = connection.extract_statements(sql)
        kinds = [each.type.name for each in statements]
        if kinds != ["SELECT"]:
            raise QueryError(f"one SELECT, and nothing else, is answered; this is {' and '.join(kinds) or 'empty'}")
        for name in _named(connection, sql):
            connection.register(name, _of_ledger(store.ledger, name) if name in TABLES else _of_series(store, name))
        cursor = _interruptible(connection.interrupt, lambda: connection.execute(statements[0]))
    except duckdb.Error as error:
        raise _first_line(error) from None
    return Rows([name for name, *_ in cursor.description or ()], _rows(cursor))


def _rows(cursor: duckdb.DuckDBPyConnection) -> Iterator[tuple[Any, ...]]:
    import duckdb  # noqa: PLC0415 (as above)

    try:
        while rows := _interruptible(cursor.interrupt, lambda: cursor.fetchmany(PAGE)):
            yield from rows
    except duckdb.Error as error:
        raise _first_line(error) from None


def _interruptible(interrupt: Callable[[], object], act: Callable[[], _Of]) -> _Of:
    """What DuckDB gives, which heeds no signal: it works in a thread, and this one stays free to be interrupted."""
    result: Future[_Of] = Future()

    def work() -> None:
        try:
            result.set_result(act())
        except BaseException as error:  # noqa: BLE001 (who waits has it)
            result.set_exception(error)

    worker = Thread(target=work, daemon=True)
    try:
        worker.start()
        return result.result()
    except KeyboardInterrupt:
        while worker.is_alive():  # an interruption of before DuckDB begins is lost on it
            interrupt()
            worker.join(INTERRUPTED_EVERY_S)
        raise


def _first_line(error: Exception) -> QueryError:
    return QueryError(str(error).partition("\n")[0])


def _named(connection: duckdb.DuckDBPyConnection, sql: str) -> set[str]:
    """The tables that a statement reads; those that it has as words where DuckDB must know their columns to say."""
    import duckdb  # noqa: PLC0415 (as above)

    try:
        names = connection.get_table_names(sql)
    except duckdb.Error:
        names = set(re.findall(r"\w+", sql))
    return {name.lower() for name in names} & {*TABLES, *KINDS}


def _of_ledger(ledger: Ledger, table: str) -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415 (late: it takes long to load)

    types = {"INTEGER": pa.int64(), "REAL": pa.float64(), "TEXT": pa.string()}
    info = ledger.rows(f"PRAGMA main.table_info({table})")
    schema = pa.schema([(row["name"], types[row["type"]]) for row in info if row["name"] != "digest"])
    intact = " WHERE run IN (SELECT id FROM run)" if table in RUN_TABLES else ""
    pages = ledger.pages(f"SELECT {listed(schema.names)} FROM {table}{intact}", PAGE)  # noqa: S608 (our names)
    columns = (
        [pa.array(*column) for column in zip(zip(*page, strict=True), schema.types, strict=True)] for page in pages
    )
    return pa.Table.from_batches([pa.record_batch(each, schema=schema) for each in columns], schema)


def _of_series(store: Store, name: str) -> dataset.Dataset:
    """All files of a kind as one table, of which DuckDB reads what a statement needs: those of one run, a column."""
    import pyarrow as pa  # noqa: PLC0415 (late: it takes long to load)
    import pyarrow.dataset as dataset  # noqa: PLC0415 (likewise)
    import pyarrow.fs as fs  # type: ignore[import-untyped] # noqa: PLC0415 (likewise)

    files = dict(_files(store, KINDS[name]))
    if not files:
        raise QueryError(f"no run in {store.folder} has {name}; see measure.record and measure.ss of its spec")
    parquet, local = dataset.ParquetFileFormat(), fs.LocalFileSystem()
    try:
        newest = parquet.inspect(str(next(reversed(files))), local)
    except (pa.ArrowException, OSError) as error:
        raise damaged_source(store.folder, f"series {' '.join(str(error).split())}") from None
    plain = [each.with_type(each.type.value_type) if pa.types.is_dictionary(each.type) else each for each in newest]
    return dataset.FileSystemDataset.from_paths(
        list(map(str, files)),
        schema=pa.schema([("run_id", pa.string()), *plain]),
        format=parquet,
        filesystem=local,
        partitions=[dataset.field("run_id") == run_id for run_id in files.values()],
    )


def _files(store: Store, kind: str) -> Iterator[tuple[Path, str]]:
    """The files of a kind, each with its run's id."""
    folder = SeriesFolder(store.folder)
    query = (
        f"SELECT run_id, {listed(SERIES, 'series')} FROM series JOIN run ON run.id = run WHERE kind = ? ORDER BY run"  # noqa: S608 (our names)
    )
    for run_id, *row in store.ledger.rows(query, kind):
        series = SeriesFile(**dict(zip(SERIES, row, strict=True)))
        if fault := folder.damage(series):
            raise damaged_source(store.folder, f"series {fault}")
        yield folder.path / series.file, run_id
