"""The quantities of a run, as the ledger has them."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest

from commandline import ROOT
from compared import store_of
from dumbbell.metrics.catalogue import OF_GROUP, OF_RUN, QUANTITIES, Setup, group_values, run_values
from dumbbell.results.store import Store

LOSSY: dict[str, Any] = {
    "path__loss": ["0 %", "1 %"], "seeds": 1, "flows": [{"name": "new", "cc": "bbr", "count": 2}, {"cc": "cubic"}],
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(store_of(tmp_path / "results", **LOSSY))


def test_each_is_what_its_formula_gives_of_the_run(folder: Path) -> None:
    with Store.open(folder) as store:
        for result in store.outcomes():
            assert result.status == "ok"
            setup = Setup.of(store.run(result.run_id))
            expected = run_values(result, setup)
            number = store.ledger.one("SELECT id FROM run WHERE run_id = ?", result.run_id)
            (row,) = store.ledger.rows("SELECT * FROM run_value WHERE run = ?", number)
            assert {name: row[name] for name in OF_RUN} == expected
            rows = store.ledger.rows("SELECT * FROM group_value WHERE run = ? ORDER BY position", number)
            assert [[each[name] for name in ("name", "cc", "flows", "fair_share")] for each in rows] == [
                ["new", "bbr", 2, pytest.approx(2 / 3)],
                ["cubic", "cubic", 1, pytest.approx(1 / 3)],
            ]
            for own, values in zip(rows, group_values(result).values(), strict=True):
                assert [own[name] for name in OF_GROUP] == [values[name] for name in OF_GROUP]


def test_what_says_nothing_of_one_flow_is_null(tmp_path: Path) -> None:
    folder = store_of(tmp_path / "one", flows=[{"cc": "cubic"}], seeds=1, path__buffer="1 bdp")
    with Store.open(folder) as store:
        (run,) = store.ledger.rows("SELECT * FROM run_value")
        (group,) = store.ledger.rows("SELECT * FROM group_value")
    empty = {name for name in (*OF_RUN, *OF_GROUP) if QUANTITIES[name].needs_several}
    assert {"share", "jain", "total_goodput"} <= empty
    assert {name for name in empty if (run if name in OF_RUN else group)[name] is None} == empty


def test_the_query_of_the_documentation_reads_a_store(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs" / "results-format.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(import sqlite3.*?)```", page, re.DOTALL)
    assert code
    monkeypatch.chdir(folder.parent)
    names: dict[str, Any] = {}
    exec(code[1], names)  # noqa: S102 (our own)
    with Store.open(folder) as store:
        groups = store.groups()
    assert names["table"]["mbps"].tolist() == pytest.approx((groups["goodput_bps"] / 1e6).tolist())
    assert not names["table"]["loss"].map(math.isnan).any()
