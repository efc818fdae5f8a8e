"""The series of a run as its captures show them: what a program that reads them says of its flows and its queue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from dumbbell.captures.analysis import Sink, analyse
from dumbbell.units import NS_PER_S

if TYPE_CHECKING:
    import pandas as pd

    from dumbbell.captures.connection import Columns
    from dumbbell.results.store import Store

FRAMES: Final = ("time_ns", "wire_bytes", "payload_bytes", "sequence_bytes")


class CaptureSeries(NamedTuple):
    """Frames as `Store.flow_series` and its like give them, with the columns that captures know."""

    flows: pd.DataFrame
    """`flow`, `time_s`, `bottleneck_bytes`: bytes of frames on the line that reached the receiver; `dropped_packets`:
    segments that did not, at the time at which they were sent; both up to then."""
    queue: pd.DataFrame
    """`time_s`, `sent_packets`, `dropped_packets`: the same of all flows, in segments with data."""
    acks: pd.DataFrame
    """`flow`, `time_s`, `rtt_s`: `tcp.analysis.ack_rtt` of each ACK at the sender."""


@lru_cache(maxsize=4)
def capture_series(store: Store, run_id: str) -> CaptureSeries:
    """What the captures at a run's senders and receivers show.

    A packet of several segments is a frame of its own in a capture where nothing cuts it; on the line each segment has
    headers, and so it is counted.

    Raises:
        StoreError: the run was not captured.
        CaptureError: a file cannot be read.
    """
    import pandas as pd  # noqa: PLC0415 (late: it takes long to load)

    files = [store.capture(run_id, place) for place in ("senders", "receivers")]
    run = store.run(run_id)
    measured_on = store.provenance(run_id).get("measured_on")
    facts: Mapping[str, str] = measured_on if isinstance(measured_on, dict) else {}
    senders = {facts[f"flows[{flow}].sender"]: flow for flow in range(len(run.flows))}
    (sent, acks), (arrived, _) = (_at(file, senders) for file in files)
    flows, queue = [], []
    for (flow, connection), frames in sent.items():
        there = arrived.get((flow, connection), {name: frames[name][:0] for name in FRAMES})
        lost = _lost(frames, there)
        segments, line_bytes = _on_line(there, run.path.mss_bytes)
        dropped, _ = _on_line({name: frames[name][lost] for name in FRAMES}, run.path.mss_bytes)
        time_s = np.concatenate([there["time_ns"], frames["time_ns"][lost]]) / NS_PER_S
        zeros = np.zeros_like
        flows.append(pd.DataFrame({
            "flow": flow, "time_s": time_s,
            "bottleneck_bytes": np.concatenate([line_bytes, zeros(dropped)]),
            "dropped_packets": np.concatenate([zeros(line_bytes), dropped]),
        }))  # fmt: skip
        carried = np.where(there["payload_bytes"] > 0, segments, 0)
        queue.append(pd.DataFrame({
            "time_s": time_s, "sent_packets": np.concatenate([carried, zeros(dropped)]),
            "dropped_packets": np.concatenate([zeros(carried), dropped]),
        }))  # fmt: skip
    by_flow = pd.concat(flows).sort_values(["flow", "time_s"], kind="stable")
    counted = ["bottleneck_bytes", "dropped_packets"]
    by_flow[counted] = by_flow.groupby("flow")[counted].cumsum().astype("float64")
    of_queue = pd.concat(queue).sort_values("time_s", kind="stable")
    of_queue[["sent_packets", "dropped_packets"]] = of_queue[["sent_packets", "dropped_packets"]].cumsum()
    rtts = [
        pd.DataFrame({"flow": flow, "time_s": time_ns / NS_PER_S, "rtt_s": rtt_ns / NS_PER_S})
        for flow, time_ns, rtt_ns in acks
    ]
    return CaptureSeries(by_flow, of_queue, pd.concat(rtts).sort_values(["flow", "time_s"], kind="stable"))


Frames = Mapping[str, npt.NDArray[np.int64]]
"""Columns of frames that one end of a connection sent."""


def _at(
    file: Path, senders: Mapping[str, int]
) -> tuple[dict[tuple[int, str], Frames], list[tuple[int, npt.NDArray[np.int64], npt.NDArray[np.int64]]]]:
    """At one place: what the flows' senders sent, by flow and connection; and times and RTTs of ACKs by flow."""
    batches: list[Columns] = []
    analysis = analyse(file, Sink(packets=batches.append))
    rows: dict[str, Any] = {name: np.concatenate([batch[name] for batch in batches]) for name in batches[0]}
    sent, acks = dict[tuple[int, str], Frames](), []
    for flow in analysis.flows:
        own = senders.get(str(flow.source), senders.get(flow.source.address))
        if own is None:
            continue
        here = rows["connection"] == flow.connection.connection
        from_sender = here & (rows["from_server"] == flow.from_server)
        sent[own, f"{flow.source} {flow.target}"] = {name: rows[name][from_sender].astype(np.int64) for name in FRAMES}
        answers = here & (rows["from_server"] != flow.from_server) & (rows["ack_rtt_ns"] >= 0)
        acks.append((own, rows["time_ns"][answers], rows["ack_rtt_ns"][answers]))
    return sent, acks


def _lost(sent: Frames, arrived: Frames) -> npt.NDArray[np.bool_]:
    """Which frames with data did not arrive: an arrival is the last one like it that had been sent, by the one clock.

    What was sent after the last that arrived may be under way.
    """
    lost = np.ones(len(sent["time_ns"]), dtype=np.bool_)
    open_numbers = dict[tuple[int, int], list[int]]()
    frames = list(zip(sent["time_ns"].tolist(), _keys(sent), strict=True))
    number, last = 0, -1
    for at_ns, key in zip(arrived["time_ns"].tolist(), _keys(arrived), strict=True):
        while number < len(frames) and frames[number][0] <= at_ns:
            open_numbers.setdefault(frames[number][1], []).append(number)
            number += 1
        if like_it := open_numbers.get(key):
            lost[like_it[-1]] = False
            last = max(last, like_it.pop())
    lost[last + 1 :] = False
    return lost & (sent["payload_bytes"] > 0)


def _keys(frames: Frames) -> Iterator[tuple[int, int]]:
    return zip(frames["sequence_bytes"].tolist(), frames["payload_bytes"].tolist(), strict=True)


def _on_line(frames: Frames, mss_bytes: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Of each frame its segments, and the bytes of these with the headers of each."""
    segments = np.maximum(1, -(-frames["payload_bytes"] // mss_bytes))
    return segments, frames["wire_bytes"] + (segments - 1) * (frames["wire_bytes"] - frames["payload_bytes"])
