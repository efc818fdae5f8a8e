"""A spec's programs start only where the user says so: by an option, by an answer in a terminal, or from Python."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import pytest

import dumbbell
import dumbbell.studies as studies
from commandline import answered, process
from commandline import dumbbell as command_line
from dumbbell.campaign.plan import programs
from dumbbell.engines.linux import LinuxEngine
from dumbbell.engines.netns import NetnsEngine
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import EngineFailure
from dumbbell.kernel import shelf
from dumbbell.results.schema import Result
from dumbbell.results.store import Store
from dumbbell.spec import Run, SpecError, expand, load, resolve, toml
from measured import known
from specs import smallest

pytestmark = pytest.mark.slow
SAID = "started"


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """A spec whose program leaves a mark where it may write, and says that it started."""
    workload = {"command": ["sh", "-c", f"touch {tmp_path}/mark; echo {SAID}"]}
    path = tmp_path / "programs.toml"
    path.write_text(toml(smallest(duration="1 s", flows=[{"cc": "cubic", "workload": workload}])), encoding="utf-8")
    return path


@pytest.fixture(params=["netns", "linux"])
def engine(request: pytest.FixtureRequest) -> str:
    """The name of one that runs programs here."""
    request.getfixturevalue("live" if request.param == "netns" else "linux")
    return str(request.param)


def output(store: Path) -> str:
    """What the program of the only run said."""
    with Store.open(store) as opened:
        (outcome,) = opened.outcomes()
    assert isinstance(outcome, Result), outcome
    return known(outcome.flows[0].program).output or ""


def test_without_leave_nothing_starts(spec: Path, engine: str, tmp_path: Path) -> None:
    done = process("run", spec, "--engine", engine, "--out", tmp_path / "store")
    assert (done.returncode, done.stdout) == (2, "")
    listed = f"flows[0].workload.command: sh -c 'touch {tmp_path}/mark; echo {SAID}', as "
    assert listed in done.stderr
    assert done.stderr.rstrip().endswith("read it, then say --programs, or programs=True in Python")
    assert not (tmp_path / "mark").exists()
    assert not (tmp_path / "store").exists()


def test_check_lists_programs_and_starts_none(spec: Path, engine: str, tmp_path: Path) -> None:
    done = command_line("check", spec)
    assert done.returncode == 0
    assert f"{engine}: can run it" in done.stdout
    assert (
        f"starts a program: flows[0].workload.command: sh -c 'touch {tmp_path}/mark; echo {SAID}', as " in done.stdout
    )
    assert not (tmp_path / "mark").exists()


def test_the_option_starts_them(spec: Path, engine: str, tmp_path: Path) -> None:
    done = process("run", spec, "--engine", engine, "--out", tmp_path / "store", "--programs")
    assert done.returncode == 0, done.stderr
    assert "starts programs:\n  flows[0].workload.command: sh -c" in done.stderr
    assert output(tmp_path / "store") == f"{SAID}\n"


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """The environment of a user with this machine's kernels, who has answered nothing yet."""
    data = tmp_path / "data"
    data.mkdir()
    (data / shelf.folder().name).symlink_to(shelf.folder())
    return {"DUMBBELL_DATA": str(data)}


def test_a_yes_in_a_terminal_starts_them_and_holds_for_that_file(
    spec: Path, engine: str, home: dict[str, str], tmp_path: Path
) -> None:
    command = ("run", spec, "--engine", engine, "--fresh", "--out", tmp_path / "store")
    status, shown = answered("n", *command, **home)
    assert (status, (tmp_path / "store").exists()) == (2, False), shown
    status, shown = answered("y", *command, **home)
    assert status == 0, shown
    assert "start them? [y/N]" in shown
    assert output(tmp_path / "store") == f"{SAID}\n"
    status, shown = answered("n", *command, **home)
    assert (status, "you allowed them before" in shown, "[y/N]" in shown) == (0, True, False), shown


