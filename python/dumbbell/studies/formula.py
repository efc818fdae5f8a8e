"""Formulas: what a claim measures, as an expression over the runs of a sweep.

A name is a field of a run's result (`bottleneck.loss_per_sent`, `groups.cubic.share`, `flows.0.fct_s`), a formula of
the study's `[metrics]`, or a function of its `claims.py`: each a number of every run at hand. `beside.share` is that
number of the run at the same point in the experiment that stands beside the check's own, `beside.1.share` in the
second one. `loss[queue >= 1.5]` is the loss of those runs alone. Operations make one number of many: `max(loss)`.
A function that takes `Trials` is a number of all seeds together. Each may be given constants: `accuracy("full")`.
Python's parser reads a formula, and each node becomes a function of the sweep; what is not listed here is refused.

>>> Formulas({"loss": "bottleneck.loss_per_sent"}).parse("max(100 * loss) - 3").text
'max(100 * loss) - 3'
"""

from __future__ import annotations

import ast
import inspect
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from types import ModuleType
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
from pydantic import ConfigDict, ValidationError, validate_call

from dumbbell.errors import StudyError
from dumbbell.metrics.number import ANY_NUMBER, SHARE, Limits
from dumbbell.problem import suggestion
from dumbbell.studies.evidence import RunData, SeedSweep, Trials
from dumbbell.studies.limits import of_call, of_field, of_function, of_operation, united
from dumbbell.studies.operation import OF_EACH, OF_RESULT, OF_RUN, OPERATIONS, STEPS, OfRun, Values, metric

Given = TypeVar("Given")

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
SCOPES: Final = ("constant", "seed", "run", "all")
"""What a part of a formula is a number of: nothing, the sweep of a seed, each of its runs, all seeds together. What is
made of several is of the last of theirs."""


class Evaluated(NamedTuple):
    """A part of a formula."""

    of: Callable[[Any], Values]
    """Its values in a seed's sweep and those beside it, or in the `Trials` of all seeds."""
    scope: str
    """One of `SCOPES`."""
    others_needed: int = 0
    """How many sweeps must stand beside."""
    limits: Limits = ANY_NUMBER
    """What it can be."""
    of_result: bool = False
    """Some of it is of the run's result, which no capture has."""


def _of_each_run(of_run: OfRun, limits: Limits, *, of_result: bool = False) -> Evaluated:
    return Evaluated(lambda sweeps: _array(map(of_run, sweeps[0].runs)), "run", limits=limits, of_result=of_result)


