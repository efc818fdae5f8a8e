"""What the tests of the spec share: a small registry."""

from __future__ import annotations

import pytest

from dumbbell import cc
from dumbbell.cc import Registry


@pytest.fixture
def registry() -> Registry:
    return {name: cc.installed()[name] for name in ("bbr", "cubic", "reno")}
