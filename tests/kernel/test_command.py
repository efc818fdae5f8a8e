from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from commandline import dumbbell
from dumbbell import kernel

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("tools")]

MakeTree = Callable[..., Path]


@pytest.fixture
def built(cache: Path, make_tree: MakeTree) -> kernel.Kernel:
    assert not cache.exists()
    return kernel.build(make_tree(), name="mine")


def test_the_list_is_a_table_or_json(built: kernel.Kernel) -> None:
    header, line = dumbbell("kernel", "list").stdout.splitlines()
    assert header.split()[:2] == ["name", "release"]
    assert line.split()[:3] == ["mine", "6.1.999", str(len(built.controls))]
    assert built.identity[:16] in line
    assert "bbr_4_17_shallow" in line
    (row,) = json.loads(dumbbell("kernel", "list", "--json").stdout)
    assert row["identity"] == built.identity
    assert row["executable"] == str(built.executable)
    assert row["controls"] == dict(built.controls)
    assert row["bytes"] == built.executable.stat().st_size


@pytest.mark.usefixtures("cache")
def test_an_empty_list() -> None:
    done = dumbbell("kernel", "list")
    assert (done.returncode, done.stdout) == (0, "")
    assert "`dumbbell kernel build` makes one" in done.stderr
    assert dumbbell("kernel", "list", "--json").stdout == "[]\n"


def test_a_damaged_kernel_is_told_and_can_be_removed(built: kernel.Kernel) -> None:
    built.executable.write_bytes(b"")
    done = dumbbell("kernel", "list")
    assert (done.returncode, done.stdout) == (0, "")
    assert "damaged: mine: " in done.stderr
    assert dumbbell("kernel", "remove", "mine").returncode == 0
    assert not built.executable.parent.exists()


def test_remove_all(built: kernel.Kernel, make_tree: MakeTree) -> None:
    kernel.build(make_tree(), name="other")
    assert dumbbell("kernel", "remove", "all").returncode == 0
    assert kernel.kernels() == []
    done = dumbbell("kernel", "remove", built.name)
    assert (done.returncode, done.stderr) == (2, 'no kernel "mine" here\n')


@pytest.mark.skipif(not shutil.which("bison"), reason="a build wants all of its tools")
def test_a_build_and_a_failed_build(cache: Path, make_tree: MakeTree) -> None:
    done = dumbbell("kernel", "build", "--source", make_tree(), "--name", "mine", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["name"] == "mine"
    broken = make_tree(work="echo what went wrong; false", name="broken")
    done = dumbbell("kernel", "build", "--source", broken, "--name", "broken")
    assert (done.returncode, done.stdout) == (1, "")
    assert "what went wrong" in done.stderr
    assert str(cache / "broken.failed.log") in done.stderr


@pytest.mark.usefixtures("cache")
def test_what_cannot_be_built() -> None:
    done = dumbbell("kernel", "build", "5.4")
    assert (done.returncode, done.stdout) == (2, "")
    assert '"5.4" is no source of Linux' in done.stderr
    done = dumbbell("kernel", "build", "6.1", "--source", "/tmp")  # noqa: S108 (it is not read)
    assert (done.returncode, done.stdout) == (2, "")
    assert "not both" in done.stderr


@pytest.mark.usefixtures("cache")
def test_missing_tools_are_one_message(tmp_path: Path) -> None:
    done = dumbbell("kernel", "build", "6.1", PATH=str(tmp_path))
    assert (done.returncode, done.stdout) == (1, "")
    assert "apt-get install bc binutils bison flex gcc" in done.stderr
    done = dumbbell("kernel", "build", "6.1", "--packages", PATH=str(tmp_path))
    assert {"bc", "bison", "flex", "gcc", "make", "xz-utils"} <= set(done.stdout.split())
