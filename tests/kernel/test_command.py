from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from commandline import MOMENT, dumbbell, process
from dumbbell import kernel
from dumbbell.engines import agent
from dumbbell.engines.guest import NOT_CONFINED, Guests, Left
from dumbbell.errors import EngineFailure
from dumbbell.results.store import Store

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("tools")]

MakeTree = Callable[..., Path]


@pytest.fixture
def built(shelf: Path, make_tree: MakeTree) -> kernel.Kernel:
    assert not shelf.exists()
    return kernel.build(make_tree(), name="mine")


def test_the_list_is_a_table_or_json(built: kernel.Kernel) -> None:
    header, line = dumbbell("kernel", "list", COLUMNS="400").stdout.splitlines()
    assert header.split()[:2] == ["name", "release"]
    assert line.split()[:4] == ["mine", "6.1.999", "yes", str(len(built.controls))]
    assert built.identity[:16] in line
    assert "bbr_4_17_shallow" in line
    (row,) = json.loads(dumbbell("kernel", "list", "--json").stdout)
    assert row["identity"] == built.identity
    assert row["executable"] == str(built.executable)
    assert row["controls"] == dict(built.controls)
    assert row["bytes"] == built.executable.stat().st_size


def test_an_empty_list(shelf: Path) -> None:
    done = dumbbell("kernel", "list")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"no kernels in {shelf}: `dumbbell kernel build` makes one (about 3 minutes)\n"
    assert dumbbell("kernel", "list", "--json").stdout == "[]\n"


def test_a_damaged_kernel_is_told_and_can_be_removed(built: kernel.Kernel) -> None:
    built.executable.write_bytes(b"")
    done = dumbbell("kernel", "list")
    assert (done.returncode, done.stdout) == (0, "")
    assert "damaged: mine: " in done.stderr
    assert dumbbell("kernel", "remove", "mine").returncode == 0
    assert not built.executable.parent.exists()


def test_list_and_remove_say_the_folder(built: kernel.Kernel, shelf: Path) -> None:
    assert dumbbell("kernel", "list").stderr == f"in {shelf}\n"
    assert dumbbell("kernel", "remove", built.name).stderr == f"removed mine from {shelf}\n"


def test_remove_all(built: kernel.Kernel, make_tree: MakeTree) -> None:
    kernel.build(make_tree(), name="other")
    assert dumbbell("kernel", "remove", "all").returncode == 0
    assert kernel.kernels() == []
    done = dumbbell("kernel", "remove", built.name)
    assert (done.returncode, done.stderr) == (2, 'no kernel "mine" here\n')


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """Of a hundred runs, of BBR alone, which the kernels of these tests have."""
    path = tmp_path / "spec.toml"
    path.write_text(MOMENT.replace('"cubic"', '"bbr"').replace("seeds = 2", "seeds = 50"), encoding="utf-8")
    return path


def test_a_kernel_of_another_recipe_is_listed_and_refused(built: kernel.Kernel, spec: Path) -> None:
    description = built.executable.with_name("kernel.json")
    description.write_text(json.dumps(json.loads(description.read_text()) | {"recipe": "another"}))
    (row,) = json.loads(dumbbell("kernel", "list", "--json").stdout)
    assert not row["usable"]
    assert "no: another recipe" in dumbbell("kernel", "list").stdout
    done = dumbbell("run", spec, "--engine", "linux:mine")
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert f"another recipe; `dumbbell kernel build --source {built.source} --name mine` makes it" in line
    assert f"linux:mine: {line}" in dumbbell("check", spec).stdout.splitlines()


SAYS = """
#include <stdio.h>
#include <unistd.h>

int main(int count, char **words)
{
	if (count > 2) /* more than `--version` */
		printf("at 0x%x, pid %d: %s\\n", getpid(), getpid(), "WORDS");
	return count > 2;
}
"""
RENO = """
struct tcp_congestion_ops tcp_reno = {
	.name = "reno",
};
tcp_register_congestion_control(&tcp_reno);
"""
"""Which has the path looked at."""
TRACING = "ptrace: Operation not permitted"
FORBIDDEN = "the kernel cannot run here: this machine forbids a process to trace its own; in a container "


UNKNOWN = "what nobody has ever seen"


@pytest.fixture
def _agent() -> None:
    """There is one: without it no kernel is of use, and none is built."""
    try:
        agent.path()
    except EngineFailure as failure:
        pytest.skip(str(failure))


