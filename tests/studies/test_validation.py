"""The page about validation: made from what is kept beside it, and about today's plan."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from agreed import Scaled
from commandline import ROOT, dumbbell
from dumbbell import studies
from dumbbell.cli import validation as command
from dumbbell.comparison.record import Agreement
from dumbbell.engines.registry import engine as engine_named
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import KernelError
from dumbbell.results.store import Store
from dumbbell.studies import Study
from dumbbell.studies.evidence import Evidence
from dumbbell.validation import Plan, ValidationError, markdown, plan, read, write
from dumbbell.validation.agreement import AgreementPart
from dumbbell.validation.claims import SCHEMA, ClaimsPart, ClaimsSection, Column, Origin, Ran, told, written
from dumbbell.validation.claims import read as read_claims
from dumbbell.validation.curves import CurvesPart
from dumbbell.validation.page import keep

DOCS = ROOT / "docs"
COLUMNS = (
    Column(title="linux 6.12 `bbr`", engine="linux:6.12", variant="bbr"),
    Column(title="sim `bbr`", engine="sim", variant="bbr"),
)
NOTE = "`bbr` is today's BBR."


@pytest.fixture
def section(claypool: Study, evidence: Callable[..., Evidence]) -> ClaimsSection:
    """Two engines that measured what was published, one of them without BBR_Shallow and with more loss."""
    lossy = evidence(loss={"0.5 bdp": 13.4})
    refused = {("figure11", "bbr"): "engine linux:6.12 cannot honour flows[0].cc: kernel 6.12 has no bbr_shallow"}
    study = studies.only(claypool, claims=["S5", "S7", "S23"], variants=["bbr"])
    verdicts = study.verdicts(replace(lossy, engine="linux:6.12", untestable=refused)) + study.verdicts(evidence())
    return ClaimsSection(
        schema=SCHEMA,
        study="claypool2019",
        short=claypool.short,
        note=NOTE,
        columns=COLUMNS,
        without=(Column(title="linux 6.1 `bbr`", engine="linux", variant="bbr"),),
        experiments=(Ran(name="figure7", seeds=(1, 2, 3)), Ran(name="figure11", seeds=(1, 4))),
        origins=(Origin(engine="sim", identity="ab" * 32, runs=12, facts={"kernel": "none | at all"}),),
        verdicts=tuple(verdicts),
    )


def claims_part(name: str) -> ClaimsPart:
    (found,) = [part for part in plan().parts if part.name == name]
    assert isinstance(found, ClaimsPart)
    return found


def test_the_page_is_what_its_numbers_make_it() -> None:
    """Edit neither: `make validation`, or `dumbbell study validation --page` where only words have changed."""
    assert (DOCS / "validation.md").read_text(encoding="utf-8") == markdown(plan(), read(plan(), DOCS))


def test_every_figure_of_the_page_is_there() -> None:
    page = (DOCS / "validation.md").read_text(encoding="utf-8")
    for line in page.splitlines():
        if line.startswith("!["):
            assert (DOCS / line.rpartition("(")[2].rstrip(")")).is_file(), line


def test_what_is_kept_belongs_to_a_part_and_is_small() -> None:
    kept = sorted((DOCS / "validation").glob("*"))
    assert {path.stem for path in kept} <= {part.name for part in plan().parts}
    assert all(path.stat().st_size <= 1_000_000 for path in kept)


@pytest.mark.parametrize("name", ["theory", "claypool2019"])
def test_the_page_is_about_todays_claims(name: str) -> None:
    part, kept = claims_part(name), read(plan(), DOCS)
    if name not in kept:
        pytest.skip(f"{name} is not measured yet, and the page says so")
    section = read_claims(kept[name])
    assert not part.claims or section.claims == part.claims
    assert {*section.columns, *section.without} == set(part.columns)
    study = studies.only(studies.load(section.study, seeds=part.seeds), claims=section.claims)
    for claim in study.claims:
        for column in section.columns:
            verdict = section.at(claim.id, column)
            assert (verdict.statement, verdict.tolerance) == (claim.statement, claim.tolerance)
            if verdict.checks:
                bounds = [(check.label, check.published, check.least, check.most) for check in verdict.checks]
                assert bounds == [(check.label, check.published, check.least, check.most) for check in claim.checks]
    needed = {title for claim in study.claims for title in claim.experiments}
    assert {each.name: each.seeds for each in section.experiments} == {
        title: tuple(experiment.seed_values) for title, experiment in study.experiments.items() if title in needed
    }


def test_every_engine_of_the_plan_has_its_part_of_the_study() -> None:
    part = claims_part("claypool2019")
    assert part.engines == ("linux", "linux:6.12", "sim")
    assert part.study_on("linux:6.12").variants == ("bbr",)
    assert part.study_on("sim").variants == ("bbr", "bbr_4_17")
    assert tuple(claim.id for claim in part.study_on("sim").claims) == part.claims


def test_the_plan_asks_for_what_the_design_does() -> None:
    (agreement,) = [part for part in plan().parts if isinstance(part, AgreementPart)]
    assert agreement.random >= 200
    assert agreement.seeds >= 5
    assert agreement.floor >= 3
    assert (agreement.candidate, agreement.reference) == ("sim", "linux")


def test_engines_stand_side_by_side(section: ClaimsSection) -> None:
    lines = told(section).splitlines()
    for line in (
        "| S7 | Four BBR flows at 80 Mbit/s with a queue of 0.5 BDP lose more than 10 % on average | ✗ | ✓ |",
        "| loss at 0.5 BDP (%) | 11 | 8 to 13 % | 13.4, n = 1 (3 seeds alike) ✗ | 11.0, n = 1 (3 seeds alike) ✓ |",
        "| **verdict** |  |  | ✗ not reproduced | ✓ reproduced |",
        "| BBR_Shallow's loss at 0.5 BDP (%) | 5.9 | 3 to 8 % | ○ | 5.90, n = 1 (3 seeds alike) ✓ |",
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


def test_claims_are_read_as_they_were_written(section: ClaimsSection) -> None:
    assert read_claims(written(section)) == section


def test_a_part_that_was_not_measured_is_named(section: ClaimsSection, tmp_path: Path) -> None:
    keep("claypool2019", written(section), tmp_path)
    (page,) = write(plan(), tmp_path)
    lines = page.read_text(encoding="utf-8").splitlines()
    assert "| agreement | not measured yet: `dumbbell study validation --only agreement` |" in lines
    assert "| claypool2019 | linux 6.12 `bbr`: 1 of 3 reproduced; not S7, S23. sim `bbr`: 3 of 3 reproduced |" in lines
    assert lines.count(f"## Claims of {section.short}") == 1


@pytest.mark.parametrize("name", ["agreement", "claypool2019"])
@pytest.mark.parametrize("text", ["{}", "no JSON", "[]", '{"schema": 9, "study": "x"}'])
def test_what_no_part_keeps(name: str, text: str, tmp_path: Path) -> None:
    keep(name, text, tmp_path)
    with pytest.raises(ValidationError, match=f"validation/{name}.json: is not what this version keeps: "):
        markdown(plan(), read(plan(), tmp_path))


@pytest.mark.parametrize(
    ("text", "told_of"),
    [
        ("parts = 1", "is no plan"),
        ("[[parts]]\nname = 'x'", "is no plan"),
        ("[[parts]]\nname = 'x'\nkind = 'curves'\nseed = 3", "is no plan"),
        ("[[parts", "is no plan"),
        (None, "cannot be read: No such file"),
    ],
)
def test_what_is_no_plan(text: str | None, told_of: str, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "plan.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ValidationError, match=told_of):
        plan(tmp_path / "plan.toml")


@pytest.mark.parametrize(
    ("asked", "told_of"),
    [
        (["--engine", "hosts"], "validation has no engine 'hosts'; known: linux, sim, linux:6.12\n"),
        (["--only", "curves", "--engine", "sim"], "curves is measured on linux and sim\n"),
        (
            ["--page", "--only", "curves"],
            "--only, --engine and --jobs are for what is measured; --page measures nothing\n",
        ),
        (["--only", "curve"], 'validation has no part "curve"; did you mean "curves"?\n'),
    ],
)
def test_what_the_page_has_not(asked: list[str], told_of: str, tmp_path: Path) -> None:
    done = dumbbell("study", "validation", *asked, "--out", tmp_path / "out", "--docs", tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", told_of)
    assert not list(tmp_path.glob("valid*"))


@pytest.fixture
def small(brief: Study, monkeypatch: pytest.MonkeyPatch) -> Plan:
    """Short runs of claims, of which `linux` has none, and two conditions with an engine that delivers nine tenths."""
    module = import_module("dumbbell.validation.claims")
    monkeypatch.setattr(module, "load", lambda *_, **__: brief)
    named = {"double": Scaled(0.9)}
    monkeypatch.setattr(
        import_module("dumbbell.engines.registry"), "engine", lambda name: named.get(name) or engine_named(name)
    )
    columns = tuple(Column(title=name, engine=name, variant="bbr") for name in ("linux", "sim"))
    claims = ClaimsPart(
        name="claypool2019", study="claypool2019", note=NOTE, columns=columns, claims=("S2", "S18"),
        figures=("figure9",),
    )  # fmt: skip
    agreement = AgreementPart(
        name="agreement", candidate="double", reference="sim", random=2, seed=1, seeds=2, floor=1, duration="5 s",
        most_packets=5000,
    )  # fmt: skip
    made = Plan((agreement, claims))
    monkeypatch.setattr(import_module("dumbbell.validation"), "plan", lambda _=None: made)
    return made


def carried_out(folder: Path, *, only: list[str] | None = None, page: bool = False) -> dict[str, bytes]:
    engine = ["sim"] if only == ["claypool2019"] else ["sim", "double"]
    command.validation(
        only=only, engine=None if page else engine, out=folder / "out", docs=folder / "docs", jobs=None if page else 2,
        plan=None, page=page,
    )  # fmt: skip
    return {str(path.relative_to(folder)): path.read_bytes() for path in (folder / "docs").rglob("*") if path.is_file()}


@pytest.mark.slow
def test_the_page_from_runs_to_words(small: Plan, tmp_path: Path) -> None:
    first = carried_out(tmp_path)
    assert set(first) == {
        "docs/validation.md", "docs/validation/agreement.json", "docs/validation/claypool2019.json",
        "docs/figures/agreement.png", "docs/figures/agreement_errors.png", "docs/figures/claypool2019-figure9.png",
    }  # fmt: skip
    section = read_claims(read(small, tmp_path / "docs")["claypool2019"])
    assert [column.engine for column in section.columns] == ["sim"]
    assert [column.engine for column in section.without] == ["linux"]
    assert [(each.claim, each.variant) for each in section.verdicts] == [("S2", "bbr"), ("S18", "bbr")]
    assert [(each.name, each.seeds) for each in section.experiments] == [("figure5", (1, 2)), ("figure9", (1, 2))]
    assert (section.origins[0].runs, section.origins[0].identity) == (4, SimEngine().identity())
    assert carried_out(tmp_path) == first
    page = first["docs/validation.md"].decode()
    assert page.index("## Agreement of `double` with `sim`") < page.index("## Claims of")
    assert "(figures/claypool2019-figure9.png)" in page


@pytest.mark.slow
def test_an_engine_with_half_of_its_runs_stops_no_other(
    small: Plan, brief: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does one that is not on this machine, or one whose runs are of an earlier build."""
    (part,) = small.only(["claypool2019"]).parts
    assert isinstance(part, ClaimsPart)
    names = ("half", "old", "absent", "sim")
    part = replace(part, columns=tuple(Column(title=name, engine=name, variant="bbr") for name in names))
    named: dict[str, Named] = {"half": Named("half"), "old": Named("old")}

    def engine(name: str) -> Named:
        if name not in named:
            raise KernelError(f"no kernel for {name}")
        return named[name]

    monkeypatch.setattr(import_module("dumbbell.validation.claims"), "engine_named", engine)
    with Store.open(tmp_path / "store", write=True) as store:
        studies.run(studies.only(brief, experiments=["figure9"], variants=["bbr"]), store, named["half"], 2)
        studies.run(part.study_on("old"), store, Aged("old"), 2)
        section = read_claims(part.measure(store, [SimEngine()], 2, lambda: None).kept)
        assert [column.engine for column in section.columns] == ["sim"]
        assert [column.engine for column in section.without] == ["half", "old", "absent"]
        assert {verdict.engine for verdict in section.verdicts} == {"sim"}
        section = read_claims(part.measure(store, [named["half"]], 2, lambda: None).kept)
        assert [column.engine for column in section.columns] == ["half"]


