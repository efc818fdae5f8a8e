"""From a server's connections to the paths they run over, alike ones together; and which connections tell nothing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import floor, inf, log10, sqrt
from statistics import geometric_mean
from typing import Final, NamedTuple

from dumbbell.advice.question import LEAST_RTT_NS, UNKNOWN_BUFFERS_BDP, Question, bdp_bytes, queue_sizes
from dumbbell.metrics.connection import REORDERING, Connection
from dumbbell.metrics.number import trimmed
from dumbbell.spec.frame import FRAME_BYTES
from dumbbell.spec.quantity import Bytes
from dumbbell.units import BITS_PER_BYTE, NS_PER_S

QUEUES_BDP: Final = (*UNKNOWN_BUFFERS_BDP, 10.0)
"""What is tried of queues; the last where so much was seen."""
LEAST_BYTES: Final = 100_000
"""Three round trips of slow start from ten segments: up to there all algorithms are alike, and no rate is a path's."""
LEAST_RATE_BPS: Final = 100_000
"""Below it few packets pass in a run's time."""
FAST_BPS: Final = 100_000_000
"""From there on paths are simulated a decade at a time."""
LIMITED: Final = 0.5
"""Share of its busy time from which on a window or a buffer is what limits a connection."""
SHOWN_S: Final = 0.003
"""A queue of less is not told from jitter: the line is shallow, or polices."""
LEAST_SHARE: Final = {"cubic": 0.7, "bic": 0.8, "reno": 0.5}
"""Of its window that an algorithm keeps when it backs off (RFC 9438, RFC 5681; `bic` as in Linux): those that fill a
queue until it drops."""
HEADERS_BYTES: Final = 66
"""Of a frame that carries one segment: Ethernet, IPv4, TCP with timestamps."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a connection tells nothing of which algorithm is right."""

    text: str
    holds: Callable[[Connection], bool]


REASONS: Final[Mapping[str, Reason]] = {
    "minrtt": Reason(
        "no minimum RTT (nothing acknowledged yet, or a kernel before 4.6)",
        lambda each: not each.min_rtt_s or not each.srtt_s,
    ),
    "datacentre": Reason(
        "RTT below 1 ms, a data centre's: other algorithms (DCTCP) and marks (ECN) decide there",
        lambda each: (each.min_rtt_s or 0.0) * NS_PER_S < LEAST_RTT_NS,
    ),
    "receiving": Reason(
        "they receive: the peer's algorithm decides",
        lambda each: each.sent_bytes < LEAST_BYTES < each.received_bytes,
    ),
    "short": Reason(
        f"below {Bytes.show(LEAST_BYTES)} sent, in slow start with any algorithm",
        lambda each: each.sent_bytes < LEAST_BYTES,
    ),
    "rate": Reason("no delivery rate (a kernel before 4.9)", lambda each: not each.delivery_bps),
    "rwnd": Reason(
        "the receiver's window limits them: raise that first",
        lambda each: each.rwnd_limited_s > LIMITED * (each.busy_s or inf),
    ),
    "sndbuf": Reason(
        "the send buffer limits them: raise net.ipv4.tcp_wmem first",
        lambda each: each.sndbuf_limited_s > LIMITED * (each.busy_s or inf),
    ),
    "application": Reason(
        "their application limits them, and they never lost: no algorithm changes them",
        lambda each: each.app_limited and not each.resent_segments,
    ),
    "slow": Reason(
        f"below {trimmed(LEAST_RATE_BPS / 1e6, ' Mbit/s')}, where few packets pass",
        lambda each: _line_bps(each, each.delivery_bps) < LEAST_RATE_BPS,
    ),
}
"""By short names, in the order in which they are asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """What a connection tells of its path."""

    rate_bps: float
    """Of the line, headers included, as far as this connection had it."""
    at_least: bool
    """The application limited it at the time: the line has more."""
    rtt_s: float
    """Without load."""
    queue_bdp: tuple[float, float]
    """What the bottleneck's queue holds at least and at most; infinite where nothing tells."""
    sent_bytes: float
    resent_bytes: float
    cc: str
    segment_bytes: int = FRAME_BYTES - HEADERS_BYTES
    mean_bps: float | None = None
    """As `rate_bps`, over all the time in which it had something to send; None where nothing shows that."""
    reordered: bool = False
    """Packets came out of order, or twice."""

    @property
    def resent_share(self) -> float:
        return self.resent_bytes / self.sent_bytes

    @property
    def queues_bdp(self) -> tuple[float, ...]:
        """Those of `QUEUES_BDP` that it may be; the nearest where none is. The largest only where it was seen."""
        least, most = self.queue_bdp
        if most == inf:
            most = max(QUEUES_BDP[-2], least)
        if inside := tuple(queue for queue in QUEUES_BDP if least <= queue <= most):
            return inside
        middle = sqrt(max(least, QUEUES_BDP[0]) * max(min(most, QUEUES_BDP[-1]), QUEUES_BDP[0]))
        return (min(QUEUES_BDP, key=lambda queue: abs(log10(queue / middle))),)


