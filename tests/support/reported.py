"""A study, a chart and verdicts made by hand, for reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from dumbbell.charts.chart import Chart
from dumbbell.results.store import Store
from dumbbell.spec import load
from dumbbell.studies import Display, Study, StudyStatus, Verdict
from dumbbell.studies.evidence import Evidence, SeedSweep
from dumbbell.studies.formula import Formulas
from dumbbell.studies.manifest import Manifest
from dumbbell.tables.table import Table

MANIFEST = Manifest(
    title="A study made by hand", citation="Hand, M. Nowhere, 2020", short="Hand 2020", summary="All.",
    testbed="A table.", here="Another.", axis="flows[0].cc", variants=("bbr", "bbr_4_17"), runs=1, claims=1,
    figures=0,    experiments={"moment": 1},
)  # fmt: skip
NASTY = "<script>alert('&')</script>"
"""What must come out as text."""


def verdict(**fields: object) -> Verdict:
    usual: dict[str, object] = {
        "claim": "S1", "section": "IV", "statement": "Four BBR flows lose a tenth", "engine": "sim", "variant": "bbr",
        "verdict": "reproduced", "label": "loss at 0.5 BDP", "value": 11.04, "low": 10.54, "high": 11.54, "n": 3,
        "published": 11.0, "tolerance": "8 to 13 %", "unit": "%", "flag": "OK", "reason": "within", "source": "text",
        "seeds": 3,
    }  # fmt: skip
    merged = usual | fields
    return Verdict(**{"versions": (merged["variant"],)} | merged)  # type: ignore[arg-type]


def study_of(spec: str, claims: Sequence[str] = ()) -> Study:
    stubs: Any = tuple(SimpleNamespace(id=claim) for claim in claims)
    return Study(
        name="hand", manifest=MANIFEST, readme="", variants=MANIFEST.variants, experiments={"moment": load(spec)},
        claims=stubs, published={}, metrics=Formulas({}),
    )  # fmt: skip


def status_of(  # noqa: PLR0913 (each is what a test varies)
    study: Study,
    store: Store,
    *,
    engine: str = "sim",
    verdicts: Sequence[Verdict] = (),
    displays: Sequence[Chart | Table] = (),
    by_seed: bool = False,
) -> StudyStatus:
    """How the study stands on an engine that has all runs of a store; `by_seed`: its charts differ between seeds."""

    def display(made: Any) -> Display[Any]:
        def draw(_: object, evidence: Evidence) -> Any:
            first = evidence.of("moment", "bbr")[0].seed
            return replace(made, panels=made.panels[-first:]) if by_seed else made

        return Display(name=made.name, experiments=("moment",), draw=draw)

    outcomes = tuple(store.outcomes())
    trials = tuple(SeedSweep(seed, ()) for seed in sorted({each.seed for each in outcomes}))
    evidence = Evidence(
        engine=engine,
        trials={(title, "bbr"): trials for title in study.experiments},
        outcomes=dict.fromkeys(study.experiments, outcomes),
    )
    drawn = replace(study, figures=tuple(map(display, displays)))
    return StudyStatus(study=drawn, full_study=study, evidence=evidence, verdicts=tuple(verdicts))
