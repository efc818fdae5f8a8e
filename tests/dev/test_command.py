"""`python -m dev` as a maintainer has it. Another engine than the simulator stands in by its name."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NoReturn

import pytest
import typer
from typer.testing import CliRunner, Result

from agreed import Scaled
from commandline import ROOT, count_stored_runs
from dev.__main__ import app
from dev.checks import judgement
from dev.checks.judgement import Check
from dev.strata import studied
from dumbbell.engines import registry
from dumbbell.engines.protocol import Engine
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import ComparisonError, DumbbellError
from dumbbell.results.store import Store
from dumbbell.spec import load
from processes import HANG_S, soon

pytestmark = pytest.mark.slow

PROGRAM = (sys.executable, "-m", "dev")
SAME = ("--engines", "sim,sim")
QUICK = ("strata", "--random", "3", "--seed", "4", "--duration", "2 s", "--packets", "5000", "--seeds", "2")
COMMANDS = [
    *("strata", "curves", "checks", "validation"),
    *("advised", "captured", "decisions", "measured_paths", "hosts_agreement", "lab"),
]


def dev(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, list(map(str, arguments)))


def test_every_command_has_help_with_an_example() -> None:
    group = typer.main.get_command(app)
    assert list(group.commands) == COMMANDS  # type: ignore[attr-defined]
    for command in ([], *([name] for name in COMMANDS)):
        done = dev(*command, "--help")
        assert done.exit_code == 0
        assert "Example: python -m dev " in done.stdout


PAGES = [ROOT / "dev" / "README.md", *sorted((ROOT / "docs" / "validation").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_command_on_a_page_is_one_that_there_is(page: Path) -> None:
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("$ python -m dev "):
            name, *options = shlex.split(line.removeprefix("$ python -m dev "), comments=True)
            command = typer.main.get_command(app).commands[name]  # type: ignore[attr-defined]
            command.make_context(name, options, resilient_parsing=True)


def test_random_conditions_under_other_seeds_of_the_same_engine_are_judged_by_the_bands_of_their_stratum() -> None:
    done = dev(*QUICK, *SAME, "--json")
    assert done.exit_code in (0, 1)  # two seconds are chance
    assert done.stderr == ""
    agreement = json.loads(done.stdout)
    assert agreement["source"] == {
        "spec": None, "file": None, "stratum": "plain", "random": 3, "seed": 4, "duration": "2 s", "most_packets": 5000,
        "sets": [],
    }  # fmt: skip
    assert [each["name"] for each in agreement["conditions"]] == ["random-4-1", "random-4-2", "random-4-3"]
    limits = {each["metric"]: each["raw_p90_limit"] for each in agreement["bands"]}
    assert limits["group_goodput"] is not None, "a spec's bands have no limit of what nothing is excused of"


def test_a_page_is_written_with_the_command_that_makes_it(tmp_path: Path) -> None:
    done = dev(*QUICK, *SAME, "--candidate-seeds", "3", "--floor", "1", "--html", tmp_path / "page.html")
    assert done.stderr.splitlines()[-1] == str(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "python -m dev strata --random 3 --stratum plain --seed 4" in page
    assert "--engines sim,sim --seeds 2 --candidate-seeds 3 --floor 1" in page


def test_a_dry_run_prints_specs_and_what_they_cost_and_a_fresh_seed_and_makes_no_store(store: Path) -> None:
    done = dev("strata", "--random", "1", "--dry-run")
    (seed,) = re.findall(r"conditions of seed (\d+); --seed \1 draws them again", done.stderr)
    assert dev("strata", "--random", "1", "--seed", seed, "--dry-run").stdout == done.stdout
    done = dev(*QUICK, "--dry-run")
    assert done.exit_code == 0
    parts = re.split(r"(?m)^# .*$", done.stdout)[1:]
    assert [tomllib.loads(part)["name"] for part in parts] == ["random-4-1", "random-4-2", "random-4-3"]
    assert dev("curves", "--dry-run").stdout.startswith("# curve-reno-1\n")
    assert not store.exists()
    done = dev(*QUICK, "--dry-run", "--set", "path.rate=1 Gbit/s", "--set", "duration=20 s")
    assert done.stderr == "3 conditions, 5.0 million packets at most with each seed\n"  # 3 * 1e9 * 20 / 8 / 1514


def test_a_dumped_condition_is_a_spec(tmp_path: Path) -> None:
    done = dev(*QUICK, "--dump", tmp_path / "specs")
    files = [Path(line) for line in done.stdout.splitlines()]
    assert [path.name for path in files] == ["random-4-1.toml", "random-4-2.toml", "random-4-3.toml"]
    assert [load(path).name for path in files] == [path.stem for path in files]
    (tmp_path / "file").touch()
    assert str(dev(*QUICK, "--dump", tmp_path / "file").exception).endswith("cannot write a spec there: File exists")


def test_one_condition_is_shown_flow_by_flow(store: Path) -> None:
    lines = dev(*QUICK, *SAME, "--show", "2", "--json").stdout.splitlines()
    assert {"timeouts", "goodput_bps", "engine", "seed"} <= set(json.loads(lines[0]))
    table = dev(*QUICK, *SAME, "--show", "random-4-2").stdout
    assert 'name = "random-4-2"' in table
    named = [line.split() for line in table.splitlines() if " sim " in line]
    assert len(named) == len(lines)
    assert not store.exists()


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("--show", "1", "--html", "x.html"), "--html is of a comparison; --show makes none"),
        (("--dry-run", "--html", "x.html"), "--html is of a comparison; --dry-run makes none"),
        (("--dry-run", "--show", "1"), "give one of --dry-run and --show"),
        (("--show", "random-1-7"), 'there is no condition "random-1-7"; did you mean "random-1-'),
        (("--engines", "sim"), "names no two engines"),
        (("--set", "name=x", "--dump", "x"), 'name: "x" is that of 2 conditions'),
        (("--stratum", "fqq"), '--stratum: unknown "fqq"; did you mean "fq"?'),
        (("--stratum", "study"), '--stratum: unknown "study"; did you mean "studies"?'),
        (("--stratum", "x"), '--stratum: unknown "x"; known: plain, fq, access, rtts, transfers'),
        (("--stratum", "x"), "plain, fq, access"),
        (("--stratum", "transfers", "--duration", "9 s"), 'duration: stratum "transfers" has its own; leave it out'),
        (("--duration", "60"), "duration: "),
        (("--packets", "10"), "are more than 10 packets"),
        (("--random", "1", "--set", "name=x/y", "--dump", "x"), 'name: "x/y" is no name of a file'),
    ],
)
def test_what_makes_no_sense_is_one_message_and_runs_nothing(
    arguments: tuple[str, ...], error: str, store: Path
) -> None:
    done = dev("strata", "--random", "2", "--seed", "1", *SAME, *arguments)
    assert isinstance(done.exception, DumbbellError)
    assert error in str(done.exception)
    assert done.stdout == ""
    assert not store.exists()


def test_a_point_of_a_study_is_not_made_shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one study, which is as good as all."""
    monkeypatch.setattr(studied, "names", lambda: ["cao2019"])
    monkeypatch.setattr(studied, "_specs", studied._specs.__wrapped__)
    done = dev("strata", "--random", "1", "--stratum", "studies", "--packets", "1", "--dry-run")
    message = r"--packets: every point of the studies has more than 1; give (\d\d,\d{3}) or more"
    (fewest,) = re.findall(message, str(done.exception))
    enough = fewest.replace(",", "")
    assert dev("strata", "--random", "1", "--stratum", "studies", "--packets", enough, "--dry-run").exit_code == 0


