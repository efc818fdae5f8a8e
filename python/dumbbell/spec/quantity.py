"""Quantities: text with a unit in, integers in base units out. The one parser of TOML, Python and the command line.

A quantity is the text as it was written and knows its value:

>>> Rate("80 Mbit/s").bps, Time("25ms").ns, Share("0.01 %").ppb
(80000000, 25000000, 100000)
>>> Rate("80 Mbit/s")
Rate('80 Mbit/s')

Units that tools disagree about are refused. Arithmetic is exact; what is finer than the base unit rounds half to even.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar, Self

from pydantic import GetCoreSchemaHandler  # noqa: TC002 (pydantic is here anyway)
from pydantic_core import PydanticCustomError, core_schema
from typing_extensions import override

from dumbbell.problem import quoted, suggestion
from dumbbell.units import BITS_PER_BYTE, NS_PER_S, PPB

MANY = 10**6
"""A number of as many without a unit is likely in base units."""
LARGEST = 10**15

_NUMBER_AND_UNIT = re.compile(r"([+-]?)((?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?) *(\S.*|)")
_WORD = re.compile(r" *([A-Za-z]+)(?![A-Za-z])")
_TWO_TIMES = re.compile(r"[a-z]+,? +[0-9].*", re.ASCII)
_NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)\b", re.IGNORECASE)
_LONGEST = 80
_LARGEST_EXPONENT = 60
_RATES = {"bit/s": 1, "kbit/s": 10**3, "Mbit/s": 10**6, "Gbit/s": 10**9, "Tbit/s": 10**12}
_TIMES = {"ns": 1, "us": 10**3, "ms": 10**6, "s": NS_PER_S}
_SIZES = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9}


class QuantityError(ValueError):
    """A text that is no quantity of the kind wanted."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(f"{message}; {hint}")
        self.message = message
        self.hint = hint


class Quantity(str):
    """A text with a number and a unit, kept as written."""

    __slots__ = ("number", "unit", "value")

    noun: ClassVar[str]
    usual: ClassVar[Mapping[str, str]]
    """The units that one means without saying so, each with a number as an example."""
    units: ClassVar[Mapping[str, int]]
    """Base units in each unit."""
    keywords: ClassVar[tuple[str, ...]] = ()
    """Words that may stand in place of a number with a unit."""
    zero: ClassVar[str]
    """The unit of nothing."""
    refused: ClassVar[Mapping[str, str]] = {}
    """Words that people write in place of a number, each with what to write."""

    number: Fraction
    """The number as written."""
    unit: str
    """The unit, spelt as in `units`."""
    value: int
    """In base units."""

    def __new__(cls, text: object) -> Self:
        """Raise `QuantityError` unless the text is such a quantity."""
        if isinstance(text, int | float) and not isinstance(text, bool):
            what = "has no unit" if isinstance(text, int) or math.isfinite(text) else "is not a finite number"
            raise QuantityError(f"{quoted(text)} {what}", cls.advice(_written(text)))
        if not isinstance(text, str):
            raise QuantityError(f"{quoted(text)} is not {cls.noun}", cls.advice())
        quantity = super().__new__(cls, text)
        quantity.read(text)
        return quantity

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def __getnewargs__(self) -> tuple[str]:
        return (str(self),)

    def read(self, text: str) -> None:
        """Take number, unit and value out of the text."""
        match = _NUMBER_AND_UNIT.fullmatch(text.strip()) if len(text) <= _LONGEST else None
        if match is None:
            what = "a finite number" if _NOT_FINITE.match(text.strip()) else self.noun
            raise QuantityError(f"{quoted(text)} is not {what}", self._instead(text) or self.advice())
        sign, number, unit = match.groups()
        if not unit:
            raise QuantityError(f"{quoted(text)} has no unit", self.advice(number))
        spelt = self.spelling(unit)
        if spelt is None:
            raise self.unknown_unit(text, number, unit)
        self.unit = spelt
        self.number = _exact(number)
        if sign == "-" and self.number:
            raise QuantityError(f"{quoted(text)} is negative", f'write "{number} {spelt}"')
        exact = self.number * self.units[spelt]
        self.value = round(exact)
        if exact and not self.value:
            raise QuantityError(f"{quoted(text)} is less than can be told from nothing", f"use at least {self.least()}")

    @classmethod
    def _instead(cls, text: str) -> str:
        """What to write in place of words; empty of what is no known one."""
        word = _WORD.match(text)
        return (cls.refused.get(word[1].lower()) or suggestion(word[1], ())) if word else ""

    @classmethod
    def advice(cls, number: str = "") -> str:
        """Say what to write: the user's own number with a unit, or an example where there is none that can be read."""
        own = cls._readable(number, cls.usual) if number and _exact(number) < MANY else []
        own = own or (cls._readable(number, [min(cls.units, key=cls.units.__getitem__)]) if number else [])
        *others, last = map(quoted, [*(own or (f"{each} {unit}" for unit, each in cls.usual.items())), *cls.keywords])
        start = "write it with a unit, as" if own else "write it as"
        return f"{start} {', '.join(others)}{' or ' if others else ''}{last}"

    @classmethod
    def _readable(cls, number: str, units: Iterable[str]) -> list[str]:
        found = []
        for unit in units:
            with suppress(QuantityError):
                found.append(str(cls(f"{number} {unit}")))
        return found

    @classmethod
    def spelling(cls, unit: str) -> str | None:
        """Spell a unit as `units` does; None: unknown."""
        return unit if unit in cls.units else None

    @classmethod
    def unknown_unit(cls, text: str, number: str, unit: str) -> QuantityError:  # noqa: ARG003 (for subclasses)
        """Tell why this unit is refused."""
        return QuantityError(f"{quoted(text)}: unknown unit {quoted(unit)}", suggestion(unit, list(cls.units)))

    @classmethod
    def least(cls) -> str:
        """Show the smallest amount above zero: one base unit."""
        return cls.show(1)

    @classmethod
    def show(cls, value: int) -> str:
        """Write a value in base units as text that reads back as the same value.

        >>> Time.show(25_000_000), Bytes.show(1514), Share.show(100_000), Time.show(0)
        ('25 ms', '1.514 kB', '0.01 %', '0 s')
        """
        if not value:
            return f"0 {cls.zero}"
        decimal = {unit: scale for unit, scale in cls.units.items() if set(str(scale)) <= {"1", "0"}}
        unit = max((u for u, scale in decimal.items() if scale <= value), key=decimal.__getitem__, default=cls.zero)
        exponent = len(str(decimal[unit])) - 1
        number = Decimal(value).scaleb(-exponent)
        return f"{number.normalize():f} {unit}"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """Validate by construction; on the way out it is plain text."""
        return core_schema.no_info_plain_validator_function(
            cls._validated,
            serialization=core_schema.plain_serializer_function_ser_schema(str, return_schema=core_schema.str_schema()),
        )

    @classmethod
    def _validated(cls, text: object) -> Self:
        try:
            return cls(text)
        except QuantityError as error:
            raise invalid(error.message, error.hint) from None