class Cell(NamedTuple):
    """Paths with nearly the same rate and RTT, which one simulation of each queue stands for."""

    question: Question
    """About a path in their middle, and all queues that theirs may be."""
    by_queues: Sequence[tuple[Sequence[int], Sequence[Path]]]
    """What the queue may be of which paths, in bytes, the shortest first."""

    @property
    def paths(self) -> list[Path]:
        return [path for _, own in self.by_queues for path in own]

    @property
    def connections(self) -> int:
        return len(self.paths)


def paths(connections: Iterable[Connection]) -> tuple[list[Path], Counter[str]]:
    """The paths of connections that tell one, and how many do not for which of `REASONS`."""
    known_paths, silent = [], Counter[str]()
    for each in connections:
        path_or_reason = path_of(each)
        if isinstance(path_or_reason, Path):
            known_paths.append(path_or_reason)
        else:
            silent[path_or_reason] += 1
    return known_paths, silent


def path_of(connection: Connection) -> Path | str:
    """What it tells of its path, or why it does not: one of `REASONS`."""
    for name, reason in REASONS.items():
        if reason.holds(connection):
            return name
    rtt_s, srtt_s = connection.min_rtt_s or 0.0, connection.srtt_s or 0.0
    filled = connection.resent_segments > 0 and not connection.app_limited
    arrived = connection.sent_bytes - connection.resent_bytes
    return Path(
        rate_bps=_line_bps(connection, connection.delivery_bps), at_least=connection.app_limited, rtt_s=rtt_s,
        queue_bdp=_queue_bdp(connection.cc, rtt_s, srtt_s, filled=filled), sent_bytes=connection.sent_bytes,
        resent_bytes=connection.resent_bytes, cc=connection.cc, segment_bytes=_segment_bytes(connection),
        mean_bps=_line_bps(connection, BITS_PER_BYTE * arrived / connection.busy_s) if connection.busy_s else None,
        reordered=connection.reorderings > 0 or connection.duplicates > 0
        or connection.reordering_segments > REORDERING,
    )  # fmt: skip


def _segment_bytes(connection: Connection) -> int:
    return connection.mss_bytes or FRAME_BYTES - HEADERS_BYTES


def _line_bps(connection: Connection, payload_bps: float | None) -> float:
    """What the line carried for it: with headers."""
    return (payload_bps or 0.0) * (1 + HEADERS_BYTES / _segment_bytes(connection))


def _queue_bdp(cc: str, rtt_s: float, srtt_s: float, *, filled: bool) -> tuple[float, float]:
    """How much the queue holds: at least what the RTT shows of it now, whoever filled it.

    At most, where an algorithm filled it that goes on until it drops: its window is then between the share that it
    keeps and the whole of BDP and queue together, so that the RTT is not below that share of the RTT of a full queue.
    With any other algorithm, BBR above all, or without a loss, nothing is known.
    """
    shown = max(srtt_s / rtt_s - 1, 0.0)
    least = shown if srtt_s - rtt_s >= SHOWN_S else 0.0
    most = (1 + shown) / LEAST_SHARE[cc] - 1 if filled and cc in LEAST_SHARE else inf
    return least, max(least, most)


def cells(known_paths: Sequence[Path], per_decade: float, question: Question) -> list[Cell]:
    """A question about paths, so many cells a decade of rate and of RTT, those with the most connections first.

    Fast ones take long to simulate, and are one a decade in any case.
    """
    sorted_in: dict[tuple[float, int, int], list[Path]] = defaultdict(list)
    for each in known_paths:
        own = per_decade if each.rate_bps < FAST_BPS else min(1.0, per_decade)
        sorted_in[own, floor(own * log10(each.rate_bps)), floor(own * log10(each.rtt_s))].append(each)
    made = [_cell(members, question) for _, members in sorted(sorted_in.items())]
    return sorted(made, key=lambda each: -each.connections)


def _cell(members: Sequence[Path], question: Question) -> Cell:
    rate_bps = int(float(f"{geometric_mean(each.rate_bps for each in members):.3g}"))
    rtt_ns = max(LEAST_RTT_NS, int(float(f"{NS_PER_S * geometric_mean(each.rtt_s for each in members):.3g}")))
    by_queues: dict[tuple[float, ...], list[Path]] = defaultdict(list)
    for each in members:
        by_queues[each.queues_bdp].append(each)
    in_bytes = [
        (queue_sizes(queues, bdp_bytes(rate_bps, rtt_ns)), own)
        for queues, own in sorted(by_queues.items(), key=lambda each: (each[0][0], each[0][-1]))
    ]
    every = tuple(sorted({size for sizes, _ in in_bytes for size in sizes}))
    about = replace(question, rate_bps=rate_bps, rtt_ns=rtt_ns, buffers_bytes=every, known_buffer=len(every) == 1)
    return Cell(about, in_bytes)


def algorithms(known_paths: Iterable[Path]) -> Iterator[tuple[str, int]]:
    """What connections run now, the most frequent first."""
    yield from Counter(each.cc or "unknown" for each in known_paths).most_common()
