"""The algorithm of `docs/how-to/add-an-algorithm.md`, added as it says, compiles and passes the registry's tests."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from commandline import ROOT
from documents import blocks

PAGE = ROOT / "docs" / "how-to" / "add-an-algorithm.md"
CARGO = shutil.which("cargo")


def patched(text: str, diff: tuple[str, ...]) -> str:
    """A file with the added lines of a diff behind the line that stands before them, or where modules are."""
    context = [line[1:] for line in diff if not line.startswith("+")]
    added = "".join(f"{line[1:]}\n" for line in diff if line.startswith("+"))
    before = f"{context[0]}\n" if context else "mod reno;\n"
    assert text.count(before) == 1
    return text.replace(before, before + added)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.skipif(CARGO is None, reason="no cargo: the simulator is not built here")
def test_the_algorithm_of_the_how_to_can_be_added_as_it_says(tmp_path: Path) -> None:
    every = blocks(PAGE)
    (rust,) = (block for block in every if block.language == "rust")
    module, row = (block for block in every if block.language == "diff")
    shutil.copytree(ROOT / "crates", tmp_path / "crates")
    for name in ("Cargo.toml", "Cargo.lock"):
        shutil.copy(ROOT / name, tmp_path / name)
    source = tmp_path / "crates" / "cc" / "src"
    (source / "scalable.rs").write_text(rust.text, encoding="utf-8")
    for name, diff in (("lib.rs", module), ("registry.rs", row)):
        path = source / name
        path.write_text(patched(path.read_text(encoding="utf-8"), diff.lines), encoding="utf-8")
    assert CARGO
    done = subprocess.run(
        [CARGO, "test", "--package", "cc", "--quiet", "--offline", "--lib"],
        cwd=tmp_path, capture_output=True, check=False, encoding="utf-8", timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:] + done.stdout[-3000:]
