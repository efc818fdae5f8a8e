"""From the runs of both engines to verdicts, condition by condition: each quantity held against its limit."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, Generic, TypeAlias, TypeVar

import numpy as np

from dumbbell.agreement.failure import AgreementError
from dumbbell.agreement.judgement import versions
from dumbbell.metrics import bbr
from dumbbell.metrics.discrepancy import median
from dumbbell.metrics.loss_epoch import LossEpoch, kind_boundary_s, loss_epochs, median_window, relative_differences
from dumbbell.metrics.window import NANOSECONDS
from dumbbell.studies.single_flows import limits
from dumbbell.studies.single_flows.conditions import LOSS_BASED
from dumbbell.studies.single_flows.record import Case, Curve, Curves, LimitVerdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pandas as pd

    from dumbbell.agreement.record import Condition, RunFigures, Side
    from dumbbell.metrics.bbr import Value
    from dumbbell.metrics.counter import Floats
    from dumbbell.results.store import Store
    from dumbbell.studies.single_flows.limits import Limit
    from dumbbell.studies.single_flows.record import Gauge

T = TypeVar("T")
U = TypeVar("U")
Parts: TypeAlias = "tuple[list[LimitVerdict], list[Curve]]"

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


@dataclass(frozen=True, slots=True)
class Roles(Generic[T]):
    """The same of the candidate, of the reference, and of the reference under other seeds."""

    candidate: T
    reference: T
    floor: T

    def each(self, change: Callable[[T], U]) -> Roles[U]:
        """What a function makes of each."""
        return Roles(change(self.candidate), change(self.reference), change(self.floor))


NO_VALUES: Final[Roles[Value]] = Roles(None, None, None)
"""Of a difference between curves."""


def judge(
    store: Store, conditions: Sequence[Condition], sets: Sequence[str], sides: tuple[Side, Side],
    floor_seeds: Sequence[int],
) -> Curves:  # fmt: skip
    """Every condition judged; `sides` are candidate and reference.

    Raises:
        AgreementError: a condition has more than one flow.
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
        AgreementError: there is more than one flow.
    """
    group = condition.groups[0]
    if (len(condition.groups), group.flows) != (1, 1):
        raise AgreementError(f"{condition.name}: curves are those of a single flow")
    counts: dict[str, int] = {}
    parts: Parts = [], []
    if not condition.failures:
        runs = Roles(condition.candidate, condition.reference, condition.floor)
        series = runs.each(lambda of: [_series(store, run) for run in of])
        step_s = store.run(condition.reference[0].run_id).measure.sample_ns / NANOSECONDS
        if group.cc in LOSS_BASED:
            epochs = series.each(_epochs)
            counts = asdict(epochs.each(len))
            parts = compare_epochs(epochs, step_s)
        else:
            parts = compare_bbr(series, condition.rtt_s, step_s)
    return Case(
        name=condition.name,
        cc=group.cc,
        rate_bps=condition.rate_bps,
        rtt_s=condition.rtt_s,
        buffer_bdp=condition.buffer_bdp,
        epochs=counts,
        comparisons=tuple(parts[0]),
        curves=tuple(parts[1]),
        failures=condition.failures,
    )


def compare_epochs(epochs: Roles[list[LossEpoch]], step_s: float) -> Parts:
    """Reno and CUBIC: loss epochs over one another, long ones and short ones apart."""
    boundary = kind_boundary_s([*epochs.candidate, *epochs.reference, *epochs.floor])
    if boundary is None:
        return _compare_kind(epochs, step_s, "epoch", "")
    short = epochs.each(lambda of: [epoch for epoch in of if epoch.length_s <= boundary])
    long = epochs.each(lambda of: [epoch for epoch in of if epoch.length_s > boundary])
    shares: Roles[Value] = epochs.each(
        lambda of: sum(epoch.length_s > boundary for epoch in of) / len(of) if of else None
    )
    of_short = _compare_kind(short, step_s, "epoch", ", short epochs")
    of_long = _compare_kind(long, step_s, "long_epoch", ", long epochs")
    return [*_verdict(limits.LONG_SHARE, shares), *of_short[0], *of_long[0]], [*of_short[1], *of_long[1]]


def compare_bbr(series: Roles[list[pd.DataFrame]], rtt_s: float, step_s: float) -> Parts:
    """BBR: what each engine's runs report of themselves, and how they start, probe, and look for the minimum RTT."""
    runs = series.each(lambda of: [bbr.quantities(each) for each in of])
    verdicts = [
        each for limit in limits.BBR for each in _verdict(limit, runs.each(partial(_over_seeds, key=limit.key)), rtt_s)
    ]
    return verdicts, list(_bbr_curves(series, rtt_s, step_s))


def _compare_kind(epochs: Roles[list[LossEpoch]], step_s: float, key: str, kind: str) -> Parts:
    """Epochs of one kind."""
    windows = epochs.each(lambda of: median_window(of, step_s))
    curves = list(_curve(key, f"cwnd since the reduction{kind}", "cwnd", (0.0, step_s), windows))
    if not epochs.candidate and not epochs.reference:
        return [], curves
    off, noise = (relative_differences(each, windows.reference) for each in (windows.candidate, windows.floor))
    return [
        _limited(limits.CURVE_LARGEST, _farthest(off), _farthest(noise), kind=kind),
        _limited(limits.CURVE_MEDIAN, _middle(np.abs(off)), _middle(np.abs(noise)), kind=kind),
        *(
            each
            for limit in limits.EPOCH
            for each in _verdict(limit, epochs.each(partial(_over_epochs, attribute=limit.key)), kind=kind)
        ),
    ], curves  # fmt: skip


