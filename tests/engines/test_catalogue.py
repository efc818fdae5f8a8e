"""Which engine has which congestion control."""

from __future__ import annotations

import pytest

from dumbbell import cc
from dumbbell.engines import catalogue
from dumbbell.engines.catalogue import engines_with
from dumbbell.engines.sim import SimEngine
from dumbbell.kernel import Kernel
from dumbbell.spec import SpecError, load
from kernels import CONTROLS, kernel, kernel_3
from specs import resolved


@pytest.fixture
def kernels(monkeypatch: pytest.MonkeyPatch) -> list[Kernel]:
    """The kernels of this machine, none at first; the one that it runs has but two congestion controls."""
    built_kernels: list[Kernel] = []
    monkeypatch.setattr(catalogue, "built", lambda: built_kernels)
    monkeypatch.setattr(catalogue, "own_controls", lambda: {"bbr", "mine_2"})
    return built_kernels


@pytest.mark.usefixtures("kernels")
def test_without_a_kernel_linux_has_what_every_tree_has() -> None:
    assert engines_with("bbr_4_17") == ("sim", "linux")
    assert engines_with("bbr") == ("sim", "linux", "netns")
    assert engines_with("vegas") == ("linux",)
    assert engines_with("bbr_feedback") == engines_with("bbr_steady_rtt") == ("sim",), (
        "no change of constants makes it of the kernel's"
    )
    assert engines_with("tahoe") == ()
    assert set(catalogue.catalogue()) == set(cc.LINUX) | set(cc.installed()) | {"mine_2"}


def test_a_kernel_has_what_it_was_built_with(kernels: list[Kernel]) -> None:
    kernels += [kernel(), kernel("mine", controls=CONTROLS | {"bbr2": "bbr2"}), kernel("mine", controls={})]
    assert engines_with("bbr") == ("sim", "linux", "linux:mine", "netns")
    assert engines_with("reno") == ("sim",)
    assert engines_with("bbr2") == ("linux:mine",)
    assert list(catalogue.catalogue()) == [*cc.known(), "bbr2", "mine_2"]


def test_version_3_is_no_engine_of_version_1_nor_of_its_variants(kernels: list[Kernel]) -> None:
    kernels += [kernel(), kernel_3()]
    assert engines_with("bbr") == ("sim", "linux", "netns")
    assert "linux:bbr3" in engines_with("bbr3")
    assert "linux:bbr3" not in engines_with("bbr_4_17")


def test_what_another_engine_has_is_refused_with_its_name(kernels: list[Kernel]) -> None:
    kernels += [kernel("mine", controls={"bbr2": "bbr2", "vegas": "vegas"})]
    fields = {"duration": "1 s", "path": {"rate": "80 Mbit/s", "rtt": "25 ms", "buffer": "1 bdp"}}
    experiment = load(fields | {"flows": [{"cc": "bbr2"}]}, registry=catalogue.catalogue())
    assert experiment.registry["bbr2"].parameters == {}
    with pytest.raises(SpecError, match='bbr2 has no parameter "gain"; it has none'):
        load(fields | {"flows": [{"cc": "bbr2[gain=1]"}]}, registry=catalogue.catalogue())
    (problem,) = SimEngine().unsupported_fields(resolved(flows=[{"cc": "vegas"}]).run)
    assert str(problem) == (
        'flows[0].cc: the simulator has no "vegas"; the linux engine and the linux:mine engine have it'
    )


@pytest.mark.usefixtures("kernels")
def test_a_name_that_nobody_knows_is_no_congestion_control() -> None:
    with pytest.raises(SpecError, match=r'unknown "vegass"; did you mean "vegas"\?'):
        resolved(flows=[{"cc": "vegass"}])
