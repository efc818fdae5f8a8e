"""The page in Debian's Chromium: it opens from a file, answers changes, and computes what the native build does."""

from __future__ import annotations

import re
from typing import Any

import pytest

from webtab import chosen, dragged, run_id, settle, soon, typed

GOODPUT = "explorer.picture.spec.concat[0].layer.find(({ data }) => data?.name).data.values"
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
    before, rows = run_id(page), page.evaluate(GOODPUT)

    assert dragged(page, "Rate", 100) == "ready"

    assert run_id(page) != before
    assert page.evaluate(GOODPUT) != rows


def test_three_mistakes_are_all_shown_and_the_last_picture_stays(page: Any) -> None:
    assert typed(page, BAD) == "failed"
    assert page.locator("#problems li").count() == 3
    text = page.inner_text("#problems")
    assert all(field in text for field in ("duration", "path.rate", "flows[0].cc"))
    assert page.locator("#plot-time canvas.traces").count() == 1


@pytest.mark.parametrize("tab", ["seeds", "sweep", "map", "play"])
def test_each_view_is_drawn(page: Any, tab: str) -> None:
    page.click(f"#tab-{tab}")
    assert settle(page) == "ready"
    assert page.locator(f"#view-{tab} canvas").count() == 1


def test_every_preset_and_stop_of_the_tour_runs(page: Any) -> None:
    for at in range(page.evaluate("explorer.presets.presets.length")):
        assert chosen(page, at) == "ready", at
    page.click("#tour")
    for _ in range(page.evaluate("explorer.presets.tour.length") - 1):
        assert settle(page) == "ready"
        page.click('[data-go="on"]')
    assert settle(page) == "ready"


def test_who_came_first_decides_as_the_preset_says(page: Any) -> None:
    at = page.evaluate("explorer.presets.presets.findIndex(({ title }) => title.startsWith('Who came first'))")
    assert chosen(page, at) == "ready"
    joins, together = re.findall(r"(\d+) to (\d+) %", page.inner_text("#about"))
    share = "100 * explorer.summary.groups.get('bbr').share"
    assert int(joins[0]) - 1 < page.evaluate(share) < int(joins[1]) + 1
    start = page.locator('[data-field="flows[0].start"]')
    start.fill("0 s")
    start.press("Enter")
    assert settle(page) == "ready"
    assert int(together[0]) - 1 < page.evaluate(share) < int(together[1]) + 1


LONG = 'duration = "10000 s"\n[path]\nrate = "10 Gbit/s"\nrtt = "25 ms"\nbuffer = "1 bdp"\n[[flows]]\ncc = "bbr"\n'


@pytest.mark.parametrize("tab", ["time", "seeds", "sweep", "map"])
def test_what_takes_too_long_is_told_once_and_nothing_is_lost(page: Any, tab: str) -> None:
    run, picture = run_id(page), page.evaluate("explorer.picture.spec.description")
    page.click(f"#tab-{tab}")
    assert settle(page) == "ready"

    assert typed(page, LONG) == "failed"

    assert page.locator("#problems li").count() == 1
    assert "dumbbell run" in page.inner_text("#problems")
    assert page.input_value("#toml") == LONG
    assert page.evaluate("explorer.picture.spec.description") == picture
    assert page.locator(f"#view-{tab} canvas").first.is_visible()
    assert chosen(page, 0) == "ready"
    assert page.is_hidden("#problems")
    assert run_id(page) == run


def test_a_sweep_has_every_value_and_a_map_every_cell(page: Any) -> None:
    assert chosen(page, 1) == "ready"
    values = page.evaluate("explorer.survey.x.values.length")
    rows = page.evaluate("explorer.survey.curves.spec.concat[0].layer.find(({ data }) => data?.name).data.values")
    assert [row["x"] for row in rows] == list(range(values))

    assert chosen(page, 4) == "ready"
    cells = page.evaluate("explorer.survey.map.spec.concat[0].layer[0].data.values.map(({ value }) => value)")
    assert len(cells) == 8 * 4
    assert None not in cells
    assert len(set(cells)) > 8


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


FRAMES = """async () => {
  const asks = window.requestAnimationFrame;
  let frames = 0;
  window.requestAnimationFrame = (then) => {
    frames += 1;
    return asks(then);
  };
  await new Promise((resolve) => { setTimeout(resolve, 300); });
  window.requestAnimationFrame = asks;
  return frames;
}"""
"""How many frames the page asks for in a while."""


def test_packets_move_only_while_one_watches(page: Any) -> None:
    assert soon(page, lambda: page.evaluate(FRAMES) == 0)
    page.click("#tab-play")
    assert settle(page) == "ready"
    moved = "document.querySelector('#play-text').textContent"
    before = page.evaluate(moved)
    assert soon(page, lambda: page.evaluate(FRAMES) > 0)
    assert soon(page, lambda: page.evaluate(moved) != before)
    page.click("#play-controls button")  # pause
    assert soon(page, lambda: page.evaluate(FRAMES) == 0)
    page.click("#play-controls button")
    assert soon(page, lambda: page.evaluate(FRAMES) > 0)
    page.click("#tab-time")
    assert soon(page, lambda: page.evaluate(FRAMES) == 0)
