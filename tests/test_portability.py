"""Other operating systems lack some modules of Python's library: nothing may need them."""

from __future__ import annotations

import pytest

from commandline import MOMENT, python

PROGRAM = f"""
import sys
for name in ("fcntl", "grp", "posix_ipc", "pwd", "resource", "termios", "tty"):
    assert name not in sys.modules, name
    sys.modules[name] = None
from dumbbell.cli.main import main
for arguments in (["run", "examples/two-flows.toml", "--set", "duration=5 s", "--seeds", "1"], ["cc", "list"]):
    for form in ([], ["--json"]):
        sys.argv = ["dumbbell", *arguments, *form]
        try:
            main()
        except SystemExit as end:
            assert not end.code, arguments
import dumbbell
print(len(dumbbell.run({MOMENT!r}).summaries))
"""


@pytest.mark.slow
def test_commands_and_a_run_from_python() -> None:
    done = python(PROGRAM)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout.splitlines()[-1] == "4"
    assert '"name": "bbr_4_17"' in done.stdout
