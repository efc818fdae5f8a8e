"""`python docs/site/explorer_pictures.py`: the documentation's pictures of the explorer, from the page that is built.

Needs Playwright (`explorer/requirements.lock`) and Debian's Chromium.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import sync_playwright

ROOT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = ROOT / "dist" / "explorer.html"
PICTURES: Final = ROOT / "docs" / "figures" / "explorer"
SETTLED: Final = "body[data-state=ready]"
SCROLLED: Final = "(what) => document.querySelector(what).scrollIntoView({ behavior: 'instant' })"
LONGEST_MS: Final = 120_000
DRAWN_MS: Final = 500
"""For a picture to be drawn once its numbers are there."""
WIDE: Final = {"width": 960, "height": 800}
PHONE: Final = {"width": 400, "height": 800}
SLOWER: Final = "40 Mbit/s"
"""Of the second hop: half the rate of the first."""
INSTANT: Final = 200
"""Where the play is held, thousandths of its two seconds."""
QUEUES: Final = "FQ-CoDel: a queue for each flow"
INSTANT_OF_MARKS: Final = 229
"""Of that one."""


def main() -> None:
    """Take them all."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        tab = _opened(browser, WIDE, "light")
        tab.click("#tour")
        _settle(tab)
        tab.evaluate(SCROLLED, "main")
        _taken(tab, "time")
        tab.evaluate(SCROLLED, "body")
        for _ in range(3):
            tab.click('[data-go="on"]')
            _settle(tab)
        _taken(tab, "tour")
        tab = _opened(browser, WIDE, "light")
        for title in ("Second hop", "Way back"):
            tab.get_by_role("checkbox", name=title, exact=True).check()
            _settle(tab)
        rate = tab.get_by_role("textbox", name="Rate of the second hop, with its unit")
        rate.fill(SLOWER)
        rate.blur()
        _settle(tab)
        tab.select_option("[data-field='flows[1].direction']", "up")
        _settle(tab)
        tab.evaluate(SCROLLED, ".tabs")
        tab.evaluate("document.querySelector('.hop').scrollIntoView({ behavior: 'instant', block: 'center' })")
        _taken(tab, "hops")
        tab = _opened(browser, WIDE, "light")
        tab.get_by_role("button", name="Cut the line").click()
        tab.focus("#plot-time")
        for key in ("PageUp", "PageUp", "PageUp", "Enter"):
            tab.keyboard.press(key)
        tab.wait_for_selector(".outages button")
        _settle(tab)
        tab.evaluate(SCROLLED, ".tabs")
        _taken(tab, "outage")
        tab = _opened(browser, WIDE, "dark")
        tab.select_option("#preset", label="Cao 2019: when to use BBR")
        _taken(tab, "map-dark")
        tab = _opened(browser, WIDE, "light")
        tab.click("#tab-play")
        _settle(tab)
        _pause(tab, INSTANT)
        _taken(tab, "play", "#view-play")
        tab = _opened(browser, WIDE, "light")
        tab.select_option("#preset", label=QUEUES)
        _settle(tab)
        _pause(tab, INSTANT_OF_MARKS)
        _taken(tab, "queues", "#view-play")
        tab = _opened(browser, PHONE, "light")
        tab.evaluate(SCROLLED, ".tabs")
        _taken(tab, "phone")
        browser.close()


def _pause(tab: Any, at: int) -> None:  # noqa: ANN401 (Playwright's)
    """Holds the play at an instant."""
    tab.locator("#play-controls input").nth(1).evaluate(
        "(it, at) => { it.value = at; it.dispatchEvent(new Event('input')); }", at
    )


def _opened(browser: Any, size: dict[str, int], scheme: str) -> Any:  # noqa: ANN401 (Playwright's)
    tab = browser.new_page(viewport=size, color_scheme=scheme, reduced_motion="reduce")
    tab.goto(PAGE.as_uri())
    _settle(tab)
    return tab


def _settle(tab: Any) -> None:  # noqa: ANN401 (as above)
    tab.wait_for_selector(SETTLED, timeout=LONGEST_MS)
    tab.wait_for_timeout(DRAWN_MS)


def _taken(tab: Any, name: str, part: str = "") -> None:  # noqa: ANN401 (as above)
    _settle(tab)
    (tab.locator(part) if part else tab).screenshot(path=PICTURES / f"{name}.png")


if __name__ == "__main__":
    main()
