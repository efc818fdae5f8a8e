"""The series of a run as Parquet tables, with the engine's own integers, and as frames in units to compute with.

In the tables a gauge that is not known is null.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

import dumbbell.metrics.completion as completion
from dumbbell.engines.measurement import (
    NEVER_NS,
    FlowMeasurement,
    FlowSeries,
    Measurement,
    QueueMeasurement,
    QueueSeries,
)  # fmt: skip
from dumbbell.metrics.connections import each

if TYPE_CHECKING:
    import pandas as pd

    from dumbbell.spec.run import Run

_ZERO_IS_UNKNOWN: Final = {"srtt_us", "pacing_gain_256ths", "cwnd_gain_256ths"}
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
_FRAMES: Final = {
    "flows": {
        "flow": "flow", "name": "name", "cc": "cc", "time_s": "at_ns", "srtt_s": "srtt_us",
        "delivered_bytes": "delivered_bytes", "bottleneck_bytes": "bottleneck_bytes", "cwnd_bytes": "cwnd_segments",
        "ssthresh_bytes": "ssthresh_segments", "inflight_bytes": "inflight_segments", "min_rtt_s": "min_rtt_us",
        "cc_min_rtt_s": "cc_min_rtt_us", "pacing_rate_bps": "pacing_rate_bps",
        "delivery_rate_bps": "delivery_rate_bps", "bandwidth_bps": "bandwidth_bps",
        "pacing_gain": "pacing_gain_256ths", "cwnd_gain": "cwnd_gain_256ths", "bw_hi_bps": "bw_hi_bps",
        "bw_lo_bps": "bw_lo_bps", "inflight_hi_bytes": "inflight_hi_segments",
        "inflight_lo_bytes": "inflight_lo_segments", "alpha": "alpha_ppm", "phase": "phase",
    },
    "queue": {"time_s": "at_ns"} | {name: name for name in _OF_QUEUE[1:]},
    "hops": {"name": "name", "time_s": "at_ns"} | {name: name for name in _OF_QUEUE[1:]},
    "acks": {"flow": "flow", "time_s": "at_ns", "rtt_s": "rtt_ns"},
    "transfers": {
        "flow": "flow", "name": "name", "at_s": "at_ns", "bytes": "bytes", "started_s": "started_ns",
        "fct_s": "completed_ns", "slowdown": "slowdown", "segments": "segments_sent",
        "retransmitted": "segments_retransmitted",
    },
    "pages": {
        "flow": "flow", "name": "name", "started_s": "started_ns", "load_s": "loaded_ns", "bytes": "bytes",
    },
    "ss": {
        "flow": "flow", "local": "local", "time_s": "at_ns", "srtt_s": "srtt_us", "min_rtt_s": "min_rtt_us",
        "cwnd_bytes": "cwnd_segments", "ssthresh_bytes": "ssthresh_segments", "delivery_rate_bps": "delivery_rate_bps",
        "retransmitted": "retransmitted",
    },
}  # fmt: skip
"""Of each kind of table, the columns of its frame, and what is stored."""
_FACTORS: Final = {"ns": 1e-9, "us": 1e-6, "256ths": 1 / 256, "ppm": 1e-6, "bps": 1}
_WITHOUT_UNIT: Final = {"bottleneck_bytes", "low_latency_packets", "slowdown"}
"""Numbers as they are, that may be unknown."""


def tables(run: Run, measurement: Measurement, names: tuple[str, ...], ccs: tuple[str, ...]) -> dict[str, pa.Table]:
    """What a run keeps beside its row, by kind: transfers and pages, and series if it records more."""
    by_kind: dict[str, pa.Table] = {}
    if any(flow.transfers is not None for flow in measurement.flows):
        by_kind["transfers"] = _transfer_table(run, measurement, names)
    if any(flow.pages is not None for flow in measurement.flows):
        by_kind["pages"] = _page_table(measurement, names)
    if run.measure.ss_ns:
        by_kind["ss"] = _ss_table(measurement)
    if run.measure.record == "summary":
        return by_kind
    by_kind |= {"flows": _flow_table(measurement, names, ccs), "queue": _queue_table(measurement.bottleneck)}
    if measurement.hops:
        parts = [
            _queue_table(hop.queue).add_column(0, "name", _one_word(hop.name, len(hop.queue.series.at_ns)))
            for hop in measurement.hops
        ]
        by_kind["hops"] = pa.concat_tables(parts).unify_dictionaries()
    if run.measure.record == "acks":
        parts = [
            pa.table({"flow": _repeated(index, len(acks.at_ns)), "at_ns": acks.at_ns, "rtt_ns": acks.rtt_ns})
            for index, acks in enumerate(flow.acks for flow in measurement.flows)
        ]
        by_kind["acks"] = pa.concat_tables(parts)
    return by_kind


def _queue_table(queue: QueueMeasurement) -> pa.Table:
    return pa.table({column: _gauge(column, getattr(queue.series, column)) for column in _OF_QUEUE})


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


def frame(kind: str, table: pa.Table, mss_bytes: int) -> pd.DataFrame:
    """A table of some kind in seconds, bytes, bits per second and ratios; NaN of what is not known.

    The unit of a stored column is the end of its name; what has none is text, or a whole number with a sign, so that
    differences are what one expects.
    """
    import pandas as pd  # noqa: PLC0415 (late: whoever measures needs none)

    factors = _FACTORS | {"segments": mss_bytes}

    def values(stored: str) -> Any:  # noqa: ANN401 (a column, of Arrow or pandas)
        factor = factors.get(stored.rpartition("_")[2], 1 if stored in _WITHOUT_UNIT else None)
        if stored not in table.column_names:  # an earlier version kept no such gauge
            return np.full(len(table), np.nan)
        if factor is not None:
            numbers = table[stored].cast(pa.float64(), safe=False).to_numpy()
            return numbers * factor if factor >= 1 else np.divide(numbers, round(1 / factor))
        if pa.types.is_integer(table.schema.field(stored).type):
            return table[stored].to_numpy().astype("int64")
        return table[stored].cast(pa.string()).to_pandas()  # each different text once in memory

    frame = pd.DataFrame({name: values(stored) for name, stored in _FRAMES[kind].items()})
    if kind == "transfers":
        frame["fct_s"] -= frame["started_s"]
    if kind == "pages":
        frame["load_s"] -= frame["started_s"]
    return frame


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


def _page_table(measurement: Measurement, names: tuple[str, ...]) -> pa.Table:
    parts = [
        pa.table({
            "flow": _repeated(index, len(pages.bytes)),
            "name": _one_word(name, len(pages.bytes)),
            "started_ns": pages.started_ns,
            "loaded_ns": _instants(pages.loaded_ns),
            "bytes": pages.bytes,
        })
        for index, (flow, name) in enumerate(zip(measurement.flows, names, strict=True))
        if (pages := flow.pages) is not None
    ]  # fmt: skip
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
