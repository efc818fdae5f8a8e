"""Lines that are presets, recordings, or cut by a click: what the controls write, and what the pictures show of it."""

from __future__ import annotations

from typing import Any

import pytest

from dumbbell.spec.link import link
from webtab import chosen, dragged, settle, soon, typed

SPEC = """
duration = "20 s"

[path]
rate = "20 Mbit/s"
rtt = "40 ms"
buffer = "1 bdp"

[[flows]]
cc = "cubic"
"""
OUT = "0,20000000,,\n5,0,,\n8,10000000,,\n"
"""Nothing from 5 s to 8 s."""
CAPACITY = """() => explorer.picture.spec.usermeta.panels[0].layers.includes("capacity of the line")"""


def written(page: Any, path: str) -> Any:
    """What the experiment says at a path, as text."""
    keys = path.split(".")
    return page.evaluate("(keys) => { const at = keys.reduce((own, key) => own?.get?.(key), explorer.fields);"
                         " return at === undefined || at instanceof Map ? null : String(at); }", keys)  # fmt: skip


def pick(page: Any, label: str, value: str) -> str:
    page.get_by_label(label, exact=True).select_option(value)
    return settle(page)


def test_a_preset_takes_the_place_of_the_keys_that_it_has(page: Any) -> None:
    assert typed(page, SPEC) == "ready"
    assert pick(page, "Link", "dsl_25_5") == "ready"
    assert [written(page, f"path.{key}") for key in ("link", "rate", "rtt", "buffer")] == ["dsl_25_5", None, None, None]
    assert page.get_by_label("Rate, with its unit", exact=True).input_value() == "25 Mbit/s"
    assert page.get_by_role("checkbox", name="Way back").is_checked()
    assert page.get_by_role("checkbox", name="Way back").is_disabled()
    page.click("text=Where its values come from")
    sources = page.inner_text(".sources")
    assert all(key.path in sources for key in link("dsl_25_5").keys)


def test_a_value_of_its_own_goes_before_the_presets_and_stays_without_it(page: Any) -> None:
    assert typed(page, SPEC) == "ready"
    assert pick(page, "Link", "lte") == "ready"
    assert dragged(page, "Round trip", 500) == "ready"
    own = written(page, "path.rtt")
    assert own is not None
    assert pick(page, "Link", "") == "ready"
    assert [written(page, "path.link"), written(page, "path.rtt")] == [None, own]
    assert written(page, "path.rate") == link("lte").get("rate")


@pytest.mark.parametrize("way", ["click", "keys"])
def test_a_line_is_cut_where_one_points(page: Any, way: str) -> None:
    assert typed(page, SPEC) == "ready"
    assert not page.evaluate(CAPACITY)
    before = page.evaluate("explorer.generation")
    page.get_by_role("button", name="Cut the line").click()
    if way == "click":
        width = page.locator("#plot-time").bounding_box()["width"]
        page.locator("#plot-time").click(position={"x": width / 2, "y": 40})
    else:
        page.focus("#plot-time")
        for key in ("PageUp", "PageUp", "PageUp", "Enter"):
            page.keyboard.press(key)
    assert soon(page, lambda: page.evaluate("explorer.generation") > before)
    assert settle(page) == "ready"
    changes = page.evaluate("explorer.fields.get('path').get('change').map((each) => [...each.values()])")
    assert [rate for _, rate in changes] == ["0 bit/s", "20 Mbit/s"]
    begin_s, end_s = (float(at.removesuffix(" s")) for at, _ in changes)
    assert end_s == pytest.approx(begin_s + 1)
    assert way == "click" or begin_s == pytest.approx(6)
    assert page.evaluate(CAPACITY)
    page.get_by_role("button", name=f"out {changes[0][0]} to").click()
    assert settle(page) == "ready"
    assert not page.evaluate("explorer.fields.get('path').has('change')")


def test_a_recording_that_was_opened_can_be_the_line(page: Any) -> None:
    assert typed(page, SPEC) == "ready"
    assert page.get_by_label("Recording of the line", exact=True).is_hidden()
    text = f"# mine\ntime,rate,delay,loss\n{OUT}"
    page.set_input_files("#file", {"name": "cut.csv", "mimeType": "text/csv", "buffer": text.encode()})
    assert settle(page) == "ready"
    assert pick(page, "Recording of the line", "cut.csv") == "ready"
    assert [written(page, "path.trace"), written(page, "path.rate")] == ["cut.csv", None]
    assert page.evaluate(CAPACITY)
    page.get_by_role("button", name="Cut the line").click()
    page.focus("#plot-time")
    page.keyboard.press("PageUp")
    page.keyboard.press("Enter")
    assert soon(page, lambda: "recorded" in page.inner_text("#outages"))
    assert pick(page, "Recording of the line", "") == "ready"
    assert [written(page, "path.trace"), written(page, "path.rate")] == [None, "20 Mbit/s"]


def test_the_player_says_what_the_line_carries(page: Any) -> None:
    at = page.evaluate("explorer.presets.presets.findIndex(({ title }) => title.startsWith('A Starlink dish'))")
    assert chosen(page, at) == "ready"
    page.click("#tab-play")
    assert settle(page) == "ready"
    assert soon(page, lambda: "the line carries" in page.inner_text("#play-text"))
    most, out = page.evaluate("[explorer.player.stretch.line.most_bps, explorer.player.stretch.line.rateAt(12.03)]")
    assert most == pytest.approx(49.8e6, rel=0.01)
    assert out == 0
