"""`dumbbell report`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from commandline import MOMENT, dumbbell
from dumbbell import run
from dumbbell.experiment.charts.gallery import charts
from dumbbell.experiment.points import read
from dumbbell.results.store import Store
from dumbbell.spec import load
from webpage import Webpage


def test_a_store_becomes_a_file(moment_folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "new" / "report.html"
    done = dumbbell("report", moment_folder, "--out", target)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", f"{target}\n")
    said = Webpage(target.read_text(encoding="utf-8")).said
    assert re.search(r"experiment \w+ takes [0-9.]+ ± [0-9.]+ % of the goodput", said), "its name, and then the answer"
    assert "4 runs, 2 points, 2 seeds, engine sim" in said


@pytest.mark.long
@pytest.mark.slow
def test_every_figure_of_a_store_becomes_files_of_the_same_names(moment_folder: Path, tmp_path: Path) -> None:
    done = dumbbell("report", moment_folder, "--figures", tmp_path / "figures")
    assert (done.returncode, done.stderr) == (0, "")
    written = {path.name for path in (tmp_path / "figures").iterdir()}
    assert {str(tmp_path / "figures" / name) for name in written} == set(done.stdout.splitlines())
    names = {"throughput-delay", "shares", "costs", "rtt-distribution", "series", "series-1", "series-2", "state"}
    assert written == {f"{name}.{suffix}" for name in names for suffix in ("png", "svg", "pdf", "csv")}
    header, *rows = (tmp_path / "figures" / "shares.csv").read_text(encoding="utf-8").splitlines()
    assert header == "panel,x_axis,y_axis,series,point,x,x_low,x_high,y,y_low,y_high"
    assert len(rows) == 4


@pytest.mark.slow
def test_figures_of_a_paper_have_the_shape_and_the_width_that_are_given(moment_folder: Path, tmp_path: Path) -> None:
    done = dumbbell("report", moment_folder, "--figures", tmp_path, "--only", "scatter", "--width", "84mm")
    assert (done.returncode, done.stderr) == (0, "")
    assert {path.stem for path in tmp_path.iterdir()} == {"throughput-delay"}
    width = re.search(r'width="([0-9.]+)pt"', (tmp_path / "throughput-delay.svg").read_text(encoding="utf-8"))
    assert width is not None
    assert float(width[1]) == pytest.approx(8.4 / 2.54 * 72, abs=1)
    with Store.open(moment_folder) as opened:
        shapes = {chart.name: chart.shape for (runs,) in [read(opened)] for chart in charts(opened, runs)}
    assert shapes == {
        "throughput-delay": "scatter", "shares": "sweep", "costs": "sweep", "rtt-distribution": "distribution",
        **dict.fromkeys(("series", "series-1", "series-2", "state"), "time"),
    }  # fmt: skip


def test_a_shape_that_no_figure_has_is_one_message(tmp_path: Path) -> None:
    brief = load(MOMENT, overrides={"measure.record": "summary", "seeds": 1})
    run(brief, store=tmp_path / "runs")
    done = dumbbell("report", tmp_path / "runs", "--figures", tmp_path / "none", "--only", "time")
    assert (done.returncode, done.stdout) == (2, "")
    assert "there is no figure of shape time" in done.stderr


def test_one_of_several_experiments_is_chosen_by_its_name(moment_folder: Path, tmp_path: Path) -> None:
    done = dumbbell("report", moment_folder, "--experiment", "experimant", "--out", tmp_path / "report.html")
    assert (done.returncode, done.stdout) == (2, "")
    assert 'did you mean "experiment"?' in done.stderr
    done = dumbbell("report", moment_folder, "--experiment", "experiment", "--out", tmp_path / "report.html")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_a_study_without_its_runs_is_reported_with_how_to_make_them(moment_folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    done = dumbbell("report", moment_folder, "--study", "claypool2019", "--seeds", "1", "--out", target)
    assert (done.returncode, done.stderr) == (0, "")
    said = Webpage(target.read_text(encoding="utf-8")).said
    assert "There are no runs yet." in said
    assert "On sim 24 of the study's 24 claims wait for runs" in said
    comment = "# with --out FOLDER, where FOLDER/store is this store"
    run, report = (f"dumbbell study {command} claypool2019 --seeds 1 {comment}" for command in ("run", "report"))
    assert f"{run} {report}" in said


def test_what_is_no_store_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "letter.txt").write_text("Dear", encoding="utf-8")
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "ledger.sqlite").write_bytes(b"no database at all" * 1000)
    for name, message, status in (
        ("nowhere", "no such store", 2),
        ("foreign", "is no store", 2),
        ("damaged", "is damaged", 1),
    ):
        done = dumbbell("report", tmp_path / name, "--out", tmp_path / "report.html")
        assert (done.returncode, done.stdout) == (status, "")
        assert message in done.stderr
        assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "report.html").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--study claypool2018", "claypool2019"),
        ("--engine sim", "--seeds and --engine are of a study; name it with --study\n"),
        ("--study theory --figures figures", "`dumbbell study figures` draws a study's"),
        ("--seeds 2", "--seeds and --engine are of a study; name it with --study\n"),
        ("--only sweep", "--only and --width are of figures; name their folder with --figures\n"),
        ("--figures figures --only swep", '--only: no shape "swep"; did you mean "sweep"?\n'),
        ("--figures figures --width 3.3", '--width: "3.3" is no length from 1in to 20in; write 3.3in, 84mm or 8.4cm\n'),
        ("--figures figures --width 30in", '"30in" is no length from 1in to 20in'),
    ],
)
def test_bad_options(options: str, message: str, moment_folder: Path, tmp_path: Path) -> None:
    done = dumbbell("report", moment_folder, *options.split(), "--out", tmp_path / "report.html")
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_place_that_cannot_be_written_is_a_failure(moment_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    done = dumbbell("report", moment_folder, "--out", tmp_path / "file" / "report.html")
    assert (done.returncode, done.stdout) == (1, "")
    assert "cannot write the report" in done.stderr
