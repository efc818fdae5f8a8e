"""Claims of a study: each one's verdict on every engine, side by side with what was published."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from textwrap import fill
from typing import TYPE_CHECKING, Final

from dumbbell.comparison.markdown import table
from dumbbell.engines.registry import engine as engine_named
from dumbbell.errors import DumbbellError
from dumbbell.metrics.number import amount, places
from dumbbell.plots.chart import Chart  # noqa: TC001 (pydantic reads the annotations)
from dumbbell.studies import load, only, run
from dumbbell.studies.execution import count_runs
from dumbbell.studies.gathering import gather
from dumbbell.studies.verdict import NOT_REPRODUCED, NOT_TESTABLE, REPRODUCED, Verdict
from dumbbell.validation.part import Found

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from dumbbell.engines.protocol import Engine
    from dumbbell.results.store import Store
    from dumbbell.studies import Study
    from dumbbell.studies.evidence import Evidence

SCHEMA: Final = 2
SIGNS = {REPRODUCED: "✓", NOT_REPRODUCED: "✗", NOT_TESTABLE: "○"}
COLUMNS = 120
OF_INTEREST = ("dumbbell",)
"""Versions of packages that decide a verdict, besides the engine's own identity."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One engine with one version of the algorithm."""

    title: str
    """In Markdown."""
    engine: str
    variant: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """An experiment of the section."""

    name: str
    seeds: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """What an engine was when it measured."""

    engine: str
    identity: str
    runs: int
    facts: dict[str, str]
    """What it told of itself, the same for all of its runs: a kernel's release and settings; versions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimsSection:
    """What was found."""

    schema: int
    study: str
    short: str
    """What the document is called: "Claypool et al. 2019"."""
    note: str
    """What to know of the versions, or of what was published."""
    columns: tuple[Column, ...]
    """Those that were measured."""
    without: tuple[Column, ...]
    """Those that were not, or not in full, or whose engine is not on this machine."""
    experiments: tuple[Ran, ...]
    origins: tuple[Origin, ...]
    verdicts: tuple[Verdict, ...]
    charts: tuple[Chart, ...] = ()
    """A panel an engine."""

    def at(self, claim: str, column: Column) -> Verdict:
        """The verdict on a claim in a column."""
        own = (each for each in self.verdicts if (each.claim, each.engine) == (claim, column.engine))
        return next(each for each in own if column.variant in (each.versions or (each.variant,)))

    @property
    def claims(self) -> tuple[str, ...]:
        """Their ids, in the document's order."""
        return tuple(dict.fromkeys(verdict.claim for verdict in self.verdicts))


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimsPart:
    """As the plan has it."""

    name: str
    study: str
    note: str
    columns: tuple[Column, ...]
    claims: tuple[str, ...] = ()
    """None: all of the study."""
    figures: tuple[str, ...] = ()
    """Of the study, those that the page shows; their panels say on which engine they were measured."""
    seeds: int | None = None
    """Seeds 1 to this many; None: the study's own."""

    @property
    def engines(self) -> tuple[str, ...]:
        """In the order of the columns."""
        return tuple(dict.fromkeys(column.engine for column in self.columns))

    @property
    def whole(self) -> bool:
        """A column that was not measured is named."""
        return False

    def total(self, engines: Sequence[Engine]) -> int:
        """How many runs."""
        return sum(count_runs(self.study_on(engine.name), engine) for engine in engines)

    def measure(self, store: Store, engines: Sequence[Engine], jobs: int | None, progress: Callable[[], None]) -> Found:
        """Runs what is missing on these engines, and judges on every engine that the store has all runs of."""
        failed = [
            f"{failure.run_id}: {failure.error}"
            for engine in engines
            for failure in run(self.study_on(engine.name), store, engine, jobs, progress)
        ]
        return Found(kept=written(found(self, store, engines)), failures=tuple(failed))

    def told(self, kept: str) -> str:
        """The section in Markdown."""
        return told(read(kept))

    def verdict(self, kept: str) -> str:
        """What is not reproduced."""
        return summary(read(kept))

    def draw(self, kept: str, folder: Path) -> list[Path]:
        """The study's figures, engine beside engine."""
        from dumbbell.plots import paper  # noqa: PLC0415 (late: matplotlib takes long to load)

        return [path for chart in read(kept).charts for path in paper.save(chart, folder, ("png",))]

    def study_on(self, engine: str) -> Study:
        """As much of the study as an engine's columns need."""
        variants = [column.variant for column in self.columns if column.engine == engine]
        return only(load(self.study, seeds=self.seeds), claims=self.claims or None, variants=variants, flips=False)


def read(kept: str) -> ClaimsSection:
    """What `written` kept.

    Raises:
        ValueError: it is none, or of another schema.
    """
    from pydantic import TypeAdapter  # noqa: PLC0415 (late: few need it)

    words = json.loads(kept)
    if isinstance(words, dict) and words.get("schema") != SCHEMA:
        raise ValueError(f"has schema {words.get('schema')}, and this version writes {SCHEMA}")
    return TypeAdapter(ClaimsSection).validate_python(words)


