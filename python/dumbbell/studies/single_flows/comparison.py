"""From the runs of both engines to verdicts, condition by condition: each quantity held against its limit."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from dumbbell.comparison.bands import versions
from dumbbell.comparison.condition import Roles
from dumbbell.errors import ComparisonError
from dumbbell.metrics import bbr
from dumbbell.metrics.loss_epoch import LossEpoch, kind_boundary_s, loss_epochs, median_window, relative_differences
from dumbbell.spec.quantity import NS_PER_S
from dumbbell.studies.single_flows import limits
from dumbbell.studies.single_flows.conditions import LOSS_BASED
from dumbbell.studies.single_flows.record import Case, Curve, Curves, LimitVerdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pandas as pd

    from dumbbell.comparison.record import Condition, RunFigures, Side
    from dumbbell.metrics.bbr import Value
    from dumbbell.metrics.counter import Floats
    from dumbbell.results.store import Store
    from dumbbell.studies.single_flows.record import Limit

MOST_POINTS: Final = 240
"""Of a curve that is stored for drawing."""
PLACES: Final = 9
"""Of a difference: times are multiples of a sample, and what floating point makes of them beyond that is none."""
START_UP_RTTS: Final = 30
"""Of base RTT: STARTUP, DRAIN and the first cycle."""
CYCLE_RTTS: Final = 8
"""PROBE_BW's cycle of gains (draft-cardwell-iccrg-bbr-congestion-control-00, section 4.3.4.2)."""
AROUND_PROBE_RTT_S: Final = (-0.2, 0.8)
"""Of the entry: PROBE_RTT lasts 200 ms and a round."""


NO_VALUES: Final[Roles[Value]] = Roles(None, None, None)
"""Of a difference between curves."""


def judge(
    store: Store, conditions: Sequence[Condition], sets: Sequence[str], sides: tuple[Side, Side],
    floor_seeds: Sequence[int],
) -> Curves:  # fmt: skip
    """Every condition judged; `sides` are candidate and reference.

    Raises:
        ComparisonError: a condition has more than one flow.
        StoreError: runs kept no series, or they are damaged.
    """
    cases = tuple(judge_case(store, condition) for condition in conditions)
    broken = any(case.failures or not all(each.holds for each in case.comparisons) for case in cases)
    return Curves(
        versions=versions(),
        sets=tuple(sets),
        candidate=sides[0],
        reference=sides[1],
        floor_seeds=tuple(floor_seeds),
        holds=not broken and any(case.comparisons for case in cases),
        cases=cases,
    )


def judge_case(store: Store, condition: Condition) -> Case:
    """A condition with every quantity; without any where a run failed.

    Raises:
        ComparisonError: there is more than one flow.
    """
    group = condition.groups[0]
    if (len(condition.groups), group.flows) != (1, 1):
        raise ComparisonError(f"{condition.name}: curves are those of a single flow")
    counts: dict[str, int] = {}
    compared: list[LimitVerdict | Curve] = []
    if not condition.failures:
        runs = Roles(condition.candidate, condition.reference, condition.floor)
        series = runs.each(lambda of: [_series(store, run) for run in of])
        step_s = store.run(condition.reference[0].run_id).measure.sample_ns / NS_PER_S
        if group.cc in LOSS_BASED:
            epochs = series.each(_epochs)
            counts = asdict(epochs.each(len))
            compared = list(compare_epochs(epochs, step_s))
        else:
            compared = list(compare_bbr(series, condition.rtt_s, step_s))
    return Case(
        name=condition.name,
        cc=group.cc,
        rate_bps=condition.rate_bps,
        rtt_s=condition.rtt_s,
        buffer_bdp=condition.buffer_bdp,
        epochs=counts,
        comparisons=tuple(each for each in compared if isinstance(each, LimitVerdict)),
        curves=tuple(each for each in compared if isinstance(each, Curve)),
        failures=condition.failures,
    )


def compare_epochs(epochs: Roles[list[LossEpoch]], step_s: float) -> Iterator[LimitVerdict | Curve]:
    """Reno and CUBIC: loss epochs over one another, long ones and short ones apart."""
    boundary_s = kind_boundary_s([*epochs.candidate, *epochs.reference, *epochs.floor])
    if boundary_s is None:
        yield from _compare_kind(epochs, step_s, "epoch")
        return
    short = epochs.each(lambda of: [epoch for epoch in of if epoch.length_s <= boundary_s])
    long = epochs.each(lambda of: [epoch for epoch in of if epoch.length_s > boundary_s])
    shares: Roles[Value] = epochs.each(
        lambda of: sum(epoch.length_s > boundary_s for epoch in of) / len(of) if of else None
    )
    yield from _verdicts(limits.LONG_SHARE, shares)
    yield from _compare_kind(short, step_s, "epoch", ", short epochs")
    yield from _compare_kind(long, step_s, "long_epoch", ", long epochs")


def _compare_kind(
    epochs: Roles[list[LossEpoch]], step_s: float, key: str, kind: str = ""
) -> Iterator[LimitVerdict | Curve]:
    """Epochs of one kind, which `kind` adds to the labels."""
    if not epochs.candidate and not epochs.reference:
        return
    windows = epochs.each(lambda of: median_window(of, step_s))
    off, noise = (relative_differences(each, windows.reference) for each in (windows.candidate, windows.floor))
    yield _limited(limits.CURVE_LARGEST, _farthest(off), _farthest(noise), kind=kind)
    yield _limited(limits.CURVE_MEDIAN, _median(np.abs(off)), _median(np.abs(noise)), kind=kind)
    for limit in limits.EPOCH:
        yield from _verdicts(limit, epochs.each(partial(_over_epochs, attribute=limit.key)), kind=kind)
    times_s = step_s * np.arange(max(windows.candidate.size, windows.reference.size), dtype=np.float64)
    yield from _curves(key, f"cwnd since the reduction{kind}", "cwnd", times_s, windows)


