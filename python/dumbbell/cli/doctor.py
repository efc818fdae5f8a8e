"""`dumbbell doctor`: whether everything that a run needs is there."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from dumbbell.cli import completion
from dumbbell.cli.option import DEFAULT_STORE, Folder, Json, print_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

EXAMPLE = "Example: dumbbell doctor, or dumbbell doctor --inventory hosts.toml"
OLDEST_PYTHON = (3, 11)
LEAST_FREE_BYTES = 500_000_000
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
RELAYED = {
    "duration": "4 s",
    "path": {"rate": "200 Mbit/s", "rtt": "20 ms", "buffer": "1 bdp", "delay_side": "forward"},
    "flows": [{"cc": "cubic"}, {"cc": "bbr"}],
}
"""All data passes the relay, where there is one."""
NO_LANDLOCK = "this machine's kernel has no Landlock, or has it turned off; a hostile program changes what you may"


class Finding(NamedTuple):
    """What was found about one thing."""

    what: str
    healthy: bool
    words: str


def doctor(  # noqa: PLR0913 (each is an option)
    *,
    engine: Annotated[
        str,
        typer.Option(
            "--engine",
            metavar="NAME",
            help="Look at what this engine needs too, and at its paths.",
            autocompletion=completion.engines,
        ),
    ] = "sim",
    spec: Annotated[
        Path | None,
        typer.Option("--spec", metavar="SPEC", help="Look at the paths of this experiment too.", show_default=False),
    ] = None,
    inventory: Annotated[
        Path | None,
        typer.Option(
            "--inventory", metavar="FILE", help="Look at the hosts of this inventory instead.", show_default=False
        ),
    ] = None,
    ssh_config: Annotated[
        Path | None,
        typer.Option(
            "--ssh-config", metavar="FILE", help="Reach them by this ssh_config, not yours.", show_default=False
        ),
    ] = None,
    clean: Annotated[
        bool,
        typer.Option(
            "--clean", help="Remove what crashed live runs left behind, here or on the hosts of an inventory."
        ),
    ] = False,
    out: Folder = DEFAULT_STORE,
    as_json: Json = False,
) -> None:
    """Check that this machine can run experiments and keep their results."""
    if inventory is not None and not clean:
        from dumbbell.cli.inventory import print_carried, print_hosts

        print_hosts(inventory, ssh_config, as_json=as_json)
        if spec is not None:
            print_carried(inventory, ssh_config, spec, as_json=as_json)
        return
    if inventory is not None:
        findings = list(_cleaned_hosts(inventory, ssh_config))
    else:
        findings = list(_leftovers() if clean else _findings(engine, spec, out))
    if as_json:
        print_json([each._asdict() for each in findings])
    elif clean:
        for each in findings:
            typer.echo(f"{each.what}: {each.words}")
        if not findings:
            typer.echo("nothing is left", err=True)
    else:
        from dumbbell.tables.plain_text import text
        from dumbbell.tables.table import Table
        from dumbbell.tables.terminal import columns

        rows = [(each.what, "ok" if each.healthy else "BAD", each.words) for each in findings]
        typer.echo(text(Table.of(("what", "state", "found"), rows), columns()))
    if not all(each.healthy for each in findings):
        raise typer.Exit(1)


def _cleaned_hosts(inventory: Path, ssh_config: Path | None) -> "Iterator[Finding]":
    from dumbbell.engines.hosts import inventory as inventories
    from dumbbell.engines.hosts.clean import clean

    hosts = inventories.read(inventory)
    config = None if ssh_config is None else inventories.ssh_config(ssh_config)
    yield from (Finding(each.name, each.problem is None, each.text) for each in clean(hosts, config))


def _findings(name: str, spec: Path | None, out: Path) -> "Iterator[Finding]":
    """What every run needs; then what this engine does, and its paths if all of that is there."""
    from dumbbell.engines.registry import absence, engine

    yield _finding("python", _python)
    yield _finding("packages", _packages)
    yield _finding("engine sim", _sim)
    yield _finding("disk", lambda: _disk(out))
    yield _finding("store", lambda: _store(out))
    yield _finding("cores", lambda: (True, f"{engine('sim').slots()} runs at once"))
    if why := absence(name):
        yield Finding(f"engine {name}", healthy=False, words=why)
    elif name == "netns":
        yield from _netns(spec)
    elif name != "sim":
        yield from _linux(name, spec)


def _finding(what: str, check: "Callable[[], tuple[bool, str]]") -> Finding:
    """What a check gives, or the error that it ends with."""
    from dumbbell.errors import DumbbellError, UnknownEngine

    try:
        return Finding(what, *check())
    except UnknownEngine:
        raise
    except DumbbellError as error:
        return Finding(what, healthy=False, words=str(error))
    except Exception as error:  # noqa: BLE001 (whatever is wrong is what was asked for)
        return Finding(what, healthy=False, words=f"{type(error).__name__}: {error}")


def _python() -> tuple[bool, str]:
    import platform

    return sys.version_info >= OLDEST_PYTHON, f"{platform.python_version()} on {platform.platform()}"


def _packages() -> tuple[bool, str]:
    from dumbbell.results.provenance import facts

    versions = facts()["versions"]
    assert isinstance(versions, dict)  # noqa: S101 (as facts() makes it)
    missing = [name for name, version in versions.items() if version is None]
    if missing:
        return False, f"not installed: {', '.join(missing)}"
    return True, ", ".join(f"{name} {version}" for name, version in versions.items())


def _sim() -> tuple[bool, str]:
    import time

    from dumbbell.campaign.measuring import execute
    from dumbbell.campaign.plan import plan
    from dumbbell.engines.registry import engine
    from dumbbell.metrics.number import amount
    from dumbbell.spec import load

    began, sim = time.perf_counter(), engine("sim")
    outcome, _ = execute(next(plan(load(MOMENT))), sim, sim.identity())
    took_s = time.perf_counter() - began
    if outcome.status == "failed":
        return False, outcome.error
    return True, f"0.1 s simulated in {amount(took_s, scale=1e3, unit=' ms')}; build {sim.identity()[:12]}"


def _disk(out: Path) -> tuple[bool, str]:
    import shutil
    import tempfile

    from dumbbell.metrics.number import size

    home = next(each for each in (out.absolute(), *out.absolute().parents) if each.is_dir())
    try:
        with tempfile.TemporaryFile(dir=home) as file:
            file.write(bytes(4096))
            file.flush()
    except OSError as error:
        return False, f"cannot write below {home}: {error.strerror}"
    free_bytes = shutil.disk_usage(home).free
    enough = free_bytes >= LEAST_FREE_BYTES
    return enough, f"{'' if enough else 'only '}{size(free_bytes)} free below {home}"


def _store(out: Path) -> tuple[bool, str]:
    from dumbbell.results.store import Store

    if not out.exists():
        return True, f"{out}: not there yet; the first run makes it"
    with Store.open(out) as store:
        return True, f"{out}: {store.count()} runs"


def _linux(name: str, spec: Path | None) -> "Iterator[Finding]":
    """What an engine with a kernel needs; then its paths, if all of it is there."""
    from dumbbell.engines.registry import engine

    kernel = _finding(f"kernel of {name}", lambda: (True, f"{len(engine(name).algorithms())} congestion controls"))
    findings = [
        kernel,
        _finding("kernels' folder", _kernels),
        _finding("agent", _agent),
        _finding("compiler", lambda: _compiler(needed=not kernel.healthy)),
        _finding("memory folder", _memory),
        _finding("vector state", _state),
    ]
    yield from findings
    if all(each.healthy for each in findings):
        yield from _paths(name, spec)


def _netns(spec: Path | None) -> "Iterator[Finding]":
    """What a live engine on this machine needs, what else its jobs may use, and what runs left; then its paths."""
    from dumbbell.engines import machine
    from dumbbell.engines.registry import engine

    needed = [
        _finding("kernel", lambda: (True, f"{machine.release()}: {', '.join(engine('netns').algorithms())}")),
        _finding("agent", _agent),
        _finding("queueing disciplines", _disciplines),
    ]
    yield from needed
    for name in machine.TOOLS:
        yield Finding(name, healthy=True, words=machine.tool(name) or "none; only workloads that call it need it")
    yield _finding("leases", _leases)
    if all(each.healthy for each in needed):
        yield from _paths("netns", spec)
        yield _finding("noise", _noise)
        yield _finding("a run", _live_run)


def _noise() -> tuple[bool, str]:
    """What the machine's timing does to packets, beside what other engines make unless they are told otherwise."""
    from dumbbell.engines.netns import NetnsEngine
    from dumbbell.hosts.noise import machine_noise
    from dumbbell.metrics.number import amount, percent

    noise = machine_noise(NetnsEngine())
    half, most, worst, jitter, gap = (
        amount(time_s, scale=1e3, unit=" ms") for time_s in (*noise.late_s, noise.jitter_s, noise.ack_gap_s)
    )
    return True, (
        f"packets leave {half} late in the median, {most} (90 %), {worst} (99 %); the default path.jitter spreads them"
        f" over {jitter}; ACKs come {gap} apart, {percent(noise.ack_lumps)} of them in lumps"
    )


