"""The examples in the package's docstrings."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import dumbbell
from commandline import MOMENT, ROOT

PACKAGE = ROOT / "python" / "dumbbell"
WITH_EXAMPLES = [path for path in sorted(PACKAGE.rglob("*.py")) if ">>>" in path.read_text(encoding="utf-8")]


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What examples about runs begin with: four runs, of BBR beside CUBIC at two sizes of the queue."""
    folder = tmp_path_factory.mktemp("docstrings") / "results"
    return {"dumbbell": dumbbell, "spec": MOMENT, "folder": folder, "results": dumbbell.run(MOMENT, store=folder)}


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_the_examples_are_so(path: Path, names: dict[str, object]) -> None:
    name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    assert not doctest.testmod(import_module(name), extraglobs=names, optionflags=doctest.NORMALIZE_WHITESPACE).failed
