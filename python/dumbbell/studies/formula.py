"""Formulas: what a claim measures, as an expression over the runs of a sweep.

A name is a field of a run's result (`bottleneck.loss_per_sent`, `groups.cubic.share`, `flows.0.fct_s`), a formula of
the study's `[metrics]`, or a function of its `claims.py`: each a number of every run at hand. `beside.share` is that
number of the run at the same point in the experiment that stands beside the check's own, `beside.1.share` in the
second one. `loss[queue >= 1.5]` is the loss of those runs alone. Operations make one number of many: `max(loss)`.
A function that takes `Trials` is a number of all seeds together, and may be given constants: `accuracy("full")`.
Python's parser reads a formula, and each node becomes a function of the sweep; what is not listed here is refused.

>>> Formulas({"loss": "bottleneck.loss_per_sent"}).parse("max(100 * loss) - 3").text
'max(100 * loss) - 3'
"""

from __future__ import annotations

import ast
import inspect
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, partial, wraps
from itertools import pairwise
from operator import attrgetter
from statistics import fmean, pstdev
from types import ModuleType
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypeVar, get_args, get_type_hints

import numpy as np
import numpy.typing as npt
from pydantic import ConfigDict, ValidationError, validate_call

from dumbbell.errors import StudyError
from dumbbell.metrics import curve
from dumbbell.metrics.counter import variation
from dumbbell.metrics.distribution import relative_iqr
from dumbbell.metrics.number import ANY_NUMBER, SHARE, Limits
from dumbbell.metrics.sharing import jain
from dumbbell.problem import suggestion
from dumbbell.results.run_series import gauge, group_rates_bps, throughput_bps
from dumbbell.results.schema import Result
from dumbbell.studies.evidence import RunData, SeedSweep, Trials
from dumbbell.studies.limits import of_call, of_field, of_function, of_operation, united
from dumbbell.studies.sweep import swept

Values: TypeAlias = "npt.NDArray[np.float64]"
"""One of each run, NaN where a run has none; of size 1 what is one number for all."""

OfRun: TypeAlias = "Callable[[RunData], float | None]"
OfAll: TypeAlias = "Callable[[Trials], float | None]"
Given = TypeVar("Given")

BDP: Final = "bdp_bytes"
TOGETHER: Final = "Trials"
"""The first parameter of a study's function that is of all seeds together."""
_BINARY: Final[dict[type[ast.operator], Callable[[Values, Values], Values]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda one, other: np.divide(one, np.where(other == 0, np.nan, other)),
}
_COMPARED: Final[dict[type[ast.cmpop], Callable[[Values, Values], Any]]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: np.isin,
}  # fmt: skip


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


def _sampled(column: str, reduction: str, from_s: float = 0.0) -> OfRun:
    reduce = REDUCTIONS.get(reduction)
    if reduce is None:
        raise StudyError(f'there is no reduction "{reduction}"; {suggestion(reduction, list(REDUCTIONS))}')

    def of_run(run: RunData) -> float | None:
        samples = gauge(run, 0, column, from_s).value
        return reduce(samples) if samples.size else None

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
    "rate_variation": _rate_variation,
}  # fmt: skip
"""Of each run, by constants. `swept("path.buffer", "bdp")`: a field of the spec, in a unit. `summed("flows",
"goodput_bps")`: the sum over all flows, or groups; `averaged`: the mean. `sampled("cwnd_bytes", "median", 5)`: a gauge
of the first flow from 5 s on, as one number. `rate_variation(0.5, 10, 0)`: the coefficient of variation of the first
flow's throughput, in bins of 0.5 s from 10 s on; without the last number, of all flows' together."""


class Evaluated(NamedTuple):
    """A part of a formula."""

    of: Callable[[SeedSweep, Sequence[SeedSweep]], Values]
    """Its values in the runs of a sweep, and in the sweeps beside it."""
    varies: bool
    """It is a number of each run, and not one of the whole sweep."""
    others_needed: int = 0
    """How many sweeps must stand beside."""
    of_all: Callable[[Trials], Values] | None = None
    """Its value in all seeds together; None of what is of each seed."""
    together: bool = False
    """It is of all seeds together only."""
    limits: Limits = ANY_NUMBER
    """What it can be."""


def _of_each_run(of_run: OfRun, limits: Limits = ANY_NUMBER) -> Evaluated:
    return Evaluated(
        lambda sweep, _: np.array([_nan(of_run(run)) for run in sweep.runs], dtype=np.float64),
        varies=True,
        limits=limits,
    )


