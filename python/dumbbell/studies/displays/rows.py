"""`figures.toml`: a study's figures and tables as rows. What is the same in all of them is said by a default.

A display is a template over cases. A case names a part of the runs (a version of the algorithm, an experiment, values
of swept fields), has words for it, and may hold what differs there. Panels, lines, rows and columns are written once
and repeated for each case of the dimensions in their `each`, the outermost first. Texts have the cases' words in
braces: `title = "{version}, {rate}"`. `docs/studies.md` says what there is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from dumbbell.charts.chart import Colours, Kind
from dumbbell.spec.frame import FRAME_BYTES, MSS_BYTES
from dumbbell.studies.claim import SCALES
from dumbbell.studies.evidence import RunData, SeedSweep
from dumbbell.studies.sweep import number, swept

UNITS = {**SCALES, "kbit/s": 1e-3, "kB": 1e-3, "thousands": 1e-3, "payload Mbit/s": 1e-6 * MSS_BYTES / FRAME_BYTES}
"""What a number in base units is multiplied with; payload: from full frames to what iPerf3 counts of them."""


def _listed(value: object) -> object:
    return [value] if isinstance(value, str | int) else value


def _ends(value: object) -> object:
    return [*value, None][:2] if isinstance(value, list) else value


Names: TypeAlias = Annotated[tuple[str, ...], BeforeValidator(_listed)]
"""One name, or a list of them."""
Experiments: TypeAlias = Annotated[Names, "experiment"]
Dimensions: TypeAlias = Annotated[Names, "dimension"]
"""What a field names is checked as the study is loaded: `contradictions` goes by these nouns."""
Limits: TypeAlias = Annotated[tuple[float | str | None, float | str | None], BeforeValidator(_ends)]
"""Both ends, or the lower one alone; a text is a template."""
Places: TypeAlias = tuple[float, ...]


class Row(BaseModel):
    """What all rows have in common: nothing unknown stands in them."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class Case(Row):
    """One case of a dimension. What it has beside these fields is a word of its own for templates."""

    model_config = ConfigDict(extra="allow", frozen=True)
    words: str = ""
    at: dict[str, Any] = {}
    """Values of swept fields; those that an experiment does not sweep say nothing about it."""
    experiment: Annotated[str, "experiment"] = ""
    when: dict[str, str | int] = {}
    """The case is left out where these words are others."""


class Values(Row):
    """A dimension that has the values of one field as its cases."""

    field: str
    values: tuple[str | int | bool, ...] = ()
    """As specs write them; empty: those that the experiment sweeps."""

    def cases(self, swept: Iterable[Any] = ()) -> tuple[Case, ...]:
        """Its cases: the words are those of the spec, but for BDP."""
        values = self.values or dict.fromkeys(swept)
        return tuple(Case(words=str(value).replace("bdp", "BDP"), at={self.field: value}) for value in values)


class Axis(Row):
    """An axis, and for the x axis of a sweep the field that it is of."""

    label: str
    field: str = ""
    unit: str = ""
    """In which the field's values are shown: a unit of specs, or "" of plain numbers."""
    packet_bytes: int | None = None
    """Of a queue in packets that specs may have in bytes."""
    scale: Literal["linear", "log2", "log10"] = "linear"
    limits: Limits | Literal["data"] = (None, None)
    """`data`: those of all lines of the figure, and a little more."""
    ticks: Places | Literal["swept"] = ()
    """`swept`: one at each value of the field."""
    in_bdp: str = ""
    """The label of the same axis in BDP, on the other side."""

    def of(self, run: RunData) -> float:
        return swept(run, self.field, self.unit, self.packet_bytes)

    def places(self, sweeps: Iterable[SeedSweep]) -> tuple[float, ...]:
        """Where the runs of sweeps stand, each place once, in order."""
        return tuple(sorted({self.of(run) for sweep in sweeps for run in sweep.runs}))

    def numbers(self, column: Iterable[object]) -> tuple[float, ...]:
        """A column of `published.toml`, which has the field's values as specs do, as numbers."""
        return tuple(number(value, self.unit) for value in column)


AxisName: TypeAlias = Annotated[Axis | str, "axis"]


class Repeated(Row):
    """What stands for each case."""

    each: Annotated[Names | None, "dimension"] = None
    """Dimensions; "version" and "experiment" are there always."""
    when: dict[str, str | int] = {}
    """Only where the words are these."""
    experiment: Experiments = ()
    """Which experiments it is of, those that a case names; else those of what it stands in. Of a column, the first one
    that has runs; of a line that stands for no experiment in particular, all of them."""
    at: dict[str, Any] = {}


class MeasuredRow(Row):
    """A number that is measured, and what was published of it."""

    metric: str = ""
    """A number of a result ("bottleneck.loss_per_sent"), a formula or a function of the study."""
    beside: Experiments = ()
    """Other experiments whose run at the same point the metric needs."""
    unit: str = ""
    factor: float | str | None = None
    """Instead of the unit's; a text is a fraction, or a template of one: "1/8949", of bytes a segment."""
    published: str = ""
    """A table or a number of `published.toml`."""


