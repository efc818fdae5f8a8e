"""The columns of a CSV of measured points: what a heading names, and what a cell below it says."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from dumbbell.metrics.catalogue import OF_GROUP, OF_RUN, QUANTITIES
from dumbbell.problem import Problem, quoted, suggestion
from dumbbell.spec.keys import keys
from dumbbell.spec.source import is_path

NOTE: Final = "note."
DEVIATION: Final = ".sd"
TRIALS: Final = "trials"
"""Heading of how many trials a row is the mean of."""
LONGEST_COUNT: Final = 9
"""Digits of a number of trials."""
OF_RATE: Final = "of rate"
"""As a unit of a goodput: the share that it is of the bottleneck's rate."""
TABLES: Final = ("path", "flows", "host", "measure")
"""Of a spec: no heading names a whole one."""
SHARES: Final = ("path.loss",)
"""Fields of a spec that are shares, whose only unit is `%`."""
UNITS: Final = {
    "Mbit/s": {"bit/s": 1.0, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9},
    "s": {"s": 1.0, "ms": 1e-3, "us": 1e-6},
    "ms": {"s": 1.0, "ms": 1e-3, "us": 1e-6},
    "%": {"%": 0.01, "": 1.0},
}  # fmt: skip
"""By the unit in which a quantity is shown, those in which it may be written, each in base units."""
_HEADING: Final = re.compile(r"([^()]*?)\s*(?:\(([^()]*)\))?")


@dataclass(frozen=True, slots=True, order=True)
class Measurand:
    """A quantity of a group, or of the path."""

    quantity: str
    """Its name in the catalogue."""
    group: str = ""
    """Empty of what belongs to the path."""
    of_rate: bool = False
    """It is written as a share of the bottleneck's rate: so are differences."""

    @property
    def label(self) -> str:
        """What it is called.

        >>> Measurand("goodput", "bbr").label, Measurand("utilization").label
        ('goodput of bbr', 'utilization')
        """
        label = QUANTITIES[self.quantity].label
        return f"{label} of {self.group}" if self.group else label


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column: exactly one of field, measurand, note and the number of trials."""

    heading: str
    unit: str = ""
    field: str = ""
    """A field of the spec, by its path."""
    measurand: Measurand | None = None
    deviation: bool = False
    """It is the measurand's standard deviation over trials."""
    note: str = ""
    trials: bool = False

    def value(self, cell: str) -> Any:  # noqa: ANN401 (whatever a spec can say)
        """What a cell gives to the field: text with the heading's unit, else a number or a word."""
        if self.unit:
            return f"{cell} {self.unit}"
        try:
            return tomllib.loads(f"value = {cell}")["value"]
        except (ValueError, RecursionError):
            return cell

    def number(self, cell: str) -> float:
        """What a cell says of the measurand, in base units; of a share of the rate, that share.

        Raises:
            ValueError: it says nothing that can be, with what was wrong and what would be right.
        """
        assert self.measurand is not None  # noqa: S101 (only such a column is asked)
        quantity = QUANTITIES[self.measurand.quantity]
        try:
            number = float(cell)
        except ValueError:
            raise ValueError(f"{quoted(cell)} is no number; write the number alone, the unit stands above") from None
        least = 0.0 if quantity.name != "trend" else float("-inf")
        if not least <= number < float("inf"):
            raise ValueError(f"{quoted(cell)} is out of range; a {quantity.label} is at least 0, and finite")
        value = number if self.measurand.of_rate else number * _units(quantity.unit).get(self.unit, 1.0)
        if (self.measurand.of_rate or quantity.unit == "%") and value > 1:
            amount = f"{quoted(cell)} {self.unit}".rstrip()
            raise ValueError(f"{amount} is more than everything; at most 1, or 100 %")
        return value


def column(heading: str) -> Column | Problem:
    """What a heading names, or why it names nothing.

    >>> column("path.rate (Mbit/s)").field, column("goodput.bbr (of rate)").measurand, column("note.figure").note
    ('path.rate', Measurand(quantity='goodput', group='bbr', of_rate=True), 'figure')
    """
    match = _HEADING.fullmatch(heading.strip())
    if match is None or not match[1]:
        return Problem(heading, "is no heading", 'write it as "path.rate (Mbit/s)"')
    name, unit = match[1], (match[2] or "").strip()
    if name == TRIALS:
        return Column(heading=heading, trials=True)
    if name.startswith(NOTE):
        return Column(heading=heading, unit=unit, note=name.removeprefix(NOTE))
    measurand_name = name.removesuffix(DEVIATION)
    first, _, group = measurand_name.partition(".")
    if first in QUANTITIES:
        return _measured(heading, first, group, unit, deviation=measurand_name != name)
    if first.partition("[")[0] in _fields() and name not in TABLES:
        broken = Problem(name, "is no path of a field", "write it as path.rtt or flows[0].cc")
        return Column(heading=heading, unit=unit, field=name) if is_path(name) else broken
    instead = suggestion(first, [*_fields(), *QUANTITIES])
    if first in TABLES:
        instead = f"name a field of the table {first}, as path.rate or flows[0].cc"
    return Problem(name, "is neither a field of the spec nor a quantity", f"{instead}; a remark is {NOTE}{first}")


def is_named(heading: str) -> bool:
    """Whether a heading begins as one of a field or a quantity does; it may still be wrong.

    >>> is_named("goodput.bbr (Mb/s)"), is_named("measured in our lab"), is_named("4.5")
    (True, False, False)
    """
    match = _HEADING.fullmatch(heading)
    first = match[1].partition(".")[0].partition("[")[0] if match else ""
    return first in QUANTITIES or (first in _fields() and not (match and match[1] in TABLES))


def is_ours(heading: str) -> bool:
    """The same, also of a remark and of the number of trials."""
    return is_named(heading) or heading.startswith(NOTE) or heading == TRIALS


def _measured(heading: str, quantity: str, group: str, unit: str, *, deviation: bool) -> Column | Problem:
    if quantity in OF_GROUP and not group:
        return Problem(heading, f"says not whose {quantity} it is", f"write {quantity}.GROUP, with the group's name")
    if quantity in OF_RUN and group:
        return Problem(heading, f"{quantity} is the path's, not a group's", f"write {quantity}")
    if quantity not in (*OF_GROUP, *OF_RUN):
        return Problem(heading, f"{quantity} needs another run to be compared with", "leave the column out")
    known = _units(QUANTITIES[quantity].unit)
    usual = [*known, *([OF_RATE] if QUANTITIES[quantity].unit == "Mbit/s" else [])]
    if unit not in usual:
        what = f"unknown unit {quoted(unit)}" if unit else "has no unit"
        return Problem(
            heading, what, f"write it behind the name, in brackets: {', '.join(filter(None, usual)) or 'none'}"
        )
    measurand = Measurand(quantity, group, of_rate=unit == OF_RATE)
    return Column(heading=heading, unit=unit, measurand=measurand, deviation=deviation)


def count(cell: str) -> int | None:
    """How many trials a cell tells; None of an empty one.

    Raises:
        ValueError: it is no count, with what would be right.
    """
    if not cell:
        return None
    if not cell.isdecimal() or len(cell) > LONGEST_COUNT or not int(cell):
        raise ValueError(f"{quoted(cell)} is no number of trials; write a whole number from 1 on")
    return int(cell)


def _units(shown: str) -> dict[str, float]:
    return UNITS.get(shown, {"": 1.0, **({shown: 1.0} if shown else {})})


def _fields() -> Sequence[str]:
    return [key.path for key in keys() if not set(key.path) & set(".[")]
