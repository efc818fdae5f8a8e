"""What `ss` printed on real hosts of several settings, and what is none of its output."""

from __future__ import annotations

import codecs
from dataclasses import asdict
from pathlib import Path

import pytest

from dumbbell.metrics.connection import Capture, Connection
from dumbbell.metrics.connections import capture, read
from dumbbell.problem import SpecError

CAPTURES = Path(__file__).parent / "captures"
HEAD = "State Recv-Q Send-Q Local Address:Port  Peer Address:Port Process"
SOCKET = "ESTAB 0      51840      192.0.2.1:443      203.0.113.9:50312"
LISTENING = "LISTEN 0 128 0.0.0.0:22 0.0.0.0:*\n\t cubic cwnd:10\n"
KNOWN = (
    "cubic wscale:7,7 rto:284 rtt:82.5/3.1 ato:40 mss:1448 pmtu:1500 rcvmss:536 advmss:1448 cwnd:120 ssthresh:100"
    " bytes_sent:48000000 bytes_retrans:96000 bytes_acked:47900000 bytes_received:2000 segs_out:33000 segs_in:16000"
    " data_segs_out:32990 data_segs_in:4 send 16848484bps lastsnd:4 lastrcv:9000 lastack:4 pacing_rate 20200000bps"
    " delivery_rate 15900000bps delivered:32900 busy:8900ms rwnd_limited:445ms(5.0%) sndbuf_limited:89ms(1.0%)"
    " unacked:120 retrans:0/66 lost:2 rcv_rtt:81 rcv_space:14480 notsent:1000 minrtt:61.25"
)


def of(text: str) -> Capture:
    return capture("ss.txt", text.encode())


def only(text: str) -> Connection:
    (connection,) = of(text).connections
    return connection


def test_a_connection_has_what_ss_tells_of_it() -> None:
    assert only(f"{HEAD}\n{SOCKET}\n\t {KNOWN}\n") == Connection(
        local="192.0.2.1:443", peer="203.0.113.9:50312", state="ESTAB", cc="cubic", min_rtt_s=0.06125, srtt_s=0.0825,
        delivery_bps=15.9e6, app_limited=False, mss_bytes=1448, sent_bytes=48e6, received_bytes=2000.0,
        resent_bytes=96000.0, resent_segments=66, cwnd_segments=120, ssthresh_segments=100,
        busy_s=8.9, rwnd_limited_s=0.445, sndbuf_limited_s=0.089,
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        f"{SOCKET} {KNOWN}",
        f"{SOCKET}\n\t skmem:(r0,rb131072,t0,tb1124352,f2328,w1054440,o0,bl0,d0) ts sack ecn {KNOWN}",
        f'{SOCKET} users:(("nginx",pid=1,fd=3)) timer:(on,264ms,0) uid:33 ino:7 sk:1 cgroup:/a <->\n\t ts sack {KNOWN}',
        f"Recv-Q Send-Q Local Address:Port Peer Address:Port\n{SOCKET.removeprefix('ESTAB ')}\n\t {KNOWN}",
        f"Netid {HEAD}\ntcp   {SOCKET}\n\t {KNOWN}",
        f"{SOCKET}\r\n\t {KNOWN}\r\n",
        f"  {SOCKET}\n{KNOWN}",
        f"ESTAB 0 51840 192.0.2.1:443\n   203.0.113.9:50312\n {KNOWN}",
        f"udp UNCONN 0 0 192.0.2.1:53 0.0.0.0:*\n{SOCKET}\n\t {KNOWN}\n{LISTENING}",
        f"$ ss -tin\n{HEAD}\n{SOCKET}\n\t {KNOWN}\n$ ",
    ],
    ids=["-O", "-m", "-p -e -o", "one state", "-tu", "Windows", "no tab", "wrapped", "others", "copied"],
)  # fmt: skip
def test_every_setting_of_ss_tells_the_same(text: str) -> None:
    varied, plain = only(text), only(f"{SOCKET}\n\t {KNOWN}")
    assert (varied.peer, varied.cc, varied.min_rtt_s, varied.delivery_bps, varied.resent_segments) == (
        plain.peer, plain.cc, plain.min_rtt_s, plain.delivery_bps, plain.resent_segments,
    )  # fmt: skip


def test_powershells_utf_16_is_read() -> None:
    text = codecs.BOM_UTF16_LE + f"{SOCKET}\r\n\t {KNOWN}\r\n".encode("utf-16-le")
    (connection,) = capture("ss.txt", text).connections
    assert connection.srtt_s == pytest.approx(0.0825)


@pytest.mark.parametrize(
    ("rate", "bps"),
    [("15.9Mbps", 15.9e6), ("980kbps", 980e3), ("1.25Gbps", 1.25e9), ("15900000bps", 15.9e6), ("640bps", 640.0)],
)
def test_rates_are_read_with_and_without_their_unit(rate: str, bps: float) -> None:
    assert only(f"{SOCKET}\n\t {KNOWN.replace('15900000bps', rate)}").delivery_bps == pytest.approx(bps)


def test_what_came_out_of_order_is_read() -> None:
    more = "sacked:39 dsack_dups:171 reordering:300 reord_seen:13211 rcv_space:1"
    odd = only(f"{SOCKET}\n\t {KNOWN.replace('lost:2', more)}")
    assert (odd.reorderings, odd.reordering_segments, odd.duplicates) == (13211, 300, 171)
    plain = only(f"{SOCKET}\n\t {KNOWN}")
    assert (plain.reorderings, plain.reordering_segments, plain.duplicates) == (0, 3, 0)


