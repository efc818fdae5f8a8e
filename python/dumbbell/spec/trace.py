"""Traced applications: a CSV file of writes, time in seconds and bytes."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

from dumbbell.problem import quoted
from dumbbell.spec.run import Trace, Write
from dumbbell.units import NS_PER_S

MOST_WRITES = 1_000_000
LONGEST_TRACE_S = 1_000_000
LARGEST_WRITE_BYTES = 10**12

_TIME = re.compile(r"[0-9]+(?:\.[0-9]{0,18})?|\.[0-9]{1,18}")
_BYTES = re.compile(r"[0-9]{1,13}")
_HEADERS = ({"time", "time_s", "time (s)"}, {"bytes"})


class TraceError(ValueError):
    """A file that is no trace."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(f"{message}; {hint}")
        self.message = message
        self.hint = hint


def read_trace(path: Path) -> Trace:
    """Read the writes of a file: two columns, with or without the header `time,bytes`."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return Trace(writes=tuple(_writes(csv.reader(file), path.name)))
    except FileNotFoundError:
        raise TraceError(f"{quoted(str(path))}: no such file", "the path is relative to the spec's folder") from None
    except OSError as error:
        raise TraceError(f"{quoted(str(path))}: {error.strerror}", "name a CSV file") from None
    except (UnicodeDecodeError, csv.Error):
        raise TraceError(f"{quoted(path.name)} is no CSV text", "two columns: time in seconds, bytes") from None


def _writes(rows: Iterable[list[str]], name: str) -> list[Write]:
    writes: list[Write] = []
    for line, row in enumerate(rows, start=1):
        cells = [cell.strip() for cell in row]
        if not any(cells) or (line == 1 and _is_header(cells)):
            continue
        write = _write(cells, f"{quoted(name)} line {line}")
        if writes and write.at_ns < writes[-1].at_ns:
            raise TraceError(f"{quoted(name)} line {line}: the time runs backward", "order the writes by time")
        writes.append(write)
        if len(writes) > MOST_WRITES:
            raise TraceError(f"{quoted(name)} has too many writes", f"at most {MOST_WRITES}")
    if not writes:
        raise TraceError(f"{quoted(name)} has no writes", "two columns: time in seconds, bytes")
    return writes


def _is_header(cells: list[str]) -> bool:
    return len(cells) == len(_HEADERS) and all(
        cell.lower() in names for cell, names in zip(cells, _HEADERS, strict=True)
    )


def _write(cells: list[str], where: str) -> Write:
    if len(cells) != len(_HEADERS):
        raise TraceError(f"{where} has {len(cells)} columns", "two columns: time in seconds, bytes")
    time, size = cells
    if not _TIME.fullmatch(time) or Fraction(time) > LONGEST_TRACE_S:
        raise TraceError(f"{where}: {quoted(time)} is no time in seconds", f"a number from 0 to {LONGEST_TRACE_S}")
    if not _BYTES.fullmatch(size) or not 0 < int(size) <= LARGEST_WRITE_BYTES:
        raise TraceError(
            f"{where}: {quoted(size)} is no number of bytes", f"a whole number from 1 to {LARGEST_WRITE_BYTES}"
        )
    return Write(at_ns=round(Fraction(time) * NS_PER_S), bytes=int(size))