@pytest.mark.parametrize("option", [("--page",), ("--only", "theory", "--engine", "sim")], ids=" ".join)
def test_a_folder_that_cannot_be_written_is_told_before_anything_is_run(
    option: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    docs = tmp_path / "file" / "docs"
    done = dumbbell("study", "validation", *option, "--out", tmp_path / "out", "--docs", docs)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith("cannot be written: Not a directory\n")
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_what_is_kept_where_nothing_can_be(tmp_path: Path) -> None:
    (tmp_path / "validation").touch()
    with pytest.raises(ValidationError, match=r"theory\.json: cannot be written: "):
        keep("theory", "{}", tmp_path)
    write(plan(), tmp_path / "new" / "docs")
    assert (tmp_path / "new" / "docs" / "validation.md").is_file()


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_one_part_alone_leaves_the_others(tmp_path: Path) -> None:
    first = carried_out(tmp_path, only=["agreement"])
    assert "not measured yet: `dumbbell study validation --only claypool2019`" in first["docs/validation.md"].decode()
    second = carried_out(tmp_path, only=["claypool2019"])
    assert second["docs/validation/agreement.json"] == first["docs/validation/agreement.json"]
    assert "## Agreement of" in second["docs/validation.md"].decode()
    for path in ("validation.md", "figures"):
        gone = tmp_path / "docs" / path
        shutil.rmtree(gone) if gone.is_dir() else gone.unlink()
    assert carried_out(tmp_path, page=True) == second


@pytest.mark.slow
def test_an_agreement_is_kept_small_and_is_still_one(small: Plan, tmp_path: Path) -> None:
    (part,) = small.only(["agreement"]).parts
    with Store.open(tmp_path / "store", write=True) as store:
        found = part.measure(store, [SimEngine(), Scaled(0.9)], 2, lambda: None)
    assert found.failures == ()
    kept = Agreement.model_validate_json(found.kept)
    assert [condition.name for condition in kept.conditions] == ["random-1-1", "random-1-2"]
    lines = [line for line in found.kept.splitlines() if '"random-1-' in line and line.startswith('{"name"')]
    assert len(lines) == 2
    for condition in kept.conditions:
        assert condition.floor == ()
        assert len(condition.candidate) == len(condition.reference) == 2
        assert all(each.floor is not None for each in condition.differences)
        assert len(f"{condition.candidate[0].goodput_bps:.20g}".rstrip("0").rstrip(".")) <= 9
    # what the page shows: a line of 200 conditions with five seeds each is at most 1 MB
    assert max(map(len, lines)) < 5000


def test_curves_are_told_by_their_own_package() -> None:
    (part,) = [part for part in plan().parts if isinstance(part, CurvesPart)]
    with pytest.raises(ValueError, match="validation error"):
        part.told("{}")
    assert part.total([SimEngine(), Named("linux")]) == 5 * 21 + 10 * 21


class Named(SimEngine):
    """The simulator under another name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def identity(self) -> str:
        return self.name


class Aged(Named):
    """An earlier build of it."""

    def identity(self) -> str:
        return f"{self.name} as it was"
