"""Numbers as text: three significant digits, never an exponent, and a dash for what does not exist."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, TypeAlias

ABSENT: Final = "-"
DIGITS: Final = 3
RECORD_DIGITS: Final = 6
Limits: TypeAlias = tuple[float, float]
"""The least and the most that a quantity can be."""
ANY_NUMBER: Final[Limits] = (-math.inf, math.inf)
AMOUNT: Final[Limits] = (0.0, math.inf)
SHARE: Final[Limits] = (0.0, 1.0)
RATE_UNITS: Final = ((1e6, "Mbit/s"), (1e3, "kbit/s"), (1.0, "bit/s"))
NOTHING: Final = 1e-9
"""What floating point leaves where it subtracts like from like; no engine resolves less than a billionth."""


def amount(  # noqa: PLR0913 (all that a number may have)
    value: float | None,
    half_width: float | None = None,
    scale: float = 1.0,
    unit: str = "",
    *,
    signed: bool = False,
    limits: Limits = ANY_NUMBER,
    digits: int = DIGITS,
) -> str:
    """A value times `scale`, with the half-width of its interval where it has one, both to the same place, and a unit.

    The larger of the two has `digits` significant digits. Digits before the point are never rounded away. An interval
    that leaves the `limits` of what the quantity can be has its ends instead, within them.

    >>> amount(153.24), amount(12.345), amount(0.5), amount(1e-5), amount(0.0), amount(None)
    ('153', '12.3', '0.500', '0.0000100', '0', '-')
    >>> amount(12.04, 1.369), amount(0.994, 0.0001), amount(0.001, 0.5), amount(235798.4, 1200)
    ('12.0 ± 1.4', '0.994 ± < 0.001', '0.001 ± 0.500', '235798 ± 1200')
    >>> amount(8.0e7, scale=1e-6), amount(1.5, signed=True), amount(-0.0001, 0.5, signed=True)
    ('80.0', '+1.50', '0.000 ± 0.500')
    >>> amount(0.998, 0.026, limits=(0.0, 1.0)), amount(0.178, 0.316, 100.0, " %", limits=(0.0, 1.0))
    ('0.998 [0.972, 1.000]', '17.8 [0.0, 49.4] %')
    >>> amount(0.9999, 0.0003, limits=(0.0, 1.0))
    '1.00 ± < 0.01'
    """
    if value is None:
        return ABSENT
    value *= scale
    if not math.isfinite(value):
        return ABSENT
    half = abs(scale * half_width) if half_width and math.isfinite(half_width) else 0.0
    if max(abs(value), half) < NOTHING:
        return f"0{unit}"
    decimals = places(max(abs(value), half), digits)
    text = f"{value:{'+' if signed else ''}.{decimals}f}"
    if not float(text):
        text = text.lstrip("+-")
    if not half:
        return f"{text}{unit}"
    low, high = ends(value, half, limits, scale)
    width = f"{half:.{decimals}f}"
    if float(width) and (low, high) != (value - half, value + half):
        return f"{text} [{low:.{decimals}f}, {high:.{decimals}f}]{unit}"
    return f"{text} ± {width if float(width) else f'< {10**-decimals:.{decimals}f}'}{unit}"


def ends(value: float, half_width: float | None, limits: Limits, scale: float = 1.0) -> tuple[float, float]:
    """Of the interval of a value, within the `limits` of what it can be, times `scale`.

    >>> ends(0.25, 0.5, SHARE), ends(75.0, 50.0, SHARE, 100.0), ends(3.0, None, ANY_NUMBER)
    ((0.0, 0.75), (25.0, 100.0), (3.0, 3.0))
    """
    half, (least, most) = half_width or 0.0, sorted(scale * limit for limit in limits)
    return max(value - half, least), min(value + half, most)


def percent(share: float | None, half_width: float | None = None, *, signed: bool = False) -> str:
    """A share as `amount` writes it, in %.

    >>> percent(0.1234), percent(0.0000421), percent(0.5, 0.02), percent(0), percent(None)
    ('12.3 %', '0.00421 %', '50.0 ± 2.0 %', '0 %', '-')
    """
    return amount(share, half_width, 100.0, " %", signed=signed)


def rough_percent(share: float, *bounds: float) -> str:
    """A share in integers of %, and the bounds of its interval where these differ.

    >>> rough_percent(0.304), rough_percent(0.304, 0.25, 0.4), rough_percent(0.304, 0.301, 0.302)
    ('30 %', '30 % (25 to 40)', '30 %')
    """
    value, *between = (f"{100 * each:.0f}" for each in (share, *bounds))
    return f"{value} % ({' to '.join(between)})" if len(set(between)) > 1 else f"{value} %"


def percent_span(first: float, last: float, *, signed: bool = False) -> str:
    """Two shares in integers of %, or the one that both are.

    >>> percent_span(0.69, 0.951), percent_span(-0.05, 7.99, signed=True), percent_span(-0.001, 0.004, signed=True)
    ('69 to 95 %', '-5 to +799 %', '0 %')
    """
    percents = (round(100 * each) for each in (first, last))
    return f"{' to '.join(dict.fromkeys(f'{each:+}' if signed and each else str(each) for each in percents))} %"


def trimmed(value: float | None, unit: str = "", digits: int = DIGITS) -> str:
    """Without the zeros at the end: for what was chosen rather than measured, and where there is little room.

    >>> trimmed(0.5), trimmed(100.0, " ms"), trimmed(7.0512), trimmed(7.0512, " s", digits=4), trimmed(1000.0)
    ('0.5', '100 ms', '7.05', '7.051 s', '1000')
    """
    text = amount(value, digits=digits)
    return text if text == ABSENT else f"{text.rstrip('0').rstrip('.') if '.' in text else text}{unit}"


def span(first: float, last: float, unit: str = "", word: str = "to") -> str:
    """Two numbers, trimmed, or the one that both are.

    >>> span(0.5, 2.0, " BDP"), span(25.0, 25.0, " ms"), span(50.0, 33.333, " %", "and")
    ('0.5 to 2 BDP', '25 ms', '50 and 33.3 %')
    """
    return trimmed(last, unit) if trimmed(first) == trimmed(last) else f"{trimmed(first)} {word} {trimmed(last, unit)}"


def apart(value: float, other: float) -> str:
    """Three significant digits, or as many as tell a value from another that it is not.

    >>> apart(10.7004, 10.7), apart(13.4, 13.0), apart(1.0, 1.0)
    ('10.7004', '13.4', '1.00')
    """
    decimals = places(value)
    while value != other and float(f"{value:.{decimals}f}") == other:
        decimals += 1
    return f"{value:.{decimals}f}"


def rate(bps: float | None) -> str:
    """A rate.

    >>> rate(8.0e7), rate(12_345.0), rate(0), rate(None)
    ('80.0 Mbit/s', '12.3 kbit/s', '0 bit/s', '-')
    """
    if bps is None:
        return ABSENT
    divisor, unit = next(each for each in RATE_UNITS if bps >= each[0] or each[0] == 1.0)
    return amount(bps / divisor, unit=f" {unit}")


def places(value: float, digits: int = DIGITS) -> int:
    """Decimal places that show so many significant digits of a value.

    >>> places(99.95), places(12.3), places(0.0042), places(1e6), places(12.3, 4)
    (0, 1, 5, 0, 2)
    """
    exponent = int(f"{value:.{digits - 1}e}".partition("e")[2])
    return max(0, digits - 1 - exponent)


def elapsed(seconds: float) -> str:
    """How long somebody waited, to a tenth of a second.

    >>> elapsed(12.345)
    '12.3 s'
    """
    return f"{seconds:.1f} s"


def duration(seconds: float) -> str:
    """About how long something takes, in one number.

    >>> duration(0.4), duration(44), duration(896), duration(40000), duration(1e7), duration(1e9)
    ('1 s', '44 s', '15 minutes', '11 hours', '116 days', '32 years')
    """
    for unit_s, unit, most in ((1, "s", 120), (60, "minutes", 120), (3_600, "hours", 48), (86_400, "days", 730)):
        if seconds < most * unit_s:
            return f"{max(seconds / unit_s, 1):.0f} {unit}"
    return f"{seconds / 31_557_600:,.0f} years"


def size(size_bytes: float) -> str:
    """About how much room something takes, to two digits.

    >>> size(12_345), size(163_000_000), size(2.76e9), size(8.9e13)
    ('1 MB', '160 MB', '2.8 GB', '89 TB')
    """
    shown = float(f"{size_bytes:.2g}")
    for unit, name in ((1e12, "TB"), (1e9, "GB")):
        if shown >= unit:
            return f"{shown / unit:,.{0 if shown >= 10 * unit else 1}f} {name}"
    return f"{max(shown / 1e6, 1):.0f} MB"


def counted(count: int, noun: str) -> str:
    """A count and its noun.

    >>> counted(1, "run"), counted(1200, "run")
    ('1 run', '1,200 runs')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def listed(numbers: Sequence[int]) -> str:
    """Integers in order, more than two consecutive ones by their ends.

    >>> listed([1, 2, 3]), listed([1, 2]), listed([1, 4, 5])
    ('1 to 3', '1, 2', '1, 4, 5')
    """
    if len(numbers) > 2 and list(numbers) == list(range(numbers[0], numbers[-1] + 1)):  # noqa: PLR2004
        return f"{numbers[0]} to {numbers[-1]}"
    return ", ".join(map(str, numbers))


def rounded(value: float) -> float:
    """To the six digits that a record keeps.

    >>> rounded(0.123456789)
    0.123457
    """
    return float(f"{value:.{RECORD_DIGITS}g}")
