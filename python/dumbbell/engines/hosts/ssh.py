"""The system's OpenSSH: how `ssh` and `sftp` are started, and what goes through their pipes, with limits.

Only OpenSSH knows what its users have: ssh_config, agents, jump hosts, hardware keys, known_hosts. What a user's
ssh_config says is changed by options where it would let a host in unseen, or get something from here to there.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Lock
from typing import IO, Final

from dumbbell.engines.hosts.failure import HostFailure
from dumbbell.engines.hosts.inventory import InventoryHost

LINE_BYTES: Final = 4 * 2**20
"""An answer has at most so many."""
SAID_BYTES: Final = 2**14
"""Of standard error, what is more is read and dropped."""
OWN_FAILURE: Final = 255
"""Exit status of `ssh` and `sftp` where they failed themselves."""
NO_PROGRAM: Final = 127
"""Exit status of a shell that finds no program of a name (POSIX, Shell Command Language, 2.8.2)."""
_OPTIONS: Final = {
    "BatchMode": "yes",
    "StrictHostKeyChecking": "yes",
    "NoHostAuthenticationForLocalhost": "no",
    "UpdateHostKeys": "no",
    "ControlPath": "none",  # a connection that is there already may have been made without a look at the key
    "ConnectionAttempts": "1",
    "ServerAliveInterval": "5",
    "ServerAliveCountMax": "3",
    "ClearAllForwardings": "yes",
    "ForwardAgent": "no",
    "ForwardX11": "no",
    "Tunnel": "no",
    "PermitLocalCommand": "no",
    "RemoteCommand": "none",
    "RequestTTY": "no",
    "EscapeChar": "none",
    "LogLevel": "ERROR",
}
_CHUNK_BYTES: Final = 2**16
_ENDS_WITHIN_S: Final = 5


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a host is waited for."""

    connect_s: int = 10
    answer_s: float = 20
    copy_s: float = 120


class ClientEnd(Exception):  # noqa: N818 (who asked makes a failure of it, with host and step)
    """`ssh` or `sftp` ended: its exit status, and what it said on standard error."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(status, said)
        self.status, self.said = status, said


class EndlessLine(Exception):  # noqa: N818 (likewise)
    """What comes has more than `LINE_BYTES` without an end of line."""


def arguments(host: InventoryHost, config: str | None, patience: Patience) -> list[str]:
    """What `ssh` and `sftp` have in common, to the destination: nothing of an inventory but that and a file's path."""
    options = {**_OPTIONS, "ConnectTimeout": str(patience.connect_s)}
    parts = ["-F", config] if config is not None else []
    return [*parts, *(f"-o{name}={value}" for name, value in options.items()), "--", host.ssh]


class Clients:
    """All processes of `ssh` and `sftp` of a survey, so that they can be ended together from another thread."""

    def __init__(self) -> None:
        self._present: set[SshClient] = set()
        self._stopped = Event()
        self._lock = Lock()

    def start(self, host: InventoryHost, command: Sequence[str], folder: Path | None = None) -> SshClient:
        """Starts one.

        Raises:
            HostFailure: there is no such program, or all were stopped.
        """
        with self._lock:
            if self._stopped.is_set():
                raise HostFailure(host.name, "connect", "interrupted")
            try:
                client = SshClient(command, folder)
            except OSError as error:
                why = f"{command[0]} cannot be started ({error.strerror}); install OpenSSH's client"
                raise HostFailure(host.name, "connect", why) from None
            self._present.add(client)
            return client

    def pause(self, seconds: float) -> None:
        """Lets time pass.

        Raises:
            CancelledError: all were stopped.
        """
        if self._stopped.wait(max(0.0, seconds)):
            raise CancelledError

    def stop(self) -> None:
        """Ends every one, and lets none begin."""
        with self._lock:
            self._stopped.set()
            for client in self._present:
                client.kill()