def _of_function(name: str, function: Callable[..., Any], arguments: Sequence[ast.expr], text: str) -> Evaluated:
    """A study's function of a run, a sweep or all seeds, given constants behind that."""
    _, *rest = inspect.signature(function, eval_str=True).parameters.values()

    def given(*constants: Any, **usual: Any) -> Callable[[Any], float | None]:  # noqa: ANN401 (of the types that the function asks for)
        return lambda subject: function(subject, *constants, **usual)

    given.__signature__ = inspect.Signature(rest)  # type: ignore[attr-defined]
    given.__annotations__ = {each.name: each.annotation for each in rest}
    of, limits = _given(name, given, arguments, text) if rest or arguments else function, of_function(function)
    match _first_type(function):
        case "RunData":
            return _of_each_run(of, limits)
        case "SeedSweep":
            return Evaluated(lambda sweeps: _array([of(sweeps[0])]), "seed", limits=limits)
    return Evaluated(lambda trials: _array([of(trials)]), "all", limits=limits)


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
        return self.evaluated.scope == "all"

    def value_together(self, trials: Trials) -> float | None:
        """Its value in all seeds together; None where the runs do not give it.

        Raises:
            StudyError: it is a number of each seed.
        """
        if self.evaluated.scope not in {"all", "constant"}:
            raise StudyError(f"{self.text}: a number of each seed, where one of all seeds is needed")
        (value,) = self.evaluated.of(trials)
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
            StudyError: it is a number of each run, and there are several; or one of all seeds together.
        """
        if self.together:
            raise StudyError(f"a number of all seeds together is not one of seed {sweep.seed}")
        values = self.evaluated.of((sweep, *others))
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
            scopes = {part.scope for part in parts}
            if "all" in scopes and scopes & {"seed", "run"}:
                raise StudyError(f"{text}: numbers of each seed and of all seeds together do not go together")

            def of(runs: Any) -> Values:  # noqa: ANN401 (as its parts')
                values = [part.of(runs) for part in parts]
                try:
                    return np.asarray(function(*values), dtype=np.float64)
                except ValueError:
                    sizes = ", ".join(str(each.size) for each in values)
                    raise StudyError(f"{text}: its parts do not go together, being of {sizes} runs") from None

            return Evaluated(
                of,
                max(scopes, key=SCOPES.index, default="constant"),
                max((part.others_needed for part in parts), default=0),
                limits([part.limits for part in parts]),
                any(part.of_result for part in parts),
            )

        steps = _steps_of(node)
        if steps is not None:
            return self._named(steps, within)
        match node:
            case ast.Constant(value=int() | float() as value):
                constant = np.array([value], dtype=np.float64)
                return Evaluated(lambda _: constant, "constant", limits=(value, value))
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
                if "all" in {subject.scope, chosen.scope}:
                    raise StudyError(f"{text}: a number of all seeds together has no part")
                others_needed = max(subject.others_needed, chosen.others_needed)
                return subject._replace(
                    of=lambda sweeps: subject.of(_those(sweeps, chosen)), others_needed=others_needed
                )
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                if name in OF_RUN:
                    of_run = _given(name, OF_RUN[name], arguments, text)
                    return _of_each_run(of_run, of_call(name, []), of_result=name in OF_RESULT)
                function = self._function(name)
                if function is not None:
                    return _of_function(name, function, arguments, text)
                _refuse_arity(name, arguments, text)
                limits = partial(of_call, name)
                if name in OPERATIONS:
                    one = combined(lambda *values: _array([OPERATIONS[name](*values)]), limits, *arguments)
                    return one._replace(scope="seed") if one.scope == "run" else one
                return combined({**OF_EACH, **STEPS}[name], limits, *arguments)
        raise StudyError(f"{text}: {ast.unparse(node)} is nothing that a formula can have")

    def _named(self, steps: tuple[str | int, ...], within: tuple[str, ...]) -> Evaluated:
        name, *rest = steps
        if name == "beside":
            index = int(rest.pop(0)) if rest and isinstance(rest[0], int) else 0
            if not rest:
                raise StudyError("beside needs a name: beside.loss, beside.1.loss")
            part = self._named(tuple(rest), within)
            if part.others_needed or part.scope == "all":
                raise StudyError(f"beside.{'.'.join(map(str, rest))}: nothing stands beside what stands beside")

            def of_other(sweeps: Sequence[SeedSweep]) -> Values:
                other = sweeps[index + 1]
                return part.of((other.counterparts(sweeps[0]) if part.scope == "run" else other,))

            return part._replace(of=of_other, others_needed=index + 1)
        if name == "captured":
            return self._captured(tuple(rest), within)
        if name in within:
            raise StudyError(f"metrics.{name}: is defined by itself, through {', '.join(within)}")
        if not rest and name in self.texts:
            text = self.texts[str(name)]
            return self._evaluated(_parsed(text), text, (*within, str(name)))
        function = None if rest else self._function(name)
        if function is not None:
            return _of_function(str(name), function, (), str(name))
        try:
            of_run = attrgetter(BDP) if steps == (BDP,) else metric(".".join(map(str, steps)))
            return _of_each_run(of_run, of_field(str(steps[-1])), of_result=steps != (BDP,))
        except StudyError as error:
            functions = [each for each in dir(self.functions) if self._function(each)]
            raise StudyError(f"{error}; {suggestion(str(name), [*self.texts, *functions])}".rstrip("; ")) from None

    def _captured(self, steps: tuple[str | int, ...], within: tuple[str, ...]) -> Evaluated:
        """What the runs' captures say."""
        if steps:
            part = self._named(steps, within)
            if not (part.of_result or part.others_needed or part.scope == "all"):
                return part._replace(of=lambda sweeps: part.of([sweep.by_capture for sweep in sweeps]))
        raise StudyError(f"captured.{'.'.join(map(str, steps))}: a capture has series, as captured.variation is of")

    def _function(self, name: str | int) -> Callable[..., float | None] | None:
        """The public function of that name that takes a run, a sweep or all seeds."""
        function = getattr(self.functions, str(name), None)
        if str(name).startswith("_") or not inspect.isfunction(function):
            return None
        return function if _first_type(function) in {"RunData", "SeedSweep", "Trials"} else None


def _parsed(text: str) -> ast.expr:
    try:
        return ast.parse(re.sub(r"(?<=[a-z_\]])\.(\d+)\b", r"[\1]", text), mode="eval").body
    except SyntaxError as error:
        raise StudyError(f'"{text}" is no formula: {error.msg}') from None


def _those(sweeps: Sequence[SeedSweep], condition: Evaluated) -> Sequence[SeedSweep]:
    """The runs of the first sweep in which a condition holds, and the sweeps beside it."""
    sweep, *others = sweeps
    runs = tuple(run for run, holds in zip(sweep.runs, condition.of(sweeps), strict=True) if holds)
    return SeedSweep(sweep.seed, runs), *others


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
    try:
        return validate_call(config=ConfigDict(strict=True))(function)(*map(ast.literal_eval, arguments))
    except (ValidationError, ValueError):
        pass  # too few or too many of them, of another type, or none
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


def _first_type(function: Callable[..., Any]) -> str:
    """The name of the class that its first parameter is annotated with."""
    first = next(iter(inspect.signature(function).parameters.values()), None)
    return "" if first is None else getattr(first.annotation, "__name__", str(first.annotation))


def _array(values: Iterable[float | None]) -> Values:
    """NaN where there is none."""
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
