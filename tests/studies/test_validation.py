"""The page about validation: made from what is stored beside it, and about today's claims."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from commandline import ROOT, dumbbell
from dumbbell import studies
from dumbbell.cli import study as study_command
from dumbbell.engines.sim import SimEngine
from dumbbell.results.store import Store
from dumbbell.studies import Study, StudyError, validation
from dumbbell.studies.evidence import Evidence
from dumbbell.studies.validation import Document, Plan, document_of, markdown, plan, read, write
from dumbbell.studies.validation.claims import ClaimsSection, Origin, Ran, told
from dumbbell.studies.validation.plan import ClaimsPlan, Column

DOCS = ROOT / "docs"
COLUMNS = (
    Column(title="linux 6.12 `bbr`", engine="linux:6.12", variant="bbr"),
    Column(title="sim `bbr`", engine="sim", variant="bbr"),
)


@pytest.fixture
def section(claypool: Study, evidence: Callable[..., Evidence]) -> ClaimsSection:
    """Two engines that measured what was published, one of them without BBR_Shallow and with more loss."""
    lossy = evidence(loss={"0.5 bdp": 13.4})
    refused = {("figure11", "bbr"): "engine linux:6.12 cannot honour flows[0].cc: kernel 6.12 has no bbr_shallow"}
    study = studies.only(claypool, claims=["S5", "S7", "S23"], variants=["bbr"])
    verdicts = study.verdicts(replace(lossy, engine="linux:6.12", untestable=refused)) + study.verdicts(evidence())
    return ClaimsSection(
        kind="claims",
        study="claypool2019",
        short=claypool.short,
        columns=COLUMNS,
        without=(Column(title="linux 6.1 `bbr`", engine="linux", variant="bbr"),),
        experiments=(Ran(name="figure7", seeds=(1, 2, 3)), Ran(name="figure11", seeds=(1, 4))),
        origins=(Origin(engine="sim", identity="ab" * 32, runs=12, facts={"kernel": "none | at all"}),),
        verdicts=tuple(verdicts),
    )


def test_the_page_is_what_its_numbers_make_it() -> None:
    """Edit neither: `make validation`, or `dumbbell study validation --page` where only words have changed."""
    assert (DOCS / "validation.md").read_text(encoding="utf-8") == markdown(read(DOCS))


def test_the_page_is_about_todays_claims() -> None:
    (section,) = read(DOCS).sections
    (planned,) = plan().sections
    assert section.claims == planned.claims
    assert {*section.columns, *section.without} == set(planned.columns)
    study = studies.only(studies.load(section.study), claims=section.claims)
    for claim in study.claims:
        for column in section.columns:
            verdict = section.at(claim.id, column)
            assert (verdict.statement, verdict.tolerance) == (claim.statement, claim.tolerance)
            if verdict.checks:
                bounds = [(check.label, check.published, check.least, check.most) for check in verdict.checks]
                assert bounds == [(check.label, check.published, check.least, check.most) for check in claim.checks]
    assert {each.name: each.seeds for each in section.experiments} == {
        title: tuple(experiment.seed_values) for title, experiment in study.experiments.items()
    }


def test_every_engine_of_the_plan_has_its_part_of_the_study() -> None:
    (section,) = plan().sections
    assert section.engines == ("linux", "linux:6.12", "sim")
    assert section.study_on("linux:6.12").variants == ("bbr",)
    assert section.study_on("sim").variants == ("bbr", "bbr_4_17")
    assert tuple(claim.id for claim in section.study_on("sim").claims) == section.claims


def test_engines_stand_side_by_side(section: ClaimsSection) -> None:
    lines = told(section).splitlines()
    for line in (
        "| S7 | Four BBR flows at 80 Mbit/s with a queue of 0.5 BDP lose more than 10 % on average | ✗ | ✓ |",
        "| loss at 0.5 BDP (%) | 11 | 8 to 13 | 13.4, n = 1 (3 seeds alike) ✗ | 11.0, n = 1 (3 seeds alike) ✓ |",
        "| **verdict** |  |  | ✗ not reproduced | ✓ reproduced |",
        "| BBR_Shallow's loss at 0.5 BDP (%) | 5.9 | 3 to 8 | ○ | 5.90, n = 1 (3 seeds alike) ✓ |",
        "| **verdict** |  |  | ○ not testable here | ✓ reproduced |",
        "4 of 6 verdicts are “reproduced”.",
        "Not measured yet: linux 6.1 `bbr`.",
        "| `sim` | `abababababababab` | 12 | kernel none \\| at all |",
    ):
        assert line in lines
    said = " ".join(lines)
    assert "**S7, linux 6.12 `bbr`**, not reproduced: loss at 0.5 BDP is 13.4 %, not within 8 to 13 %." in said
    assert "**S23, linux 6.12 `bbr`**, not testable here: figure11: engine linux:6.12 cannot honour" in " ".join(
        said.split()
    )
    assert "`figure7` 1 to 3; `figure11` 1, 4" in said
    assert "A real Linux 6.1 with a cwnd gain" not in said


def test_a_document_is_read_as_it_was_written(section: ClaimsSection, tmp_path: Path) -> None:
    document = Document(schema=1, sections=(section,))
    assert write(document, tmp_path / "docs") == [
        tmp_path / "docs" / name for name in ("validation.json", "validation.md")
    ]
    assert read(tmp_path / "docs") == document
    assert (tmp_path / "docs" / "validation.md").read_text(encoding="utf-8") == markdown(document)


def test_sections_of_others_stand_below(section: ClaimsSection) -> None:
    page = markdown(Document(schema=1, sections=(section,)), ["## Agreement\n"])
    assert page.index("## Claims of") < page.index("## Agreement")


@pytest.mark.parametrize(
    ("text", "told_of"),
    [
        ("{}", "is no validation of this version"),
        ('{"schema": 9, "sections": []}', "has schema 9"),
        (None, "cannot be read"),
    ],
)
def test_what_is_no_document(text: str | None, told_of: str, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "validation.json").write_text(text, encoding="utf-8")
    with pytest.raises(StudyError, match=told_of):
        read(tmp_path)


def test_an_engine_that_the_page_has_not(tmp_path: Path) -> None:
    done = dumbbell("study", "validation", "--engine", "hosts", "--out", tmp_path / "out", "--docs", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "validation has no engine 'hosts'; known: linux, linux:6.12, sim\n"
    assert not (tmp_path / "out").exists()


@pytest.fixture
def small(brief: Study, monkeypatch: pytest.MonkeyPatch) -> Plan:
    """A plan of short runs, of which `linux` has none."""
    for module in ("plan", "claims"):
        monkeypatch.setattr(import_module(f"dumbbell.studies.validation.{module}"), "load", lambda *_, **__: brief)
    columns = tuple(Column(title=name, engine=name, variant="bbr") for name in ("linux", "sim"))
    made = Plan(sections=(ClaimsPlan(study="claypool2019", claims=("S2", "S18"), columns=columns),))
    monkeypatch.setattr(validation, "plan", lambda: made)
    return made


def test_the_page_from_runs_to_words(small: Plan, tmp_path: Path) -> None:
    def made(*, again: bool) -> dict[str, bytes]:
        study_command.validation(engine=["sim"], out=tmp_path / "out", docs=tmp_path, jobs=2, seeds=None, again=again)
        return {name: (tmp_path / name).read_bytes() for name in ("validation.json", "validation.md")}

    first = made(again=False)
    (section,) = read(tmp_path).sections
    assert [column.engine for column in section.columns] == ["sim"]
    assert [column.engine for column in section.without] == ["linux"]
    assert [(each.claim, each.variant) for each in section.verdicts] == [("S2", "bbr"), ("S18", "bbr")]
    assert [(each.name, each.seeds) for each in section.experiments] == [("figure5", (1, 2)), ("figure9", (1, 2))]
    assert (section.origins[0].runs, section.origins[0].identity) == (4, SimEngine().identity())
    with Store.open(tmp_path / "out" / "store") as store:
        assert document_of(small, store) == read(tmp_path)
    assert made(again=False) == first
    (tmp_path / "validation.md").unlink()
    assert made(again=True) == first
