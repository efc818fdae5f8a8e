"""The series of a run as Parquet tables, with the engine's own integers, and as frames in units to compute with.

In the tables a gauge that is not known is null.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

import dumbbell.metrics.completion as completion
from dumbbell.engines.measurement import NEVER_NS, FlowMeasurement, FlowSeries, Measurement, QueueSeries
from dumbbell.metrics.connections import each

if TYPE_CHECKING:
    import pandas as pd

    from dumbbell.spec.run import Run

_ZERO_IS_UNKNOWN: Final = {"srtt_us"}
_ALWAYS_KNOWN: Final = {"at_ns", "delivered_bytes", "bottleneck_bytes"}
_GAUGES: Final = [each.name for each in fields(FlowSeries) if each.name != "phase"]
_SS: Final = pa.schema([
    ("flow", pa.int32()), ("local", pa.string()), ("at_ns", pa.uint64()), ("srtt_us", pa.uint32()),
    ("min_rtt_us", pa.uint32()), ("cwnd_segments", pa.uint32()), ("ssthresh_segments", pa.uint32()),
    ("delivery_rate_bps", pa.float64()), ("retransmitted", pa.uint32()),
])  # fmt: skip
_SMALL_BYTES: Final = 2**16
"""A table up to here is compressed by LZ4: zstd takes longer to begin than it saves."""
_OF_QUEUE: Final = [each.name for each in fields(QueueSeries)]


def tables(run: Run, measurement: Measurement, names: tuple[str, ...], ccs: tuple[str, ...]) -> dict[str, pa.Table]:
    """What a run keeps beside its row, by kind: transfers of its sources, and series if it records more."""
    by_kind: dict[str, pa.Table] = {}
    if any(flow.transfers is not None for flow in measurement.flows):
        by_kind["transfers"] = _transfer_table(run, measurement, names)
    if run.measure.ss_ns:
        by_kind["ss"] = _ss_table(measurement)
    if run.measure.record == "summary":
        return by_kind
    queue = measurement.bottleneck.series
    by_kind |= {
        "flows": _flow_table(measurement, names, ccs),
        "queue": pa.table({column: getattr(queue, column) for column in _OF_QUEUE}),
    }
    if run.measure.record == "acks":
        parts = [
            pa.table({"flow": _repeated(index, len(acks.at_ns)), "at_ns": acks.at_ns, "rtt_ns": acks.rtt_ns})
            for index, acks in enumerate(flow.acks for flow in measurement.flows)
        ]
        by_kind["acks"] = pa.concat_tables(parts)
    return by_kind


def parquet(table: pa.Table) -> bytes:
    """The file of a table. Its readers seek no rows by a column's range, and only text repeats itself."""
    text = [
        field.name for field in table.schema if pa.types.is_dictionary(field.type) or pa.types.is_string(field.type)
    ]
    file = pa.BufferOutputStream()
    compression = "zstd" if table.nbytes > _SMALL_BYTES else "lz4"
    pq.write_table(
        table, file, compression=compression, use_dictionary=text, write_statistics=False, store_schema=False
    )
    return bytes(file.getvalue())


def flow_frame(table: pa.Table, mss_bytes: int) -> pd.DataFrame:
    """Flows' gauges in seconds, bytes, bits per second and ratios; NaN where a gauge is not known."""
    import pandas as pd  # noqa: PLC0415 (late: whoever measures needs none)

    return pd.DataFrame(
        {
            "flow": _integer(table, "flow"),
            "name": _text(table["name"]),
            "cc": _text(table["cc"]),
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
            "phase": _text(table["phase"]),
        }
    )


def queue_frame(table: pa.Table) -> pd.DataFrame:
    """The queue over time: backlog as it was, counters since the beginning."""
    import pandas as pd  # noqa: PLC0415 (late: whoever measures needs none)

    return pd.DataFrame(
        {"time_s": _number(table, "at_ns", 1e-9)} | {name: _integer(table, name) for name in _OF_QUEUE[1:]}
    )


def ack_frame(table: pa.Table) -> pd.DataFrame:
    """Single ACKs' round-trip times, in seconds."""
    import pandas as pd  # noqa: PLC0415 (late: whoever measures needs none)

    times = {"time_s": _number(table, "at_ns", 1e-9), "rtt_s": _number(table, "rtt_ns", 1e-9)}
    return pd.DataFrame({"flow": _integer(table, "flow")} | times)


def transfer_frame(table: pa.Table) -> pd.DataFrame:
    """Short transfers, in seconds and bytes; NaN of what did not come."""
    import pandas as pd  # noqa: PLC0415 (late: whoever measures needs none)

    started_s, completed_s = _number(table, "started_ns", 1e-9), _number(table, "completed_ns", 1e-9)
    return pd.DataFrame(
        {
            "flow": _integer(table, "flow"),
            "name": _text(table["name"]),
            "at_s": _number(table, "at_ns", 1e-9),
            "bytes": _integer(table, "bytes"),
            "started_s": started_s,
            "fct_s": completed_s - started_s,
            "slowdown": _number(table, "slowdown", 1),
            "segments": _integer(table, "segments_sent"),
            "retransmitted": _integer(table, "segments_retransmitted"),
        }
    )


