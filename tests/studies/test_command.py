"""`dumbbell study` as a user has it: a part of a study is run, then all is asked that can be asked of what it left."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from commandline import ROOT, dumbbell
from dumbbell import studies
from dumbbell.cli.study import verdicts
from dumbbell.results.store import Store
from dumbbell.studies import Study
from dumbbell.studies.loading import load, read
from webpage import Webpage

pytestmark = pytest.mark.slow

PART = ("--experiments", "figure4b,figure7,figure10", "--seeds", "2")
JUDGED = {"S1", "S7", "S8", "S9", "S13", "S14", "S15", "S17", "S18", "S19", "S20", "S21", "S22"}
"""What its runs can tell."""
KEYS = [
    "study", "claim", "section", "statement", "engine", "variant", "verdict", "label", "value", "low", "high", "n",
    "published", "tolerance", "unit", "flag", "reason", "source", "checks", "flips", "versions", "seeds", "binding",
    "why_weak", "hypothesis", "kind", "interval",
]  # fmt: skip
"""Of a verdict as JSON."""


@pytest.fixture(autouse=True)
def _brief(short: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The study's runs are over in a moment, but for the demo's."""
    if "demo" not in request.fixturenames:
        monkeypatch.setattr(studies, "load", shortened(short))


def shortened(short: Path) -> object:
    def loaded(name: str, *, seeds: int | None = None, **_: object) -> Study:
        return read(short, seeds=seeds) if name == "claypool2019" else load(name, seeds=seeds)

    return loaded


@pytest.fixture(scope="module")
def stored_run(short: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, CompletedProcess[str]]:
    folder = tmp_path_factory.mktemp("study")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(studies, "load", shortened(short))
        done = dumbbell("study", "run", "claypool2019", *PART, "--out", folder, "--json")
    assert done.returncode == 0, done.stderr
    return folder, done


@pytest.fixture
def out(stored_run: tuple[Path, CompletedProcess[str]]) -> Path:
    return stored_run[0]


@pytest.fixture
def first(stored_run: tuple[Path, CompletedProcess[str]]) -> set[str]:
    """The lines that the run printed."""
    return set(stored_run[1].stdout.splitlines())


def said(text: str) -> str:
    """Without line ends, and without Markdown's signs for code."""
    return " ".join(text.split())


def claims(out: Path, *options: str, **environment: str) -> CompletedProcess[str]:
    return dumbbell("study", "claims", "claypool2019", "--out", out, *options, **environment)


@pytest.mark.long
def test_every_claim_is_judged_for_both_versions_and_every_figure_drawn_for_print(out: Path, first: set[str]) -> None:
    rows = [json.loads(line) for line in first]
    assert {(each["claim"], each["variant"]) for each in rows} == {
        (claim, variant) for claim in JUDGED for variant in ("bbr", "bbr_4_17")
    }
    for each in rows:
        assert list(each) == KEYS
        assert (each["study"], each["engine"], each["seeds"]) == ("claypool2019", "sim", 2)
        assert each["interval"] == (None if each["low"] is None else [each["low"], each["high"]])
        assert each["verdict"] in {"reproduced", "not reproduced", "undecided"}
        assert all(each[key] for key in ("section", "statement", "tolerance", "flag", "source", "reason", "label"))
        assert {check["seeds"] for check in each["checks"]} == {2}
    assert (out / "store" / "ledger.sqlite").is_file()
    assert (out / "report.html").is_file()
    names = ("figure4b", "figure7", "figure8", "figure9", "figure10")
    figures = [f"{name}.{kind}" for name in names for kind in ("png", "svg", "pdf", "csv")]
    assert sorted(path.name for path in (out / "figures" / "sim").iterdir()) == sorted(
        [*figures, "cycle.md", "cycle.csv"]
    )


