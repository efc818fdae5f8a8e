"""Single flows on two engines: how a window moves, and what BBR says of itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dumbbell.comparison import agreement_text as words
from dumbbell.comparison import markdown
from dumbbell.comparison.campaigns import runs
from dumbbell.studies.single_flows import text
from dumbbell.studies.single_flows.chart import figure
from dumbbell.studies.single_flows.comparison import judge
from dumbbell.studies.single_flows.conditions import LOSS_BASED, experiments
from dumbbell.studies.single_flows.record import Curves
from dumbbell.validation.agreement import compared, failures, sides_of
from dumbbell.validation.part import Found

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from dumbbell.comparison.campaigns import Sides
    from dumbbell.engines.protocol import Engine
    from dumbbell.results.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvesPart:
    """As the plan has it."""

    name: str
    candidate: str
    reference: str
    seeds: int
    floor: int

    @property
    def engines(self) -> tuple[str, ...]:
        """Both."""
        return (self.reference, self.candidate)

    @property
    def whole(self) -> bool:
        """As with all comparisons."""
        return True

    def total(self, engines: Sequence[Engine]) -> int:
        """How many runs."""
        return runs(list(experiments()), self._sides(engines))

    def measure(self, store: Store, engines: Sequence[Engine], jobs: int | None, progress: Callable[[], None]) -> Found:
        """Runs what is missing, and judges every curve."""
        sides = self._sides(engines)
        conditions, both = compared(store, list(experiments()), sides, jobs, progress)
        found = judge(store, conditions, (), both, sides.floor_seeds)
        return Found(kept=found.model_dump_json() + "\n", failures=failures(conditions))

    def told(self, kept: str) -> str:
        """The section in Markdown."""
        return section(Curves.model_validate_json(kept))

    def verdict(self, kept: str) -> str:
        """Which limits hold."""
        return text.summary(Curves.model_validate_json(kept))

    def draw(self, kept: str, folder: Path) -> list[Path]:
        """Its figure."""
        return markdown.save(figure(Curves.model_validate_json(kept)), folder)

    def _sides(self, engines: Sequence[Engine]) -> Sides:
        return sides_of(engines, self.candidate, self.reference, self.seeds, self.floor)


def section(curves: Curves, *, figures: str = "figures") -> str:
    """The section in Markdown; `figures` is where the text finds the figure."""
    return markdown.document(_lines(curves, figures))


def _lines(curves: Curves, figures: str) -> Iterator[str]:
    yield f"## Curves of single flows: `{curves.candidate.engine}` over `{curves.reference.engine}`"
    yield ""
    yield f"{text.origin(curves).capitalize()}. {text.summary(curves)}"
    yield ""
    yield from markdown.console(text.command(curves))
    for title, chosen in (
        ("Loss-based", [case for case in curves.cases if case.cc in LOSS_BASED]),
        ("BBR", [case for case in curves.cases if case.cc not in LOSS_BASED]),
    ):
        if any(case.comparisons for case in chosen):
            yield f"{title}: the largest difference over the paths, and in brackets the largest noise."
            yield ""
            yield from markdown.table(*text.worst_of_paths(chosen))
    yield text.legend(curves)
    yield ""
    yield from markdown.figure(figure(curves), figures)
    broken = text.table(curves, broken_only=True)
    if broken:
        yield "### Beyond the limit"
        yield ""
        yield from markdown.table(text.header(curves), broken)
    yield from markdown.failures(text.failures(curves))
    yield words.versions(curves)
