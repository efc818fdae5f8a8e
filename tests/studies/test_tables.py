"""Tables of a study: declared as figures are, filled from evidence. Controls that are the same for all versions."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from dumbbell import studies
from dumbbell.charts.table import Amount, Column, Table
from dumbbell.studies import Study, StudyError
from dumbbell.studies.drawing import PERCENT, entry
from dumbbell.studies.evidence import Evidence
from dumbbell.studies.study import read

CLAIMS = import_module("dumbbell.studies.claypool2019.claims")
FIGURES = import_module("dumbbell.studies.claypool2019.figures")
DECLARED = """
[[tables]]
name = "table1"
title = "Table 1: loss at 0.5 BDP"
experiments = ["figure7"]
"""


def table1(study: Study, evidence: Evidence) -> Table:
    at = {"path.buffer": "0.5 bdp"}
    rows = tuple(
        (
            variant,
            entry(
                evidence.of("figure7", variant), lambda trial: trial.at(at).result.bottleneck.loss_per_sent,
                factor=PERCENT, published=study.published["figure7"]["loss_percent"][1],
            ),
        )
        for variant in evidence.variants("figure7")
    )  # fmt: skip
    columns = (Column(title="version"), Column(title="loss", unit="%"))
    return Table(name="table1", title="Loss", caption="", columns=columns, rows=rows)


@pytest.fixture
def drawn() -> ModuleType:
    """The study's figures, and a table."""
    module = ModuleType("figures")
    module.__dict__.update(FIGURES.__dict__, table1=table1)
    return module


def declare(folder: Path, text: str) -> None:
    with (folder / "study.toml").open("a", encoding="utf-8") as manifest:
        manifest.write(text)


def test_a_table_is_filled_where_its_runs_are_there(
    folder: Path, drawn: ModuleType, evidence: Callable[..., Evidence]
) -> None:
    declare(folder, DECLARED)
    study = read(folder, CLAIMS, drawn)
    *_, table = study.tabled(evidence())
    assert table.name == "table1"
    assert [row[0] for row in table.rows] == list(study.variants)
    for _, amount in table.rows:
        assert isinstance(amount, Amount)
        assert amount.mean == pytest.approx(11.0)
        assert (amount.half_width, amount.published) == (None, 11.0)
    assert study.tabled(Evidence(engine="sim")) == []
    assert studies.only(study, experiments=["figure7"]).tables == study.tables[-1:]
    assert studies.only(study, experiments=["figure5"]).tables == ()


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [("table1", "table2", "table table2: nothing draws it"), ("figure7", "figure70", "table table1: there is no")],
)
def test_a_table_that_cannot_be_filled(folder: Path, drawn: ModuleType, old: str, new: str, told: str) -> None:
    declare(folder, DECLARED.replace(old, new))
    with pytest.raises(StudyError) as caught:
        read(folder, CLAIMS, drawn)
    assert told in str(caught.value)


def test_one_control_may_stand_for_all_versions(folder: Path) -> None:
    manifest = folder / "study.toml"
    text = manifest.read_text(encoding="utf-8")
    table = '[controls.figure5_cubic]\nbbr = "cubic"\nbbr_4_17 = "cubic"\n'
    assert table in text
    manifest.write_text(text.replace(table, '[controls]\nfigure5_cubic = "cubic"\n'), encoding="utf-8")
    assert read(folder, CLAIMS, FIGURES).controls == studies.load("claypool2019").controls
