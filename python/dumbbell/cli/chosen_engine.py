"""Which engine a command means by its options: one by its name, or the hosts of an inventory."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from dumbbell.engines.protocol import Engine


def engine_of(name: str, inventory: Path | None, ssh_config: Path | None, *, makes_path: bool = False) -> "Engine":
    """The engine of `--engine`, `--inventory` and `--ssh-config`.

    `makes_path`: of hosts one has to make the path, as for a study, whose numbers are about its own.

    Raises:
        BadParameter: an option is missing, or of no use.
        SpecError: something is wrong with the inventory, or none of its hosts makes a path.
    """
    if name != "hosts":
        from dumbbell.engines.registry import engine

        for option, value in (("--inventory", inventory), ("--ssh-config", ssh_config)):
            if value is not None:
                raise typer.BadParameter("is only for --engine hosts", param_hint=option)
        return engine(name)
    if inventory is None:
        raise typer.BadParameter("the engine hosts needs --inventory FILE", param_hint="--engine")
    from dumbbell.engines.hosts.assignment import makers
    from dumbbell.engines.hosts.engine import HostsEngine

    hosts = HostsEngine(inventory, ssh_config)
    if makes_path and not makers(hosts.inventory):
        from dumbbell.problem import Problem, SpecError

        message = "a study has a path of its own, and none of these hosts may make one"
        raise SpecError([Problem(str(inventory), message, "shape = true in the table of the router, or of an end")])
    return hosts
