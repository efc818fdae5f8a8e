"""`docs/cli.md` is what the commands say of themselves today."""

from __future__ import annotations

from cli_reference import page
from commandline import ROOT


def test_it_is_what_the_commands_say() -> None:
    assert (ROOT / "docs" / "cli.md").read_text(encoding="utf-8") == page(), "make docs-outputs"


def test_it_has_every_command_and_says_what_its_options_are() -> None:
    for text in (
        "## `dumbbell run`",
        "### `dumbbell kernel build`",
        "### `dumbbell study claims`",
        "* `--engine NAME`: ",
    ):
        assert text in page()
