"""The examples in the docstrings of the package and of the proof."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import dumbbell
from commandline import MOMENT, ROOT

PACKAGE = ROOT / "python" / "dumbbell"
DEV = ROOT / "dev"
FILES = [*sorted(PACKAGE.rglob("*.py")), *sorted(DEV.rglob("*.py"))]
WITH_EXAMPLES = [path for path in FILES if ">>>" in path.read_text(encoding="utf-8")]


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What examples about runs begin with: four runs, of BBR beside CUBIC at two sizes of the queue."""
    folder = tmp_path_factory.mktemp("docstrings") / "results"
    return {"dumbbell": dumbbell, "spec": MOMENT, "folder": folder, "results": dumbbell.run(MOMENT, store=folder)}


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_examples_are_so(path: Path, names: dict[str, object]) -> None:
    home = DEV.parent if path.is_relative_to(DEV) else PACKAGE.parent
    name = ".".join(path.relative_to(home).with_suffix("").parts).removesuffix(".__init__")
    assert not doctest.testmod(import_module(name), extraglobs=names, optionflags=doctest.NORMALIZE_WHITESPACE).failed
