"""A store's runs as one file for other programs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import dumbbell.spreadsheet as spreadsheet
from dumbbell.errors import StoreError, StoreFailure
from dumbbell.replacement import replacing
from dumbbell.results import frames
from dumbbell.results.outcomes import outcomes_of
from dumbbell.results.schema import Result
from dumbbell.results.series import CAPTURES
from dumbbell.results.store import Store

if TYPE_CHECKING:
    import pandas as pd

FORMATS = (".csv", ".parquet")


def export(store: Store, table: str, file: Path, *, include_superseded: bool = False) -> int:
    """Writes a table of runs, flows, groups or hops, or a kind of series, to a CSV or Parquet file; gives its rows.

    The file has its name when it is whole. Runs that kept no series of the kind are left out.

    Raises:
        StoreError: the file's name ends in something else, or there is nothing to write.
        StoreFailure: the file cannot be written.
    """
    if file.suffix not in FORMATS:
        raise StoreError(f'{file}: cannot write "{file.suffix}"; the name must end in {" or ".join(FORMATS)}')
    try:
        with replacing(file) as partial:
            rows = _write(_parts(store, table, include_superseded=include_superseded), partial, file.suffix)
            if not rows:
                raise StoreError(f"{store.folder}: has no {table} to write")
    except OSError as error:
        raise StoreFailure(f"{file}: cannot be written: {error.strerror or error}") from error
    return rows


def export_captures(store: Store, folder: Path, *, include_superseded: bool = False) -> Iterator[Path]:
    """Writes each capture into a folder, `RUN.PLACE.pcapng` or `RUN.flow-0.qlog`, and gives its path.

    Raises:
        StoreError: no run was captured.
        StoreFailure: a file cannot be written.
    """
    import pyarrow as pa  # type: ignore[import-untyped] # noqa: PLC0415 (late: it takes long to load)

    campaigns = store.campaigns(include_superseded=include_superseded)
    runs = dict.fromkeys(each.run_id for campaign in campaigns for each in outcomes_of(store.ledger, campaign.id))
    captures = [(run_id, kind) for run_id in runs for kind in sorted(store.kinds(run_id)) if kind.endswith(CAPTURES)]
    if not captures:
        raise StoreError(f'{store.folder}: no run has captures; measure.record = "pcap" or "qlog" makes them')
    for run_id, kind in captures:
        file = folder / f"{run_id}.{kind}"
        source = store.capture(run_id, kind)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            packets = pa.input_stream(source, compression="zstd")
            with replacing(file) as partial, packets, partial.open("wb") as out:
                shutil.copyfileobj(packets, out)
        except OSError as error:
            raise StoreFailure(f"{file}: cannot be written: {error.strerror or error}") from error
        yield file


def _parts(store: Store, table: str, *, include_superseded: bool) -> Iterator[pd.DataFrame]:
    if table in get_args(frames.Table):
        yield getattr(store, table)(include_superseded=include_superseded)
        return
    kind = {"series": "flows", "hop_series": "hops"}.get(table, table)
    for campaign in store.campaigns(include_superseded=include_superseded):
        for outcome in outcomes_of(store.ledger, campaign.id):
            if isinstance(outcome, Result) and kind in store.kinds(outcome.run_id):
                frame = frames.together([(outcome, store.series(outcome.run_id, kind))], campaign.spec)
                frame.insert(1, "experiment", campaign.label)
                frame.insert(2, "engine", campaign.engine)
                yield frame


def _write(parts: Iterator[pd.DataFrame], partial: Path, suffix: str) -> int:
    """Each part below the last, with the columns of the first."""
    import pyarrow as pa  # noqa: PLC0415 (late: it takes long to load)
    import pyarrow.parquet as pq  # type: ignore[import-untyped] # noqa: PLC0415 (as above)

    rows, writer, columns = 0, None, None
    try:
        for part in parts:
            if part.empty:
                continue
            columns = list(part.columns) if columns is None else columns
            frame = _plain(part.reindex(columns=columns))
            if suffix == ".csv":
                _without_formulas(frame).to_csv(
                    partial, mode="a" if rows else "w", header=not rows, index=False, encoding="utf-8"
                )
            else:
                table = pa.Table.from_pandas(frame, preserve_index=False)
                writer = writer or pq.ParquetWriter(partial, table.schema, compression="zstd")
                writer.write_table(table.cast(writer.schema))
            rows += len(frame)
    finally:
        if writer is not None:
            writer.close()
    return rows


def _without_formulas(frame: pd.DataFrame) -> pd.DataFrame:
    """As a spreadsheet may open it: `spreadsheet.cell` of whatever is text."""
    texts = {name: [each for each in frame[name].unique() if isinstance(each, str)] for name in frame.columns}
    cells = {name: {text: spreadsheet.cell(text) for text in values} for name, values in texts.items() if values}
    return frame.assign(**{name: frame[name].map(mapping) for name, mapping in cells.items()})


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Columns that hold words and numbers side by side, as a sweep may, become words."""
    mixed = [name for name in frame.columns if frame[name].dtype == object]
    return frame.assign(
        **{name: frame[name].map(lambda value: None if value is None else str(value)) for name in mixed}
    )
