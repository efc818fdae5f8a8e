"""Single flows on both engines: loss epochs laid over one another, and what BBR reports of itself.

Bands compare what runs came to; this compares how they came to it, quantity by quantity, each with a limit that was set
before anything was measured, and is never widened:

- Values: 5 % of the reference, as asked of a loss epoch's curve.
- Times that an algorithm counts in rounds: one base RTT, so that both engines decide in the same round.
- What an algorithm has by definition (its phases, its gains): the same.
- Shares of epochs: 5 points.

The specs beside this file are the conditions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from dev.curves import bbr
from dev.curves.bbr import Value
from dev.curves.loss_epoch import LossEpoch, kind_boundary_s, loss_epochs, median_window, relative_differences
from dev.curves.record import USUAL, Case, Curve, Curves, Limit, LimitVerdict
from dumbbell.cc import base_name
from dumbbell.comparison.agreement import versions
from dumbbell.comparison.campaigns import Sides, run_conditions
from dumbbell.comparison.record import Condition, RunFigures, Side
from dumbbell.errors import ComparisonError
from dumbbell.metrics.counter import Floats
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, Problem, Run, expand, load, resolve
from dumbbell.units import NS_PER_S

if TYPE_CHECKING:
    import pandas as pd

    Epochs: TypeAlias = Sequence[LossEpoch]
    AllSeries: TypeAlias = Sequence[pd.DataFrame]
    """A flow's series of each run."""
    Compared: TypeAlias = Iterator[LimitVerdict | Curve]

LOSS_BASED: Final = ("reno", "cubic")
"""Algorithms with loss epochs."""
BBR_ALGORITHMS: Final = ("bbr", "bbr3")
"""Those that BBR's variants are of."""
FIVE_PERCENT: Final = 0.05
ONE_RTT: Final = 1.0


def _value(key: str, label: str, unit: Any = "") -> Limit:  # noqa: ANN401 (pydantic checks it)
    return Limit(key=key, label=label, unit=unit, of="reference", limit=FIVE_PERCENT)


def _time(key: str, label: str) -> Limit:
    return Limit(key=key, label=label, unit="s", of="rtt", limit=ONE_RTT)


def _text(key: str, label: str) -> Limit:
    return Limit(key=key, label=label, unit="", of="same", limit=0.0)


LONG_SHARE: Final = Limit(key="long_share", label="share of long epochs", unit="%", of="whole", limit=FIVE_PERCENT)
CURVE_LARGEST: Final = _value("curve_largest", "cwnd curve, largest difference")
CURVE_MEDIAN: Final = _value("curve_median", "cwnd curve, median difference")
EPOCH: Final = (
    _value("w_max", "cwnd before a reduction", "segments"),
    _value("w_min", "least cwnd after it", "segments"),
    _value("length_s", "length of an epoch", "s"),
)
"""Attributes of `LossEpoch`."""
BBR: Final = (
    _text("phases", "phases"),
    _text("pacing_gains", "pacing gains"),
    _text("cwnd_gains", "cwnd gains"),
    _time("startup_s", "length of STARTUP"),
    _time("drain_s", "length of DRAIN"),
    _value("share_up", "PROBE_BW's time with a gain above 1", "%"),
    _value("share_down", "PROBE_BW's time with a gain below 1", "%"),
    _value("share_cruise", "PROBE_BW's time with a gain of 1", "%"),
    _time("probe_rtt_interval_s", "from PROBE_RTT to PROBE_RTT"),
    _time("probe_rtt_length_s", "length of PROBE_RTT"),
    _value("probe_rtt_cwnd", "least cwnd in PROBE_RTT", "segments"),
    _value("bandwidth_low_bps", "bandwidth estimate, 5th percentile", "bit/s"),
    _value("bandwidth_bps", "bandwidth estimate, median", "bit/s"),
    _value("bandwidth_high_bps", "bandwidth estimate, 95th percentile", "bit/s"),
    _value("min_rtt_s", "min_rtt, median", "s"),
    _value("cwnd", "cwnd in PROBE_BW, median", "segments"),
    _value("inflight_hi", "inflight_hi in PROBE_BW, median", "segments"),
    _value("inflight_lo", "inflight_lo where it is set, median", "segments"),
    _value("bw_lo_bps", "bw_lo where it is set, median", "bit/s"),
    _value("share_bounded", "PROBE_BW's time with a bw_lo", "%"),
)
"""Keys of `bbr.quantities`."""

