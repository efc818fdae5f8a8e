"""A capture as one side of a comparison: measured as the runs of the other side, in a store for this time only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from dumbbell.campaign.execution import run_experiments
from dumbbell.campaign.plan import plan
from dumbbell.comparison.selection import ENGINE, EXPERIMENT, SelectedPoint, Selection, campaigns_of, read, selections
from dumbbell.engines.registry import engine as engine_named
from dumbbell.errors import ComparisonError
from dumbbell.metrics.number import counted
from dumbbell.results.ledger import listed
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, SpecError

if TYPE_CHECKING:
    from dumbbell.engines.protocol import Engine

RECORDS: Final = ("measure.record", "measure.ss")
"""What an engine may lack, as it changes nothing of what is compared."""


@contextmanager
def sides(a: str, b: str) -> Iterator[tuple[Selection, Selection]]:
    """Both sides of a comparison, as they were written; one may be a file, a capture.

    Raises:
        ComparisonError: one cannot be read, or the capture is not of what the other side's runs are.
        CaptureError: the file is none.
    """
    captures = [Path(text).is_file() for text in (a, b)]
    if not any(captures):
        yield selections(a, b)
        return
    if all(captures):
        raise ComparisonError(f"{a} and {b} are captures; `dumbbell pcap {a} {b}` compares them packet by packet")
    file, other = (a, b) if captures[0] else (b, a)
    if other.startswith("@"):
        raise ComparisonError(f'{other}: names no store, and {file} is a capture; write "STORE{other}"')
    runs, _ = selections(other, other)
    with TemporaryDirectory() as folder:
        captured = Selection(file, Path(folder) / "store", {})
        _measure(captured, runs, engine_named(f"capture:{file}"))
        yield (captured, runs) if captures[0] else (runs, captured)


def _measure(captured: Selection, runs: Selection, engine: Engine) -> None:
    """Measures the capture as each of the runs, which have one request."""
    selected = read(runs)
    if len(selected.points) > 1:
        raise ComparisonError(
            f"{captured.text}: a capture is of one point, and {runs.text} has {counted(len(selected.points), 'point')};"
            f" select one, as {_selecting(runs, selected.points)}"
        )
    ids = listed(f"'{run_id}'" for run_id in selected.runs["run_id"])
    with Store.open(runs.folder) as store:
        campaigns = {each.id: each for each in campaigns_of(store.ledger, runs)}
        members = store.ledger.rows(
            "SELECT campaign, position FROM member JOIN run ON run.id = member.run"  # noqa: S608 (ids of a ledger)
            f" WHERE run_id IN ({ids}) AND campaign IN ({listed(campaigns)}) ORDER BY campaign, position"
        )
    number = members[0]["campaign"]
    places = [each["position"] for each in members if each["campaign"] == number]
    try:
        experiment = Experiment(**campaigns[number].spec)
    except SpecError as error:
        raise ComparisonError(f"{runs.text}: its spec needs files that are not in the store: {error}") from None
    first = next(plan(experiment, places[:1]))
    problems = [each for each in engine.unsupported_fields(first.resolved.run) if each.path not in RECORDS]
    if problems:
        listing = "\n".join(map(str, problems))
        raise ComparisonError(f"{captured.text} is no capture of what {runs.text} has:\n{listing}")
    with Store.open(captured.folder, write=True) as store:
        for each in run_experiments(store, [experiment], engine, only=[places]):
            if each.outcome is not None and each.outcome.status == "failed":
                raise ComparisonError(f"{captured.text}: {each.outcome.error}")


def _selecting(runs: Selection, points: list[SelectedPoint]) -> str:
    """How the first of several points is selected."""
    first, *others = [
        {ENGINE: each.engine, EXPERIMENT: each.experiment, **{key: str(value) for key, value in each.swept.items()}}
        for each in points
    ]
    differing = {key: value for key, value in first.items() if any(each.get(key) != value for each in others)}
    conditions = ",".join(f"{key}={value}" for key, value in {**runs.wanted, **differing}.items())
    return f"'{runs.folder}@{conditions}'"
