"""`dumbbell measure-path`: base RTT, rate and queue of the path between two hosts, and a spec of it."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dumbbell.cli import completion
from dumbbell.cli.option import Json, print_json

if TYPE_CHECKING:
    from dumbbell.captures.connection import CapturedNumber
    from dumbbell.engines.hosts.path_estimate import MeasuredPath
    from dumbbell.spec.quantity import Quantity
    from dumbbell.tables.table import Cell

EXAMPLE = "Example: dumbbell measure-path --inventory hosts.toml --load --spec path.toml"
HEADINGS = ("of the path", "estimate", "interval", "how it is known")


def measure_path(  # noqa: PLR0913 (an option each)
    *,
    inventory: Annotated[
        Path, typer.Option("--inventory", metavar="FILE", help="The hosts: a TOML file.", show_default=False)
    ],
    ssh_config: Annotated[
        Path | None,
        typer.Option("--ssh-config", metavar="FILE", help="An ssh_config in place of yours.", show_default=False),
    ] = None,
    sender: Annotated[
        str | None, typer.Option("--from", metavar="NAME", help="A sender; default: the first.", show_default=False)
    ] = None,
    receiver: Annotated[
        str | None,
        typer.Option("--to", metavar="NAME", help="A receiver; default: where that sends to.", show_default=False),
    ] = None,
    load: Annotated[bool, typer.Option("--load", help="Fill the path with a TCP flow for a time.")] = False,
    time: Annotated[str, typer.Option("--time", metavar="TIME", help="For how long, at most 10 s.")] = "10 s",
    spec: Annotated[
        Path | None,
        typer.Option(
            "--spec",
            metavar="OUT",
            help="Write a spec of the path, which `dumbbell run` takes; needs --load.",
            show_default=False,
        ),
    ] = None,
    cc: Annotated[
        str,
        typer.Option(
            "--cc", metavar="NAME,...", help="The spec's flows, one each.", autocompletion=completion.several_algorithms
        ),
    ] = "bbr,cubic",
    as_json: Json = False,
) -> None:
    """Measure the path from a sender to a receiver, which SSH reaches: base RTT, rate, queue, each with its interval.

    Without --load it sends 50 small packets, and knows the base RTT only. With --load one TCP flow fills the path,
    which others who use it feel. The rate is of frames of Ethernet, as a spec's.
    """
    from dumbbell.engines.hosts.inventory import read
    from dumbbell.engines.hosts.inventory import ssh_config as config_of
    from dumbbell.engines.hosts.path import MOST_BYTES, ends
    from dumbbell.engines.hosts.path import measure_path as measure
    from dumbbell.engines.hosts.path_spec import write_spec
    from dumbbell.metrics.number import duration, size

    ccs, load_s = _algorithms(cc), _load_s(time) if load else None
    if spec is not None and not load:
        raise _refusal("--spec", "a path's rate is known only with --load", "add --load")
    start, end = ends(read(inventory), sender, receiver)
    config = None if ssh_config is None else config_of(ssh_config)
    what = "50 small packets there and back, for 2 s"
    if load_s is not None:
        what += f"; then one TCP flow that fills the path, for {duration(load_s)} or {size(MOST_BYTES)} at most"
    typer.echo(f"note: {start.name} sends to {end.name} ({end.address}): {what}", err=True)
    measured = measure(start, end, load_s, config)
    if as_json:
        from msgspec import to_builtins

        print_json({"from": start.name, "to": end.name, **to_builtins(measured)})
    else:
        from dumbbell.tables.plain_text import text
        from dumbbell.tables.table import Table
        from dumbbell.tables.terminal import columns

        typer.echo(text(Table.of(HEADINGS, _rows(measured)), columns()))
        if load:
            typer.echo(f"The flow sent {size(measured.sent_bytes)}. What limited it: {measured.limit}.")
    if spec is not None:
        options = ["--inventory", inventory, "--from", start.name, "--to", end.name, "--load", "--time", time]
        command = shlex.join(["dumbbell", "measure-path", *map(str, options), "--spec", str(spec)])
        typer.echo(write_spec(measured, spec, ccs, command), err=True)


def _load_s(time: str) -> float:
    from dumbbell.engines.hosts.path import MOST_LOAD_S
    from dumbbell.metrics.number import duration
    from dumbbell.spec.quantity import QuantityError, Time
    from dumbbell.units import NS_PER_S

    try:
        load_s = Time(time).ns / NS_PER_S
    except QuantityError as error:
        raise _refusal("--time", error.message, error.hint) from None
    if not 1 <= load_s <= MOST_LOAD_S:
        raise _refusal("--time", f"is {time}", f"give 1 s to {duration(MOST_LOAD_S)}")
    return load_s


def _algorithms(names: str) -> list[str]:
    from dumbbell.spec import load

    ccs = names.split(",")
    path = {"rate": "1 Mbit/s", "rtt": "10 ms", "buffer": "1 bdp"}
    load({"duration": "1 s", "path": path, "flows": [{"cc": each} for each in ccs]})  # names what it does not know
    return ccs


def _refusal(option: str, message: str, hint: str) -> Exception:
    from dumbbell.problem import Problem, SpecError

    return SpecError([Problem(option, message, hint)])


def _rows(measured: "MeasuredPath") -> "Iterator[list[Cell]]":
    from dumbbell.captures.experiment import PPB
    from dumbbell.spec.quantity import Bytes, Rate, Share, Time

    yield _row("base RTT", Time, measured.rtt_ns)
    yield _row("rate", Rate, measured.rate_bps)
    yield _row("queue", Bytes, measured.queue_bytes)
    yield _row("random loss", Share, measured.random_loss, PPB)
    yield _row("jitter", Time, measured.jitter_ns)


def _row(name: str, kind: "type[Quantity]", number: "CapturedNumber", factor: float = 1.0) -> "list[Cell]":
    from dumbbell.metrics.number import ABSENT
    from dumbbell.tables.table import TextCell

    low, value, high = (
        None if each is None else kind.show(factor * each, 4) for each in (number.low, number.value, number.high)
    )
    interval = f"{low or '?'} to {high or '?'}" if high else f"at least {low}" if low else ABSENT
    return [name, TextCell(value or ABSENT), TextCell(interval), number.reason]
