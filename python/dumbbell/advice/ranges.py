"""Ranges of rates and of RTTs: `10mbit..1gbit` asks about many paths at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import isclose
from typing import Final, NamedTuple, TypeAlias

from dumbbell.advice.question import LEAST_RTT_NS, UNKNOWN_BUFFERS_BDP, Question
from dumbbell.advice.question import question as read_question
from dumbbell.cc import Registry
from dumbbell.metrics.number import trimmed
from dumbbell.problem import Problem, SpecError, quoted
from dumbbell.spec.quantity import QuantityError, Rate, Time

Options: TypeAlias = Mapping[str, str | None]

DOTS: Final = ".."
STEPS: Final = 5
"""Paths along one range."""
STEPS_OF_TWO: Final = 4
"""Paths along each of two."""
BUFFERS_OF_TWO_BDP: Final = (0.1, 0.35, 1.0, 5.0)
"""Of unknown queues those that maps over two ranges have, one each."""
DIGITS: Final = 3
"""Of a step's rate or RTT, but for the ends, which are as they are written."""
NEARLY: Final = 0.02
"""A shortest queue of four packets, which is as near to what was wanted, is that."""


class _Kind(NamedTuple):
    of: type[Rate | Time]
    unit: str
    """The base unit."""
    example: str
    stand_in: str
    """For a range that cannot be read while the rest is."""
    least: int
    least_text: str


_KINDS: Final = {
    "rate": _Kind(Rate, "bit/s", "10mbit..1gbit", "100 Mbit/s", 1, "1 Mbit/s"),
    "rtt": _Kind(Time, "ns", "5ms..200ms", "40 ms", LEAST_RTT_NS, "1 ms"),
}
_ONE_PATH: Final = "loaded-rtt"
"""An option that is about one path."""


def is_range(options: Options) -> bool:
    """Whether these options ask about many paths."""
    return any(DOTS in (options.get(name) or "") for name in _KINDS)


def questions(options: Options, registry: Registry) -> list[Question]:
    """A question for each path of the ranges, the slowest and nearest first.

    Raises:
        SpecError: with everything that is wrong with the options.
    """
    problems: list[Problem] = []
    if options.get(_ONE_PATH) is not None:
        hint = "it was measured on one path; leave it out, or tell the queue by --buffer"
        problems.append(Problem(f"--{_ONE_PATH}", "needs one path, and a range has many", hint))
    ranges = {name: text for name in _KINDS if DOTS in (text := options.get(name) or "")}
    plain = {**options, _ONE_PATH: None, **{name: _KINDS[name].stand_in for name in ranges}}
    steps = {name: [plain.get(name)] for name in _KINDS}
    for name, text in ranges.items():
        try:
            steps[name] = [*range_steps(name, text, STEPS if len(ranges) == 1 else STEPS_OF_TWO)]
        except SpecError as error:
            problems += error.problems
    possible: list[Question] = []
    wanted_bdp = BUFFERS_OF_TWO_BDP if len(ranges) > 1 else UNKNOWN_BUFFERS_BDP
    try:
        for rate, rtt in product(*steps.values()):
            possible += _possible(read_question(plain | {"rate": rate, "rtt": rtt}, registry), wanted_bdp)
    except SpecError as error:
        problems += error.problems
    if not problems and not possible:
        message = f"no queue of {trimmed(UNKNOWN_BUFFERS_BDP[-1], ' BDP')} holds a few packets on any of these paths"
        problems.append(Problem("--rate and --rtt", message, "ask about faster lines or longer ones"))
    if problems:
        raise SpecError(problems)
    return possible


def range_steps(name: str, text: str, count: int) -> list[str]:
    """So many quantities from one end of an option's range to the other, in equal ratios, as options have them.

    >>> range_steps("rate", "10mbit..1gbit", 5)
    ['10mbit', '31600000 bit/s', '100000000 bit/s', '316000000 bit/s', '1gbit']

    Raises:
        SpecError: with all that is wrong with the range.
    """
    kind, path = _KINDS[name], f"--{name}"
    ends = [end.strip() for end in text.split(DOTS)]
    if len(ends) != 2 or not all(ends):  # noqa: PLR2004 (from and to)
        raise _wrong(path, text, "has not two ends", f"write it as {kind.example}")
    problems, read = [], []
    for end in ends:
        try:
            read.append(kind.of(end))
        except QuantityError as error:
            problems.append(Problem(path, f"{quoted(text)}: {error.message}", error.hint))
    if problems:
        raise SpecError(problems)
    low, high = read
    if low.value == high.value:
        raise _wrong(path, text, "ends where it begins", "write one value, or two that differ")
    if low.value > high.value:
        raise _wrong(path, text, "is upside down", f"write it as {high}{DOTS}{low}")
    if low.value < kind.least:
        raise _wrong(path, text, "begins too low", f"begin it at {kind.least_text} or more")
    ratio = (high.value / low.value) ** (1 / (count - 1))
    exact = [float(low.value * ratio**step) for step in range(1, count - 1)]
    between = [round(float(f"{value:.{DIGITS}g}")) for value in exact]
    if sorted({low.value, *between, high.value}) != [low.value, *between, high.value]:
        between = [round(value) for value in exact]  # so near that rounded ones would fall together
    return [str(low), *(f"{value} {kind.unit}" for value in between), str(high)]


def _wrong(path: str, text: str, message: str, hint: str) -> SpecError:
    return SpecError([Problem(path, f"{quoted(text)} {message}", hint)])


def _possible(question: Question, wanted_bdp: Sequence[float]) -> list[Question]:
    """With those of the wanted queues that hold a few packets, where nobody knows it; none if none does."""
    if question.known_buffer:
        return [question]
    some = tuple(
        size for size in question.buffers_bytes
        if any(isclose(question.buffer_bdp(size), each, rel_tol=NEARLY) for each in wanted_bdp)
    )  # fmt: skip
    return [replace(question, buffers_bytes=some)] if some else []
