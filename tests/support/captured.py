"""Captures of a run of the simulator, for tests."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa  # type: ignore[import-untyped]

from dumbbell.campaign.execution import run_campaign
from dumbbell.engines.sim import SimEngine
from dumbbell.results.schema import Result
from dumbbell.results.store import Store
from dumbbell.spec import Experiment

ENHANCED_PACKET = 6
ETHERNET_BYTES, IP_BYTES = 14, 20
FIRST_SENDER = 0x0A000001


class Captured(NamedTuple):
    """A run, and the files of its captures."""

    folder: Path
    outcome: Result
    senders: Path
    bottleneck: Path
    receivers: Path


def captured_in(folder: Path) -> Captured:
    """BBR and CUBIC in a short queue for five seconds, and a transfer; hosts without timing noise, in a store."""
    experiment = Experiment(
        name="captured",
        duration="5 s",
        path={"rate": "20 Mbit/s", "rtt": "40 ms", "buffer": "0.5 bdp", "jitter": "none"},
        flows=[{"cc": "bbr"}, {"cc": "cubic"}, {"cc": "reno", "start": "1 s", "workload": {"transfer": "100 kB"}}],
        measure={"window": ["0 s", "5 s"], "record": ["acks", "pcap"]},
    )
    with Store.open(folder, write=True) as store:
        (outcome,) = run_campaign(store, experiment, SimEngine())
        assert isinstance(outcome, Result)
        places = (store.capture(outcome.run_id, place) for place in ("senders", "bottleneck", "receivers"))
        return Captured(folder, outcome, *places)


def reclocked(source: Path, target: Path, offset_ns: int = 0, drift_ppm: float = 0.0) -> Path:
    """A capture of the simulator as another clock would have made it, not compressed."""
    with pa.input_stream(str(source), compression="zstd") as stream:
        content = bytearray(stream.read())
    place = 0
    while place < len(content):
        kind, length = struct.unpack_from("<II", content, place)
        if kind == ENHANCED_PACKET:
            high, low = struct.unpack_from("<II", content, place + 12)
            time_ns = high << 32 | low
            time_ns += offset_ns + round(time_ns * drift_ppm / 1e6)
            struct.pack_into("<II", content, place + 12, time_ns >> 32, time_ns & 0xFFFFFFFF)
        place += length
    target.write_bytes(content)
    return target


def data_times(path: Path, flow: int) -> dict[tuple[int, int], list[int]]:
    """When the data packets of a flow were captured, by their sequence number and timestamp: read without the crate."""
    with pa.input_stream(str(path), compression="zstd") as stream:
        content = stream.read()
    times: dict[tuple[int, int], list[int]] = {}
    place = 0
    while place < len(content):
        kind, length = struct.unpack_from("<II", content, place)
        if kind == ENHANCED_PACKET:
            high, low = struct.unpack_from("<II", content, place + 12)
            frame = place + 28
            tcp = frame + ETHERNET_BYTES + IP_BYTES
            (source,) = struct.unpack_from(">I", content, frame + ETHERNET_BYTES + 12)
            (ip_bytes,) = struct.unpack_from(">H", content, frame + ETHERNET_BYTES + 2)
            if source == FIRST_SENDER + flow and ip_bytes > IP_BYTES + (content[tcp + 12] >> 4) * 4:
                (seq,), (stamp,) = (struct.unpack_from(">I", content, tcp + at) for at in (4, 24))
                times.setdefault((seq, stamp), []).append(high << 32 | low)
        place += length
    return times
