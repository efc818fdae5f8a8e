"""`dumbbell study run`: what is missing is carried out, and told."""

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

import dumbbell.cli.study.option as option
from dumbbell.cli.interruption import stored_runs_text, telling
from dumbbell.cli.option import Inventory, Jobs, SshConfig
from dumbbell.cli.study.option import hypothesis_of, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from dumbbell.cli.study.selection import Place, StudySelection
    from dumbbell.engines.protocol import Engine as AnEngine
    from dumbbell.errors import ReportError
    from dumbbell.results.schema import FailedRun
    from dumbbell.studies import Study

FAILED = 1


def run(  # noqa: PLR0913 (each is an option)
    name: option.Name,
    *,
    engine: option.Engine = "sim",
    inventory: Inventory = None,
    ssh_config: SshConfig = None,
    out: option.Out = None,
    claims: option.Claims = None,
    experiments: option.Experiments = None,
    variants: option.Variants = None,
    jobs: Jobs = None,
    seeds: option.Seeds = None,
    short: option.Short = False,
    sets: option.Sets = None,
    label: option.Label = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Repeat the runs that the store has.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if a claim is not reproduced.")] = False,
    why: option.Why = False,
    as_json: option.Json = False,
) -> None:
    """Run missing experiments, evaluate every claim, draw every figure, write the report."""
    import dumbbell.studies as studies
    from dumbbell.cli.chosen_engine import engine_of
    from dumbbell.cli.study.figures import drawn, drawn_side_by_side
    from dumbbell.cli.study.report import of_all, of_one, pages
    from dumbbell.cli.study.selection import StudySelection, statuses
    from dumbbell.cli.study.short_form import print_outcome, print_short_form
    from dumbbell.cli.study.verdicts import print_counts, print_judged
    from dumbbell.studies.verdict import NOT_REPRODUCED

    chosen, selection = (
        engine_of(engine, inventory, ssh_config, makes_path=True),
        StudySelection.of(name, out, short=short),
    )
    if selection.is_all and (claims or experiments):
        raise studies.StudyError("--claims and --experiments need one study: name it instead of all")
    suppose = hypothesis_of(sets, label, is_all=selection.is_all)
    narrowed = partial(studies.only, claims=listed(claims), experiments=listed(experiments), variants=listed(variants))
    parts: list[tuple[Place, Study]] = []
    for place in selection.places:
        with selection.guarded(place):
            parts.append((place, narrowed(studies.load(place.name, seeds=seeds, short=short))))
            print_short_form(parts[-1][1], chosen)
            if suppose:
                parts.append((place, suppose(parts[-1][1])))
    with telling(lambda: _describe_stored_runs(parts, chosen, out)):
        failures, left_out, executed = _run_missing(selection, parts, chosen, jobs, fresh=fresh)
    judged = []
    unwritten: list[ReportError] = []
    for place, study in executed:
        if study.hypothesis:
            continue  # judged beside its study
        with selection.guarded(place), place.opened() as store:
            full_study = studies.load(place.name, seeds=seeds, short=short)
            shown = studies.only(full_study, claims=listed(claims), variants=listed(variants))
            status = studies.status_of(shown, store, chosen, full_study=full_study)
            judged.append(status)
            print_outcome(status)
            supposed = [studies.status_of(suppose(shown), store, chosen)] if suppose else []
            if as_json or not selection.is_all:
                print_judged([status], supposed, out=place.out, why=why, as_json=as_json)
            unwritten += _drawn(partial(drawn, status, place.folder), study.name)
            engines = statuses(full_study, store, None, out=place.out, known=chosen) if short else []
            unwritten += _drawn(
                partial(drawn_side_by_side, engines, place.folder), f"{study.name}, engine beside engine"
            )
    if selection.is_all and not as_json and not short:
        print_counts(judged)
        typer.echo("`dumbbell study claims all` prints each.", err=True)
    failed = [f"failed: {failure.run_id}: {failure.error}" for failure in failures]
    for line in (*left_out, *failed, *unwritten):
        typer.echo(line, err=True)
    home = pages(out, short=short)
    report = (
        of_all(selection, home, None, seeds, chosen)
        if selection.is_all
        else of_one(selection, None, None, seeds, chosen)
    )
    typer.echo(f"report: {report}", err=True)
    broken = any(verdict.verdict == NOT_REPRODUCED for status in judged for verdict in status.judged)
    if failures or left_out or unwritten or (strict and broken):
        raise typer.Exit(FAILED)
    selection.end()


