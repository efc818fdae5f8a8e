"""What the pages under `docs/` say of the program is so."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import dumbbell
from commandline import MOMENT, ROOT
from dumbbell.results.tables import TABLES

FORMAT = (ROOT / "docs" / "results-format.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_every_rule_of_the_architecture_is_held_by_a_test_that_is_there() -> None:
    named = re.findall(
        r"`((?:test_)?[a-z]+(?:_[a-z0-9]+){2,})`", ARCHITECTURE.partition("## What nothing may break")[2]
    )
    assert len(named) >= 20
    sources = "\n".join(
        path.read_text(encoding="utf-8")
        for pattern in ("tests/**/test_*.py", "crates/*/tests/*.rs", "crates/*/src/**/*.rs")
        for path in ROOT.glob(pattern)
    )
    assert [name for name in named if not re.search(rf"(?:def|fn) {name}\(", sources)] == []


def test_every_folder_of_the_map_is_there() -> None:
    folders = re.findall(r"`((?:python|crates)/[a-z/]+)`", ARCHITECTURE)
    assert len(folders) >= 8
    assert [folder for folder in folders if not (ROOT / folder).is_dir()] == []


def test_every_column_of_a_series_is_explained(tmp_path: Path) -> None:
    dumbbell.run(MOMENT + 'record = "acks"', store=tmp_path / "store")
    parquet: Any = import_module("pyarrow.parquet")
    kinds = {path.name.split(".")[1]: path for path in tmp_path.rglob("*.parquet")}
    assert set(kinds) == {"flows", "queue", "acks"}
    for kind, path in kinds.items():
        part = FORMAT.partition(f"\n`{kind}`")[2].partition("\n\n`")[0]
        assert [name for name in parquet.read_schema(path).names if f"`{name}`" not in part] == []


def test_every_table_of_the_ledger_is_explained() -> None:
    tables = re.findall(r"CREATE TABLE (\w+)", TABLES)
    assert len(tables) > 5
    assert [table for table in tables if f"`{table}`" not in FORMAT] == []