def written(section: ClaimsSection) -> str:
    """As JSON that a reader can follow."""
    return json.dumps(asdict(section), indent=1, ensure_ascii=False) + "\n"


def found(part: ClaimsPart, store: Store, engines: Sequence[Engine] = ()) -> ClaimsSection:
    """Judges the claims on each engine of which the store has all runs; on these, or on those that this machine has."""
    there: set[str] = set()
    verdicts: list[Verdict] = []
    origins: list[Origin] = []
    drawn: dict[str, list[Chart]] = {}
    for name in part.engines:
        engine, study = _engine(name, engines), part.study_on(name)
        if engine is None:
            continue
        evidence = gather(study, store, engine)
        if evidence.missing or not evidence.coverage:  # half of it, of an earlier build, or none
            continue
        there.add(name)
        verdicts += study.verdicts(evidence)
        origins.append(_origin(store, evidence, engine.identity()))
        for chart in study.drawn(evidence):
            if chart.name in part.figures:
                drawn.setdefault(chart.name, []).append(chart)
    study = load(part.study, seeds=part.seeds)
    chosen = [claim for claim in study.claims if not part.claims or claim.id in part.claims]
    needed = {title for claim in chosen for title in claim.experiments}
    return ClaimsSection(
        schema=SCHEMA,
        study=part.study,
        short=study.short,
        note=part.note,
        columns=tuple(column for column in part.columns if column.engine in there),
        without=tuple(column for column in part.columns if column.engine not in there),
        experiments=tuple(
            Ran(name=title, seeds=tuple(study.experiments[title].seed_values))
            for title in study.experiments
            if title in needed
        ),
        origins=tuple(origins),
        verdicts=tuple(verdicts),
        charts=tuple(_beside(charts, part.study) for charts in drawn.values()),
    )


def told(section: ClaimsSection, *, figures: str = "figures") -> str:
    """The section in Markdown; `figures` is where the text finds what is drawn."""
    return "\n".join([
        f"## Claims of {section.short}\n",
        *_introduction(section),
        *_overview(section),
        *(line for chart in section.charts for line in _figure(chart, figures)),
        *(line for claim in section.claims for line in _claim(section, claim)),
        *_not_reproduced(section),
        *_origins(section),
        *_again(section),
    ])  # fmt: skip


def summary(section: ClaimsSection) -> str:
    """How many claims are reproduced, and which are not, column by column."""
    lines = []
    for column in section.columns:
        missed = [claim for claim in section.claims if section.at(claim, column).verdict != REPRODUCED]
        but = f"; not {', '.join(missed)}" if missed else ""
        lines.append(f"{column.title}: {len(section.claims) - len(missed)} of {len(section.claims)} reproduced{but}")
    return ". ".join(lines)


def _engine(name: str, engines: Sequence[Engine]) -> Engine | None:
    """One of these, or the one of that name; None where this machine has not got it."""
    for engine in engines:
        if engine.name == name:
            return engine
    try:
        return engine_named(name)
    except DumbbellError:
        return None


def _beside(charts: Sequence[Chart], study: str) -> Chart:
    """One chart of the same one of several engines."""
    first = charts[0]
    panels = tuple(panel for chart in charts for panel in chart.panels)
    return replace(first, name=f"{study}-{first.name}", panels=panels, columns=len(charts))


def _figure(chart: Chart, figures: str) -> Iterator[str]:
    yield f"![{chart.alt}]({figures}/{chart.name}.png)\n"
    yield _prose(f"{chart.title}. {chart.caption}")


def _origin(store: Store, evidence: Evidence, identity: str) -> Origin:
    ids = {run.result.run_id for trials in evidence.trials.values() for trial in trials for run in trial.runs}
    kept: dict[str, set[str]] = {}
    for run_id in sorted(ids):
        facts = store.provenance(run_id)
        versions, measured_on = facts.get("versions"), facts.get("measured_on")
        words: dict[str, object] = {}
        if isinstance(versions, dict):
            words |= {name: versions.get(name) for name in OF_INTEREST}
        if isinstance(measured_on, dict):
            words |= measured_on
        for key, value in words.items():
            kept.setdefault(key, set()).add(str(value))
    alike = {key: next(iter(values)) for key, values in kept.items() if len(values) == 1}
    return Origin(engine=evidence.engine, identity=identity, runs=len(ids), facts=alike)


def _introduction(section: ClaimsSection) -> Iterator[str]:
    yield _prose(
        "Each cell has the mean over seeds, its 95 % interval (Student's t) in brackets, and the number n of seeds"
        " behind it, of which those that gave the same count as one. A numeric claim holds if the median over seeds"
        " keeps the bounds, an ordering or a mechanism if 80 % of the seeds do."
        f" {SIGNS[REPRODUCED]} reproduced, {SIGNS[NOT_REPRODUCED]} not reproduced, {SIGNS[NOT_TESTABLE]} not testable"
        f" here. {section.note}"
    )
    if section.without:
        yield _prose(f"Not measured yet: {', '.join(column.title for column in section.without)}.")


