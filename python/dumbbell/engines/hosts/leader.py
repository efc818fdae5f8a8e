"""A run on several hosts: each has a task of its own, which goes on whether or not this machine can see it.

Each gets the same requests: begin, time 0 on your clock, give what you have. A connection that is lost is made again,
and its task asked how it stands.
"""

from __future__ import annotations

import binascii
import time
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Final, TypeVar

from dumbbell.engines import outcome
from dumbbell.engines.capture_files import PATTERN
from dumbbell.engines.hosts.answer import TaskAnswer, TaskState
from dumbbell.engines.hosts.clock import ClockOffset, clock_offset
from dumbbell.engines.hosts.connection import HostConnection
from dumbbell.engines.hosts.failure import HostFailure, last_line, spoken
from dumbbell.engines.hosts.inventory import InventoryHost
from dumbbell.engines.hosts.ssh import Clients, Patience
from dumbbell.engines.live import LOOK_S, Feed
from dumbbell.errors import EngineFailure
from dumbbell.metrics.number import size as amount
from dumbbell.units import NS_PER_S

_OUTCOME: Final = "outcome"
_LEAD_NS: Final = 500_000_000
"""Time 0 is so long after all have said that they are ready, and as long again as the slowest took to say it."""
_LOOK_S: Final = 0.1
_LOST_S: Final = 30.0
"""A host whose connection is lost is tried again for so long beyond the run's end."""
_RETRY_S: Final = 1.0
_Given = TypeVar("_Given")
_MOST_BYTES: Final = 2**30
"""Of what a host leaves of a run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostPart:
    """What one host left of a run."""

    outcome: bytes
    clock: ClockOffset
    """How far its clocks were ahead when the run began."""
    clock_after: ClockOffset
    interruptions: int
    """So many times its connection was lost and made again."""


class HostTask:
    """A task on a host, and the connection to it, which is made again when it is lost."""

    def __init__(self, host: InventoryHost, task: str, config: str | None, clients: Clients) -> None:
        self.host, self._task, self._config, self._clients = host, task, config, clients
        self._connection: HostConnection | None = None
        self.interruptions = 0
        self.is_watched, self.watched_bytes = False, 0

    def connection(self) -> HostConnection:
        """The one that there is, or a new one.

        Raises:
            HostFailure: there is none to be had.
        """
        if self._connection is None:
            self._connection = HostConnection(self.host, self._config, self._clients, Patience())
        return self._connection

    def over(self, clients: Clients) -> HostTask:
        """The same task over connections of its own."""
        return HostTask(self.host, self._task, self._config, clients)

    def close(self) -> None:
        """Ends the connection, and not the task."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.__exit__(None, None, None)

    def ask(self, step: str, request: Mapping[str, Any]) -> TaskAnswer:
        """One request about the task."""
        ((kind, fields),) = request.items()
        return self.connection().task(step, {kind: {"id": self._task, **fields}})

    def patiently(self, until_s: float, ask: Callable[[], _Given]) -> _Given:
        """What `ask` gives, which is asked again over a new connection while the old one is lost."""
        while True:
            try:
                return ask()
            except HostFailure as failure:
                lost = self._connection
                self.close()
                self.pause(0)
                if time.monotonic() > until_s:
                    raise failure from None
                self.interruptions += lost is not None
                self.pause(_RETRY_S)

    def pause(self, seconds: float) -> None:
        """Lets time pass; raises `CancelledError` where another thread stops everything."""
        self._clients.pause(seconds)

    def state(self, step: str = "look at the task") -> TaskState:
        """How it stands."""
        state = self.ask(step, {"state": {}}).state
        if state is None:
            raise HostFailure(self.host.name, step, "the agent says nothing of it")
        return state

    def start(self, job: Mapping[str, Any]) -> None:
        """Begins it, or finds that it has begun."""
        self.is_watched = job.get("live") is not None
        self.ask("begin the task", {"start": {"job": job}})

    def remove(self) -> None:
        """Ends it and removes what it left."""
        self.ask("remove the task", {"remove": {}})

    def collected(self, file: str, size: int) -> Iterator[bytes]:
        """The pieces of what it left: `outcome`, or the capture at a place."""
        step = f"collect the {file}" if file == _OUTCOME else f"collect the capture at the {file}"
        if size > _MOST_BYTES:
            raise HostFailure(self.host.name, step, f"{amount(size)} are more than a run leaves")
        offset = 0
        while offset < size:
            piece = self.piece(step, file, offset)
            if not piece:
                raise HostFailure(self.host.name, step, f"it ends after {amount(offset)} of {amount(size)}")
            offset += len(piece)
            yield piece

    def piece(self, step: str, file: str, offset: int) -> bytes:
        """A piece of a file from an offset on; empty: there is no more."""
        text = self.ask(step, {"collect": {"file": file, "offset": offset}}).collect
        with suppress(binascii.Error):
            return b64decode(text or "", validate=True)
        raise HostFailure(self.host.name, step, "it answers what is no base64")


