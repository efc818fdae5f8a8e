"""Captures of tcpdump and dumpcap on a loopback: what is said of them is what the program sent, or why it cannot be."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec
import pytest

from dumbbell.captures.analysis import Analysis, Sink, analyse
from dumbbell.captures.connection import CapturedConnection
from dumbbell.captures.text import notices

MISSING = [program for program in ("ip", "tcpdump", "dumpcap") if shutil.which(program) is None]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        bool(MISSING), reason=f"no {', '.join(MISSING)}: apt-get install iproute2 tcpdump wireshark-common"
    ),
]

IP = shutil.which("ip") or "ip"
CLONE_NEWNET = 0x40000000
HANG_S = 120
FLUSH_S = 1.5
"""Longer than a capturing program waits for more frames before it takes what there is."""
BYTES_SENT = 200
"""Where `struct tcp_info` has them (linux/tcp.h), before those sent again."""
HOSTS = {socket.AF_INET: "127.0.0.1", socket.AF_INET6: "::1"}
SNAPS = (64, 68, 96, 0)
UP, DOWN = 7_000_003, 2_000_001
SUPER_PACKET_BYTES = 65_536
WRAPPED = (1 << 32) + 200_000_003
PORT = 40_404
PROGRAMS = {
    "tcpdump": ["tcpdump", "-Z", "root", "-i", "lo", "-B", "65536", "-s"],
    "dumpcap": ["dumpcap", "-q", "-i", "lo", "-B", "64", "-s"],
}


@contextmanager
def network() -> Iterator[None]:
    """A network namespace in which this thread has a loopback of Ethernet's MTU; it ends with its last socket."""
    libc = ctypes.CDLL(None, use_errno=True)
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    try:
        if libc.unshare(CLONE_NEWNET) != 0:
            pytest.skip(f"makes a network namespace: {os.strerror(ctypes.get_errno())}")
        subprocess.run([IP, "link", "set", "lo", "mtu", "1500", "up"], check=True, timeout=HANG_S)
        yield
    finally:
        assert libc.setns(home, CLONE_NEWNET) == 0
        os.close(home)


@contextmanager
def capturing(*commands: Sequence[str | Path]) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Programs that capture as long as this lasts, and lose nothing."""
    with ExitStack() as stack:
        programs = []
        for command in commands:
            limited = ["timeout", str(HANG_S), *command]
            programs.append(
                stack.enter_context(subprocess.Popen(limited, stdout=subprocess.PIPE, stderr=subprocess.PIPE))
            )
            stack.callback(programs[-1].kill)
        for program in programs:
            assert program.stderr is not None
            while b"listening on" not in (line := program.stderr.readline()) and not line.startswith(b"File: "):
                assert line, "it ended"
        yield programs
        time.sleep(FLUSH_S)
        for program in programs:
            program.send_signal(signal.SIGINT)
            assert program.stderr is not None
            said = program.stderr.read().decode()
            assert "\n0 packets dropped by kernel" in said or "/0 (pcap:0/dumpcap:0/" in said, said
            assert program.wait(HANG_S) == 0


def capture(program: str, snap: int, file: Path) -> list[str | Path]:
    return [*PROGRAMS[program], str(snap), "-w", file, "tcp"]


@contextmanager
def listening(family: socket.AddressFamily = socket.AF_INET) -> Iterator[socket.socket]:
    with socket.create_server((HOSTS[family], 0), family=family) as listener:
        yield listener


@contextmanager
def connected(listener: socket.socket, port: int = 0) -> Iterator[tuple[socket.socket, socket.socket]]:
    """Who connects, from a port of its own or that one, and who accepts; the first is closed first."""
    with socket.socket(listener.family) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        client.settimeout(HANG_S)
        client.bind((HOSTS[listener.family], port))
        client.connect(listener.getsockname()[:2])
        server, _ = listener.accept()
        with server:
            server.settimeout(HANG_S)
            yield client, server
            client.close()


def pour(source: socket.socket, target: socket.socket, count: int) -> None:
    """Sends so many bytes, all of which arrive."""

    def send() -> None:
        block = memoryview(bytes(1 << 20))
        left = count
        while left:
            left -= source.send(block[:left])

    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    into = bytearray(1 << 20)
    left = count
    while left:
        got = target.recv_into(into, min(left, len(into)))
        assert got, "it was closed"
        left -= got
    sender.join(HANG_S)


def exchange(listener: socket.socket, up: int = UP, down: int = DOWN) -> tuple[int, int]:
    """Sends both ways and closes; of the client's bytes, how many its kernel sent in all, and how many again."""
    with connected(listener) as (client, server):
        pour(client, server, up)
        pour(server, client, down)
        client.shutdown(socket.SHUT_WR)
        assert server.recv(1) == b""
        sent, again = struct.unpack_from("QQ", client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256), BYTES_SENT)
    return sent, again


def analysed(file: Path) -> tuple[list[CapturedConnection], Analysis]:
    """In the order of their first packets."""
    connections: list[CapturedConnection] = []
    analysis = analyse(file, Sink(on_connections=lambda batch, _: connections.extend(batch)))
    return sorted(connections, key=lambda each: each.connection), analysis


def seen_bytes(connection: CapturedConnection) -> list[tuple[int, int, int]]:
    """Of each end what the capture has, what was acknowledged, and what it lacks."""
    return [(each.unique_bytes, each.acked_bytes, each.unseen_bytes) for each in connection.directions]


BOTH = [(UP, UP, 0), (DOWN, DOWN, 0)]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, int], Path]:
    """The same two connections, one of IPv4 and one of IPv6, by each program with each snap length."""
    folder = tmp_path_factory.mktemp("loopback")
    files = {(program, snap): folder / f"{program}-{snap}" for program in PROGRAMS for snap in SNAPS}
    with network(), capturing(*(capture(*key, file) for key, file in files.items())):
        for family in HOSTS:
            with listening(family) as listener:
                exchange(listener)
    return files


