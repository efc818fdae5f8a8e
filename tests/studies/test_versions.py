"""Studies are about version 1 of BBR."""

from __future__ import annotations

import pytest

from dumbbell.engines.linux import LinuxEngine
from dumbbell.kernel import Kernel
from dumbbell.spec import load
from dumbbell.studies.execution import refused
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


def test_a_study_takes_the_kernels_of_version_1() -> None:
    assert refused(PARTS, LinuxEngine(kernel())) == {}