@pytest.mark.long
def test_claims_are_judged_again_without_running(out: Path, first: set[str]) -> None:
    done = claims(out, "--json")
    assert done.returncode == 0
    by_claim = {(each["claim"], each["variant"]): each for each in map(json.loads, done.stdout.splitlines())}
    assert {claim for (claim, _), each in by_claim.items() if each["verdict"] != "not run yet"} == JUDGED
    assert by_claim["S2", "bbr"]["reason"] == "figure5: 0 of 5 runs are there"
    assert ("S5", "cubic") in by_claim, "it contains no version"
    assert first <= set(done.stdout.splitlines())
    assert f"`dumbbell study run claypool2019 --out {out.as_posix()}` makes them." in said(done.stderr)
    one = claims(out, "--json", "--claims", "S7", "--variants", "bbr")
    assert (one.returncode, one.stderr) == (0, "")
    (verdict,) = map(json.loads, one.stdout.splitlines())
    assert (verdict["claim"], verdict["variant"], verdict["engine"]) == ("S7", "bbr", "sim")


@pytest.mark.long
def test_each_claim_stands_with_its_statement(out: Path) -> None:
    done = claims(out, "--why", COLUMNS="132")
    lines = done.stdout.splitlines()
    assert 100 < max(map(len, lines)) <= 132
    place = lines.index("S7  Four BBR flows at 80 Mbit/s with a queue of 0.5 BDP lose more than 10 % on average")
    assert lines[place + 1].split()[0] == "bbr"
    assert lines[place + 1].endswith("; published 11 %; tolerated 8 to 13 %")
    assert "\x1b" not in done.stdout


@pytest.mark.long
@pytest.mark.parametrize("columns", [40, 99, 160])
def test_verdicts_fit_a_terminal_of_any_width(columns: int, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "columns", lambda: columns)
    for done in (claims(out), claims(out, "--why")):
        assert max(map(len, done.stdout.splitlines())) <= columns
        assert done.stdout.count("reproduced") + done.stdout.count("undecided") >= 20


@pytest.mark.long
def test_a_claim_has_a_line_with_the_verdict_on_each_version(out: Path) -> None:
    done = claims(out)
    header, *lines = done.stdout.split("\n\n")[0].splitlines()
    assert header.split()[:3] == ["claim", "bbr", "bbr_4_17"]
    assert [line.split()[0] for line in lines] == sorted(
        {line.split()[0] for line in lines}, key=lambda each: int(each[1:])
    )
    assert all(len(line) <= 80 for line in lines)
    assert "--why" in done.stderr


@pytest.mark.long
def test_claims_that_were_not_carried_out(out: Path) -> None:
    done = claims(out, "--claims", "S2")
    command = f"dumbbell study run claypool2019 --claims S2 --out {out.as_posix()}"
    assert (done.returncode, said(done.stdout)) == (0, f"On sim S2 waits for runs: `{command}` makes them.")
    unknown = claims(out, "--claims", "S2,S99")
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert 'there is no claim "S99"' in unknown.stderr


@pytest.mark.long
def test_more_seeds_than_are_there(out: Path, tmp_path: Path) -> None:
    done = claims(out, "--seeds", "6")
    assert "; 2 seeds." in done.stdout
    assert f"`dumbbell study run claypool2019 --seeds 6 --out {out.as_posix()}`" in said(done.stdout)
    drawn = dumbbell("study", "figures", "claypool2019", "--out", out, "--numbers", "figure5")
    assert (drawn.returncode, drawn.stdout) == (2, "")
    assert drawn.stderr.startswith('no figure "figure5" of the runs on sim; known: figure4b, figure7,')
    page = tmp_path / "report.html"
    assert dumbbell("study", "report", "claypool2019", "--out", out, "--seeds", "6", "--html", page).returncode == 0
    assert "Figure 5" not in Webpage(page.read_text(encoding="utf-8")).said.partition("Readings")[0]


