"""A part of the plan with what it found: its figures, its line on the front page, and the engines behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from dev.checks import text as checks_text
from dev.checks.record import Checks
from dev.curves import text as curves_text
from dev.curves.record import Curves
from dev.strata.bands import controls_that_keep
from dev.validation import advice_text, claims_text, hosts_text, live_text, mutants_text, phases_text, scale_text
from dev.validation.advice import AdviceRecord
from dev.validation.claims import ClaimsRecord
from dev.validation.hosts import HostsRecord
from dev.validation.mutants import MutantsRecord
from dev.validation.phases import PhasesRecord
from dev.validation.plan import Record
from dev.validation.scale import ScaleRecord
from dumbbell.charts.chart import Chart
from dumbbell.comparison.agreement_text import engine as engine_text
from dumbbell.comparison.agreement_text import identified
from dumbbell.comparison.record import Agreement, EngineComparison
from dumbbell.metrics.number import ABSENT, counted
from dumbbell.tables.table import Table

SIM: Final = "sim"


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the plan, and what it found."""

    name: str
    kind: str
    record: Record | None
    """None: it is not measured yet."""
    charts: tuple[Chart, ...] = ()
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Of conditions in real time that are beyond a bar, by their names."""


def chance(sections: Sequence[Section]) -> str:
    """How many parts keep their bands, how many chance alone keeps, and what the test of deliberate errors came to."""
    records = {
        each.name: each.record for each in sections if isinstance(each.record, Agreement) and each.record.controls
    }
    sentences = []
    if records:
        lost = [name for name, of in records.items() if not of.holds]
        keeping = [dict(zip(of.controls, controls_that_keep(of), strict=True)) for of in records.values()]
        by_control = [sum(of[shift] for of in keeping) for shift in set(keeping[0]).intersection(*keeping)]
        beyond = [f"{name}: {band.label}" for name, of in records.items() for band in of.bands if band.beyond_design]
        of_lost = f" (not of {', '.join(lost)})" if lost else ""
        of_controls = f"; its controls keep those of {min(by_control)} to {max(by_control)}" if by_control else ""
        sentences.append(
            f"The simulator keeps all bands of {len(records) - len(lost)} of {counted(len(records), 'part')}"
            f"{of_lost}{of_controls}. Beyond an outer limit of the design: {'; '.join(beyond) or 'nothing'}."
        )
    for each in sections:
        if isinstance(each.record, MutantsRecord):
            of = each.record
            sentences.append(
                f"Of {len(of.mutants)} deliberate errors in the model {of.noticed} are noticed (hits), and of"
                f" {len(of.controls)} controls {of.false_alarms} (false alarms): [deliberate"
                f" errors](validation/{each.name}.md)."
            )
    return " ".join(sentences) or "Not measured yet."


def parts_table(sections: Sequence[Section]) -> Table:
    """Each part with its page, what came out, and the identity of the engines that it was measured with."""
    rows = [
        [f"[{each.name}](validation/{each.name}.md)" if each.record else each.name, outcome(each), identities(each)]
        for each in sections
    ]
    return Table.of(["part", "what came out", "engines, by identity"], rows)


def outcome(section: Section) -> str:
    """What a part found, in some words."""
    record = section.record
    if record is None:
        return f"not measured yet: `make validation STRATUM={section.name}`"
    describe: Callable[..., str] = _OUTCOMES[type(record)]
    return describe(record)


def _of_agreement(record: Agreement) -> str:
    if live_text.is_live_one(record):
        return live_text.summary(record)
    bands = [each for each in record.bands if each.holds is not None]
    controls = controls_that_keep(record)
    control_text = f"{sum(controls)} of {counted(len(controls), 'control')} keep all" if controls else "no controls yet"
    band_text = f"{sum(each.holds is True for each in bands)} of {len(bands)} bands hold"
    return f"{counted(len(record.conditions), 'condition')}: {band_text}; {control_text}"


_OUTCOMES: Final[Mapping[type, Callable[..., str]]] = {
    AdviceRecord: advice_text.summary,
    Agreement: _of_agreement,
    Checks: checks_text.summary,
    ClaimsRecord: claims_text.summary,
    Curves: curves_text.summary,
    HostsRecord: hosts_text.summary,
    MutantsRecord: mutants_text.summary,
    PhasesRecord: phases_text.summary,
    ScaleRecord: scale_text.summary,
}


def identities(section: Section) -> str:
    """The engines that a part was measured with, each with its identity."""
    record = section.record
    if isinstance(record, EngineComparison | AdviceRecord):
        engines = [engine_text(side) for side in (record.candidate, record.reference)]
    elif isinstance(record, MutantsRecord):
        engines = [identified(SIM, record.identity)]
    elif isinstance(record, ClaimsRecord):
        engines = [identified(each.engine, each.identity) for each in record.origins]
    elif isinstance(record, HostsRecord):
        engines = sorted({engine_text(side) for each in record.tables for side in each.record.sides})
    elif isinstance(record, ScaleRecord):
        engines = [engine_text(record.side)]
    else:
        engines = []
    return "; ".join(engines) or ABSENT
