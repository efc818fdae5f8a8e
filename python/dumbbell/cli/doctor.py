"""`dumbbell doctor`: whether everything that a run needs is there."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from dumbbell.cli.run import DEFAULT_STORE, Folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dumbbell.engines.protocol import Engine

OLDEST_PYTHON = (3, 11)
LEAST_FREE_MB = 500
MOMENT = {
    "duration": "100 ms",
    "path": {"rate": "10 Mbit/s", "rtt": "10 ms", "buffer": "1 bdp"},
    "flows": [{"cc": "bbr"}, {"cc": "cubic"}],
}
"""A tenth of a second."""
STANDARD_PATH = {
    "duration": "10 s",
    "path": {"rate": "80 Mbit/s", "rtt": "25 ms", "buffer": "1 bdp", "loss": "0.1 %"},
    "flows": [{"cc": "cubic"}, {"cc": "cubic", "name": "longer", "rtt": "100 ms"}],
}
"""What an engine that builds paths is asked for when no spec is given."""


class Finding(NamedTuple):
    """What was found about one thing."""

    what: str
    healthy: bool
    words: str


def doctor(
    *,
    engine: Annotated[
        str, typer.Option("--engine", metavar="NAME", help="Look at what this engine needs too, and at its paths.")
    ] = "sim",
    spec: Annotated[
        Path | None,
        typer.Option("--spec", metavar="SPEC", help="Look at the paths of this experiment too.", show_default=False),
    ] = None,
    out: Folder = DEFAULT_STORE,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Check that this machine can run experiments and keep their results."""
    import json

    from dumbbell.cli.table import aligned

    findings = [_python(), _packages(), _engine(), _disk(out), _store(out), _cores()]
    if engine != "sim":
        findings += _linux(engine, spec)
    if as_json:
        typer.echo(json.dumps([each._asdict() for each in findings], indent=2, ensure_ascii=False))
    else:
        rows = [(each.what, "ok" if each.healthy else "BAD", each.words) for each in findings]
        typer.echo(aligned(("what", "state", "found"), rows))
    if not all(each.healthy for each in findings):
        raise typer.Exit(1)


def _python() -> Finding:
    import platform

    return Finding("python", sys.version_info >= OLDEST_PYTHON, f"{platform.python_version()} on {platform.platform()}")


def _packages() -> Finding:
    from dumbbell.results.provenance import facts

    versions = facts()["versions"]
    assert isinstance(versions, dict)  # noqa: S101 (as facts() makes it)
    missing = [name for name, version in versions.items() if version is None]
    if missing:
        return Finding("packages", healthy=False, words=f"not installed: {', '.join(missing)}")
    return Finding("packages", healthy=True, words=", ".join(f"{name} {version}" for name, version in versions.items()))


def _engine() -> Finding:
    try:
        import time

        from dumbbell.campaign.execution import execute
        from dumbbell.campaign.plan import plan
        from dumbbell.engines.registry import engine
        from dumbbell.spec import load

        began, sim = time.perf_counter(), engine("sim")
        outcome, _ = execute(next(plan(load(MOMENT))), sim, sim.identity())
        took_ms = 1000 * (time.perf_counter() - began)
        if outcome.status == "failed":
            return Finding("engine sim", healthy=False, words=outcome.error)
        return Finding(
            "engine sim", healthy=True, words=f"0.1 s simulated in {took_ms:.0f} ms; build {sim.identity()[:12]}"
        )
    except Exception as error:  # noqa: BLE001 (whatever is wrong is what was asked for)
        return Finding("engine sim", healthy=False, words=f"{type(error).__name__}: {error}")


def _disk(out: Path) -> Finding:
    import shutil
    import tempfile

    home = next(each for each in (out.absolute(), *out.absolute().parents) if each.is_dir())
    try:
        with tempfile.TemporaryFile(dir=home) as file:
            file.write(bytes(4096))
            file.flush()
        free_mb = shutil.disk_usage(home).free // 1_000_000
    except OSError as error:
        return Finding("disk", healthy=False, words=f"cannot write below {home}: {error.strerror}")
    words = f"{free_mb} MB free below {home}"
    return Finding("disk", free_mb >= LEAST_FREE_MB, words if free_mb >= LEAST_FREE_MB else f"only {words}")