def test_old_kernels_tell_less() -> None:
    connection = only(
        f"{SOCKET}\n\t cubic wscale:7,7 rto:284 rtt:82.5/3.1 mss:1448 cwnd:9 bytes_acked:70000 retrans:0/3"
    )
    assert (connection.min_rtt_s, connection.delivery_bps, connection.sent_bytes) == (None, None, 70000.0)
    assert connection.resent_bytes == 3 * 1448


def test_what_bbr_holds_for_the_bandwidth_is_the_rate() -> None:
    own = "bbr:(bw:21234567bps,mrtt:60.5,pacing_gain:1.25,cwnd_gain:2) send 1bps"
    connection = only(f"{SOCKET}\n\t {KNOWN.replace('cubic', 'bbr').replace('send 16848484bps', own)}")
    assert connection.cc == "bbr"
    assert (connection.delivery_bps, connection.min_rtt_s) == pytest.approx((21234567, 0.0605))


def test_a_connection_captured_again_counts_once_with_the_longest_rtt() -> None:
    again = KNOWN.replace("rtt:82.5/3.1", "rtt:70/2").replace("bytes_sent:48000000", "bytes_sent:50000000")
    (connection,) = of(f"{SOCKET}\n\t {KNOWN}\n\n{HEAD}\n{SOCKET}\n\t {again}\n").connections
    assert (connection.sent_bytes, connection.srtt_s) == pytest.approx((50e6, 0.0825))


def test_sockets_that_carry_nothing_are_counted_apart() -> None:
    captured = of(f"{LISTENING}{SOCKET}\n\t {KNOWN}\nTIME-WAIT 0 0 192.0.2.1:80 203.0.113.4:9")
    assert (len(captured.connections), captured.other_sockets) == (1, 2)


@pytest.mark.parametrize(
    ("name", "connections", "bbr"), [("server.txt", 130, 6), ("one-line.txt", 10, 2), ("established.txt", 10, 2)]
)
def test_real_captures_are_read_whole(name: str, connections: int, bbr: int) -> None:
    """Of iproute2 6.1 on Linux 6.18: `-tin`, `-tinmO`, and `-tinp state established`."""
    captured = read(str(CAPTURES / name)).connections
    assert len(captured) == connections
    assert len({each.peer for each in captured}) == connections
    assert sum(each.cc == "bbr" for each in captured) == bbr
    assert all(each.srtt_s and each.min_rtt_s and each.mss_bytes for each in captured)
    assert {each.cc for each in captured} == {"bbr", "cubic"}


NETSTAT = """Active Internet connections (w/o servers)
Proto Recv-Q Send-Q Local Address           Foreign Address         State
tcp        0      0 192.0.2.1:443           203.0.113.9:50312       ESTABLISHED
"""
BAD = {
    "nothing": (b"", "is empty"),
    "blank": (b" \n\n", "is empty"),
    "csv": (b"rate,rtt\n10,20\n30,40\n", "is no output of `ss -tin`: no connection in it"),
    "netstat": (NETSTAT.encode(), "is output of netstat, not of `ss -tin`"),
    "ss -t": (f"{HEAD}\n{SOCKET}\n".encode(), "has sockets without what TCP knows of them: `ss` ran without -i"),
    "heading": (HEAD.encode(), "has no connection that carries data"),
    "listening": (LISTENING.encode(), "has no connection that carries data"),
    "ss -s": (b"Total: 190\nTCP:   8 (estab 3, closed 1)\n", "is output of `ss -s`, not of `ss -tin`"),
    "iperf3": (
        b"[ ID] Interval Transfer Bitrate\n[  5]   0.00-1.00   sec  1.2 GBytes  10.1 Gbits/sec\n",
        "is output of iperf3, not of `ss -tin`",
    ),
    "binary": (bytes(range(256)) * 40, "is no text, so no output of `ss`"),
    "gzip": (b"\x1f\x8b\x08\x00" + bytes(range(128, 256)) * 20, "is no text, so no output of `ss`"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_what_is_none_of_its_output_is_one_message(name: str) -> None:
    text, message = BAD[name]
    with pytest.raises(SpecError) as caught:
        capture("mine.txt", text)
    (problem,) = caught.value.problems
    assert str(problem).startswith(f"mine.txt: {message}")
    assert str(problem).endswith("run `ss -tin > ss.txt` on the server, while it is busy")


def test_a_file_that_is_not_there_is_one_message(tmp_path: Path) -> None:
    for path, why in ((tmp_path / "absent.txt", "no such file or directory"), (tmp_path, "is a directory")):
        with pytest.raises(SpecError, match=f"cannot be read: {why}; run `ss -tin"):
            read(str(path))


@pytest.mark.parametrize("field", ["mss", "cwnd", "ssthresh", "retrans", "rtt", "bytes_sent", "busy", "minrtt"])
@pytest.mark.parametrize("number", ["1e999", "1e300", "9" * 400])
def test_a_number_that_no_kernel_prints_is_not_told(field: str, number: str) -> None:
    written = f"0/{number}" if field == "retrans" else number
    connection = only(f"{SOCKET}\n\t cubic rto:284 mss:1448 {field}:{written} data_segs_out:10")
    values = [value for value in asdict(connection).values() if isinstance(value, int | float)]
    assert max(values) < 2**64 * 1500


@pytest.mark.parametrize("rate", ["delivery_rate 1e300Tbps", "bbr:(bw:1e999bps,mrtt:1e999)"])
def test_a_rate_that_no_kernel_prints_is_not_told(rate: str) -> None:
    assert only(f"{SOCKET}\n\t cubic rto:284 rtt:82.5/3.1 {rate}").delivery_bps in {None, 0.0}
