"""The discipline of `docs/how-to/add-a-queue-discipline.md`, added as it says, compiles and passes the tests."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from commandline import ROOT
from documents import blocks

PAGE = ROOT / "docs" / "how-to" / "add-a-queue-discipline.md"
CARGO = shutil.which("cargo")
GIT = shutil.which("git")


def diff_of_the_page() -> str:
    """All diffs of the page as one, and the new file as a part of it."""
    every = blocks(PAGE)
    (rust,) = (block for block in every if block.language == "rust")
    head = f"--- /dev/null\n+++ b/crates/sim/src/net/queue/random.rs\n@@ -0,0 +1,{len(rust.lines)} @@\n"
    added = "".join(f"+{line}\n" for line in rust.lines)
    return head + added + "".join(block.text.rstrip("\n") + "\n" for block in every if block.language == "diff")


def copied_tree(folder: Path) -> None:
    """What the diffs are for, of this tree."""
    shutil.copytree(ROOT / "crates", folder / "crates")
    (folder / "python/dumbbell/spec").mkdir(parents=True)
    shutil.copy(ROOT / "python/dumbbell/spec/queue.py", folder / "python/dumbbell/spec/queue.py")
    for name in ("Cargo.toml", "Cargo.lock"):
        shutil.copy(ROOT / name, folder / name)


@pytest.mark.skipif(GIT is None, reason="no git, which applies diffs")
def test_the_diffs_of_the_page_apply_and_have_as_many_lines_as_it_says(tmp_path: Path) -> None:
    diff = diff_of_the_page()
    copied_tree(tmp_path)
    assert GIT
    done = subprocess.run(
        [GIT, "apply", "--numstat", "--apply", "-C1"],
        cwd=tmp_path, input=diff, capture_output=True, check=False, encoding="utf-8", timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    counts = [line.split("\t") for line in done.stdout.splitlines()]
    new, gone = (sum(int(count[column]) for count in counts) for column in (0, 1))
    page = PAGE.read_text(encoding="utf-8")
    assert (len(counts), f"{new} lines new and {gone} gone" in page) == (9, True), (new, gone)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.skipif(CARGO is None or GIT is None, reason="no cargo or no git: the simulator is not built here")
def test_the_discipline_of_the_how_to_can_be_added_as_it_says(tmp_path: Path) -> None:
    copied_tree(tmp_path)
    assert CARGO
    assert GIT
    subprocess.run([GIT, "apply", "-C1"], cwd=tmp_path, input=diff_of_the_page(), check=True, encoding="utf-8")
    done = subprocess.run(
        [CARGO, "test", "--package", "sim", "--package", "spec", "--quiet", "--offline", "--lib"],
        cwd=tmp_path, capture_output=True, check=False, encoding="utf-8", timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:] + done.stdout[-3000:]
