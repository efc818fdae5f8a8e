"""Two engines held against one another over conditions drawn at random."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from dumbbell.comparison import agreement_text as words
from dumbbell.comparison import random_conditions, section
from dumbbell.comparison.bands import judge
from dumbbell.comparison.campaigns import Sides, carry_out, engine_sides, runs
from dumbbell.comparison.record import Agreement, Source
from dumbbell.validation.part import Found

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from dumbbell.comparison.record import Condition, Side
    from dumbbell.engines.protocol import Engine
    from dumbbell.results.store import Store
    from dumbbell.spec import Experiment

DIGITS: Final = 5
"""Significant ones of a number that is kept: more than the page shows, and half the bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementPart:
    """As the plan has it."""

    name: str
    candidate: str
    reference: str
    random: int
    """How many conditions."""
    seed: int
    """Of the draw."""
    seeds: int
    """Of each engine's runs."""
    floor: int
    """More seeds of the reference, which it is held against itself with."""
    duration: str = random_conditions.USUAL_DURATION
    most_packets: int = random_conditions.MOST_PACKETS

    @property
    def engines(self) -> tuple[str, ...]:
        """The reference first: it takes longer, and its absence is told at once."""
        return (self.reference, self.candidate)

    @property
    def whole(self) -> bool:
        """One engine alone agrees with nobody."""
        return True

    def total(self, engines: Sequence[Engine]) -> int:
        """How many runs."""
        return runs(list(self._drawn()), self._sides(engines))

    def measure(self, store: Store, engines: Sequence[Engine], jobs: int | None, progress: Callable[[], None]) -> Found:
        """Runs what is missing, and judges every band."""
        sides = self._sides(engines)
        conditions, (ours, theirs) = compared(store, list(self._drawn()), sides, jobs, progress)
        source = Source(random=self.random, seed=self.seed, duration=self.duration, most_packets=self.most_packets)
        agreement = judge(conditions, source, ours, theirs, sides.floor_seeds)
        return Found(kept=kept(agreement), failures=failures(conditions))

    def told(self, kept: str) -> str:
        """The section in Markdown."""
        return section.section(json.loads(kept))

    def verdict(self, kept: str) -> str:
        """Which bands hold."""
        agreement = Agreement.model_validate_json(kept)
        return f"{words.origin(agreement)}. {words.summary(agreement)}"

    def draw(self, kept: str, folder: Path) -> list[Path]:
        """Distributions and scatter."""
        return section.draw(json.loads(kept), folder)

    def _drawn(self) -> Iterator[Experiment]:
        return random_conditions.conditions(
            self.random, self.seed, duration=self.duration, most_packets=self.most_packets
        )

    def _sides(self, engines: Sequence[Engine]) -> Sides:
        return sides_of(engines, self.candidate, self.reference, self.seeds, self.floor)


def sides_of(engines: Sequence[Engine], candidate: str, reference: str, seeds: int, floor: int) -> Sides:
    """Both engines, by their names."""
    by_name = {engine.name: engine for engine in engines}
    return Sides(by_name[candidate], by_name[reference], seeds, floor)


def compared(
    store: Store, experiments: Sequence[Experiment], sides: Sides, jobs: int | None, progress: Callable[[], None]
) -> tuple[list[Condition], tuple[Side, Side]]:
    """Every condition, and what is told of candidate and reference."""
    conditions = carry_out(store, experiments, sides, jobs=jobs, progress=progress)
    return conditions, engine_sides(store, sides, conditions)


def failures(conditions: Sequence[Condition]) -> tuple[str, ...]:
    """What engines said of runs that they could not finish."""
    return tuple(words.failures(conditions))


def kept(agreement: Agreement) -> str:
    """The comparison without what no page shows, a line a condition.

    Two hundred conditions with five seeds are less than a megabyte. The store has the rest.
    """
    whole = agreement.model_dump(mode="json")
    conditions = [_shorn(condition) for condition in whole.pop("conditions")]
    head = "".join(f"{_json(key)}: {_json(_short(value))},\n" for key, value in whole.items())
    return "{\n" + head + '"conditions": [\n' + ",\n".join(map(_json, conditions)) + "\n]\n}\n"


def _shorn(condition: dict[str, Any]) -> dict[str, Any]:
    """Without the runs of the noise, of which each difference has its own number, and what runs are looked up by."""
    condition["floor"] = []
    for run in (*condition["candidate"], *condition["reference"]):
        run |= {"run_id": "", "utilization": None}
        for group in run["groups"].values():
            group["retransmit_rate"] = None
    shortened: dict[str, Any] = _short(condition)
    return shortened


def _short(value: Any) -> Any:  # noqa: ANN401 (any JSON)
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, dict):
        return {key: _short(each) for key, each in value.items()}
    return [_short(each) for each in value] if isinstance(value, list) else value


def _json(value: Any) -> str:  # noqa: ANN401 (likewise)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
