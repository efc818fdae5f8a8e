"""`dumbbell kernel`: Linux kernels for the engine `linux`, built here."""

import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dumbbell.cli import completion
from dumbbell.cli.option import Json, print_json
from dumbbell.cli.streams import of_bars

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dumbbell.kernel import Kernel

app = typer.Typer(
    help="The Linux kernels of the engine `linux`: build, list, remove.",
    epilog="Example: dumbbell kernel build",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command(epilog="Example: dumbbell kernel build 7.3, or dumbbell kernel build --source ~/linux --name mine")
def build(  # noqa: PLR0913 (the options of a build)
    version: Annotated[
        str | None,
        typer.Argument(metavar="[VERSION]", help="Debian's source: 6.1 (the default), 6.12, or 7.3, a download."),
    ] = None,
    *,
    source: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR|TARBALL", help="Another source of Linux, built from a copy; its Makefiles run as you."
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="What `--engine linux:NAME` is to mean; else the version or release."),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Build it also when it is there.")] = False,
    packages: Annotated[
        bool,
        typer.Option("--packages", help="Only print the Debian packages that a build needs and this machine lacks."),
    ] = False,
    programs: Annotated[
        bool,
        typer.Option("--programs", help="Start what the Makefiles of --source name; else dumbbell asks in a terminal."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Build a kernel, in about three minutes, and try it; one that is there already is not built again."""
    import dumbbell.kernel as kernel
    from dumbbell.engines.registry import absence
    from dumbbell.errors import EngineFailure, KernelError
    from dumbbell.kernel.shelf import DEFAULT, discard
    from dumbbell.kernel.source import source_of
    from dumbbell.kernel.toolchain import packages as lacking

    if version is not None and source is not None:
        raise KernelError("either VERSION or --source says what is built, not both")
    if packages:
        for each in lacking(source_of(source or version or DEFAULT).package):
            typer.echo(each)
        return
    if why := absence("linux"):
        raise KernelError(why)
    if source is not None and not _allowed(source, wanted=programs):
        raise KernelError(f"{source}: nobody has allowed its programs; read them, then say --programs")
    with _progress() as advance:
        built = kernel.build(source or version or DEFAULT, name=name, fresh=fresh, progress=advance)
    for what, why in built.left_out.items():
        typer.echo(f"left out: {what}: {why}", err=True)
    from dumbbell.engines.linux import LinuxEngine
    from dumbbell.metrics.number import amount

    engine = LinuxEngine(built)
    try:
        boot_s = engine.boot()
    except EngineFailure as failure:
        raise EngineFailure(f"built, but {failure}") from None
    try:
        engine.transfer()
    except EngineFailure as failure:
        discard(built.executable.parent)
        raise KernelError(f"{built.name} boots but is of no use, and was removed: {failure}") from None
    if as_json:
        print_json(_as_json(built))
    else:
        typer.echo(_as_text([built]))
    typer.echo(f"{built.name} boots in {amount(boot_s, unit=' s')}, and carries a transfer", err=True)


def _allowed(source: Path, *, wanted: bool) -> bool:
    from dumbbell.cli.programs import allowed
    from dumbbell.engines.caller import Caller

    user = "root" if os.geteuid() == 0 else Caller.find().name
    line = f"{source}: make, with whatever its Makefiles name, as {user} on this machine"
    return allowed("this source of Linux", [line], None, wanted=wanted)


@app.command(epilog="Example: dumbbell kernel module bbr_shallow")
def module(
    variant: Annotated[
        str,
        typer.Argument(
            metavar="VARIANT",
            help="A variant of a congestion control, as bbr_shallow.",
            autocompletion=completion.variants_of_linux,
        ),
    ],
    *,
    source: Annotated[
        Path | None,
        typer.Option(metavar="DIR|TARBALL", help="The kernel's source; else Debian's linux-source of its version."),
    ] = None,
    headers: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Headers of the kernel that is to load it; else the one that runs."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where to write it; else tcp_VARIANT in this folder.")
    ] = None,
) -> None:
    """Write a variant as a module of this machine's kernel, for the engine `netns`; `make` and root do the rest."""
    from dumbbell.errors import BuildFailure
    from dumbbell.kernel.module import no_modules, series, write_module
    from dumbbell.problem import typed

    with _progress() as advance:
        written = write_module(variant, source=source, headers=headers, out=out, progress=advance)
    typer.echo(written.folder)
    target, made = written.target, f"{written.name} is written, of Linux {written.version}"
    if target is None:
        raise BuildFailure(
            f"{made}, but {no_modules()}: make it and load it on a machine that runs Linux {series(written.version)}, "
            "or say --headers DIR"
        )
    package = "" if target.headers.exists() else f"apt-get install linux-headers-{target.release}, "
    typer.echo(f"{made}, for {target.release}; next: {package}make -C {typed(written.folder)}", err=True)


@app.command("list", epilog="Example: dumbbell kernel list")
def list_(*, as_json: Json = False) -> None:
    """List the kernels that are there, newest first."""
    import dumbbell.kernel as kernel
    from dumbbell.kernel.shelf import damaged, folder

    kernels = kernel.kernels()
    if as_json:
        print_json([_as_json(each) for each in kernels])
    elif kernels:
        typer.echo(_as_text(kernels))
        typer.echo(f"in {folder()}", err=True)
    else:
        typer.echo(f"no kernels in {folder()}: `dumbbell kernel build` makes one (about 3 minutes)", err=True)
    for name, why in damaged().items():
        typer.echo(f"damaged: {name}: {why}; `dumbbell kernel remove {name}` removes it", err=True)


@app.command(epilog="Example: dumbbell kernel remove 6.12")
def remove(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME|all", help="As `dumbbell kernel list` has it.", autocompletion=completion.kernels),
    ],
) -> None:
    """Remove a kernel, or all of them."""
    import dumbbell.kernel as kernel
    from dumbbell.kernel.shelf import folder, names

    for each in names() if name == "all" else [name]:
        kernel.remove(each)
        typer.echo(f"removed {each} from {folder()}", err=True)


def _as_json(built: "Kernel") -> dict[str, Any]:
    from dataclasses import asdict

    from dumbbell.kernel.shelf import usable

    return asdict(built) | {
        "executable": str(built.executable),
        "usable": usable(built),
        "controls": dict(built.controls),
        "bytes": built.executable.stat().st_size,
    }


def _as_text(kernels: "list[Kernel]") -> str:
    from datetime import datetime

    from dumbbell.kernel.shelf import usable
    from dumbbell.metrics.number import amount
    from dumbbell.tables.plain_text import text
    from dumbbell.tables.table import Table
    from dumbbell.tables.terminal import columns

    rows = [
        (
            each.name,
            each.release,
            "yes" if usable(each) else "no: another recipe",
            len(each.controls),
            amount(each.executable.stat().st_size, scale=1e-6, unit=" MB"),
            f"{datetime.fromisoformat(each.built).astimezone():%Y-%m-%d %H:%M}",
            each.identity[:16],
            " ".join(each.controls),
        )
        for each in kernels
    ]
    header = ("name", "release", "usable", "controls", "size", "built", "identity", "congestion controls")
    return text(Table.of(header, rows), columns())


@contextmanager
def _progress() -> "Iterator[Callable[[str, int, int], None] | None]":
    """Gives what a build tells its progress to: a bar with the time left, when standard error is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(file=of_bars()), transient=True) as bar:

        def advance(what: str, done: int, total: int) -> None:
            if done == 0:
                for task in bar.task_ids:
                    bar.remove_task(task)
                bar.add_task(what, total=total or None)
            else:
                bar.update(bar.task_ids[-1], completed=done, total=total or None)

        yield advance
