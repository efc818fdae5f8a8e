"""What runs left on the hosts of an inventory, taken away: tasks, and what these have made; then the agent itself."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from dumbbell.engines.hosts.connection import FOLDER, HostConnection
from dumbbell.engines.hosts.failure import HostFailure
from dumbbell.engines.hosts.inventory import Inventory, InventoryHost
from dumbbell.engines.hosts.ssh import Clients, Patience


@dataclass(frozen=True, slots=True)
class CleanedHost:
    """A host, and what was taken away there."""

    name: str
    tasks: tuple[str, ...]
    problem: str | None
    """Why not all of it was; None: it was."""

    @property
    def text(self) -> str:
        """In words."""
        done = [*(f"task {each} removed" for each in self.tasks), *([] if self.problem else [f"{FOLDER} removed"])]
        return "; ".join([*done, *([self.problem] if self.problem else [])])


def clean(inventory: Inventory, config: str | None = None) -> list[CleanedHost]:
    """Cleans all hosts at once, in the inventory's order; a run that goes on there ends."""
    clients, hosts = Clients(), [host for _, host in inventory.hosts()]
    with ThreadPoolExecutor(len(hosts)) as pool:
        try:
            return list(pool.map(lambda host: _cleaned(host, config, clients), hosts))
        finally:
            clients.stop()  # of an interrupted one


def _cleaned(host: InventoryHost, config: str | None, clients: Clients) -> CleanedHost:
    tasks: list[str] = []
    try:
        with HostConnection(host, config, clients, Patience()) as connection:
            for task in connection.task("list the tasks", "tasks").tasks or []:
                connection.task(f"remove the task {task}", {"remove": {"id": task}})
                tasks.append(task)
            connection.task(f"remove {FOLDER}", "clean")
    except HostFailure as failure:
        return CleanedHost(host.name, tuple(tasks), f"{failure.step}: {failure.why}")
    return CleanedHost(host.name, tuple(tasks), None)
