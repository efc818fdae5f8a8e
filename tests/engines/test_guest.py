"""How a guest is started, waited for and cleared away: with programs that are no kernel, but behave like one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from pathlib import Path

import pytest

from dumbbell.engines.guest import NOT_CONFINED, Guests, command
from dumbbell.errors import EngineFailure
from kernels import order
from processes import soon

pytestmark = pytest.mark.slow

ECHO = """
import json, os, sys
from pathlib import Path
seen = {"argv": sys.argv[1:], "environment": dict(os.environ), "job": Path("job.json").read_text(),
        "here": sorted(os.listdir()), "beside": sorted(os.listdir("..")), "group": os.getpgid(0) == os.getpid()}
Path("outcome.json").write_text(json.dumps(seen))
"""
SLEEP = f"1000.{os.getpid()}"
HANG = f"""
import os, subprocess, time
from pathlib import Path
Path("group").write_text(str(os.getpid()))
subprocess.Popen(["sleep", "{SLEEP}"])
print("still here", flush=True)
time.sleep(1000)
"""


@pytest.fixture(autouse=True)
def _nothing_left(temporary: Path) -> Iterator[None]:
    """In the folder for temporary files, after each test."""
    yield
    assert not list(temporary.iterdir())


def failure(tmp_path: Path, program: str, limit_s: float = 30) -> str:
    with pytest.raises(EngineFailure) as caught:
        Guests().outcome(order(tmp_path, program, limit_s=limit_s))
    return str(caught.value)


def children() -> list[str]:
    """Processes of this test that a guest could have left."""
    listed = subprocess.run(["/bin/ps", "-eo", "args"], capture_output=True, check=True, encoding="utf-8").stdout
    return [line for line in listed.splitlines() if line == f"sleep {SLEEP}"]


def test_a_guest_sees_its_root_and_little_else(tmp_path: Path) -> None:
    guest_order = order(tmp_path, ECHO, job='{"words": 1}', seed=7)
    left = Guests().outcome(guest_order)
    seen = json.loads(left.answer)
    assert left.confinement == NOT_CONFINED, "nobody says that it is"
    assert seen["argv"] == command(guest_order, Path("root"))[1:]
    assert seen["here"] == ["dev", "init", "job.json", "proc", "sys", "tmp"]
    assert seen["beside"] == ["console.log", "held", "memory", "root"]
    assert seen["job"] == '{"words": 1}'
    assert seen["group"]
    environment = {name: value for name, value in seen["environment"].items() if name in {"HOME", "TMPDIR", "UML_SEED"}}
    assert environment == {"HOME": "..", "TMPDIR": "../memory", "UML_SEED": "7"}
    assert set(seen["environment"]) - set(environment) <= {"PWD", "LC_CTYPE"}  # the shell's and Python's own


def test_the_command_line_is_the_same_for_runs_that_are_the_same_on_many_threads(tmp_path: Path) -> None:
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
    guests, orders = Guests(), [order(folder, ECHO) for folder in folders]
    with ThreadPoolExecutor(8) as pool:
        lines = [json.loads(each.answer)["argv"] for each in pool.map(guests.outcome, orders * 10)]
    assert lines == [lines[0]] * 20
    assert not [word for word in lines[0] if str(tmp_path) in word]


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (
            "import sys; [print('line', n) for n in range(100)]; sys.exit(3)",
            "the kernel's process ended with status 3; its console's last lines:\n"
            + "\n".join(f"line {number}" for number in range(85, 100)),
        ),
        (
            "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
            "the kernel's process was ended by SIGSEGV; its console is empty",
        ),
        (
            "print('so long')",
            "the agent left no outcome: No such file or directory; its console's last lines:\nso long",
        ),
    ],
)
def test_a_guest_that_ends_badly_says_its_last_words(tmp_path: Path, program: str, message: str) -> None:
    assert failure(tmp_path, program) == message


def test_a_guest_that_hangs_is_killed_with_all_that_it_started(
    tmp_path: Path, limit_begins: Callable[[str], None]
) -> None:
    limit_begins("still here")
    before = children()
    message = failure(tmp_path, HANG, limit_s=1.5)
    assert message.startswith("not finished after 2 s, and killed (DUMBBELL_RUN_LIMIT_S sets another limit)")
    assert message.endswith("still here")
    assert soon(lambda: children() == before)


def test_another_thread_stops_all_guests_and_finds_nothing_left(tmp_path: Path, temporary: Path) -> None:
    guests, before = Guests(), children()
    guest_order = order(tmp_path, HANG)
    with ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(guests.outcome, guest_order) for _ in range(2)]
        assert soon(lambda: len(children()) == len(before) + 2)
        guests.stop()
        assert not list(temporary.iterdir())
        assert soon(lambda: children() == before), "a signal is sent before its process ends"
        for future in futures:
            with pytest.raises(CancelledError):
                future.result()
        assert b"argv" in guests.outcome(order(tmp_path, ECHO)).answer, "an engine that was stopped can go on"


def test_a_folder_or_an_agent_that_is_not_there_is_a_clear_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    guest_order = order(tmp_path, ECHO)
    guest_order.agent.unlink()
    with pytest.raises(EngineFailure, match=r"could not be started: .*/agent: No such file"):
        Guests().outcome(guest_order)
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere")
    assert failure(tmp_path, ECHO).startswith("no temporary folder: /nowhere/dumbbell-run-")


def test_a_full_folder_is_a_clear_failure(tmp_path: Path, small_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(small_disk))
    guest_order = order(tmp_path, ECHO, job=" " * 100_000)
    with pytest.raises(EngineFailure, match=r"could not be started: .*No space left on device"):
        Guests().outcome(guest_order)
    assert not list(small_disk.iterdir())


def test_what_a_killed_process_left_is_taken_away_by_the_next(tmp_path: Path, temporary: Path) -> None:
    program = (
        "import pathlib, sys, tempfile; sys.path.insert(0, sys.argv[2]); tempfile.tempdir = sys.argv[1]\n"
        "from kernels import order; from dumbbell.engines.guest import Guests\n"
        "Guests().outcome(order(pathlib.Path(sys.argv[3]), sys.argv[4]))"
    )
    support = Path(__file__).parents[1] / "support"
    before = children()
    process = subprocess.Popen([sys.executable, "-c", program, temporary, support, tmp_path, HANG])
    assert soon(lambda: process.poll() is not None or len(children()) > len(before))
    assert process.poll() is None
    process.kill()
    process.wait()
    (left,) = temporary.iterdir()
    os.killpg(int((left / "root" / "group").read_text(encoding="utf-8")), signal.SIGKILL)  # an agent dies by itself
    ended = subprocess.run([sys.executable, "-c", program, temporary, support, tmp_path, ECHO], check=False)
    assert ended.returncode == 0
    assert not list(temporary.iterdir())
