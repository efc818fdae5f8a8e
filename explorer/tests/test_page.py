"""The page in Debian's Chromium: it opens from a file, answers changes, and computes what the native build does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from webtab import settle, typed

BAD = """
duration = "60 parsec"

[path]
rate = "80 mbps"
rtt = "25 ms"
buffer = "1 bdp"

[[flows]]
cc = "bbrr"
"""


def test_it_opens_from_a_file_and_draws(page: Any) -> None:
    assert page.evaluate("document.body.dataset.state") == "ready"
    assert page.locator("#plot-time canvas.traces").count() == 1
    assert "goodput" in page.inner_text("#answer")


def test_a_slider_draws_anew(page: Any) -> None:
    before = page.evaluate("document.body.dataset.run")
    slider = page.locator("#path input[type=range]").nth(0)
    slider.evaluate("(it) => { it.value = 100; it.dispatchEvent(new Event('input', { bubbles: true })); }")
    assert settle(page) == "ready"
    assert page.evaluate("document.body.dataset.run") != before


def test_three_mistakes_are_all_shown_and_the_last_picture_stays(page: Any) -> None:
    assert typed(page, BAD) == "failed"
    told = page.inner_text("#problems")
    assert all(field in told for field in ("duration", "path.rate", "flows[0].cc"))
    assert page.locator("#plot-time canvas.traces").count() == 1


@pytest.mark.parametrize("tab", ["seeds", "sweep", "map", "play"])
def test_each_view_is_drawn(page: Any, tab: str) -> None:
    page.click(f"#tab-{tab}")
    assert settle(page) == "ready"
    assert page.locator(f"#view-{tab} canvas").count() == 1


def test_every_preset_and_stop_of_the_tour_runs(page: Any) -> None:
    for at in range(page.evaluate("explorer.presets.presets.length")):
        page.select_option("#preset", str(at))
        assert settle(page) == "ready", at
    page.click("#tour")
    for _ in range(page.evaluate("explorer.presets.tour.length") - 1):
        assert settle(page) == "ready"
        page.click('[data-go="on"]')
    assert settle(page) == "ready"


def test_the_bytes_are_those_of_the_native_build(page: Any, tmp_path: Path) -> None:
    for at in (0, 3, 5, 6, 7):
        page.select_option("#preset", str(at))
        assert settle(page) == "ready"
        own = page.evaluate("explorer.sharing.json()")
        shown = json.loads(own)
        (tmp_path / "spec.toml").write_text(shown["spec"], encoding="utf-8")
        command = [sys.executable, "-m", "dumbbell", "run", str(tmp_path / "spec.toml"), "--measurement"]
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
        assert own.rstrip().endswith(f'"measurement":{lines[shown["seed"] - 1]}' + "}")


def test_what_is_copied_runs_as_it_stands(page: Any, tmp_path: Path) -> None:
    page.click("#share")
    for kind, command in (("command", ["sh", "-e"]), ("python", [sys.executable, "-"])):
        text = page.evaluate(f"explorer.sharing.text('{kind}')")
        text = text.replace("60 s", "1 s")
        scripts = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        done = subprocess.run(
            command, input=text, cwd=tmp_path, env=os.environ | {"PATH": scripts}, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr


def test_a_link_is_the_same_experiment_and_a_damaged_one_is_told(page: Any, browser: Any) -> None:
    page.select_option("#preset", "5")
    settle(page)
    page.wait_for_timeout(300)  # the address follows the picture
    link, run = page.evaluate("location.href"), page.evaluate("document.body.dataset.run")
    other = browser.new_page()
    other.goto(link)
    assert settle(other) == "ready"
    assert other.evaluate("document.body.dataset.run") == run
    other.goto("about:blank")
    other.goto(link[:-9])
    assert settle(other) == "ready"
    assert "damaged" in other.inner_text("#notice")
    other.close()


def test_what_takes_too_long_is_left_to_the_command(page: Any) -> None:
    rate = 'duration = "10000 s"\n[path]\nrate = "10 Gbit/s"\nrtt = "25 ms"\nbuffer = "1 bdp"\n[[flows]]\ncc = "bbr"\n'
    assert typed(page, rate) == "failed"
    assert "dumbbell run" in page.inner_text("#problems")
