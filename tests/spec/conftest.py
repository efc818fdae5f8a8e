"""What the tests of the spec share: a registry of their own."""

from __future__ import annotations

import pytest

from dumbbell import cc
from dumbbell.cc import Registry


def _parameter(name: str, default: float, least: float, most: float, kind: str = "number") -> dict[str, object]:
    words = {"name": name, "about": f"what {name} does", "unit": "", "kind": kind, "source": "Linux 6.1"}
    return words | {"default": default, "range": (least, most)}


BBR = [
    _parameter("high_gain", 2.885, 1, 16),
    _parameter("cwnd_gain", 2, 0.1, 16),
    _parameter("probe_gain", 1.25, 0.1, 16),
    _parameter("policer", 1, 0, 1, "switch"),
    _parameter("extra_acked_gain", 1, 0, 16),
    _parameter("pacing_margin", 1, 0, 99, "integer"),
    _parameter("quantisation_slack", 2, 0, 1e6, "integer"),
    _parameter("min_rtt_equal_refresh", 0, 0, 1, "switch"),
]


@pytest.fixture
def registry() -> Registry:
    return cc.registry_of(
        {"name": name, "title": f"title of {name}", "source": "a paper", "parameters": parameters}
        for name, parameters in (("bbr", BBR), ("cubic", []), ("reno", [_parameter("beta", 0.5, 0.05, 0.99)]))
    )


@pytest.fixture(autouse=True)
def _no_simulator(monkeypatch: pytest.MonkeyPatch, registry: Registry) -> None:
    """Nothing here may depend on what the simulator has."""
    monkeypatch.setattr(cc, "installed", lambda: registry)
