"""The simulator's bytes on another architecture, in an emulator: those of this one."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from commandline import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.long]

TARGET = "aarch64-unknown-linux-gnu"
NEEDED = ("make", "rustup", "cargo", "aarch64-linux-gnu-gcc", "qemu-aarch64-static")


@pytest.fixture(scope="module")
def _able() -> None:
    if missing := [each for each in NEEDED if shutil.which(each) is None]:
        pytest.skip(f"no other architecture without {', '.join(missing)}")
    targets = subprocess.run(
        ["/usr/bin/env", "rustup", "target", "list", "--installed"], capture_output=True, text=True, check=True
    )
    if TARGET not in targets.stdout.split():
        pytest.skip(f"no other architecture without `rustup target add {TARGET}`")


@pytest.mark.usefixtures("_able")
def test_runs_have_the_same_bytes_on_another_architecture() -> None:
    command = ["/usr/bin/env", "make", "--no-print-directory", "check-aarch64", "EVERY=30"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    last = re.fullmatch(r"the same bytes in (\d+) runs", done.stdout.splitlines()[-1])
    assert last is not None
    assert int(last[1]) > 30
