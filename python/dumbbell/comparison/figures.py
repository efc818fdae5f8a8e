"""What is compared of a run, out of the catalogue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from dumbbell.comparison.record import GroupRuns, RunFigures
from dumbbell.metrics.catalogue import Setup, group_values, run_values
from dumbbell.results.schema import Result

COMPLETED: Final = ("fct_p50", "page_load", "frame_delay_p50")
COMPLETED_LATE: Final = ("fct_p95", "page_load_p95", "frame_delay_p95")
"""How long a transfer takes, or a page, or a frame: a group has one of them."""


def _first(own: Mapping[str, float | None], names: Sequence[str]) -> float | None:
    return next((value for name in names if (value := own[name]) is not None), None)


def figures_of(result: Result, setup: Setup) -> RunFigures:
    values = run_values(result, setup)
    return RunFigures(
        seed=result.seed,
        run_id=result.run_id,
        goodput_bps=values["total_goodput"] or 0.0,
        loss_rate=values["loss"],
        mark_rate=values["marks"],
        queueing_delay=values["queueing_delay"],
        utilization=values["utilization"],
        groups={
            name: GroupRuns(
                goodput_bps=own["goodput"] or 0.0, share=own["share"], rtt_mean_s=own["rtt"],
                retransmit_rate=own["retransmits"], fct_p50_s=_first(own, COMPLETED),
                fct_p95_s=_first(own, COMPLETED_LATE),
            )
            for name, own in group_values(result).items()
        },
    )  # fmt: skip
