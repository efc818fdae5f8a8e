"""Standard streams that are closed or full, and control characters that others wrote."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

from commandline import DUMBBELL, dumbbell, failing, of_a_terminal
from dumbbell.cli import streams
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import EngineFailure

FULL = Path("/dev/full")
HOSTILE = "first line\nsecond \x1b]0;owned\x07 \x1b[2J \x9b2J \u202etxt\r\x7f end"
HARMLESS = r"\u001b]0;owned\u0007 \u001b[2J \u009b2J \u202etxt\u000d\u007f end"
PRINTING = [
    "--help", "--version", "run moment.toml", "run moment.toml --json", "run moment.toml --dry-run",
    "run moment.toml --measurement", "check moment.toml", "cc list", "cc show bbr", "kernel list --json",
    "query results FROM+run", "query results FROM+run --json", "query results FROM+run --csv",
    "merge results --out merged --json", "results list",
    "results list --json", "results show", "results verify --json", "results prune --dry-run --json",
    "study list", "study show claypool2019", "study report claypool2019", "report results",
    "report results --figures figures", "doctor --json",
    "agree moment.toml --engines sim,sim --out other", "compare a b",
    "advise --rate 10mbit --rtt 20ms --buffer 1bdp --beside none --seeds 2 --jobs 1", "run --help",
]  # fmt: skip


@pytest.fixture
def filled(moment: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with four runs, in the folder of the spec."""
    monkeypatch.chdir(moment.parent)
    assert dumbbell("run", moment).returncode == 0
    return store


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full")
@pytest.mark.parametrize("arguments", PRINTING)
def test_what_a_command_cannot_print_is_said_in_a_line(filled: Path, arguments: str) -> None:
    with FULL.open("w", encoding="utf-8") as full:
        status, message = failing(full, *(word.replace("+", " ") for word in arguments.split()))
    assert "Traceback" not in message
    if status == 2:  # what makes no sense prints nothing
        assert arguments.startswith(("compare", "study report"))
    else:
        assert (status, message.splitlines()[-1].partition(";")[0]) == (74, "cannot print: no space left on device")
    assert len(dumbbell("results", "list", filled).stdout.splitlines()) == 5


def redirected(redirection: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs the program in a shell that redirects its streams."""
    command: list[str | Path] = ["sh", "-c", f'exec "$0" "$@" {redirection}', DUMBBELL, *arguments]
    return subprocess.run(command, capture_output=True, check=False, encoding="utf-8", timeout=120)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("redirection", "status", "message"),
    [
        (">&-", 74, "cannot print: standard output is closed; 4 of 4 runs are in {}; the same command goes on\n"),
        ("> /dev/full", 74, "cannot print: no space left on device; 4 of 4 runs are in {}; the same command goes on\n"),
        pytest.param("> /dev/full 2>&1", 74, "", marks=pytest.mark.long),
        ("<&- >&- 2>&-", 74, ""),
        pytest.param("2>&-", 0, "", marks=pytest.mark.long),
        ("2> /dev/full", 0, ""),
    ],
)
def test_all_runs_are_kept_whatever_streams_there_are(
    moment: Path, store: Path, redirection: str, status: int, message: str
) -> None:
    done = redirected(redirection, "run", moment, "--out", store)
    assert (done.returncode, done.stderr) == (status, message.format(store))
    assert dumbbell("results", "verify", store).stderr == f"{store}: 4 runs, 0 faults\n"


@pytest.mark.slow
def test_no_standard_input_is_an_empty_one(filled: Path) -> None:
    done = redirected("<&-", "advise", "mix", "-")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("standard input: is empty")
    done = redirected("<&-", "results", "prune", filled)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        "results list results --json", "query results '{many}'", "query results '{many}' --json",
        "query results '{many}' --csv",
    ],
)  # fmt: skip
@pytest.mark.usefixtures("filled")
def test_a_reader_that_left_is_no_failure_to_tell_of(arguments: str) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    with os.fdopen(theirs, "w") as pipe:
        command: list[str | Path] = [DUMBBELL, *shlex.split(arguments.format(many="SELECT * FROM range(100000)"))]
        done = subprocess.run(command, check=False, stdout=pipe, stderr=subprocess.PIPE, encoding="utf-8", timeout=60)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.long
@pytest.mark.slow
def test_no_control_character_of_a_program_or_a_store_reaches_a_terminal(
    moment: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SimEngine, "measure", mock.Mock(side_effect=EngineFailure(HOSTILE)))
    failed = dumbbell("run", moment, "--out", store)
    assert failed.returncode == 1
    page = moment.with_suffix(".html")
    shows: list[list[str | Path]] = [
        ["results", "list"],
        ["results", "show"],
        ["results", "verify"],
        ["report", "--out", page],
        ["compare", store],
    ]
    for show in shows:
        printed = of_a_terminal([DUMBBELL, *show, store])
        for ours in ("\x1b[0m", "\x1b[1m", "\x1b[2m"):
            printed = printed.replace(ours, "")
        assert "\n" in printed
        assert [letter for letter in printed if not letter.isprintable() and letter != "\n"] == [], show
    assert "\x07" not in failed.stderr
    assert HARMLESS.split()[-2] in failed.stderr


def test_a_command_line_with_control_characters_is_answered_without() -> None:
    done = dumbbell("run", "\x9b2Jabsent\x07.toml")
    assert done.stderr == "\\u009b2Jabsent\\u0007.toml: no such file; give the path of a TOML file\n"
    assert "\x07" not in dumbbell("fly\x07").stderr


def test_bytes_of_a_path_that_are_no_text_are_shown_as_such() -> None:
    assert dumbbell("run", "\udcff.toml").stderr.startswith("\\udcff.toml: no such file")


def test_escaped_json_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    with streams.opened():
        sys.stdout.write('{"a": "\\\\\x9b"}\n')
    assert capsys.readouterr().out == '{"a": "\\\\\\u009b"}\n'
