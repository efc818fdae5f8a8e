"""`docs/suites.md` has every scenario of every suite, and says of each that is missing why."""

from __future__ import annotations

import json
from pathlib import Path

from commandline import ROOT
from dumbbell.suites import load, names
from suites import page

PAGE = ROOT / "docs/suites.md"


def test_it_has_every_scenario_and_every_reason() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for suite in map(load, names()):
        assert f"## {suite.name}: {suite.manifest.source}" in text
        for name, scenario in suite.manifest.scenarios.items():
            assert f"| `{name}` | {scenario.title} |" in text, f"make suites: {suite.name}/{name}"
            assert " ".join(scenario.missing.split()) in text


def test_a_row_has_what_decides_and_what_each_algorithm_comes_to(tmp_path: Path) -> None:
    own = {"scenario": "coexist", "cc": "bbr", "status": "fails", "unit": "Mbit/s", "ours": 1.5, "baseline": 22.0}
    own |= {"verdict": "fails", "measured": "goodput of cubic", "decisive": True}
    holds = own | {"verdict": "holds", "measured": "utilization", "decisive": False}
    other = {"scenario": "coexist", "cc": "reno", "status": "undecided"}
    (tmp_path / "nsperf.json").write_text(json.dumps([holds, own, other]), encoding="utf-8")
    linux = [{"scenario": "coexist", "cc": "bbr", "status": "holds"}]
    linux += [{"scenario": "shallow", "cc": "bbr", "status": "refused", "why": "path.loss: not here"}]
    (tmp_path / "nsperf-linux.json").write_text(json.dumps(linux), encoding="utf-8")
    text = page(tmp_path)
    row = "| coexist | `coexist` | with CUBIC | goodput of cubic | 1.50 Mbit/s | 22.0 Mbit/s |"
    assert f"{row} fails | - | - | undecided | runs |" in text
    assert "- `shallow` on `linux`: path.loss: not here" in text
