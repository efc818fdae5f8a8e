"""A kernel that a user made of a tree with version 3 of BBR: what it is called, and what it reports."""

from __future__ import annotations

import numpy as np
import pytest

from dumbbell.charts.style import label_of
from dumbbell.engines.linux import LinuxEngine
from dumbbell.errors import KernelError
from dumbbell.kernel import find
from dumbbell.spec import Run, expand, load, resolve
from specs import smallest

pytestmark = pytest.mark.slow


@pytest.fixture
def linux() -> LinuxEngine:
    try:
        return LinuxEngine(find("bbr3"))
    except KernelError as error:
        pytest.skip(f"`dumbbell kernel build --source TREE --name bbr3` makes it of a tree with BBR version 3: {error}")


def run_with(engine: LinuxEngine, *names: str) -> Run:
    path = {"rate": "20 Mbit/s", "rtt": "20 ms", "buffer": "1 bdp"}
    spec = smallest(duration="3 s", path=path, flows=[{"cc": name} for name in names])
    (point,) = expand(load(spec, registry=engine.algorithms()))
    return resolve(point, 1).run


def test_its_bbr_is_version_3_by_its_source_and_by_what_it_reports(linux: LinuxEngine) -> None:
    names = [name for name in ("bbr3", "bbr", "cubic") if name in linux.algorithms()]
    measured = linux.measure(run_with(linux, *names))
    facts = {name: measured.facts.get(f"flows[{place}].cc_version") for place, name in enumerate(names)}
    expected = {"bbr3": "3", "bbr": "1", "cubic": None}
    assert facts == {name: expected[name] for name in names}
    assert measured.facts["flows[0].cc"] == "bbr"
    assert linux.versions["bbr"] == 3
    phases = measured.flows[0].phases
    series = measured.flows[0].series
    assert {phases[each] for each in series.phase[1:]} >= {"startup", "probe_bw_cruise"}
    known = series.bw_hi_bps[series.bw_hi_bps < 2**63]
    assert known.size > 40
    assert 5e6 < np.median(known) < 20e6, "of 20 Mbit/s"
    for name in ("inflight_hi_segments", "inflight_lo_segments"):
        bound = getattr(series, name)
        assert (bound > 0).all(), name
        assert (bound < 2**32 - 1).any(), f"losses have set {name}"


def test_it_has_no_variant_of_version_1(linux: LinuxEngine) -> None:
    assert "bbr_shallow" not in linux._kernel.controls
    assert linux._kernel.left_out["bbr_shallow"].endswith("and bbr_shallow is a variant of version 1")


def test_a_legend_names_version_and_kernel(linux: LinuxEngine) -> None:
    release = ".".join(linux._kernel.release.split(".")[:2])
    assert label_of("bbr3", linux.name) == f"BBR v3 (Linux {release}, patched)"
