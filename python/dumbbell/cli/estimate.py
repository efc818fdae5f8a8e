"""What a campaign will take, in words: before it begins, and where somebody asks."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dumbbell.campaign.forecast import Forecast
    from dumbbell.engines.protocol import Engine
    from dumbbell.spec import Experiment

S_PER_MINUTE: Final = 60
WORTH_TELLING_S: Final = 60.0
"""Nobody needs to be told what is over sooner."""
SEEN: Final = 32
"""So many points tell whether it is worth a forecast."""
_MB, _GB, _TB = 10**6, 10**9, 10**12


def print_estimate(experiments: Sequence[Experiment], engine: Engine, missing: int, jobs: int | None) -> None:
    """Says on standard error how long the missing runs of experiments take, where that is more than a minute.

    Simulates for a moment only where a count of packets says that it may be.
    """
    from dumbbell.campaign.forecast import forecast, rough_s, try_some
    from dumbbell.campaign.survey import Survey
    from dumbbell.metrics.number import counted

    if not missing:
        return
    runs = [resolved.run for one in experiments for _, resolved in Survey.of(one, most_points=SEEN).seen]
    if rough_s(runs, engine, missing) < WORTH_TELLING_S:
        return
    estimate = forecast(try_some(runs), engine, missing, jobs)
    if estimate.seconds < WORTH_TELLING_S:
        return
    at_once = f", {estimate.at_once} at once" if estimate.at_once > 1 else ""
    what = f"{counted(missing, 'run')}{at_once}: {time_text(estimate)}, {room_text(estimate)}"
    sys.stderr.write(f"{what}; Ctrl-C keeps what is finished, and the same command goes on\n")
    sys.stderr.flush()


def time_text(forecast: Forecast) -> str:
    """A time as a forecast knows it."""
    return f"{'longer than' if forecast.at_least else 'about'} {duration(forecast.seconds)}"


def room_text(forecast: Forecast) -> str:
    """Memory and disk as a forecast knows them."""
    return f"{size(forecast.memory_bytes)} memory, {size(forecast.disk_bytes)} disk"


def duration(seconds: float) -> str:
    """A time in one number.

    >>> duration(0.4), duration(44), duration(896), duration(40000), duration(1e7), duration(1e9)
    ('1 s', '44 s', '15 minutes', '11 hours', '116 days', '32 years')
    """
    if seconds < 2 * S_PER_MINUTE:
        return f"{max(seconds, 1):.0f} s"
    for unit_s, noun in ((60, "minutes"), (3_600, "hours"), (86_400, "days")):
        most = {"minutes": 120, "hours": 48, "days": 730}[noun]
        if seconds < most * unit_s:
            return f"{seconds / unit_s:.0f} {noun}"
    return f"{seconds / 31_557_600:,.0f} years"


def size(size_bytes: float) -> str:
    """A size to two digits.

    >>> size(12_345), size(163_000_000), size(2.76e9), size(8.9e13)
    ('1 MB', '160 MB', '2.8 GB', '89 TB')
    """
    rounded = float(f"{size_bytes:.2g}")
    for unit, name in ((_TB, "TB"), (_GB, "GB")):
        if rounded >= unit:
            return f"{rounded / unit:,.{0 if rounded >= 10 * unit else 1}f} {name}"
    return f"{max(rounded / _MB, 1):.0f} MB"
