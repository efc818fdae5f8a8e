"""What two engines measured, compared, as `dumbbell agree --json` prints it: all else is made from it.

Keys may be added; renaming or removing one is a new `schema`. Times are seconds, rates bit/s, shares and errors ratios;
numbers have six digits.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from dumbbell.cc import base_name
from dumbbell.metrics.number import rounded

Number: TypeAlias = Annotated[float, AfterValidator(rounded)]


class Part(BaseModel):
    """A piece of a comparison."""

    model_config = ConfigDict(
        allow_inf_nan=False, extra="forbid", frozen=True, json_schema_serialization_defaults_required=True,
        serialize_by_alias=True, use_attribute_docstrings=True, validate_by_name=True,
    )  # fmt: skip


class Source(Part):
    """Where the conditions come from."""

    spec: str | None = None
    """Name of the experiment; null: they were drawn at random."""
    file: str | None = None
    """Name of the experiment's file, without its folder; null too where an older version did not keep it."""
    stratum: str | None = None
    """What they were drawn from; null: an older version's, from the plain path."""
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
    identity: str
    """Hash of everything that decides its bytes."""
    seeds: tuple[int, ...]
    """Of the runs that are compared."""
    measured_on: dict[str, Any]
    """What the engine says of itself: kernel release and the like."""
    figures: str | None = None
    """Hash of the sources that computed the figures of its runs; null: an earlier version's."""


class EngineComparison(Part):
    """Two engines compared."""

    schema_version: Literal[2] = Field(default=2, alias="schema")
    versions: dict[str, str | None]
    """Of dumbbell, its commit, and what computed this."""
    candidate: Side
    """The engine that is held against the other."""
    reference: Side
    floor_seeds: tuple[int, ...]
    """Other seeds of the reference: its noise."""
    controls: tuple[int, ...] = ()
    """By how much the seeds of the candidate's random streams are moved in each control: what chance does to it."""
    holds: bool
    """No band or limit is broken, nothing failed, and something was compared."""

    @property
    def engine_names(self) -> tuple[str, str]:
        """Candidate's and reference's, told apart where one engine is compared with itself."""
        names = self.candidate.engine, self.reference.engine
        return names if names[0] != names[1] else (f"{names[0]} (candidate)", f"{names[1]} (reference)")


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
    fct_p50_s: Number | None = None
    """Median of its transfers' completion times, from connect() to the last byte delivered; null where it has none."""
    fct_p95_s: Number | None = None
    """95th percentile of the same."""


class RunFigures(Part):
    """What is compared of one run."""

    seed: int
    run_id: str
    """Its id in the store."""
    goodput_bps: Number
    """Of all flows."""
    loss_rate: Number | None
    """Dropped by the queue / offered to it; random loss is in neither."""
    mark_rate: Number | None = None
    """Marked by the queue / sent by it."""
    queueing_delay: Number | None
    """Mean RTT less base RTT, mean over flows, as a share of the buffer's drain time."""
    utilization: Number | None
    """Bits that left the bottleneck / what its rate could carry."""
    groups: dict[str, GroupRuns]


class Difference(Part):
    """One metric in one condition: medians and `excused` in the metric's unit, differences as shares of `scale`."""

    metric: str
    """Of the band that it counts in."""
    group: str | None
    """Whose goodput or completion time; null for what belongs to the path."""
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
    controls: tuple[Number | None, ...] = ()
    """`difference` of each control; null: it has no such number."""

    @property
    def raw_error(self) -> float:
        """How far the medians are apart, nothing excused."""
        return abs(self.difference)

    @property
    def raw_floor_error(self) -> float | None:
        """The same of the reference under other seeds; None where it has none."""
        return None if self.floor is None or not self.scale else abs(self.floor - self.reference) / self.scale


class Winner(Part):
    """Who has most goodput a flow; null where seeds or flows tie."""

    reference: str | None
    """The group that wins with every seed."""
    candidate: str | None
    """By its medians over seeds."""
    floor: str | None
    """By the reference's medians over other seeds."""
    controls: tuple[str | None, ...] = ()
    """By the medians of each control."""


