"""Processes of Python beside this one, each of which answers what it is asked: Python computes in one thread at a time.

A worker is a plain child with two pipes, through which pickles go. So a script that runs experiments needs no guard for
being imported again, as it does where `multiprocessing` starts children; and a worker ends when its standard input
does, in whatever way the process that started it has ended.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import IO, Any, Final

from dumbbell.engines.protocol import Engine
from dumbbell.engines.sim import SimEngine

_PACKAGES: Final = str(Path(__file__).parents[2])
_BEGIN: Final = f"import sys; sys.path.insert(0, {_PACKAGES!r}); import dumbbell; sys.path.append(sys.path.pop(0))"
"""This package is the one that asks; nothing else beside it is found before the libraries of Python."""
Answer = Callable[..., Any]
WORTH: Final = 200
"""Runs from which on workers, each of which takes a third of a second to begin, make a campaign faster."""


def serve(engine: Engine, runs: int, jobs: int) -> bool:
    """Whether workers measure a campaign's runs: many, and of the simulator itself, which has no state."""
    return jobs > 1 and runs >= WORTH and type(engine) is SimEngine and bool(sys.executable)


class WorkerLostError(Exception):
    """A worker ended before it had answered."""


class Workers:
    """As many as are asked at once, each of which begins when it is first needed, and answers by the same function.

    The function is one of a module's; what it is given, gives and raises can be pickled.
    """

    def __init__(self, module: str, function: str) -> None:
        self._command = (
            f"{_BEGIN}; from {__name__} import work; from {module} import {function} as answer; work(answer)"
        )
        self._idle: SimpleQueue[_Worker] = SimpleQueue()
        self._lock, self._closed = Lock(), False

    def ask(self, *question: object) -> Any:  # noqa: ANN401 (what the function gives)
        """What the function makes of a question, in a worker; raises what it raises.

        Raises:
            WorkerLostError: the worker ended meanwhile, as for want of memory.
        """
        try:
            worker = self._idle.get_nowait()
        except Empty:
            worker = _Worker(self._command)
        try:
            answer, error = worker.ask(question)
        except (EOFError, OSError, pickle.UnpicklingError):
            raise WorkerLostError(worker.end()) from None
        with self._lock:
            if self._closed:
                worker.end()
            else:
                self._idle.put(worker)
        if error is not None:
            raise error
        return answer

    def close(self) -> None:
        """Ends those that are idle, and has the others end when they have answered."""
        with self._lock:
            self._closed = True
            while not self._idle.empty():
                self._idle.get().end()


class _Worker:
    """One process, which is asked one thing at a time."""

    def __init__(self, command: str) -> None:
        self._process = subprocess.Popen(  # noqa: S603 (this interpreter, and code of ours)
            [sys.executable, "-P", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def ask(self, question: tuple[object, ...]) -> tuple[Any, Exception | None]:
        """The answer, or an error.

        Raises:
            EOFError, OSError, pickle.UnpicklingError: it has ended.
        """
        assert self._process.stdin is not None  # noqa: S101 (both are pipes)
        assert self._process.stdout is not None  # noqa: S101
        pickle.dump(question, self._process.stdin, pickle.HIGHEST_PROTOCOL)
        self._process.stdin.flush()
        answer: tuple[Any, Exception | None] = pickle.load(self._process.stdout)  # noqa: S301 (of our own child)
        return answer

    def end(self) -> str:
        """Ends it, and says how it ended."""
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None  # noqa: S101 (both are pipes)
            try:
                pipe.close()
            except OSError:  # what it was to read is lost with it
                continue
        status = self._process.wait()
        if status < 0:
            name = signal.Signals(-status).name
            return f"was ended by {name}" + (", perhaps for want of memory" if name == "SIGKILL" else "")
        return f"ended with status {status}"


def work(answer: Answer) -> None:
    """What a worker does: it answers what comes through standard input, until that ends."""
    for number in (signal.SIGINT, signal.SIGTERM):  # of a terminal, or of the group: the parent decides
        signal.signal(number, signal.SIG_IGN)
    questions: SimpleQueue[tuple[Any, ...]] = SimpleQueue()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anybody prints is no answer
    Thread(target=_read, args=(sys.stdin.buffer, questions), daemon=True).start()
    while True:
        question = questions.get()
        reply: tuple[Any, Exception | None]
        try:
            reply = answer(*question), None
        except Exception as error:  # noqa: BLE001 (it is the asker's)
            reply = None, error
        pickle.dump(reply, answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()


def _read(pipe: IO[bytes], questions: SimpleQueue[tuple[Any, ...]]) -> None:
    """Reads questions; ends the process at once where nobody is there to ask, though it is at work."""
    try:
        while True:
            questions.put(pickle.load(pipe))  # noqa: S301 (of the parent)
    except (EOFError, OSError, pickle.UnpicklingError):
        os._exit(0)
