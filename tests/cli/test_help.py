from __future__ import annotations

import pytest

from commandline import commands, dumbbell, process, python

COMMANDS = [list(arguments) for arguments, _ in commands()]
HEAVY = (
    "numpy", "pandas", "pyarrow", "pydantic", "rich", "scipy", "sklearn", "sqlite3", "vl_convert", "dumbbell._core",
    "dumbbell.spec",
)  # fmt: skip
"""What takes longer to load than all that help needs: it is there at once because none of them is loaded for it."""


def test_every_command_is_seen() -> None:
    names = [" ".join(command) for command in COMMANDS]
    assert {"", "run", "check", "init", "doctor", "report", "results", "cc show", "study run", "results prune"} <= set(
        names
    )


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_help_with_an_example(command: list[str]) -> None:
    done = dumbbell(*command, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Example: dumbbell" in done.stdout


@pytest.mark.slow
def test_help_loads_nothing_heavy() -> None:
    program = f"""
import sys
from dumbbell.cli.main import main
for command in {COMMANDS}:
    sys.argv = ["dumbbell", *command, "--help"]
    try:
        main()
    except SystemExit as end:
        assert end.code == 0, command
print("loaded:", *(set(sys.modules) & {set(HEAVY)}))
"""
    *text, loaded = python(program).stdout.splitlines()
    assert sum(line.startswith("Usage: dumbbell") for line in text) == len(COMMANDS)
    assert loaded == "loaded:"


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes_commands_and_loads_nothing_heavy(shell: str) -> None:
    script = process("--show-completion", shell, _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert (script.returncode, script.stderr) == (0, "")
    assert f"complete_{shell}" in script.stdout
    program = f"""
import os, sys
os.environ |= {{
    "_DUMBBELL_COMPLETE": "complete_{shell}", "COMP_WORDS": "dumbbell results ", "COMP_CWORD": "2",
    "_TYPER_COMPLETE_ARGS": "dumbbell results ", "_TYPER_COMPLETE_FISH_ACTION": "get-args",
}}
from dumbbell.cli.main import main
sys.argv = ["dumbbell"]
try:
    main()
finally:
    print("loaded:", *(set(sys.modules) & {set(HEAVY) - {"rich"}}))
"""
    *offers, loaded = python(program).stdout.splitlines()
    assert "prune" in " ".join(offers)
    assert loaded == "loaded:"


def test_the_version() -> None:
    done = dumbbell("--version")
    assert done.returncode == 0
    assert done.stdout.startswith("dumbbell 0.")


def test_no_command_is_answered_by_help() -> None:
    done = dumbbell()
    assert done.returncode == 2
    assert "Usage: dumbbell" in done.stdout + done.stderr