def ss_frame(table: pa.Table, mss_bytes: int) -> pd.DataFrame:
    """What `ss` said of the senders' connections, in seconds, bytes and bits per second; NaN of what it did not say."""
    import pandas as pd  # noqa: PLC0415 (late: whoever measures needs none)

    return pd.DataFrame(
        {
            "flow": _integer(table, "flow"),
            "local": _text(table["local"]),
            "time_s": _number(table, "at_ns", 1e-9),
            "srtt_s": _number(table, "srtt_us", 1e-6),
            "min_rtt_s": _number(table, "min_rtt_us", 1e-6),
            "cwnd_bytes": _number(table, "cwnd_segments", mss_bytes),
            "ssthresh_bytes": _number(table, "ssthresh_segments", mss_bytes),
            "delivery_rate_bps": _number(table, "delivery_rate_bps", 1),
            "retransmitted": _integer(table, "retransmitted"),
        }
    )


FRAMES: Final[dict[str, Callable[..., pd.DataFrame]]] = {
    "flows": flow_frame, "queue": queue_frame, "acks": ack_frame, "transfers": transfer_frame,
    "ss": ss_frame,
}  # fmt: skip
"""Of the tables by their kind."""


def _ss_table(measurement: Measurement) -> pa.Table:
    """A row a look and connection; a flow is known by its sender's address, and by its port where it shares that."""
    senders = {measurement.facts.get(f"flows[{index}].sender", ""): index for index in range(len(measurement.flows))}
    rows = []
    for sample in measurement.ss:
        for own in each(sample.text):
            flow = senders.get(own.local, senders.get(own.local.rpartition(":")[0]))
            if flow is not None and own.state != "LISTEN":
                rows.append({
                    "flow": flow, "local": own.local, "at_ns": sample.at_ns, "srtt_us": _microseconds(own.srtt_s),
                    "min_rtt_us": _microseconds(own.min_rtt_s), "cwnd_segments": own.cwnd_segments,
                    "ssthresh_segments": own.ssthresh_segments, "delivery_rate_bps": own.delivery_bps,
                    "retransmitted": own.resent_segments,
                })  # fmt: skip
    return pa.Table.from_pylist(rows, schema=_SS)


def _microseconds(seconds: float | None) -> int | None:
    """What `ss` tells is a number of them, with a point."""
    return None if seconds is None else round(1e6 * seconds)


def _flow_table(measurement: Measurement, names: tuple[str, ...], ccs: tuple[str, ...]) -> pa.Table:
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


def _transfer_table(run: Run, measurement: Measurement, names: tuple[str, ...]) -> pa.Table:
    parts = []
    for index, (flow, measured, name) in enumerate(zip(run.flows, measurement.flows, names, strict=True)):
        transfers = measured.transfers
        if transfers is None or not flow.work.arrivals:
            continue
        sizes, fct_s = completion.sizes_bytes(flow.work.arrivals), completion.times_s(transfers)
        slowdown = fct_s / completion.empty_path_s(run.path, flow, sizes)
        parts.append(pa.table({
            "flow": _repeated(index, len(sizes)),
            "name": _one_word(name, len(sizes)),
            "at_ns": np.array([flow.start_ns + at for at, _ in flow.work.arrivals.arrivals], dtype=np.uint64),
            "bytes": sizes,
            "started_ns": _instants(transfers.started_ns),
            "completed_ns": _instants(transfers.completed_ns),
            "segments_sent": transfers.segments_sent,
            "segments_retransmitted": transfers.segments_retransmitted,
            "slowdown": pa.array(slowdown, mask=~np.isfinite(slowdown)),
        }))  # fmt: skip
    return pa.concat_tables(parts).unify_dictionaries()


def _instants(at_ns: npt.NDArray[np.uint64]) -> pa.Array:
    return pa.array(at_ns, mask=at_ns == NEVER_NS)


def _gauge(name: str, values: npt.NDArray[np.unsignedinteger[Any]]) -> pa.Array:
    if name in _ALWAYS_KNOWN:
        return pa.array(values)
    unknown = values == (0 if name in _ZERO_IS_UNKNOWN else np.iinfo(values.dtype).max)
    return pa.array(values, mask=unknown)


def _phases(flow: FlowMeasurement) -> pa.Array:
    phase = flow.series.phase
    indices = pa.array(phase, mask=phase >= len(flow.phases))
    return pa.DictionaryArray.from_arrays(indices.cast(pa.int16()), pa.array(np.array(flow.phases, dtype=np.str_)))


def _repeated(index: int, count: int) -> npt.NDArray[np.uint16]:
    return np.full(count, index, dtype=np.uint16)


def _one_word(word: str, count: int) -> pa.Array:
    """Of an array, since a list has Arrow load pandas, which takes as long as hundreds of short runs."""
    return pa.DictionaryArray.from_arrays(np.zeros(count, dtype=np.int16), pa.array(np.array([word])))


def _number(table: pa.Table, name: str, factor: float) -> npt.NDArray[np.float64]:
    if name not in table.column_names:  # an earlier version kept no such gauge
        return np.full(len(table), np.nan)
    values: npt.NDArray[np.float64] = table[name].cast(pa.float64(), safe=False).to_numpy()
    return values * factor if factor >= 1 else np.divide(values, round(1 / factor))


def _integer(table: pa.Table, name: str) -> npt.NDArray[np.int64]:
    """With a sign, so that differences are what one expects."""
    values: npt.NDArray[np.int64] = table[name].to_numpy().astype("int64")
    return values


def _text(column: pa.ChunkedArray) -> pd.Series[str]:
    """Text, each different word once in memory."""
    texts: pd.Series[str] = column.cast(pa.string()).to_pandas()
    return texts