class Rate(Quantity):
    """Bits a second: `80 Mbit/s`, `100mbit`."""

    __slots__ = ()
    noun = "a rate"
    zero = "bit/s"
    refused: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("unlimited", "infinite", "none", "max"),
        'a path has a rate: without a shaper its slowest NIC\'s, as "10 Gbit/s"',
    )
    usual: ClassVar[Mapping[str, str]] = {"Mbit/s": "80"}
    units = _RATES

    @property
    def bps(self) -> int:
        """Bits a second."""
        return self.value

    @override
    @classmethod
    def spelling(cls, unit: str) -> str | None:
        by_case = {known.lower(): known for known in cls.units}
        return by_case.get(unit.lower().removesuffix("/s") + "/s")

    @override
    @classmethod
    def unknown_unit(cls, text: str, number: str, unit: str) -> QuantityError:
        in_bytes = re.fullmatch(r"([kKmMGgT]?)(i?)B(/s(ec)?)?", unit)
        if in_bytes:
            prefix = in_bytes[1].lower()
            binary = Decimal("1.024") ** _PREFIXES.index(prefix) if in_bytes[2] else Decimal(1)
            bits = _times(number, BITS_PER_BYTE * binary)
            hint = f'write bits: "{bits} {_RATES_BY_PREFIX[prefix]}"' if bits else cls.advice()
            return QuantityError(f"{quoted(text)} is in bytes", hint)
        in_bits = re.fullmatch(r"([kmgt]?)(bps|b/s|bits|bits?/sec|bits/s|bitps|b)", unit.lower())
        if in_bits:
            return QuantityError(
                f"{quoted(text)} is ambiguous: tools read {quoted(unit)} as bits or as bytes a second",
                f'write "{number} {_RATES_BY_PREFIX[in_bits[1]]}"',
            )
        return super().unknown_unit(text, number, unit)


