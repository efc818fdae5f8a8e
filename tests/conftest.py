"""What every command under test finds: a store of its own, never the checkout's, and Ctrl-C that interrupts."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from commandline import MOMENT

hypothesis.settings.register_profile("any machine", deadline=None)  # how long an example takes says nothing when busy
hypothesis.settings.load_profile("any machine")


REAL_TIME = ("captures/test_loopback", "engines/hosts/", "engines/test_netns", "cli/test_live")
"""Where tests run in real time, as those with the fixture `live` do: one may fail once, of a busy machine."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that take long are begun first, so that none is left when the others are through."""
    takes_s: Counter[Path] = Counter()
    for item in items:
        live = "live" in getattr(item, "fixturenames", ())
        if live or any(f"/tests/{beginning}" in item.path.as_posix() for beginning in REAL_TIME):
            item.add_marker(pytest.mark.flaky(reruns=1))
        long = item.get_closest_marker("long")
        takes_s[item.path] += long.kwargs.get("takes_s", 20) if long else 2 * bool(item.get_closest_marker("slow"))
    items.sort(key=lambda item: -takes_s[item.path])


@pytest.fixture(scope="session", autouse=True)
def _store_of_the_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    store = tmp_path_factory.mktemp("store") / "results"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DUMBBELL_STORE", os.fspath(store))
        yield store


@pytest.fixture(scope="session", autouse=True)
def _interrupts() -> None:
    """What is started in a shell's background ignores SIGINT, and so would all that it starts."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def moment(tmp_path: Path) -> Path:
    """Path of a spec that is over in a moment."""
    path = tmp_path / "moment.toml"
    path.write_text(MOMENT, encoding="utf-8")
    return path
