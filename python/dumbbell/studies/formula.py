"""Formulas: what a claim measures, as an expression over the runs of a sweep.

A name is a field of a run's result (`bottleneck.loss_per_sent`, `groups.cubic.share`, `flows.0.fct_s`), a formula of
the study's `[metrics]`, or a function of its `claims.py`: each a number of every run at hand. `beside.share` is that
number of the run at the same point in the experiment that stands beside the check's own, `beside.1.share` in the
second one. `loss[queue >= 1.5]` is the loss of those runs alone. Operations make one number of many: `max(loss)`.

>>> Formulas({"loss": "bottleneck.loss_per_sent"}).parse("max(100 * loss) - 3").text
'max(100 * loss) - 3'
"""

from __future__ import annotations

import ast
import inspect
import operator
import re
from dataclasses import dataclass, fields, is_dataclass
from itertools import pairwise
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Any, Final, TypeAlias, get_args, get_type_hints

import numpy as np

from dumbbell.errors import StudyError
from dumbbell.metrics import curve
from dumbbell.metrics.sharing import jain
from dumbbell.results.schema import Result
from dumbbell.spec.problem import suggestion
from dumbbell.studies.evidence import SeedSweep
from dumbbell.studies.sweep import number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from types import ModuleType

    import numpy.typing as npt

    from dumbbell.studies.evidence import RunData

Values: TypeAlias = "npt.NDArray[np.float64]"
"""One of each run, NaN where a run has none; of size 1 what is one number for all."""

BDP: Final = "bdp_bytes"
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


def _curve(function: Callable[..., Any]) -> Callable[..., Any]:
    """Gives it the points in the order of the first list, without those of which a number is not known."""

    def of_points(x: Values, *rest: Values) -> Any:  # noqa: ANN401 (what the function gives)
        curves = [values for values in rest if values.size == x.size]
        points = sorted(zip(x.tolist(), *(values.tolist() for values in curves), strict=True))
        known = [point for point in points if not any(map(np.isnan, point))]
        lists = [[point[index] for point in known] for index in range(len(curves) + 1)]
        return function(*lists, *(float(values[0]) for values in rest[len(curves) :]))

    return of_points


def _steps(_x: Sequence[float], y: Sequence[float]) -> list[float]:
    return [after - before for before, after in pairwise(y)]


def _relative_steps(_x: Sequence[float], y: Sequence[float]) -> list[float]:
    return [(after - before) / before for before, after in pairwise(y)]


def _of_several(function: Callable[[list[float]], float]) -> Callable[..., Values]:
    """Of the numbers that each run has; NaN where one is not known."""

    def of_each(*values: Values) -> Values:
        rows = zip(*(each.tolist() for each in np.broadcast_arrays(*values)), strict=True)
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
    "crossover": _curve(curve.crossover),
    "interpolated": _curve(curve.interpolated),
    "linear_r2": _curve(curve.linear_r2),
    "rank_correlation": _curve(curve.rank_correlation),
}
"""One number of many runs. `share`: of the runs in which something holds. Those with `x` first are of a curve over it:
argmax(x, y), cliff(loss, goodput, rate), crossover(x, y, other), interpolated(x, y, at), linear_r2(x, y)."""
STEPS: Final[dict[str, Callable[..., Any]]] = {"steps": _curve(_steps), "relative_steps": _curve(_relative_steps)}
"""By how much a curve changes from each point to the next: steps(x, y)."""
OF_EACH: Final[dict[str, Callable[..., Values]]] = {
    "abs": np.abs, "larger": _of_several(max), "smaller": _of_several(min),
    "evenness": _of_several(lambda values: jain(values) or 0.0),
    "known_or": _known_or,
}  # fmt: skip
"""Of each run: `larger`, `smaller` and `evenness` (Jain's index) of several numbers; `known_or`: another number where
there is none."""


