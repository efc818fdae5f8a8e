"""What the runs of a spec were expected to show, printed and written for CI."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dumbbell.engines.protocol import Engine
    from dumbbell.experiment.expectations import JudgedExpectation
    from dumbbell.results.campaign import Campaign
    from dumbbell.results.store import Store
    from dumbbell.spec import Experiment

LABELS: Final = {"holds": "hold", "fails": "fail", "undecided": "undecided"}
"""Of verdicts, where they are counted."""
MOST_ROWS: Final = 100
"""Of points at which an expectation holds; those at which it does not are all there."""


@dataclass(frozen=True, slots=True)
class Judging:
    """The expectations of an experiment, and what the options of `run` say of them."""

    experiment: Experiment
    spec: Path
    """As the command line names it."""
    junit: Path | None
    strict: bool

    @classmethod
    def of(cls, experiment: Experiment, spec: Path, junit: Path | None, *, strict: bool) -> Judging:
        """Refuses an option that is of no use."""
        if (junit is not None or strict) and not experiment.expectations:
            option = "--strict" if junit is None else "--junit"
            raise typer.BadParameter("the spec has no [[expect]]", param_hint=option)
        return cls(experiment, spec, junit, strict)

    def judge(self, store: Store, campaign: Campaign, engine: Engine, *, err: bool) -> bool:
        """Judges and prints them, on standard error where that is wanted; gives whether one is broken.

        Raises:
            ReportError: the file of JUnit cannot be written.
        """
        from dumbbell.experiment.expectations import judged
        from dumbbell.experiment.points import read_campaign

        if not self.experiment.expectations:
            return False
        verdicts = judged(store, read_campaign(store, campaign, self.experiment))
        print_expectations(verdicts, err=err)
        if self.junit is not None:
            self._write(self.junit, store, engine, verdicts)
        broken = {"fails", "undecided"} if self.strict else {"fails"}
        return any(each.verdict in broken for each in verdicts)

    def _write(self, file: Path, store: Store, engine: Engine, verdicts: Sequence[JudgedExpectation]) -> None:
        from dumbbell.report.junit import junit, write

        seeds = self.experiment.seed_values
        facts = {
            "spec": self.spec,
            "engine": engine.name,
            "identity": engine.identity(),
            "seeds": " ".join(map(str, seeds)) if len(seeds) <= MOST_ROWS else f"{seeds[0]} to {seeds[-1]}",
        }
        outcomes = {run_id: store.get(run_id) for each in verdicts for run_id in each.run_ids}
        wall_s = {run_id: outcome.wall_s for run_id, outcome in outcomes.items() if outcome is not None}
        write(junit(self.experiment.name, verdicts, facts, wall_s, strict=self.strict), file)


def print_expectations(verdicts: Sequence[JudgedExpectation], *, err: bool) -> None:
    """Prints a table of them, and a sentence on each that does not hold."""
    from dumbbell.experiment.expectations import table
    from dumbbell.metrics.number import counted
    from dumbbell.tables.plain_text import lay_out
    from dumbbell.tables.terminal import columns, wrapped

    others = [each for each in verdicts if each.verdict != "holds"]
    shown = verdicts if len(verdicts) <= MOST_ROWS else others
    for line in ("", *lay_out(table(shown), columns()).lines) if shown else ():
        typer.echo(line, err=err)
    counts = Counter[str](each.verdict for each in verdicts)
    labels = [f"{counts[word]} {label}" for word, label in LABELS.items() if counts[word]]
    typer.echo(f"\n{counted(len(verdicts), 'expectation')}: {', '.join(labels)}", err=err)
    for each in others:
        typer.echo(wrapped(f"{each.verdict}: {each.text}", columns()), err=True)
