"""What a store has of a run, made without one: its rows in the ledger, and its series as Parquet files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Final, Self

from dumbbell.metrics.summary import BottleneckSummary, FlowSummary, GroupSummary, HopSummary
from dumbbell.results.provenance import OWN_NOISE
from dumbbell.results.request import request_of
from dumbbell.results.series import SeriesFile, SeriesFolder
from dumbbell.results.tables import PROGRAM_NUMBERS
from dumbbell.results.values import values_of_groups, values_of_run

if TYPE_CHECKING:
    from pathlib import Path

    from dumbbell.engines.measurement import Measurement
    from dumbbell.results.schema import Outcome, Result
    from dumbbell.spec import Resolved

FIELDS: Final = {
    summary: tuple(each.name for each in fields(summary))
    for summary in (BottleneckSummary, FlowSummary, GroupSummary, HopSummary)
}
BOTTLENECK: Final = FIELDS[BottleneckSummary]


@dataclass(frozen=True, slots=True)
class RunRows:
    """Everything of a run but which campaign it is in, where it was measured, and when."""

    run: Mapping[str, Any]
    """Its row in `run`."""
    others: tuple[tuple[str, Mapping[str, Any]], ...]
    """Its rows in other tables, each with the table's name; the run's number is not in them."""
    series: Mapping[str, bytes]
    """Parquet files that are not written yet, by kind."""
    facts: Mapping[str, Any]
    """What the engine said of itself, and of the run's noise."""
    files: tuple[SeriesFile, ...] = ()
    """Those that are written, and captures."""

    @classmethod
    def of(cls, outcome: Outcome, resolved: Resolved, measurement: Measurement | None) -> Self:
        """Those of a run that has ended; `measurement`: None of one that failed."""
        facts: dict[str, Any] = {} if resolved.run.path.jitter_ns is not None else {"timing_noise": OWN_NOISE}
        if measurement is not None and measurement.facts:
            facts["measured_on"] = dict(measurement.facts)
        others = [("request", {"resolved": resolved.run.to_json()})]
        if outcome.status == "ok":
            others += _measured(outcome, resolved)
        return cls(_run(outcome, resolved), tuple(others), _series(resolved, measurement), facts)

    def written(self, folder: SeriesFolder) -> Self:
        """The same, with its series in a store's folder, which refers to them once the run is entered.

        Raises:
            StoreFailure: they cannot be written.
        """
        files = tuple(folder.write(self.run_id, self.series))
        return replace(self, series={}, files=(*self.files, *files)) if files else self

    def captured(self, folder: SeriesFolder, captures: Iterable[Path]) -> Self:
        """The same, with captures that are in a store's folder.

        Raises:
            StoreFailure: they cannot be taken over.
        """
        return replace(self, files=(*self.files, *folder.take_over(self.run_id, captures)))

    @property
    def run_id(self) -> str:
        return str(self.run["run_id"])


def _run(outcome: Outcome, resolved: Resolved) -> dict[str, Any]:
    row: dict[str, Any] = {
        "run_id": outcome.run_id, "engine": outcome.engine, "seed": outcome.seed, "status": outcome.status,
        "wall_s": outcome.wall_s, **request_of(resolved),
        **dict.fromkeys(("error", "window_begin_s", "window_end_s", "jain", "warnings", *BOTTLENECK)),
    }  # fmt: skip
    if outcome.status == "failed":
        return row | {"error": outcome.error}
    begin_s, end_s = outcome.window_s
    row |= {"window_begin_s": begin_s, "window_end_s": end_s, "jain": outcome.jain, **_columns(outcome.bottleneck)}
    return row | {"warnings": json.dumps(outcome.warnings, ensure_ascii=False) if outcome.warnings else None}


def _measured(outcome: Result, resolved: Resolved) -> Iterator[tuple[str, dict[str, Any]]]:
    for flow in outcome.flows:
        said = None if flow.program is None else json.dumps(asdict(flow.program), ensure_ascii=False)
        yield "flow", _columns(flow) | {"program": said} | {name: getattr(flow, name) for name in PROGRAM_NUMBERS}
    for position, (name, group) in enumerate(outcome.groups.items()):
        yield "flow_group", {"position": position, "name": name, **_columns(group)}
    for position, hop in enumerate(outcome.hops):
        yield "hop", {"position": position, **_columns(hop)}
    yield "run_value", values_of_run(outcome, resolved.run)
    for values in values_of_groups(outcome, resolved):
        yield "group_value", values


def _columns(summary: BottleneckSummary | FlowSummary | GroupSummary | HopSummary) -> dict[str, Any]:
    """A summary's fields, whose values are no objects of ours but for a flow's program; `asdict` copies each one."""
    return {name: getattr(summary, name) for name in FIELDS[type(summary)]}


def _series(resolved: Resolved, measurement: Measurement | None) -> dict[str, bytes]:
    measure = resolved.run.measure
    if measurement is None or (
        measure.record == "summary"
        and not measure.ss_ns
        and all(each.transfers is None and each.pages is None for each in measurement.flows)
    ):
        return {}
    from dumbbell.results import gauges  # noqa: PLC0415 (late: a short run takes less time than to load it)

    tables = gauges.tables(resolved.run, measurement, resolved.groups, resolved.ccs)
    return {kind: gauges.parquet(table) for kind, table in tables.items()}
