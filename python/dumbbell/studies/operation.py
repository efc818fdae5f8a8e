"""What formulas can do: operations that make one number of many, and numbers of a run that no field has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, wraps
from itertools import pairwise
from operator import attrgetter
from statistics import fmean, pstdev
from typing import Any, Final, Literal, TypeAlias, get_args, get_type_hints

import numpy as np
import numpy.typing as npt

from dumbbell.errors import StudyError
from dumbbell.metrics import curve
from dumbbell.metrics.counter import variation
from dumbbell.metrics.distribution import relative_iqr
from dumbbell.metrics.sharing import jain
from dumbbell.metrics.window import ratio
from dumbbell.problem import suggestion
from dumbbell.results.run_series import ack_rtts_s, dropped_and_sent, gauge, group_rates_bps, throughput_bps
from dumbbell.results.schema import Result
from dumbbell.studies.evidence import RunData
from dumbbell.studies.sweep import swept

Values: TypeAlias = "npt.NDArray[np.float64]"
"""One of each run, NaN where a run has none; of size 1 what is one number for all."""
OfRun: TypeAlias = "Callable[[RunData], float | None]"


def _curve(function: Callable[..., Any], lists: int = 2) -> Callable[..., Any]:
    """Gives it the points in the order of the first list, without those of which a number is not known.

    `lists`: how many of its arguments are of each point, x first; one number there is the same at all. The others are
    numbers; None where one is not known.
    """

    @wraps(function)
    def of_points(*values: Values) -> Any:  # noqa: ANN401 (what the function gives)
        columns = np.broadcast_arrays(*values[:lists])
        numbers = [each.item() for each in values[lists:]]
        if any(map(np.isnan, numbers)):
            return None
        points = sorted(zip(*(column.tolist() for column in columns), strict=True))
        known = [point for point in points if not any(map(np.isnan, point))]
        return function(*([point[index] for point in known] for index in range(lists)), *numbers)

    return of_points


def _steps(_x: Sequence[float], y: Sequence[float]) -> list[float]:
    return [after - before for before, after in pairwise(y)]


def _relative_steps(_x: Sequence[float], y: Sequence[float]) -> list[float]:
    return [(after - before) / before if before else np.nan for before, after in pairwise(y)]


def _of_several(function: Callable[[list[float]], float]) -> Callable[..., Values]:
    """Of the numbers that each run has; NaN where one is not known."""

    def of_each(first: Values, *rest: Values) -> Values:
        rows = zip(*(each.tolist() for each in np.broadcast_arrays(first, *rest)), strict=True)
        return np.array([np.nan if any(map(np.isnan, row)) else function(list(row)) for row in rows])

    return of_each


def _known_or(values: Values, otherwise: Values) -> Values:
    return np.asarray(np.where(np.isnan(values), otherwise, values), dtype=np.float64)


def _reduced(function: Callable[[list[float]], float]) -> Callable[[Values], float | None]:
    """None of no runs, and where a number is not known."""
    return lambda values: function(values.tolist()) if values.size and not np.isnan(values).any() else None


OPERATIONS: Final[dict[str, Callable[..., float | None]]] = {
    "max": _reduced(max),
    "min": _reduced(min),
    "mean": _reduced(fmean),
    "deviation": _reduced(pstdev),
    "share": _reduced(fmean),
    "argmax": _curve(curve.argmax),
    "cliff": _curve(curve.cliff),
    "crossover": _curve(curve.crossover, lists=3),
    "interpolated": _curve(curve.interpolated),
    "linear_r2": _curve(curve.linear_r2),
    "one_peak": _curve(curve.one_peak),
    "rank_correlation": _curve(curve.rank_correlation),
    "threshold": _curve(curve.threshold),
}
"""One number of many runs. `share`: of the runs in which something holds. Those with `x` first are of a curve over it:
argmax(x, y), cliff(loss, goodput, rate), crossover(x, y, other), interpolated(x, y, at), linear_r2(x, y),
one_peak(x, y, slack), threshold(x, y, most)."""
STEPS: Final[dict[str, Callable[..., Any]]] = {"steps": _curve(_steps), "relative_steps": _curve(_relative_steps)}
"""By how much a curve changes from each point to the next: steps(x, y)."""
OF_EACH: Final[dict[str, Callable[..., Values]]] = {
    "abs": abs, "larger": _of_several(max), "smaller": _of_several(min),
    "evenness": _of_several(lambda values: jain(values) or 0.0),
    "known_or": _known_or,
}  # fmt: skip
"""Of each run: `larger`, `smaller` and `evenness` (Jain's index) of several numbers; `known_or`: another number where
there is none."""


def _swept(path: str, unit: str = "", packet_bytes: float | None = None) -> OfRun:
    return lambda run: swept(run, path, unit, packet_bytes)


def _over(reduce: Callable[[list[float]], float]) -> Callable[[Literal["flows", "groups"], str], OfRun]:
    """Of the flows, or groups, of which it is known."""

    def of_parts(parts: Literal["flows", "groups"], field: str) -> OfRun:
        metric(f"{parts}.0.{field}")  # refuses what no result has

        def of_run(run: RunData) -> float | None:
            members = run.result.flows if parts == "flows" else run.result.groups.values()
            known = [value for each in members if (value := attrgetter(field)(each)) is not None]
            return reduce(known) if known else None

        return of_run

    return of_parts


def _reduction(name: str) -> Callable[[Values], Any]:
    if name not in REDUCTIONS:
        raise StudyError(f'there is no reduction "{name}"; {suggestion(name, list(REDUCTIONS))}')
    return REDUCTIONS[name]


def _sampled(column: str, reduction: str, from_s: float = 0.0, flow: int = 0) -> OfRun:
    reduce = _reduction(reduction)

    def of_run(run: RunData) -> float | None:
        taken = ack_rtts_s(run, flow, from_s) if column == "ack_rtt" else gauge(run, flow, column, from_s)
        return reduce(taken.value) if taken.value.size else None

    return of_run


def _dropped(begin_s: float, end_s: float) -> OfRun:
    def of_run(run: RunData) -> float | None:
        dropped, sent = (float(np.diff(each.at([begin_s, end_s]))[0]) for each in dropped_and_sent(run))
        return ratio(dropped, dropped + sent)

    return of_run


def _bins_apart(bin_s: float, reduction: str) -> OfRun:
    reduce = _reduction(reduction)

    def of_run(run: RunData) -> float | None:
        if run.capture_series is None:
            return None
        end_s = run.window_s[1]
        apart = [
            np.abs(throughput_bps(run.by_capture, flow, 0, end_s, bin_s) - throughput_bps(run, flow, 0, end_s, bin_s))
            for flow in range(len(run.result.flows))
        ]
        return float(reduce(np.concatenate(apart)))

    return of_run


def _rate_variation(bin_s: float, from_s: float = 0.0, flow: int | None = None) -> OfRun:
    def of_run(run: RunData) -> float | None:
        if flow is None:
            return variation(group_rates_bps(run, None, from_s, run.window_s[1], bin_s))
        if flow >= len(run.result.flows):
            raise StudyError(f"rate_variation: the run has no flow {flow}, but {len(run.result.flows)}")
        begin_s = max(from_s, run.result.flows[flow].start_s)
        return variation(throughput_bps(run, flow, begin_s, run.window_s[1], bin_s))

    return of_run


REDUCTIONS: Final[dict[str, Callable[[Values], Any]]] = {
    "max": np.max, "min": np.min, "mean": np.mean, "median": np.median, "last": lambda values: values[-1],
    "variation": variation, "relative_iqr": relative_iqr,
}  # fmt: skip
OF_RUN: Final[dict[str, Callable[..., OfRun]]] = {
    "swept": _swept, "summed": _over(sum), "averaged": _over(fmean), "sampled": _sampled,
    "rate_variation": _rate_variation, "dropped": _dropped, "bins_apart": _bins_apart,
}  # fmt: skip
"""Of each run, by constants. `swept("path.buffer", "bdp")`: a field of the spec, in a unit. `summed("flows",
"goodput_bps")`: the sum over all flows, or groups; `averaged`: the mean. `sampled("cwnd_bytes", "median", 5)`: a gauge
of the first flow from 5 s on, as one number; with a fourth argument of another flow; "ack_rtt": of each ACK.
`dropped(0, 60)`: dropped / (sent + dropped) at the queue between two instants. `bins_apart(0.5, "max")`: by how much
the throughput of a flow in a bin differs between captures and counters, bit/s, over all flows and bins; none of a run
without captures. `rate_variation(0.5, 10, 0)`: the coefficient of variation of the first flow's throughput, in bins of
0.5 s from 10 s on; without the last number, of all flows' together."""
OF_RESULT: Final = {"summed", "averaged"}
"""Of these, what is of numbers of the result."""


def metric(name: str) -> Callable[[RunData], float | None]:
    """Takes the number out of a run's result; None where it is null.

    Raises:
        StudyError: no result has it. When called: this one has no such group or flow.
    """
    steps = tuple(name.split("."))
    if not _leads_somewhere(steps):
        raise StudyError(f'no result has "{name}"')

    def of_run(run: RunData) -> float | None:
        place: Any = run.result
        for step in steps:
            try:
                place = _part(place, step)
            except LookupError:
                there = ", ".join(map(str, place if isinstance(place, dict) else range(len(place))))
                raise StudyError(f'{name}: the run has no "{step}"; it has {there or "none"}') from None
        return None if place is None else float(place)

    return of_run


def _part(place: Any, step: str) -> Any:  # noqa: ANN401 (a result, its parts, at last a number)
    if isinstance(place, dict):
        return place[step]
    return place[int(step)] if isinstance(place, tuple) else getattr(place, step)


@cache
def _leads_somewhere(steps: tuple[str, ...]) -> bool:
    """Whether the classes of a result have this way to a number; a dictionary has every key, a tuple every index."""
    place: Any = Result
    for step in steps:
        parts, fields = get_args(place), getattr(place, "model_fields", getattr(place, "__dataclass_fields__", {}))
        if step in fields:
            place = get_type_hints(place)[step]
        elif parts[:1] == (str,):
            place = parts[1]
        elif parts[1:] == (Ellipsis,) and step.isdecimal():
            place = parts[0]
        else:
            return False
    return float in (place, *get_args(place)) or int in (place, *get_args(place))