class Leader:
    """Leads the tasks of one run."""

    def __init__(self, tasks: list[HostTask], limit_s: float, feed: Feed | None = None) -> None:
        """`feed` gets what the senders' flows do meanwhile."""
        self.tasks = tasks
        self._until_s = time.monotonic() + limit_s
        self._feed, self._feeding = feed, Lock()

    def run(
        self, jobs: Mapping[str, Mapping[str, Any]], duration_s: float, captures: Path | None
    ) -> dict[str, HostPart]:
        """Has all hosts do their jobs at one time, and gives what each left; captures go into a folder.

        Raises:
            HostFailure: one could not, and why; the tasks of all are removed.
        """
        with self._pool() as each:
            try:
                clocks = each(lambda task: clock_offset(task.connection()))
                if not self._has_begun(each):
                    zero_ns = self._begun(each, jobs, clocks)
                    until_s = zero_ns / NS_PER_S + duration_s * self._is_fixed(jobs)
                    each(lambda task: self._sleep(task, until_s))
                if not self._is_fixed(jobs):
                    each(self._complete)
                    each(self._finish)
                states = each(self._ended)
                after = each(lambda task: task.patiently(self._until_s, lambda: clock_offset(task.connection())))
                outcomes = each(lambda task: self._outcome(task, states[task.host.name], captures))
            except BaseException:
                self.abandon()
                raise
            each(lambda task: task.patiently(self._until_s, task.remove))
        return {
            task.host.name: HostPart(
                outcome=outcomes[task.host.name], clock=clocks[task.host.name],
                clock_after=after[task.host.name], interruptions=task.interruptions,
            )
            for task in self.tasks
        }  # fmt: skip

    def abandon(self) -> None:
        """Removes the tasks, as far as hosts can be reached, over connections of their own."""
        clients = Clients()
        others = [task.over(clients) for task in self.tasks]
        with ThreadPoolExecutor(len(others)) as pool:
            list(pool.map(_removed, others))
        clients.stop()

    @staticmethod
    def _is_fixed(jobs: Mapping[str, Mapping[str, Any]]) -> bool:
        """Whether the run's length is known before it is over."""
        return not next(iter(jobs.values()))["run"]["until_done"]

    @staticmethod
    def _has_begun(each: _Each) -> bool:
        """Whether all hosts are at this run or done with it, as a controller that is no more began it; else none is."""
        states = each(lambda task: task.state("look for the task")).values()
        if all(each.begun and (each.runs or each.outcome_bytes is not None) for each in states):
            return True
        if any(state.exists for state in states):
            each(lambda task: task.remove())
        return False

    def _begun(self, each: _Each, jobs: Mapping[str, Mapping[str, Any]], clocks: Mapping[str, ClockOffset]) -> int:
        """Begins all tasks, and gives time 0 on this machine's CLOCK_MONOTONIC."""
        each(lambda task: task.start(jobs[task.host.name]))
        began_ns = time.monotonic_ns()
        each(self._made_ready)
        took_ns = time.monotonic_ns() - began_ns
        zero_ns = time.monotonic_ns() + _LEAD_NS + min(took_ns, 2 * NS_PER_S)

        def go(task: HostTask) -> None:
            theirs_ns = zero_ns + clocks[task.host.name].monotonic_ns
            task.ask("say when to begin", {"go": {"zero_ns": theirs_ns}})

        each(go)
        return zero_ns

    def _made_ready(self, task: HostTask) -> None:
        while not (state := task.state("wait until it is set up")).ready:
            if not state.runs or state.outcome_bytes is not None:
                left = b"".join(task.collected(_OUTCOME, state.outcome_bytes or 0))
                raise HostFailure(task.host.name, "set up", _why(left, state))
            if time.monotonic() > self._until_s:
                raise HostFailure(task.host.name, "set up", f"not done in time; {last_line(state.console)}")
            task.pause(_LOOK_S)

    def _sleep(self, task: HostTask, until_s: float) -> None:
        while (left_s := until_s - time.monotonic()) > 0:
            task.pause(min(left_s, LOOK_S) if self._feed is not None else left_s)
            self._watch(task)

    def _watch(self, task: HostTask) -> None:
        """Gives what has come of a task's flows to the watcher; it is no harm where nothing comes."""
        if self._feed is None or self._feed.over or not task.is_watched:
            return
        try:
            data = task.piece("watch", "live", task.watched_bytes)
        except HostFailure:
            task.close()
            task.interruptions += 1
            return
        task.watched_bytes += len(data)
        with self._feeding:
            self._feed.take(data, host=task.host.name)

    def _complete(self, task: HostTask) -> None:
        """Waits until all is complete that a host has an end of."""
        until_s = self._until_s + _LOST_S
        while (state := task.patiently(until_s, task.state)).runs and not state.complete:
            task.pause(_LOOK_S)
            self._watch(task)

    def _finish(self, task: HostTask) -> None:
        if task.patiently(self._until_s, task.state).runs:
            task.patiently(self._until_s, lambda: task.ask("end the run", {"finish": {}}))

    def _ended(self, task: HostTask) -> TaskState:
        until_s = self._until_s + _LOST_S
        while (state := task.patiently(until_s, task.state)).runs:
            if time.monotonic() > self._until_s:
                raise HostFailure(task.host.name, "measure", f"not over in time; {last_line(state.console)}")
            task.pause(_LOOK_S)
        if not state.exists:
            raise HostFailure(task.host.name, "measure", "the task is gone: the host was started again, or cleaned")
        return state

    def _outcome(self, task: HostTask, state: TaskState, captures: Path | None) -> bytes:
        if state.outcome_bytes is None:
            raise HostFailure(task.host.name, "measure", f"it left no outcome; {last_line(state.console)}")
        until_s, size = self._until_s + _LOST_S, state.outcome_bytes
        left = task.patiently(until_s, lambda: b"".join(task.collected(_OUTCOME, size)))
        for point, bytes_ in state.captures if captures is not None else ():
            assert captures is not None  # noqa: S101 (as above)
            file = captures / PATTERN.replace("*", point)
            task.patiently(until_s, lambda: _written(file, task.collected(point, bytes_)))  # noqa: B023 (called at once)
        return left

    @contextmanager
    def _pool(self) -> Iterator[_Each]:
        """Does something with all tasks at once."""
        with ThreadPoolExecutor(len(self.tasks)) as pool:

            def each(do: Callable[[HostTask], _Given]) -> dict[str, _Given]:
                waits = {task.host.name: pool.submit(do, task) for task in self.tasks}
                failures = [error for wait in waits.values() if (error := wait.exception()) is not None]
                if failures:
                    raise failures[0]
                return {name: wait.result() for name, wait in waits.items()}

            try:
                yield each
            finally:
                for task in self.tasks:
                    task.close()


_Each = Callable[[Callable[[HostTask], Any]], dict[str, Any]]


def _removed(task: HostTask) -> None:
    with suppress(HostFailure):
        task.remove()
    task.close()


def _written(file: Path, pieces: Iterator[bytes]) -> None:
    with file.open("wb") as opened:
        for piece in pieces:
            opened.write(piece)


def _why(left: bytes, state: TaskState) -> str:
    """Why a task ended before time 0: as its outcome says, or else its console."""
    try:
        outcome.measurement(left)
    except EngineFailure as failure:
        if left:
            return spoken(str(failure))
    return last_line(state.console)
