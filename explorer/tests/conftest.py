"""The page in Debian's Chromium, and node.

Where one of them is not there, its tests are skipped; in continuous integration they fail.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from webtab import PAGE, WASM, settle

MINE = ("file:", "blob:", "data:")


def cannot(why: str) -> NoReturn:
    """Continuous integration installs all that tests need, so what is not there is a failure."""
    if os.environ.get("CI"):
        pytest.fail(why)
    pytest.skip(why)


@pytest.fixture(scope="session")
def node() -> str:
    """The path of node."""
    return shutil.which("node") or cannot("no node here: make browsers")


@pytest.fixture(scope="session")
def in_node(node: str, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., list[Any]]:
    """What a program beside the tests makes of what it is given, in node: a value a line of JSON."""
    if not WASM.is_file():
        cannot(f"no simulator at {WASM}: make explorer")

    def answers(program: str, **given: Any) -> list[Any]:
        file = tmp_path_factory.mktemp("node") / "given.json"
        file.write_text(json.dumps(given | {"wasm": str(WASM)}), encoding="utf-8")
        command = [node, str(Path(__file__).with_name(program)), str(file)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    return answers


@pytest.fixture(scope="session")
def playwright() -> Iterator[Any]:
    """The library that drives browsers."""
    try:
        from playwright import sync_api  # noqa: PLC0415 (not everybody has it)
    except ImportError:
        cannot("no Playwright here: make test-explorer installs it")
    if not PAGE.is_file():
        cannot(f"no page at {PAGE}: make explorer")
    with sync_api.sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def browser(playwright: Any) -> Iterator[Any]:
    """Chromium."""
    chromium = shutil.which("chromium") or cannot("no Chromium here: make browsers")
    launched = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
    yield launched
    launched.close()


@pytest.fixture(scope="session")
def firefox(playwright: Any) -> Iterator[Any]:
    """Firefox as Debian has it, over WebDriver BiDi: `channel` says that it is not Playwright's own build."""
    program = shutil.which("firefox-esr") or cannot("no Firefox here: make browsers")
    launched = playwright.firefox.launch(executable_path=program, channel="moz-firefox")
    yield launched
    launched.close()


class Watch:
    """Opens the page, and keeps what it complains of and what it asks of a network."""

    def __init__(self, browser: Any) -> None:
        self.browser = browser
        self.complaints: list[str] = []
        self.contexts: list[Any] = []

    def __call__(self, link: str = PAGE.as_uri(), width: int = 1200, **how: Any) -> Any:
        """The page or a link to it in a context of its own, once it is not running."""
        context = self.browser.new_context(viewport={"width": width, "height": 900}, **how)
        self.contexts.append(context)
        tab = context.new_page()
        tab.on("pageerror", lambda error: self.complaints.append(str(error)))
        tab.on("console", lambda message: self.complaints.append(message.text) if message.type == "error" else None)
        tab.on("request", lambda request: None if request.url.startswith(MINE) else self.complaints.append(request.url))
        tab.goto(link)
        settle(tab)
        return tab

    def close(self) -> None:
        """Nothing may have been complained of, or asked for."""
        for context in self.contexts:
            context.close()
        assert self.complaints == []


@pytest.fixture
def opened(browser: Any) -> Iterator[Watch]:
    """Opens the page in Chromium, as often as is called."""
    watch = Watch(browser)
    yield watch
    watch.close()


@pytest.fixture(scope="module")
def opened_for_all(browser: Any) -> Iterator[Watch]:
    """Opens the page in Chromium for all tests of a file, which leave it as it is."""
    watch = Watch(browser)
    yield watch
    watch.close()


@pytest.fixture
def opened_in_firefox(firefox: Any) -> Iterator[Watch]:
    """Opens the page in Firefox."""
    watch = Watch(firefox)
    yield watch
    watch.close()


@pytest.fixture
def page(opened: Watch) -> Any:
    """The page as it is when it has opened."""
    return opened()
