"""What `dumbbell study run` says of a short form: what is in it, how long it takes, what came of it."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING

import typer

from dumbbell.metrics.number import counted

if TYPE_CHECKING:
    from dumbbell.engines.protocol import Engine
    from dumbbell.studies import Study, StudyStatus

_S_PER_MIN = 60


def tell_short_form(study: Study, engine: Engine) -> None:
    """Which experiments are in it and which are not; on a live engine how long it takes at most. Nothing of a whole."""
    form = study.manifest.short_form
    if form is None or not study.short:
        return
    from dumbbell.studies.execution import distinct_runs, honoured
    from dumbbell.studies.short import longest_s

    left_out = [title for title in study.manifest.experiments if title not in form.experiments]
    told = f"short form of {study.name}: {', '.join(study.experiments)}"
    typer.echo(f"{told}; not in it: {', '.join(left_out)}" if left_out else told, err=True)
    if engine.live:
        runs = [run for _, run in distinct_runs(honoured(study, engine).values(), engine)]
        most = longest_s(runs) / _S_PER_MIN
        typer.echo(f"{counted(len(runs), 'run')} in real time on {engine.name}, at most {most:.0f} min", err=True)


def tell_outcome(status: StudyStatus) -> None:
    """What the engine could not carry out, and why; of runs in real time how many were left alone. As above."""
    if not status.study.short:
        return
    reasons = sorted(status.evidence.untestable.items(), key=lambda each: each[1])
    for reason, parts in groupby(reasons, key=lambda each: each[1]):
        titles = dict.fromkeys(title for (title, _), _ in parts)
        typer.echo(f"not on {status.engine}: {', '.join(titles)}: {reason}", err=True)
    validity = Counter(
        outcome.validity
        for own in status.evidence.outcomes.values()
        for outcome in own
        if outcome.status == "ok" and outcome.validity
    )
    if validity:
        typer.echo(f"{validity['VALID']} VALID, {validity['SUSPECT']} SUSPECT", err=True)