def test_an_answer_holds_for_what_was_shown(
    spec: Path, linux: LinuxEngine, home: dict[str, str], tmp_path: Path
) -> None:
    command = ("run", spec, "--engine", linux.name, "--out", tmp_path / "store")
    assert answered("y", *command, **home)[0] == 0
    assert process(*command, **home).returncode == 0, "without a terminal, too"
    others = ("--set", 'flows[0].workload.command=["true"]')
    assert process(*command, *others, **home).returncode == 2, "other programs by an option"
    spec.write_text(spec.read_text(encoding="utf-8") + "# another file\n", encoding="utf-8")
    assert process(*command, **home).returncode == 2, "another file"


def test_from_python_it_takes_a_word(spec: Path, engine: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"flows\[0\].workload.command: starts sh -c .*programs=True in Python"):
        dumbbell.run(spec, engine=engine, store=tmp_path / "store")
    assert not (tmp_path / "store").exists()
    (outcome,) = dumbbell.run(spec, engine=engine, store=tmp_path / "store", programs=True).outcomes
    assert isinstance(outcome, Result), outcome
    assert output(tmp_path / "store") == f"{SAID}\n"


def test_agree_starts_none_without_leave(spec: Path, engine: str, tmp_path: Path) -> None:
    done = process("agree", spec, "--engines", f"{engine},{engine}", "--out", tmp_path / "store")
    assert done.returncode == 2
    assert "starts sh -c" in done.stderr
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("kind", [NetnsEngine, LinuxEngine])
def test_an_engine_starts_none_whoever_forgets_to_ask(
    spec: Path, kind: type[NetnsEngine | LinuxEngine], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    made = request.getfixturevalue("linux") if kind is LinuxEngine else kind()
    run = resolve(next(iter(expand(load(spec)))), 1).run
    with pytest.raises(EngineFailure, match="nobody has allowed"):
        made.measure(run)
    assert not (tmp_path / "mark").exists()


def test_a_swept_program_is_listed_once_for_each_value(spec: Path, linux: LinuxEngine) -> None:
    commands = [["true"], ["false"]]
    experiment = load(spec, overrides={"flows[0].workload.command": commands, "path.rtt": ["10 ms", "20 ms"]})
    assert [each.arguments for each in programs(experiment, linux)] == [("true",), ("false",)]
    assert programs(load(spec), SimEngine()) == []
    assert not load(smallest()).names_programs


def test_what_a_listing_shows_hides_nothing(spec: Path, linux: LinuxEngine) -> None:
    hidden = ["sh", "-c", "rm -r ~ \x1b[2K\r echo harmless"]
    (program,) = programs(load(spec, overrides={"flows[0].workload.command": hidden}), linux)
    assert "rm -r ~ \\x1b[2K\\x0d echo harmless" in str(program)


class Noting(SimEngine):
    """The simulator, which notes whether it might start programs."""

    def __init__(self) -> None:
        self.might: set[bool] = set()

    def measure(self, run: Run) -> NoReturn:
        del run
        self.might.add(self.allows_programs)
        raise EngineFailure("seen")


def test_studies_of_the_package_need_no_leave(tmp_path: Path) -> None:
    engine = Noting()
    study = studies.only(studies.load("claypool2019", seeds=1), experiments=["figure4b"])
    with Store.open(tmp_path / "store", write=True) as store:
        studies.run(study, store, engine)
    assert engine.might == {True}


def test_the_source_of_a_kernel_is_a_program_too(tmp_path: Path) -> None:
    tree = tmp_path / "linux"
    tree.mkdir()
    (tree / "Makefile").write_text(f"$(shell touch {tmp_path}/mark)\nall:\n\ttrue\n", encoding="utf-8")
    done = process("kernel", "build", "--source", tree, "--name", "mine", DUMBBELL_CACHE=str(tmp_path / "cache"))
    assert done.returncode == 2
    assert f"{tree}: make, with whatever its Makefiles name, as " in done.stderr
    assert "say --programs" in done.stderr
    assert not (tmp_path / "mark").exists()


def test_a_spec_without_programs_is_never_asked_about(moment: Path, tmp_path: Path) -> None:
    done = command_line("run", moment, "--out", tmp_path / "store")
    assert (done.returncode, "starts programs" in done.stderr) == (0, False)
