"""What claims measure and figures show, as lines: of runs whose numbers are drawn by chance."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dumbbell import studies
from dumbbell.charts.chart import Axis, Chart, Panel
from dumbbell.studies import Study
from dumbbell.studies.claim import Check, Claim
from dumbbell.studies.evidence import Evidence, Trials
from dumbbell.tables.table import Amount, Table


def digits(value: float | str | None) -> str:
    return f"{value:.5g}" if isinstance(value, float | int) else str(value)


def measured(check: Check, variant: str, evidence: Evidence) -> str:
    if check.metric.together:
        values = check.value_together(Trials(tuple(evidence.together(check.experiments, variant))))
        return " ± ".join(map(digits, values))
    return " ".join(digits(check.value(*sweeps)) for sweeps in evidence.together(check.experiments, variant))


def of_check(check: Check, study: Study, evidence: Evidence) -> str:
    values = [measured(check, variant, evidence) for variant in study.variants]
    rest = [digits(each) for each in (check.least, check.most, check.published, check.in_seeds)]
    return f"{check.label} ({check.unit}{', weak' * bool(check.weak)}): {'; '.join(values)} | {' '.join(rest)}"


def of_claim(claim: Claim, study: Study, evidence: Evidence) -> Iterator[str]:
    yield f"{claim.id} {claim.kind} {claim.flag} {' '.join(claim.engines)}".strip()
    yield from (f"  {of_check(check, study, evidence)}" for check in claim.checks)
    for each in claim.alternatives:
        yield f"  {each.kind}: {each.substitutes} {each.at} {'patch' * each.patch}".rstrip()
        taken = evidence
        for experiment, other in each.substitutes.items():
            taken = taken.restricted_to(other, each.at, over=experiment if each.patch else "")
        yield from (f"    {of_check(check, study, taken)}" for check in each.checks)


def of_axis(axis: Axis) -> str:
    return f"{axis.label} {axis.scale} {axis.limits} {[label for _, label in axis.ticks]}"


def of_panel(panel: Panel) -> Iterator[str]:
    yield f"  {panel.title}: {of_axis(panel.x)}; {of_axis(panel.y)} {panel.marks or ''}".rstrip()
    for layer in panel.layers:
        numbers = (layer.x, layer.y, layer.low, layer.high)
        means = [digits(float(np.nanmean(each))) if each else "-" for each in numbers]
        yield f"    {layer.label} ({layer.style}, {layer.kind}, {layer.instance}) {len(layer.x)}: {' '.join(means)}"
    if panel.heat:
        heat = panel.heat
        grids = (heat.cells, heat.half_widths, heat.published)
        means = [digits(float(np.nansum(each))) for each in grids]
        yield f"    {heat.label} ({heat.colours}, {heat.most}): {' '.join(means)}"


def of_chart(chart: Chart) -> Iterator[str]:
    yield f"{chart.name}: {chart.title} ({chart.columns}). {chart.caption}"
    for panel in chart.panels:
        yield from of_panel(panel)


def of_table(table: Table) -> Iterator[str]:
    yield f"{table.name}: {table.title}. {table.caption}"
    yield "  " + " | ".join(column.heading for column in table.columns)
    for row in table.rows:
        yield "  " + " | ".join(
            f"{digits(each.value)} ± {digits(each.half_width)}" if isinstance(each, Amount) else str(each)
            for each in row
        )


def of_claims(study: Study, evidence: Evidence) -> str:
    """All claims of a study."""
    return "\n".join(line for claim in study.claims for line in of_claim(claim, study, evidence))


def of_displays(study: Study, evidence: Evidence) -> str:
    """All figures and tables of a study."""
    lines = [line for chart in studies.drawn(study.figures, study, evidence) for line in of_chart(chart)]
    return "\n".join(
        lines + [line for table in studies.drawn(study.tables, study, evidence) for line in of_table(table)]
    )