@dataclass(frozen=True, slots=True)
class Formula:
    """What is measured of a sweep."""

    text: str
    _tree: ast.expr
    _formulas: Formulas

    @property
    def is_field(self) -> bool:
        """Whether it is a field of the result: where that is null it was not measured, and is no answer."""
        steps = _steps_of(self._tree)
        return steps is not None and not self._formulas.has(steps[0])

    def value(self, sweep: SeedSweep, *others: SeedSweep) -> float | None:
        """Its value; None where the runs do not give it. `others`: the sweeps that stand beside.

        Raises:
            StudyError: it is a number of each run, and there are several.
        """
        found = self._formulas.evaluate(self._tree, sweep, others)
        if found.size != 1:
            raise StudyError(f"{self.text}: a number of each of {found.size} runs, where one is needed")
        return float(found[0]) if np.isfinite(found[0]) else None

    def of_run(self, run: RunData, *others: RunData) -> float | None:
        """The same of single runs."""
        return self.value(*(SeedSweep(run.result.seed, (each,)) for each in (run, *others)))


@dataclass(frozen=True)
class Formulas:
    """The names that a study's formulas may have: other formulas, and functions of a run or of a sweep."""

    texts: Mapping[str, str]
    functions: ModuleType | None = None

    def parse(self, text: str) -> Formula:
        """Reads a formula.

        Raises:
            StudyError: it is none, or has a name that there is not.
        """
        tree = self._parsed(text)
        self._check(tree, text, ())
        return Formula(text, tree, self)

    def has(self, name: str | int) -> bool:
        """Whether a name is one of the study's."""
        return name in self.texts or self._function(name) is not None

    def evaluate(  # noqa: C901, PLR0911 (one case a kind of expression)
        self, node: ast.expr, sweep: SeedSweep, others: Sequence[SeedSweep]
    ) -> Values:
        """The values of an expression in the runs of a sweep."""

        def inner(part: ast.expr) -> Values:
            return self.evaluate(part, sweep, others)

        steps = _steps_of(node)
        if steps is not None:
            return self._named(steps, sweep, others)
        match node:
            case ast.Constant(value=value):
                return np.array([value], dtype=np.float64)
            case ast.Tuple(elts=parts):
                return np.concatenate([inner(part) for part in parts])
            case ast.UnaryOp(operand=operand):
                return -inner(operand)
            case ast.BinOp(left=left, op=sign, right=right):
                return _BINARY[type(sign)](inner(left), inner(right))
            case ast.Compare(left=left, ops=[sign], comparators=[right]):
                return np.asarray(_COMPARED[type(sign)](inner(left), inner(right)), dtype=np.float64)
            case ast.BoolOp(op=sign, values=parts):
                combined = np.logical_and if isinstance(sign, ast.And) else np.logical_or
                return np.asarray(combined.reduce([inner(part) for part in parts]), dtype=np.float64)
            case ast.Subscript(value=value, slice=condition):
                chosen = inner(condition)
                runs = tuple(run for run, holds in zip(sweep.runs, chosen, strict=True) if holds)
                return self.evaluate(value, SeedSweep(sweep.seed, runs), others)
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return self._called(name, arguments, sweep, others)
        raise AssertionError(ast.dump(node))  # the parser lets nothing else pass

    def _called(
        self, name: str, arguments: Sequence[ast.expr], sweep: SeedSweep, others: Sequence[SeedSweep]
    ) -> Values:
        if name == "swept":
            path, unit = [*map(_text, arguments), ""][:2]
            return np.array([number(_swept(run, path), unit) for run in sweep.runs])
        values = [self.evaluate(each, sweep, others) for each in arguments]
        if name in OF_EACH:
            return OF_EACH[name](*values)
        if name in STEPS:
            return np.array(STEPS[name](*values), dtype=np.float64)
        return np.array([_nan(OPERATIONS[name](*values))])

    def _named(self, steps: Sequence[str | int], sweep: SeedSweep, others: Sequence[SeedSweep]) -> Values:
        if steps[0] == "beside":
            index, rest = (int(steps[1]), steps[2:]) if isinstance(steps[1], int) else (0, steps[1:])
            other = others[index]
            if not self._is_of_sweep(rest):
                other = SeedSweep(other.seed, tuple(other.beside(run) for run in sweep.runs))
            return self._named(rest, other, ())
        name = steps[0]
        if name in self.texts:
            return self.evaluate(self._parsed(self.texts[str(name)]), sweep, others)
        function = self._function(name)
        if function is not None and _takes_sweep(function):
            return np.array([_nan(function(sweep))])
        of_run = function or _field(steps)
        return np.array([_nan(of_run(run)) for run in sweep.runs], dtype=np.float64)

    def _is_of_sweep(self, steps: Sequence[str | int]) -> bool:
        """Whether a name is one number of a whole sweep, and not one of each run."""
        if steps[0] in self.texts:
            return not self._varies(self._parsed(self.texts[str(steps[0])]))
        function = self._function(steps[0])
        return function is not None and _takes_sweep(function)

    def _varies(self, node: ast.AST) -> bool:
        """Whether an expression is a number of each run."""
        steps = _steps_of(node)
        if steps is not None:
            return not self._is_of_sweep(steps[1:] if steps[0] == "beside" else steps)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in OPERATIONS:
            return False
        return any(map(self._varies, ast.iter_child_nodes(node)))

    def _function(self, name: str | int) -> Callable[..., float | None] | None:
        function: Callable[..., float | None] | None = getattr(self.functions, str(name), None)
        module = getattr(function, "__module__", "")
        ours = module.endswith(".claims") or module == getattr(self.functions, "__name__", None)
        return function if ours and callable(function) and not str(name).startswith("_") else None

    def _parsed(self, text: str) -> ast.expr:
        try:
            return ast.parse(re.sub(r"(?<=[a-z_\]])\.(\d+)\b", r"[\1]", text), mode="eval").body
        except SyntaxError as error:
            raise StudyError(f'"{text}" is no formula: {error.msg}') from None

    def _check(self, node: ast.AST, text: str, within: tuple[str, ...]) -> None:  # noqa: C901 (as above)
        """Refuses what `evaluate` cannot do."""
        steps = _steps_of(node)
        if steps is not None:
            self._check_name(steps, within)
            return
        match node:
            case ast.Constant(value=int() | float()) | ast.Tuple() | ast.BoolOp():
                pass
            case ast.UnaryOp(op=ast.USub()) | ast.Subscript():
                pass
            case ast.BinOp(op=sign) if type(sign) in _BINARY:
                pass
            case ast.Compare(ops=[sign]) if type(sign) in _COMPARED:
                pass
            case ast.Call(func=ast.Name(id="swept"), args=arguments) if all(map(_text, arguments)):
                return
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                known = [*OPERATIONS, *STEPS, *OF_EACH, "swept"]
                if name not in known:
                    raise StudyError(f'{text}: there is no operation "{name}"; {suggestion(name, known)}')
                for each in arguments:
                    self._check(each, text, within)
                return
            case _:
                raise StudyError(f"{text}: {ast.unparse(node)} is nothing that a formula can have")
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self._check(child, text, within)

    def _check_name(self, steps: Sequence[str | int], within: tuple[str, ...]) -> None:
        if steps[0] == "beside":
            steps = steps[2:] if isinstance(steps[1], int) else steps[1:]
        name = str(steps[0])
        if name in within:
            raise StudyError(f"metrics.{name}: is defined by itself, through {', '.join(within)}")
        single = len(steps) == 1
        if single and name in self.texts:
            self._check(self._parsed(self.texts[name]), self.texts[name], (*within, name))
        elif not single or self._function(name) is None:
            try:
                _field(steps)
            except StudyError as error:
                functions = [each for each in dir(self.functions) if self._function(each)]
                raise StudyError(f"{error}; {suggestion(name, [*self.texts, *functions])}".rstrip("; ")) from None


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


def _text(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _takes_sweep(function: Callable[..., float | None]) -> bool:
    """Whether a function of a study is of a whole sweep, by its annotation; else it is of a run."""
    first = next(iter(inspect.signature(function).parameters.values()))
    return first.annotation in {"SeedSweep", SeedSweep}


def _swept(run: RunData, path: str) -> object:
    if path not in run.point:
        raise StudyError(f"{path} is not swept; swept: {', '.join(run.point) or 'nothing'}")
    return run.point[path]


def _nan(value: float | None) -> float:
    return np.nan if value is None else value


def metric(name: str) -> Callable[[RunData], float | None]:
    """Takes the number out of a run's result; None where it is null.

    Raises:
        StudyError: no result has it. When called: this one has no such group or flow.
    """
    steps = name.split(".")
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


def _leads_somewhere(steps: Iterable[str]) -> bool:
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
