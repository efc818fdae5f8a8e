"""What node's own test runner is asked: parts of the page that need no browser."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

FILES = sorted((Path(__file__).parent / "node").glob("*.test.mjs"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name.removesuffix(".test.mjs"))
def test_its_tests_pass(file: Path, node: str) -> None:
    done = subprocess.run([node, "--test", file], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "\n# pass 0\n" not in done.stdout
