"""Hand-made runs, as a study observes them: what it is judged by, without an engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pandas as pd

from dumbbell.metrics.summary import BottleneckSummary, FlowSummary, GroupSummary
from dumbbell.results.schema import Result
from dumbbell.studies.evidence import RunData

BDP_BYTES = 250_000


def observed(  # noqa: PLR0913 (each is a number of a run)
    point: Mapping[str, Any],
    groups: Mapping[str, Sequence[float]],
    window_s: tuple[float, float],
    *,
    lost: float = 0.0,
    series: pd.DataFrame | None = None,
    queue_bdp: tuple[float, float] = (1.0, 1.0),
    backlog: pd.DataFrame | None = None,
    acks: pd.DataFrame | None = None,
    flows: Sequence[Mapping[str, Any]] = (),
    bottleneck: Mapping[str, Any] | None = None,
    jain: float | None = None,
) -> RunData:
    """A run whose groups' flows have these goodputs in Mbit/s; what is not said is 0 or null.

    `lost` is dropped / sent, `queue_bdp` mean and maximum. `flows` and `bottleneck` have more fields of the summary,
    of each flow and of the queue.
    """
    names = [(name, rate) for name, rates in groups.items() for rate in rates]
    total = sum(rate for _, rate in names)
    more = [*flows, *[{}] * (len(names) - len(flows))]
    result = Result(
        run_id="0" * 16,
        engine="sim",
        seed=1,
        point=dict(point),
        window_s=window_s,
        flows=tuple(
            replace(empty(FlowSummary), **{"flow": index, "name": name, "cc": name, "goodput_bps": rate * 1e6} | own)
            for index, ((name, rate), own) in enumerate(zip(names, map(dict, more), strict=True))
        ),
        bottleneck=replace(
            empty(BottleneckSummary),
            **{
                "loss_per_sent": lost,
                "queue_mean_bytes": queue_bdp[0] * BDP_BYTES,
                "queue_max_bytes": round(queue_bdp[1] * BDP_BYTES),
                "queue_mean_bdp": queue_bdp[0],
            }
            | dict(bottleneck or {}),
        ),
        groups={
            name: GroupSummary(goodput_bps=sum(rates) * 1e6, share=sum(rates) / total if total else None)
            for name, rates in groups.items()
        },
        jain=jain,
        wall_s=0.0,
        warnings=(),
    )
    frames = [pd.DataFrame() if each is None else each for each in (series, backlog, acks)]
    return RunData(
        point=point,
        result=result,
        flow_series=lambda: frames[0],
        queue_series=lambda: frames[1],
        ack_series=lambda: frames[2],
        bdp_bytes=BDP_BYTES,
    )


def empty(kind: type[Any]) -> Any:
    """A summary in which every number is null, or 0 where there must be one."""
    defaults = {"int": 0, "float": 0.0, "str": ""}
    return kind(**{each.name: defaults.get(str(each.type)) for each in fields(kind)})


def frame(flow: int, at: Any, received: Any, phase: Any) -> pd.DataFrame:
    """A flow's series with what every claim about time needs, as if all that left the bottleneck were payload."""
    received = np.asarray(received)
    return pd.DataFrame(
        {"flow": flow, "time_s": at, "delivered_bytes": received, "bottleneck_bytes": received, "phase": phase}
    )
