"""ffmpeg that streams a film: how fast, and how often and how long a player of what arrives would have to wait.

ffmpeg reports about twice a second how much of the film it is through with, on lines of status or, with `-progress
pipe:1`, in blocks of `key=value`. A report has no time of day, but two quotients over the time that has passed: `fps`
has the frames, and `speed` the film's own time. The one with finer digits tells when the report was made.

Stalls are those of `dumbbell.metrics.playback`: a player starts with 1 s of the film, plays it in its own time, and
where what comes next is not there, waits until it has 1 s again. When a piece of the film was there is known to within
two reports: what may have been there in the film's own time was. It is the receiver that knows, where that is ffmpeg,
too; else the sender, whose send buffer is ahead of what has arrived.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from dumbbell.engines.measurement import Program, ProgramEnd
from dumbbell.metrics import playback
from dumbbell.metrics.playback import Stalls, Writes
from dumbbell.metrics.programs.report import ProgramReport

PIECE_S: Final = 0.04
"""The film is looked at in pieces of this length: a frame of 25 a second."""
SPEED_DIGITS: Final = 3
"""Significant digits with which ffmpeg writes its speed."""

_WORD = re.compile(r"\b(frame|fps|time|out_time|speed)=\s*(\S+)")
_TIME = re.compile(r"(\d+):(\d\d):(\d\d(?:\.\d+)?)")
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?")


class Report(NamedTuple):
    """How far it was."""

    at_s: float
    """When, from the beginning of the stream."""
    media_s: float
    """How much of the film had been through, in the film's own time."""


def read(program: Program) -> ProgramReport:
    """What both ends report, where they do."""
    sent = list(reports(program.client))
    heard = list(reports(program.server)) if program.server is not None else []
    waits = _stalls(heard) or _stalls(sent)
    last = sent[-1] if sent else None
    return ProgramReport(
        error=_error(program.client),
        media_s=None if last is None else last.media_s,
        speed=None if last is None or not last.at_s else last.media_s / last.at_s,
        stalls=None if waits is None else waits.times,
        stalled_s=None if waits is None else waits.total_s,
    )


def reports(end: ProgramEnd) -> Iterator[Report]:
    """What one end said, in order: its blocks of progress if it wrote such, else its lines of status."""
    at_s, fields = 0.0, dict[str, str]()
    for name, text in _WORD.findall(end.stdout if "progress=" in end.stdout else end.stderr):
        fields[name.removeprefix("out_")] = text
        if name != "speed":
            continue
        time = _TIME.fullmatch(fields.get("time", ""))
        if time:
            hours, minutes, seconds = map(float, time.groups())
            media_s = 3600 * hours + 60 * minutes + seconds
            passed_s = _passed_s(fields, media_s)
            if passed_s is not None:
                at_s = max(at_s, passed_s)
                yield Report(at_s, media_s)
        fields.clear()


def _passed_s(fields: dict[str, str], media_s: float) -> float | None:
    """The time that has passed, by that of its quotients whose last digit is the finer; None: it tells none yet."""
    frames, fps, speed = _number(fields.get("frame")), _number(fields.get("fps")), _number(fields["speed"].rstrip("x"))
    quotients = []
    if frames and fps:
        digit = 10.0 ** -len(fields["fps"].partition(".")[2])
        quotients.append((digit / fps, frames / fps))
    if media_s and speed:
        digit = 10.0 ** (math.floor(math.log10(speed)) + 1 - SPEED_DIGITS)  # which may be a zero that is not written
        quotients.append((digit / speed, media_s / speed))
    return min(quotients)[1] if quotients else None


def _number(text: str | None) -> float | None:
    return float(text) if text is not None and _NUMBER.fullmatch(text) else None


def _stalls(progress: list[Report]) -> Stalls | None:
    """Of a player of what was through by each report; None where it never starts."""
    media_s = np.maximum.accumulate([each.media_s for each in progress] or [0.0])
    if media_s[-1] < playback.STARTUP_S:
        return None
    at_s = np.array([each.at_s for each in progress])
    pieces_s = np.arange(PIECE_S, media_s[-1] + PIECE_S / 2, PIECE_S)
    after = np.minimum(np.searchsorted(media_s, pieces_s), media_s.size - 1)
    before_s = np.where(after > 0, at_s[after - 1], 0.0)
    in_time_s = pieces_s + float((at_s - media_s).min())
    there_s = np.clip(in_time_s, before_s, at_s[after])
    return playback.stalls(Writes(pieces_s - PIECE_S, in_time_s, there_s), float(at_s[-1]))


def _error(client: ProgramEnd) -> str | None:
    """The last line that it wrote, of one that ended by itself and not well."""
    lines = [line.strip() for line in client.stderr.splitlines() if line.strip()]
    return lines[-1] if client.status and lines else None
