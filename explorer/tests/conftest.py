"""The page in Debian's Chromium, and node.

Where one of them is not there, its tests are skipped; in continuous integration they fail.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import pytest

from webtab import PAGE, settle

Open = Callable[..., Any]
MINE = ("file:", "blob:", "data:")


def cannot(why: str) -> NoReturn:
    """Continuous integration installs all that tests need, so what is not there is a failure."""
    if os.environ.get("CI"):
        pytest.fail(why)
    pytest.skip(why)


@pytest.fixture(scope="session")
def node() -> str:
    """The path of node."""
    return shutil.which("node") or cannot("no node here: make browser")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    try:
        from playwright import sync_api  # noqa: PLC0415 (not everybody has it)
    except ImportError:
        cannot("no Playwright here: make test-explorer installs it")
    if not PAGE.is_file():
        cannot(f"no page at {PAGE}: make explorer")
    chromium = shutil.which("chromium") or cannot("no Chromium here: make browser")
    with sync_api.sync_playwright() as started:
        launched = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture
def opened(browser: Any) -> Iterator[Open]:
    """Opens the page, or a link to it, in a context of its own; no complaint, and no request on a network, may come."""
    complaints: list[str] = []
    contexts = []

    def opened(link: str = PAGE.as_uri(), width: int = 1200, **how: Any) -> Any:
        context = browser.new_context(viewport={"width": width, "height": 900}, **how)
        contexts.append(context)
        tab = context.new_page()
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        tab.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        tab.on("request", lambda asked: None if asked.url.startswith(MINE) else complaints.append(asked.url))
        tab.goto(link)
        settle(tab)
        return tab

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def page(opened: Open) -> Any:
    """The page as it is when it has opened."""
    return opened()
