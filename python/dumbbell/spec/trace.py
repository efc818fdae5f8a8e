"""CSV files that a spec names: the writes of a traced application, arrivals, a distribution of sizes."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from io import StringIO
from pathlib import Path

from dumbbell.problem import quoted
from dumbbell.spec.arrivals import ArrivalTimes
from dumbbell.spec.run import Trace, Write
from dumbbell.spec.sizes import Cdf
from dumbbell.text_file import Unreadable, text_of
from dumbbell.units import NS_PER_S

MOST_WRITES = 1_000_000
LONGEST_TRACE_S = 1_000_000
LARGEST_WRITE_BYTES = 10**12
LARGEST_FILE_BYTES = 64 * 2**20

_TIME = re.compile(r"[0-9]{1,18}(?:\.[0-9]{0,18})?|\.[0-9]{1,18}")
_BYTES = re.compile(r"[0-9]{1,13}")
_SHARE = re.compile(r"[0-9]{1,3}(?:\.[0-9]{0,18})?|\.[0-9]{1,18}")
_HEADERS = ({"time", "time_s", "time (s)"}, {"bytes"})
_SIZE_HEADERS = ({"bytes", "size"}, {"share", "cdf"})
_WRITE_COLUMNS = "two columns: time in seconds, bytes"
_ARRIVAL_COLUMNS = "a column of times in seconds, and if wanted one of bytes"
_CDF_COLUMNS = "two columns: bytes, and the share of transfers that are no larger"


class TraceError(ValueError):
    """A file that is no trace."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(f"{message}; {hint}")
        self.message = message
        self.hint = hint


def read(kind: type, path: Path) -> object:
    """Read what a file has: a `Trace`, `ArrivalTimes` or a `Cdf`.

    Raises `TraceError`.
    """
    parse, columns = _KINDS[kind]
    try:
        text = text_of(path, "a CSV file, relative to the spec's folder", most_bytes=LARGEST_FILE_BYTES)
        return parse(csv.reader(StringIO(text)), path.name)
    except Unreadable as error:
        raise TraceError(f"{quoted(str(path))}: {error.message}", error.hint) from None
    except csv.Error:
        raise TraceError(f"{quoted(path.name)} is no CSV text", columns) from None


def _trace(rows: Iterable[list[str]], name: str) -> Trace:
    writes: list[Write] = []
    for cells, where in _lines(rows, name, _HEADERS):
        if len(cells) != len(_HEADERS):
            raise TraceError(f"{where} has {len(cells)} columns", _WRITE_COLUMNS)
        at_ns = _time_ns(cells[0], where, writes[-1].at_ns if writes else 0, "order the writes by time")
        writes.append(Write(at_ns=at_ns, bytes=_size(cells[1], where)))
        if len(writes) > MOST_WRITES:
            raise TraceError(f"{quoted(name)} has too many writes", f"at most {MOST_WRITES}")
    if not writes:
        raise TraceError(f"{quoted(name)} has no writes", _WRITE_COLUMNS)
    return Trace(writes=tuple(writes))


def _arrivals(rows: Iterable[list[str]], name: str) -> ArrivalTimes:
    times: list[int] = []
    sizes: list[int] = []
    for cells, where in _lines(rows, name, _HEADERS):
        sized = len(cells) == len(_HEADERS)
        if not cells or len(cells) > len(_HEADERS) or (times and sized != bool(sizes)):
            raise TraceError(f"{where} has {len(cells)} columns", _ARRIVAL_COLUMNS)
        times.append(_time_ns(cells[0], where, times[-1] if times else 0, "order the arrivals by time"))
        if sized:
            sizes.append(_size(cells[1], where))
        if len(times) > MOST_WRITES:
            raise TraceError(f"{quoted(name)} has too many arrivals", f"at most {MOST_WRITES}")
    if not times:
        raise TraceError(f"{quoted(name)} has no arrivals", _ARRIVAL_COLUMNS)
    return ArrivalTimes(tuple(times), tuple(sizes) or None)


def _cdf(rows: Iterable[list[str]], name: str) -> Cdf:
    points: list[tuple[int, float]] = []
    where = quoted(name)
    for cells, where in _lines(rows, name, _SIZE_HEADERS):
        if len(cells) != len(_SIZE_HEADERS):
            raise TraceError(f"{where} has {len(cells)} columns", _CDF_COLUMNS)
        size, share = _size(cells[0], where, least=0 if not points else 1), cells[1]
        if not _SHARE.fullmatch(share):
            raise TraceError(f"{where}: {quoted(share)} is no share", "a number from 0 to 1")
        if float(share) > 1:
            raise TraceError(f"{where}: a share of {share}", "from 0 to 1: divide percentages by 100")
        if points and (size <= points[-1][0] or float(share) < points[-1][1]):
            raise TraceError(f"{where}: size and share must grow", "order the sizes; each share includes those before")
        points.append((size, float(share)))
    if not points:
        raise TraceError(f"{quoted(name)} has no sizes", _CDF_COLUMNS)
    if points[-1][1] != 1:
        raise TraceError(f"{where} is the last one, and its share is {points[-1][1]:g}", "end with the largest size, 1")
    return Cdf(tuple(points))


_KINDS: dict[type, tuple[Callable[[Iterable[list[str]], str], object], str]] = {
    Trace: (_trace, _WRITE_COLUMNS),
    ArrivalTimes: (_arrivals, _ARRIVAL_COLUMNS),
    Cdf: (_cdf, _CDF_COLUMNS),
}


def _lines(rows: Iterable[list[str]], name: str, headers: tuple[set[str], ...]) -> Iterator[tuple[list[str], str]]:
    """Give the cells of each line that has any, and how to call it; the header is left out."""
    for line, row in enumerate(rows, start=1):
        cells = [cell.strip() for cell in row]
        if any(cells) and not (line == 1 and _is_header(cells, headers)):
            yield cells, f"{quoted(name)} line {line}"


def _is_header(cells: list[str], headers: tuple[set[str], ...]) -> bool:
    return len(cells) <= len(headers) and all(cell.lower() in names for cell, names in zip(cells, headers))  # noqa: B905


def _time_ns(time: str, where: str, before_ns: int, hint: str) -> int:
    if not _TIME.fullmatch(time) or Fraction(time) > LONGEST_TRACE_S:
        raise TraceError(f"{where}: {quoted(time)} is no time in seconds", f"a number from 0 to {LONGEST_TRACE_S}")
    at_ns = round(Fraction(time) * NS_PER_S)
    if at_ns < before_ns:
        raise TraceError(f"{where}: the time runs backward", hint)
    return at_ns


def _size(size: str, where: str, least: int = 1) -> int:
    if not _BYTES.fullmatch(size) or not least <= int(size) <= LARGEST_WRITE_BYTES:
        raise TraceError(
            f"{where}: {quoted(size)} is no number of bytes", f"a whole number from {least} to {LARGEST_WRITE_BYTES}"
        )
    return int(size)
