"""What a campaign will take, in words: before it begins, and where somebody asks."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from dumbbell.metrics.number import counted, duration, size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dumbbell.campaign.forecast import Forecast
    from dumbbell.engines.protocol import Engine
    from dumbbell.spec import Experiment

WORTH_TELLING_S: Final = 60.0
"""Nobody needs to be told what is over sooner."""
SEEN: Final = 32
"""So many points tell whether it is worth a forecast."""


def print_estimate(experiments: Sequence[Experiment], engine: Engine, missing: int, jobs: int | None) -> None:
    """Says on standard error how long the missing runs of experiments take, where that is more than a minute.

    Simulates for a moment only where a count of packets says that it may be.
    """
    from dumbbell.campaign.forecast import forecast, rough_s, try_some
    from dumbbell.campaign.survey import Survey

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