MOST_POINTS: Final = 240
"""Of a curve that is stored for drawing."""
PLACES: Final = 9
"""Of a difference: times are multiples of a sample, and what floating point makes of them beyond that is none."""
START_UP_RTTS: Final = 30
"""Of base RTT: STARTUP, DRAIN and the first cycle."""
CYCLE_RTTS: Final = 8
"""PROBE_BW's cycle of gains (draft-cardwell-iccrg-bbr-congestion-control-00, section 4.3.4.2)."""
BOUNDED_S: Final = 30.0
"""Of version 3's bounds, of one seed of each engine: they probe at random times, and no mean has that shape."""
AROUND_PROBE_RTT_S: Final = (-0.2, 0.8)
"""Of the entry: PROBE_RTT lasts 200 ms and a round."""


def is_loss_based(cc: str) -> bool:
    """Whether an algorithm, as a spec has it, is judged by its loss epochs; else it is judged as BBR.

    >>> is_loss_based("cubic[beta=0.8]"), is_loss_based("bbr_4_17")
    (True, False)
    """
    return base_name(cc) in LOSS_BASED


def experiments(specs: Sequence[str] = USUAL) -> Iterator[Experiment]:
    """Every condition of these specs, one algorithm on one path: by algorithm, then by path."""
    for name in specs:
        spec = load(files("dev.curves").joinpath(f"{name}.toml").read_text(encoding="utf-8"))
        by_cc: dict[str, list[Experiment]] = {}
        for point in expand(spec):
            cc = str(point.values["flows[0].cc"])  # noqa: PD011 (it is no frame)
            members = by_cc.setdefault(cc, [])
            fields = point.fields()
            fields["name"] = f"{spec.name}-{cc}-{len(members) + 1}"
            members.append(Experiment(**fields))
        for members in by_cc.values():
            yield from members


def problems(experiments: Sequence[Experiment]) -> list[Problem]:
    """What keeps experiments from having curves, each problem once, with its path."""
    return list(dict.fromkeys(
        problem
        for experiment in experiments
        for point in expand(experiment)
        for problem in _problems_of(resolve(point, experiment.seed_values[0]).run)
    ))  # fmt: skip


def compare_curves(  # noqa: PLR0913 (what is compared, and how)
    store: Store, experiments: Sequence[Experiment], sides: Sides, sets: Sequence[str] = (), *,
    specs: Sequence[str] = USUAL, jobs: int | None = None, progress: Callable[[], None] | None = None,
) -> Curves:  # fmt: skip
    """Runs what is missing, and judges every condition; `sets` are the fields that are not those of the specs."""
    conditions = run_conditions(store, experiments, sides, jobs=jobs, progress=progress)
    return judge(store, conditions, sets, sides.recorded(store, conditions), sides.floor_seeds, specs)


def judge(  # noqa: PLR0913, PLR0917 (what is judged, and what it was)
    store: Store, conditions: Sequence[Condition], sets: Sequence[str], sides: tuple[Side, Side],
    floor_seeds: Sequence[int], specs: Sequence[str] = USUAL,
) -> Curves:  # fmt: skip
    """Every condition judged; `sides` are candidate and reference.

    Raises:
        ComparisonError: a condition has more than one flow.
        StoreError: runs kept no series, or they are damaged.
    """
    cases = tuple(_case(store, condition) for condition in conditions)
    broken = any(case.failures or not all(each.holds for each in case.comparisons) for case in cases)
    return Curves(
        versions=versions(),
        sets=tuple(sets),
        specs=tuple(specs),
        candidate=sides[0],
        reference=sides[1],
        floor_seeds=tuple(floor_seeds),
        holds=not broken and any(case.comparisons for case in cases),
        cases=cases,
    )


def compare_epochs(candidate: Epochs, reference: Epochs, floor: Epochs, step_s: float) -> Compared:
    """Reno and CUBIC: loss epochs over one another, long ones and short ones apart."""
    roles = (candidate, reference, floor)
    boundary_s = kind_boundary_s([*candidate, *reference, *floor])
    if boundary_s is None:
        yield from _compare_kind(roles, step_s, "epoch")
        return
    short, long = (
        [[each for each in of if (each.length_s > boundary_s) is kind] for of in roles] for kind in (False, True)
    )
    yield from _verdict(LONG_SHARE, [len(own) / len(of) if of else None for own, of in zip(long, roles, strict=True)])
    yield from _compare_kind(short, step_s, "epoch", ", short epochs")
    yield from _compare_kind(long, step_s, "long_epoch", ", long epochs")


