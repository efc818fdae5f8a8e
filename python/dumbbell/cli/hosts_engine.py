"""Which engine a command means by its options: one by its name, or the hosts of an inventory."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from dumbbell.engines.protocol import Engine


def engine_of(name: str, inventory: Path | None, ssh_config: Path | None) -> "Engine":
    """The engine of `--engine`, `--inventory` and `--ssh-config`.

    Raises:
        BadParameter: an option is missing, or of no use.
        SpecError: something is wrong with the inventory.
    """
    if name != "hosts":
        from dumbbell.engines.registry import engine

        for option, value in (("--inventory", inventory), ("--ssh-config", ssh_config)):
            if value is not None:
                raise typer.BadParameter("is only for --engine hosts", param_hint=option)
        return engine(name)
    if inventory is None:
        raise typer.BadParameter("the engine hosts needs --inventory FILE", param_hint="--engine")
    from dumbbell.engines.hosts.engine import HostsEngine

    return HostsEngine(inventory, ssh_config)
