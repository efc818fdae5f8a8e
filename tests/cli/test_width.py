"""Tables fit the terminal: texts are broken between words, and numbers stand in blocks under one another."""

from __future__ import annotations

from pathlib import Path

import pytest

from commandline import MOMENT, dumbbell


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("width")
    spec = folder / "moment.toml"
    spec.write_text(MOMENT, encoding="utf-8")
    assert dumbbell("run", spec, "--out", folder / "store").returncode == 0
    return folder / "store"


@pytest.mark.slow
@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize(
    "command",
    [
        ("cc", "list"), ("cc", "show", "bbr"), ("cc", "show", "bbr[cwnd_gain=1.5]"), ("doctor",), ("kernel", "list"),
        ("study", "list"), ("study", "show", "claypool2019"), ("check", "{spec}"),
        ("compare", "{store}@engine=sim", "@engine=sim", "--all"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_what_is_printed_fits(command: tuple[str, ...], width: int, stored: Path) -> None:
    arguments = [each.format(store=stored, spec=stored.parent / "moment.toml") for each in command]
    done = dumbbell(*arguments, COLUMNS=str(width))
    assert done.returncode in {0, 1}, done.stderr
    printed = done.stdout or done.stderr  # `kernel list` has no table where no kernel is built
    lines = [line for line in printed.splitlines() if str(stored.parent) not in line]
    longest = max(lines, key=len)
    assert len(longest) <= width, longest
