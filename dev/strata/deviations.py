"""How far the simulator is from the kernel and from hosts, without the chance of either: what `advise` widens by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
from scipy.stats import t as student_t

from dev.strata.bands import upwards
from dumbbell.comparison.strata import GOODPUT, RESENDS, stored_deviations
from dumbbell.replacement import replacing

if TYPE_CHECKING:
    from pathlib import Path

    from dev.validation.hosts import HostsRecord
    from dumbbell.comparison.record import Agreement, Condition, RunFigures
    from dumbbell.hosts.record import HostRecord

QUANTITIES: Final = {GOODPUT: "goodput_bps", RESENDS: "retransmit_rate"}
"""By the names of a record."""
CONFIDENCE: Final = 0.95
NORMAL: Final = 1.96
"""Standard deviations within which so much of normal errors lies."""
LEAST_SHARE: Final = 1e-3
LEAST_DEVIATION: Final = 5e-3
"""Few seeds may be alike in what differs from seed to seed: less is not known by them."""


def deviations_of(agreement: Agreement) -> dict[str, float]:
    """Of each quantity that groups of a stratum have, a share of it."""
    every = {name: model_deviation(agreement.conditions, key) for name, key in QUANTITIES.items()}
    return {name: deviation for name, deviation in every.items() if deviation is not None}


def model_deviation(conditions: Sequence[Condition], quantity: str) -> float | None:
    """The least standard deviation of the candidate from the reference, a share of it, by which intervals hold.

    Chance has its part: of the groups' differences between both engines' means 95 % have to lie within the t-quantile
    times the root of all variances. None where no group has the quantity; where the reference has less than a
    thousandth, the group is left out.
    """
    differences, variances, freedom = [], [], []
    for each in conditions:
        for group in each.groups:
            sides = [_values(side, group.name, quantity) for side in (each.candidate, each.reference)]
            level = sides[1].mean() if sides[1].size else 0.0
            if min(side.size for side in sides) < 2 or level < LEAST_SHARE:  # noqa: PLR2004 (one has no variance)
                continue
            differences.append(abs(sides[0].mean() - level) / level)
            variances.append(sum(side.var(ddof=1) / side.size for side in sides) / level**2)
            freedom.append(sum(side.size - 1 for side in sides))
    if not differences:
        return None
    quantiles, own = student_t.ppf(1 - (1 - CONFIDENCE) / 2, freedom), np.array(differences)
    needed = np.sqrt(np.maximum((own / quantiles) ** 2 - np.array(variances), 0.0))
    return upwards(max(float(np.quantile(needed, CONFIDENCE, method="higher")), LEAST_DEVIATION))


def _values(runs: Sequence[RunFigures], group: str, quantity: str) -> npt.NDArray[np.float64]:
    """Of a group, of the runs that have one."""
    known = [getattr(run.groups[group], quantity) for run in runs if group in run.groups]
    return np.array([each for each in known if each is not None], dtype=np.float64)


def hosts_deviation(record: HostsRecord, engine: str) -> float:
    """The standard deviation of an engine from shares of the line that hosts measured: normal, it has 95 % of them."""
    every = [abs(each) for table in record.drawn for each in _differences(record.of(table), engine)]
    return upwards(float(np.quantile(every, CONFIDENCE, method="higher")) / NORMAL)


def _differences(record: HostRecord | None, engine: str) -> Iterator[float]:
    """Of shares, at each point that an engine has."""
    for point in record.points if record else ():
        difference = point.difference(engine)
        if point.absolute and difference is not None:
            yield difference


def store_deviations(path: Path, measured: Mapping[str, Mapping[str, float]]) -> None:
    """Writes those of these strata, and of hosts, into the file of all; the others stay."""
    header = "".join(line for line in path.read_text(encoding="utf-8").splitlines(keepends=True) if line[0] == "#")
    tables = {**stored_deviations(), **measured}
    with replacing(path) as partial:
        partial.write_text(header + "".join(_toml(tables)), encoding="utf-8", newline="\n")
    stored_deviations.cache_clear()


def _toml(tables: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    for name, table in tables.items():
        yield f"\n[{name}]\n"
        yield from (f"{quantity} = {deviation!r}\n" for quantity, deviation in table.items())
