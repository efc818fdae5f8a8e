"""Single flows of the simulator over those of a real kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from dev.curves.judgement import compare_curves, experiments
from dumbbell.comparison.campaigns import Sides
from dumbbell.engines.linux import LinuxEngine
from dumbbell.engines.sim import SimEngine
from dumbbell.results.store import Store
from dumbbell.spec import load

pytestmark = pytest.mark.slow


@pytest.mark.long
def test_a_loss_epoch_of_cubic_and_the_phases_of_bbr_are_the_kernels(linux: LinuxEngine, tmp_path: Path) -> None:
    sides = Sides(SimEngine(), linux, 3, 0)
    chosen = [load(each, overrides={"duration": "25 s"}) for each in experiments()
              if each.name in {"curve-cubic-1", "curve-bbr-1"}]  # fmt: skip
    assert len(chosen) == 2
    with Store.open(tmp_path / "store", write=True) as store:
        curves = compare_curves(store, chosen, sides)
    assert not [each for case in curves.cases for each in case.failures]
    broken = {f"{case.cc}: {each.label}": each.difference for case in curves.cases for each in case.comparisons
              if not each.holds}  # fmt: skip
    assert broken == {}
    cubic, bbr = curves.cases
    assert cubic.epochs["reference"] == cubic.epochs["candidate"] >= 15
    assert {"phases", "startup_s", "probe_rtt_length_s"} <= {each.key for each in bbr.comparisons}
