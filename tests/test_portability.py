"""Other operating systems lack modules and functions of Python's library, and Linux's engines: only these need them."""

from __future__ import annotations

from pathlib import Path

import pytest

from commandline import MOMENT, dumbbell, python
from dumbbell.engines import agent

ELSEWHERE = """
import io, os, platform, select, signal, socket, sys
for name in ("fcntl", "grp", "posix_ipc", "pwd", "resource", "termios", "tty"):
    assert name not in sys.modules, name

# Other packages have code of their own for Windows, which they choose when they are loaded.
import filelock, jinja2, markdown_it, numpy, pandas, platformdirs, pyarrow.parquet, pydantic, rich.progress, scipy.stats
import shutil, sqlite3, subprocess, tempfile, typer, vl_convert
from filelock import FileLock, SoftFileLock, Timeout

for name in ("fcntl", "grp", "posix_ipc", "pwd", "resource", "termios", "tty"):
    sys.modules[name] = None
for module, names in {
    os: "O_CLOEXEC ST_NOEXEC fork getegid geteuid getgid getgrouplist getgroups getloadavg getpgid getuid killpg mkfifo"
    " nice pidfd_open posix_spawn pread pwrite register_at_fork sched_getaffinity setsid sysconf uname",
    select: "epoll poll",
    signal: "SIGALRM SIGHUP SIGKILL SIGPIPE SIGUSR1 pidfd_send_signal pthread_sigmask setitimer",
    socket: "AF_UNIX",
}.items():
    for name in names.split():
        delattr(module, name)
sys.platform = "win32"
platform.system, platform.machine = lambda: "Windows", lambda: "AMD64"

from dumbbell.cli.main import main

def status(*arguments):
    sys.argv = ["dumbbell", *arguments]
    try:
        main()
    except SystemExit as end:
        return end.code or 0
    return 0
"""
"""What Windows has not is not here from here on; `status` runs the program and gives its status."""

COMMANDS = f"""
import pathlib, tempfile
home = pathlib.Path(tempfile.mkdtemp())
store, page, spec = (str(home / name) for name in ("store", "page.html", "moment.toml"))
pathlib.Path(spec).write_text({MOMENT!r})
for arguments in (["run", spec, "--out", store], ["cc", "list"]):
    for form in ([], ["--json"]):
        assert status(*arguments, *form) == 0, arguments
for arguments in (
    ["check", spec],
    ["report", store, "--out", page],
    ["report", store, "--figures", str(home / "figures")],
    ["results", "verify", store],
    ["compare", store + "@path.buffer=0.5 bdp", "@path.buffer=2 bdp"],
    ["advise", "--rate", "10mbit", "--rtt", "10ms"],
    ["doctor", "--out", store],
    ["doctor", "--clean"],
    ["kernel", "list"],
):
    assert status(*arguments) == 0, arguments
assert "vega-embed" in pathlib.Path(page).read_text()
sys.stdin = io.TextIOWrapper(io.BytesIO({MOMENT!r}.encode()))
assert status("check", "-") == 0
import dumbbell
print(len(dumbbell.run({MOMENT!r}).summaries))
"""

REFUSALS = """
for name in ("linux", "netns"):
    for arguments, expected in ((["run", "examples/two-flows.toml", "--engine"], 2), (["doctor", "--engine"], 1)):
        assert status(*arguments, name) == expected, arguments
assert status("kernel", "build") == 2
"""


@pytest.mark.long
@pytest.mark.slow
def test_commands_and_a_run_from_python() -> None:
    done = python(ELSEWHERE + COMMANDS)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert "moment: 2 points, 4 runs" in done.stdout
    assert "linux: the engine linux needs x86-64 Linux\nnetns: the engine netns needs x86-64 Linux\n" in done.stdout
    assert "experiment: 2 points, 4 runs" in done.stdout
    assert "nothing is left" in done.stderr
    assert '"name": "bbr_4_17"' in done.stdout
    assert done.stdout.splitlines()[-1] == "4"


@pytest.mark.slow
def test_an_engine_of_linux_is_refused_in_one_line() -> None:
    done = python(ELSEWHERE + REFUSALS)
    assert done.returncode == 0, done.stderr
    said = "the engine {} needs x86-64 Linux"
    assert done.stderr.splitlines() == [said.format("linux"), said.format("netns"), said.format("linux")]
    bad = [line.split("BAD")[1].strip() for line in done.stdout.splitlines() if "BAD" in line]
    assert bad == [said.format("linux"), said.format("netns")]


def test_without_the_agent_both_engines_of_linux_are_left_out(
    tmp_path: Path, moment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent, "files", lambda _: tmp_path)
    checked = dumbbell("check", moment, COLUMNS="200")
    assert (checked.returncode, checked.stderr) == (0, "")
    assert "sim: can run it" in checked.stdout
    for name in ("linux", "netns"):
        said = f"the engine {name} is not in this installation: it has no agent, which `make build` makes of the source"
        assert f"{name}: {said}\n" in checked.stdout
        done = dumbbell("run", moment, "--engine", name)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", f"{said}\n")
        diagnosis = dumbbell("doctor", "--engine", name, COLUMNS="200")
        assert diagnosis.returncode == 1
        (line,) = (line for line in diagnosis.stdout.splitlines() if "BAD" in line)
        assert line.split(maxsplit=3)[3] == said
