"""The wheel as somebody gets it: installed into an environment of its own, used from another folder."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from commandline import MOMENT, ROOT

pytestmark = [pytest.mark.slow, pytest.mark.long]

PAGE = ROOT / "python" / "dumbbell" / "explorer" / "explorer.html"
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    maturin = Path(sys.executable).with_name("maturin")
    environment = {name: value for name, value in os.environ.items() if name != "CONDA_PREFIX"}
    subprocess.run(
        [maturin, "build", "--release", "--quiet", "--out", folder],
        check=True,
        cwd=ROOT,
        env=environment | {"PYO3_PYTHON": sys.executable},
        timeout=900,
    )
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs a program of an environment that has the wheel and its pinned dependencies, in an empty folder."""
    home = tmp_path_factory.mktemp("environment")
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    venv.create(home, with_pip=True)
    programs = home / ("Scripts" if os.name == "nt" else "bin")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}

    def run(program: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [programs / program, *arguments],
            capture_output=True,
            check=False,
            cwd=elsewhere,
            encoding="utf-8",
            env=environment,
            timeout=900,
        )

    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pins = elsewhere / "pins.txt"  # without hashes: the wheel has none yet
    pins.write_text("\n".join(re.findall(r"^\w\S+==[^\\\n]+", lock, re.MULTILINE)), encoding="utf-8")
    pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
    done = run("python", *pip, "--constraint", pins, wheel)
    assert done.returncode == 0, done.stderr
    return run


def test_one_wheel_serves_every_python_of_the_platform(wheel: Path) -> None:
    assert "-cp311-abi3-" in wheel.name


def test_what_is_no_code_is_in_it_too(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        inside = set(archive.namelist())
    package = ROOT / "python" / "dumbbell"
    wanted = {
        f"dumbbell/{path.relative_to(package).as_posix()}"
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".so"
    }
    for name in ("py.typed", "studies/claypool2019/claims.toml", "report/templates/page.html.j2"):
        assert f"dumbbell/{name}" in wanted
    assert wanted <= inside
    assert not [name for name in inside if not name.startswith(("dumbbell/", "dumbbell-"))]


def test_the_source_distribution_has_the_lock_of_its_crates(tmp_path: Path) -> None:
    """What pip builds of it must not update the lock, whose hash is a part of the simulator's identity."""
    if not (ROOT / ".git").exists():
        pytest.skip("no checkout: its files are those that git has")
    maturin = Path(sys.executable).with_name("maturin")
    subprocess.run([maturin, "sdist", "--out", tmp_path], check=True, capture_output=True, cwd=ROOT, timeout=900)
    (made,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(made) as archive:
        archive.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.glob("dumbbell-*/")
    for name in ("Cargo.lock", "LICENSE", "Makefile", "crates/spec/src/variants.toml"):
        assert (folder / name).read_bytes() == (ROOT / name).read_bytes()
    metadata = ["cargo", "metadata", "--locked", "--offline", "--format-version", "1"]
    done = subprocess.run(metadata, capture_output=True, check=False, cwd=folder, encoding="utf-8", timeout=900)
    assert done.returncode == 0, done.stderr


def test_it_runs_from_another_folder(installed: Run) -> None:
    version = installed("dumbbell", "--version")
    assert (version.returncode, version.stderr) == (0, "")
    assert version.stdout.startswith("dumbbell ")
    where = installed("python", "-c", "import dumbbell; print(dumbbell.__file__)")
    assert str(ROOT) not in where.stdout


def test_a_spec_is_run_and_reported(installed: Run, tmp_path: Path) -> None:
    spec = tmp_path / "moment.toml"
    spec.write_text(MOMENT, encoding="utf-8")
    done = installed("dumbbell", "run", spec, "--json", "--out", tmp_path / "runs")
    assert done.returncode == 0, done.stderr
    assert [json.loads(line)["status"] for line in done.stdout.splitlines()] == ["ok"] * 4
    report = installed("dumbbell", "report", tmp_path / "runs", "--out", tmp_path / "report.html")
    assert report.returncode == 0, report.stderr
    assert "vega-embed" in (tmp_path / "report.html").read_text(encoding="utf-8")  # what draws is in the page


def test_it_has_the_page_of_the_explorer(installed: Run, tmp_path: Path) -> None:
    if not PAGE.is_file():
        pytest.skip(f"no page at {PAGE}: make explorer")
    spec = tmp_path / "moment.toml"
    spec.write_text(MOMENT, encoding="utf-8")
    for arguments in ([], [spec]):
        done = installed("dumbbell", "explore", "--no-open", *arguments)
        assert (done.returncode, done.stderr) == (0, "")
        page = Path(done.stdout.strip())
        assert page.is_file()
        assert ROOT not in page.parents


def test_a_study_is_run(installed: Run, tmp_path: Path) -> None:
    assert "claypool2019" in installed("dumbbell", "study", "list").stdout
    some = ("--experiments", "figure7", "--seeds", "1")
    done = installed("dumbbell", "study", "run", "claypool2019", *some, "--out", tmp_path / "study", "--json")
    assert done.returncode == 0, done.stderr
    verdicts = [json.loads(line) for line in done.stdout.splitlines()]
    assert {verdict["claim"] for verdict in verdicts} >= {"S7", "S8"}
    assert (tmp_path / "study" / "report.html").is_file()
