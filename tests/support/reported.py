"""A study, a chart and verdicts made by hand, for reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dumbbell.charts.chart import Chart
from dumbbell.report import Side
from dumbbell.results.store import Store
from dumbbell.spec import load
from dumbbell.studies import Count, Shown, Study, Total, Verdict

NASTY = "<script>alert('&')</script>"
"""What must come out as text."""


def verdict(**words: object) -> Verdict:
    usual: dict[str, object] = {
        "claim": "S1", "section": "IV", "statement": "Four BBR flows lose a tenth", "engine": "sim", "variant": "bbr",
        "verdict": "reproduced", "label": "loss at 0.5 BDP", "value": 11.04, "low": 10.54, "high": 11.54, "n": 3,
        "published": 11.0, "tolerance": "8 to 13 %", "unit": "%", "flag": "OK", "reason": "within", "source": "text",
        "seeds": 3,
    }  # fmt: skip
    whole = usual | words
    return Verdict(**{"versions": (whole["variant"],)} | whole)  # type: ignore[arg-type]


def study_of(spec: str) -> Study:
    return Study(
        name="hand", title="A study made by hand", citation="Hand, M. Nowhere, 2020", short="Hand 2020", summary="All.",
        testbed="A table.", here="Another.", readme="", variants=("bbr", "bbr_4_17"), axis="flows[0].cc",
        experiments={"moment": load(spec)}, figures=(), claims=(), published={},
    )  # fmt: skip


TOTAL = Total(
    study="hand", short="Hand 2020", engine="sim", claims=3, waiting=1, runs=4, runs_needed=6, seeds=(2, 2),
    versions={"bbr": Count(judged=2, reproduced=1), "bbr_4_17": Count(judged=1)},
    any_version=Count(judged=2, reproduced=1),
)  # fmt: skip


def side_of(
    store: Store,
    *,
    engine: str = "sim",
    verdicts: Sequence[Verdict] = (),
    charts: Sequence[Chart] = (),
    rest: str = "",
) -> Side:
    """What an engine says of the study above, with all runs that a store has."""
    return Side(
        engine=engine,
        verdicts=tuple(verdicts),
        shown=tuple(Shown(display=chart, seed=None) for chart in charts),
        total=replace(TOTAL, engine=engine) if verdicts else None,
        rest=rest,
        outcomes={"moment": tuple(store.outcomes())},
    )
