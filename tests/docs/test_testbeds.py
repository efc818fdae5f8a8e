"""Inventories that pages show are ones that dumbbell reads, and studies have what the commands for testbeds name."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from commandline import ROOT
from documents import PAGES, Block, blocks, commands
from dumbbell import studies
from dumbbell.cli.main import app
from dumbbell.cli.study.option import listed
from dumbbell.engines.hosts.inventory import read

INVENTORIES = [block for page in PAGES for block in blocks(page) if block.mark == "not a spec: an inventory"]
STUDIES = [
    list(command.arguments)
    for block in blocks(ROOT / "docs" / "testbeds.md")
    if block.text.startswith("$ dumbbell study run ")
    for command in commands(block)
]


@pytest.mark.parametrize("block", INVENTORIES, ids=lambda block: block.place)
def test_an_inventory_of_a_page_is_read(block: Block, tmp_path: Path) -> None:
    file = tmp_path / "hosts.toml"
    file.write_text(block.text, encoding="utf-8")
    assert list(read(file).hosts())


@pytest.mark.parametrize("arguments", STUDIES, ids=lambda arguments: arguments[3])
def test_a_study_has_the_experiments_that_a_command_names(arguments: list[str]) -> None:
    """Its options, too, are the command's."""
    command: Any = get_command(app())
    command.commands["study"].commands["run"].make_context("run", arguments[3:], resilient_parsing=True)
    options = dict(pairwise(arguments))
    loaded = studies.load(arguments[3], short="--short" in arguments)
    experiments, variants = (listed(options.get(option)) for option in ("--experiments", "--variants"))
    assert studies.only(loaded, claims=None, experiments=experiments, variants=variants).experiments


def test_each_document_has_a_command() -> None:
    documents = {"borgli2017", "cao2019", "claypool2019", "giordano2019", "zhang2024"}
    assert {arguments[3] for arguments in STUDIES} == documents