class SshClient:
    """A process of `ssh` or `sftp`, in a group of its own: what is sent to it, and what comes."""

    def __init__(self, command: Sequence[str], folder: Path | None) -> None:
        self._process = subprocess.Popen(  # noqa: S603 (a list of arguments; see `arguments`)
            command,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            process_group=0,
            bufsize=0,
        )
        self._unsent = b""
        self._received = bytearray()
        self._said = bytearray()
        self._selector = selectors.DefaultSelector()
        for pipe in (self._process.stdout, self._process.stderr):
            self._selector.register(_there(pipe), selectors.EVENT_READ)
        os.set_blocking(_there(self._process.stdin).fileno(), False)

    def exchange(self, line: bytes, within_s: float) -> bytes:
        """Sends a line and gives the next one that comes, both without their ends.

        Raises:
            ClientEnd: it ended before.
            TimeoutError: nothing came in time.
            EndlessLine: more came than a line may have.
        """
        self._send(line + b"\n")
        until = time.monotonic() + within_s
        while (end := self._received.find(b"\n", 0, LINE_BYTES + 1)) < 0:
            if len(self._received) > LINE_BYTES:
                raise EndlessLine
            if not self._turn(until):
                raise ClientEnd(*self._end(until))
        answer = bytes(self._received[:end])
        del self._received[: end + 1]
        return answer

    def finish(self, text: bytes, within_s: float) -> tuple[int, str, str]:
        """Sends a text and its end; gives the exit status, and the beginnings of what came and of what was said.

        Raises:
            TimeoutError: it did not end in time.
        """
        self._send(text)
        until = time.monotonic() + within_s
        while self._unsent and self._turn(until):
            pass
        _there(self._process.stdin).close()
        while self._turn(until):
            del self._received[SAID_BYTES:]
        status, said = self._end(until)
        return status, self._received.decode("utf-8", "replace"), said

    def close(self) -> None:
        """Ends its input, and so the agent; kills it where that does not end it."""
        if self._process.returncode is None:
            with suppress(TimeoutError):
                self.finish(b"", _ENDS_WITHIN_S)
        self.kill()
        self._process.wait()
        self._selector.close()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            _there(pipe).close()

    def kill(self) -> None:
        """Kills it, with what it started; another thread may do so."""
        if self._process.poll() is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def _send(self, data: bytes) -> None:
        stdin = _there(self._process.stdin)
        if data and not stdin.closed:
            self._unsent += data
            if stdin not in self._selector.get_map():
                self._selector.register(stdin, selectors.EVENT_WRITE)

    def _turn(self, until: float) -> bool:
        """Does once what pipes are ready for; False: nothing comes any more."""
        if self._process.stdout not in self._selector.get_map():
            return False
        left_s = until - time.monotonic()
        ready = self._selector.select(left_s) if left_s > 0 else []
        if not ready:
            raise TimeoutError
        for key, _ in ready:
            if key.fileobj is self._process.stdin:
                self._write()
            elif data := os.read(key.fd, _CHUNK_BYTES):
                if key.fileobj is self._process.stdout:
                    self._received += data
                else:
                    self._said += data[: SAID_BYTES - len(self._said)]
            else:
                self._selector.unregister(key.fileobj)
        return True

    def _write(self) -> None:
        stdin = _there(self._process.stdin)
        try:
            self._unsent = self._unsent[os.write(stdin.fileno(), self._unsent) :]
        except BrokenPipeError:  # its end says more
            self._unsent = b""
        if not self._unsent:
            self._selector.unregister(stdin)

    def _end(self, until: float) -> tuple[int, str]:
        """Its exit status and what it said, once its output has ended."""
        stderr = _there(self._process.stderr)
        while stderr in self._selector.get_map() and self._selector.select(max(until - time.monotonic(), 0)):
            data = os.read(stderr.fileno(), _CHUNK_BYTES)
            self._said += data[: SAID_BYTES - len(self._said)]
            if not data or time.monotonic() > until:
                break
        try:
            status = self._process.wait(max(until - time.monotonic(), 0))
        except subprocess.TimeoutExpired:
            raise TimeoutError from None
        return status, self._said.decode("utf-8", "replace")


def _there(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None  # noqa: S101 (each was asked for)
    return pipe