def test_all_checks_are_run_whatever_is_named_with_them(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[list[Check]] = []

    def record_and_refuse(_store: Store, checks: list[Check], *_: object, **__: object) -> NoReturn:
        calls.append(checks)
        raise ComparisonError("none is run here")

    monkeypatch.setattr(judgement, "run_checks", record_and_refuse)
    for names in ((), ("all",), ("all", "fq"), ("fq",)):
        dev("checks", *names, *SAME)
    everything = list(judgement.checks())
    assert calls == [everything, everything, everything, [each for each in everything if each.name == "fq"]]
    assert str(dev("checks", "nothing", *SAME).exception).startswith('there is no check "nothing"; known: phases-slow')


def test_a_check_prints_each_figure_with_its_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = {
        "duration": "2 s", "path": {"rate": "10 Mbit/s", "rtt": "20 ms", "buffer": "1 bdp"}, "flows": [{"cc": "cubic"}],
        "start_jitter": "100 ms",
    }  # fmt: skip
    bars = ({"quantity": "goodput", "limit": 0.01},)
    check = Check.model_validate({"name": "tiny", "title": "", "seeds": 1, "floor": 1, "bars": bars, "spec": spec})
    monkeypatch.setattr(judgement, "checks", lambda: (check,))
    engines: dict[str, Engine] = {"wrong": Scaled(0.8)}
    monkeypatch.setattr(registry, "engine", lambda name: engines.get(name) or SimEngine())
    done = dev("checks", "tiny", "--engines", "wrong,sim")
    assert done.exit_code == 1
    assert done.stdout.splitlines()[-1] == "0 of 1 figures keep their bars; not all of tiny."
    assert json.loads(dev("checks", "--engines", "wrong,sim", "--json").stdout)["checks"] == ["tiny"]


def started(store: Path, *arguments: str) -> subprocess.Popen[str]:
    """The program in a process of its own, as in a checkout."""
    path = os.pathsep.join([str(ROOT / "python"), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [*PROGRAM, *arguments], cwd=ROOT, stderr=subprocess.PIPE, encoding="utf-8",
        env=os.environ | {"PYTHONPATH": path, "DUMBBELL_STORE": str(store)},
    )  # fmt: skip


def test_an_error_is_a_line_and_its_status(store: Path) -> None:
    process = started(store, "strata", "--random", "1", "--stratum", "nothing", "--seed", "1")
    _, printed = process.communicate(timeout=HANG_S)
    assert (process.returncode, printed.count("\n")) == (2, 1)
    assert printed.startswith('--stratum: unknown "nothing"; known: plain')


@pytest.mark.parametrize(
    "arguments",
    [("strata", "--random", "40", "--seed", "4", "--duration", "60 s"), ("checks",)],
    ids=["strata", "checks"],
)
def test_ctrl_c_keeps_what_is_finished_and_says_so(arguments: tuple[str, ...], store: Path) -> None:
    process = started(store, *arguments, *SAME, "--jobs", "1")
    assert soon(lambda: count_stored_runs(store) > 1)
    process.send_signal(signal.SIGINT)
    _, printed = process.communicate(timeout=HANG_S)
    there = count_stored_runs(store)
    assert there >= 2
    assert process.returncode == 130
    assert re.fullmatch(rf"interrupted: {there} of [\d,]+ runs are in {store}; the same command goes on\n", printed)