@pytest.fixture(
    params=[
        pytest.param(TRACING, id="a known cause", marks=pytest.mark.long),
        pytest.param(UNKNOWN, id="an unknown cause"),
    ]
)
def unable(request: pytest.FixtureRequest, shelf: Path, make_tree: MakeTree, _agent: None) -> str:
    """Builds a kernel that cannot boot, and says so in words with another address each time; gives what is told."""
    assert not shelf.exists()
    tree = make_tree()
    (tree / "net/ipv4/tcp_cong.c").write_text(RENO)
    (tree / "says.c").write_text(SAYS.replace("WORDS", request.param))
    makefile = tree / "Makefile"
    makefile.write_text(makefile.read_text().replace("gcc -x c -o linux -", "gcc -o linux says.c"))
    kernel.build(tree, name="mine")
    return FORBIDDEN if request.param == TRACING else "the kernel's process ended with status 1; its console's last"


def test_a_kernel_that_cannot_boot_is_one_message_and_no_hundred(unable: str, spec: Path, tmp_path: Path) -> None:
    done = dumbbell("run", spec, "--engine", "linux:mine", "--out", tmp_path / "store", "--jobs", "2")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"3 runs failed alike and none succeeded, so no other was tried: {unable}")
    assert len(done.stderr.splitlines()) == (1 if unable == FORBIDDEN else 2)
    with Store.open(tmp_path / "store") as store:
        assert [each.status for each in store.outcomes()] in (["failed"] * 3, ["failed"] * 4)


def test_a_kernel_that_cannot_boot_is_told_by_whatever_asks(unable: str, spec: Path, tmp_path: Path) -> None:
    (answer,) = (line for line in dumbbell("check", spec).stdout.splitlines() if line.startswith("linux:mine: "))
    assert answer.startswith(f"linux:mine: {unable}")
    done = dumbbell("doctor", "--engine", "linux:mine", "--json")
    bad = [each for each in json.loads(done.stdout) if not each["healthy"]]
    assert (done.returncode, [each["what"] for each in bad]) == (1, ["engine linux:mine"])
    assert bad[0]["words"].startswith(unable)
    for study in ("claypool2019", "all") if unable == FORBIDDEN else ():
        done = dumbbell("study", "run", study, "--seeds", "1", "--engine", "linux:mine", "--out", tmp_path / study)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.count(unable) == 1


@pytest.mark.usefixtures("_agent")
@pytest.mark.skipif(not shutil.which("bison"), reason="a build wants all of its tools")
def test_a_build_and_a_failed_build(shelf: Path, make_tree: MakeTree) -> None:
    done = dumbbell("kernel", "build", "--source", make_tree(), "--name", "mine", "--json", "--programs")
    assert (done.returncode, done.stdout) == (1, ""), "what only looks like Linux does not boot"
    assert done.stderr.splitlines()[-1].startswith("built, but the agent ")
    broken = make_tree(work="echo what went wrong; false", name="broken")
    done = dumbbell("kernel", "build", "--source", broken, "--name", "broken", "--programs")
    assert (done.returncode, done.stdout) == (1, "")
    assert "what went wrong" in done.stderr
    assert str(shelf / "broken.failed.log") in done.stderr


@pytest.mark.usefixtures("_agent")
@pytest.mark.skipif(not shutil.which("bison"), reason="a build wants all of its tools")
def test_a_kernel_that_boots_but_builds_no_network_is_refused(
    shelf: Path, make_tree: MakeTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = "set net.ipv4.ip_forward: No such file or directory"
    answers = [b"", json.dumps({"failed": failed}).encode()]
    monkeypatch.setattr(Guests, "outcome", lambda _guests, _order: Left(answers.pop(0), NOT_CONFINED))
    (tree := make_tree()).joinpath("net/ipv4/tcp_cong.c").write_text(RENO)
    done = dumbbell("kernel", "build", "--source", tree, "--name", "mine", "--programs")
    assert answers == []
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].startswith("mine boots but is of no use, and was removed: ")
    assert failed in done.stderr
    assert list(shelf.glob("*@*")) == []


@pytest.mark.usefixtures("shelf", "_agent")
def test_what_cannot_be_built() -> None:
    done = dumbbell("kernel", "build", "5.4")
    assert (done.returncode, done.stdout) == (2, "")
    assert '"5.4" is no source of Linux' in done.stderr
    done = dumbbell("kernel", "build", "6.1", "--source", "/tmp")  # noqa: S108 (it is not read)
    assert (done.returncode, done.stdout) == (2, "")
    assert "not both" in done.stderr


@pytest.mark.usefixtures("shelf")
def test_missing_tools_are_one_message(tmp_path: Path) -> None:
    done = process("kernel", "build", "6.1", PATH=str(tmp_path))
    assert (done.returncode, done.stdout) == (1, "")
    assert "apt-get install bc binutils bison flex gcc" in done.stderr
    done = process("kernel", "build", "6.1", "--packages", PATH=str(tmp_path))
    assert {"bc", "bison", "flex", "gcc", "make", "xz-utils"} <= set(done.stdout.split())
