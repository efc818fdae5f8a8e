"""The bands of each stratum: what nine of ten controls keep, never beyond the outer limits of an agreement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, floor, inf, log10
from typing import TYPE_CHECKING, Any, Final

from dev.chance import most_of_nine_in_ten, of_control
from dumbbell.comparison.agreement import BANDS, judge, verdicts
from dumbbell.comparison.record import Agreement, Band, Condition
from dumbbell.comparison.strata import stored_bands
from dumbbell.engines.family import is_live
from dumbbell.replacement import replacing

if TYPE_CHECKING:
    from pathlib import Path

NARROWEST: Final = 1 / 50
"""Of an outer limit: a narrower band would be about digits."""
STATISTICS: Final = ("median", "p90", "raw_median", "raw_p90")


def bands_of(stratum: str | None) -> Mapping[str, Band]:
    """The bands of a stratum; the outer limits where it has none yet."""
    of = stored_bands().get(stratum or "", {})
    return {
        metric: band.model_copy(update={f"{name}_limit": of[metric][name] for name in STATISTICS if metric in of})
        for metric, band in BANDS.items()
    }


def bands_from(agreement: Agreement) -> dict[str, dict[str, float]]:
    """Bands that nine of ten controls keep, all of them, but never beyond an outer limit; none without controls.

    Each statistic is what nine of ten do not exceed in it; all are widened by one factor, for a control that keeps nine
    limits may break the tenth.
    """
    controls = [_statistics(of_control(agreement.conditions, index)) for index, _ in enumerate(agreement.controls)]
    if not controls:
        return {}
    keys = dict.fromkeys(key for of in controls for key in of)  # a control may lack one
    alone = {key: most_of_nine_in_ten([of[key] for of in controls if key in of]) for key in keys}
    factor = most_of_nine_in_ten([max((own / alone[key] for key, own in of.items()), default=0.0) for of in controls])
    bands: dict[str, dict[str, float]] = {}
    for (metric, name), most in alone.items():
        outer = inf if name.startswith("raw") else _outer_limit(metric, name)
        bands.setdefault(metric, {})[name] = upwards(min(max(factor, 1.0) * most, outer))
    return bands


def _statistics(conditions: Sequence[Condition]) -> dict[tuple[str, str], float]:
    """What bands limit, by metric and statistic; none is less than what would be about digits."""
    return {
        (verdict.metric, name): max(value or 0.0, NARROWEST * _outer_limit(verdict.metric, name))
        for verdict in verdicts(conditions)
        if verdict.measured.n and verdict.least is None
        for name, value in zip(
            STATISTICS,
            (verdict.measured.median, verdict.measured.p90, verdict.raw.median, verdict.raw.p90),
            strict=True,
        )
    }


def _outer_limit(metric: str, statistic: str) -> float:
    """What the design allows a statistic to be; a median without a limit of its own half of the 90th percentile."""
    outer = BANDS[metric]
    most = outer.p90_limit or inf
    return most if statistic.endswith("p90") else outer.median_limit or most / 2


def upwards(value: float) -> float:
    """Three digits, and no less."""
    unit = 10.0 ** (floor(log10(value)) - 2)
    return float(f"{ceil(round(value / unit, 6)) * unit:.3g}")


def judged_again(agreement: Agreement) -> Agreement:
    """The same measurement by the bands that its stratum has now: the simulator's, which no engine in real time has."""
    stratum = None if is_live(agreement.candidate.engine) else agreement.source.stratum
    judged = judge(
        agreement.conditions, agreement.source, agreement.candidate, agreement.reference, agreement.floor_seeds,
        bands_of(stratum),
    )  # fmt: skip
    return judged.model_copy(update={"versions": agreement.versions, "controls": agreement.controls})


def controls_that_keep(agreement: Agreement) -> list[bool]:
    """Of each control, whether it keeps every band of the stratum."""
    bands = bands_of(agreement.source.stratum)
    return [
        all(each.holds is not False for each in verdicts(of_control(agreement.conditions, index), bands))
        for index, _ in enumerate(agreement.controls)
    ]


def store_bands(path: Path, measured: Mapping[str, Agreement]) -> None:
    """Writes the bands that these measurements make, by stratum, into the file of all bands; the others stay."""
    header = "".join(line for line in path.read_text(encoding="utf-8").splitlines(keepends=True) if line[0] == "#")
    bands: dict[str, Any] = {name: dict(table) for name, table in stored_bands().items()}
    for stratum, agreement in measured.items():
        if not agreement.controls:
            bands.pop(stratum, None)
            continue
        identities = [f"{side.engine} {side.identity[:12]}" for side in (agreement.candidate, agreement.reference)]
        conditions = f"{len(agreement.conditions)} conditions of seed {agreement.source.seed}"
        conditions += f", {len(agreement.controls)} controls"
        bands[stratum] = {"measured": f"{', '.join(identities)}, {conditions}"} | bands_from(agreement)
    lines = [line for stratum, table in bands.items() for line in ("", f"[{stratum}]", *_toml_lines(table))]
    with replacing(path) as partial:
        partial.write_text(header + "\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    stored_bands.cache_clear()


def _toml_lines(table: Mapping[str, Any]) -> Iterator[str]:
    """A metric a line: as tables of their own hundreds of limits are five times as long."""
    yield f'measured = "{table["measured"]}"'
    for metric, limits in table.items():
        if isinstance(limits, Mapping):
            yield f"{metric} = {{ {', '.join(f'{name} = {limit!r}' for name, limit in limits.items())} }}"
