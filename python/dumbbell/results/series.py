"""The series of a run: Parquet files with the engine's own integers, and the same in units to compute with.

In the files a gauge that is not known is null. They are written under another name, and renamed when they are whole.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt
    import pandas as pd
    import pyarrow as pa  # type: ignore[import-untyped]

    from dumbbell.engines.measurement import FlowMeasurement, Measurement
    from dumbbell.spec.run import Run

FLOWS, QUEUE, ACKS = "flows", "queue", "acks"

_MAGIC = b"PAR1"
_FOOTER_BYTES = 8
_LEVEL = 3
_KEPT: Final = ("series", "acks", "pcap")
_ZERO_IS_UNKNOWN = frozenset({"srtt_us"})
_ALWAYS_KNOWN = frozenset({"at_ns", "delivered_bytes", "bottleneck_bytes"})
_GAUGES: Final = (
    "at_ns", "srtt_us", "delivered_bytes", "bottleneck_bytes", "cwnd_segments", "ssthresh_segments",
    "inflight_segments", "min_rtt_us", "cc_min_rtt_us", "pacing_rate_bps", "delivery_rate_bps", "bandwidth_bps",
    "pacing_gain_256ths", "cwnd_gain_256ths",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesFile:
    """One Parquet file behind a run, and how to see that it is whole."""

    kind: str
    """`flows`, `queue` or `acks`."""
    file: str
    """Its path below the store's folder of series."""
    size_bytes: int
    sha256: str
    modified_ns: int
    """When it was written: as long as this and the size are the same, its bytes need not be read again."""


def tables(run: Run, measurement: Measurement, names: tuple[str, ...], ccs: tuple[str, ...]) -> dict[str, pa.Table]:
    """The series that a run asks to be kept; none when it records its summary only."""
    if run.measure.record not in _KEPT:
        return {}
    import pyarrow as pa  # noqa: PLC0415 (late: it takes longer to load than a short run to measure)

    found = {FLOWS: _flow_table(measurement, names, ccs), QUEUE: _queue_table(measurement)}
    if run.measure.record == "acks":
        parts = [
            pa.table({"flow": _repeated(index, len(acks.at_ns)), "at_ns": acks.at_ns, "rtt_ns": acks.rtt_ns})
            for index, acks in enumerate(flow.acks for flow in measurement.flows)
        ]
        found[ACKS] = pa.concat_tables(parts)
    return found


def write(table: pa.Table, kind: str, folder: Path, name: str, partial: Path) -> SeriesFile:
    """Writes a table below `folder` and gives what to remember of it; the file's name has a part of its hash."""
    import pyarrow.parquet as pq  # type: ignore[import-untyped]  # noqa: PLC0415 (as above)

    pq.write_table(table, partial, compression="zstd", compression_level=_LEVEL)
    digest = sha256(partial)
    file = f"{name[:2]}/{name}-{digest[:12]}.{kind}.parquet"
    target = folder / file
    target.parent.mkdir(exist_ok=True)
    os.replace(partial, target)  # noqa: PTH105 (over an existing file too, everywhere)
    stat = target.stat()
    return SeriesFile(kind=kind, file=file, size_bytes=stat.st_size, sha256=digest, modified_ns=stat.st_mtime_ns)


def sha256(path: Path) -> str:
    """Hash of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def damage(folder: Path, kept: SeriesFile, *, thorough: bool = False) -> str | None:
    """What is wrong with a file; None when it is whole. Its bytes are read if it was touched, or on demand."""
    path = folder / kept.file
    try:
        stat = path.stat()
        if stat.st_size != kept.size_bytes:
            return f"{kept.file}: has {stat.st_size} of {kept.size_bytes} bytes"
        with path.open("rb") as file:
            head = file.read(len(_MAGIC))
            file.seek(-_FOOTER_BYTES, os.SEEK_END)
            if not head == file.read()[-len(_MAGIC) :] == _MAGIC:
                return f"{kept.file}: is no Parquet file"
        if (thorough or stat.st_mtime_ns != kept.modified_ns) and sha256(path) != kept.sha256:
            return f"{kept.file}: has other bytes than were written"
    except OSError as error:
        return f"{kept.file}: {error.strerror or error}"
    return None


def read(folder: Path, kept: SeriesFile) -> pa.Table:
    """The table of a file that is whole."""
    import pyarrow.parquet as pq  # noqa: PLC0415 (as above)

    return pq.read_table(folder / kept.file)


def flow_frame(table: pa.Table, mss_bytes: int) -> pd.DataFrame:
    """Flows' gauges in seconds, bytes, bits per second and ratios; NaN where a gauge is not known."""
    import pandas as pd  # noqa: PLC0415 (as above)

    return pd.DataFrame(
        {
            "flow": _integer(table, "flow"),
            "name": _words(table["name"]),
            "cc": _words(table["cc"]),
            "time_s": _number(table, "at_ns", 1e-9),
            "srtt_s": _number(table, "srtt_us", 1e-6),
            "delivered_bytes": _integer(table, "delivered_bytes"),
            "bottleneck_bytes": _number(table, "bottleneck_bytes", 1),
            "cwnd_bytes": _number(table, "cwnd_segments", mss_bytes),
            "ssthresh_bytes": _number(table, "ssthresh_segments", mss_bytes),
            "inflight_bytes": _number(table, "inflight_segments", mss_bytes),
            "min_rtt_s": _number(table, "min_rtt_us", 1e-6),
            "cc_min_rtt_s": _number(table, "cc_min_rtt_us", 1e-6),
            "pacing_rate_bps": _number(table, "pacing_rate_bps", 1),
            "delivery_rate_bps": _number(table, "delivery_rate_bps", 1),
            "bandwidth_bps": _number(table, "bandwidth_bps", 1),
            "pacing_gain": _number(table, "pacing_gain_256ths", 1 / 256),
            "cwnd_gain": _number(table, "cwnd_gain_256ths", 1 / 256),
            "phase": _words(table["phase"]),
        }
    )