def _of_all_seeds(of_all: OfAll, limits: Limits) -> Evaluated:
    def of_one(sweep: SeedSweep, _: Sequence[SeedSweep]) -> Values:
        raise StudyError(f"a number of all seeds together is not one of seed {sweep.seed}")

    return Evaluated(
        of_one, varies=False, of_all=lambda trials: np.array([_nan(of_all(trials))]), together=True, limits=limits
    )


def _with_constants(function: Callable[..., float | None]) -> Callable[..., OfAll]:
    """A study's function without its first parameter: given the others, it gives one of trials."""
    _, *rest = inspect.signature(function, eval_str=True).parameters.values()

    def given(*constants: Any, **usual: Any) -> OfAll:  # noqa: ANN401 (of the types that the function asks for)
        return lambda trials: function(trials, *constants, **usual)

    given.__signature__ = inspect.Signature(rest)  # type: ignore[attr-defined]
    given.__annotations__ = {each.name: each.annotation for each in rest}
    return given


@dataclass(frozen=True, slots=True)
class Formula:
    """What is measured of a sweep."""

    text: str
    is_field: bool
    """It is a field of the result: where that is null it was not measured, and is no answer."""
    evaluated: Evaluated

    @property
    def limits(self) -> Limits:
        """What it can be, in base units, as far as its text tells."""
        return self.evaluated.limits

    @property
    def together(self) -> bool:
        """Whether it is one number of all seeds together."""
        return self.evaluated.together

    def value_together(self, trials: Trials) -> float | None:
        """Its value in all seeds together; None where the runs do not give it.

        Raises:
            StudyError: it is a number of each seed.
        """
        if self.evaluated.of_all is None:
            raise StudyError(f"{self.text}: a number of each seed, where one of all seeds is needed")
        (value,) = self.evaluated.of_all(trials)
        return float(value) if np.isfinite(value) else None

    def refuse_without(self, others: Sequence[str]) -> None:
        """Checks that these experiments beside are enough.

        Raises:
            StudyError: it names more.
        """
        if self.evaluated.others_needed > len(others):
            raise StudyError(f"{self.text}: needs {self.evaluated.others_needed} experiments beside, not {len(others)}")

    def value(self, sweep: SeedSweep, *others: SeedSweep) -> float | None:
        """Its value; None where the runs do not give it. `others`: the sweeps that stand beside.

        Raises:
            StudyError: it is a number of each run, and there are several.
        """
        values = self.evaluated.of(sweep, others)
        if values.size != 1:
            raise StudyError(f"{self.text}: a number of each of {values.size} runs, where one is needed")
        return float(values[0]) if np.isfinite(values[0]) else None

    def of_run(self, run: RunData, *others: RunData) -> float | None:
        return self.value(*(SeedSweep(run.result.seed, (each,)) for each in (run, *others)))


