"""What the tests of the spec share: a registry of their own, and a spec to start from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from dumbbell import cc
from dumbbell.spec import Experiment, SpecError, expand, load, resolve

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dumbbell.cc import Registry
    from dumbbell.spec import Problem, Resolved


def _parameter(name: str, default: float, least: float, most: float, kind: str = "number") -> dict[str, object]:
    return {
        "name": name,
        "about": f"what {name} does",
        "unit": "",
        "default": default,
        "range": (least, most),
        "kind": kind,
        "source": "Linux 6.1",
    }


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


@pytest.fixture
def words() -> dict[str, Any]:
    """The smallest spec: what has no default."""
    return {
        "duration": "10 s",
        "path": {"rate": "80 Mbit/s", "rtt": "25 ms", "buffer": "1 bdp"},
        "flows": [{"cc": "bbr"}],
    }


@pytest.fixture
def problems_of() -> Callable[..., list[Problem]]:
    """Every problem of a spec that has some."""

    def problems(source: str | Path | dict[str, Any], **options: object) -> list[Problem]:
        with pytest.raises(SpecError) as caught:
            load(source, **options)  # type: ignore[arg-type]
        return caught.value.problems

    return problems


@pytest.fixture
def resolved() -> Callable[..., list[Resolved]]:
    """Every point of a spec, resolved with one seed."""

    def resolve_all(source: str | dict[str, Any] | Experiment, seed: int = 1, **options: object) -> list[Resolved]:
        return [resolve(point, seed) for point in expand(load(source, **options))]  # type: ignore[arg-type]

    return resolve_all
