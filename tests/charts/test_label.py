from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dumbbell.charts.style import label_of
from dumbbell.kernel.recipe import recipe
from dumbbell.kernel.shelf import digest, place, write
from kernels import kernel_3


@pytest.fixture
def bbr3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel on the shelf whose `bbr` is version 3."""
    monkeypatch.setenv("DUMBBELL_DATA", str(tmp_path))
    folder = place("bbr3", "0123")
    folder.mkdir(parents=True)
    executable = folder / "linux"
    executable.write_bytes(b"no kernel")
    write(replace(kernel_3(), executable=executable, recipe=recipe().identity(), sha256=digest(executable)))


@pytest.mark.parametrize(
    ("name", "engine", "label"),
    [
        ("cubic", "sim", "CUBIC of Linux 6.1"),
        ("cubic", "linux", "CUBIC of Linux 6.1"),
        ("cubic", "linux:6.12", "CUBIC of Linux 6.12"),
        ("bbr_shallow", "linux:6.12", "BBR of Linux 6.12, cwnd gain 1.5"),
        ("cubic", "netns", "CUBIC of the machine's kernel"),
        ("bbr_4_17", "linux:6.12", "BBR as of Linux 4.17 (parameters)"),
        ("flow 1", "linux:6.12", "flow 1"),
    ],
)
def test_a_label_names_the_kernel_of_the_engine(name: str, engine: str, label: str) -> None:
    assert label_of(name, engine) == label


@pytest.mark.usefixtures("bbr3")
@pytest.mark.parametrize(
    ("name", "engine", "label"),
    [
        ("bbr3", "linux:bbr3", "BBR v3 (Linux 6.12, patched)"),
        ("bbr3", "sim", "BBR v3 (Linux 6.12, patched)"),
        ("bbr3", "netns", "BBR v3 (the machine's kernel)"),
        ("cubic", "linux:bbr3", "CUBIC of Linux 6.12, patched"),
        ("cubic", "linux:absent", "CUBIC of Linux absent"),
    ],
)
def test_a_label_names_the_version_of_bbr_and_the_kernel_that_has_it(name: str, engine: str, label: str) -> None:
    assert label_of(name, engine) == label
