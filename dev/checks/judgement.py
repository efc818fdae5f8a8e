"""Experiments whose figures have bars, as the figures of single flows have limits in `curves`: `checks.toml`.

A condition's figure is the mean over its seeds. It is held against the reference's, or each engine's figures over all
conditions are held against a bar of their own.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final, Literal

from dev.checks.record import CheckRow, Checks
from dev.sides import KnownSides
from dev.table import TomlTable
from dumbbell.comparison.agreement import CONSIDERABLE_LOSS, SMALLEST_GOODPUT, versions
from dumbbell.comparison.campaigns import run_conditions, runs
from dumbbell.comparison.record import Condition, RunFigures
from dumbbell.errors import ComparisonError
from dumbbell.spec import Experiment

if TYPE_CHECKING:
    from dumbbell.results.store import Store

UNITS: Final[Mapping[str, Literal["share", "bit/s", "s"]]] = {
    "share": "share",
    "goodput": "bit/s",
    "rtt": "s",
    "loss": "share",
    "retransmits": "share",
}
LABELS: Final = {
    "share": "share", "goodput": "goodput", "rtt": "mean RTT", "loss": "queue loss", "retransmits": "retransmissions",
}  # fmt: skip
SECOND_DIFFERENCE: Final = 6**0.5
"""What white noise of 1 has as the rms of its second differences: 1, -2 and 1 squared are 6."""


class Bar(TomlTable):
    """A figure, and how large it may be."""

    kind: Literal["difference", "rises", "comb"] = "difference"
    """The candidate's difference from the reference, condition by condition; by how much each engine's figure rises
    from a condition to the next, at most; how rough it is over the conditions, the rms of its second differences over
    the square root of 6."""
    quantity: Literal["share", "goodput", "rtt", "loss", "retransmits"]
    """A difference of shares is in absolute terms, of all others relative to the reference's; a goodput below 5 % of
    the rate, and losses and retransmissions below 0.5 %, to that."""
    group: str | None = None
    """None: every group; loss is the path's."""
    limit: float
    or_noise: bool = False
    """A difference no larger than the reference's from itself under as many other seeds will do, too."""
    after: int = 0
    """How many conditions are left out at the beginning."""
    reference_limit: float | None = None


class Check(TomlTable):
    """An experiment with its bars."""

    name: str
    title: str
    seeds: int
    candidate_seeds: int | None = None
    """Of the candidate; None: as many."""
    reference_seeds: int | None = None
    """Of the reference; None: as many."""
    floor: int | None = None
    """More seeds of the reference; None: as many."""
    bars: tuple[Bar, ...]
    spec: dict[str, Any]

    @property
    def experiment(self) -> Experiment:
        """The spec, under the check's name."""
        return Experiment(**{"name": f"check-{self.name}"} | self.spec)

    def sides(self, sides: KnownSides) -> KnownSides:
        """The same engines with the seeds of the check."""
        floor = self.seeds if self.floor is None else self.floor
        return replace(sides, seeds=self.seeds, floor=floor, fewer=self.reference_seeds, own=self.candidate_seeds)


@cache
def checks() -> tuple[Check, ...]:
    """Every check, in the order of the file."""
    table = tomllib.loads(files("dev.checks").joinpath("checks.toml").read_text(encoding="utf-8"))
    return tuple(map(Check.model_validate, table["checks"]))


def chosen(names: Sequence[str]) -> list[Check]:
    """The checks whose names begin with one of these; without names all.

    Raises:
        ComparisonError: a name is that of none.
    """
    for name in names:
        if not any(each.name.startswith(name) for each in checks()):
            raise ComparisonError(f'there is no check "{name}"; known: {", ".join(each.name for each in checks())}')
    return [each for each in checks() if not names or each.name.startswith(tuple(names))]


def count(checks: Sequence[Check], sides: KnownSides) -> int:
    """How many runs they ask for."""
    return sum(runs([each.experiment], each.sides(sides)) for each in checks)


def run_checks(
    store: Store, checks: Sequence[Check], sides: KnownSides, *, jobs: int | None = None,
    progress: Callable[[], None] | None = None,
) -> Checks:  # fmt: skip
    """Runs what is missing, and holds every figure against its bar."""
    rows: list[CheckRow] = []
    conditions: list[Condition] = []
    for check in checks:
        compared = run_conditions(store, [check.experiment], check.sides(sides), jobs=jobs, progress=progress)
        rows += judge(check, compared)
        conditions += compared
    candidate, reference = sides.recorded(store, conditions)
    check_sides = [check.sides(sides) for check in checks]
    failed = any(each.failures for each in conditions)
    return Checks(
        versions=versions(),
        candidate=candidate.model_copy(update={"seeds": _union(each.candidate_seeds for each in check_sides)}),
        reference=reference.model_copy(update={"seeds": _union(each.reference_seeds for each in check_sides)}),
        floor_seeds=_union(each.floor_seeds for each in check_sides),
        holds=not failed and bool(rows) and all(row.holds for row in rows),
        checks=tuple(check.name for check in checks),
        rows=tuple(rows),
        conditions=tuple(conditions),
    )