_RATES_BY_PREFIX = {unit[:-5].lower(): unit for unit in _RATES}
_SIZES_BY_PREFIX = {unit[:-1].lower(): unit for unit in _SIZES}
_PREFIXES = list(_RATES_BY_PREFIX)


class Time(Quantity):
    """A span or a moment: `25 ms`."""

    __slots__ = ()
    noun = "a time"
    zero = "s"
    usual: ClassVar[Mapping[str, str]] = {"ms": "25", "s": "5"}
    units: ClassVar[Mapping[str, int]] = _TIMES | {"min": 60 * NS_PER_S}

    @property
    def ns(self) -> int:
        """Nanoseconds."""
        return self.value

    @override
    @classmethod
    def unknown_unit(cls, text: str, number: str, unit: str) -> QuantityError:
        meant = {"sec": "s", "secs": "s", "second": "s", "seconds": "s", "msec": "ms", "usec": "us", "µs": "us",
                 "μs": "us", "nsec": "ns", "minute": "min", "minutes": "min"}.get(unit.lower())  # fmt: skip
        if meant:
            return QuantityError(f"{quoted(text)}: unknown unit {quoted(unit)}", f'write "{number} {meant}"')
        if _TWO_TIMES.fullmatch(unit):
            return QuantityError(
                f"{quoted(text)} is more than a time", "write one; path.jitter delays packets, in order"
            )
        if unit == "m":
            return QuantityError(f'{quoted(text)} is ambiguous: "m"', f'write "{number} min" or "{number} ms"')
        return super().unknown_unit(text, number, unit)


class Frequency(Quantity):
    """How often: `50 /s`. The value is in billionths of a time a second."""

    __slots__ = ()
    noun = "a number a second"
    zero = "/s"
    usual: ClassVar[Mapping[str, str]] = {"/s": "50"}
    units: ClassVar[Mapping[str, int]] = {"/s": 10**9}

    @property
    def per_s(self) -> float:
        """Times a second."""
        return float(self.number)

    @override
    @classmethod
    def unknown_unit(cls, text: str, number: str, unit: str) -> QuantityError:
        meant = {"hz": 1.0, "per s": 1.0, "per second": 1.0, "/sec": 1.0, "1/s": 1.0, "/ms": 1000.0, "/min": 1 / 60}
        if unit.lower() in meant:
            hint = f'write "{float(number) * meant[unit.lower()]:g} /s"' if _is_told(number) else cls.advice()
            return QuantityError(f"{quoted(text)}: unknown unit {quoted(unit)}", hint)
        return super().unknown_unit(text, number, unit)


class Share(Quantity):
    """A part of a whole: `0.01 %`."""

    __slots__ = ()
    noun = "a share"
    zero = "%"
    usual: ClassVar[Mapping[str, str]] = {"%": "0.01"}
    units: ClassVar[Mapping[str, int]] = {"%": PPB // 100}

    @property
    def ppb(self) -> int:
        """Parts per billion."""
        return self.value


class Bytes(Quantity):
    """An amount of data: `100 MB`."""

    __slots__ = ()
    noun = "a size"
    zero = "B"
    usual: ClassVar[Mapping[str, str]] = {"kB": "100"}
    units: ClassVar[Mapping[str, int]] = _SIZES | {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30}

    @property
    def bytes(self) -> int:
        """Bytes."""
        return self.value

    @override
    @classmethod
    def unknown_unit(cls, text: str, number: str, unit: str) -> QuantityError:
        ambiguous = re.fullmatch(r"([kmg])b?", unit.lower())
        if ambiguous:
            decimal = {"k": "kB", "m": "MB", "g": "GB"}[ambiguous[1]]
            binary = {"k": "KiB", "m": "MiB", "g": "GiB"}[ambiguous[1]]
            return QuantityError(
                f"{quoted(text)} is ambiguous: bits or bytes, of 1000 or of 1024",
                f'write "{number} {decimal}" (decimal) or "{number} {binary}" (binary)',
            )
        in_bits = re.fullmatch(r"([kmg]?)bits?|b", "" if unit == "B" else unit.lower())
        if in_bits:
            amount = _times(number, 1 / Decimal(BITS_PER_BYTE))
            hint = f'write bytes: "{amount} {_SIZES_BY_PREFIX[in_bits[1] or ""]}"' if amount else cls.advice()
            return QuantityError(f"{quoted(text)} is in bits", hint)
        return super().unknown_unit(text, number, unit)


class Size(Bytes):
    """Room of a queue: `125 kB`, `100 packets`, `0.5 bdp`, `20 ms`.

    The value is in bytes or packets, of a bdp in billionths, of a time in nanoseconds.
    """

    __slots__ = ()
    usual: ClassVar[Mapping[str, str]] = {"kB": "100", "packets": "100", "bdp": "0.5", "ms": "20"}
    refused: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("unlimited", "infinite", "none", "max"), 'a queue has an end: write more than flows fill, as "20 bdp"'
    )
    units: ClassVar[Mapping[str, int]] = {**Bytes.units, "packets": 1, "bdp": PPB, **_TIMES}

    def fills_ns(self, rtt_ns: int) -> Fraction | None:
        """How long its line takes to fill it, on a path of this base RTT; None of one in bytes or packets."""
        if self.unit == "bdp":
            return Fraction(self.value, PPB) * rtt_ns
        return Fraction(self.value) if self.unit in _TIMES else None

    @override
    @classmethod
    def spelling(cls, unit: str) -> str | None:
        lower = unit.lower()
        if lower in {"packet", "packets"}:
            return "packets"
        return "bdp" if lower == "bdp" else super().spelling(unit)

    @override
    def read(self, text: str) -> None:
        super().read(text)
        if self.unit == "packets" and self.number.denominator != 1:
            raise QuantityError(f"{quoted(text)}: packets are whole", f'write "{round(self.number)} packets"')


