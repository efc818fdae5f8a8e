"""What the page saves as JSON is what `dumbbell results import` reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from commandline import MOMENT
from webtab import dumbbell, typed

SPEC = MOMENT.replace("seeds = 2", "seeds = [9007199254740993]")
"""One seed that no number of JavaScript can be."""
OTHER = SPEC.replace("3 s", "4 s")
BACK = SPEC.replace("[[flows]]", '[path.back]\nrate = "2 Mbit/s"\nbuffer = "50 packets"\n\n[[flows]]', 1)


def test_the_file_that_the_page_saves_is_the_run_that_it_shows(page: Any, tmp_path: Path) -> None:
    for text in (SPEC, OTHER, BACK):
        assert typed(page, text) == "ready"
        shown = page.evaluate("document.body.dataset.run")
        page.click("#share")
        with page.expect_download() as saving:
            page.click("[data-save=json]")
        page.click("#share")
        saving.value.save_as(tmp_path / "experiment.json")
        printed = dumbbell("results", "import", "experiment.json", "store", "--json", cwd=tmp_path)
        assert json.loads(printed)["run_id"] == shown


def test_what_is_being_typed_is_not_what_is_saved(page: Any) -> None:
    assert typed(page, SPEC) == "ready"
    assert typed(page, SPEC.replace("cubic", "cubik")) == "failed"
    assert json.loads(page.evaluate("explorer.sharing.json()"))["spec"] == SPEC
