"""The agent on a host: brought there once, started by one constant command, asked line by line."""

from __future__ import annotations

import json
import re
import secrets
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NoReturn, Self

from dumbbell.engines import agent
from dumbbell.engines.hosts.answer import AgentAnswer, Description, Hello, Readings, TaskAnswer, reply
from dumbbell.engines.hosts.failure import HostFailure, last_line, meaning, shown
from dumbbell.engines.hosts.inventory import InventoryHost
from dumbbell.engines.hosts.path_samples import PathSamples, Ports
from dumbbell.engines.hosts.ssh import (
    LINE_BYTES,
    NO_PROGRAM,
    OWN_FAILURE,
    ClientEnd,
    Clients,
    EndlessLine,
    Patience,
    SshClient,
    arguments,
)
from dumbbell.metrics.number import duration, size
from dumbbell.problem import visible

FOLDER: Final = ".dumbbell"
"""Where agents are, below the home folder."""
_ANOTHER: Final = b"an answer to something else"
_NAME_DIGITS: Final = 16
_STARTUP_HINT: Final = "a start-up file of its shell prints something, or it is no agent"
_ARCHITECTURE: Final = "for aarch64 `make agent-aarch64` of the source builds one; or the home folder is mounted noexec"
_FREE: Final = re.compile(r"^ +\d+ +\d+ +(\d+) +\d+ +\d+%$", re.MULTILINE)
"""What `sftp` prints for `df`: size, used, available, for root, capacity; in kB."""


def program(file: Path) -> str:
    """Where one of our agents is on every host: its name is its content's."""
    return f"{FOLDER}/agent-{agent.identity_of(file)[:_NAME_DIGITS]}"