@pytest.mark.long
def test_nothing_is_run_twice_figures_have_the_same_bytes_and_strict_exits_with_1(out: Path) -> None:
    ledger = (out / "store" / "ledger.sqlite").stat().st_size
    before = {path.name: path.read_bytes() for path in (out / "figures" / "sim").iterdir()}
    done = dumbbell("study", "run", "claypool2019", *PART, "--out", out, "--strict")
    assert done.returncode == 1
    assert "not reproduced" in done.stdout
    assert (out / "store" / "ledger.sqlite").stat().st_size == ledger
    assert {path.name: path.read_bytes() for path in (out / "figures" / "sim").iterdir()} == before


@pytest.mark.long
def test_the_other_claims_come_beside_the_first(out: Path, first: set[str], tmp_path: Path) -> None:
    """Runs of two calls in one store; the claims of both are judged afterwards."""
    shutil.copytree(out / "store", tmp_path / "store")
    chosen = ("--claims", "S2,S5,S17", "--seeds", "2")
    done = dumbbell("study", "run", "claypool2019", *chosen, "--out", tmp_path, "--json")
    assert [json.loads(line)["claim"] for line in done.stdout.splitlines()] == ["S2", "S2", "S5", "S17", "S17"]
    assert sorted(path.name for path in (tmp_path / "figures" / "sim").glob("*.png")) == ["figure5.png", "figure9.png"]
    both = claims(tmp_path, "--json")
    judged = {line for line in both.stdout.splitlines() if json.loads(line)["verdict"] != "not run yet"}
    printed = {*first, *done.stdout.splitlines()}
    assert printed <= judged
    assert {json.loads(line)["claim"] for line in judged - printed} == {"S3", "S6", "S12"}


@pytest.mark.long
def test_all_studies_where_one_has_runs(out: Path, first: set[str], tmp_path: Path) -> None:
    shutil.copytree(out / "store", tmp_path / "claypool2019" / "store")
    done = dumbbell("study", "claims", "all", "--out", tmp_path, "--json")
    assert done.returncode == 0, done.stderr
    assert first <= set(done.stdout.splitlines())
    others = [name for name in studies.names() if name != "claypool2019"]
    for name in others:
        assert f"{name}: {(tmp_path / name / 'store')}: no such store" in done.stderr
    lines = dumbbell("study", "claims", "all", "--out", tmp_path).stdout.splitlines()
    assert [line.split()[2] for line in lines if line.startswith("claypool2019  sim")] == ["bbr", "bbr_4_17", "any"]
    figures = dumbbell("study", "figures", "all", "--out", tmp_path)
    assert len(figures.stdout.splitlines()) == 22, "figures 8 and 9 show runs of figure 10, and so does the table"
    report = dumbbell("study", "report", "all", "--out", tmp_path)
    assert (report.returncode, report.stdout) == (0, f"{tmp_path / 'report' / 'index.html'}\n")
    pages = {"index.html", "claypool2019.html", "vega.min.js"}
    assert {path.name for path in (tmp_path / "report").iterdir()} == pages
    index = Webpage((tmp_path / "report" / "index.html").read_text(encoding="utf-8")).said
    for name in others:
        assert f"This makes them: dumbbell study run {name}" in index


