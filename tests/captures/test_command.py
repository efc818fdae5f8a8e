"""`dumbbell pcap`."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from captured import Captured
from commandline import dumbbell


def test_a_flow_has_a_line_and_the_largest_is_described(captured: Captured) -> None:
    done = dumbbell("pcap", captured.senders)
    assert done.returncode == 0
    assert "TCP segments of 3 connections" in done.stdout
    lines = [line for line in done.stdout.splitlines() if line.startswith(("10.0.0.1:32768", "10.0.0.2:32769"))]
    assert {line.split()[0] for line in lines} == {"10.0.0.1:32768", "10.0.0.2:32769"}
    assert "near the end that opened it" in done.stdout
    assert done.stderr == ""


def test_json_has_a_connection_a_line(captured: Captured) -> None:
    done = dumbbell("pcap", captured.senders, "--json")
    connections = [json.loads(line) for line in done.stdout.splitlines()]
    assert {each["connection"] for each in connections} == {0, 1, 2}
    assert all(each["directions"][0]["data_packets"] > 0 for each in connections)


def test_files_have_every_packet_and_bin(captured: Captured, tmp_path: Path) -> None:
    out = tmp_path / "trace"
    done = dumbbell("pcap", captured.senders, "--tables", out, "--bin", "100 ms", "--html", tmp_path / "trace.html")
    assert [Path(line).name for line in done.stderr.splitlines()] == [
        "connections.jsonl", "bins.parquet", "packets.parquet", "trace.html",
    ]  # fmt: skip
    packets, bins = (pq.read_table(out / f"{name}.parquet") for name in ("packets", "bins"))
    assert f"{len(packets):,} frames" in done.stdout
    assert packets["ack_rtt_ns"].null_count > 0
    assert set(packets["class"].to_pylist()) >= {"no data", "new", "fast"}
    assert bins["packets"].to_numpy().sum() == len(packets)
    assert len((out / "connections.jsonl").read_text(encoding="utf-8").splitlines()) == 3
    page = (tmp_path / "trace.html").read_text(encoding="utf-8")
    assert "10.0.0.1:32768" in page
    assert "http://" not in page.replace("http://www.w3.org", "")


def test_a_pipe_is_read_as_it_comes(captured: Captured) -> None:
    command = [sys.executable, "-m", "dumbbell", "pcap", "-"]
    done = subprocess.run(command, input=captured.senders.read_bytes(), capture_output=True, timeout=60, check=True)
    assert b"standard input" in done.stdout


def test_a_file_that_was_cut_says_so_and_shows_the_rest(captured: Captured, tmp_path: Path) -> None:
    file = tmp_path / "cut.pcapng.zst"
    file.write_bytes(captured.senders.read_bytes()[:-30_000])
    done = dumbbell("pcap", file)
    assert done.returncode == 0
    assert "of 3 connections" in done.stdout
    assert "the file ends inside" in done.stderr


@pytest.mark.parametrize(("arguments", "said"), [
    (("--bin", "never"), "--bin: "),
    (("--tables", "/proc/nowhere"), "/proc/nowhere: cannot be written: "),
])  # fmt: skip
def test_bad_options_are_one_line(captured: Captured, arguments: tuple[str, ...], said: str) -> None:
    done = dumbbell("pcap", captured.senders, *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(said)
    assert done.stderr.count("\n") == 1


def test_hostile_names_and_comments_reach_nobody(tmp_path: Path) -> None:
    hostile = b"\x1b[31m<script>alert(1)</script>\r\n"

    def block(kind: int, body: bytes) -> bytes:
        body += bytes(-len(body) % 4)
        return struct.pack("<II", kind, 12 + len(body)) + body + struct.pack("<I", 12 + len(body))

    def option(code: int, value: bytes) -> bytes:
        return struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % 4)

    section = struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1) + option(1, hostile) + option(4, hostile) + option(0, b"")
    interface = struct.pack("<HHI", 1, 0, 0) + option(2, hostile) + option(3, hostile) + option(0, b"")
    frame = b"\x02" * 12 + b"\x08\x00" + hostile
    packet = (
        struct.pack("<IIIII", 0, 0, 1, len(frame), len(frame)) + frame + bytes(-len(frame) % 4) + option(1, hostile)
    )
    file = tmp_path / "hostile.pcapng"
    file.write_bytes(block(0x0A0D0D0A, section) + block(1, interface) + block(6, packet))
    done = dumbbell("pcap", file, "--html", tmp_path / "page.html")
    shown = done.stdout + done.stderr + (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "1 frame" in done.stdout
    assert "alert(1)" not in shown
    assert "\x1b[31m" not in shown
