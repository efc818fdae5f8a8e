"""Cores, and who holds them."""

from __future__ import annotations

import os
from contextlib import ExitStack

import pytest

from dumbbell.engines import cores

pytestmark = pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="only Linux tells cores apart")


def test_each_core_has_one_holder_and_is_free_again_when_it_has_ended() -> None:
    allowed = os.sched_getaffinity(0)
    with ExitStack() as holders:
        held = [holders.enter_context(cores.reserve_core()) for _ in range(len(allowed) + 1)]
        found = [core for core in held if core is not None]
        # Runs of somebody else may hold some.
        assert len(found) == len(set(found)) <= len(allowed)
        assert set(found) <= allowed
        assert held[-1] is None
    with cores.reserve_core() as core:
        assert core in found or not found
