"""What `dumbbell study` says where it cannot write, and of engines that do not exist; a study made by hand is asked."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from commandline import MOMENT, dumbbell
from dumbbell import studies
from dumbbell.charts.chart import Axis, Chart, Layer, Panel
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import EngineFailure
from dumbbell.spec import Run, load
from dumbbell.spec.queue import Room
from dumbbell.studies import Display
from reported import study_of
from webpage import Webpage

pytestmark = pytest.mark.slow

PANEL = Panel(x=Axis(label="x"), y=Axis(label="y"), layers=(Layer(label="sim", style="bbr", x=(1.0,), y=(2.0,)),))
CHART = Chart(name="figure1", title="Figure 1", caption="", panels=(PANEL,))
FIGURE: Display[Chart] = Display(name="figure1", experiments=("moment",), draw=lambda _, __: CHART)


@pytest.fixture(autouse=True)
def _one_study(monkeypatch: pytest.MonkeyPatch) -> None:
    experiments = {"moment": load(MOMENT), "other": load(MOMENT, overrides={"path.mtu": 1400})}
    only_study = replace(study_of(MOMENT), variants=("bbr",), figures=(FIGURE,), experiments=experiments)
    monkeypatch.setattr(studies, "load", lambda *_, **__: only_study)
    monkeypatch.setattr(studies, "only", lambda study, **_: study)
    monkeypatch.setattr(studies, "names", lambda: ("hand",))


def test_runs_that_failed_are_told_though_nothing_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measure = SimEngine.measure

    def failing(engine: SimEngine, run: Run) -> Measurement:
        if (run.seed, run.path.mtu_bytes, run.path.buffer) == (2, 1400, Room(bytes=25_000)):
            raise EngineFailure("a bug")
        return measure(engine, run)

    monkeypatch.setattr(SimEngine, "measure", failing)
    (tmp_path / "figures").touch()
    (tmp_path / "report.html").mkdir()
    done = dumbbell("study", "run", "hand", "--out", tmp_path)
    assert done.returncode == 1
    lines = done.stderr.splitlines()[-3:]
    assert re.fullmatch("failed: [0-9a-f]{16}: a bug", lines[0])
    assert lines[1].startswith(f"{tmp_path / 'figures'}")
    assert ": cannot write the figures: " in lines[1]
    assert lines[2].startswith(f"{tmp_path / 'report.html'}: cannot write the report: ")


@pytest.mark.parametrize("name", ["hand", "all"])
def test_figures_that_cannot_be_written_are_a_failure(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "hand"
    assert dumbbell("study", "run", "hand", "--out", folder).returncode == 0
    for path in (folder / "figures" / "sim").iterdir():
        path.unlink()
    (folder / "figures" / "sim").rmdir()
    (folder / "figures" / "sim").touch()
    done = dumbbell("study", "figures", name, "--out", folder if name == "hand" else tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"{folder / 'figures' / 'sim'}: cannot write the figures: " in done.stderr


@pytest.mark.parametrize("ledger", [None, ""], ids=["no ledger", "empty ledger"])
def test_a_store_that_was_begun_is_resumed(ledger: str | None, tmp_path: Path) -> None:
    (tmp_path / "store" / "series").mkdir(parents=True)
    if ledger is not None:
        connection = sqlite3.connect(tmp_path / "store" / "ledger.sqlite")
        connection.executescript(ledger)
        connection.close()
    begun = dumbbell("study", "claims", "hand", "--out", tmp_path)
    assert (begun.returncode, "`dumbbell study run hand --out " in begun.stderr) == (2, True)
    done = dumbbell("study", "run", "hand", "--out", tmp_path)
    assert done.returncode == 0, done.stderr


def test_of_all_studies_those_whose_stores_are_whole_are_carried_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(studies, "names", lambda: ("damaged", "hand"))
    (tmp_path / "damaged" / "store").mkdir(parents=True)
    (tmp_path / "damaged" / "store" / "ledger.sqlite").write_text("no database" * 100, encoding="utf-8")
    done = dumbbell("study", "run", "all", "--out", tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith(f"damaged: {tmp_path / 'damaged' / 'store'}: its ledger.sqlite is damaged")
    assert (tmp_path / "hand" / "figures").is_dir()


def test_a_report_of_all_knows_the_engines_and_says_who_has_no_runs(tmp_path: Path) -> None:
    assert dumbbell("study", "run", "hand", "--out", tmp_path / "hand").returncode == 0
    unknown = dumbbell("study", "report", "all", "--engine", "lnux", "--out", tmp_path)
    assert (unknown.returncode, "unknown engine" in unknown.stderr) == (2, True)
    assert not (tmp_path / "report").exists()
    how = "# with the same --out, and /hand behind it"
    for engine, sentence in (("sim", f"dumbbell study report hand {how}"), ("linux", "There are no runs on linux.")):
        if engine == "linux":
            pytest.importorskip("dumbbell.engines.linux")
        done = dumbbell("study", "report", "all", "--engine", engine, "--out", tmp_path)
        if engine == "linux" and done.returncode:
            pytest.skip("this machine has no kernel")
        page = tmp_path / "report" / ("hand.html" if engine == "sim" else "index.html")
        said = Webpage(page.read_text(encoding="utf-8")).said
        assert sentence in said
        assert str(tmp_path) not in said
