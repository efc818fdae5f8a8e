"""A second hop and a way back: by controls, drawn, measured as the native build does, and off again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from test_sharing import link, text
from webtab import chosen, dragged, measurements, run_id, settle, soon, typed

LABELS = "explorer.picture.spec.usermeta.panels.at(-1).layers"
QUEUES = """explorer.picture.spec.concat.at(-1).layer.filter(({ data }) => data?.name)
  .map(({ data }) => [data.values.length, Math.max(...data.values.map(({ y }) => y))])"""
DASHES = """explorer.picture.spec.concat.at(-1).layer.filter(({ data }) => data?.name)
  .map(({ layer }) => String((layer[0].layer ?? layer)[0].mark.strokeDash))"""
RATE, BUFFER = "Rate of the second hop", "Buffer of the second hop"
HEIGHT = "document.querySelector('#plot-time canvas:not(.traces)').clientHeight"
DISABLED = "(it) => it.disabled"
THREE = """
duration = "3 s"

[path]
rtt = "30 ms"
bottleneck = "core"

[[path.back.hops]]
name = "uplink"
rate = "2 Mbit/s"
buffer = "20 packets"

[[path.back.hops]]
name = "home"
rate = "3 Mbit/s"
buffer = "20 packets"

[[hops]]
name = "door"
rate = "20 Mbit/s"
buffer = "1 bdp"
delay = "2 ms"

[[hops]]
name = "core"
rate = "10 Mbit/s"
buffer = "1 bdp"

[[hops]]
name = "last"
rate = "15 Mbit/s"
buffer = "1 bdp"

[[flows]]
cc = "cubic"

[[flows]]
name = "crossing"
cc = "bbr"
route = ["core", "last"]

