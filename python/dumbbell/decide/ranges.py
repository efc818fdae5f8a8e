"""Ranges of rates and of RTTs: `10mbit..1gbit` asks about many paths at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isclose
from typing import Final, TypeAlias

from dumbbell.cc import Registry
from dumbbell.decide.question import LEAST_RTT_NS, UNKNOWN_BUFFERS_BDP, Question
from dumbbell.decide.question import question as read_question
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
_KINDS: Final[Mapping[str, type[Rate | Time]]] = {"rate": Rate, "rtt": Time}
_EXAMPLES: Final = {"rate": "10mbit..1gbit", "rtt": "5ms..200ms"}
_PLACES: Final = {"rate": "100 Mbit/s", "rtt": "40 ms"}
"""What stands for a range that cannot be read while the rest is."""
_ONE_PATH: Final = {"loaded-rtt": "it was measured on one path; leave it out, or tell the queue by --buffer"}
"""Options that are about one path, with the reason."""


@dataclass(frozen=True, slots=True)
class Range:
    """From one quantity to a larger one."""

    name: str
    """Of the option."""
    low: Rate | Time
    high: Rate | Time

    def steps(self, count: int) -> list[str]:
        """So many of them, in equal ratios, as options have them.

        >>> Range("rate", Rate("10mbit"), Rate("1gbit")).steps(5)
        ['10mbit', '31600000 bit/s', '100000000 bit/s', '316000000 bit/s', '1gbit']
        """
        ratio = (self.high.value / self.low.value) ** (1 / (count - 1))
        unit = "bit/s" if isinstance(self.low, Rate) else "ns"
        exact = [float(self.low.value * ratio**step) for step in range(1, count - 1)]
        between = [round(float(f"{value:.{DIGITS}g}")) for value in exact]
        if sorted({self.low.value, *between, self.high.value}) != [self.low.value, *between, self.high.value]:
            between = [round(value) for value in exact]  # so near that rounded ones would fall together
        return [str(self.low), *(f"{value} {unit}" for value in between), str(self.high)]


def is_range(options: Options) -> bool:
    """Whether these options ask about many paths."""
    return any(DOTS in (options.get(name) or "") for name in _KINDS)


def questions(options: Options, registry: Registry) -> list[Question]:
    """A question for each path of the ranges, the slowest and nearest first.

    Raises:
        SpecError: with everything that is wrong with the options.
    """
    problems = [
        Problem(f"--{name}", "needs one path, and a range has many", why)
        for name, why in _ONE_PATH.items()
        if options.get(name) is not None
    ]
    ranges: dict[str, Range] = {}
    for name in _KINDS:
        text = options.get(name) or ""
        if DOTS in text:
            read = _read(name, text)
            if isinstance(read, Range):
                ranges[name] = read
            else:
                problems += read
    plain = {name: text for name, text in options.items() if name not in _ONE_PATH}
    plain |= {name: _PLACES[name] for name in _KINDS if DOTS in (options.get(name) or "")}
    count = STEPS if len(ranges) == 1 else STEPS_OF_TWO
    steps = {name: ranges[name].steps(count) if name in ranges else [plain.get(name)] for name in _KINDS}
    range_questions: list[Question] = []
    try:
        for rate in steps["rate"]:
            range_questions += [read_question(plain | {"rate": rate, "rtt": rtt}, registry) for rtt in steps["rtt"]]
    except SpecError as error:
        problems += error.problems
    wanted = BUFFERS_OF_TWO_BDP if len(ranges) > 1 else UNKNOWN_BUFFERS_BDP
    possible = [own for each in range_questions if (own := _possible(each, wanted))]
    if not problems and not possible:
        message = f"no queue of {trimmed(UNKNOWN_BUFFERS_BDP[-1], ' BDP')} holds a few packets on any of these paths"
        problems.append(Problem("--rate and --rtt", message, "ask about faster lines or longer ones"))
    if problems:
        raise SpecError(problems)
    return possible


def _read(name: str, text: str) -> Range | list[Problem]:
    """The range, or all that is wrong with it."""
    path, example = f"--{name}", f"write it as {_EXAMPLES[name]}"
    ends = [end.strip() for end in text.split(DOTS)]
    if len(ends) != 2 or not all(ends):  # noqa: PLR2004 (from and to)
        return [Problem(path, f"{quoted(text)} has not two ends", example)]
    problems, read = [], []
    for end in ends:
        try:
            read.append(_KINDS[name](end))
        except QuantityError as error:
            problems.append(Problem(path, f"{quoted(text)}: {error.message}", error.hint))
    if problems:
        return problems
    low, high = read
    if low.value == high.value:
        return [Problem(path, f"{quoted(text)} ends where it begins", "write one value, or two that differ")]
    if low.value > high.value:
        return [Problem(path, f"{quoted(text)} is upside down", f"write it as {high}{DOTS}{low}")]
    if not low.value or (name == "rtt" and low.value < LEAST_RTT_NS):
        least = "1 Mbit/s" if name == "rate" else "1 ms"
        return [Problem(path, f"{quoted(text)} begins too low", f"begin it at {least} or more")]
    return Range(name, low, high)


def _possible(question: Question, wanted_bdp: Sequence[float]) -> Question | None:
    """With those of the wanted queues that hold a few packets, where nobody knows it; None if none does."""
    if question.known_buffer:
        return question
    some = [
        size for size in question.buffers_bytes
        if any(isclose(question.buffer_bdp(size), each, rel_tol=NEARLY) for each in wanted_bdp)
    ]  # fmt: skip
    return replace(question, buffers_bytes=tuple(some)) if some else None