def compare_bbr(candidate: AllSeries, reference: AllSeries, floor: AllSeries, rtt_s: float, step_s: float) -> Compared:
    """BBR: what each engine's runs report of themselves, and how they start, probe, and look for the minimum RTT."""
    roles = (candidate, reference, floor)
    runs = [[bbr.quantities(each) for each in of] for of in roles]
    for limit in BBR:
        yield from _verdict(limit, [_over_seeds(of, limit.key) for of in runs], rtt_s)
    for key, label, gauge, offsets_s, instants_s in (
        ("start_up", "in flight since the start", "inflight", np.arange(0, START_UP_RTTS * rtt_s, step_s), _start_s),
        ("cycle", "in flight since a probe for bandwidth", "inflight", np.arange(0, CYCLE_RTTS * rtt_s, step_s),
         bbr.probes_s),
        ("probe_rtt", "cwnd around the entry to PROBE_RTT", "cwnd", np.arange(*AROUND_PROBE_RTT_S, step_s),
         bbr.probe_rtts_s),
    ):  # fmt: skip
        own, other = (_median_around(of, f"{gauge}_segments", instants_s, offsets_s) for of in (candidate, reference))
        yield from _curve(key, label, gauge, offsets_s, (own, other))
    for gauge, column in (("inflight_hi", "inflight_hi_segments"), ("inflight_lo", "inflight_lo_segments"),
                          ("bw_lo", "bw_lo_bps")):  # fmt: skip
        firsts = [of[0][of[0]["time_s"] <= BOUNDED_S] for of in (candidate, reference)]
        if all(of[column].notna().any() for of in firsts):
            own, other = (of[column].to_numpy(np.float64) for of in firsts)
            times_s = firsts[0]["time_s"].to_numpy(np.float64)
            yield from _curve("bound", f"{gauge}, of one seed each", gauge, times_s, (own, other))


def _problems_of(run: Run) -> Iterator[Problem]:
    if len(run.flows) != 1:
        yield Problem("flows", f"curves are those of a single flow; there are {len(run.flows)}")
    for algorithm in dict.fromkeys(flow.algorithm for flow in run.flows):
        if algorithm not in (*LOSS_BASED, *BBR_ALGORITHMS):
            judged = f"{', '.join((*LOSS_BASED, *BBR_ALGORITHMS))} and their variants"
            yield Problem("flows[0].cc", f'"{algorithm}" has no curves that could be judged', f"one of {judged}")
    if run.measure.record == "summary":
        yield Problem("measure.record", '"summary" keeps no series to make curves of', 'write "series"')
    sample_s, rtt_s = run.measure.sample_ns / NS_PER_S, min(flow.base_rtt_s for flow in run.flows)
    if sample_s > rtt_s:  # BBR probes for bandwidth during one RTT
        needed = f"a curve needs a sample in each base RTT, {1e3 * rtt_s:g} ms"
        yield Problem("measure.sample", f"{1e3 * sample_s:g} ms is too long: {needed}")


def _case(store: Store, condition: Condition) -> Case:
    """A condition with every quantity; without any where a run failed."""
    group = condition.groups[0]
    if (len(condition.groups), group.flows) != (1, 1):
        raise ComparisonError(f"{condition.name}: curves are those of a single flow")
    counts: dict[str, int] = {}
    compared: list[LimitVerdict | Curve] = []
    if not condition.failures:
        roles = {"candidate": condition.candidate, "reference": condition.reference, "floor": condition.floor}
        series = {role: [_series(store, run) for run in runs] for role, runs in roles.items()}
        step_s = store.run(condition.reference[0].run_id).measure.sample_ns / NS_PER_S
        if is_loss_based(group.cc):
            epochs = {role: _epochs(of) for role, of in series.items()}
            counts = {role: len(of) for role, of in epochs.items()}
            compared = list(compare_epochs(**epochs, step_s=step_s))
        else:
            compared = list(compare_bbr(**series, rtt_s=condition.rtt_s, step_s=step_s))
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