def _live_run() -> tuple[bool, str]:
    """Whether results could be trusted now: of a run at 200 Mbit/s, all data of which the relay has to carry."""
    from dumbbell.engines.netns import NetnsEngine
    from dumbbell.hosts.noise import run_of
    from dumbbell.metrics.number import percent
    from dumbbell.results.disturbance import LIVE, disturbances

    facts = NetnsEngine().measure(run_of(RELAYED)).facts
    disturbed = [each.removeprefix(LIVE) for each in disturbances(facts)]
    if disturbed:
        return False, f"would be SUSPECT now: {'; '.join(disturbed)}"
    if "live.relay" not in facts:
        return True, "would be VALID now"
    count, late = int(facts["live.relay"]), int(facts["live.relay_late_500us"])
    lateness = f"at 200 Mbit/s {late} of {count} packets leave the relay more than 0.5 ms late, {percent(late / count)}"
    return True, f"would be VALID now: {lateness}"


def _disciplines() -> tuple[bool, str]:
    """Of the kernel; and whether what stands in for those that it lacks can be had."""
    from dumbbell.engines import agent, machine
    from dumbbell.engines.registry import engine

    means = machine.means(agent.path())
    has = [name for name, there in means.items() if there]
    lacks = [name for name, there in means.items() if not there]
    engine("netns").ready()
    stand_in = f"; {machine.TUN} is there for the relay" if machine.TUN.exists() else ""
    return True, f"{', '.join(has)}{'; not ' if lacks else ''}{', '.join(lacks)}{stand_in}"


