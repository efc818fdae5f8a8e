"""From the runs of both engines to verdicts: their series, condition by condition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dumbbell.agreement.curves import epoch, loss_based, model_based
from dumbbell.agreement.curves.comparison import Roles
from dumbbell.agreement.curves.conditions import LOSS_BASED
from dumbbell.agreement.curves.record import Case, Comparison, Curve, Curves
from dumbbell.agreement.failure import AgreementError
from dumbbell.agreement.judgement import versions
from dumbbell.results.series import TIMESTAMPED_HEADERS_BYTES

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from dumbbell.agreement.record import Condition, RunFigures, Side
    from dumbbell.results.store import Store

NANOSECONDS = 1_000_000_000
"""In a second."""


def judged(
    store: Store, conditions: Sequence[Condition], sets: Sequence[str], sides: tuple[Side, Side],
    floor_seeds: Sequence[int],
) -> Curves:  # fmt: skip
    """The whole; `sides` are candidate and reference.

    Raises:
        AgreementError: a condition has more than one flow.
        StoreError: runs kept no series, or they are damaged.
    """
    cases = tuple(case(store, condition) for condition in conditions)
    broken = any(each.failures or not all(one.holds for one in each.comparisons) for each in cases)
    return Curves(
        versions=versions(),
        sets=tuple(sets),
        candidate=sides[0],
        reference=sides[1],
        floor_seeds=tuple(floor_seeds),
        holds=not broken and any(each.comparisons for each in cases),
        cases=cases,
    )


def case(store: Store, condition: Condition) -> Case:
    """A condition with every figure; without any where a run failed.

    Raises:
        AgreementError: there is more than one flow.
    """
    group = condition.groups[0]
    if (len(condition.groups), group.flows) != (1, 1):
        raise AgreementError(f"{condition.name}: curves are those of a single flow")
    counts: dict[str, int] = {}
    comparisons: list[Comparison] = []
    curves: list[Curve] = []
    if not condition.failures:
        runs = Roles(condition.candidate, condition.reference, condition.floor)
        frames = runs.each(lambda of: _frames(store, of))
        step_s = store.run(condition.reference[0].run_id).measure.sample_ns / NANOSECONDS
        if group.cc in LOSS_BASED:
            epochs = frames.each(_epochs)
            counts = {
                "candidate": len(epochs.candidate),
                "reference": len(epochs.reference),
                "floor": len(epochs.floor),
            }
            comparisons, curves = loss_based.compared(epochs, step_s)
        else:
            comparisons, curves = model_based.compared(frames, condition.rtt_s, step_s)
    return Case(
        name=condition.name,
        cc=group.cc,
        rate_bps=condition.rate_bps,
        rtt_s=condition.rtt_s,
        buffer_bdp=condition.buffer_bdp,
        epochs=counts,
        comparisons=tuple(comparisons),
        curves=tuple(curves),
        failures=condition.failures,
    )


def _frames(store: Store, runs: Sequence[RunFigures]) -> Sequence[pd.DataFrame]:
    """The gauges of each run's only flow, with windows in segments."""
    found = []
    for run in runs:
        mss = store.run(run.run_id).path.mtu_bytes - TIMESTAMPED_HEADERS_BYTES
        frame = store.flow_series(run.run_id)
        windows = {f"{gauge}_segments": frame[f"{gauge}_bytes"] / mss for gauge in ("cwnd", "inflight")}
        found.append(frame.assign(**windows))
    return found


def _epochs(frames: Sequence[pd.DataFrame]) -> Sequence[epoch.Epoch]:
    return [each for frame in frames for each in epoch.cut(frame["time_s"], frame["cwnd_segments"])]
