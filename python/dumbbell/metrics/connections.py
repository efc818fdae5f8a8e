"""Reads what `ss -tin` prints on a server: what each of its TCP connections has seen of its path. Or iperf3's JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from dumbbell.metrics.connection import REORDERING, Capture, Connection
from dumbbell.metrics.iperf3_connections import connections
from dumbbell.problem import Problem, SpecError
from dumbbell.text_file import decoded

COMMAND: Final = "run `ss -tin > ss.txt` on the server, while it is busy"
STDIN: Final = "-"
_STATES: Final = (
    "ESTAB|SYN-SENT|SYN-RECV|FIN-WAIT-1|FIN-WAIT-2|TIME-WAIT|UNCONN|CLOSE-WAIT|LAST-ACK|LISTEN|CLOSING|UNDEF|UNKNOWN"
)
_HEAD: Final = re.compile(rf"(?:([a-z][a-z0-9_]*)\s+)?(?:({_STATES})\s+)?\d+\s+\d+\s+\S+:\S+")
"""How a connection begins: its kind where several were asked for, its state unless one was, two queues, addresses."""
_ADDRESSES: Final = re.compile(r"\d+\s+\d+\s+(\S+:\S+)\s+(\S+:\S+)")
_NUMBER: Final = r"[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?"
_FIELD: Final = re.compile(rf"(?<!\S)([a-z_]+):({_NUMBER})(?:/({_NUMBER}))?(?:ms)?(?=\s|\(|,|$)")
_RATE: Final = re.compile(rf"(?<!\S)(delivery_rate|pacing_rate) ({_NUMBER})([kKMGT]?)bps")
_BBR: Final = re.compile(rf"(?<!\S)bbr:\(bw:({_NUMBER})([kKMGT]?)bps,mrtt:({_NUMBER})")
_ALGORITHM: Final = re.compile(r"(?<!\S)([a-z][a-z0-9_-]*)\s+(?:wscale|rto):")
_OPTIONS: Final = frozenset({"ts", "usec_ts", "sack", "ecn", "ecnseen", "fastopen"})
_FACTORS: Final = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_KNOWN_TO_TCP: Final = re.compile(r"(?<!\S)(?:cwnd|rto|mss):\d")
_OTHER_ORIGINS: Final = (
    (re.compile(r"^Active Internet connections|\s(ESTABLISHED|TIME_WAIT|CLOSE_WAIT)\s", re.MULTILINE), "netstat"),
    (re.compile(r"^\[\s*\d+\]\s.*bits/sec", re.MULTILINE), "iperf3"),
    (re.compile(r"^Netid\s|^(u_str|u_dgr|nl)\s", re.MULTILINE), "`ss` for other sockets than TCP's"),
    (re.compile(r"^Total: \d+", re.MULTILINE), "`ss -s`"),
)
"""What people have instead, by what is in it."""
MOST: Final = 2.0**64
"""What a counter of the kernel can be."""
MOST_ODD_SHARE: Final = 0.01
"""Of letters that no text has; more is no text."""


def capture(path: str, text: bytes) -> Capture:
    """What `ss -tin` printed: with `-m`, `-e`, `-o`, `-p` or `-O` too, of one state only, and of several captures.

    Or what `iperf3 --json` wrote at the sender. `path` names it in messages.

    Raises:
        SpecError: it is something else.
    """
    written = _decoded(path, text)
    if written.lstrip().startswith("{"):
        return Capture(name=path, connections=tuple(connections(path, written)), other_sockets=0, source="iperf3")
    sockets = list(each(written))
    informative = [socket for socket in sockets if socket.srtt_s is not None or socket.cc]
    if not informative:
        raise SpecError([_problem(path, written, sockets)])
    live = [each for each in informative if each.state not in {"LISTEN", "SYN-SENT", "SYN-RECV", "UNCONN", "TIME-WAIT"}]
    return Capture(name=path, connections=tuple(_once(live)), other_sockets=len(sockets) - len(live))


def each(text: str) -> Iterator[Connection]:
    """The connections in what `ss -tin` printed once: none is an answer, too."""
    return (connection for record in _records(text.splitlines()) if (connection := _connection(*record)) is not None)


def read(path: str, stdin: Iterable[bytes] = ()) -> Capture:
    """Reads a file, or standard input where the path is `-`.

    Raises:
        SpecError: there is none, or it has something else.
    """
    if path == STDIN:
        return capture("standard input", b"".join(stdin))
    try:
        return capture(path, Path(path).read_bytes())
    except OSError as error:
        raise SpecError(
            [Problem(path, f"cannot be read: {(error.strerror or str(error)).lower()}", COMMAND)]
        ) from error


def _decoded(path: str, text: bytes) -> str:
    written = decoded(text, errors="replace")
    odd = sum(1 for each in written if each == "\ufffd" or (each < " " and each not in "\t\n\r\f\x1b"))
    if odd > MOST_ODD_SHARE * len(written):
        raise SpecError([Problem(path, "is no text, so no output of `ss`", COMMAND)])
    return written


def _records(lines: Iterable[str]) -> Iterator[tuple[re.Match[str], str]]:
    """What belongs to each connection: its head and all lines up to the next one's, joined.

    Whether lines are indented is not asked: copies lose that.
    """
    head: re.Match[str] | None = None
    parts: list[str] = []
    for line in map(str.strip, lines):
        begins = _HEAD.match(line)
        if begins or not line:
            if head:
                yield head, " ".join(parts)
            head, parts = begins, []
        if line:
            parts.append(line)
    if head:
        yield head, " ".join(parts)


def _connection(head: re.Match[str], text: str) -> Connection | None:
    """One of TCP; None of another protocol."""
    if head[1] not in {None, "tcp"}:
        return None
    addresses = _ADDRESSES.search(text)
    fields = {name: (_number(value), _number(more or "0")) for name, value, more in _FIELD.findall(text)}
    rates = {name: _number(value, factor) for name, value, factor in _RATE.findall(text)}

    def of(name: str) -> float:
        return fields.get(name, (0.0, 0.0))[0]

    def seconds(name: str) -> float | None:
        return of(name) / 1e3 or None

    algorithm = _ALGORITHM.search(text)
    mss, min_rtt_s, delivery = of("mss"), seconds("minrtt"), rates.get("delivery_rate")
    if bbr := _BBR.search(text):
        delivery = _number(bbr[1], bbr[2]) or delivery
        min_rtt_s = min(filter(None, (min_rtt_s, _number(bbr[3]) / 1e3)), default=None)
    resent = int(fields.get("retrans", (0.0, 0.0))[1])
    return Connection(
        local=addresses[1] if addresses else "", peer=addresses[2] if addresses else "", state=head[2] or "",
        cc=algorithm[1] if algorithm and algorithm[1] not in _OPTIONS else "",
        min_rtt_s=min_rtt_s, srtt_s=seconds("rtt"), delivery_bps=delivery,
        app_limited=re.search(r"(?<!\S)app_limited(?!\S)", text) is not None,
        mss_bytes=int(mss) or None, sent_bytes=of("bytes_sent") or of("bytes_acked") or of("data_segs_out") * mss,
        received_bytes=of("bytes_received"), resent_bytes=of("bytes_retrans") or resent * mss, resent_segments=resent,
        reorderings=int(of("reord_seen")), reordering_segments=int(of("reordering")) or REORDERING,
        duplicates=int(of("dsack_dups")), cwnd_segments=int(of("cwnd")) or None,
        ssthresh_segments=int(of("ssthresh")) or None,
        busy_s=seconds("busy"), rwnd_limited_s=seconds("rwnd_limited") or 0.0,
        sndbuf_limited_s=seconds("sndbuf_limited") or 0.0,
    )  # fmt: skip


def _number(text: str, factor: str = "") -> float:
    """A number that is told; 0, which is what is not told, of one that no kernel prints: a damaged line."""
    number = float(text) * _FACTORS[factor]
    return number if number <= MOST else 0.0


def _once(connections: Iterable[Connection]) -> Iterator[Connection]:
    """The last of each; its RTT is the longest seen, since that tells how much the queue held."""
    latest: dict[tuple[str, str], Connection] = {}
    for each in connections:
        before = latest.pop((each.local, each.peer), None)
        longest = max((own.srtt_s for own in (before, each) if own and own.srtt_s), default=None)
        latest[each.local, each.peer] = replace(each, srtt_s=longest)
    yield from latest.values()


def _problem(path: str, text: str, sockets: list[Connection]) -> Problem:
    if not text.strip():
        return Problem(path, "is empty", COMMAND)
    origin = next((whose for pattern, whose in _OTHER_ORIGINS if pattern.search(text)), "")
    if origin:
        return Problem(path, f"is output of {origin}, not of `ss -tin`", COMMAND)
    if sockets and not _KNOWN_TO_TCP.search(text):
        return Problem(path, "has sockets without what TCP knows of them: `ss` ran without -i", COMMAND)
    if sockets or re.match(r"\s*(State|Recv-Q)\b", text):
        return Problem(path, "has no connection that carries data", COMMAND)
    return Problem(path, "is no output of `ss -tin`: no connection in it", COMMAND)
