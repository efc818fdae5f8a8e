"""The study of 128 cells on real hosts: what its figures show beside ours is what its tables of points have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from dumbbell import studies
from dumbbell.metrics.summary import GroupSummary
from dumbbell.studies import Study
from dumbbell.studies.datta2023.claims import measured
from dumbbell.studies.datta2023.figures import settings
from dumbbell.studies.displays.rows import Displays, Figure
from dumbbell.studies.displays.scope import Scope
from dumbbell.studies.evidence import Evidence, RunData, SeedSweep
from observed import observed

PLANES = {"shallow": "102400 B", "deep": "10240000 B"}
GAIN = 0.0051
"""In %: gains are written with two digits after the point."""


@pytest.fixture(scope="module")
def study() -> Study:
    return studies.load("datta2023")


def measured_mbit(study: Study, table: str) -> dict[tuple[Any, ...], float]:
    """Mbit/s as a table of points has it, by rate, RTT and queue."""
    rows = study.measured[table].rows
    return {tuple(row.at.values()): each.value / 1e6 for row in rows for each in row.measured.values()}


def shown(study: Study, table: str) -> Iterator[tuple[str, str, float]]:
    """Each cell of a heat map: rate, RTT, number."""
    heat_map = study.published[table]
    for rate, cells in zip(heat_map["rows"], heat_map["cells"], strict=True):
        yield from ((rate, rtt, cell) for rtt, cell in zip(heat_map["columns"], cells, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize(("plane", "algorithm"), list(product(PLANES, ["bbr", "cubic"])))
def test_heat_maps_show_what_the_tables_of_points_have(study: Study, plane: str, algorithm: str) -> None:
    numbers = measured_mbit(study, algorithm)
    cells = list(shown(study, f"{algorithm}_{plane}"))
    assert len(cells) == 64
    assert [cell for *_, cell in cells] == pytest.approx([numbers[rate, rtt, PLANES[plane]] for rate, rtt, _ in cells])


@pytest.mark.parametrize("plane", PLANES)
def test_gains_are_those_of_the_two_tables(study: Study, plane: str) -> None:
    bbr, cubic = measured_mbit(study, "bbr"), measured_mbit(study, "cubic")
    cells = list(shown(study, f"gain_{plane}"))
    assert len(cells) == 64
    for rate, rtt, cell in cells:
        place = rate, rtt, PLANES[plane]
        assert cell == pytest.approx(100 * (bbr[place] / cubic[place] - 1), abs=GAIN)


def test_the_tables_of_the_lumps_and_the_shallow_cells_have_the_same_numbers(study: Study) -> None:
    for algorithm in ("bbr", "cubic"):
        assert measured_mbit(study, f"{algorithm}_lumps") == measured_mbit(study, algorithm)
    cubic, some = measured_mbit(study, "cubic"), measured_mbit(study, "shallow")
    assert len(some) == 28
    assert some == {place: cubic[place] for place in some}


def cell_run(mbit_s: float, cc: str = "cubic", **fields: Any) -> RunData:
    """A run at 1 Gbit/s, 200 ms, 100 kB, where the hosts' CUBIC has 46.826 and their BBR 839.8 Mbit/s."""
    cell = {"path.rate": "1000 Mbit/s", "path.rtt": "200 ms", "path.buffer": "102400 B"}
    run = observed(cell | fields, {cc: [mbit_s]}, (0, 60))
    group = GroupSummary(goodput_bps=None, share=None, goodput_iperf3_bps=1e6 * mbit_s)
    return replace(run, result=run.result.model_copy(update={"groups": {"flow": group}}))


def test_a_run_is_held_against_its_own_algorithm_at_its_own_cell() -> None:
    assert measured(cell_run(1.0)) == pytest.approx(46.826e6)
    assert measured(cell_run(1.0, "bbr_4_17")) == measured(cell_run(1.0, "bbr")) == pytest.approx(839.8e6)


def test_settings_are_named_by_what_differs_and_stand_in_the_order_of_their_medians(study: Study) -> None:
    known: dict[str, Any] = {
        "path.offload": True, "path.burst": "1600 B", "path.jitter": "50 us", "host.qdisc": "none",
        "host.sack_compression": False, "host.gro": False, "host.ack_aggregation": "0 s",
        "host.socket_memory": "200 MB",
    }  # fmt: skip
    lumps = known | {"host.gro": True, "host.ack_aggregation": "500 us"}
    seeds = [
        SeedSweep(seed, (cell_run(mbit_s, **known), cell_run(46.826, **lumps)))
        for seed, mbit_s in enumerate([2 * 46.826, 3 * 46.826, 9 * 46.826], start=1)
    ]
    evidence = Evidence(engine="sim", trials={("shallow", "bbr"): tuple(seeds)})
    row = Figure(name="shallow", title="", caption="", alt="", experiments=("shallow",))
    scope = Scope(study=study, evidence=evidence, row=row, displays=Displays(), experiments=("shallow",), version="bbr")
    least, most, middle, *names = settings(scope)
    assert [each.tag for each in names] == ["GRO, lumps 500 us", "as known"]
    assert [each.y for each in names] == [(1.0,), (2.0,)]
    for each in (least, most, middle):
        assert each.x == pytest.approx((1.0, 3.0))
    assert middle.left == middle.right == middle.x