class Line(Repeated, MeasuredRow):
    """A line, points or a band of a panel: one of `metric`, `series`, `published`, `y` and `draw`.

    A metric is over a sweep. Of a published table `x`, `y`, `low` and `high` name columns or numbers.
    """

    series: str = ""
    """Over the panel's span, without one as a distribution: `flows`, `group`, `queue`, `loss`, `marks`,
    `rtt`, `ack_rtt`, or a gauge of a flow. "ss.rtt": what `ss` says of it, of all connections of the flow's sender,
    where a run asked it."""
    origin: Literal["", "capture"] = Field("", alias="from")
    """Of a series: its captures, in the place of the engine's counters and samples, where a run has some."""
    stat: Literal["", "last", "quartiles", "until done"] = ""
    """Of several published bins the last, at its end, instead of the mean; over a sweep the band between the quartiles
    of a group's throughput; a series only until the transfer is complete."""
    draw: str = ""
    """A function of the study's `figures.py`: from the scope to layers."""
    x: str | Places = ""
    """A column ("buffer" unless said), or places: a number stands at each of them, else over the panel's span."""
    y: str | Places = ()
    low: str = ""
    high: str = ""
    bin_s: float | None = None
    """Of throughput and loss; a published column of bins has no places of its own."""
    together: int = 1
    """So many published bins are one point."""
    label: str | None = None
    labels: tuple[str, ...] | Literal["once"] = ()
    """Of flows; once: each algorithm's, at its first flow."""
    style: str = ""
    kind: Kind | Literal[""] = ""
    instance: str | int = 0

    @model_validator(mode="after")
    def _one_sort(self) -> Line:
        given = [key for key in ("metric", "series", "published", "draw") if getattr(self, key)]
        if len(given) > 1 or not (given or self.y):
            raise ValueError(f"a line has one of metric, series, published, y and draw, not {given or 'none'}")
        return self


class Mark(Row):
    """A vertical line."""

    x: float | str
    """A place, or a number of `published.toml`: "figure9.threshold_packets"."""
    words: str
    when: dict[str, str | int] = {}


class Heat(MeasuredRow):
    """A heat map."""

    label: str
    colours: Colours = "sequential"
    most: float | str | None = None


class Number(Row):
    """A number in a text: measured in a panel's run, or published."""

    metric: str = ""
    digits: int = 2
    published: str = ""


class Panel(Repeated):
    """A panel, or one for each case."""

    title: str = ""
    x: AxisName = ""
    """An axis, or the name of a shared one; without it the panel is over time."""
    y: AxisName = ""
    span: tuple[float, float] | None = None
    """From and until, of a panel over time."""
    lines: tuple[Line, ...] = ()
    heat: Heat | None = None
    marks: tuple[Mark, ...] = ()
    numbers: dict[str, Number] = {}
    """Words of their own for the title; those that are published for the caption too."""


Member: TypeAlias = tuple[int, Case] | None
"""Which figure of a row it is: a case and its place, or the only one."""


class Shown(Repeated):
    """What figures and tables have in common."""

    name: str
    title: str
    caption: str
    experiments: Experiments
    source: str = ""
    """A table of `published.toml`, whose source stands for {source}."""
    needs: Literal["", "trees"] = ""
    """An extra of dumbbell that makes it."""
    captured: bool = False
    """It is only of runs that were captured."""


class Figure(Shown, Panel):
    """A figure of the document. What it says of panels holds for each of them that says nothing else."""

    alt: str
    case: Annotated[str, "dimension"] = Field("", alias="for")
    """A dimension: one such figure a case."""
    per: Dimensions = ()
    """Dimensions for each of whose cases all panels stand."""
    panels: tuple[Panel, ...] = ()
    columns: int | Literal["versions"] = 1
    panel_title: str = ""

    def name_of(self, member: Member) -> str:
        """The name of the figure of a case.

        Raises:
            LookupError: the name has a word that the case has not.
            ValueError: it is no template.
        """
        if member is None:
            return self.name
        place, case = member
        return self.name.format_map({self.case: case.words, f"{self.case}_place": place, **(case.model_extra or {})})

    def drawn_panels(self) -> tuple[Panel, ...]:
        """Its panels; one of its own where it has none."""
        shared = {key: getattr(self, key) for key in self.model_fields_set & SHARED} | {"title": self.panel_title}
        return tuple(panel.model_copy(update={k: v for k, v in shared.items() if k not in panel.model_fields_set})
                     for panel in self.panels or (Panel(),))  # fmt: skip


SHARED = set(Panel.model_fields) - {"title"}


class Column(Repeated, MeasuredRow):
    """A column of a table: words, a number that is measured, or one that is published and stands alone.

    Published is a number as "table1.bbr.{size_place}"; there is none where no case has such a word.
    """

    title: str
    words: str = ""
    spread: str = ""
    """Of a metric that is one number of all seeds together: what stands beside it as ±."""
    published_when: dict[str, str | int] = {}
    """Only where the words are these."""
    published_digits: int | None = None
    """Written with so many after the point."""


class TableRow(Shown):
    """A table of the document."""

    rows: Dimensions
    """Dimensions, one row a case."""
    across: Annotated[Names | None, "dimension"] = None
    """Dimensions for each of whose cases the measured columns stand; else the versions, if rows are not of them."""
    columns: tuple[Column, ...]


class Displays(Row):
    """All of `figures.toml`."""

    axes: dict[str, Axis] = {}
    cases: dict[str, Values | tuple[Case, ...]] = {}
    order: Names = ()
    """The figures' names in the document's order, where their rows have another."""
    figures: tuple[Figure, ...] = ()
    tables: tuple[TableRow, ...] = ()

    def members(self, figure: Figure) -> Iterator[Member]:
        """The cases for each of which there is such a figure, with their places; None where it is one."""
        if not figure.case:
            yield None
            return
        cases = self.cases[figure.case]
        yield from enumerate(cases.cases() if isinstance(cases, Values) else cases)
