"""A kernel of Debian's source, booted."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dumbbell import kernel
from dumbbell.engines import diagnosis
from dumbbell.engines.diagnosis import STATE_ROOM_BYTES, state_bytes
from dumbbell.engines.linux import LinuxEngine
from dumbbell.errors import EngineFailure
from dumbbell.kernel.recipe import recipe
from processes import HANG_S, alive, descendants, soon

pytestmark = pytest.mark.slow

ARGUMENTS = (
    "mem=1000M",
    "root=/dev/root",
    "rootfstype=hostfs",
    "rootflags=/proc/self/cwd",
    "rw",
    "init=/init",
    "time-travel=inf-cpu",
    "time-travel-start=0",
    "con=null",
    "con0=fd:0,fd:1",
    "quiet",
)
NOBODY = 65534


@pytest.fixture(scope="module")
def linux(built: kernel.Kernel) -> kernel.Kernel:
    return built


@pytest.fixture
def root(linux: kernel.Kernel) -> Iterator[Path]:
    """A folder with an init and the kernel, which an ordinary user can enter."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o777)
        (folder / "proc").mkdir()
        shutil.copy2(linux.executable, folder / "linux")
        compile_init(folder, "init.c")
        yield folder


def compile_init(root: Path, source: str) -> None:
    command: list[str | Path] = ["gcc", "-static", "-pthread", "-O1", "-o", root / "init"]
    subprocess.run([*command, Path(__file__).with_name(source)], check=True)


def started(root: Path, seed: int = 1) -> subprocess.Popen[bytes]:
    user: dict[str, Any] = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    with (root / "console").open("wb") as console:
        return subprocess.Popen(
            ["setarch", "-R", root / "linux", *ARGUMENTS],  # noqa: S607 (likewise)
            cwd=root,
            env={"UML_SEED": str(seed), "HOME": str(root), "PATH": os.environ["PATH"]},
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            stdout=console,
            **user,
        )


def init_report(root: Path, seed: int = 1) -> dict[str, str]:
    """What the init says. It finds the same files each time: they decide which random numbers are used up."""
    (root / "written").unlink(missing_ok=True)
    with started(root, seed) as process:
        assert process.wait(HANG_S) == 0, (root / "console").read_text()
    lines = (root / "console").read_text().splitlines()
    return {name: text for name, colon, text in (line.partition(": ") for line in lines) if colon}


def test_it_boots_and_has_what_it_says(linux: kernel.Kernel, root: Path) -> None:
    report = init_report(root)
    assert sorted(report["controls"].split()) == sorted(linux.controls.values())
    assert {"reno", "cubic", "bbr", "vegas", "bbr_4_17_shallow"} <= set(linux.controls)
    assert f"version {linux.release} (dumbbell@dumbbell)" in report["version"]
    assert report["version"].endswith("#1 Thu Jan  1 00:00:00 UTC 1970")
    assert {name: report[name] for name in ("epoll", "timerfd", "packet", "unix", "diag", "inet6")} == {
        "epoll": "1",
        "timerfd": "1",
        "packet": "1",
        "unix": "1",
        "diag": "1",
        "inet6": "0",
    }
    assert (root / "written").is_file()


def test_an_hour_passes_in_a_moment(root: Path) -> None:
    assert init_report(root)["slept"] == "3600"


def test_its_randomness_is_that_of_the_seed(root: Path) -> None:
    first, again, other = init_report(root, 1)["random"], init_report(root, 1)["random"], init_report(root, 2)["random"]
    assert first == again
    assert first != other


def test_nothing_outlives_a_killed_kernel(root: Path) -> None:
    (root / "forever").touch()
    with started(root) as process:
        assert soon((root / "written").exists)
        stubs = descendants(process.pid)
        assert stubs
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert soon(lambda: not any(map(alive, stubs)))


def test_threads_get_all_of_their_vector_registers_back_after_each_of_a_thousand_switches(root: Path) -> None:
    compile_init(root, "registers.c")
    report = init_report(root)
    assert (report["turns"], report["mismatches"]) == ("1500", "0"), report
    assert int(report["switches"]) >= 1000
    cpu = Path("/proc/cpuinfo").read_text(encoding="utf-8").partition("\n\n")[0].split()
    assert report["registers"].split() == [
        "xmm0-15",
        *(["ymm0-15"] if "avx" in cpu else []),
        *(["zmm0-31", "k0-7"] if {"avx512f", "avx512bw"} <= set(cpu) else []),
    ]
    assert int(report["state"]) == state_bytes(), "what this machine says by ptrace and what the CPU says"


STATE = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/ptrace.h>
#include <string.h>
#include <sys/uio.h>

long ptrace(int request, int process, void *address, struct iovec *state)
{
	long (*given)(int, int, void *, void *) = dlsym(RTLD_NEXT, "ptrace");

	if (request == PTRACE_SETREGSET)
		CHANGED;
	return given(request, process, address, state);
}
"""
"""In the place of the C library's `ptrace`."""


def changed(kernel: Path, folder: Path, how: str) -> Path:
    """A kernel under which this machine takes vector state back in another way."""
    library, executable = folder / "state.so", folder / "changed"
    command: list[str | Path] = ["gcc", "-shared", "-fPIC", "-x", "c", "-o", library, "-"]
    subprocess.run(command, input=STATE.replace("CHANGED", how).encode(), check=True)
    executable.write_text(f'#!/bin/sh\nLD_PRELOAD={library} exec {kernel} "$@"\n', encoding="utf-8")
    executable.chmod(0o755)
    return executable


def test_one_register_that_is_not_put_back_is_noticed(root: Path) -> None:
    compile_init(root, "registers.c")
    original = (root / "linux").rename(root / "original")
    changed(original, root, "memset((char *)state->iov_base + 400, 0, 16)").rename(root / "linux")
    assert int(init_report(root)["mismatches"]) > 1000


def test_a_cpu_with_more_state_than_a_kernel_has_room_for_is_one_message(
    linux: kernel.Kernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel is refused its registers as on such a CPU; only the size of the state is told, not there."""
    monkeypatch.setattr(diagnosis, "state_bytes", lambda: 20_000)
    too_large = changed(linux.executable, tmp_path, "return errno = EFAULT, -1")
    with pytest.raises(EngineFailure) as failure:
        LinuxEngine(replace(linux, executable=too_large)).boot()
    assert str(failure.value) == (
        "the kernel cannot run here: the vector state of this CPU is 20000 bytes, and a kernel before Linux "
        "6.13 has room for 12288; a larger HOST_FP_SIZE in kernel/recipe.toml and `dumbbell kernel build` help"
    )


def test_what_is_said_of_the_room_for_vector_state_is_what_the_recipe_makes() -> None:
    assert [each for each in recipe().substitutions if f"HOST_FP_SIZE, {STATE_ROOM_BYTES})" in each.replace]
