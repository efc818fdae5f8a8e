"""Every command that prints data prints it as JSON if asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commandline import MOMENT, commands, dumbbell

ONE = {
    "check": ("{spec}",),
    "doctor": (),
    "report": ("{store}", "--out", "{folder}/page.html"),
    "advise": ("--rate", "10mbit", "--rtt", "20ms", "--buffer", "1bdp", "--beside", "none"),
    "cc list": (),
    "cc show": ("bbr",),
    "kernel list": (),
    "results verify": ("{store}",),
    "results prune": ("{store}", "--dry-run"),
    "merge": ("{store}", "--out", "{folder}/merged"),
    "study list": (),
    "suite list": ("nsperf",),
    "study show": ("theory",),
    "study report": ("all", "--out", "{studies}"),
    "study figures": ("theory", "--seeds", "1", "--out", "{studies}/theory"),
}
"""Commands that print one value, with what is asked of each."""
LINES = {
    "run": ("{spec}",),
    "compare": ("{store}@path.buffer=2 bdp", "{store}@path.buffer=2 bdp"),
    "query": ("{store}", "SELECT run_id FROM run"),
    "results list": ("{store}",),
    "results show": ("{store}",),
    "study claims": ("theory", "--seeds", "1", "--out", "{studies}/theory"),
}
"""Those that print a value a line."""
ELSEWHERE = {
    "advise map",
    "advise mix",
    "agree",
    "kernel build",
    "measure-path",
    "pcap",
    "results import",
    "study run",
    "suite run",
}
"""Those that take long, or need a file of another kind, whose own tests read it."""
WITHOUT_DATA = {"explore", "init", "kernel module", "kernel remove", "results captures", "results export", "trace make"}
"""Those that write a file, or remove something, and print nothing but a path."""


EVERY = {
    " ".join(arguments): each
    for arguments, each in commands()
    if not hasattr(each, "commands") or (arguments and each.invoke_without_command)
}


def test_every_command_that_prints_data_has_the_option() -> None:
    with_json = {name for name, each in EVERY.items() if any("--json" in option.opts for option in each.params)}
    assert with_json == {*ONE, *LINES, *ELSEWHERE}
    assert set(EVERY) - with_json == WITHOUT_DATA


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("json")
    spec = folder / "moment.toml"
    spec.write_text(MOMENT, encoding="utf-8")
    places = {
        "spec": str(spec),
        "store": str(folder / "store"),
        "folder": str(folder),
        "studies": str(folder / "studies"),
    }
    assert dumbbell("run", spec, "--out", places["store"]).returncode == 0
    ran = dumbbell("study", "run", "theory", "--claims", "V4", "--seeds", "1", "--out", f"{places['studies']}/theory")
    assert ran.returncode == 0, ran.stderr
    return places


@pytest.mark.slow
@pytest.mark.parametrize("command", [*ONE, *LINES])
def test_what_it_prints_is_json(command: str, places: dict[str, str]) -> None:
    arguments = [each.format(**places) for each in {**ONE, **LINES}[command]]
    done = dumbbell(*command.split(), *arguments, "--json", DUMBBELL_STORE=places["store"])
    assert done.returncode == 0, done.stderr
    values = [json.loads(line) for line in done.stdout.splitlines()] if command in LINES else [json.loads(done.stdout)]
    assert values


def test_files_that_were_written_are_told(places: dict[str, str], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = dumbbell("report", places["store"], "--out", page, "--json")
    assert json.loads(done.stdout) == {"files": [str(page)]}
    assert page.is_file()
