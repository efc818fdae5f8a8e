"""Page load times: from a page's first request to the last byte of its last object."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dumbbell.engines.measurement import NEVER_NS, PageLoads
from dumbbell.units import NS_PER_S

if TYPE_CHECKING:
    from dumbbell.metrics.window import Window


class PageTimes(NamedTuple):
    """Of the pages of a client that began in the window and were loaded, with the names that its summary has."""

    pages: int | None = None
    page_load_p50_s: float | None = None
    page_load_p95_s: float | None = None


def page_times(loads: PageLoads | None, window: Window) -> PageTimes:
    """The page that is under way at the client's end is not among them: one is at nearly every end."""
    if loads is None:
        return PageTimes()
    begun = (loads.started_ns >= window.begin_ns) & (loads.started_ns < window.end_ns)
    loaded = begun & (loads.loaded_ns != NEVER_NS)
    if not loaded.any():
        return PageTimes(pages=0)
    median, most = np.percentile((loads.loaded_ns - loads.started_ns)[loaded] / NS_PER_S, [50, 95])
    return PageTimes(pages=int(loaded.sum()), page_load_p50_s=float(median), page_load_p95_s=float(most))
