"""Quantities: text with a unit in, integers in base units out. `crates/spec` reads them, for all who do.

A quantity is the text as it was written and knows its value:

>>> Rate("80 Mbit/s").bps, Time("25ms").ns, Share("0.01 %").ppb
(80000000, 25000000, 100000)
>>> Rate("80 Mbit/s")
Rate('80 Mbit/s')

Units that tools disagree about are refused. Arithmetic is exact; what is finer than the base unit rounds half to even.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import ClassVar, Final, Self

import dumbbell._core as _core
from dumbbell.units import PPB

_UNITS: Final[Mapping[str, Mapping[str, int]]] = {name: dict(units) for name, _, units, _ in _core.quantity_kinds()}


class QuantityError(ValueError):
    """A text that is no quantity of the kind wanted."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(f"{message}; {hint}")
        self.message = message
        self.hint = hint


class Quantity(str):
    """A text with a number and a unit, kept as written."""

    __slots__ = ("number", "unit", "value")

    units: ClassVar[Mapping[str, int]]
    """Base units in each unit."""

    number: Fraction
    """The number as written."""
    unit: str
    """The unit, spelt as in `units`."""
    value: int
    """In base units."""

    def __init_subclass__(cls) -> None:
        cls.units = _UNITS[cls.__name__]

    def __new__(cls, text: object) -> Self:
        """Raise `QuantityError` unless the text is such a quantity."""
        parsed = _core.quantity(cls.__name__, text)
        if isinstance(parsed, list):
            _, message, hint = parsed[0]
            raise QuantityError(message, hint)
        quantity = super().__new__(cls, text)
        quantity.unit, ratio, quantity.value = parsed
        quantity.number = Fraction(*ratio)
        return quantity

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def __getnewargs__(self) -> tuple[str]:
        return (str(self),)

    @classmethod
    def show(cls, value: float, digits: int | None = None) -> str:
        """Write a value in base units as text that reads back as the same value, or as that with so many digits.

        >>> Time.show(25_000_000), Bytes.show(1514), Share.show(100_000), Time.show(0), Bytes.show(1514, digits=2)
        ('25 ms', '1.514 kB', '0.01 %', '0 s', '1.5 kB')
        """
        return _core.show_quantity(cls.__name__, int(value if digits is None else float(f"{value:.{digits}g}")))


class Rate(Quantity):
    """Bits a second: `80 Mbit/s`, `100mbit`."""

    __slots__ = ()

    @property
    def bps(self) -> int:
        """Bits a second."""
        return self.value


class Time(Quantity):
    """A span or a moment: `25 ms`."""

    __slots__ = ()

    @property
    def ns(self) -> int:
        """Nanoseconds."""
        return self.value


class Share(Quantity):
    """A part of a whole: `0.01 %`."""

    __slots__ = ()

    @property
    def ppb(self) -> int:
        """Parts per billion."""
        return self.value


class Bytes(Quantity):
    """An amount of data: `100 MB`."""

    __slots__ = ()

    @property
    def bytes(self) -> int:
        """Bytes."""
        return self.value


class Size(Bytes):
    """Room of a queue: `125 kB`, `100 packets`, `0.5 bdp`, `20 ms`.

    The value is in bytes or packets, of a bdp in billionths, of a time in nanoseconds.
    """

    __slots__ = ()

    def fills_ns(self, rtt_ns: int) -> Fraction | None:
        """How long its line takes to fill it, on a path of this base RTT; None of one in bytes or packets."""
        if self.unit == "bdp":
            return Fraction(self.value, PPB) * rtt_ns
        return Fraction(self.value) if self.unit in Time.units else None


def number_and_unit(text: str) -> tuple[float, str] | None:
    """The number at the beginning of any text, and the unit behind it as written; None of a text that is no quantity.

    >>> number_and_unit("1e1 Mbit/s"), number_and_unit("5"), number_and_unit("1.2.3"), number_and_unit("bbr")
    ((10.0, 'Mbit/s'), (5.0, ''), None, None)
    """
    return _core.number_and_unit(text)


def magnitude(text: str) -> float | None:
    """The number by which quantities are put in order: in base units where the unit is known, else as written.

    >>> magnitude("500 kbit/s"), magnitude("10mbit"), magnitude("5 rounds"), magnitude("bbr")
    (500000.0, 10000000.0, 5.0, None)
    """
    return _core.magnitude(text)
