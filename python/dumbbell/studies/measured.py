"""What real hosts measured at a study's points, and each engine's runs beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dumbbell.engines.registry import engine as engine_named
from dumbbell.experiment.points import runs_of
from dumbbell.hosts.record import HostRecord
from dumbbell.hosts.spread import host_record
from dumbbell.results.store import Store
from dumbbell.spec import load
from dumbbell.studies.status import StudyStatus
from dumbbell.studies.study import Study


def records(study: Study, store: Store, statuses: Sequence[StudyStatus]) -> dict[str, HostRecord]:
    """Of every experiment whose points were measured, by its name: as far as some engine has runs of it."""
    by_title = {}
    for title, measurements in study.measured.items():
        experiment = study.part(title, study.variants)
        sides = []
        for status in statuses:
            outcomes = status.evidence.outcomes.get(title, ())
            seeds = sorted({each.seed for each in outcomes})
            if seeds:
                seeded = load(experiment, overrides={"seeds": seeds})
                sides.append((engine_named(status.engine), runs_of(store, seeded, status.engine, outcomes)))
        if sides:
            by_title[title] = host_record(replace(measurements, experiment=experiment), store, sides)
    return by_title