def judge(check: Check, conditions: Sequence[Condition]) -> Iterator[CheckRow]:
    """Every bar over every condition that was compared; over all there is no figure where one was not."""
    compared = [each for each in conditions if not each.failures]
    for bar in check.bars:
        if bar.kind == "difference":
            for condition in compared:
                groups = [bar.group] if bar.group else [group.name for group in condition.groups]
                for group in [None] if bar.quantity == "loss" else groups:
                    yield _difference(check, bar, condition, group)
        else:
            yield _over_all(check, bar, conditions)


def rise(values: Sequence[float]) -> float:
    """The most that a value is above the one before it.

    >>> rise([3.0, 2.0, 2.5])
    0.5
    """
    return max(later - earlier for earlier, later in pairwise(values))


def comb(values: Sequence[float]) -> float:
    """How rough a curve is: 0 of a straight line, the standard deviation of white noise.

    >>> comb([1.0, 2.0, 3.0]), round(comb([0.0, 1.0, 0.0]), 3)
    (0.0, 0.816)
    """
    second = [a - 2 * b + c for a, b, c in zip(values, values[1:], values[2:], strict=False)]
    return float(fmean(each * each for each in second) ** 0.5 / SECOND_DIFFERENCE)


def _difference(check: Check, bar: Bar, condition: Condition, group: str | None) -> CheckRow:
    candidate, reference, floor = (
        _mean(runs, bar.quantity, group) for runs in (condition.candidate, condition.reference, condition.floor)
    )
    least = {
        "goodput": SMALLEST_GOODPUT * condition.rate_bps, "rtt": 0.0, "share": 1.0, "loss": CONSIDERABLE_LOSS,
        "retransmits": CONSIDERABLE_LOSS,
    }[bar.quantity]  # fmt: skip
    difference, noise = (
        None if value is None or reference is None else (value - reference) / max(reference, least)
        for value in (candidate, floor)
    )
    allowed = max(bar.limit, abs(noise or 0.0)) if bar.or_noise else bar.limit
    return CheckRow(
        check=check.name,
        condition=condition.name,
        setting=", ".join(f"{path.split('.')[-1]} {value}" for path, value in condition.point.items()),
        label=LABELS[bar.quantity] + (f" of {group}" if group else ""),
        unit=UNITS[bar.quantity],
        reference=reference,
        candidate=candidate,
        floor=floor,
        difference=difference,
        noise=noise,
        limit=allowed,
        holds=(difference is None and reference is None) or (difference is not None and abs(difference) <= allowed),
    )


def _over_all(check: Check, bar: Bar, conditions: Sequence[Condition]) -> CheckRow:
    figure = {"rises": rise, "comb": comb}[bar.kind]

    def of(role: str) -> float | None:
        if any(each.failures for each in conditions):
            return None
        values = [_mean(getattr(each, role), bar.quantity, bar.group) for each in conditions[bar.after :]]
        return figure([value for value in values if value is not None]) if all(v is not None for v in values) else None

    candidate, reference = of("candidate"), of("reference")
    reference_limit = bar.limit if bar.reference_limit is None else bar.reference_limit
    label = {"rises": "largest rise of the", "comb": "roughness of the"}[bar.kind]
    return CheckRow(
        check=check.name,
        condition=check.name,
        setting="all",
        label=f"{label} {LABELS[bar.quantity]} of {bar.group}",
        unit=UNITS[bar.quantity],
        reference=reference,
        candidate=candidate,
        floor=of("floor") if all(each.floor for each in conditions) else None,
        difference=candidate,
        noise=None,
        limit=bar.limit,
        reference_limit=reference_limit,
        holds=candidate is not None
        and reference is not None
        and candidate <= bar.limit
        and reference <= reference_limit,
    )


def _union(seeds: Iterable[Sequence[int]]) -> tuple[int, ...]:
    return tuple(sorted({seed for each in seeds for seed in each}))


def _mean(figures: Sequence[RunFigures], quantity: str, group: str | None) -> float | None:
    of: Mapping[str, Callable[[RunFigures], float | None]] = {
        "loss": lambda run: run.loss_rate,
        "share": lambda run: run.groups[str(group)].share,
        "goodput": lambda run: run.groups[str(group)].goodput_bps,
        "rtt": lambda run: run.groups[str(group)].rtt_mean_s,
        "retransmits": lambda run: run.groups[str(group)].retransmit_rate,
    }
    values = [value for run in figures if (value := of[quantity](run)) is not None]
    return fmean(values) if values else None
