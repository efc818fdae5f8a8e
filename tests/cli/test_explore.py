"""`dumbbell explore`, without a browser: which file it tells, which words go with it, and what it refuses."""

from __future__ import annotations

import json
import webbrowser
from pathlib import Path
from typing import Any

import pytest

from commandline import MOMENT, dumbbell, json_lines
from dumbbell.engines.sim import SimEngine
from dumbbell.explorer import built
from dumbbell.explorer.address import encoded
from dumbbell.results.store import Store
from dumbbell.spec import expand, load, resolve
from dumbbell.version import __version__
from webpage import content_of

NO_BROWSER = {"BROWSER": "", "DISPLAY": "", "WAYLAND_DISPLAY": ""}


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page as `make explorer` builds it, but for what is in it."""
    monkeypatch.setenv("DUMBBELL_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "built.html"
    file.write_text(f"<body>{built.START}<p>é</body>", encoding="utf-8")
    monkeypatch.setattr(built, "PAGE", file)
    return file


@pytest.fixture
def moment(tmp_path: Path) -> Path:
    file = tmp_path / "moment.toml"
    file.write_text(f"# mine\n{MOMENT}", encoding="utf-8")
    return file


def begun(file: str) -> dict[str, Any]:
    """With what a copy of the page begins."""
    text = Path(file.strip()).read_text(encoding="utf-8")
    assert text.endswith("</script><p>é</body>")
    address = text.removeprefix('<body><script type="text/plain" id="start">').partition("<")[0]
    content = content_of(address)
    assert address == encoded(content, version=__version__, identity=SimEngine().identity())
    assert content["view"] == {}
    return dict(content)


def shown(file: str) -> str:
    """The spec with which it begins, which names no file."""
    content = begun(file)
    assert content["files"] == {}
    return str(content["toml"])


def test_without_words_it_is_the_page_itself(page: Path) -> None:
    done = dumbbell("explore", "--no-open")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{page}\n", "")


@pytest.mark.usefixtures("page")
def test_the_copy_has_the_files_that_the_spec_names(moment: Path) -> None:
    (moment.parent / "data").mkdir()
    (moment.parent / "data" / "writes.csv").write_text("0,1000\n1,2000\n", encoding="utf-8")
    traced = moment.read_text(encoding="utf-8") + '\n[[flows]]\ncc = "reno"\nworkload = { trace = "data/writes.csv" }\n'
    moment.write_text(traced, encoding="utf-8")
    done = dumbbell("explore", moment, "--no-open")
    assert (done.returncode, done.stderr) == (0, "")
    assert begun(done.stdout)["files"] == {"data/writes.csv": "0,1000\n1,2000\n"}


@pytest.mark.usefixtures("page")
def test_the_copy_has_the_spec_as_it_is_written(moment: Path) -> None:
    done = dumbbell("explore", moment, "--no-open")
    assert (done.returncode, done.stderr) == (0, "")
    assert shown(done.stdout) == moment.read_text(encoding="utf-8")
    assert Path(done.stdout.strip()).name == "moment.html"


@pytest.mark.usefixtures("page")
def test_the_copy_has_the_point_and_the_seed_of_a_stored_run(moment: Path, store: Path) -> None:
    outcomes = json_lines("run", moment)
    chosen = outcomes[3]
    done = dumbbell("explore", store, chosen["run_id"][:10], "--no-open")
    assert (done.returncode, done.stderr) == (0, "")
    experiment = load(shown(done.stdout))
    assert list(experiment.seed_values) == [chosen["seed"]] == [2]
    with Store.open(store) as opened:
        assert [resolve(point, chosen["seed"]).run for point in expand(experiment)] == [opened.run(chosen["run_id"])]


@pytest.mark.usefixtures("page")
def test_a_run_of_another_build_is_told(moment: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_id = json.loads(dumbbell("run", moment, "--seeds", "1", "--json").stdout.splitlines()[0])["run_id"]
    monkeypatch.setattr(SimEngine, "identity", lambda _: "another")
    assert "another build of the simulator measured this run" in dumbbell("explore", store, run_id, "--no-open").stderr


@pytest.mark.parametrize("windows", [{"DISPLAY": ":0"}, {"BROWSER": "firefox"}])
def test_a_browser_opens_it_where_there_is_one(
    page: Path, monkeypatch: pytest.MonkeyPatch, windows: dict[str, str]
) -> None:
    addresses: list[str] = []

    def opened(address: str) -> bool:
        addresses.append(address)
        return True

    monkeypatch.setattr(webbrowser, "open", opened)
    done = dumbbell("explore", **(NO_BROWSER | windows))
    assert (done.returncode, done.stdout, addresses) == (0, "", [page.as_uri()])
    assert str(page) in done.stderr


@pytest.mark.parametrize("windows", [{}, {"DISPLAY": ":0"}])
def test_the_file_is_told_where_none_opens(
    page: Path, monkeypatch: pytest.MonkeyPatch, windows: dict[str, str]
) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda _: False)
    done = dumbbell("explore", **(NO_BROWSER | windows))
    assert (done.returncode, done.stdout) == (0, f"{page}\n")
    assert "no browser opens here" in done.stderr


@pytest.mark.usefixtures("page")
def test_a_bad_spec_is_told_as_check_tells_it(moment: Path) -> None:
    moment.write_text(MOMENT.replace("20 Mbit/s", "20 mbps").replace("bbr", "bbrr"), encoding="utf-8")
    done, checked = dumbbell("explore", moment, "--no-open"), dumbbell("check", moment)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", checked.stderr)
    assert len(done.stderr.splitlines()) == 2
    assert dumbbell("explore", "absent.toml").stderr == dumbbell("check", "absent.toml").stderr


@pytest.mark.usefixtures("page")
def test_a_store_without_a_run_and_a_run_that_is_not_there_are_told(moment: Path, store: Path) -> None:
    dumbbell("run", moment, "--seeds", "1")
    unnamed, absent = dumbbell("explore", store), dumbbell("explore", store, "zz")
    assert (unnamed.returncode, absent.returncode) == (2, 2)
    assert f"dumbbell explore {store} RUN" in unnamed.stderr
    assert "no run id begins" in absent.stderr


def test_a_page_that_is_not_built_or_too_old_is_told(page: Path, moment: Path) -> None:
    page.write_text("<body></body>", encoding="utf-8")
    old = dumbbell("explore", moment)
    page.unlink()
    absent = dumbbell("explore")
    for done in (old, absent):
        assert (done.returncode, done.stdout) == (1, "")
        assert "`make explorer`" in done.stderr
        assert len(done.stderr.splitlines()) == 1
