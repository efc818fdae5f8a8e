"""What is compared of a run, out of the catalogue."""

from __future__ import annotations

from dumbbell.comparison.record import GroupRuns, RunFigures
from dumbbell.metrics.catalogue import Setup, group_values, run_values
from dumbbell.results.schema import Result


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
                retransmit_rate=own["retransmits"], fct_p50_s=own["fct_p50"], fct_p95_s=own["fct_p95"],
            )
            for name, own in group_values(result).items()
        },
    )  # fmt: skip
