"""`python -m dev lab`: a command of dumbbell's on hosts that SSH reaches, made of this machine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from dev.sshlab import lab, obstacle
from dumbbell.errors import EngineFailure


def in_lab(
    command: Annotated[list[str], typer.Argument(metavar="COMMAND...", help="Of dumbbell, with its options.")],
    *,
    senders: Annotated[int, typer.Option("--senders", min=1, max=2, help="How many hosts send.")] = 1,
    mtu: Annotated[int, typer.Option("--mtu", min=576, max=65535, help="Of links that carry data, in bytes.")] = 1500,
) -> None:
    """Run a command of dumbbell on a lab: senders, a router and a receiver, each an sshd in namespaces of its own.

    Router and receiver may make the path. `--inventory` and `--ssh-config` are added to the command. It needs root.
    """
    if why := obstacle():
        raise EngineFailure(why)
    with TemporaryDirectory(prefix="dumbbell-lab-") as folder:
        Path(folder).chmod(0o755)  # its plain user comes there
        with lab(Path(folder), mtu) as made:
            inventory = made.testbed(("s1", "s2")[:senders], "r2", mid="shape = true", r2="shape = true")
            hosts = ["--inventory", str(inventory), "--ssh-config", str(made.config)]
            arguments = [sys.executable, "-m", "dumbbell", *command, *hosts]
            raise typer.Exit(subprocess.run(arguments, check=False).returncode)  # noqa: S603 (a list of arguments)