NEEDS_ONE = "--claims and --experiments need one study: name it instead of all\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("claims", "all"), "no study has runs there; `dumbbell study run all --out {out}` makes them\n"),
        (("run", "all", "--claims", "S7"), NEEDS_ONE),
        (("run", "all", "--experiments", "figure7"), NEEDS_ONE),
        (
            ("figures", "claypool2019"),
            "{out}/store: no such store; `dumbbell study run claypool2019 --out {out}` makes it\n",
        ),
        (("figures", "all", "--numbers", "figure7"), "--numbers needs one study: name it instead of all\n"),
        *[
            ((command, "claypol2019"), 'unknown study "claypol2019"; did you mean "claypool2019"?\n')
            for command in ("run", "claims", "figures", "report")
        ],
    ],
    ids=lambda each: " ".join(each) if isinstance(each, tuple) else "",
)
def test_what_cannot_be_done_is_said_in_one_line(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    done = dumbbell("study", *arguments, "--out", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith(message.format(out=tmp_path))
    assert not list(tmp_path.iterdir())


@pytest.mark.long
def test_a_store_without_any_of_its_runs_and_engines_that_there_are_not(out: Path, tmp_path: Path) -> None:
    with Store.open(tmp_path / "store", write=True):
        pass
    done = claims(tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    command = f"dumbbell study run claypool2019 --out {tmp_path.as_posix()}"
    assert done.stderr == f"{tmp_path / 'store'}: has no runs of claypool2019 on sim; `{command}` makes them\n"
    other = claims(out, "--engine", "linux:nowhere")
    assert (other.returncode, other.stdout) == (2, "")
    assert "nowhere" in other.stderr
    unknown = dumbbell("study", "run", "claypool2019", "--engine", "simm", "--out", tmp_path)
    assert unknown.returncode == 2
    assert "simm" in unknown.stderr


def test_list_and_show() -> None:
    listed = dumbbell("study", "list", COLUMNS="200")
    assert listed.returncode == 0
    rows = {line.split()[0]: line.split()[1:4] for line in listed.stdout.splitlines()[1:]}
    assert set(rows) == set(studies.names())
    assert rows["claypool2019"] == ["2405", "24", "16"]
    shown = dumbbell("study", "show", "claypool2019", COLUMNS="200")
    assert shown.returncode == 0
    for phrase in ("Raspberry Pi", "figure7 (90 runs)", "S22", "Tolerated: 8 to 13 %"):
        assert phrase in shown.stdout
    assert 'did you mean "claypool2019"' in dumbbell("study", "show", "claypol2019").stderr


DEMO = ("--experiments", "figure4b,figure7,figure10", "--seeds", "3")
"""As `make demo` has it."""
REPRODUCED = {("S1", "bbr"), ("S13", "bbr"), ("S13", "bbr_4_17"), ("S15", "bbr"), ("S15", "bbr_4_17")}
"""Claims whose verdict does not hang on the seeds."""
BROKEN = {("S8", "bbr_4_17"), ("S9", "bbr")}


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    assert dumbbell("study", "run", "claypool2019", *DEMO, "--out", tmp_path).returncode == 0
    return tmp_path


@pytest.mark.long(takes_s=120)
def test_after_the_demo_each_command_of_the_readme_has_the_same_totals(demo: Path) -> None:
    makefile, readme = ((ROOT / name).read_text(encoding="utf-8") for name in ("Makefile", "README.md"))
    assert f"study run claypool2019 {' '.join(DEMO)} --out out/claypool2019" in makefile
    text, table = claims(demo).stdout, claims(demo, "--totals").stdout
    (counts,) = json.loads(claims(demo, "--totals", "--json").stdout)["studies"]
    verdicts = [json.loads(line) for line in claims(demo, "--json").stdout.splitlines()]
    reproduced = {(each["claim"], each["variant"]) for each in verdicts if each["verdict"] == "reproduced"}
    assert reproduced >= REPRODUCED
    assert not reproduced & BROKEN
    versions = {version: (each["reproduced"], each["judged"]) for version, each in counts["versions"].items()}
    totals = "bbr reproduces {} of {} claims, bbr_4_17 {} of {}".format(*versions["bbr"], *versions["bbr_4_17"])
    page = Webpage((demo / "report.html").read_text(encoding="utf-8")).said
    for each in (said(text), page, said(readme.replace("`", ""))):
        assert totals in each
    assert f"{counts['runs']} runs" in readme
    assert f"Made from {counts['runs']} runs of" in page
    assert counts["seeds"] == [3, 3]
    for each in (text, table, page):
        assert "not run yet" not in each
        assert "missing" not in each
    for version, (holding, judged) in versions.items():
        (row,) = [line for line in table.splitlines() if line.split()[:3] == ["claypool2019", "sim", version]]
        assert row.split()[4:6] == [str(holding), str(judged - holding)]
