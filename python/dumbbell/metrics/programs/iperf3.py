"""iperf3, which tells in JSON (`-J`) what its sender and its receiver counted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from statistics import fmean
from typing import Any, Final

from dumbbell.engines.measurement import Program
from dumbbell.metrics.programs.report import ProgramReport
from dumbbell.metrics.window import ratio
from dumbbell.units import BITS_PER_BYTE

US_PER_S: Final = 1_000_000
LARGEST: Final = 2**63
"""What is larger, or no number at all, iperf3 did not count."""


def read(program: Program) -> ProgramReport:
    """What the client says; where it ended before it was told what arrived, the server's bytes over its own time."""
    client, server = program.client, program.server
    report = of_client(_said(client.stdout), None if server is None else _said(server.stdout))
    return report if client.status is not None else replace(report, error=None)


def of_client(client: Mapping[str, Any], server: Mapping[str, Any] | None = None) -> ProgramReport:
    """The same of the object that the client wrote, and of the server's."""
    if "error" in client and server is not None:
        arrived = number(server, "end", "sum_received", "bytes")
        over_s = number(client, "end", "sum_sent", "seconds")
    else:
        arrived = number(client, "end", "sum_received", "bytes")
        over_s = number(client, "end", "sum_received", "seconds")
    retransmits = number(client, "end", "sum_sent", "retransmits")
    return ProgramReport(
        error=str(client["error"]) if "error" in client else None,
        payload_bytes=None if arrived is None else int(arrived),
        test_s=over_s,
        goodput_bps=None if arrived is None or over_s is None else ratio(BITS_PER_BYTE * arrived, over_s),
        retransmits=None if retransmits is None else int(retransmits),
        rtt_mean_s=_rtt_mean_s(client),
    )


def _said(text: str) -> Mapping[str, Any]:
    """The JSON object that iperf3 wrote; an empty one where it is none, or cut off."""
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def number(said: Any, *keys: str) -> float | None:  # noqa: ANN401 (whatever JSON can say)
    for key in keys:
        said = said.get(key) if isinstance(said, Mapping) else None
    is_number = isinstance(said, int | float) and not isinstance(said, bool) and abs(said) < LARGEST
    return said if is_number else None


def _rtt_mean_s(said: Mapping[str, Any]) -> float | None:
    """0 is what iperf3 says where it has no RTT: of a stream that it receives, or of UDP."""
    end = said.get("end")
    streams = end.get("streams") if isinstance(end, Mapping) else None
    means_us = [number(each, "sender", "mean_rtt") for each in streams] if isinstance(streams, list) else []
    known_us = [each for each in means_us if each]
    return fmean(known_us) / US_PER_S if known_us else None
