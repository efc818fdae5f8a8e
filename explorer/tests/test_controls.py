"""Controls: the buffer in the units that people think in, and every constant of an algorithm."""

from __future__ import annotations

from typing import Any

import pytest

from webtab import settle

BUFFER = "[aria-label='Buffer, with its unit']"


@pytest.mark.parametrize(
    ("unit", "shown", "written"),
    [("ms", "25 ms", "25 ms"), ("kB", "250 kB", "250 kB"), ("packets", "165 packets", "165 packets"),
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
    assert 'buffer = "40 ms"' in page.evaluate("explorer.text")
    assert page.input_value(BUFFER) == "40 ms"


def test_each_constant_of_the_registry_has_a_field(page: Any) -> None:
    names = page.evaluate("explorer.tables.simulated")
    for name in names:
        page.select_option("[data-field='flows[0].cc']", name)
        assert settle(page) == "ready"
        parameters = page.evaluate(f"Object.keys(explorer.tables.algorithms.{name}.parameters)")
        fields = page.evaluate(
            "[...document.querySelectorAll('[data-field^=\"flows[0].cc.\"]')].map((it) => it.dataset.field)"
        )
        assert fields == [f"flows[0].cc.{each}" for each in parameters]


def test_what_was_unfolded_stays_so_whatever_is_changed(page: Any) -> None:
    page.click("#flows .card:first-child summary")
    for field, value in ((BUFFER, "40 ms"), ("[data-field='flows[0].count']", "2")):
        page.fill(field, value)
        page.keyboard.press("Tab")
        assert settle(page) == "ready"
        assert page.is_visible("[data-field='flows[0].cc.cwnd_gain']"), field


def test_a_field_shows_what_was_made_of_what_was_typed(page: Any) -> None:
    page.fill("[data-field='flows[0].count']", "0")
    page.keyboard.press("Tab")
    assert settle(page) == "ready"
    assert page.input_value("[data-field='flows[0].count']") == "1"


def test_only_what_the_simulator_has_can_be_chosen(page: Any) -> None:
    chosen = page.evaluate(
        "[...document.querySelectorAll('[data-field=\"flows[0].cc\"] option')].map((it) => [it.value, it.disabled])"
    )
    here = page.evaluate("explorer.tables.simulated")
    assert {name for name, disabled in chosen if not disabled} >= {*here, "bbr_4_17"}
    assert {"vegas", "bbr2"} & {name for name, disabled in chosen if disabled} == {"vegas"}