def _compare_kind(roles: Sequence[Epochs], step_s: float, key: str, kind: str = "") -> Compared:
    """Epochs of one kind, which `kind` adds to the labels; none where neither engine has any."""
    if not roles[0] and not roles[1]:
        return
    windows = [median_window(of, step_s) for of in roles]
    candidate, reference, floor = windows
    off, noise = (relative_differences(each, reference) for each in (candidate, floor))
    yield _limited(CURVE_LARGEST, _farthest(off), _farthest(noise), kind=kind)
    yield _limited(CURVE_MEDIAN, _median(np.abs(off)), _median(np.abs(noise)), kind=kind)
    for limit in EPOCH:
        yield from _verdict(limit, [_median([getattr(each, limit.key) for each in of]) for of in roles], kind=kind)
    times_s = step_s * np.arange(max(candidate.size, reference.size), dtype=np.float64)
    yield from _curve(key, f"cwnd since the reduction{kind}", "cwnd", times_s, (candidate, reference))


def _verdict(limit: Limit, values: Sequence[Value], rtt_s: float = 0.0, *, kind: str = "") -> Iterator[LimitVerdict]:
    """How far the candidate is off, and the floor; nothing where neither engine has such a value."""
    candidate, reference, floor = values
    if candidate is not None or reference is not None:
        difference, noise = (_difference(limit, each, reference, rtt_s) for each in (candidate, floor))
        yield _limited(limit, difference, noise, values, kind=kind)


def _limited(
    limit: Limit, difference: float | None, noise: float | None, values: Sequence[Value] = (None,) * 3, *,
    kind: str = "",
) -> LimitVerdict:  # fmt: skip
    """A difference held against its limit; `kind` is added to the label where a quantity is compared several times."""
    candidate, reference, floor = values
    return LimitVerdict(
        **limit.model_dump() | {"label": f"{limit.label}{kind}"},
        reference=reference,
        candidate=candidate,
        floor=floor,
        difference=difference,
        noise=noise,
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


def _curve(key: str, label: str, gauge: str, times_s: Floats, sides: tuple[Floats, Floats]) -> Iterator[Curve]:
    """Candidate's and reference's values, as far as they reach, thinned to every so many-th; a point is no curve."""
    candidate, reference = sides
    if not candidate.size or not reference.size or times_s.size == 1:
        return
    every = -(-times_s.size // MOST_POINTS)
    yield Curve.model_validate({
        "key": key, "label": label, "gauge": gauge, "begin_s": times_s[0],
        "step_s": every * (times_s[1] - times_s[0]), "reference": _known(reference[::every]),
        "candidate": _known(candidate[::every]),
    })  # fmt: skip


def _known(values: Floats) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]


def _series(store: Store, run: RunFigures) -> pd.DataFrame:
    """The series of the only flow of a run, with windows in segments."""
    mss_bytes = store.run(run.run_id).path.mss_bytes
    series = store.flow_series(run.run_id)
    windows = ("cwnd", "inflight", "inflight_hi", "inflight_lo")
    return series.assign(**{f"{name}_segments": series[f"{name}_bytes"] / mss_bytes for name in windows})


def _epochs(series: AllSeries) -> list[LossEpoch]:
    return [epoch for each in series for epoch in loss_epochs(each["time_s"], each["cwnd_segments"])]


def _start_s(series: pd.DataFrame) -> list[float]:
    return [float(series["time_s"].iloc[0])]


def _median_around(
    series: AllSeries, gauge: str, instants_s: Callable[[pd.DataFrame], Iterable[float]], offsets_s: Floats
) -> Floats:
    """The median of a gauge around all instants of all runs; empty where there are none."""
    rows = [row for each in series for row in bbr.around(each, gauge, instants_s(each), offsets_s)]
    return np.asarray(np.median(rows, axis=0) if rows else (), dtype=np.float64)


def _over_seeds(runs: Sequence[Mapping[str, Value]], key: str) -> Value:
    """The median of numbers; words once if all runs say the same; None where no run says anything."""
    values = [run[key] for run in runs]
    numbers = [each for each in values if isinstance(each, float)]
    if numbers:
        return _median(numbers)
    texts = {each for each in values if isinstance(each, str)}
    return "; ".join(sorted(texts)) or None


def _farthest(differences: Floats) -> float | None:
    """The difference that is largest without its sign; None of none."""
    return float(differences[np.abs(differences).argmax()]) if differences.size else None


def _median(values: Floats | Sequence[float]) -> float | None:
    return float(np.median(values)) if len(values) else None
