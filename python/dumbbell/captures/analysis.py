"""The analysis of a capture, in memory that does not grow with the file."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np

import dumbbell._core as _core
from dumbbell.captures.connection import CapturedConnection, CapturedFlow, CapturedNumber, Columns
from dumbbell.errors import DumbbellError
from dumbbell.units import NS_PER_S

STANDARD_INPUT: Final = "-"
BIN_S: Final = 0.5
"""As the documents have it."""
MOST_FLOWS: Final = 1_000
"""That are shown: those with the most data."""
MOST_DRAWN: Final = 4
MOST_BINS: Final = 1_000_000
"""Until only those of the flows that have the most data so far stay."""


class CaptureError(DumbbellError):
    """A file is no capture, or cannot be read."""


class PathEstimate(msgspec.Struct, frozen=True):
    """What all flows of a direction together tell of their path."""

    rate_bps: CapturedNumber


class CaptureReport(msgspec.Struct, frozen=True):
    """What is known of a capture at its end, as `crates/pcap` names it."""

    frames: Mapping[str, Any]
    connections: int
    connections_given_up: int
    start_ns: int | None
    end_ns: int | None
    cut: Mapping[str, Any] | None
    damage: str | None
    paths: tuple[PathEstimate | None, PathEstimate | None] = (None, None)
    """Of the data that clients sent, and that servers sent."""


@dataclass(slots=True)
class Analysis:
    """A capture: its report, the flows with the most data, and their bins."""

    file: str
    bin_s: float
    report: CaptureReport
    flows: list[CapturedFlow]
    """The one with the most data first."""
    bins: dict[tuple[int, int], dict[str, Any]]
    """Of the largest flows, by their `key`: columns, in order of time."""

    @property
    def start_ns(self) -> int:
        """When its first frame was captured."""
        return self.report.start_ns or 0


@dataclass(slots=True)
class Sink:
    """Takes what the analysis gives out: keeps what is shown, and hands on the rest."""

    on_connections: Callable[[list[CapturedConnection], str], None] | None = None
    on_bins: Callable[[Columns], None] | None = None
    packets: Callable[[Columns], None] | None = None
    """None: nobody wants them, and the analysis is quicker."""
    largest: list[tuple[int, int, CapturedFlow]] = field(default_factory=list)
    """A heap of the flows with the most data."""
    columns: list[Columns] = field(default_factory=list)

    def connections(self, text: str) -> None:
        """Connections that have ended, as JSON."""
        batch = msgspec.json.decode(text, type=list[CapturedConnection])
        if self.on_connections:
            self.on_connections(batch, text)
        for flow in (flow for each in batch for flow in each.flows):
            entry = (flow.sent.unique_bytes, -2 * flow.connection.connection - flow.from_server, flow)
            (heapq.heappush if len(self.largest) < MOST_FLOWS else heapq.heappushpop)(self.largest, entry)

    def bins(self, columns: Columns) -> None:
        """Bins that are complete."""
        if self.on_bins:
            self.on_bins(columns)
        self.columns.append(columns)
        if sum(len(each["bin"]) for each in self.columns) > MOST_BINS:
            self.columns = [_of_largest(self.columns)]

    def needless(self, columns: Columns) -> None:
        """Retransmissions that were proved needless: the connections have their numbers."""


def analyse(file: Path, sink: Sink, bin_s: float = BIN_S) -> Analysis:
    """Analyses a capture; `-` is standard input.

    Raises:
        CaptureError: it is none, or cannot be read.
    """
    name = "standard input" if str(file) == STANDARD_INPUT else str(file)
    try:
        report = msgspec.json.decode(_core.analyze_capture(file, round(bin_s * NS_PER_S), sink), type=CaptureReport)
    except ValueError as error:
        raise CaptureError(f"{name}: {error}") from None
    except OSError as error:
        raise CaptureError(f"{name}: {error.strerror or error}") from None
    flows = [flow for *_, flow in sorted(sink.largest, key=lambda each: each[:2], reverse=True)]
    return Analysis(name, bin_s, report, flows, dict(_bins(sink.columns, flows[:MOST_DRAWN])))


def _joined(batches: Sequence[Columns]) -> dict[str, Any]:
    return {name: np.concatenate([batch[name] for batch in batches]) for name in batches[0]} if batches else {}


def _of_largest(batches: Sequence[Columns]) -> Columns:
    """The bins of some flows with the most data."""
    columns = _joined(batches)
    flows, of = np.unique(2 * columns["connection"] + columns["from_server"], return_inverse=True)
    largest = np.argsort(np.bincount(of, weights=columns["new_bytes"], minlength=len(flows)))[-4 * MOST_DRAWN :]
    stay = np.isin(of, largest)
    return {name: column[stay] for name, column in columns.items()}


def _bins(
    batches: Sequence[Columns], flows: Sequence[CapturedFlow]
) -> Iterator[tuple[tuple[int, int], dict[str, Any]]]:
    columns = _joined(batches)
    for flow in flows if columns else ():
        connection, from_server = flow.key
        own = (columns["connection"] == connection) & (columns["from_server"] == from_server)
        yield flow.key, {name: column[own] for name, column in columns.items()}