class HostConnection:
    """An agent that serves, on a host that SSH reaches; ends with its context."""

    hello: Hello
    """What it said first: it is our agent."""
    copied: bool = False
    """Whether it had to be brought there."""

    def __init__(self, host: InventoryHost, config: str | None, clients: Clients, patience: Patience) -> None:
        self._host, self._config, self._clients, self._patience = host, config, clients, patience
        self._count = 0
        self.hello = self._greeted()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self._client.kill()
        self._client.close()

    def clock(self) -> Readings:
        """What its clocks read, some time between the call and the return.

        Raises:
            HostFailure: as `describe`.
        """
        readings = self._request("clock", "clock").clock
        return readings if readings is not None else self._garbage("clock", _ANOTHER)

    def describe(self, *, means: bool) -> Description:
        """What it has; with `means` also which queueing disciplines it can make, for which it may load modules.

        Raises:
            HostFailure: it has gone, or answers what no agent would.
        """
        answer = self._request("describe", {"describe": {"means": means}}).describe
        return answer if answer is not None else self._garbage("describe", _ANOTHER)

    def task(self, step: str, request: Any) -> TaskAnswer:  # noqa: ANN401 (JSON)
        """What is answered to a request about a task (`crates/agent/src/serve/tasks.rs`); `step` is what for.

        Raises:
            HostFailure: as `describe`, or it cannot be done.
        """
        answer = self._request(step, {"task": request}).task
        return answer if answer is not None else self._garbage(step, _ANOTHER)

    def reflect(self, address: str, token: int, seconds: int) -> Ports:
        """Has it answer, at its address, a peer that knows a token for so long; gives where.

        Raises:
            HostFailure: as `describe`.
        """
        request = {"reflect": {"address": address, "token": token, "seconds": seconds}}
        answer = self._request("reflect", request).reflect
        return answer if answer is not None else self._garbage("reflect", _ANOTHER)

    def survey_path(self, request: dict[str, Any], takes_s: float) -> PathSamples:
        """Has it measure the path to a host that reflects, which takes so long: `crates/agent/src/path/survey.rs`.

        Raises:
            HostFailure: as `describe`.
        """
        answer = self._request("measure the path", {"path": request}, takes_s).path
        return answer if answer is not None else self._garbage("measure the path", _ANOTHER)

    def _start(self, file: Path) -> SshClient:
        common = arguments(self._host, self._config, self._patience)
        return self._clients.start(self._host, ["ssh", "-T", "-a", "-x", *common, f"{program(file)} serve"])

    def _greeted(self) -> Hello:  # noqa: RET503 (`_fail` does not return)
        """What the first of our agents says that its kernel executes."""
        ends = []
        for architecture, file in agent.paths().items():
            try:
                return self._greeted_by(file)
            except ClientEnd as end:
                if end.status == OWN_FAILURE:
                    self._ended("hello", end)
                ends.append(f"the agent for {architecture} {_describe_end(end)}")
        # How a shell says that it cannot execute something differs with the shell.
        self._fail("hello", "; ".join([*ends, _ARCHITECTURE]))

    def _greeted_by(self, file: Path) -> Hello:
        """Raises `ClientEnd` where it ends before an answer."""
        self._client = self._start(file)
        try:
            try:
                hello = self._hello()
            except ClientEnd as end:
                if end.status != NO_PROGRAM:
                    raise
                self._client.close()
                self._copy(file)
                self._client = self._start(file)
                hello = self._hello()
            if hello.sha256 != agent.identity_of(file):
                another = f"{program(file)} is another program than our agent: SHA-256 {hello.sha256}"
                self._fail("hello", f"{another}; remove it there")
        except BaseException:
            self._client.close()
            raise
        return hello

    def _hello(self) -> Hello:
        """Raises `ClientEnd` where it ends before an answer."""
        answer = self._exchange("hello", "hello", self._patience.connect_s + self._patience.answer_s)
        return answer.hello if answer.hello is not None else self._garbage("hello", _ANOTHER)

    def _request(self, step: str, request: Any, takes_s: float = 0) -> AgentAnswer:  # noqa: ANN401 (JSON)
        try:
            return self._exchange(step, request, takes_s + self._patience.answer_s)
        except ClientEnd as end:
            self._ended(step, end)

    def _exchange(self, step: str, request: Any, within_s: float) -> AgentAnswer:  # noqa: ANN401 (JSON)
        self._count += 1
        try:
            line = self._client.exchange(json.dumps({"id": self._count, "request": request}).encode(), within_s)
        except TimeoutError:
            self._fail(step, f"no answer within {duration(within_s)}")
        except EndlessLine:
            self._fail(step, f"an answer of more than {size(LINE_BYTES)}, which no agent gives; the rest is not read")
        read = reply(line)
        if read is not None and read.error is not None:
            self._fail(step, f"the agent cannot: {shown(read.error.encode())}")
        if read is None or read.id != self._count or read.answer is None:
            self._garbage(step, line)
        return read.answer

    def _copy(self, source: Path) -> None:
        """Brings the agent there: under another name first, so that no part of it can be started."""
        step, name = "copy the agent", program(source)
        part = f"{name}.{secrets.token_hex(4)}"
        script = (
            f"-mkdir {FOLDER}\nchmod 700 {FOLDER}\nput {source.name} {part}\nchmod 700 {part}\nrename {part} {name}\n"
        )
        status, _, said = self._sftp(step, script, source.parent)
        if status == OWN_FAILURE:
            self._fail(step, meaning(said, self._host.ssh, self._patience.connect_s))
        if status:
            _, listing, _ = self._sftp(step, f"-df {FOLDER}\n-rm {part}\n", source.parent)
            free, needed_bytes = _FREE.search(listing), source.stat().st_size
            if free and int(free[1]) * 1024 < needed_bytes:
                self._fail(step, f"its disk is full: the agent needs {size(needed_bytes)} in its home folder")
            self._fail(step, last_line(said))
        self.copied = True

    def _sftp(self, step: str, script: str, folder: Path) -> tuple[int, str, str]:
        command = ["sftp", "-b", "-", *arguments(self._host, self._config, self._patience)]
        client = self._clients.start(self._host, command, folder)
        try:
            return client.finish(script.encode(), self._patience.copy_s)
        except TimeoutError:
            client.kill()
            self._fail(step, f"not done within {duration(self._patience.copy_s)}")
        finally:
            client.close()

    def _ended(self, step: str, end: ClientEnd) -> NoReturn:
        if end.status == OWN_FAILURE:
            if not end.said.strip():  # the agent's shell ended by a signal, which `ssh` does not name
                self._fail(step, "the agent was killed, or the connection was lost")
            if step == "hello":
                step = "connect"
            self._fail(step, meaning(end.said, self._host.ssh, self._patience.connect_s))
        self._fail(step, f"the agent {_describe_end(end)}")

    def _garbage(self, step: str, data: bytes) -> NoReturn:
        hint = f"; {_STARTUP_HINT}" if step == "hello" else ""
        self._fail(step, f'answers what our agent never would: "{shown(data)}"{hint}')

    def _fail(self, step: str, why: str) -> NoReturn:
        self._client.kill()
        raise HostFailure(self._host.name, step, visible(why)) from None


def _describe_end(end: ClientEnd) -> str:
    return (
        f"ended {f'with status {end.status}' if end.status >= 0 else f'by signal {-end.status}'}: {last_line(end.said)}"
    )