def _bbr_curves(series: Roles[list[pd.DataFrame]], rtt_s: float, step_s: float) -> Iterator[Curve]:
    def median_around(
        gauge: str, instants_s: Callable[[pd.DataFrame], Iterable[float]], offsets_s: Floats
    ) -> Roles[Floats]:
        """The median of a gauge around all instants of all runs; empty where there are none."""

        def around(of: list[pd.DataFrame]) -> Floats:
            rows = [row for each in of for row in bbr.around(each, gauge, instants_s(each), offsets_s)]
            return np.asarray(np.median(rows, axis=0) if rows else (), dtype=np.float64)

        return series.each(around)

    drawn: tuple[tuple[str, str, Gauge, Floats, Callable[[pd.DataFrame], Iterable[float]]], ...] = (
        ("start_up", "in flight since the start", "inflight", np.arange(0, START_UP_RTTS * rtt_s, step_s),
         lambda each: [float(each["time_s"].iloc[0])]),
        ("cycle", "in flight since a probe for bandwidth", "inflight", np.arange(0, CYCLE_RTTS * rtt_s, step_s),
         bbr.probes_s),
        ("probe_rtt", "cwnd around the entry to PROBE_RTT", "cwnd", np.arange(*AROUND_PROBE_RTT_S, step_s),
         lambda each: [begin_s for begin_s, _ in bbr.stays_s(each, bbr.PROBE_RTT)]),
    )  # fmt: skip
    for key, label, gauge, offsets_s, instants_s in drawn:
        values = median_around(f"{gauge}_segments", instants_s, offsets_s)
        yield from _curve(key, label, gauge, (float(offsets_s[0]), step_s), values)


def _curve(
    key: str, label: str, gauge: Gauge, begin_and_step_s: tuple[float, float], values: Roles[Floats]
) -> Iterator[Curve]:
    """Both engines' values, or as far as they reach, thinned to every so many-th; a point is no curve."""
    count = max(values.candidate.size, values.reference.size)
    if not min(values.candidate.size, values.reference.size) or count == 1:
        return
    begin_s, step_s = begin_and_step_s
    every = -(-count // MOST_POINTS)
    stored = values.each(lambda of: tuple(of[::every].tolist()))
    yield Curve(
        key=key, label=label, gauge=gauge, begin_s=begin_s, step_s=every * step_s, reference=stored.reference,
        candidate=stored.candidate,
    )  # fmt: skip


def _verdict(limit: Limit, values: Roles[Value], rtt_s: float = 0.0, *, kind: str = "") -> Iterator[LimitVerdict]:
    """How far the candidate is off; nothing where neither engine has such a value."""
    if values.candidate is None and values.reference is None:
        return
    difference, noise = (_difference(limit, each, values.reference, rtt_s) for each in (values.candidate, values.floor))
    yield _limited(limit, difference, noise, values, kind=kind)


def _limited(
    limit: Limit, difference: float | None, noise: float | None, values: Roles[Value] = NO_VALUES, *,
    kind: str = "",
) -> LimitVerdict:  # fmt: skip
    """A difference held against its limit; `kind` is added to the label where a quantity is compared several times."""
    return LimitVerdict(
        key=limit.key,
        label=f"{limit.label}{kind}",
        unit=limit.unit,
        reference=values.reference,
        candidate=values.candidate,
        floor=values.floor,
        of=limit.of,
        difference=difference,
        noise=noise,
        limit=limit.limit,
        holds=difference is not None and abs(difference) <= limit.limit,
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
    return _middle([getattr(epoch, attribute) for epoch in epochs])


def _over_seeds(runs: Sequence[Mapping[str, Value]], key: str) -> Value:
    """The median of numbers; words once if all runs say the same."""
    values = [run[key] for run in runs]
    numbers = [each for each in values if isinstance(each, float)]
    if numbers:
        return median(numbers)
    words = {each for each in values if isinstance(each, str)}
    return "; ".join(sorted(words)) if words else None


def _farthest(differences: Floats) -> float | None:
    """The difference that is largest without its sign; None of none."""
    return float(differences[np.abs(differences).argmax()]) if differences.size else None


def _middle(values: Floats | Sequence[float]) -> float | None:
    return float(np.median(values)) if len(values) else None


def _series(store: Store, run: RunFigures) -> pd.DataFrame:
    """The gauges of a run's only flow, with windows in segments."""
    mss = store.run(run.run_id).path.mss_bytes
    series = store.flow_series(run.run_id)
    return series.assign(**{f"{gauge}_segments": series[f"{gauge}_bytes"] / mss for gauge in ("cwnd", "inflight")})


def _epochs(series: Iterable[pd.DataFrame]) -> list[LossEpoch]:
    return [epoch for each in series for epoch in loss_epochs(each["time_s"], each["cwnd_segments"])]