class Moment(Quantity):
    """A moment of a run: a time or a share of its duration."""

    __slots__ = ()
    noun = "a time or a share of the duration"
    zero = "s"
    usual: ClassVar[Mapping[str, str]] = {"s": "20", "%": "50"}
    units: ClassVar[Mapping[str, int]] = {**Time.units, **Share.units}

    def ns(self, duration_ns: int) -> int:
        """Nanoseconds from the run's beginning."""
        return round(self.number * duration_ns / 100) if self.unit == "%" else self.value


def number_and_unit(text: str) -> tuple[float, str] | None:
    """The number at the beginning of any text, and the unit behind it as written; None of a text that is no quantity.

    >>> number_and_unit("1e1 Mbit/s"), number_and_unit("5"), number_and_unit("1.2.3"), number_and_unit("bbr")
    ((10.0, 'Mbit/s'), (5.0, ''), None, None)
    """
    match = _NUMBER_AND_UNIT.fullmatch(text.strip()) if len(text) <= _LONGEST else None
    if match is None:
        return None
    sign, number, unit = match.groups()
    return (float(_exact(sign + number)), unit) if not unit or unit[0].isalpha() or unit in {"%", "/s"} else None


def magnitude(text: str) -> float | None:
    """The number by which quantities are put in order: in base units where the unit is known, else as written.

    >>> magnitude("500 kbit/s"), magnitude("10mbit"), magnitude("5 rounds"), magnitude("bbr")
    (500000.0, 10000000.0, 5.0, None)
    """
    for kind in (Rate, Moment, Size):
        with suppress(QuantityError):
            return float(kind(text).value)
    found = number_and_unit(text)
    return found and found[0]


def invalid(message: str, hint: str = "") -> PydanticCustomError:
    """Give what a validator raises: message and hint travel through pydantic apart."""
    return PydanticCustomError("spec", "{message}", {"message": message, "hint": hint})


def _written(number: float) -> str:
    """A number as a text would have it; "" of one that no quantity has."""
    return str(abs(number)) if abs(number) < LARGEST else ""


def _is_told(number: str) -> bool:
    """Whether a hint can tell a number, from a text, in another unit: no quantity has one that is larger or smaller."""
    exact = _exact(number)
    return not exact or Fraction(1, LARGEST) <= exact < LARGEST


def _times(number: str, factor: Decimal) -> str:
    """A number from a text times a factor, as one writes it; "" of one that no hint can tell.

    >>> _times("1.50", Decimal(8)), _times("1e9999999", Decimal(8)), _times("0e9999999", Decimal(8))
    ('12', '', '0')
    """
    return f"{(Decimal(number) * factor if _exact(number) else Decimal()).normalize():f}" if _is_told(number) else ""


def _exact(number: str) -> Fraction:
    """Read a number; those that are absurdly large or small become merely huge or tiny, to be refused by a bound."""
    digits, _, exponent = number.lower().partition("e")
    power = max(-_LARGEST_EXPONENT, min(_LARGEST_EXPONENT, int(exponent or 0)))
    return Fraction(digits) * Fraction(10) ** power
