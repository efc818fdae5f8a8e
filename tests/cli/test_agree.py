"""`dumbbell agree` as a user has it. Another engine than the simulator stands in by its name."""

from __future__ import annotations

import re
import signal
import subprocess
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from typer.testing import CliRunner, Result

from agreed import Scaled
from commandline import DUMBBELL, count_stored_runs, dumbbell
from dumbbell.cli.main import app
from dumbbell.comparison.record import Agreement
from dumbbell.engines import registry
from dumbbell.engines.protocol import Engine
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import DumbbellError
from dumbbell.results.store import Store
from dumbbell.spec import toml
from processes import HANG_S, soon
from specs import smallest

pytestmark = pytest.mark.slow

SAME = ("--engines", "sim,sim")


@pytest.fixture
def doubles(monkeypatch: pytest.MonkeyPatch) -> dict[str, Scaled]:
    """Engines `double`, which is the simulator, and `wrong`, which delivers four fifths."""
    engines = {"double": Scaled(), "wrong": Scaled(0.8), "failing": Scaled(failing=(2,))}

    def named(name: str) -> Engine:
        return engines.get(name) or SimEngine()

    monkeypatch.setattr(registry, "engine", named)
    return engines


def agree(*arguments: str | Path) -> Result:
    """In this process, so that engines can be stood in for."""
    return CliRunner().invoke(app(), ["agree", *map(str, arguments)])


@pytest.mark.usefixtures("doubles")
@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ("--engines double,sim", 0),
        ("--engines failing,sim --seeds 2", 1),
        ("--engines wrong,sim --seeds 2", 1),
    ],
)
def test_it_prints_every_band_and_the_worst(
    arguments: str, status: int, moment: Path, snapshot: SnapshotAssertion
) -> None:
    done = agree(moment, *arguments.split())
    assert done.exit_code == status
    assert (done.stdout, done.stderr) == snapshot


@pytest.mark.usefixtures("doubles")
def test_json_is_one_object(moment: Path) -> None:
    done = agree(moment, "--engines", "wrong,sim", "--json", "--seeds", "2")
    assert done.exit_code == 1
    agreement = Agreement.model_validate_json(done.stdout)
    assert (agreement.candidate.engine, agreement.reference.engine, agreement.floor_seeds) == ("double", "sim", (3, 4))
    assert agreement.source.spec == "moment"
    assert len(agreement.worst) == 2


def test_what_the_store_has_is_not_run_again(moment: Path, doubles: dict[str, Scaled], store: Path) -> None:
    first, second = (agree(moment, "--engines", "double,sim", "--json") for _ in range(2))
    assert first.stdout == second.stdout
    assert len(doubles["double"].measured) == 2 * 3
    with Store.open(store) as opened:
        assert opened.count() == 2 * (3 + 6)


@pytest.mark.usefixtures("doubles")
def test_the_page_is_written(moment: Path, tmp_path: Path) -> None:
    done = agree(moment, "--engines", "wrong,sim", "--html", tmp_path / "page.html")
    assert done.exit_code == 1
    assert done.stderr.splitlines()[-1] == str(tmp_path / "page.html")
    assert "double against sim" in (tmp_path / "page.html").read_text(encoding="utf-8")
    blocked = agree(moment, "--engines", "double,sim", "--html", moment / "page.html")
    assert blocked.exit_code == 1
    assert "cannot write the report" in str(blocked.exception)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((), "Missing argument 'SPEC'"),
        (("--measured", "x.csv"), "Missing argument 'SPEC'"),
        (("SPEC", "--engines", "sim"), "names no two engines"),
        (("SPEC", "--engines", "sim,"), "names no two engines"),
        (("SPEC", "--engines", "sim,tofino"), 'unknown engine "tofino"'),
        (("SPEC", *SAME, "--set", "measure.ss=100 ms"), "measure.ss: sim: "),
        (("SPEC", *SAME, "--set", "path.rate=80 mbps"), "path.rate: "),
        (("nowhere.toml", *SAME), "no such file"),
    ],
)
def test_bad_input_exits_2_and_runs_nothing(arguments: tuple[str, ...], error: str, moment: Path, store: Path) -> None:
    done = dumbbell("agree", *(moment if argument == "SPEC" else argument for argument in arguments))
    assert (done.returncode, done.stdout) == (2, "")
    assert error in done.stderr
    assert not store.exists()


@pytest.mark.usefixtures("doubles")
def test_what_an_engine_cannot_honour_is_told_with_its_name(moment: Path) -> None:
    done = agree(moment, "--engines", "double,sim", "--set", "measure.ss=100 ms")
    assert isinstance(done.exception, DumbbellError)
    lines = str(done.exception).splitlines()
    assert [line.split(": ")[:2] for line in lines] == [["measure.ss", "double"], ["measure.ss", "sim"]]


def test_without_any_jitter_there_is_a_note(tmp_path: Path) -> None:
    path = tmp_path / "still.toml"
    line = {"rate": "5 Mbit/s", "rtt": "20 ms", "buffer": "1 bdp", "jitter": "none"}
    path.write_text(toml(smallest(duration="1 s", start_jitter="0 s", path=line)), encoding="utf-8")
    assert "without any jitter" in dumbbell("agree", path, *SAME).stderr
    for some in ("start_jitter=10 ms", "path.jitter=50 us"):
        assert "without any" not in dumbbell("agree", path, *SAME, "--set", some).stderr


def test_ctrl_c_keeps_what_is_finished_and_says_so(moment: Path, store: Path) -> None:
    long = ("--set", "duration=60 s", "--seeds", "40")
    process = subprocess.Popen(
        [DUMBBELL, "agree", moment, *SAME, *long, "--jobs", "1"], stderr=subprocess.PIPE, encoding="utf-8"
    )
    assert soon(lambda: count_stored_runs(store) > 1)
    process.send_signal(signal.SIGINT)
    _, printed = process.communicate(timeout=HANG_S)
    there = count_stored_runs(store)
    assert there >= 2
    assert process.returncode == 130
    assert re.fullmatch(rf"interrupted: {there} of [\d,]+ runs are in {store}; the same command goes on\n", printed)