def _overview(section: ClaimsSection) -> Iterator[str]:
    yield from table(
        ["claim", "what", *(column.title for column in section.columns)],
        [
            [
                claim,
                section.at(claim, section.columns[0]).statement,
                *(_sign(section.at(claim, column)) for column in section.columns),
            ]
            for claim in section.claims
        ],
    )


def _claim(section: ClaimsSection, claim: str) -> Iterator[str]:
    verdicts = [section.at(claim, column) for column in section.columns]
    first = verdicts[0]
    checks = next((verdict.checks for verdict in verdicts if verdict.checks), ())
    yield f"### {claim}: {first.statement}\n"
    yield _prose(f"{first.section}. Tolerated: {first.tolerance}. Published: {first.source}.")
    rows = [
        [
            f"{check.label}{f' ({check.unit})' if check.unit else ''}",
            "" if check.published is None else f"{check.published:g}",
            check.bounds,
            *(_cell(verdict, check.label) for verdict in verdicts),
        ]
        for check in checks
    ]
    rows.append(["**verdict**", "", "", *(_sign(verdict, in_words=True) for verdict in verdicts)])
    yield from table(["measured", "published", "tolerated", *(column.title for column in section.columns)], rows)


def _not_reproduced(section: ClaimsSection) -> Iterator[str]:
    yield "### What is not reproduced, and why\n"
    lines = [
        _prose(f"- **{claim}, {column.title}**, {verdict.verdict}: {verdict.reason.rstrip('.')}.", hanging="  ")
        for claim in section.claims
        for column in section.columns
        if (verdict := section.at(claim, column)).verdict != REPRODUCED
    ]
    total = len(section.claims) * len(section.columns)
    yield f"{total - len(lines)} of {total} verdicts are “reproduced”.\n"
    if lines:
        yield from lines


def _origins(section: ClaimsSection) -> Iterator[str]:
    yield "### Versions and seeds\n"
    yield from table(
        ["engine", "identity", "runs", "measured with"],
        [
            [
                f"`{origin.engine}`",
                f"`{origin.identity[:16]}`",
                str(origin.runs),
                "; ".join(f"{key} {value}" for key, value in sorted(origin.facts.items())),
            ]
            for origin in section.origins
        ],
    )
    seeds = "; ".join(f"`{each.name}` {_range(each.seeds)}" for each in section.experiments)
    yield _prose(f"Seeds by experiment: {seeds}. A seed drives BBR's phases and a start jitter of up to 100 ms a flow.")


def _again(section: ClaimsSection) -> Iterator[str]:
    columns = (*section.columns, *section.without)
    claims = ",".join(section.claims)
    yield "### Run it again\n"
    yield f"`dumbbell study validation --only {section.study}`; one engine alone, and its verdicts:\n"
    yield "```console"
    for engine in dict.fromkeys(column.engine for column in columns):
        variants = ",".join(column.variant for column in columns if column.engine == engine)
        yield f"$ dumbbell study run {section.study} --engine {engine} --claims {claims} --variants {variants}"
    yield f"$ dumbbell study claims {section.study} --json\n```\n"


def _cell(verdict: Verdict, label: str) -> str:
    check = next((each for each in verdict.checks if each.label == label), None)
    if check is None:
        return SIGNS[NOT_TESTABLE]
    sign = SIGNS[REPRODUCED if check.holds else NOT_REPRODUCED]
    if check.value is None:
        return f"none in {check.without} of {check.seeds} seeds {sign}"
    interval = ""
    if check.low is not None and check.high is not None:
        decimals = places(check.value)
        interval = f" [{check.low:.{decimals}f}, {check.high:.{decimals}f}]"
    none = f", none in {check.without} of {check.seeds}" if check.without else ""
    alike = f" ({check.seeds} seeds alike)" if check.n == 1 < check.seeds - check.without else ""
    return f"{amount(check.value)}{interval}, n = {check.n}{alike}{none} {sign}"


def _sign(verdict: Verdict, *, in_words: bool = False) -> str:
    return f"{SIGNS[verdict.verdict]} {verdict.verdict}" if in_words else SIGNS[verdict.verdict]


def _range(seeds: Sequence[int]) -> str:
    whole = len(seeds) > 2 and list(seeds) == list(range(seeds[0], seeds[-1] + 1))  # noqa: PLR2004
    return f"{seeds[0]} to {seeds[-1]}" if whole else ", ".join(map(str, seeds))


def _prose(text: str, *, hanging: str = "") -> str:
    """A paragraph in lines that a reader of the source can follow."""
    return fill(text, COLUMNS, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False) + "\n"
