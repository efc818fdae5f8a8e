from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from dumbbell.metrics import summary
from dumbbell.results import provenance

COMMIT = "0123456789abcdef0123456789abcdef01234567"
MAIN = "ref: refs/heads/main\n"


@pytest.mark.parametrize(
    ("files", "commit"),
    [
        ({"HEAD": MAIN, "refs/heads/main": f"{COMMIT}\n"}, COMMIT),
        (
            {
                "HEAD": MAIN,
                "packed-refs": f"# pack-refs with: peeled\n{'f' * 40} refs/heads/a\n{COMMIT} refs/heads/main\n",
            },
            COMMIT,
        ),
        ({"HEAD": f"{COMMIT}\n"}, COMMIT),
        ({"HEAD": MAIN}, None),
        ({"HEAD": "nonsense"}, None),
    ],
    ids=["a branch", "a branch that git has packed", "no branch", "no commit yet", "nonsense"],
)
def test_the_commit_of_a_checkout(tmp_path: Path, files: dict[str, str], commit: str | None) -> None:
    for name, text in files.items():
        path = tmp_path / ".git" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    inside = tmp_path / "python" / "package"
    inside.mkdir(parents=True)
    assert provenance.commit(inside) == commit


@pytest.mark.slow
def test_a_worktree_has_its_own(tmp_path: Path) -> None:
    def git(*arguments: str) -> str:
        command = ["git", "-C", str(tmp_path / "main"), "-c", "user.name=n", "-c", "user.email=e", *arguments]
        return subprocess.run(command, capture_output=True, check=True, encoding="utf-8").stdout.strip()

    (tmp_path / "main").mkdir()
    git("init", "--quiet")
    git("commit", "--quiet", "--allow-empty", "--message", "one")
    git("worktree", "add", "--quiet", "-b", "side", "../side")
    side = git("rev-parse", "HEAD")
    git("commit", "--quiet", "--allow-empty", "--message", "two")
    assert provenance.commit(tmp_path / "side") == side
    assert provenance.commit(tmp_path / "main") == git("rev-parse", "HEAD") != side


def test_metrics_are_known_by_the_source_of_every_module_that_makes_a_summary(tmp_path: Path) -> None:
    package = Path(summary.__file__).parents[1]
    for part in ("metrics", "results"):
        shutil.copytree(package / part, tmp_path / part)
    sources = Path(summary.__file__).read_text(encoding="utf-8")
    used = set(re.findall(r"(?:import |from )dumbbell\.metrics\.([\w.]+)", sources))
    assert len(used) >= 3
    seen = {provenance.metrics_identity()}
    assert provenance.metrics_identity(tmp_path) in seen
    for name in ("summary", *used):
        with (tmp_path / "metrics" / f"{name.replace('.', '/')}.py").open("a", encoding="utf-8") as file:
            file.write("# another\n")
        provenance.metrics_identity.cache_clear()
        assert provenance.metrics_identity(tmp_path) not in seen, name
        seen.add(provenance.metrics_identity(tmp_path))


def test_figures_of_comparisons_are_known_by_the_catalogue_too(tmp_path: Path) -> None:
    package = Path(summary.__file__).parents[1]
    for part in ("metrics", "results", "comparison"):
        shutil.copytree(package / part, tmp_path / part)
    assert provenance.figures_identity(tmp_path) == provenance.figures_identity()
    seen = {provenance.figures_identity()}
    for name in ("metrics/summary.py", "metrics/catalogue.py", "comparison/figures.py"):
        with (tmp_path / name).open("a", encoding="utf-8") as file:
            file.write("# another\n")
        provenance.figures_identity.cache_clear()
        assert provenance.figures_identity(tmp_path) not in seen, name
        seen.add(provenance.figures_identity(tmp_path))