class Group(Part):
    """Flows of one algorithm."""

    name: str
    """Of the `[[flows]]` table."""
    cc: str
    """Congestion control, as the spec has it."""
    flows: int
    """How many."""

    @property
    def algorithm(self) -> str:
        """Without its variant and parameters."""
        return base_name(self.cc)


class RunFailure(Part):
    """A run that an engine could not finish."""

    engine: str
    """By name."""
    seed: int
    """Of the run."""
    error: str
    """What the engine said of it."""


class Suspect(Part):
    """A run in real time that something disturbed."""

    engine: str
    """By name."""
    seed: int
    """Of the run."""
    point: dict[str, Any] = Field(default_factory=dict)
    """Each swept value as the spec wrote it."""
    reasons: tuple[str, ...]
    """What disturbed it."""


class Path(Part):
    """Where a condition runs."""

    name: str
    """Of the experiment, and the number of the point where it has several."""
    rate_bps: int
    """Of the bottleneck, at the beginning."""
    rtt_s: Number
    """Base RTT; the mean where flows differ."""
    buffer_bdp: Number
    """Room of the bottleneck's queue in bandwidth-delay products of the path."""
    failures: tuple[RunFailure, ...]
    """Runs that an engine could not finish: the condition is not compared."""


class Condition(Path):
    """One point, on both engines."""

    point: dict[str, Any]
    """Each swept value as the spec wrote it."""
    buffer_bytes: int
    """Room of the bottleneck's queue."""
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
    suspects: tuple[Suspect, ...] = ()
    """Runs in real time that something disturbed; the others of such an engine are valid."""
    digest: str = ""
    """Of the resolved run with the reference's first seed: whether what was measured is what would be measured now."""


class Spread(Part):
    """Errors over conditions."""

    n: int = 0
    """How many errors, or winners."""
    median: Number | None = None
    p90: Number | None = None
    """90th percentile."""
    share: Number | None = None
    """With the same winner."""


class Band(Part):
    """The limits of one metric over all conditions; null: no such limit."""

    metric: str
    """Key of the differences that count."""
    label: str
    unit: str
    """Of the errors times 100: "%" of something, or "points" of a share."""
    of: str
    """What an error is a share of."""
    median_limit: float | None = None
    """Most that the median of the errors over conditions may be."""
    p90_limit: float | None = None
    """Most that their 90th percentile may be."""
    raw_median_limit: float | None = None
    """The same of the differences of which nothing is excused."""
    raw_p90_limit: float | None = None
    least: float | None = None
    """Least share of conditions with the same winner."""


class BandVerdict(Band):
    """What became of a band."""

    measured: Spread
    """Candidate against reference."""
    floor: Spread
    """Reference against itself under other seeds."""
    raw: Spread = Spread()
    """Candidate against reference, nothing excused."""
    raw_floor: Spread = Spread()
    """Reference against itself, nothing excused."""
    beyond_design: bool = False
    """What was measured is above the outer limits, which no band may cross."""
    difference: Number | None
    """Mean signed difference over conditions, nothing excused."""
    half_width: Number | None
    """Of its 95 % interval; with one condition over seeds; null: nothing varied."""
    holds: bool | None
    """null: no condition has such a number."""


class Worst(Part):
    """A condition that is far off."""

    condition: str
    metric: str
    """In which it is farthest off."""
    group: str | None
    """Whose."""
    limits: Number
    """How far, in multiples of the band's 90th percentile."""


class Agreement(EngineComparison):
    """All conditions, and every band over them."""

    source: Source
    bands: tuple[BandVerdict, ...]
    """In the order of the design."""
    worst: tuple[Worst, ...]
    """The conditions that are farthest off, at most ten, the worst first."""
    conditions: tuple[Condition, ...]

    def condition(self, name: str) -> Condition:
        return next(each for each in self.conditions if each.name == name)
