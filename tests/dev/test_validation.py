"""The page about validation: made from the records beside it, and about today's plan."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agreed import Scaled, condition_of, result
from commandline import ROOT
from dev.__main__ import app
from dev.curves.record import Curves
from dev.hosts_agreement import PART as LIVE_HOSTS
from dev.strata import text as strata_text
from dev.strata.conditions import conditions
from dev.strata.studied import STUDIES
from dev.validation.claims import ClaimsRecord, Column, Origin, Ran
from dev.validation.page import markdown, pages, part_markdown, read, write
from dev.validation.plan import ClaimsPart, ComparisonPart, Plan, ValidationError, load_plan
from dev.validation.records import recorded_of, store_record
from dev.validation.section import Section
from dev.validation.uses import rows
from dumbbell import studies
from dumbbell.comparison.agreement import BANDS, judge
from dumbbell.comparison.record import Agreement, RunFailure, Side, Source
from dumbbell.comparison.strata import strata
from dumbbell.engines.registry import engine as engine_named
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import KernelError
from dumbbell.results.store import Store
from dumbbell.spec import expand, resolve
from dumbbell.studies import Study
from dumbbell.studies.evidence import Evidence
from dumbbell.studies.judgement import verdicts as verdicts_on

DOCS = ROOT / "docs"
COLUMNS = (
    Column(title="linux 6.12 `bbr`", engine="linux:6.12", variant="bbr"),
    Column(title="sim `bbr`", engine="sim", variant="bbr"),
)
NOTE = "`bbr` is today's BBR."
NOT_STORED = "is not what this version stores: "


@pytest.fixture
def record(claypool: Study, evidence: Callable[..., Evidence]) -> ClaimsRecord:
    """Two engines that measured what was published, one of them without BBR_Shallow and with more loss."""
    lossy = evidence({"0.5 bdp": 13.4})
    refused = {("figure11", "bbr"): "engine linux:6.12 cannot honour flows[0].cc: kernel 6.12 has no bbr_shallow"}
    study = studies.only(claypool, claims=["S5", "S7", "S23"], variants=["bbr"])
    verdicts = [
        *verdicts_on(study, replace(lossy, engine="linux:6.12", untestable=refused)),
        *verdicts_on(study, evidence()),
    ]
    return ClaimsRecord(
        study="claypool2019",
        short=claypool.manifest.short,
        note=NOTE,
        columns=COLUMNS,
        without=(Column(title="linux 6.1 `bbr`", engine="linux", variant="bbr"),),
        experiments=(Ran(name="figure7", seeds=(1, 2, 3)), Ran(name="figure11", seeds=(1, 4))),
        origins=(Origin(engine="sim", identity="ab" * 32, runs=12, facts={"kernel": "none | at all"}),),
        verdicts=tuple(verdicts),
    )


def claims_part(name: str) -> ClaimsPart:
    (selected,) = [part for part in load_plan().parts if part.name == name]
    assert isinstance(selected, ClaimsPart)
    return selected


def stored(name: str, docs: Path = DOCS) -> ClaimsRecord:
    return ClaimsRecord.model_validate_json((docs / "validation" / f"{name}.json").read_bytes())


@pytest.mark.slow
def test_the_pages_are_what_their_numbers_make_them() -> None:
    """Edit neither: `make validation`, or `python -m dev validation --page` where only the template has changed."""
    files = (DOCS / "validation.md", *(DOCS / "validation").glob("*.md"))
    written = {path.relative_to(DOCS).as_posix(): path.read_text(encoding="utf-8") for path in files}
    assert written == pages(read(load_plan(), DOCS))


def test_every_figure_of_the_pages_is_there() -> None:
    for page in (DOCS / "validation").glob("*.md"):
        for line in page.read_text(encoding="utf-8").splitlines():
            if line.startswith("!["):
                assert (page.parent / line.rpartition("(")[2].rstrip(")")).is_file(), line


def test_what_is_stored_belongs_to_a_part_and_is_small() -> None:
    files = sorted((DOCS / "validation").glob("*"))
    assert {path.stem for path in files} <= {part.name for part in load_plan().parts}
    assert sum(path.stat().st_size for path in files) <= 12_000_000


USES = ("who wins beside CUBIC", "goodput alone", "loss", "RTT", "completion", "advice")


@pytest.mark.parametrize("use", USES)
def test_a_reader_finds_how_far_each_use_can_be_trusted_and_who_checked(use: str) -> None:
    """In a line: a number with its unit, over how many, and whose measurements they are."""
    rows = [line.split(" | ") for line in (DOCS / "validation.md").read_text(encoding="utf-8").splitlines()]
    own = [row for row in rows if row[0] == f"| {use}"]
    assert own
    for _, what, typical, nine, linux, count, against, by in own:
        assert what
        assert re.fullmatch(r"(right in )?[\d.]+ (%|points)", typical)
        assert re.fullmatch(r"[\d.]+ (%|points)|-", nine)
        assert re.fullmatch(r"([\d.]+, |right in )[\d.]+ (%|points)|-", linux)
        assert re.fullmatch(r"[1-9]\d* (points|conditions|groups|intervals|questions)", count)
        assert (by == "their measurements |") is against.startswith("hosts of [")
        assert by in {"their measurements |", "this project alone |"}


def test_a_row_has_the_median_the_tail_what_linux_itself_does_and_how_many() -> None:
    reference, floor = ([result({"bbr": mbps}, seed=seed) for seed in (1, 2, 3)] for mbps in (50.0, 51.0))
    conditions = [
        condition_of([result({"bbr": 50 * (1 + error)})] * 3, reference, floor, name=f"hand-{index}")
        for index, error in enumerate(0.01 * step for step in range(1, 11))
    ]
    side = Side(engine="hand", identity="0" * 64, seeds=(1,), measured_on={})
    agreement = judge(conditions, Source(stratum="plain", seed=1), side, side, (4,))
    (row,) = (row for row in rows([Section("plain", "agreement", agreement)]) if row[0] == "goodput alone")
    assert row[2:] == ("5.50 %", "9.10 %", "2.00, 2.00 %", "10 conditions", "hand, 1 stratum", "this project alone")


def test_the_page_is_one_screen_and_names_what_each_part_was_measured_with() -> None:
    lines = (DOCS / "validation.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 150
    parts = lines[lines.index("## Parts") :]
    for part in load_plan().parts:
        (row,) = (line for line in parts if line.startswith((f"| {part.name} |", f"| [{part.name}]")))
        if "not measured yet" not in row and part.name != "phases":
            assert re.search(r"identity [0-9a-f]{12}", row)


@pytest.mark.parametrize("name", ["theory", "claypool2019"])
def test_the_page_is_about_todays_claims(name: str) -> None:
    part, section = claims_part(name), stored(name)
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


def test_every_engine_of_the_plan_has_its_part_of_a_study_and_of_curves() -> None:
    part = claims_part("claypool2019")
    assert part.engines == ("linux", "linux:6.12", "sim")
    assert part.study_on("linux:6.12").variants == ("bbr",)
    assert part.study_on("sim").variants == ("bbr", "bbr_4_17")
    assert tuple(claim.id for claim in part.study_on("sim").claims) == part.claims
    (curves,) = load_plan().only(["curves"]).parts
    assert curves.total([SimEngine(), Named("linux")]) == (5 * 11 + 10) * 21, "ten controls"


def test_the_plan_asks_for_what_the_design_does() -> None:
    others = {"regression", LIVE_HOSTS}
    strata_parts = [part for part in load_plan().parts if part.kind == "agreement" and part.name not in others]
    slow = {"live-series", "live-both-ways", "live-narrow-back"}
    assert {part.name for part in strata_parts} == {*strata(), STUDIES} | slow
    for part in strata_parts:
        assert isinstance(part, ComparisonPart)
        live = part.name == "live" or part.name in slow
        stratum = part.name.removeprefix("live-")
        newer = {"dualpi2": "linux:7.3", "bbr3": "linux:bbr3"}  # what 6.1 has not
        reference = newer.get(stratum.partition("_")[0], "linux")
        assert (part.stratum, part.candidate, part.reference) == (stratum, "netns" if live else "sim", reference)
        if live:  # each seed takes as long as it lasts
            assert (part.random, part.seeds, part.floor) == (1 if part.name in slow else 10, 3, 3)
            continue
        assert part.random >= 30
        assert part.floor == part.seeds >= 5


def test_slow_conditions_in_real_time_are_of_algorithms_that_every_kernel_has() -> None:
    parts = [part for part in load_plan().parts if part.name.startswith("live-") and part.name != LIVE_HOSTS]
    assert len(parts) == 3
    for part in parts:
        assert isinstance(part, ComparisonPart)
        (drawn,) = conditions(
            part.random, part.seed, part.stratum or "", duration=part.duration, most_packets=part.most_packets
        )
        (point,) = expand(drawn)
        run = resolve(point, 1).run
        assert 5e6 <= run.path.rate_bps <= 20.3e6
        assert len(run.path.queues) > 1
        assert not any(flow.parameters for flow in run.flows)


def test_engines_stand_side_by_side(record: ClaimsRecord) -> None:
    lines = part_markdown(Section("claypool2019", "claims", record)).splitlines()
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
    summary = "linux 6.12 `bbr`: 1 of 3 reproduced; sim `bbr`: 3 of 3 reproduced"
    assert f"| [claypool2019](validation/claypool2019.md) | {summary} |" in markdown(
        [Section("claypool2019", "claims", record)]
    )
    said = " ".join(" ".join(lines).split())
    assert "**S7, linux 6.12 `bbr`**, not reproduced: loss at 0.5 BDP is 13.4 %, not within 8 to 13 %." in said
    assert "**S23, linux 6.12 `bbr`**, not testable here: figure11: engine linux:6.12 cannot honour" in said
    assert "`figure7` 1 to 3; `figure11` 1, 4" in said


def test_a_bar_in_a_cell_is_no_border(record: ClaimsRecord) -> None:
    verdicts = tuple(
        replace(verdict, checks=tuple(replace(check, label=f"{check.label} | x") for check in verdict.checks))
        for verdict in record.verdicts
    )
    text = part_markdown(Section("claypool2019", "claims", record.model_copy(update={"verdicts": verdicts})))
    assert "\n| loss at 0.5 BDP \\| x (%) | 11 | 8 to 13 % | 13.4" in text


def test_an_agreement_has_every_band_the_worst_what_failed_and_the_command() -> None:
    (part,) = load_plan().only(["regression"]).parts
    agreement = recorded_of(part, DOCS)
    assert isinstance(agreement, Agreement)
    first = agreement.conditions[0].model_copy(update={"failures": (RunFailure(engine="sim", seed=1, error="a bug"),)})
    changed = agreement.model_copy(update={"conditions": (first, *agreement.conditions[1:])})
    text = part_markdown(Section(part.name, part.kind, changed))
    for metric, band in BANDS.items():
        assert (f"| {band.label} ({band.unit}) |" in text) is (metric in {each.metric for each in agreement.bands})
    assert all(f"| {each.condition} | " in text for each in agreement.worst)
    assert f"## Not compared\n\n- {first.name}: sim, seed 1: a bug\n\nEngines: sim, identity" in text
    assert f"$ {strata_text.command(agreement)}\n" in text
    assert "![" not in text


def test_limits_that_curves_break_are_listed_and_bold() -> None:
    curves = Curves.model_validate_json((DOCS / "validation" / "curves.json").read_bytes())
    first = curves.cases[0]
    broken = first.comparisons[0].model_copy(update={"difference": -0.104, "holds": False})
    case = first.model_copy(update={"comparisons": (broken, *first.comparisons[1:])})
    text = part_markdown(Section("curves", "curves", curves.model_copy(update={"cases": (case, *curves.cases[1:])})))
    assert "| **10.4 % (" in text
    assert "## Beyond the limit" in text
    assert "| reno | 10.0 Mbit/s, 40 ms, 1 BDP | cwnd curve, largest difference | - | - | -10.4 % | 5.00 % |" in text
    for block in text.split("\n\n"):
        if block.startswith("| "):
            assert len({len(re.findall(r"(?<!\\)\|", row)) for row in block.splitlines()}) == 1
    nothing = part_markdown(Section("curves", "curves", curves.model_copy(update={"cases": ()})))
    assert "Nothing was compared." in nothing


def test_a_part_that_was_not_measured_is_named(record: ClaimsRecord, tmp_path: Path) -> None:
    store_record("claypool2019", record, tmp_path)
    assert stored("claypool2019", tmp_path) == record
    front, page = write(load_plan(), tmp_path)
    assert "| plain | not measured yet: `make validation STRATUM=plain` | - |" in front.read_text(encoding="utf-8")
    assert page.read_text(encoding="utf-8").startswith(f"# Claims of {record.short}\n")


@pytest.mark.parametrize("name", ["plain", "checks", "curves", "mutants", "claypool2019"])
@pytest.mark.parametrize("text", ["{}", "no JSON", "[]", '{"schema": 9, "study": "x"}'])
def test_what_no_part_stores(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "validation").mkdir()
    (tmp_path / "validation" / f"{name}.json").write_text(text, encoding="utf-8")
    with pytest.raises(ValidationError, match=f"validation/{name}.json: {NOT_STORED}"):
        read(load_plan(), tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("parts = 1", "is no plan"),
        ("[[parts]]\nname = 'x'", "is no plan"),
        ("[[parts]]\nname = 'x'\nkind = 'curves'\nseeds = 3", "is no plan"),
        ("[[parts", "is no plan"),
        (None, "no such file; give the path of a TOML file"),
    ],
)
def test_what_is_no_plan(text: str | None, message: str, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "plan.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ValidationError, match=message):
        load_plan(tmp_path / "plan.toml")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--engine", "hosts"],
            "validation has no engine 'hosts'; known: linux, sim, linux:7.3, linux:bbr3, netns, linux:6.12",
        ),
        (
            ["--only", "curves", "--engine", "sim"],
            "curves is measured on linux, too: no record has its runs of 21 conditions",
        ),
        (
            ["--only", "checks", "--engine", "sim"],
            "checks is measured on linux, too: no record has its runs of 8 checks",
        ),
        (["--only", "fq", "--engine", "linux"], "fq is measured on sim"),
        (
            ["--page", "--only", "curves"],
            "--page, --set-bands and --set-deviations measure nothing: give one alone, or --set-bands with --only",
        ),
        (["--only", "curve"], 'validation has no part "curve"; did you mean "curves"?'),
    ],
)
def test_what_the_page_has_not(options: list[str], message: str, tmp_path: Path) -> None:
    if "linux" in options:
        try:
            engine_named("linux")
        except KernelError as error:
            pytest.skip(f"told first: {error}")
    done = CliRunner().invoke(app, ["validation", *options, *folders(tmp_path)])
    assert str(done.exception) == message
    assert done.stdout == ""
    assert not list((tmp_path / "docs").glob("valid*"))


@pytest.mark.parametrize("options", [["--page"], ["--only", "theory", "--engine", "sim"]], ids=" ".join)
def test_a_folder_that_cannot_be_written_is_named_before_anything_is_run(options: list[str], tmp_path: Path) -> None:
    (tmp_path / "docs").touch()
    done = CliRunner().invoke(app, ["validation", *options, *folders(tmp_path)])
    assert str(done.exception) == f"{tmp_path / 'docs'}: cannot be written: File exists"
    assert not (tmp_path / "out").exists()


def test_a_record_that_cannot_be_stored(record: ClaimsRecord, tmp_path: Path) -> None:
    (tmp_path / "validation").touch()
    with pytest.raises(ValidationError, match=r"theory\.json: cannot be written: "):
        store_record("theory", record, tmp_path)
    write(load_plan(), tmp_path / "new" / "docs")
    assert (tmp_path / "new" / "docs" / "validation.md").is_file()


@pytest.fixture
def small(brief: Study, monkeypatch: pytest.MonkeyPatch) -> Plan:
    """Short runs of claims, of which `linux` has none, and two conditions with an engine that delivers nine tenths."""
    monkeypatch.setattr(import_module("dev.validation.plan"), "load", lambda *_, **__: brief)
    named = {"double": Scaled(0.9)}
    monkeypatch.setattr(
        import_module("dumbbell.engines.registry"), "engine", lambda name: named.get(name) or engine_named(name)
    )
    columns = tuple(Column(title=name, engine=name, variant="bbr") for name in ("linux", "sim"))
    claims = ClaimsPart(
        name="claypool2019", study="claypool2019", note=NOTE, columns=columns, claims=("S2", "S18"),
        figures=("figure9",),
    )  # fmt: skip
    agreement = ComparisonPart(
        name="agreement", kind="agreement", candidate="double", reference="sim", random=2, seed=1, seeds=2, floor=1,
        duration="5 s", most_packets=5000,
    )  # fmt: skip
    plan = Plan(parts=(agreement, claims))
    monkeypatch.setattr(import_module("dev.validation.command"), "load_plan", lambda _: plan)
    return plan


def folders(folder: Path) -> list[str]:
    return ["--out", str(folder / "out"), "--docs", str(folder / "docs")]


def run_validation(folder: Path, *options: str) -> dict[str, bytes]:
    done = CliRunner().invoke(app, ["validation", *options, *folders(folder)])
    assert done.exit_code == 0, done.output
    return {str(path.relative_to(folder)): path.read_bytes() for path in (folder / "docs").rglob("*") if path.is_file()}


BOTH = ("--engine", "sim", "--engine", "double", "--jobs", "2")


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_what_a_measurement_wrote_is_one_json_object(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["validation", "--only", "agreement", *BOTH, "--json", *folders(tmp_path)])
    files = json.loads(done.stdout)["files"]
    assert sorted(files) == sorted(str(path) for path in (tmp_path / "docs").rglob("*") if path.is_file())


@pytest.mark.long
@pytest.mark.slow
def test_the_page_from_runs_to_words_part_by_part(small: Plan, tmp_path: Path) -> None:
    first = run_validation(tmp_path, "--only", "agreement", *BOTH)
    assert "not measured yet: `make validation STRATUM=claypool2019`" in first["docs/validation.md"].decode()
    second = run_validation(tmp_path, "--only", "claypool2019", "--engine", "sim", "--jobs", "2")
    assert second["docs/validation/agreement.json"] == first["docs/validation/agreement.json"]
    assert set(second) == {
        "docs/validation.md", "docs/validation/agreement.json", "docs/validation/claypool2019.json",
        "docs/validation/agreement.md", "docs/validation/claypool2019.md",
        "docs/figures/agreement.svg", "docs/figures/agreement_errors.svg", "docs/figures/claypool2019-figure9.svg",
    }  # fmt: skip
    page = second["docs/validation.md"].decode()
    assert page.index("[agreement](validation/agreement.md)") < page.index("[claypool2019](validation/claypool2019.md)")
    assert second["docs/validation/agreement.md"].startswith(b"# Plain path (agreement)\n")
    assert b"(../figures/claypool2019-figure9.svg)" in second["docs/validation/claypool2019.md"]
    for path in ("validation.md", "figures"):
        gone = tmp_path / "docs" / path
        shutil.rmtree(gone) if gone.is_dir() else gone.unlink()
    assert run_validation(tmp_path, "--page") == second
    assert run_validation(tmp_path, *BOTH) == second

    record = stored("claypool2019", tmp_path / "docs")
    assert [column.engine for column in record.columns] == ["sim"]
    assert [column.engine for column in record.without] == ["linux"]
    assert [(each.claim, each.variant) for each in record.verdicts] == [("S2", "bbr"), ("S18", "bbr")]
    assert [(each.name, each.seeds) for each in record.experiments] == [("figure5", (1, 2)), ("figure9", (1, 2))]
    assert (record.origins[0].runs, record.origins[0].identity) == (4, SimEngine().identity())

    agreement = recorded_of(small.parts[0], tmp_path / "docs")
    assert isinstance(agreement, Agreement)
    assert [condition.name for condition in agreement.conditions] == ["random-1-1", "random-1-2"]
    for condition in agreement.conditions:
        assert [run.seed for run in condition.floor] == [3]
        assert len(condition.candidate) == len(condition.reference) == 2
        assert all(each.floor is not None for each in condition.differences)
    lines = [line for line in second["docs/validation/agreement.json"].splitlines() if line.startswith(b'{"name"')]
    assert len(lines) == 2
    assert max(map(len, lines)) < 5000  # of 200 conditions with five seeds each: at most 1 MB


@pytest.mark.slow
def test_an_engine_with_half_of_its_runs_stops_no_other(
    small: Plan, brief: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does one that is not on this machine, or one whose runs are of an earlier build."""
    (part,) = small.only(["claypool2019"]).parts
    assert isinstance(part, ClaimsPart)
    names = ("half", "old", "absent", "sim")
    columns = tuple(Column(title=name, engine=name, variant="bbr") for name in names)
    part = part.model_copy(update={"columns": columns})
    named: dict[str, Named] = {"half": Named("half"), "old": Named("old")}

    def engine(name: str) -> Named:
        if name not in named:
            raise KernelError(f"no kernel for {name}")
        return named[name]

    monkeypatch.setattr(import_module("dev.validation.claims"), "engine_named", engine)
    with Store.open(tmp_path / "store", write=True) as store:
        studies.run(studies.only(brief, experiments=["figure9"], variants=["bbr"]), store, named["half"], 2)
        studies.run(part.study_on("old"), store, Aged("old"), 2)
        record, _ = part.measure(store, [SimEngine()], 2, lambda: None)
        assert isinstance(record, ClaimsRecord)
        assert [column.engine for column in record.columns] == ["sim"]
        assert [column.engine for column in record.without] == ["half", "old", "absent"]
        assert {verdict.engine for verdict in record.verdicts} == {"sim"}
        record, _ = part.measure(store, [named["half"]], 2, lambda: None)
        assert isinstance(record, ClaimsRecord)
        assert [column.engine for column in record.columns] == ["half"]


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
