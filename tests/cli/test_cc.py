from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from commandline import dumbbell
from dumbbell import cc
from dumbbell.engines.catalogue import catalogue


def as_json(*arguments: str) -> Any:
    return json.loads(dumbbell("cc", *arguments, "--json").stdout)


def test_the_list_has_every_algorithm_and_every_variant() -> None:
    rows = as_json("list")
    names = [*catalogue(), *cc.variants()]
    assert [row["name"] for row in rows] == names
    lines = [line.split() for line in dumbbell("cc", "list", COLUMNS="200").stdout.splitlines()]
    assert [line[0] for line in lines if line[0] not in {"variant", "name"}] == names
    engines = {row["name"]: row["engines"] for row in rows}
    assert engines["bbr_4_17"][:2] == engines["cubic"][:2] == ["sim", "linux"]
    assert engines["vegas"][0] == "linux"


@pytest.mark.parametrize("name", ["bbr[cwnd_gain=1.5]", "dctcp", "lp", "prague", "vegas"])
def test_what_is_shown(name: str, snapshot: SnapshotAssertion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parameters with unit, default, range and source; what behaves as Reno says so and why."""
    monkeypatch.setattr("dumbbell.engines.catalogue.own_controls", set[str])
    no_kernels = {"XDG_CACHE_HOME": str(tmp_path)}  # those that this machine has are engines, too
    assert dumbbell("cc", "show", name, **no_kernels).stdout == snapshot


@pytest.mark.parametrize("name", [*cc.installed(), *cc.variants()])
def test_every_name_can_be_shown(name: str) -> None:
    shown = as_json("show", name)
    assert shown["name"] == name
    values = {each["name"]: each["value"] for each in shown["parameters"]}
    variant = cc.variants().get(name)
    if variant:
        assert shown["algorithm"] == variant.base
        assert {key: values[key] for key in variant.parameters} == dict(variant.parameters)
