"""`dumbbell compare` as a user has it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from agreed import Scaled
from commandline import dumbbell
from compared import store_of

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three of the same moment: as it is, with a tenth less delivered, and with a seed that failed."""
    folder = tmp_path_factory.mktemp("stores")
    store_of(folder / "stock")
    store_of(folder / "mine", Scaled(0.9))
    store_of(folder / "failing", Scaled(failing=(2,)))
    return folder


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ("stock stock --strict --metrics goodput,loss", 0),
        ("stock mine --metrics total_goodput,share", 0),
        ("stock mine --metrics total_goodput,share --all", 0),
        ("stock mine --strict --metrics total_goodput", 1),
        ("mine stock --strict --metrics total_goodput", 0),
        ("stock failing --strict --metrics total_goodput", 1),
        ("stock stock --metrics fct", 0),
        ("stock absent", 2),
        ("stock @engine=linux", 2),
        ("stock @nonsense", 2),
        ("@cc=bbr @cc=cubic", 2),
        ("stock@path.buffer=2_bdp @path.buffer=0.5_bdp --metrics total_goodput,share", 0),
        ("stock stock --metrics goodputs", 2),
    ],
)
def test_it_prints_what_differs(arguments: str, status: int, stores: Path, snapshot: SnapshotAssertion) -> None:
    parts = [each.replace("_bdp", " bdp") for each in arguments.split()]
    placed = [re.sub("^(?=stock|mine|failing|absent)", f"{stores}/", each) for each in parts]
    done = dumbbell("compare", *placed, COLUMNS="400")
    assert done.returncode == status
    printed = re.sub(r"identity [0-9a-f]{12}", "identity …", done.stdout.replace(str(stores), "STORES"))
    assert (printed, done.stderr.replace(str(stores), "STORES")) == snapshot


def test_json_is_an_object_a_row(stores: Path) -> None:
    done = dumbbell("compare", stores / "stock", stores / "mine", "--json", "--metrics", "total_goodput")
    assert done.returncode == 0
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each["row"] for each in rows] == ["overall", "point", "point"]
    assert rows[0]["relative"] == pytest.approx(-0.1, abs=0.001)


def test_the_page_is_written(stores: Path, tmp_path: Path) -> None:
    sides, target = (stores / "stock", stores / "mine"), tmp_path / "page.html"
    done = dumbbell("compare", *sides, "--html", target, "--metrics", "loss,goodput")
    assert (done.returncode, done.stderr) == (0, f"{target}\n")
    assert "dumbbell compare {} {} --metrics loss,goodput".format(*sides) in target.read_text("utf-8")
    blocked = dumbbell("compare", *sides, "--html", target / "page.html")
    assert blocked.returncode == 1
    assert "cannot write the report" in blocked.stderr