def _run_missing(
    selection: "StudySelection",
    parts: "Sequence[tuple[Place, Study]]",
    engine: "AnEngine",
    jobs: int | None,
    *,
    fresh: bool,
) -> "tuple[list[FailedRun], list[str], list[tuple[Place, Study]]]":
    """The runs that failed, what was left out and why, and the studies of which all else that can be there is there."""
    import dumbbell.studies as studies
    from dumbbell.cli.progress import is_watched, progress
    from dumbbell.cli.study.speed import Speed
    from dumbbell.results.store import Store

    failures: list[FailedRun] = []
    left_out: list[str] = []
    speed = Speed()
    readable, executed = [], []
    for place, study in parts:
        with selection.guarded(place):
            own = _works(study, place, engine, fresh=fresh) if selection.is_all or is_watched() else (0, 0, 0.0)
            readable.append((place, study, *own))
    with progress(sum(runs for _, _, runs, *_ in readable), work=sum(work for *_, work in readable)) as advance:
        for place, study, runs, missing, _ in readable:
            with selection.guarded(place):
                if selection.is_all:
                    typer.echo(f"{study.name}: {runs} runs on {engine.name}, {missing} are missing", err=True)
                with Store.open(place.store, write=True) as store, speed.measuring():
                    leave_out = partial(_leave_out, left_out, study)
                    failures += studies.run(
                        study, store, engine, jobs, advance, fresh=fresh, measured=speed.count, left_out=leave_out
                    )
                executed.append((place, study))
    if speed.runs:
        typer.echo(speed.text(), err=True)
    return failures, left_out, executed


def _describe_stored_runs(parts: "Sequence[tuple[Place, Study]]", engine: "AnEngine", out: "Path | None") -> str:
    from dumbbell.cli.study.selection import HOME, NotBegunError
    from dumbbell.studies.execution import distinct_runs, honoured

    there = total = 0
    for place, study in parts:
        run_ids = {run_id for run_id, _ in distinct_runs(honoured(study, engine).values(), engine)}
        total += len(run_ids)
        with suppress(NotBegunError), place.opened() as store:
            there += len(run_ids & store.measured_ids())
    return stored_runs_text(there, total, parts[0][0].store if len(parts) == 1 else out or HOME)


def _works(study: "Study", place: "Place", engine: "AnEngine", *, fresh: bool) -> tuple[int, int, float]:
    """How many runs there are, in how many there is something to be done, and how much in all."""
    from dumbbell.cli.study.selection import NotBegunError
    from dumbbell.studies.execution import remaining_packets

    try:
        with place.opened() as store:
            works = list(remaining_packets(study, store, engine, fresh=fresh))
    except NotBegunError:
        works = list(remaining_packets(study, None, engine, fresh=fresh))
    return len(works), sum(work > 0 for work in works), sum(works)


def _leave_out(omissions: "list[str]", study: "Study", title: str, why: "Sequence[str]") -> None:
    """Keeps in words which experiment was left out, and why."""
    more = f" (and {len(why) - 1} more)" if len(why) > 1 else ""
    omissions.append(f"left out: {study.name}, {title}: a path is not as asked: {why[0]}{more}")


def _drawn(draw: "Callable[[], list[Path]]", whose: str) -> "list[ReportError]":
    """Draws what there is to draw, and says where it is; gives what went wrong."""
    from dumbbell.errors import ReportError

    try:
        files = draw()
    except ReportError as error:
        return [error]
    if files:
        names = ", ".join(dict.fromkeys(file.stem for file in files))
        kinds = ", ".join(dict.fromkeys(file.suffix.removeprefix(".") for file in files))
        typer.echo(f"figures of {whose}: {files[0].parent} ({names}; {kinds})", err=True)
    return []
