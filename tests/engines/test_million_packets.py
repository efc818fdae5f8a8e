"""A million packets of real Linux, by the project and by tshark: frame by frame they say the same."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

from dumbbell.captures.analysis import BIN_S, Analysis, Sink, analyse
from dumbbell.captures.connection import Columns
from dumbbell.captures.files import CLASSES
from dumbbell.engines.netns import NetnsEngine
from dumbbell.units import NS_PER_S
from specs import resolved

pytestmark = [
    pytest.mark.slow,
    pytest.mark.long,
    pytest.mark.skipif(shutil.which("tshark") is None, reason="no tshark: apt-get install tshark"),
]

PLACES = ("senders", "bottleneck", "receivers")
PACKETS = 1_000_000
BIN_NS = round(BIN_S * NS_PER_S)
NS_PER_US = 1_000
HANG_S = 300
MARKS = ("retransmission", "fast_retransmission", "spurious_retransmission", "out_of_order")
FIELDS = (
    "frame.number", "frame.time_epoch", "tcp.stream", "tcp.srcport", "tcp.len", "tcp.ack", "tcp.analysis.ack_rtt",
    *(f"tcp.analysis.{mark}" for mark in MARKS),
)  # fmt: skip
SENT_AGAIN = [CLASSES.index(name) for name in ("fast", "timeout", "tail probe", "plain")]
DURATION_S = 38
STOP_S = DURATION_S - 1
FIRST_CLIENT_PORT = 30_000
UNKNOWN = -1
"""In a column of whole numbers."""


class Capture(NamedTuple):
    """What both say of a file: a row a packet, in the same order."""

    place: str
    analysis: Analysis
    packets: pd.DataFrame
    bins: pd.DataFrame
    tshark: pd.DataFrame


def by_tshark(stdout: IO[str]) -> pd.DataFrame:
    """Times and RTTs in ns; of a mark, whether it is there."""
    table = pd.read_csv(stdout, sep="\t", names=FIELDS, dtype={"frame.time_epoch": "string"})
    table.columns = pd.Index([name.rpartition(".")[2] for name in FIELDS])
    seconds, _, ns = table["time_epoch"].str.partition(".").to_numpy(dtype=object).T
    table["time_ns"] = seconds.astype(np.int64) * NS_PER_S + ns.astype(np.int64)
    table["ack_rtt"] *= NS_PER_S
    table["from_server"] = (table["srcport"] < FIRST_CLIENT_PORT).astype(int)
    for mark in MARKS:
        table[mark] = table[mark].notna()
    return table


def read(file: Path) -> Capture:
    fields = [word for name in FIELDS for word in ("-e", name)]
    command = [
        "timeout",
        str(HANG_S),
        "tshark",
        "-n",
        "-r",
        str(file),
        "-Y",
        "tcp",
        "-T",
        "fields",
        "-E",
        "occurrence=f",
    ]
    rows: list[Columns] = []
    bins: list[Columns] = []
    with subprocess.Popen([*command, *fields], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as tshark:
        analysis = analyse(file, Sink(packets=rows.append, on_bins=bins.append))
        assert tshark.stdout is not None
        theirs = by_tshark(tshark.stdout)
    assert tshark.returncode == 0
    ours, own_bins = (
        pd.DataFrame({name: np.concatenate([batch[name] for batch in batches]) for name in batches[0]})
        for batches in (rows, bins)
    )
    return Capture(file.name.partition(".")[0], analysis, ours, own_bins, theirs)


def check_throughput(capture: Capture) -> None:
    """Of each flow and each bin, what was sent and what was acknowledged."""
    tshark = capture.tshark.assign(bin=(capture.tshark["time_ns"] - capture.analysis.start_ns) // BIN_NS)
    ours = capture.bins.set_index(["connection", "from_server", "bin"]).sort_index()
    sent_bytes = tshark.groupby(["stream", "from_server", "bin"])["len"].sum()
    assert ours.index.to_list() == sent_bytes.index.to_list()
    assert ours["payload_bytes"].to_numpy() == pytest.approx(sent_bytes.to_numpy(), rel=0.001)
    # The number of a flow's first ACK is that of its SYN: relative to it, 1.
    acks = tshark[tshark["from_server"] == 1].groupby(["stream", "bin"])["ack"].max()
    acked_bytes = acks.groupby("stream").diff().fillna(acks - 1)
    own = ours["acked_bytes"].xs(0, level="from_server").reindex(acked_bytes.index, fill_value=0)
    assert own.to_numpy() == pytest.approx(acked_bytes.to_numpy(), rel=0.001, abs=1), "a FIN counts as a byte"


def check_rtts(capture: Capture) -> int:
    """How many samples of RTT there are, which both have at the same frames."""
    theirs = capture.tshark["ack_rtt"].to_numpy()
    ours = capture.packets["ack_rtt_ns"].to_numpy()
    either = ~np.isnan(theirs) | (ours != UNKNOWN)
    close = np.abs(ours - theirs) <= NS_PER_US
    assert close.sum() >= 0.999 * either.sum()
    return int(close.sum())


def check_retransmissions(capture: Capture) -> npt.NDArray[np.float64]:
    """When each came, in s since the first frame.

    What comes within the handshake's RTT tshark calls out of order, the crate only what is older than what it fills in.
    """
    theirs = capture.tshark[["retransmission", "out_of_order"]].any(axis=1).to_numpy()
    ours = capture.packets["class"].isin(SENT_AGAIN).to_numpy()
    assert capture.packets["frame"][ours != theirs].tolist() == []
    sent = capture.tshark.groupby("stream")[list(MARKS)].sum()
    for flow in capture.analysis.flows:
        connection = flow.connection.connection
        counted = {mark: sum(end.wireshark[mark] for end in flow.connection.directions) for mark in MARKS}
        assert counted == sent.loc[connection].to_dict()
    return (capture.packets["time_ns"].to_numpy()[ours] - capture.analysis.start_ns) / NS_PER_S


def test_a_million_packets_are_to_us_what_they_are_to_tshark(live: NetnsEngine, tmp_path: Path) -> None:
    """Three flows in a queue that is too short for them, which end a second before the run does."""
    run = resolved(
        duration=f"{DURATION_S} s",
        path={"rate": "100 Mbit/s", "rtt": "20 ms", "buffer": "0.3 bdp"},
        flows=[{"cc": cc, "stop": f"{STOP_S} s"} for cc in ("cubic", "bbr", "reno")],
        measure={"window": ["0 s", f"{DURATION_S} s"], "record": ["pcap"]},
    ).run
    measurement = live.capture(run, tmp_path)
    frames, rtts, sent_again_s = 0, dict.fromkeys(PLACES, 0), {}
    for place in PLACES:
        assert measurement.facts[f"capture.{place}.dropped"] == "0"
        file = tmp_path / f"{place}.pcapng.zst"
        capture = read(file)
        file.unlink()
        ours, theirs = capture.packets, capture.tshark
        for own, other in (
            ("frame", "number"),
            ("time_ns", "time_ns"),
            ("connection", "stream"),
            ("payload_bytes", "len"),
        ):
            assert np.array_equal(ours[own], theirs[other]), own
        check_throughput(capture)
        rtts[place], sent_again_s[place] = check_rtts(capture), check_retransmissions(capture)
        frames += len(ours)
    assert frames >= PACKETS
    assert rtts["bottleneck"] == 0, "it has no ACKs"
    assert min(rtts["senders"], rtts["receivers"]) > PACKETS / 20
    # A flow's counters are read when it is to stop, then it stops: a busy machine sends again in between.
    counted = sum(flow.at_end.segments_retransmitted for flow in measurement.flows)
    by_then = np.count_nonzero(sent_again_s["senders"] < STOP_S - 0.1)
    assert 1_000 < by_then <= counted <= len(sent_again_s["senders"])
