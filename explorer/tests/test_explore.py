"""What `dumbbell explore` opens: a copy of the page that begins with an experiment, and with a stored run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

import dumbbell
from dumbbell.explorer import built
from webtab import PAGE, settle, soon

SPEC: Final = """# two buffers
duration = "2 s"
seeds = [7, 9]

[path]
rate = "20 Mbit/s"
rtt = "20 ms"
buffer = ["0.5 bdp", "2 bdp"]

[[flows]]
cc = ["bbr", "cubic"]
"""


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DUMBBELL_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "mine.toml"
    file.write_text(SPEC, encoding="utf-8")
    return file


@pytest.fixture
def copied(browser: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(built, "PAGE", PAGE)
    tab = browser.new_page()
    yield tab
    tab.close()


def test_the_copy_begins_with_the_experiment_and_an_address_goes_before_it(copied: Any, spec: Path) -> None:
    copy = built.beginning_with(spec.read_text(encoding="utf-8"), "mine", {})
    copied.goto(copy.as_uri())
    assert settle(copied) == "ready"
    assert copied.evaluate("explorer.text") == SPEC
    assert not copied.is_visible("#notice")
    before = copied.evaluate("location.href")
    copied.select_option("#preset", "1")
    assert settle(copied) == "ready"
    assert soon(copied, lambda: copied.evaluate("location.href") != before), "the address follows the picture"
    chosen = copied.evaluate("document.body.dataset.run")
    copied.reload()
    assert settle(copied) == "ready"
    assert copied.evaluate("document.body.dataset.run") == chosen


@pytest.mark.parametrize("nth", [0, 3, 5])
def test_a_stored_run_is_the_same_run_on_the_page(copied: Any, spec: Path, tmp_path: Path, nth: int) -> None:
    store = tmp_path / "store"
    run_id = list(dumbbell.run(spec, store=store))[nth].run_id
    command = [sys.executable, "-m", "dumbbell", "explore", str(store), run_id[:10], "--no-open"]
    file = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    copied.goto(Path(file).as_uri())
    assert settle(copied) == "ready"
    assert copied.evaluate("document.body.dataset.run") == run_id
