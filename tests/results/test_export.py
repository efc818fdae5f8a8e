from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from dumbbell.errors import StoreError, StoreFailure
from dumbbell.results.export import export
from dumbbell.results.store import Store


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("table", ["runs", "flows", "groups", "series", "queue"])
def test_what_is_exported_is_what_the_frames_have(filled: Store, tmp_path: Path, table: str, suffix: str) -> None:
    file = tmp_path / f"out.{suffix}"
    rows = export(filled, table, file)
    exported = pd.read_csv(file) if suffix == "csv" else pd.read_parquet(file)
    ids = [each.run_id for each in filled.outcomes()]
    wanted = {
        "runs": filled.runs(),
        "flows": filled.flows(),
        "groups": filled.groups(),
        "series": pd.concat(map(filled.flow_series, ids)),
        "queue": pd.concat(map(filled.queue_series, ids)),
    }[table]
    assert len(exported) == rows == len(wanted) > 0
    assert set(wanted.columns) <= set(exported.columns)
    assert {"run_id", "experiment", "engine", "seed", "path.buffer"} <= set(exported.columns)
    assert list(dict.fromkeys(exported["run_id"])) == ids
    number = {"runs": "jain", "flows": "goodput_bps", "groups": "share", "series": "srtt_s", "queue": "time_s"}[table]
    assert exported[number].sum() == pytest.approx(wanted[number].sum())
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == [file.name]


def test_a_sweep_of_words_and_numbers_can_be_exported(folder: Path, campaign: Any, tmp_path: Path) -> None:
    campaign(seeds=1, path__buffer="1 bdp", **{"flows[0].workload": ["bulk", {"transfer": "10 kB"}]})
    with Store.open(folder) as store:
        assert export(store, "runs", tmp_path / "runs.parquet") == 2
    exported = pd.read_parquet(tmp_path / "runs.parquet")
    assert exported["flows[0].workload"].tolist() == ["bulk", "{'transfer': '10 kB'}"]


def test_no_cell_of_a_csv_is_a_formula_and_numbers_stay_numbers(folder: Path, campaign: Any, tmp_path: Path) -> None:
    name = '=HYPERLINK("http://x")'
    campaign(seeds=1, path__buffer="1 bdp", name="@name", **{"flows[0].name": name})
    with Store.open(folder) as store:
        for table in ("runs", "groups", "flows", "series"):
            export(store, table, tmp_path / "out.csv")
            with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
                header, *rows = csv.reader(file)
            cells = [cell for row in rows for cell in row]
            assert [cell for cell in header + cells if cell[:1] in set("=+@\t\r")] == []
            assert "'@name" in cells
            assert table == "runs" or f"'{name}" in cells
        groups = store.groups()
        export(store, "groups", tmp_path / "out.csv")
        read = pd.read_csv(tmp_path / "out.csv")
        assert read["goodput_bps"].tolist() == pytest.approx(groups["goodput_bps"].tolist())
        assert [each.removeprefix("'") for each in read["name"]] == groups["name"].tolist()


def test_what_cannot_be_written(filled: Store, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"must end in \.csv or \.parquet"):
        export(filled, "runs", tmp_path / "runs.xlsx")
    with pytest.raises(StoreFailure, match="cannot be written"):
        export(filled, "runs", tmp_path / "nowhere" / "runs.csv")


def test_nothing_to_write(folder: Path, campaign: Any, tmp_path: Path) -> None:
    campaign(measure__record="summary")
    with Store.open(folder) as store, pytest.raises(StoreError, match="has no series"):
        export(store, "series", tmp_path / "series.csv")
    assert not (tmp_path / "series.csv").exists()
