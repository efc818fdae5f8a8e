"""The scenarios of RFC 7928 in `examples/rfc7928`, each in short."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import dumbbell
from commandline import ROOT

SPECS = sorted((ROOT / "examples/rfc7928").glob("*.toml"))


def shortened(spec: Path) -> dict[str, Any]:
    """For five seconds, with all flows from the beginning on."""
    fields = tomllib.loads(spec.read_text(encoding="utf-8"))
    flows = [{key: value for key, value in own.items() if key not in {"start", "stop"}} for own in fields["flows"]]
    return fields | {"duration": "5 s", "seeds": 1, "flows": flows, "measure": {"window": ["1 s", "5 s"]}}


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.stem)
def test_a_scenario_runs_behind_every_queue(spec: Path, tmp_path: Path) -> None:
    results = dumbbell.run(shortened(spec), store=tmp_path)
    means = results.means("utilization")
    assert set(means["path.qdisc"]) == {"fifo", "codel", "fq_codel", "pie"}
    assert (means["mean"] > 50).all()


def test_flows_are_as_many_as_the_rfc_has() -> None:
    """Sections 8.2.2 to 8.2.4; S is what the path and its queue hold, in packets of 1514 B."""
    capacity = 2 * 83
    for name, part in (("mild", 0.036), ("medium", 0.081), ("heavy", 0.114)):
        (flows,) = tomllib.loads((ROOT / f"examples/rfc7928/{name}.toml").read_text(encoding="utf-8"))["flows"]
        assert flows["count"] == round(part * capacity)


def test_its_page_names_every_spec() -> None:
    page = (ROOT / "examples/rfc7928/README.md").read_text(encoding="utf-8")
    assert {*re.findall(r"`([a-z-]+)\.toml`", page)} == {spec.stem for spec in SPECS}


def test_queues_that_are_compared_have_an_ellipse_each(tmp_path: Path) -> None:
    results = dumbbell.run(shortened(ROOT / "examples/rfc7928/heavy.toml"), store=tmp_path)
    results.plot.ellipses().save(tmp_path / "ellipses.svg")
    text = (tmp_path / "ellipses.svg").read_text(encoding="utf-8")
    assert all(f"qdisc {name}" in text for name in ("fifo", "codel", "fq_codel", "pie"))