def _leases() -> tuple[bool, str]:
    from dumbbell.engines import lease

    left = lease.left()
    leftovers = f"left by {', '.join(each.run for each in left)}: `dumbbell doctor --clean` takes it away"
    return not left, leftovers if left else "none left"


def _leftovers() -> "Iterator[Finding]":
    """What was taken away of each run whose controlling process is gone, or why not."""
    from dumbbell.engines.family import is_linux

    if is_linux():  # nothing else has live runs
        from dumbbell.engines import lease

        for left in lease.left():
            yield _finding(left.run, lambda: (True, "; ".join(left.clean())))  # noqa: B023 (called at once)


def _agent() -> tuple[bool, str]:
    from dumbbell.engines import agent

    return True, f"build {agent.identity()[:12]}"


def _compiler(*, needed: bool) -> tuple[bool, str]:
    import shutil

    compiler = shutil.which("gcc")
    return bool(compiler) or not needed, compiler or "none; `dumbbell kernel build` needs gcc"


def _kernels() -> tuple[bool, str]:
    from dumbbell.kernel.shelf import folder, names

    there = names()
    return True, f"{folder()}: {', '.join(there) if there else 'none; the first build makes one'}"


def _memory() -> tuple[bool, str]:
    import os

    from dumbbell.engines.guest import memory_room
    from dumbbell.metrics.number import size

    folder = memory_room(1)
    if folder is None:
        return True, "no room in /dev/shm: memory is a file beside each run"
    system = os.statvfs(folder)
    return True, f"{folder}, {size(system.f_bavail * system.f_frsize)} free"


def _state() -> tuple[bool, str]:
    from dumbbell.engines.diagnosis import STATE_ROOM_BYTES, diagnosis, state_bytes, too_large

    try:
        state = state_bytes()
    except OSError as error:
        return False, diagnosis(str(error)) or str(error)
    if state > STATE_ROOM_BYTES:
        return False, too_large(state)
    return True, f"{state} bytes, and a kernel has room for {STATE_ROOM_BYTES}"


def _paths(name: str, spec: Path | None) -> "Iterator[Finding]":
    from dumbbell.campaign.plan import plan
    from dumbbell.cli.run import experiment_of
    from dumbbell.engines.guest import NOT_CONFINED
    from dumbbell.engines.linux import LinuxEngine
    from dumbbell.engines.path_check import check_paths
    from dumbbell.engines.registry import engine
    from dumbbell.errors import EngineFailure
    from dumbbell.spec import load

    try:
        chosen = engine(name)
        if isinstance(chosen, LinuxEngine):
            confinement = chosen.confinement()
            meaning = NO_LANDLOCK if confinement == NOT_CONFINED else "it changes nothing but its own folder"
            yield Finding("guest", healthy=True, words=f"{confinement}: {meaning}")
        experiments = [load(STANDARD_PATH), *([experiment_of(spec, None, None)] if spec else [])]
        runs = (planned.resolved.run for experiment in experiments for planned in plan(experiment))
        for checked in check_paths(chosen, runs):
            summary = "; ".join(checked.deviations) or "rate, round trip, queue, loss and order are as asked"
            yield Finding(f"path {checked.requested}", healthy=not checked.deviations, words=summary)
    except EngineFailure as failure:
        yield Finding(f"engine {name}", healthy=False, words=str(failure))
