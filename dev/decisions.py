"""`python -m dev decisions`: which frames a queue of the real kernel dropped, of those that came to it, one by one.

The simulator's disciplines decide about the same frames in `cargo test -p sim recorded`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import typer

from dev.captured import measured
from dumbbell.campaign.execution import run_campaign
from dumbbell.cli.option import Jobs
from dumbbell.engines.registry import engine
from dumbbell.errors import EngineFailure
from dumbbell.results.store import Store
from dumbbell.spec import Experiment

RECORDED: Final = Path(__file__).resolve().parents[1] / "crates/sim/tests/recorded"
DURATION: Final = {"codel": "10 s", "pie": "20 s"}
"""PIE leaves drops to chance: more of them say more."""
ENHANCED_PACKET: Final = 6
"""A pcapng block that has a frame."""
ETHERNET_BYTES: Final = 14
DATA_TO: Final = 128
"""The second byte of receivers' addresses."""


class Frame(NamedTuple):
    """A frame that passed a place of the path."""

    at_ns: int
    length: int
    content: bytes

    @property
    def key(self) -> bytes:
        """Addresses, identification, ports and sequence number: no other frame of a run has them."""
        ip = self.content[ETHERNET_BYTES:]
        return ip[4:6] + ip[12:28]

    @property
    def is_of_data(self) -> bool:
        """It goes to a receiver."""
        return self.content[ETHERNET_BYTES + 17] == DATA_TO


def experiment(kind: str) -> Experiment:
    """Four flows, of which one fills the queue always."""
    return Experiment(
        name=f"decisions-{kind}", duration=DURATION[kind], seeds=1,
        path={"rate": "20 Mbit/s", "rtt": "20 ms", "qdisc": kind},
        flows=[{"cc": "bbr"}, {"cc": "cubic", "count": 3}],
        measure={"record": ["summary", "pcap"], "capture_at": ["senders", "bottleneck"]},
    )  # fmt: skip


def frames(content: bytes) -> Iterator[Frame]:
    """Those of a capture in pcapng."""
    at = 0
    while at < len(content):
        kind, size = struct.unpack_from("<II", content, at)
        if kind == ENHANCED_PACKET:
            high, low, captured, length = struct.unpack_from("<IIII", content, at + 12)
            yield Frame((high << 32) | low, length, content[at + 28 : at + 28 + captured])
        at += size


def decisions(senders: bytes, bottleneck: bytes) -> Iterator[str]:
    """A table of the frames that came to the queue: ns since the one before, bytes, and ns until it left or nothing."""
    left = {frame.key: frame.at_ns for frame in frames(bottleneck)}
    before_ns = 0
    yield "since_ns,bytes,waited_ns\n"
    for frame in frames(senders):
        if frame.is_of_data:
            left_ns = left.pop(frame.key, None)
            yield f"{frame.at_ns - before_ns},{frame.length},{'' if left_ns is None else left_ns - frame.at_ns}\n"
            before_ns = frame.at_ns
    if left:
        raise EngineFailure(f"{len(left)} frames left the queue and did not come to it")


def record_decisions(
    *,
    out: Annotated[Path, typer.Option("--out", metavar="STORE", help="Where runs are kept.")] = Path("out/decisions"),
    jobs: Jobs = None,
) -> None:
    """Record what queues of Linux decided, for the simulator's tests."""
    import pyarrow as pa  # type: ignore[import-untyped]  # noqa: PLC0415 (late: it takes long to load)

    linux = engine("linux")
    with Store.open(out, write=True) as store:
        for kind in DURATION:
            each = experiment(kind)
            with closing(run_campaign(store, each, linux, jobs=jobs)) as outcomes:
                list(outcomes)
            run_id = measured(store, each, linux).run_id
            captures = (store.capture(run_id, place) for place in ("senders", "bottleneck"))
            content = (pa.input_stream(capture, compression="zstd").read() for capture in captures)
            with pa.output_stream(RECORDED / f"{kind}.csv.zst", compression="zstd") as stream:
                stream.write("".join(decisions(*content)).encode())
