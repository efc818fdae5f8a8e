"""What an analysis gives out as files: a JSON object a connection, and Parquet tables of bins and packets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self, TextIO

import msgspec

from dumbbell.captures.analysis import CaptureError, Sink

if TYPE_CHECKING:
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    from dumbbell.captures.connection import CapturedConnection, Columns

CLASSES: Final = (
    "no data", "new", "out of order", "keep-alive", "repeated", "fast", "timeout", "tail probe", "plain",
)  # fmt: skip
"""What a segment's data is, as `crates/pcap/src/sink.rs` counts."""
_UNKNOWN: Final = {"ack_rtt_ns", "sender_rtt_ns", "timestamp_rtt_ns", "bytes_in_flight", "window_bytes"}
"""Columns in which -1 is what is not known."""


@contextmanager
def writing(folder: Path | None, lines: TextIO | None) -> Iterator[tuple[Sink, list[Path]]]:
    """A sink that writes what it takes into a folder, and connections as lines of JSON; and what it writes.

    Raises:
        CaptureError: the folder cannot be written to.
    """
    sink, files = Sink(), list[Path]()
    with ExitStack() as stack:
        outs = [lines] if lines else []
        try:
            if folder is not None:
                folder.mkdir(parents=True, exist_ok=True)
                connections, bins, packets = (
                    folder / name for name in ("connections.jsonl", "bins.parquet", "packets.parquet")
                )
                files += [connections, bins, packets]
                outs.append(stack.enter_context(connections.open("w", encoding="utf-8")))
                sink.on_bins = stack.enter_context(_ParquetFile(bins))
                sink.packets = stack.enter_context(_ParquetFile(packets))
            if outs:
                sink.on_connections = _printer(outs)
            yield sink, files
        except OSError as error:
            raise CaptureError(f"{error.filename or folder}: cannot be written: {error.strerror or error}") from error


def _printer(outs: list[TextIO]) -> Callable[[list[CapturedConnection], str], None]:
    def write(_: list[CapturedConnection], text: str) -> None:
        for each in msgspec.json.decode(text, type=list[msgspec.Raw]):
            for out in outs:
                out.write(f"{bytes(each).decode()}\n")

    return write


class _ParquetFile:
    """A Parquet file that grows by batches."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writer: pq.ParquetWriter | None = None

    def __enter__(self) -> Self:
        return self

    def __call__(self, columns: Columns) -> None:
        import pyarrow as pa  # noqa: PLC0415 (late: it takes long to load)
        import pyarrow.parquet as pq  # noqa: PLC0415

        table = pa.table({
            name: pa.array(column, mask=column == -1) if name in _UNKNOWN else pa.array(column)
            for name, column in columns.items()
        })  # fmt: skip
        if "class" in columns:
            names = pa.DictionaryArray.from_arrays(columns["class"].astype("int8"), pa.array(CLASSES))
            table = table.set_column(table.column_names.index("class"), "class", names)
        self._writer = self._writer or pq.ParquetWriter(self._path, table.schema, compression="zstd")
        self._writer.write_table(table)

    def __exit__(self, *_: object) -> None:
        if self._writer:
            self._writer.close()
