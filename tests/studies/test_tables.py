"""Tables of a study: declared as figures are, filled from evidence. Controls that are the same for all versions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dumbbell import studies
from dumbbell.studies import StudyError
from dumbbell.studies.evidence import Evidence
from dumbbell.studies.loading import read
from dumbbell.tables.table import Amount

DECLARED = """
[[tables]]
name = "table1"
title = "Loss at 0.5 BDP"
caption = ""
experiments = "figure7"
rows = "version"
at = { "path.buffer" = "0.5 bdp" }
columns = [
  { title = "version", words = "{version}" },
  { title = "loss", unit = "%", metric = "bottleneck.loss_per_sent", published = "figure7.loss_percent.1" },
]
"""


def declare(folder: Path, text: str) -> None:
    with (folder / "figures.toml").open("a", encoding="utf-8") as rows:
        rows.write(text)


def test_a_table_is_filled_where_its_runs_are_there(folder: Path, evidence: Callable[..., Evidence]) -> None:
    declare(folder, DECLARED)
    study = read(folder)
    *_, table = studies.drawn(study.tables, study, evidence())
    assert table.name == "table1"
    assert [row[0] for row in table.rows] == ["BBR of Linux 6.1", "BBR as of Linux 4.17 (parameters)"]
    assert table.header == ["version", "loss (%)", "published"]
    for _, amount, published in table.rows:
        assert isinstance(amount, Amount)
        assert amount.value == pytest.approx(11.0)
        assert (amount.half_width, published) == (None, "11")
    assert studies.drawn(study.tables, study, Evidence(engine="sim")) == []
    assert studies.only(study, experiments=["figure7"]).tables == study.tables[-1:]
    assert studies.only(study, experiments=["figure5"]).tables == ()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"figure7"', '"figure70"', 'table1: there is no experiment "figure70"'),
        ("figure7.loss_percent.1", "figure7.loss_percent.99", 'nothing is published at "figure7.loss_percent.99"'),
        ('at = { "path.buffer" = "0.5 bdp" }', "", "table1: 27 runs for 3 seeds have"),
        ('words = "{version}"', 'words = "{verse}"', 'table1: there is no word "verse"; did you mean "version"?'),
    ],
)
def test_a_table_that_cannot_be_filled(
    folder: Path, evidence: Callable[..., Evidence], old: str, new: str, message: str
) -> None:
    declare(folder, DECLARED.replace(old, new))

    def draw() -> None:
        study = read(folder)
        studies.drawn(study.tables, study, evidence())

    with pytest.raises(StudyError) as caught:
        draw()
    assert message in str(caught.value)


def test_one_control_may_stand_for_all_versions(folder: Path) -> None:
    manifest = folder / "study.toml"
    text = manifest.read_text(encoding="utf-8")
    table = '[controls.figure5_cubic]\nbbr = "cubic"\nbbr_4_17 = "cubic"\n'
    assert table in text
    manifest.write_text(text.replace(table, '[controls]\nfigure5_cubic = "cubic"\n'), encoding="utf-8")
    assert read(folder).controls == studies.load("claypool2019").controls
