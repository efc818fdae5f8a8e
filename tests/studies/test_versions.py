"""Studies are about version 1 of BBR."""

from __future__ import annotations

from pathlib import Path

import pytest

from dumbbell.engines.linux import LinuxEngine
from dumbbell.kernel import Kernel
from dumbbell.results.store import Store
from dumbbell.spec import load
from dumbbell.studies import Study, StudyError
from dumbbell.studies.execution import refused, run
from kernels import CONTROLS_3, kernel, kernel_3
from specs import smallest

PARTS = {
    ("plain", "bbr"): load(smallest()),
    ("shallow", "bbr"): load(smallest(flows=[{"cc": "cubic"}, {"cc": "bbr_4_17"}])),
    ("other", "bbr"): load(smallest(flows=[{"cc": "cubic"}])),
}


@pytest.mark.parametrize("kernel_of_3", [kernel_3(), kernel_3(CONTROLS_3 | {"bbr": "bbr1"})])
def test_a_study_refuses_a_kernel_whose_bbr_is_another_version(kernel_of_3: Kernel) -> None:
    why = "studies are about version 1 of bbr, and that of the engine linux:bbr3 is version 3"
    assert refused(PARTS, LinuxEngine(kernel_of_3)) == {("plain", "bbr"): why, ("shallow", "bbr"): why}


def test_nothing_of_a_study_is_measured_on_such_a_kernel(claypool: Study, tmp_path: Path) -> None:
    with Store.open(tmp_path / "store", write=True) as store, pytest.raises(StudyError) as refusal:
        run(claypool, store, LinuxEngine(kernel_3()))
    why = "studies are about version 1 of bbr, and that of the engine linux:bbr3 is version 3"
    assert str(refusal.value) == f"{claypool.name}: {why}"


def test_a_study_takes_the_kernels_of_version_1() -> None:
    assert refused(PARTS, LinuxEngine(kernel())) == {}


def test_a_study_of_version_3_takes_that_and_version_1_beside_it() -> None:
    parts = {
        ("lossy", "bbr3"): load(smallest(flows=[{"cc": "bbr3"}])),
        ("lossy_v1", "bbr3"): load(smallest(flows=[{"cc": "bbr"}])),
    }
    assert refused(parts, LinuxEngine(kernel_3(CONTROLS_3 | {"bbr": "bbr1"}))) == {}
    assert list(refused(parts, LinuxEngine(kernel()))) == [("lossy", "bbr3")]
