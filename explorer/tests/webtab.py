"""What tests do with the page in a browser's tab."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGE = Path(os.environ.get("EXPLORER", ROOT / "dist" / "explorer.html")).resolve()
WASM = (ROOT / "target" / "web" / "web.wasm").resolve()
SETTLED = "body[data-state=ready], body[data-state=failed]"
LONGEST_MS = 300_000
"""After so long a test that waits is given up; no bar."""
LOOK_MS = 50


def settle(tab: Any) -> str:
    """The page's state, once it is not running."""
    tab.wait_for_selector(SETTLED, timeout=LONGEST_MS)
    return str(tab.evaluate("document.body.dataset.state"))


def soon(tab: Any, holds: Callable[[], bool]) -> bool:
    """Whether it holds in the end: what the page does after it has settled."""
    for _ in range(LONGEST_MS // LOOK_MS):
        if holds():
            return True
        tab.wait_for_timeout(LOOK_MS)
    return False


def run_id(tab: Any) -> str:
    return str(tab.evaluate("document.body.dataset.run"))


def typed(tab: Any, text: str) -> str:
    """The state once a spec has been written into the page."""
    if not tab.is_visible("#toml"):
        tab.click("#typed summary")
    tab.fill("#toml", text)
    return settle(tab)


def chosen(tab: Any, preset: int) -> str:
    """The state once a preset has been chosen."""
    tab.select_option("#preset", str(preset))
    return settle(tab)


def dragged(tab: Any, label: str, place: int) -> str:
    """The state once a slider has been moved."""
    tab.get_by_role("slider", name=label, exact=True).evaluate(
        "(it, place) => { it.value = place; it.dispatchEvent(new Event('input', { bubbles: true })); }", place
    )
    return settle(tab)


def dumbbell(*arguments: str | Path, cwd: Path) -> str:
    """What the native build prints."""
    command = [sys.executable, "-m", "dumbbell", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def measurements(spec: str, folder: Path) -> list[str]:
    """What the native build measures for a spec, by its seeds."""
    (folder / "spec.toml").write_text(spec, encoding="utf-8")
    return dumbbell("run", "spec.toml", "--measurement", cwd=folder).splitlines()