def queue_frame(table: pa.Table) -> pd.DataFrame:
    """The queue over time: backlog as it was, counters since the beginning."""
    import pandas as pd  # noqa: PLC0415 (as above)

    counters = ("backlog_bytes", "backlog_packets", "dropped_packets", "sent_packets")
    return pd.DataFrame({"time_s": _number(table, "at_ns", 1e-9)} | {name: _integer(table, name) for name in counters})


def ack_frame(table: pa.Table) -> pd.DataFrame:
    """Single ACKs' round-trip times, in seconds."""
    import pandas as pd  # noqa: PLC0415 (as above)

    times = {"time_s": _number(table, "at_ns", 1e-9), "rtt_s": _number(table, "rtt_ns", 1e-9)}
    return pd.DataFrame({"flow": _integer(table, "flow")} | times)


def _flow_table(measurement: Measurement, names: tuple[str, ...], ccs: tuple[str, ...]) -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415 (as above)

    parts = [
        pa.table(
            {
                "flow": _repeated(index, len(flow.series.at_ns)),
                "name": _one_word(name, len(flow.series.at_ns)),
                "cc": _one_word(cc, len(flow.series.at_ns)),
            }
            | {gauge: _gauge(gauge, getattr(flow.series, gauge)) for gauge in _GAUGES}
            | {"phase": _phases(flow)}
        )
        for index, (flow, name, cc) in enumerate(zip(measurement.flows, names, ccs, strict=True))
    ]
    return pa.concat_tables(parts).unify_dictionaries()


def _queue_table(measurement: Measurement) -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415 (as above)

    series = measurement.bottleneck.series
    columns = ("at_ns", "backlog_bytes", "backlog_packets", "dropped_packets", "sent_packets")
    return pa.table({column: getattr(series, column) for column in columns})


def _gauge(name: str, values: npt.NDArray[np.unsignedinteger[Any]]) -> pa.Array:
    import numpy as np  # noqa: PLC0415 (as above)
    import pyarrow as pa  # noqa: PLC0415 (as above)

    if name in _ALWAYS_KNOWN:
        return pa.array(values)
    unknown = values == (0 if name in _ZERO_IS_UNKNOWN else np.iinfo(values.dtype).max)
    return pa.array(values, mask=unknown)


def _phases(flow: FlowMeasurement) -> pa.Array:
    import pyarrow as pa  # noqa: PLC0415 (as above)

    phase = flow.series.phase
    indices = pa.array(phase, mask=phase >= len(flow.phases))
    return pa.DictionaryArray.from_arrays(indices.cast(pa.int16()), pa.array(flow.phases, type=pa.string()))


def _repeated(index: int, count: int) -> npt.NDArray[np.uint16]:
    import numpy as np  # noqa: PLC0415 (as above)

    return np.full(count, index, dtype=np.uint16)


def _one_word(word: str, count: int) -> pa.Array:
    import numpy as np  # noqa: PLC0415 (as above)
    import pyarrow as pa  # noqa: PLC0415 (as above)

    return pa.DictionaryArray.from_arrays(np.zeros(count, dtype=np.int16), pa.array([word]))


def _number(table: pa.Table, name: str, factor: float) -> npt.NDArray[np.float64]:
    import numpy as np  # noqa: PLC0415 (as above)
    import pyarrow as pa  # noqa: PLC0415 (as above)

    if name not in table.column_names:  # an earlier version kept no such gauge
        return np.full(len(table), np.nan)
    values: npt.NDArray[np.float64] = table[name].cast(pa.float64(), safe=False).to_numpy()
    return values * factor if factor >= 1 else np.divide(values, round(1 / factor))


def _integer(table: pa.Table, name: str) -> npt.NDArray[np.int64]:
    """With a sign, so that differences are what one expects."""
    values: npt.NDArray[np.int64] = table[name].to_numpy().astype("int64")
    return values


def _words(column: pa.ChunkedArray) -> pd.Series[str]:
    """Text, each different word once in memory."""
    import pyarrow as pa  # noqa: PLC0415 (as above)

    words: pd.Series[str] = column.cast(pa.string()).to_pandas()
    return words
