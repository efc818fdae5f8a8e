"""What `dumbbell study run` says of a short form: what is in it, how long it takes, what came of it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import typer

from dumbbell.metrics.number import counted

if TYPE_CHECKING:
    from dumbbell.engines.protocol import Engine
    from dumbbell.studies import Study, StudyStatus

_S_PER_MIN = 60


def print_short_form(study: Study, engine: Engine) -> None:
    """Which experiments are in it and which are not; on a live engine how long it takes at most. Nothing of a whole.

    Raises:
        StudyError: the engine can run none of them.
    """
    form = study.manifest.short_form
    if form is None or not study.short:
        return
    from dumbbell.errors import StudyError
    from dumbbell.studies.execution import distinct_runs, honoured, refused
    from dumbbell.studies.manifest import names_by_reason
    from dumbbell.studies.short import longest_s, without_programs

    if not honoured(study, engine):
        reasons = names_by_reason((title, why) for (title, _), why in refused(study.parts(), engine).items())
        texts = "\n".join(f"{titles}: {why}" for why, titles in reasons.items())
        raise StudyError(f"nothing of the short form of {study.name} can run on {engine.name}:\n{texts}")
    left_out = [title for title in study.manifest.experiments if title not in form.experiments]
    summary = f"short form of {study.name}: {', '.join(study.experiments)}"
    typer.echo(f"{summary}; not in it: {', '.join(left_out)}" if left_out else summary, err=True)
    for reason, titles in names_by_reason(without_programs(study, engine).items()).items():
        typer.echo(f"without the document's tool on {engine.name}: {titles}: {reason}", err=True)
    if engine.live:
        runs = [run for _, run in distinct_runs(honoured(study, engine).values(), engine)]
        most = longest_s(runs) / _S_PER_MIN
        typer.echo(f"{counted(len(runs), 'run')} in real time on {engine.name}, at most {most:.0f} min", err=True)


def print_outcome(status: StudyStatus) -> None:
    """What the engine could not carry out, and why; of runs in real time how many were left alone. As above."""
    if not status.study.short:
        return
    from dumbbell.studies.manifest import names_by_reason

    untestable = ((title, reason) for (title, _), reason in status.evidence.untestable.items())
    for reason, titles in names_by_reason(untestable).items():
        typer.echo(f"not on {status.engine}: {titles}: {reason}", err=True)
    validity = Counter(
        outcome.validity
        for own in status.evidence.outcomes.values()
        for outcome in own
        if outcome.status == "ok" and outcome.validity
    )
    if validity:
        typer.echo(f"{validity['VALID']} VALID, {validity['SUSPECT']} SUSPECT", err=True)
