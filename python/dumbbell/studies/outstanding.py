"""What is still to be done of a study, run by run, so that somebody can say how long it will take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dumbbell.campaign.local import known, plan
from dumbbell.spec.run import ETHERNET_HEADER_BYTES, TransferWorkload
from dumbbell.studies.gathering import honoured

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dumbbell.engines.protocol import Engine
    from dumbbell.results.store import Store
    from dumbbell.spec.run import Run
    from dumbbell.studies.study import Study

NS_PER_S = 1_000_000_000
BITS = 8


def outstanding(study: Study, store: Store | None, engine: Engine, *, fresh: bool = False) -> Iterator[float]:
    """The work in each run that an engine can honour, in the order in which `studies.run` tells of them.

    In packets, to which the time of a run is nearly proportional on every engine that has a virtual clock; 0 for a run
    that the store has, or that was asked for before. Without a store none is there.
    """
    identity = engine.identity()
    asked: set[str] = set()
    for experiment in honoured(study, engine).values():
        for planned in plan(experiment):
            run_id = known(planned, engine, identity)["run_id"]
            there = run_id in asked or (store is not None and not fresh and store.finished(run_id))
            asked.add(run_id)
            yield 0.0 if there else packets(planned.resolved.run)


def packets(run: Run) -> float:
    """What the bottleneck can carry at its first rate, or less where no flow sends on after its transfer."""
    frame_bytes = run.path.mtu_bytes + ETHERNET_HEADER_BYTES
    carried_bytes = run.path.rate_bps * run.duration_ns / NS_PER_S / BITS
    transfers = [flow.workload.transfer.bytes for flow in run.flows if isinstance(flow.workload, TransferWorkload)]
    asked_bytes = sum(transfers) if len(transfers) == len(run.flows) else carried_bytes
    return min(carried_bytes, asked_bytes) / frame_bytes
