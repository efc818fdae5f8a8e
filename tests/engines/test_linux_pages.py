"""Clients that load pages over real Linux TCP, both ways, and as the simulator has it."""

from __future__ import annotations

from statistics import fmean
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from msgspec.structs import replace

from dumbbell.engines.linux import LinuxEngine
from dumbbell.engines.measurement import NEVER_NS, Measurement, PageLoads
from dumbbell.engines.sim import SimEngine
from dumbbell.spec.run import Run
from dumbbell.units import BITS_PER_BYTE, NS_PER_S
from specs import resolved

PATH = {"rate": "10 Mbit/s", "rtt": "40 ms", "buffer": "1 MB", "jitter": "none", "burst": "1514 B"}
CHANCE = {"objects": 30, "size": {"lognormal": {"mean": "20 kB", "sigma": 1.0}}, "think": {"exponential": "1 s"}}


def run_of(pages: dict[str, Any], *others: dict[str, Any], seed: int = 1, **path: Any) -> Run:
    flows = [{"name": "web", "cc": "cubic", "workload": {"pages": pages}}, *others]
    run = resolved(path=PATH | path, flows=flows, duration="30 s", start_jitter="0 s").run
    return replace(run, seed=seed)


def loads(measured: Measurement) -> PageLoads:
    pages = measured.flows[0].pages
    assert pages is not None
    return pages


def times_s(pages: PageLoads) -> npt.NDArray[np.float64]:
    loaded = pages.loaded_ns != NEVER_NS
    return np.asarray((pages.loaded_ns - pages.started_ns)[loaded] / NS_PER_S, dtype=np.float64)


def test_an_object_of_a_segment_takes_a_round_trip_on_both(linux: LinuxEngine) -> None:
    run = run_of({"objects": 3, "size": "1000 B", "connections": 1})
    frame_s = 1066 * BITS_PER_BYTE / 10e6
    # The kernel's bucket has a frame saved whenever one comes.
    for measured, expected_s in zip((SimEngine().measure(run), linux.measure(run)), (frame_s, 0), strict=True):
        # The first answer has an ACK of the request ahead of it there.
        times = times_s(loads(measured))
        assert len(times) in {26, 27}
        assert times[1:] == pytest.approx(3 * (0.04 + expected_s), abs=0.4e-3)


def test_sizes_and_pauses_are_the_same_on_both(linux: LinuxEngine) -> None:
    run = run_of(CHANCE)
    sim, kernel = loads(SimEngine().measure(run)), loads(linux.measure(run))
    count = min(len(sim.bytes), len(kernel.bytes)) - 1
    assert count > 8
    assert sim.bytes[:count].tolist() == kernel.bytes[:count].tolist()
    assert times_s(kernel)[:count] == pytest.approx(times_s(sim)[:count], rel=0.05)
    # What passed between a page and the next.
    sim_think, kernel_think = (
        (pages.started_ns[1:count] - pages.loaded_ns[: count - 1]).tolist() for pages in (sim, kernel)
    )
    assert kernel_think == pytest.approx(sim_think, abs=2e5)


@pytest.mark.parametrize("cc", ["cubic", "bbr"])
def test_pages_take_as_long_beside_a_download(linux: LinuxEngine, cc: str) -> None:
    medians: list[list[float]] = []
    for seed in range(1, 5):
        run = run_of(CHANCE, {"cc": cc}, seed=seed, buffer="2 bdp", jitter="50 us", burst="10 kB")
        both = SimEngine().measure(run), linux.measure(run)
        medians.append([float(np.median(times_s(loads(measured)))) for measured in both])
    sim, kernel = (fmean(own) for own in zip(*medians, strict=True))
    assert kernel == pytest.approx(sim, rel=0.15)


def test_a_request_that_is_lost_comes_again_on_both(linux: LinuxEngine) -> None:
    back = {"rate": "10 Mbit/s", "buffer": "100 kB", "loss": "5 %"}
    run = run_of({"objects": 2, "size": "1000 B", "connections": 1, "think": "100 ms"}, back=back)
    for measured in (SimEngine().measure(run), linux.measure(run)):
        times = times_s(loads(measured))
        late = times[times > 0.25]
        assert 0.02 < len(late) / len(times) < 0.25
        # A timeout of the round trip and 200 ms.
        assert late.min() == pytest.approx(0.08 + 0.24, abs=0.02)


def test_a_client_that_stops_in_a_page_has_it_unloaded(linux: LinuxEngine) -> None:
    run = run_of({"objects": 2000, "size": "20 kB"})
    (flow,) = run.flows
    run = replace(run, flows=(replace(flow, stop_ns=5 * NS_PER_S),))
    for measured in (SimEngine().measure(run), linux.measure(run)):
        pages = loads(measured)
        assert pages.loaded_ns.tolist() == [NEVER_NS]
        end = measured.flows[0].at_end
        assert end.at_ns == 5 * NS_PER_S
        # The line's, less headers and the beginning; and no more than was requested.
        assert 0.85 < end.delivered_bytes * BITS_PER_BYTE / 5 / 10e6 < 0.96
        assert end.delivered_bytes <= pages.bytes[0]
