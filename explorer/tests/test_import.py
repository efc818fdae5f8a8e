"""What the page saves as JSON is what `dumbbell results import` reads."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from webtab import settle

SPEC = """# one seed that no number of JavaScript can be
duration = "2 s"
seeds = [9007199254740993]

[path]
rate = "20 Mbit/s"
rtt = "20 ms"
buffer = ["0.5 bdp", "2 bdp"]

[[flows]]
cc = "bbr"

[[flows]]
cc = "cubic"
"""
OTHER = SPEC.replace("2 s", "3 s")


def imported(file: Path, store: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "dumbbell", "results", "import", str(file), str(store), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    outcome: dict[str, Any] = json.loads(done.stdout)
    return outcome


def test_the_file_that_the_page_saves_is_the_run_that_it_shows(page: Any, tmp_path: Path) -> None:
    page.click("#typed summary")
    for text in (SPEC, OTHER):
        page.fill("#toml", text)
        assert settle(page) == "ready"
        shown = page.evaluate("document.body.dataset.run")
        page.click("#share")
        with page.expect_download() as saving:
            page.click("[data-save=json]")
        page.click("#share")
        saving.value.save_as(tmp_path / "experiment.json")
        assert imported(tmp_path / "experiment.json", tmp_path / "store")["run_id"] == shown


def test_what_is_being_typed_is_not_what_is_saved(page: Any) -> None:
    page.click("#typed summary")
    page.fill("#toml", SPEC)
    assert settle(page) == "ready"
    page.fill("#toml", SPEC.replace("cubic", "cubik"))
    assert settle(page) == "failed"
    assert json.loads(page.evaluate("explorer.sharing.json()"))["spec"] == SPEC
