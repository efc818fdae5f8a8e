"""The page in Debian's Chromium: it opens from a file, answers changes, and computes what the native build does."""

from __future__ import annotations

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


def test_what_takes_too_long_is_left_to_the_command(page: Any) -> None:
    rate = 'duration = "10000 s"\n[path]\nrate = "10 Gbit/s"\nrtt = "25 ms"\nbuffer = "1 bdp"\n[[flows]]\ncc = "bbr"\n'
    assert typed(page, rate) == "failed"
    assert "dumbbell run" in page.inner_text("#problems")


def test_short_flows_are_controlled_and_have_completion_times_over_seeds(page: Any) -> None:
    page.locator('[data-field="flows[1].workload"]').select_option(label="short flows")
    assert settle(page) == "ready"
    page.locator('[data-field="flows[1].workload.size.kind"]').select_option(label="lognormal")
    assert settle(page) == "ready"
    load = page.locator('[data-field="flows[1].workload.arrivals.load"]')
    load.fill("0.2")
    load.press("Enter")
    assert settle(page) == "ready"
    assert "arrivals = { load = 0.2 }, size = { lognormal =" in page.input_value("#toml")
    assert "transfers" in page.inner_text("#numbers thead")
    page.click("#tab-seeds")
    assert settle(page) == "ready"
    assert "completion time, median (s)" in page.inner_text("#means")