[[flows]]
name = "up"
cc = "reno"
direction = "up"
"""


def switched(page: Any, title: str, *, on: bool = True) -> str:
    """The state once a queue has been switched on or off."""
    page.get_by_role("checkbox", name=title, exact=True).set_checked(on)
    return settle(page)


def written(page: Any, label: str, value: str) -> str:
    """The state once a text has been written beside a slider."""
    page.fill(f"[aria-label='{label}, with its unit']", value)
    page.keyboard.press("Tab")
    return settle(page)


def native(page: Any, folder: Path, *, hops: bool = True) -> bool:
    """Whether the measurement that is shown, of several queues or of one, has the bytes of the native build."""
    own = page.evaluate("explorer.sharing.json()")
    shown = json.loads(own)
    measured = measurements(shown["spec"], folder)[0]
    return bool(json.loads(measured).get("hops")) == hops and own.endswith(f'"measurement":{measured}' + "}\n")


def test_a_second_hop_has_a_queue_that_is_drawn(page: Any, tmp_path: Path) -> None:
    assert switched(page, "Second hop") == "ready"
    assert written(page, RATE, "40 Mbit/s") == "ready"
    assert page.evaluate(LABELS) == ["queue; first", "queue; second"]
    (samples, first), (_, second) = page.evaluate(QUEUES)
    assert samples > 1000
    assert second > 10 * first > 0, "the second one is the bottleneck now"
    assert len(set(page.evaluate(DASHES))) == 2, "their dashes differ"
    assert page.locator("#phases .drops").count() == 2
    assert "The bottleneck, second, is 9" in page.inner_text("#answer")
    rows = page.locator("#queues tbody tr").all_inner_texts()
    assert [row.split("\t")[:2] for row in rows] == [["first", "down"], ["second (bottleneck)", "down"]]
    assert page.input_value(f"[aria-label='{BUFFER}, with its unit']") == "1 bdp"
    assert native(page, tmp_path)

    assert dragged(page, RATE, 400) == "ready"
    assert "The bottleneck, first, is 9" in page.inner_text("#answer")


def test_data_goes_up_where_there_is_a_way_back(page: Any, opened: Any, tmp_path: Path) -> None:
    direction = "[data-field='flows[1].direction']"
    assert page.locator(direction).count() == 0
    assert switched(page, "Way back") == "ready"
    assert written(page, "Rate of the way back", "40 Mbit/s") == "ready"
    alone = page.evaluate("explorer.summary.groups.get('cubic').goodput_bps")
    page.focus(direction)
    page.keyboard.type("up")
    assert settle(page) == "ready"
    assert page.evaluate("document.activeElement.dataset.field") == "flows[1].direction"
    assert page.evaluate(LABELS) == ["queue; bottleneck", "queue; back"]
    assert all(most > 1 for _, most in page.evaluate(QUEUES))
    assert "On the way back cubic carries 3" in page.inner_text("#answer")
    assert page.evaluate("explorer.summary.groups.get('cubic').goodput_bps") != alone
    assert page.evaluate("[...explorer.summary.groups.values()].map(({ share }) => share)") == [1, 1]
    assert native(page, tmp_path)
    # The picture takes in new numbers, and has the height of one that is drawn anew: nothing of the legend is cut off.
    assert opened(link(page)).evaluate(HEIGHT) == page.evaluate(HEIGHT)


def test_off_again_the_spec_is_what_it_was(page: Any) -> None:
    for preset in range(page.evaluate("explorer.presets.presets.length")):
        assert chosen(page, preset) == "ready"
        if page.evaluate("explorer.fields.get('path').has('link')"):  # one hop, with a way back of its own
            assert all(page.get_by_role("checkbox", name=name).is_disabled() for name in ("Second hop", "Way back"))
            continue
        before = page.evaluate("explorer.tables.spec.toml(explorer.fields)")
        for title in ("Second hop", "Way back"):
            assert switched(page, title) == "ready", preset
        page.select_option("[data-field='flows[0].direction']", "up")
        assert settle(page) == "ready"
        for title in ("Way back", "Second hop"):
            assert switched(page, title, on=False) == "ready", preset
        assert text(page) == before
        assert page.is_hidden("#queues")
        assert page.evaluate(LABELS) == ["queue"]


def test_controls_write_where_the_queue_is_written(page: Any) -> None:
    assert switched(page, "Second hop") == "ready"
    for label, value in (("Rate", "50 Mbit/s"), ("Random loss", "0.1 %"), ("Buffer", "300 kB"), (BUFFER, "30 ms")):
        assert written(page, label, value) == "ready"
    assert page.evaluate("explorer.fields.get('hops').map((hop) => [...hop])") == [
        [["name", "first"], ["rate", "50 Mbit/s"], ["buffer", "300 kB"], ["loss", "0.1 %"]],
        [["name", "second"], ["rate", "80 Mbit/s"], ["buffer", "30 ms"]],
    ]
    page.select_option("[aria-label='Unit of the buffer of the second hop']", "bdp")
    assert settle(page) == "ready"
    # 30 ms of 80 Mbit/s are 300 kB; a BDP is that of the bottleneck, 50 Mbit/s over 25 ms, 156.25 kB.
    assert page.input_value(f"[aria-label='{BUFFER}, with its unit']") == "1.92 bdp"
    page.select_option("[data-field='flows[1].route']", "second")
    assert settle(page) == "ready"
    assert 'route = ["second"]' in text(page)
    assert switched(page, "Second hop", on=False) == "ready"
    assert "route" not in text(page)


def test_what_hops_have_no_word_for_is_said_and_nothing_is_lost(page: Any) -> None:
    spec = text(page).replace("[path]\n", '[path]\nloss = "1 %"\nloss_at = "after"\n')
    assert typed(page, spec) == "ready"
    before = page.evaluate("explorer.tables.spec.toml(explorer.fields)")
    assert switched(page, "Second hop") == "failed"
    assert page.locator("#problems li").count() == 1
    assert "path.loss_at: says nothing of [[hops]]" in page.inner_text("#problems")
    assert switched(page, "Second hop", on=False) == "ready"
    assert sorted(text(page).splitlines()) == sorted(before.splitlines())


def test_more_hops_than_controls_run_and_are_drawn(page: Any, opened: Any, tmp_path: Path) -> None:
    (tmp_path / "three.toml").write_text(THREE, encoding="utf-8")
    page.set_input_files("#file", tmp_path / "three.toml")
    assert soon(page, lambda: page.evaluate("explorer.shown?.text.includes('uplink')"))
    assert settle(page) == "ready"
    assert page.evaluate(LABELS) == [f"queue; {name}" for name in ("door", "core", "last", "uplink", "home")]
    assert len(set(page.evaluate(DASHES))) >= 4
    notes = page.locator(".hop > small").all_inner_texts()
    assert notes == ["last has no controls: change it as TOML, below", "home has no controls: change it as TOML, below"]
    assert all(each.is_disabled() for each in page.locator(".hop [type=checkbox]").all())
    assert written(page, "Rate of the way back", "1 Mbit/s") == "ready"
    assert page.evaluate("explorer.fields.get('path').get('back').get('hops')[0].get('rate')") == "1 Mbit/s"
    assert page.input_value("[data-field='flows[1].route']") == "core, last"
    assert native(page, tmp_path)

    other = opened(link(page))
    assert text(other) == text(page)
    assert run_id(other) == run_id(page)

    page.click("#tab-play")
    assert settle(page) == "ready"
    others = "explorer.player.stretch.others.map(({ name, side, place, count }) => [name, side, place, count])"
    assert page.evaluate(others) == [
        ["door", "before", 0, 1], ["last", "behind", 0, 1], ["uplink", "back", 1, 2], ["home", "back", 0, 2],
    ]  # fmt: skip
    assert "in door" in page.inner_text("#play-text")
    assert "not drawn: up, whose data pass other queues" in page.inner_text("#play-text")


def test_a_sweep_goes_over_a_hop_that_is_there(page: Any, opened: Any) -> None:
    option = page.locator("#sweep-controls option[value='hops[1].rate']")
    assert option.evaluate(DISABLED)
    assert switched(page, "Second hop") == "ready"
    page.click("#tab-sweep")
    assert settle(page) == "ready"
    assert not option.evaluate(DISABLED)
    page.select_option("#sweep-controls select >> nth=0", "hops[1].rate")
    page.fill("#sweep-controls .values", "10 Mbit/s, 40 Mbit/s")
    page.keyboard.press("Tab")
    assert settle(page) == "ready"
    goodput = page.locator("#sweep-controls select >> nth=1")
    goodput.select_option("goodput")
    assert settle(page) == "ready"
    layers = page.evaluate(
        "explorer.survey.curves.spec.concat[0].layer.filter(({ data }) => data?.name)"
        ".map(({ data }) => data.values.map(({ y }) => y))"
    )
    slow, fast = (sum(each) for each in zip(*layers, strict=True))
    assert 8 < slow < 10
    assert 32 < fast < 40
    other = opened(link(page))
    assert other.evaluate("explorer.survey.x.path") == "hops[1].rate"

    assert switched(page, "Second hop", on=False) == "failed"
    assert "hops[1].rate: this experiment has no such queue" in page.inner_text("#problems")


HALF = 'duration = "1 s"\n[path]\nrtt = "9 ms"\n{}\n[[flows]]\ncc = "bbr"\ndirection = {}\nroute = {}\n'
BROKEN = [
    HALF.format('[[hops]]\nname = 5\nrate = ["1 Mbit/s"]\n[[hops]]\nbuffer = 3', '["down", "up"]', "5"),
    HALF.format("back = { hops = 3 }", "7", '[1, "a"]'),
    HALF.format("back = { hops = [1] }", '"up"', '"back"'),
    "hops = [1, 2]\n" + HALF.format("back = 4", '"up"', "[]"),
    "path = 5\nhops = [[1]]\nflows = [1]\n",
]


def test_half_written_hops_are_problems_like_any_other(page: Any) -> None:
    """The page keeps its picture and its controls: its tests allow no error on the console."""
    for spec in BROKEN:
        assert typed(page, spec) == "failed", spec
        assert page.locator("#problems li").count() > 0
        for box in page.locator(".hop [type=checkbox]:enabled").all():
            box.click()
            assert settle(page) in {"ready", "failed"}
            assert typed(page, spec) == "failed"
    assert chosen(page, 0) == "ready"


@pytest.mark.parametrize("width", [420, 1280])
def test_all_of_it_fits_the_screen(opened: Any, width: int) -> None:
    page = opened(width=width)
    assert typed(page, THREE) == "ready"
    for tab in ("time", "play"):
        page.click(f"#tab-{tab}")
        assert settle(page) == "ready"
        wide = "(({ clientWidth, scrollWidth }) => [clientWidth, scrollWidth])(document.documentElement)"
        assert page.evaluate(wide) == [width, width], tab
        assert page.evaluate("""[...document.querySelectorAll("#controls .hop, #controls .card *")]
            .every((it) => it.getBoundingClientRect().right <= innerWidth)""")


def test_firefox_has_both_with_the_bytes_of_the_native_build(opened_in_firefox: Any, tmp_path: Path) -> None:
    page = opened_in_firefox()
    for title in ("Second hop", "Way back"):
        assert switched(page, title) == "ready"
    page.select_option("[data-field='flows[1].direction']", "up")
    assert settle(page) == "ready"
    assert page.evaluate(LABELS) == ["queue; first", "queue; second", "queue; back"]
    assert native(page, tmp_path)
