"""Other operating systems lack some modules of Python's library: nothing may need them."""

from __future__ import annotations

import json

import pytest

from commandline import MOMENT, python

pytestmark = pytest.mark.slow

WITHOUT = """
import sys
for name in ("fcntl", "grp", "posix_ipc", "pwd", "resource", "termios", "tty"):
    assert name not in sys.modules, name
    sys.modules[name] = None
"""


def test_a_run_from_python() -> None:
    done = python(f"{WITHOUT}\nimport dumbbell\nprint(len(dumbbell.run({MOMENT!r}).summaries))")
    assert (done.returncode, done.stdout) == (0, "4\n"), done.stderr


@pytest.mark.parametrize(
    "command", [["run", "SPEC", "--json"], ["run", "SPEC"], ["cc", "list", "--json"]], ids=" ".join
)
def test_a_command(command: list[str]) -> None:
    arguments = ["dumbbell", *("examples/two-flows.toml" if word == "SPEC" else word for word in command)]
    done = python(f"{WITHOUT}\nsys.argv = {arguments}\nfrom dumbbell.cli.main import main\nmain()")
    assert (done.returncode, done.stderr) == (0, "")
    if "--json" in command:
        assert json.loads(done.stdout.splitlines()[0] if command[0] == "run" else done.stdout)