@dataclass(frozen=True)
class Formulas:
    """The names that a study's formulas may have: other formulas, and functions of a run or of a sweep."""

    texts: Mapping[str, str]
    functions: ModuleType | None = None

    def refuse_broken(self) -> None:
        """Reads each formula that has a name.

        Raises:
            StudyError: some cannot be read: all of them, one a line.
        """
        problems = []
        for name in self.texts:
            try:
                self.parse(name)
            except StudyError as error:
                problems.append(f"metrics.{name}: {str(error).removeprefix(f'metrics.{name}: ')}")
        if problems:
            raise StudyError("\n".join(problems))

    def parse(self, text: str) -> Formula:
        """Reads a formula.

        Raises:
            StudyError: it is none, or has a name that there is not.
        """
        tree = _parsed(text)
        steps = _steps_of(tree)
        named = steps is not None and (steps[0] in self.texts or self._function(steps[0]) is not None)
        return Formula(text, steps is not None and not named, self._evaluated(tree, text, ()))

    def _evaluated(self, node: ast.expr, text: str, within: tuple[str, ...]) -> Evaluated:  # noqa: C901, PLR0911, PLR0912 (one case a kind of node)
        """`within`: the formulas of which this is a part."""

        def combined(
            function: Callable[..., Any], limits: Callable[[list[Limits]], Limits], *nodes: ast.expr
        ) -> Evaluated:
            parts = [self._evaluated(each, text, within) for each in nodes]
            together = any(part.together for part in parts)
            if together and any(part.of_all is None for part in parts):
                raise StudyError(f"{text}: numbers of each seed and of all seeds together do not go together")

            def of(sweep: SeedSweep, others: Sequence[SeedSweep]) -> Values:
                return computed([part.of(sweep, others) for part in parts])

            def of_all(trials: Trials) -> Values:
                return computed([part.of_all(trials) for part in parts if part.of_all])

            def computed(values: Sequence[Values]) -> Values:
                try:
                    return np.asarray(function(*values), dtype=np.float64)
                except ValueError:
                    sizes = ", ".join(str(each.size) for each in values)
                    raise StudyError(f"{text}: its parts do not go together, being of {sizes} runs") from None

            return Evaluated(
                of, any(part.varies for part in parts), max((part.others_needed for part in parts), default=0),
                of_all if all(part.of_all for part in parts) else None, together,
                limits([part.limits for part in parts]),
            )  # fmt: skip

        steps = _steps_of(node)
        if steps is not None:
            return self._named(steps, within)
        match node:
            case ast.Constant(value=int() | float() as value):
                return Evaluated(
                    lambda *_: np.array([value], dtype=np.float64),
                    varies=False,
                    of_all=lambda _: np.array([value], dtype=np.float64),
                    limits=(value, value),
                )
            case ast.Tuple(elts=parts):
                return combined(lambda *values: np.concatenate(values), united, *parts)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return combined(operator.neg, lambda parts: (-parts[0][1], -parts[0][0]), operand)
            case ast.BinOp(left=left, op=ast.operator() as arithmetic, right=right) if type(arithmetic) in _BINARY:
                return combined(_BINARY[type(arithmetic)], lambda parts: of_operation(arithmetic, *parts), left, right)
            case ast.Compare(left=left, ops=[sign], comparators=[right]) if type(sign) in _COMPARED:
                return combined(_COMPARED[type(sign)], lambda _: SHARE, left, right)
            case ast.BoolOp(op=sign, values=parts):
                both = np.logical_and if isinstance(sign, ast.And) else np.logical_or
                return combined(lambda *values: both.reduce(values), lambda _: SHARE, *parts)
            case ast.Subscript(value=value, slice=condition):
                subject, chosen = (self._evaluated(each, text, within) for each in (value, condition))
                if subject.together or chosen.together:
                    raise StudyError(f"{text}: a number of all seeds together has no part")
                return Evaluated(
                    lambda sweep, others: subject.of(_those(sweep, chosen, others), others),
                    subject.varies,
                    max(subject.others_needed, chosen.others_needed),
                    limits=subject.limits,
                )
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                if name in OF_RUN:
                    return _of_each_run(_given(name, OF_RUN[name], arguments, text), of_call(name, []))
                function = self._function(name)
                if function is not None and _first_type(function) == TOGETHER:
                    return _of_all_seeds(
                        _given(name, _with_constants(function), arguments, text), of_function(function)
                    )
                _refuse_arity(name, arguments, text)
                limits = partial(of_call, name)
                if name in OPERATIONS:
                    one = combined(lambda *values: [_nan(OPERATIONS[name](*values))], limits, *arguments)
                    return one._replace(varies=False)
                return combined({**OF_EACH, **STEPS}[name], limits, *arguments)
        raise StudyError(f"{text}: {ast.unparse(node)} is nothing that a formula can have")

    def _named(self, steps: tuple[str | int, ...], within: tuple[str, ...]) -> Evaluated:
        name, *rest = steps
        if name == "beside":
            index = int(rest.pop(0)) if rest and isinstance(rest[0], int) else 0
            if not rest:
                raise StudyError("beside needs a name: beside.loss, beside.1.loss")
            part = self._named(tuple(rest), within)
            if part.others_needed or part.together:
                raise StudyError(f"beside.{'.'.join(map(str, rest))}: nothing stands beside what stands beside")

            def of_other(sweep: SeedSweep, others: Sequence[SeedSweep]) -> Values:
                other = others[index]
                return part.of(other.counterparts(sweep) if part.varies else other, ())

            return Evaluated(of_other, part.varies, index + 1, limits=part.limits)
        if name in within:
            raise StudyError(f"metrics.{name}: is defined by itself, through {', '.join(within)}")
        if not rest and name in self.texts:
            text = self.texts[str(name)]
            return self._evaluated(_parsed(text), text, (*within, str(name)))
        function = None if rest else self._function(name)
        if function is not None and _first_type(function) == TOGETHER:
            return _of_all_seeds(_given(str(name), _with_constants(function), (), str(name)), of_function(function))
        if function is not None and _first_type(function) == "SeedSweep":
            return Evaluated(
                lambda sweep, _: np.array([_nan(function(sweep))]), varies=False, limits=of_function(function)
            )
        try:
            limits = of_function(function) if function else of_field(str(steps[-1]))
            return _of_each_run(function or _field(steps), limits)
        except StudyError as error:
            functions = [each for each in dir(self.functions) if self._function(each)]
            raise StudyError(f"{error}; {suggestion(str(name), [*self.texts, *functions])}".rstrip("; ")) from None

    def _function(self, name: str | int) -> Callable[..., float | None] | None:
        """The public function of that name that takes a run, a sweep or all seeds."""
        function = getattr(self.functions, str(name), None)
        if str(name).startswith("_") or not inspect.isfunction(function):
            return None
        return function if _first_type(function) in {"RunData", "SeedSweep", TOGETHER} else None


