"""What a comparison came to, as `dumbbell agree --json` prints it: every table and figure is made from it.

Keys may be added; renaming or removing one is a new number in `SCHEMA_VERSION`. Times are seconds, rates bit/s, shares
and errors ratios; numbers have six digits.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

SCHEMA_VERSION = 1
DIGITS = 6


def rounded(value: float) -> float:
    """To the digits that a record keeps."""
    return float(f"{value:.{DIGITS}g}")


Number: TypeAlias = Annotated[float, AfterValidator(rounded)]


class Part(BaseModel):
    """A piece of a comparison."""

    model_config = ConfigDict(
        allow_inf_nan=False, extra="forbid", frozen=True, serialize_by_alias=True, use_attribute_docstrings=True,
        validate_by_name=True,
    )  # fmt: skip


class Source(Part):
    """Where the conditions come from."""

    spec: str | None = None
    """Name of the experiment; null: they were drawn at random."""
    random: int | None = None
    """How many were drawn."""
    seed: int | None = None
    """Of the draw."""
    duration: str | None = None
    """Of a drawn condition."""
    most_packets: int | None = None
    """Packets of a drawn condition, at most."""
    sets: tuple[str, ...] = ()
    """Fields that were set instead, as `path=value`."""


class Side(Part):
    """One of the two engines."""

    engine: str
    """Its name."""
    identity: str
    """Hash of everything that decides its bytes."""
    seeds: tuple[int, ...]
    """Of the runs that are compared."""
    measured_on: dict[str, Any]
    """What the engine says of itself: kernel release and the like."""


class GroupRuns(Part):
    """A group in one run."""

    goodput_bps: Number
    """Of all its flows."""
    share: Number | None
    """Of all groups' goodput."""
    rtt_mean_s: Number | None
    """Smoothed RTT, mean over its flows."""
    retransmit_rate: Number | None
    """Segments retransmitted / segments sent."""


class RunFigures(Part):
    """What is compared of one run."""

    seed: int
    """Seed of the run."""
    run_id: str
    """Its id in the store."""
    goodput_bps: Number
    """Of all flows."""
    loss_rate: Number | None
    """Dropped by the queue / offered to it; random loss is in neither."""
    queueing_delay: Number | None
    """Mean RTT less base RTT, mean over flows, as a share of the buffer's drain time."""
    utilization: Number | None
    """Bits that left the bottleneck / what its rate could carry."""
    groups: dict[str, GroupRuns]
    """By name."""


class Difference(Part):
    """One metric in one condition: medians and `excused` in the metric's unit, differences as shares of `scale`."""

    metric: str
    """Of the band that it counts in."""
    group: str | None
    """Whose goodput; null for what belongs to the path."""
    candidate: Number
    """Median over seeds."""
    reference: Number
    """Median over seeds."""
    floor: Number | None
    """Median of the reference over other seeds."""
    excused: Number
    """Half the reference's interquartile range over its seeds."""
    scale: Number
    """What an error is a share of, in the unit of the metric."""
    difference: Number
    """(candidate - reference) / scale, nothing excused."""
    half_width: Number | None
    """Of the 95 % interval of the mean paired difference over seeds, / scale; null: nothing varied."""
    error: Number
    """What of the difference is beyond `excused`, without sign."""
    floor_error: Number | None
    """The same of the reference under other seeds."""
    limits: Number | None
    """`error` in multiples of the 90th percentile that the band allows."""


class Winner(Part):
    """Who has most goodput a flow; null where seeds or flows tie."""

    reference: str | None
    """The group that wins with every seed."""
    candidate: str | None
    """By its medians over seeds."""
    floor: str | None
    """By the reference's medians over other seeds."""


class Group(Part):
    """Flows of one algorithm."""

    name: str
    """Of the `[[flows]]` table."""
    cc: str
    """Congestion control, as the spec has it."""
    flows: int
    """How many."""


class Condition(Part):
    """One point, on both engines."""

    name: str
    """Of the experiment, and the number of the point where it has several."""
    point: dict[str, Any]
    """Each swept value as the spec wrote it."""
    rate_bps: int
    """Of the bottleneck, at the beginning."""
    rtt_s: Number
    """Base RTT; the mean where flows differ."""
    buffer_bytes: int
    """Room of the bottleneck's queue."""
    buffer_bdp: Number
    """The same in bandwidth-delay products of the path."""
    loss: Number
    """Probability of random loss."""
    groups: tuple[Group, ...]
    """In the order of the spec."""
    candidate: tuple[RunFigures, ...]
    """A run a seed."""
    reference: tuple[RunFigures, ...]
    """A run a seed."""
    floor: tuple[RunFigures, ...]
    """The reference under other seeds."""
    differences: tuple[Difference, ...]
    """Empty where an engine failed."""
    winner: Winner | None
    """null where all flows have one algorithm."""
    failures: tuple[str, ...]
    """What an engine said of runs that it could not finish: the condition is not compared."""


class Spread(Part):
    """Errors over conditions."""

    n: int
    """How many errors, or winners."""
    median: Number | None
    """Of the errors."""
    p90: Number | None
    """90th percentile of the errors."""
    share: Number | None
    """With the same winner."""


class BandVerdict(Part):
    """One band."""

    metric: str
    """Key of the differences that count."""
    label: str
    """In words."""
    unit: str
    """Of the errors times 100."""
    of: str
    """What an error is a share of."""
    median_limit: float | None
    """Most that the median may be."""
    p90_limit: float | None
    """Most that the 90th percentile may be."""
    least: float | None
    """Least share with the same winner."""
    measured: Spread
    """Candidate against reference."""
    floor: Spread
    """Reference against itself under other seeds."""
    difference: Number | None
    """Mean signed difference over conditions, nothing excused."""
    half_width: Number | None
    """Of its 95 % interval; with one condition over seeds; null: nothing varied."""
    holds: bool | None
    """null: no condition has such a number."""


class Worst(Part):
    """A condition that is far off."""

    condition: str
    """Its name."""
    metric: str
    """In which it is farthest off."""
    group: str | None
    """Whose."""
    limits: Number
    """How far, in multiples of the band's 90th percentile."""


class EngineComparison(Part):
    """Two engines held against one another."""

    schema_version: Literal[1] = Field(default=1, alias="schema")
    """Version of this format."""
    versions: dict[str, str | None]
    """Of dumbbell, its commit, and what computed this."""
    candidate: Side
    """The engine that is held against the other."""
    reference: Side
    """The other."""
    floor_seeds: tuple[int, ...]
    """Other seeds of the reference: its noise."""
    holds: bool
    """No band or limit is broken, nothing failed, and something was compared."""


class Agreement(EngineComparison):
    """All conditions, and every band over them."""

    source: Source
    """Which conditions."""
    bands: tuple[BandVerdict, ...]
    """In the order of the design."""
    worst: tuple[Worst, ...]
    """The conditions that are farthest off, at most ten, the worst first."""
    conditions: tuple[Condition, ...]
    """All, in order."""

    def condition(self, name: str) -> Condition:
        """The condition of that name."""
        return next(each for each in self.conditions if each.name == name)
