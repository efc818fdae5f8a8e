"""Reads what `iperf3 --json` wrote at the sender as connections: a stream is one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from dumbbell.metrics.connection import Connection
from dumbbell.metrics.programs.iperf3 import US_PER_S, number
from dumbbell.problem import Problem, SpecError

COMMAND: Final = "give what `iperf3 -c HOST --json` wrote at the sender"
_Said = Mapping[str, Any]


def connections(path: str, text: str) -> Iterator[Connection]:
    """The streams of a test, or of several one behind the other, as `cat` makes them; `path` names them in messages.

    Raises:
        SpecError: it is no JSON of iperf3, or of a test that failed, of UDP, or of a receiver.
    """
    for test in _tests(path, text):
        if "error" in test:
            raise _refusal(path, f"is iperf3's JSON of a test that failed: {test['error']}")
        streams = [each for each in _list(test, "end", "streams") if isinstance(each, Mapping)]
        if any("udp" in each for each in streams):
            raise _refusal(path, "is iperf3's JSON of a test of UDP, which has no congestion control")
        sending = [each for each in streams if _amount(each, "sender", "min_rtt")]
        if not sending:
            raise _refusal(path, "is iperf3's JSON without a sender's round-trip times: of a receiver, or of no TCP")
        for each in sending:
            yield _connection(test, each)


def _connection(test: _Said, stream: _Said) -> Connection:
    """The rate is that of the receiver, if it is there: the sender counts what is in its socket's buffer, too."""
    own, socket = stream["sender"], number(stream, "sender", "socket")
    ends: Any = next((each for each in _list(test, "start", "connected") if number(each, "socket") == socket), {})
    mss, resent = int(_amount(test, "start", "tcp_mss_default")), int(_amount(own, "retransmits"))
    end = test.get("end")
    cc = end.get("sender_tcp_congestion") if isinstance(end, Mapping) else None
    return Connection(
        local=_address(ends, "local"), peer=_address(ends, "remote"), state="ESTAB",
        cc=cc if isinstance(cc, str) else "",
        min_rtt_s=_amount(own, "min_rtt") / US_PER_S or None, srtt_s=_amount(own, "max_rtt") / US_PER_S or None,
        delivery_bps=_amount(stream, "receiver", "bits_per_second") or _amount(own, "bits_per_second") or None,
        app_limited=_amount(test, "start", "test_start", "target_bitrate") > 0, mss_bytes=mss or None,
        sent_bytes=_amount(own, "bytes") + resent * mss, resent_bytes=float(resent * mss), resent_segments=resent,
        busy_s=_amount(own, "seconds") or None,
    )  # fmt: skip


def _tests(path: str, text: str) -> Iterator[_Said]:
    decoder, place = json.JSONDecoder(), 0
    while rest := text[place:].lstrip():
        place = len(text) - len(rest)
        try:
            test, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            line = text.count("\n", 0, place) + 1
            raise _refusal(path, f"is no JSON from line {line} on: {str(error).partition(':')[0].lower()}") from None
        if isinstance(test, dict) and "event" in test:
            raise _refusal(path, "is iperf3's --json-stream, an event a line")
        if not isinstance(test, dict) or not ("error" in test or _list(test, "end", "streams")):
            raise _refusal(path, "is JSON, and not iperf3's")
        yield test


def _list(said: Any, *keys: str) -> list[Any]:  # noqa: ANN401 (whatever JSON can say)
    for key in keys:
        said = said.get(key) if isinstance(said, Mapping) else None
    return said if isinstance(said, list) else []


def _amount(said: _Said, *keys: str) -> float:
    """0 where it is not there, or is none."""
    return max(number(said, *keys) or 0.0, 0.0)


def _address(ends: Any, side: str) -> str:  # noqa: ANN401 (likewise)
    host, port = (ends.get(f"{side}_{name}") if isinstance(ends, Mapping) else None for name in ("host", "port"))
    return f"{host}:{port}" if host else ""


def _refusal(path: str, message: str) -> SpecError:
    return SpecError([Problem(path, message, COMMAND)])
