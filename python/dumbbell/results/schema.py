"""The JSON object of a run, as `dumbbell run --json` prints it and as a store keeps it.

`docs/result.schema.json` is generated from `RESULT`; `docs/results-format.md` explains it. Keys may be added; renaming
or removing one is a new number in `SCHEMA_VERSION`.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from dumbbell.metrics.summary import BottleneckSummary, FlowSummary, GroupSummary, HopSummary
from dumbbell.results.disturbance import Validity

SCHEMA_VERSION = 1


class _Base(BaseModel):
    model_config = ConfigDict(
        allow_inf_nan=False, extra="forbid", frozen=True, serialize_by_alias=True, use_attribute_docstrings=True,
        validate_by_name=True,
    )  # fmt: skip

    schema_version: Literal[1] = Field(default=1, alias="schema")
    """Version of this format."""
    run_id: str = Field(pattern="^[0-9a-f]{16}$")
    """Hash of the resolved run, its groups, algorithms and BDP, and the engine's build: same id, same but `wall_s`."""
    engine: str
    """Name of the engine that measured it."""
    seed: int
    """Seed of every random stream of the run."""


class Result(_Base):
    """A run that was measured."""

    status: Literal["ok"] = "ok"
    """The run was measured."""
    point: dict[str, Any]
    """Each swept value, as the spec wrote it, by its path."""
    window_s: tuple[float, float]
    """Where the summary was taken, seconds from the run's beginning; ends with the run where that is earlier."""
    flows: tuple[FlowSummary, ...]
    """One entry a flow, in the order of the spec."""
    bottleneck: BottleneckSummary
    """The queue and line that all flows share; of several the one that the spec names, else the slowest."""
    hops: tuple[HopSummary, ...] = ()
    """Every queue of a path with several, the bottleneck's among them, in the order in which data meets them, and then
    those of the way back; empty where there is but one."""
    groups: dict[str, GroupSummary]
    """By the name of the `[[flows]]` table."""
    jain: float | None
    """Jain's index of the goodput of the flows whose data pass the bottleneck; null when there is none."""
    wall_s: float
    """The engine's own time, seconds of a real clock."""
    warnings: tuple[str, ...]
    """What to look at before trusting the result."""
    validity: Validity | None = None
    """Of a run in real time: SUSPECT where something disturbed it, as a warning says that begins with "live:"; null of
    one in virtual time."""


class FailedRun(_Base):
    """A run that the engine could not finish."""

    status: Literal["failed"] = "failed"
    """The engine could not finish the run."""
    point: dict[str, Any]
    """Each swept value, as the spec wrote it, by its path."""
    error: str
    """The engine's message: why the run could not be finished."""
    wall_s: float
    """How long it took to fail."""


Outcome: TypeAlias = Result | FailedRun
"""What became of a run."""
RESULT: TypeAdapter[Outcome] = TypeAdapter(Annotated[Outcome, Field(discriminator="status")])
"""Reads a result, and describes it."""


def json_schema() -> dict[str, Any]:
    """The JSON schema of a result."""
    schema = RESULT.json_schema(by_alias=True, mode="serialization")
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "One run of dumbbell"}
    return head | schema


if __name__ == "__main__":
    print(json.dumps(json_schema(), indent=2))  # noqa: T201 (docs/result.schema.json)
