"""Swept fields as numbers, in whatever unit a spec has them."""

from __future__ import annotations

from dumbbell.errors import StudyError
from dumbbell.spec.quantity import Quantity, QuantityError, Rate, Share, Size, Time
from dumbbell.studies.evidence import RunData

_KINDS: tuple[type[Quantity], ...] = (Rate, Time, Share, Size)
_SIZES_APART = {"bdp", "packets"}
"""Units of a size that are no number of bytes."""


def number(value: object, unit: str) -> float:
    """A value of a spec in a unit; "" of what has none.

    >>> number("0.25 bdp", "bdp"), number("100 kB", "MB"), number("1 Gbit/s", "Mbit/s"), number(4, "")
    (0.25, 0.1, 1000.0, 4.0)

    Raises:
        StudyError: it is no such quantity.
    """
    if not unit:
        return float(str(value))
    kind = next((kind for kind in _KINDS if unit in kind.units), None)
    if kind is None:
        raise StudyError(f'there is no unit "{unit}"')
    try:
        quantity = kind(value)
    except QuantityError as error:
        raise StudyError(str(error)) from None
    if quantity.unit != unit and {quantity.unit, unit} & _SIZES_APART:
        raise StudyError(f'"{value}" is not in {unit}')
    return float(quantity.number * kind.units[quantity.unit] / kind.units[unit])


def swept(run: RunData, path: str, unit: str, packet_bytes: float | None = None) -> float:
    """The value of a swept field in a run; `packet_bytes`: of one packet, where "packets" may be written as bytes too.

    Raises:
        StudyError: the experiment does not sweep it, or not in this unit.
    """
    if path not in run.point:
        raise StudyError(f"{path} is not swept; swept: {', '.join(run.point) or 'nothing'}")
    value = run.point[path]
    if packet_bytes is not None and Size(value).unit != unit:
        return round(number(value, "B") / packet_bytes, 6)
    return number(value, unit)