def _store(out: Path) -> Finding:
    from dumbbell.results.failure import StoreError
    from dumbbell.results.store import Store

    if not out.exists():
        return Finding("store", healthy=True, words=f"{out}: not there yet; the first run makes it")
    try:
        with Store.open(out) as store:
            return Finding("store", healthy=True, words=f"{out}: {store.count()} runs")
    except StoreError as error:
        return Finding("store", healthy=False, words=str(error))


def _cores() -> Finding:
    from dumbbell.engines.registry import engine

    try:
        slots = engine("sim").slots()
    except ImportError as error:
        return Finding("cores", healthy=False, words=str(error))
    return Finding("cores", healthy=True, words=f"{slots} runs at once")


def _linux(name: str, spec: Path | None) -> "Iterator[Finding]":
    """What an engine with a kernel needs; then its paths, if all of it is there."""
    from dumbbell.engines.registry import engine
    from dumbbell.errors import EngineFailure, KernelError

    found: Engine | None = None
    try:
        found = engine(name)
        words = f"{len(found.algorithms())} congestion controls"
        yield Finding(f"kernel of {name}", healthy=True, words=words)
    except KernelError as error:
        yield Finding(f"kernel of {name}", healthy=False, words=str(error))
    needed = [_agent(), _compiler(needed=found is None)]
    if sys.platform == "linux":
        needed += [_memory(), _state()]
    yield from needed
    if found is None or not all(each.healthy for each in needed):
        return
    try:
        yield from _paths(found, spec)
    except EngineFailure as failure:
        yield Finding(f"engine {name}", healthy=False, words=str(failure))


def _agent() -> Finding:
    from dumbbell.engines import agent
    from dumbbell.errors import EngineFailure

    try:
        return Finding("agent", healthy=True, words=f"build {agent.identity()[:12]}")
    except EngineFailure as failure:
        return Finding("agent", healthy=False, words=str(failure))


def _compiler(*, needed: bool) -> Finding:
    import shutil

    found = shutil.which("gcc")
    return Finding(
        "compiler", healthy=bool(found) or not needed, words=found or "none; `dumbbell kernel build` needs gcc"
    )


def _memory() -> Finding:
    import os

    from dumbbell.engines.guest import memory_folder

    folder = memory_folder(1)
    if folder == "..":
        return Finding("memory folder", healthy=True, words="no room in /dev/shm: memory is a file beside each run")
    system = os.statvfs(folder)
    return Finding("memory folder", healthy=True, words=f"{folder}, {system.f_bavail * system.f_frsize >> 20} MB free")


def _state() -> Finding:
    from dumbbell.engines.diagnosis import STATE_ROOM_BYTES, diagnosis, state_bytes, too_large

    try:
        state = state_bytes()
    except OSError as error:
        return Finding("vector state", healthy=False, words=diagnosis(str(error)) or str(error))
    if state > STATE_ROOM_BYTES:
        return Finding("vector state", healthy=False, words=too_large(state))
    return Finding("vector state", healthy=True, words=f"{state} bytes, and a kernel has room for {STATE_ROOM_BYTES}")


def _paths(engine: "Engine", spec: Path | None) -> "Iterator[Finding]":
    from dumbbell.campaign.plan import plan
    from dumbbell.cli.run import experiment_of
    from dumbbell.engines.path_check import check_paths
    from dumbbell.spec import load

    experiments = [load(STANDARD_PATH), *([experiment_of(spec, None, None)] if spec else [])]
    runs = (planned.resolved.run for experiment in experiments for planned in plan(experiment))
    for checked in check_paths(engine, runs):
        words = "; ".join(checked.deviations) or "rate, round trip, queue, loss and order are as asked"
        yield Finding(f"path {checked.asked}", healthy=not checked.deviations, words=words)