def _parsed(text: str) -> ast.expr:
    try:
        return ast.parse(re.sub(r"(?<=[a-z_\]])\.(\d+)\b", r"[\1]", text), mode="eval").body
    except SyntaxError as error:
        raise StudyError(f'"{text}" is no formula: {error.msg}') from None


def _those(sweep: SeedSweep, condition: Evaluated, others: Sequence[SeedSweep]) -> SeedSweep:
    """The runs of a sweep in which a condition holds."""
    chosen = condition.of(sweep, others)
    return SeedSweep(sweep.seed, tuple(run for run, holds in zip(sweep.runs, chosen, strict=True) if holds))


def _refuse_arity(name: str, arguments: Sequence[ast.expr], text: str) -> None:
    known = {**OPERATIONS, **STEPS, **OF_EACH}
    if name not in known:
        raise StudyError(f'{text}: there is no operation "{name}"; {suggestion(name, [*known, *OF_RUN])}')
    try:
        inspect.signature(known[name]).bind(*arguments)
    except TypeError as error:
        raise StudyError(f"{text}: {name}: {error}") from None


def _given(name: str, function: Callable[..., Given], arguments: Sequence[ast.expr], text: str) -> Given:
    """What a function makes of constants."""
    constants = [each.value for each in arguments if isinstance(each, ast.Constant)]
    try:
        if len(constants) == len(arguments):
            return validate_call(config=ConfigDict(strict=True))(function)(*constants)
    except ValidationError:
        pass  # too few or too many of them, or of another type
    raise StudyError(f"{text}: {name} cannot be given ({', '.join(map(ast.unparse, arguments))})")


def _steps_of(node: ast.AST) -> tuple[str | int, ...] | None:
    """The way that a name goes: `flows[0].fct_s` has three steps; None of what is no name."""
    match node:
        case ast.Name(id=name):
            return (name,)
        case ast.Attribute(value=value, attr=name):
            begin = _steps_of(value)
            return None if begin is None else (*begin, name)
        case ast.Subscript(value=value, slice=ast.Constant(value=int(index))):
            begin = _steps_of(value)
            return None if begin is None else (*begin, index)
    return None


def _field(steps: Sequence[str | int]) -> Callable[[RunData], float | None]:
    """A field of a run's result, or its `bdp_bytes`."""
    return metric(".".join(map(str, steps))) if steps != (BDP,) else lambda run: run.bdp_bytes


def _first_type(function: Callable[..., Any]) -> str:
    """The name of the class that its first parameter is annotated with."""
    first = next(iter(inspect.signature(function).parameters.values()), None)
    return "" if first is None else getattr(first.annotation, "__name__", str(first.annotation))


def _nan(value: float | None) -> float:
    return np.nan if value is None else value


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
        if is_dataclass(place) or hasattr(place, "model_fields"):
            names = {each.name for each in fields(place)} if is_dataclass(place) else set(place.model_fields)
            if step not in names:
                return False
            place = get_type_hints(place)[step]
        elif get_args(place)[:1] == (str,):
            place = get_args(place)[1]
        elif get_args(place)[1:] == (Ellipsis,) and step.isdecimal():
            place = get_args(place)[0]
        else:
            return False
    return float in (place, *get_args(place)) or int in (place, *get_args(place))
