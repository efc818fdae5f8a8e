"""A swept field of an experiment as numbers, for curves over it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dumbbell.errors import StudyError
from dumbbell.spec.quantity import Quantity, QuantityError, Rate, Share, Size, Time
from dumbbell.spec.run import ETHERNET_HEADER_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from dumbbell.studies.evidence import RunData, SeedSweep

FRAME_BYTES = 1500 + ETHERNET_HEADER_BYTES
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


def buffer_bdp(run: RunData, frame_bytes: int = FRAME_BYTES) -> float:
    """A run's swept queue size in bandwidth-delay products, in whatever unit it was written."""
    size = Size(run.point["path.buffer"])
    if size.unit == "bdp":
        return float(size.number)
    return size.value * (frame_bytes if size.unit == "packets" else 1) / run.bdp_bytes


@dataclass(frozen=True, slots=True)
class Sweep:
    """A field that an experiment sweeps, and the unit in which its values are told."""

    path: str
    """As specs write it: "path.buffer"."""
    unit: str
    """As specs write it: "bdp", "packets", "kB", "Mbit/s", "ms", "%"; "" of plain numbers."""
    packet_bytes: int | None = None
    """Of "packets", if values may be bytes too: those of one packet."""

    def of(self, run: RunData) -> float:
        """Its value in a run.

        Raises:
            StudyError: the experiment does not sweep it, or not in this unit.
        """
        if self.path not in run.point:
            raise StudyError(f"{self.path} is not swept; swept: {', '.join(run.point) or 'nothing'}")
        value = run.point[self.path]
        if self.packet_bytes is not None and Size(value).unit != self.unit:
            return round(number(value, "B") / self.packet_bytes, 6)
        return number(value, self.unit)

    def values(self, trials: Iterable[SeedSweep]) -> tuple[float, ...]:
        """Its different values in these trials, in their order of size."""
        return tuple(sorted({self.of(run) for trial in trials for run in trial.runs}))

    def along(
        self,
        trial: SeedSweep,
        value: Callable[[RunData], float | None],
        *,
        least: float | None = None,
        most: float | None = None,
        where: Mapping[str, Any] | None = None,
    ) -> tuple[list[float], list[float]]:
        """A number of each run over the field: two lists, in the order of size; without runs that do not give it.

        `least` and `most` leave out what is outside of them, `where` takes the part of a sweep of several fields that
        has these values.
        """
        points = [(self.of(run), value(run)) for run in trial.where(where or {}).runs]
        kept = sorted(
            (at, found)
            for at, found in points
            if found is not None and (least is None or at >= least) and (most is None or at <= most)
        )
        return [at for at, _ in kept], [found for _, found in kept]

    def numbers(self, column: Sequence[object]) -> tuple[float, ...]:
        """A column of `published.toml`, which has the field's values as specs do, as numbers."""
        return tuple(number(value, self.unit) for value in column)
