"""How many claims hold: what counts, by version, and that every page takes it from one place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dumbbell import studies
from dumbbell.studies import StudyError
from dumbbell.studies.totals import (
    BEGIN,
    END,
    Count,
    Total,
    as_object,
    in_markdown,
    of_documents,
    sentence,
    table,
    total,
    write,
)
from dumbbell.studies.verdict import NOT_REPRODUCED, NOT_RUN, NOT_TESTABLE, UNDECIDED
from reported import verdict

BOTH = ("bbr", "bbr_4_17")
DOCS = Path(__file__).parents[2] / "docs"


class Stood:
    """A status made by hand."""

    def __init__(self, *verdicts: studies.Verdict, claims: int) -> None:
        self.study = self.full_study = studies.load("claypool2019")
        self.verdicts = verdicts
        self.judged = tuple(each for each in verdicts if each.verdict != NOT_RUN)
        self.waiting = ("S99",) * (claims - len({each.claim for each in self.judged}))
        self.engine, self.runs = "sim", (7, 9)


def counted(*verdicts: studies.Verdict) -> Total:
    status: Any = Stood(*verdicts, claims=10)
    return total(status)


@pytest.fixture
def tally() -> Total:
    return counted(
        verdict(claim="S1"), verdict(claim="S1", variant="bbr_4_17", verdict=NOT_REPRODUCED, kind="explains"),
        verdict(claim="S2", flag="SENS", verdict=NOT_REPRODUCED, kind="fitted", seeds=5),
        verdict(claim="S2", flag="SENS", variant="bbr_4_17"),
        verdict(claim="S3", variant="cubic", versions=BOTH),
        verdict(claim="S4", variant="any version", versions=BOTH, verdict=NOT_TESTABLE, seeds=0),
        verdict(claim="S5", variant="cubic", versions=BOTH, binding="weak", why_weak="algebra"),
        verdict(claim="S6", verdict=NOT_RUN, seeds=0),
        verdict(claim="S7", verdict=UNDECIDED), verdict(claim="S7", variant="bbr_4_17", verdict=NOT_REPRODUCED),
        verdict(claim="S8", variant="cubic", versions=BOTH, verdict=UNDECIDED, binding="weak", why_weak="algebra"),
    )  # fmt: skip


def test_each_version_counts_by_itself_and_weak_claims_apart(tally: Total) -> None:
    assert tally.versions["bbr"] == Count(
        claims=24,
        judged=3,
        reproduced=2,
        undecided=2,
        not_testable=1,
        weak=1,
        weak_reproduced=1,
        ok_judged=2,
        ok_reproduced=2,
    )
    assert tally.versions["bbr_4_17"] == Count(
        claims=24,
        judged=4,
        reproduced=2,
        explained=1,
        undecided=1,
        not_testable=1,
        weak=1,
        weak_reproduced=1,
        ok_judged=3,
        ok_reproduced=1,
    )
    assert (tally.any_version.judged, tally.any_version.reproduced, tally.any_version.undecided) == (3, 3, 2)
    assert (tally.waiting, tally.seeds) == (3, (3, 5))


def test_only_what_explains_a_claim_counts() -> None:
    for kind in ("fitted", "would need", None):
        assert counted(verdict(verdict=NOT_REPRODUCED, kind=kind)).versions["bbr"].explained == 0


def test_the_sentence_has_the_counts_of_the_object(tally: Total) -> None:
    assert sentence(tally) == (
        "claypool2019 on sim: bbr reproduces 2 of 3 claims, bbr_4_17 2 of 4; 2 and 1 undecided; 1 more can hardly fail"
        " (weak), 1 of 1 and 1 of 1 reproduced; 1 not testable; 3 to 5 seeds"
    )


def test_each_version_is_summed_over_the_documents_that_are_judged_for_it(tally: Total) -> None:
    single = Total(
        study="zhang2024", short="Z", engine="sim", claims=16, waiting=0, runs=1, runs_needed=1, seeds=(5, 5),
        versions={"bbr": Count(claims=16, judged=10, reproduced=4)}, any_version=Count(judged=10, reproduced=4),
    )  # fmt: skip
    theory = Total(
        study="theory", short="T", engine="sim", claims=24, waiting=0, runs=1, runs_needed=1, seeds=(3, 3),
        versions={"stock": Count(judged=22)}, any_version=Count(judged=22),
    )  # fmt: skip
    (both,) = of_documents([tally, single, theory], ["claypool2019", "zhang2024"])
    assert both.claims == len(studies.load("claypool2019").claims) + 16
    assert (both.versions["bbr"].claims, both.versions["bbr_4_17"].claims) == (40, 24)
    assert (both.versions["bbr"].reproduced, both.versions["bbr_4_17"].judged) == (6, 4)
    assert set(both.versions) == set(BOTH)


@pytest.mark.slow
def test_the_table_in_the_documentation_is_made_of_the_object_beside_it() -> None:
    counts = json.loads((DOCS / "studies.json").read_text(encoding="utf-8"))
    page = (DOCS / "studies.md").read_text(encoding="utf-8")
    assert f"{BEGIN}\n{in_markdown(counts)}\n{END}" in page
    assert {each["study"] for each in counts["studies"]} == {
        name for name in studies.names() if studies.load(name).claims
    }


def test_the_readme_has_the_counts_of_the_whole_study_of_the_demo() -> None:
    counts = json.loads((DOCS / "studies.json").read_text(encoding="utf-8"))
    (versions,) = [each["versions"] for each in counts["studies"] if each["study"] == "claypool2019"]
    said = " ".join((DOCS.parent / "README.md").read_text(encoding="utf-8").split()).replace("`", "")
    bbr, older = versions["bbr"], versions["bbr_4_17"]
    assert (
        f"The full study has five seeds: bbr reproduces {bbr['reproduced']} of {bbr['judged']}, bbr_4_17"
        f" {older['reproduced']} of {older['judged']}."
    ) in said


def test_the_table_is_written_between_its_marks(tally: Total, tmp_path: Path) -> None:
    counts = json.loads(json.dumps(as_object([tally], ["claypool2019"])))
    (tmp_path / "studies.md").write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", encoding="utf-8")
    write(tmp_path, counts)
    text = (tmp_path / "studies.md").read_text(encoding="utf-8")
    assert text == f"before\n{BEGIN}\n{in_markdown(counts)}\n{END}\nafter\n"
    assert "| claypool2019 | sim | any version |" in text
    assert len(table([tally]).rows) == 3
    (tmp_path / "studies.md").write_text("no marks", encoding="utf-8")
    with pytest.raises(StudyError, match="has no"):
        write(tmp_path, counts)
