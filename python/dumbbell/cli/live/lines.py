"""The run that is being measured as lines of a terminal, no more and no wider than that has room for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from rich.cells import set_cell_size

from dumbbell.cli.streams import escaped
from dumbbell.metrics.number import ABSENT, amount, trimmed
from dumbbell.tables.terminal import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dumbbell.cli.live.history import Gauge, Instant, Situation

_GAP: Final = "  "
_LABEL: Final = (8, 24)
"""The least and the most that flows' names have, in letters."""
_LEAST_SPARKLINE: Final = 8
_MOST_SPARKLINE: Final = 60
_BARS: Final = "▁▂▃▄▅▆▇█"


class _Field(NamedTuple):
    heading: tuple[str, str]
    width: int
    text: Callable[[Gauge], str]


_FIELDS: Final = (
    _Field(("goodput", "Mbit/s"), 7, lambda it: amount(it.goodput_bps, scale=1e-6) if it.running else ABSENT),
    _Field(("RTT", "ms"), 5, lambda it: amount(it.srtt_s, scale=1e3)),
    _Field(("retrans-", "missions"), 8, lambda it: str(it.retransmitted_segments)),
    _Field(("cwnd", "segments"), 8, lambda it: str(it.cwnd_segments) if it.running else ABSENT),
)
"""The first are the last to go where there is little room."""


def lines(situation: Situation, width: int, height: int) -> list[str]:
    """A label, how far the run is, and a row for each track: at most `height` lines of at most `width` letters."""
    if not situation.label:
        return ["no run has begun"][:height]
    last = situation.instants[-1] if situation.instants else None
    return [
        shortened(escaped(situation.label), width),
        shortened(_progress_text(situation, last), width),
        *_table(situation, last, width, height - 2),
    ][: max(0, height)]


def sparkline(values: Sequence[float], most: float) -> str:
    """Values from 0 to `most` as bars.

    >>> sparkline([0, 1, 4, 8], 8)
    '▁▂▅█'
    """
    top = len(_BARS) - 1
    return "".join(_BARS[min(top, int(len(_BARS) * value / most)) if most > 0 else 0] for value in values)


def _progress_text(situation: Situation, last: Instant | None) -> str:
    run, length = (
        f"run {min(situation.done + 1, situation.runs)} of {situation.runs}",
        trimmed(situation.duration_s, " s"),
    )
    if situation.over:
        return f"{run}: over"
    return f"{run}: begins, {length}" if last is None else f"{run}: {last.at_s:.1f} of {length}"


def _table(situation: Situation, last: Instant | None, width: int, height: int) -> list[str]:
    tracks, room = situation.tracks, height - 3
    if last is None or room < 1:
        return []
    shown = tracks if len(tracks) <= room else tracks[: room - 1]
    longest = max(len(escaped(track.label)) for track in tracks)
    names = max(_LABEL[0], min(_LABEL[1], longest))
    fields = [*_FIELDS]
    while len(fields) > 1 and names + sum(len(_GAP) + field.width for field in fields) > width:
        fields.pop()
    rest = width - names - sum(len(_GAP) + field.width for field in fields) - len(_GAP)
    seconds = min(rest, _MOST_SPARKLINE) if rest >= _LEAST_SPARKLINE else 0
    by_second = _by_second(situation.instants, seconds)
    most = max((bps for row in by_second for bps in row), default=0.0)
    recent = ("goodput,", f"last {trimmed(seconds, ' s')}") if seconds else ("", "")
    rows = [
        "",
        *(
            _row(("flow", "")[nth], names, [field.heading[nth].rjust(field.width) for field in fields], recent[nth])
            for nth in range(2)
        ),
    ]
    for place, track in enumerate(shown):
        texts = [field.text(last.gauges[place]).rjust(field.width) for field in fields]
        rows.append(_row(escaped(track.label), names, texts, sparkline([row[place] for row in by_second], most)))
    if len(shown) < len(tracks):
        rows.append(f"and {len(tracks) - len(shown)} more: a taller terminal has them, and so has the page")
    return [row[:width].rstrip() for row in rows]


def _row(label: str, names: int, texts: Sequence[str], end: str) -> str:
    return _GAP.join([set_cell_size(shortened(label, names), names), *texts, end])


def _by_second(instants: Sequence[Instant], seconds: int) -> list[list[float]]:
    """The goodput of each track at the end of each of the last seconds; of a run that is younger fewer."""
    chosen: dict[int, list[float]] = {}
    for instant in instants:
        chosen[int(instant.at_s)] = [gauge.goodput_bps for gauge in instant.gauges]
    return [chosen[second] for second in sorted(chosen)[-seconds:]] if seconds else []