@pytest.mark.parametrize("snap", SNAPS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_bytes_are_those_that_were_sent(recorded: dict[tuple[str, int], Path], program: str, snap: int) -> None:
    connections, analysis = analysed(recorded[program, snap])
    of_both = 96
    assert [seen_bytes(each) for each in connections] == [BOTH] * (2 if snap in {0, of_both} else 1)
    for each in connections:
        assert (each.ended, each.midstream, each.directions[0].mss) == (
            "closed",
            False,
            1500 - (40 if each.client.address == "127.0.0.1" else 60),
        )
    notes = "; ".join(notices(analysis))
    assert "packets of more than a segment" in notes, "a loopback does not cut them up"
    assert ("of which too little was captured: a snap length of 96 B" in notes) == (0 < snap < of_both), "IPv6"
    assert analysis.report.frames["frames"] == analysis.report.frames["tcp"] + analysis.report.frames["short"]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_pipe_is_read_while_it_is_captured(program: str) -> None:
    command = [sys.executable, "-m", "dumbbell", "pcap", "-", "--json"]
    with (
        network(),
        listening() as listener,
        capturing(capture(program, 96, Path("-"))) as (source,),
        subprocess.Popen(command, stdin=source.stdout, stdout=subprocess.PIPE) as reader,
    ):
        exchange(listener)
        time.sleep(FLUSH_S)
        source.send_signal(signal.SIGINT)
        lines, _ = reader.communicate(timeout=HANG_S)
    assert reader.returncode == 0
    (connection,) = (msgspec.json.decode(line, type=CapturedConnection) for line in lines.splitlines())
    assert seen_bytes(connection) == BOTH


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_file_that_is_cut_in_a_packet_has_what_came_before(
    recorded: dict[tuple[str, int], Path], program: str, tmp_path: Path
) -> None:
    """Wherever in three packets; only between two of them nothing is amiss."""
    content = recorded[program, 96].read_bytes()
    file = tmp_path / "cut"
    frames: list[int] = []
    for end in range(len(content) // 2, len(content) // 2 + 400):
        file.write_bytes(content[:end])
        analysis = analyse(file, Sink())
        frames.append(analysis.report.frames["frames"])
        said = [note for note in notices(analysis) if note.startswith("the file ends inside ")]
        assert (len(said), analysis.report.damage) == (int(analysis.report.cut is not None), None)
        assert len(frames) == 1 or frames[-1] - frames[-2] == (analysis.report.cut is None)
    assert frames[-1] - frames[0] >= 3


def test_a_capture_that_begins_late_says_so(tmp_path: Path) -> None:
    """What it has is counted, and of what came before it is only said that there was some."""
    files = [tmp_path / program for program in PROGRAMS]
    with network(), listening() as listener, connected(listener) as (client, server):
        pour(client, server, UP)
        with capturing(*(capture(program, 96, tmp_path / program) for program in PROGRAMS)):
            pour(client, server, DOWN)
            pour(server, client, UP)
    for file in files:
        (connection,), analysis = analysed(file)
        assert connection.midstream
        assert [each.unique_bytes for each in connection.directions] == [DOWN, UP]
        assert [each.acked_bytes for each in connection.directions] == [DOWN, UP]
        assert [each.window.scale for each in connection.directions] == [None, None]
        assert any("began before the capture: without a handshake" in note for note in notices(analysis))


def test_more_bytes_than_there_are_sequence_numbers(tmp_path: Path) -> None:
    """On one connection, so that its numbers wrap wherever they begin."""
    files = [tmp_path / program for program in PROGRAMS]
    commands = [capture(program, 64, tmp_path / program) for program in PROGRAMS]
    with network(), listening() as listener, capturing(*commands):
        sent = exchange(listener, WRAPPED, DOWN)
    for file in files:
        (connection,), analysis = analysed(file)
        assert seen_bytes(connection) == [(WRAPPED, WRAPPED, 0), (DOWN, DOWN, 0)]
        client = connection.directions[0]
        assert (client.payload_bytes, client.payload_bytes - client.unique_bytes) == sent
        # Without timestamps, what was overtaken for longer than an RTT, here 30 us, is taken for sent again; and what
        # was sent again sooner, on a busy machine, for overtaken.
        assert client.retransmissions.bytes + client.reordering.packets * SUPER_PACKET_BYTES >= sent[1]
        assert any("of whose options a part was not captured" in note for note in notices(analysis))


@pytest.mark.parametrize("ending", ["reset", "closed"])
def test_one_connection_after_the_other_on_the_same_ports(tmp_path: Path, ending: str) -> None:
    """The first is reset by its client, or closed by the server, which waits for late packets then."""
    counts = [100_003, 50_001, 200_005, 1]
    files = [tmp_path / program for program in PROGRAMS]
    commands = [capture(program, 96, tmp_path / program) for program in PROGRAMS]
    with network(), listening() as listener, capturing(*commands):
        for count in counts:
            with connected(listener, PORT) as (client, server):
                pour(client, server, count)
                if ending == "reset":
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                else:
                    server.shutdown(socket.SHUT_WR)
                    assert client.recv(1) == b""
    for file in files:
        connections, analysis = analysed(file)
        assert {(each.client.port, each.server.port) for each in connections} == {(PORT, connections[0].server.port)}
        assert [seen_bytes(each)[0] for each in connections] == [(count, count, 0) for count in counts]
        assert {each.ended for each in connections} == {ending}
        assert analysis.report.connections == len(counts)
