"""Tables fit the terminal: texts are broken between words, and numbers stand in blocks under one another."""

from __future__ import annotations

from pathlib import Path

import pytest

from commandline import MOMENT, dumbbell
from dumbbell.cli.table import aligned, fitted

TEXT = "as many words as there are in a sentence"


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


def test_a_text_is_broken_in_its_column() -> None:
    lines = fitted(("name", "n", "text"), [("one", "1", TEXT), ("two", "2", "short")], 32).splitlines()
    assert lines == [
        "name  n  text",
        "one   1  as many words as there",
        "         are in a sentence",
        "two   2  short",
    ]


def test_a_text_without_room_stands_below() -> None:
    assert fitted(("name", "number", "text"), [("one", "1000000000", TEXT)], 30).splitlines() == [
        "name      number",
        "one   1000000000",
        "    as many words as there are",
        "    in a sentence",
    ]


def test_numbers_without_room_stand_under_others() -> None:
    rows = [("one", "11111111", "22222222", "33333333"), ("two", "1", "2", "3")]
    assert fitted(("name", "a", "b", "c"), rows, 24).split("\n\n") == [
        aligned(("name", "a", "b"), [row[:3] for row in rows]),
        aligned(("name", "c"), [(row[0], row[3]) for row in rows]),
    ]
    assert fitted(("name", "a", "b", "c"), rows, 40) == aligned(("name", "a", "b", "c"), rows)
