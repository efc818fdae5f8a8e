"""What a connection tells of its path, which tells nothing, and how near the paths are to lines that are known."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from math import inf
from pathlib import Path as File
from statistics import median

import pytest

from dumbbell.advice.paths import LEAST_BYTES, REASONS, Path, cells, path_of, paths
from dumbbell.advice.question import UNKNOWN_BUFFERS_BDP, question
from dumbbell.cc import known
from dumbbell.metrics.connection import Connection
from dumbbell.metrics.connections import read

CAPTURES = File(__file__).parents[1] / "metrics" / "captures"
BUSY = Connection(
    local="192.0.2.1:443", peer="203.0.113.9:1", state="ESTAB", cc="cubic", min_rtt_s=0.05, srtt_s=0.0605,
    delivery_bps=14.48e6, mss_bytes=1448, sent_bytes=5e6, resent_bytes=14480.0, resent_segments=10, busy_s=10.0,
)  # fmt: skip


def known_path(**changes: object) -> Path:
    path = path_of(replace(BUSY, **changes))  # type: ignore[arg-type]
    assert isinstance(path, Path)
    return path


def tried(path: Path) -> tuple[float, float]:
    return path.queues_bdp[0], path.queues_bdp[-1]


def test_a_lines_rate_has_headers_too() -> None:
    assert known_path().rate_bps == pytest.approx(15.14e6), "1514 B on the line for 1448 delivered"
    assert (known_path().rtt_s, known_path().at_least) == (0.05, False)


def test_a_loss_based_flow_tells_its_queue_between_the_rtt_and_what_it_backs_off_from() -> None:
    assert known_path().queue_bdp == pytest.approx((0.21, 1.21 / 0.7 - 1)), "CUBIC keeps 0.7 (RFC 9438)"
    assert tried(known_path()) == (0.35, 0.6)
    assert known_path(cc="reno").queue_bdp[1] == pytest.approx(1.21 / 0.5 - 1), "Reno keeps half"


def test_no_queue_that_shows_is_a_short_one() -> None:
    path = known_path(srtt_s=0.0522)
    assert path.queue_bdp[0] == 0, "2.2 ms are not told from jitter"
    assert tried(path) == (0.1, 0.35)


@pytest.mark.parametrize(
    "changes", [{"cc": "bbr"}, {"resent_segments": 0}, {"app_limited": True}], ids=["BBR", "no loss", "application"]
)  # fmt: skip
def test_what_does_not_fill_a_queue_tells_no_upper_end_of_it(changes: dict[str, object]) -> None:
    path = known_path(**changes)
    assert path.queue_bdp == pytest.approx((0.21, inf))
    assert tried(path) == (0.35, UNKNOWN_BUFFERS_BDP[-1])


def test_long_queues_are_tried_where_they_were_seen() -> None:
    assert tried(known_path(srtt_s=0.5)) == (10.0, 10.0)
    assert tried(known_path(srtt_s=0.148)) == (2.0, 2.0), "1.96 to 3.2 BDP"
    assert tried(known_path(srtt_s=5.0)) == (10.0, 10.0), "the longest there is"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"min_rtt_s": None}, "minrtt"), ({"srtt_s": None}, "minrtt"), ({"min_rtt_s": 0.0007}, "datacentre"),
        ({"sent_bytes": 4000.0}, "short"), ({"sent_bytes": 4000.0, "received_bytes": 1e9}, "receiving"),
        ({"delivery_bps": None}, "rate"), ({"rwnd_limited_s": 6.0}, "rwnd"), ({"sndbuf_limited_s": 6.0}, "sndbuf"),
        ({"app_limited": True, "resent_segments": 0}, "application"), ({"delivery_bps": 50e3}, "slow"),
        ({"rwnd_limited_s": 4.0}, ""), ({"received_bytes": 1e9}, ""), ({"sent_bytes": float(LEAST_BYTES)}, ""),
        ({"busy_s": None}, ""),
    ],
)  # fmt: skip
def test_a_connection_that_tells_nothing_says_why(changes: dict[str, object], reason: str) -> None:
    path_or_reason = path_of(replace(BUSY, **changes))  # type: ignore[arg-type]
    assert (path_or_reason if isinstance(path_or_reason, str) else "") == reason
    assert not reason or REASONS[reason].text


@pytest.mark.parametrize(
    ("changes", "reordered"),
    [
        ({}, False), ({"reorderings": 1}, True), ({"duplicates": 1}, True), ({"reordering_segments": 4}, True),
        ({"reordering_segments": 3}, False),
    ],
)  # fmt: skip
def test_one_sign_of_reordering_is_enough(changes: dict[str, object], reordered: bool) -> None:  # noqa: FBT001 (a case)
    assert known_path(**changes).reordered is reordered


def test_the_mean_rate_is_of_the_time_with_something_to_send() -> None:
    arrived = 5e6 - 14480
    assert known_path().mean_bps == pytest.approx(8 * arrived / 10 * 1514 / 1448)
    assert known_path(busy_s=None).mean_bps is None
    assert known_path().resent_share == pytest.approx(14480 / 5e6)


def test_alike_paths_are_one_cell_and_none_is_lost() -> None:
    known_paths = [
        known_path(delivery_bps=rate, min_rtt_s=0.05, srtt_s=rtt) for rate in (10e6, 11e6, 90e6) for rtt in (0.052, 0.1)
    ]
    made = cells(known_paths, 2, question({"rate": "1mbit", "rtt": "9ms"}, known()))
    assert [each.connections for each in made] == [4, 2]
    about = made[0].question
    assert about.rate_bps == pytest.approx(1e6 * (110**0.5) * 1514 / 1448, rel=0.01), "the geometric mean"
    assert [about.buffer_bdp(each) for each in about.buffers_bytes] == pytest.approx([0.1, 0.2, 0.35, 1], rel=0.01)
    assert sum(len(own) for each in made for _, own in each.by_queues) == len(known_paths)
    assert about.bdp_bytes == pytest.approx(about.rate_bps * 0.05 / 8, rel=0.01)


def test_on_known_lines_a_capture_tells_rate_rtt_and_queue() -> None:
    """60 lines with one bulk flow each: shaped and queued by Linux's htb and bfifo, 0.4 to 12 Mbit/s, 6 to 160 ms.

    The machine was busy, which makes some RTTs longer; so these are the shares that were found, less a little.
    """
    with (CAPTURES / "server-lines.csv").open(encoding="utf-8") as file:
        lines = {row["peer"]: row for row in csv.DictReader(file)}
    capture = read(str(CAPTURES / "server.txt"))
    rates, rtts, queues = [], [], []
    for each in capture.connections:
        path, line = path_of(each), lines.get(_host(each))
        if line is None or isinstance(path, str):
            continue
        rate_bps, rtt_s = 1e3 * float(line["rate_kbit"]), float(line["rtt_ms"]) / 1e3
        rates.append(path.rate_bps / rate_bps)
        rtts.append(path.rtt_s / rtt_s)
        buffer_bdp = float(line["buffer_bytes"]) / (rate_bps * rtt_s / 8)
        queues.append(path.queue_bdp[0] / 1.1 <= buffer_bdp <= path.queue_bdp[1] * 1.1)
    assert len(rates) == 60
    assert median(rates) == pytest.approx(1, abs=0.05)
    assert sum(0.8 < each < 1.2 for each in rates) >= 50
    assert sum(abs(each - 1) < 0.03 for each in rtts) >= 55
    assert sum(queues) >= 45


def test_a_server_has_connections_of_every_kind() -> None:
    known_paths, silent = paths(read(str(CAPTURES / "server.txt")).connections)
    assert len(known_paths) + silent.total() == 130
    assert silent == {"rwnd": 8, "datacentre": 8, "short": 7, "receiving": 6, "application": 3}


def _host(connection: Connection) -> str:
    """Its address in 203.0.113.0/24; 2001:db8:2::/64 has the same hosts."""
    if match := re.search(r"2001:db8:2::([0-9a-f]+)\]", connection.peer):
        return f"203.0.113.{int(match[1], 16)}"
    return connection.peer.rpartition(":")[0].rpartition(":")[2].rstrip("]")
