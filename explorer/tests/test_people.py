"""The page as people use it: on a phone, by keys, with the units that they think in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from webtab import settle

WIDTHS = (400, 800, 1400)
BUFFER = "[aria-label='Buffer, with its unit']"


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_page(opened: Callable[..., Any], width: int) -> None:
    page = opened(width=width)
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    for tab in ("time", "seeds", "sweep", "map", "play"):
        page.click(f"#tab-{tab}")
        assert settle(page) == "ready"
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), tab


def test_on_a_phone_the_picture_and_the_sliders_are_seen_together(opened: Callable[..., Any]) -> None:
    page = opened(width=WIDTHS[0])
    page.evaluate("document.querySelector('#plot-time').scrollIntoView({ behavior: 'instant' })")
    assert page.evaluate("""() => {
        const [picture, sheet] = ["#plot-time", "#controls"]
            .map((one) => document.querySelector(one).getBoundingClientRect());
        return sheet.top - Math.max(0, picture.top) > 400 && sheet.bottom <= innerHeight && sheet.height > 200;
    }""")
    page.click("#sheet")
    assert not page.is_visible("#path")


def test_keys_move_the_cursor_and_its_numbers_are_told(page: Any) -> None:
    page.focus("#plot-time")
    page.keyboard.press("End")
    page.keyboard.press("PageDown")
    told = page.get_attribute("#plot-time", "aria-valuetext")
    assert told == page.inner_text("#at")
    assert told.startswith("54.0 s")
    assert "cwnd: BBR " in told
    assert "queue " in told
    assert page.is_visible("#cursor")
    page.keyboard.press("ArrowRight")
    assert page.get_attribute("#plot-time", "aria-valuetext").startswith("54.6 s")


@pytest.mark.parametrize(
    ("unit", "shown", "written"),
    [("ms", "25 ms", "250 kB"), ("kB", "250 kB", "250 kB"), ("packets", "165 packets", "165 packets"),
     ("bdp", "1 bdp", "1 bdp")],
)  # fmt: skip
def test_the_buffer_has_the_unit_that_is_chosen(page: Any, unit: str, shown: str, written: str) -> None:
    page.select_option("[aria-label='Unit of the buffer']", unit)
    assert settle(page) == "ready"
    assert page.input_value(BUFFER) == shown
    assert f'buffer = "{written}"' in page.evaluate("explorer.text")


def test_a_time_can_be_typed_for_the_buffer(page: Any) -> None:
    page.fill(BUFFER, "40 ms")
    page.keyboard.press("Tab")
    assert settle(page) == "ready"
    assert 'buffer = "400 kB"' in page.evaluate("explorer.text")
    assert page.input_value(BUFFER) == "40 ms"


def test_each_constant_of_the_registry_has_a_field(page: Any) -> None:
    names = page.evaluate("explorer.tables.simulated")
    for name in names:
        page.select_option("[data-field='flows[0].cc']", name)
        assert settle(page) == "ready"
        asked = page.evaluate(f"Object.keys(explorer.tables.algorithms.{name}.parameters)")
        fields = page.evaluate(
            "[...document.querySelectorAll('[data-field^=\"flows[0].cc.\"]')].map((it) => it.dataset.field)"
        )
        assert fields == [f"flows[0].cc.{each}" for each in asked]