def compare_bbr(series: Roles[list[pd.DataFrame]], rtt_s: float, step_s: float) -> Iterator[LimitVerdict | Curve]:
    """BBR: what each engine's runs report of themselves, and how they start, probe, and look for the minimum RTT."""
    runs = series.each(lambda of: [bbr.quantities(each) for each in of])
    for limit in limits.BBR:
        yield from _verdicts(limit, runs.each(partial(_over_seeds, key=limit.key)), rtt_s)
    for key, label, gauge, offsets_s, instants_s in (
        ("start_up", "in flight since the start", "inflight", np.arange(0, START_UP_RTTS * rtt_s, step_s), _start_s),
        ("cycle", "in flight since a probe for bandwidth", "inflight", np.arange(0, CYCLE_RTTS * rtt_s, step_s),
         bbr.probes_s),
        ("probe_rtt", "cwnd around the entry to PROBE_RTT", "cwnd", np.arange(*AROUND_PROBE_RTT_S, step_s),
         bbr.probe_rtts_s),
    ):  # fmt: skip
        around = partial(_median_around, gauge=f"{gauge}_segments", instants_s=instants_s, offsets_s=offsets_s)
        yield from _curves(key, label, gauge, offsets_s, series.each(around))


def _median_around(
    series: Sequence[pd.DataFrame], gauge: str, instants_s: Callable[[pd.DataFrame], Iterable[float]], offsets_s: Floats
) -> Floats:
    """The median of a gauge around all instants of all runs; empty where there are none."""
    rows = [row for each in series for row in bbr.around(each, gauge, instants_s(each), offsets_s)]
    return np.asarray(np.median(rows, axis=0) if rows else (), dtype=np.float64)


def _start_s(series: pd.DataFrame) -> list[float]:
    return [float(series["time_s"].iloc[0])]


def _curves(key: str, label: str, gauge: str, times_s: Floats, values: Roles[Floats]) -> Iterator[Curve]:
    """Both engines' values, as far as they reach, thinned to every so many-th; a point is no curve."""
    if not values.candidate.size or not values.reference.size or times_s.size == 1:
        return
    every = -(-times_s.size // MOST_POINTS)
    stored = values.each(lambda of: of[::every].tolist())
    yield Curve.model_validate({
        "key": key, "label": label, "gauge": gauge, "begin_s": times_s[0],
        "step_s": every * (times_s[1] - times_s[0]), "reference": stored.reference, "candidate": stored.candidate,
    })  # fmt: skip


def _verdicts(limit: Limit, values: Roles[Value], rtt_s: float = 0.0, *, kind: str = "") -> Iterator[LimitVerdict]:
    """How far the candidate is off; nothing where neither engine has such a value."""
    if values.candidate is None and values.reference is None:
        return
    difference, noise = (_difference(limit, each, values.reference, rtt_s) for each in (values.candidate, values.floor))
    yield _limited(limit, difference, noise, values, kind=kind)


def _limited(
    limit: Limit, difference: float | None, noise: float | None, values: Roles[Value] = NO_VALUES, *, kind: str = ""
) -> LimitVerdict:
    """A difference held against its limit; `kind` is added to the label where a quantity is compared several times."""
    return LimitVerdict.model_validate(
        limit.model_dump()
        | asdict(values)
        | {
            "label": f"{limit.label}{kind}",
            "difference": difference,
            "noise": noise,
            "holds": difference is not None and abs(difference) <= limit.limit,
        }
    )


def _difference(limit: Limit, value: Value, reference: Value, rtt_s: float) -> float | None:
    if value is None or reference is None:
        return None
    if isinstance(value, str) or isinstance(reference, str):
        return float(value != reference)
    scale = {"reference": reference, "rtt": rtt_s}.get(limit.of, 1.0)
    if scale:
        return round((value - reference) / scale, PLACES) + 0.0  # no negative zero
    return 0.0 if value == reference else None


def _over_epochs(epochs: Sequence[LossEpoch], attribute: str) -> Value:
    return _median([getattr(epoch, attribute) for epoch in epochs])


def _over_seeds(runs: Sequence[Mapping[str, Value]], key: str) -> Value:
    """The median of numbers; words once if all runs say the same."""
    values = [run[key] for run in runs]
    numbers = [each for each in values if isinstance(each, float)]
    if numbers:
        return _median(numbers)
    words = {each for each in values if isinstance(each, str)}
    return "; ".join(sorted(words)) if words else None


def _farthest(differences: Floats) -> float | None:
    """The difference that is largest without its sign; None of none."""
    return float(differences[np.abs(differences).argmax()]) if differences.size else None


def _median(values: Floats | Sequence[float]) -> float | None:
    return float(np.median(values)) if len(values) else None


def _series(store: Store, run: RunFigures) -> pd.DataFrame:
    """The gauges of a run's only flow, with windows in segments."""
    mss = store.run(run.run_id).path.mss_bytes
    series = store.flow_series(run.run_id)
    return series.assign(**{f"{gauge}_segments": series[f"{gauge}_bytes"] / mss for gauge in ("cwnd", "inflight")})


def _epochs(series: Iterable[pd.DataFrame]) -> list[LossEpoch]:
    return [epoch for each in series for epoch in loss_epochs(each["time_s"], each["cwnd_segments"])]
