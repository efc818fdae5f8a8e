"""What the documentation tells a reader to type works, and prints what it shows; `--snapshot-update` writes it anew."""

from __future__ import annotations

import re
import shutil
import tomllib
from pathlib import Path

import pytest

from commandline import ROOT
from documents import PAGES, Block, Run, blocks, commands, refreshed, same, with_outputs
from dumbbell.engines import lease
from dumbbell.engines.catalogue import built
from dumbbell.engines.registry import engine
from dumbbell.errors import DumbbellError
from dumbbell.spec import load
from spec_reference import spec_around

EVERY = [block for page in PAGES for block in blocks(page)]
SPECS = [block for block in EVERY if block.language == "toml"]


def has_live_engine() -> bool:
    """Whether `netns` can measure here."""
    try:
        engine("netns").ready()
    except DumbbellError:
        return False
    return True


LACKING = {
    *([] if built() else ["needs a kernel"]),
    *([] if has_live_engine() else ["needs root"]),
}
UNRUN = [
    block
    for block in EVERY
    if (block.text_after("not run:") is not None and block.language != "image") or block.mark in LACKING
]
LANGUAGES = {"console", "toml", "python", "text", "diff", "json", "rust", "image", "yaml"}
MOST_UNRUN = 15
"""Blocks that no test runs. More than this: find a way to run them."""


LONG = {
    "README.md", "docs/tutorial.md", "docs/gallery.md", "docs/how-to/choose-an-algorithm.md",
    "docs/answers/backup.md", "docs/answers/bulk-and-streaming.md", "docs/answers/video-beside-cubic.md",
    "docs/how-to/figures-in-a-paper.md", "docs/how-to/noise-and-phases.md", "docs/how-to/teach-a-class.md",
    "docs/how-to/live-kernel.md", "docs/how-to/order-of-start.md", "docs/answers/bbr3.md",
}  # fmt: skip
"""Pages that take more than three seconds."""


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=[pytest.mark.long] * (name_of(page) in LONG), id=name_of(page)) for page in PAGES]
)
def test_a_page_works_from_its_top_to_its_end(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DUMBBELL_STORE")
    monkeypatch.setattr(lease, "folder", lambda: tmp_path / "leases")
    run = Run(page, LACKING)
    changes = list(run.problems())
    if request.config.getoption("--snapshot-update"):
        for path, picture in run.pictures.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(picture)
        page.write_text(with_outputs(page, changes), encoding="utf-8")
        return
    assert changes == [], "make docs-outputs"
    assert [path for path, picture in run.pictures.items() if path.read_bytes() != picture] == [], "make docs-outputs"


@pytest.mark.parametrize("block", SPECS, ids=lambda block: block.place)
def test_toml_is_a_spec(block: Block, tmp_path: Path) -> None:
    if block.text_after("not a spec:") is not None:
        assert tomllib.loads(block.text)
        return
    shutil.copytree(ROOT / "docs" / "site" / "files", tmp_path, dirs_exist_ok=True)
    assert load(spec_around(block.text), folder=tmp_path).seed_values


def test_every_block_has_a_language_that_is_known_and_every_mark_a_meaning() -> None:
    known = re.compile(
        r"(file: \S+|not run: .+|not a spec: .+|needs a kernel|needs root|exits with \d|printed|picture: \S+)?"
    )
    for block in EVERY:
        assert block.language in LANGUAGES or block.language.startswith("{"), block.place
        assert known.fullmatch(block.mark) or block.language not in {"console", "toml", "python", "image"}, block.place


@pytest.mark.parametrize("block", UNRUN, ids=lambda block: block.place)
def test_an_example_that_is_not_run_says_why(block: Block) -> None:
    """Pytest's summary lists and counts them."""
    reason = block.text_after("not run:")
    assert reason or block.mark in LACKING
    why = reason or f"it {block.mark}, which is not here"
    pytest.skip(f"{block.place}: an example that is not run: {why}")


def test_few_are_not_run() -> None:
    """Beside those of the page that `make validation` writes: a command for each part."""
    by_hand = [block for block in UNRUN if not block.place.startswith("docs/validation.md")]
    assert len([block for block in by_hand if block.text_after("not run:")]) <= MOST_UNRUN


TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.parametrize("block", [each for each in EVERY if each.language == "console"], ids=lambda block: block.place)
def test_a_command_that_is_not_run_is_one_that_there_is(block: Block) -> None:
    from typer.main import get_command  # noqa: PLC0415 (typer's own click)

    from dumbbell.cli.main import app  # noqa: PLC0415 (likewise)

    for command in commands(block):
        if command.program == "make":
            assert {word for word in command.arguments[1:] if "=" not in word} <= TARGETS
        if command.program == "dumbbell":
            group, arguments = get_command(app()), list(command.arguments[1:])
            while hasattr(group, "commands") and arguments and arguments[0] in group.commands:
                group, arguments = group.commands[arguments[0]], arguments[1:]
            if not hasattr(group, "commands"):
                group.make_context("dumbbell", [word for word in arguments if word != ">"], resilient_parsing=True)


def test_lines_that_are_left_out_and_times_of_the_machine_do_not_matter() -> None:
    assert same(("a", "...", "d"), ("a", "b", "c", "d"))
    assert same(("9 runs in 1.8 s",), ("9 runs in 12 s",))
    assert same(("  identity c3fe9bd96fec",), ("  identity 0b92977b34cc",))
    assert not same(("60 s of virtual time",), ("61 s of virtual time",))
    assert not same(("a", "..."), ("b", "c"))
    assert refreshed(("a", "...", "d"), ("x", "b", "c", "y")) == ("x", "...", "y")
    assert refreshed(("a", "...", "d"), ("a", "b", "d")) == ("a", "...", "d")
    assert refreshed(("a",), ("b ",)) == ("b",)
