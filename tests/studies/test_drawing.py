"""What figures and tables are made of, from hand-made runs whose every number is known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import dumbbell
from dumbbell.charts.chart import Layer
from dumbbell.metrics.merit import gain
from dumbbell.studies import StudyError, drawing
from dumbbell.studies.evidence import Evidence, RunData, SeedSweep
from dumbbell.studies.series import BIN_S
from dumbbell.studies.sweep import Sweep
from observed import BDP_BYTES, frame, observed

QUEUE, RTT = Sweep("path.buffer", "bdp"), Sweep("path.rtt", "ms")
SIZES, RTTS = ("4 bdp", "1 bdp"), ("5 ms", "200 ms")
AT = np.arange(0, 10.01, 0.5)
HALF_OF_TWO = 12.7062
"""t of one degree of freedom: half the 95 % interval of two values is so many times half their distance."""


def sweep(seed: int, more: float = 0.0) -> SeedSweep:
    """Goodput in Mbit/s is ten times the size and `more`, from seed to seed; the first two of the grid's RTTs alike."""
    runs = [
        observed(
            {"path.buffer": size, "path.rtt": rtt},
            {"bbr": [10 * QUEUE_OF[size] + more + (100 if rtt == "200 ms" else 0)]},
            (0, 60),
        )
        for rtt in RTTS
        for size in SIZES
    ]
    return SeedSweep(seed, tuple(runs))


QUEUE_OF = {"4 bdp": 4, "1 bdp": 1}
SHORT = [trial.where({"path.rtt": "5 ms"}) for trial in (sweep(1), sweep(2, 2.0))]


def drawn(layer: Layer, x: Sequence[float], y: Sequence[float]) -> None:
    assert layer.x == pytest.approx(tuple(x))
    assert layer.y == pytest.approx(tuple(y))


def goodput(run: RunData) -> float | None:
    return run.result.groups["bbr"].goodput_bps


def over(run: RunData, other: RunData) -> float | None:
    return gain(goodput(run) or 0, goodput(other) or 0)


def test_a_curve_is_the_mean_over_seeds_with_its_interval() -> None:
    layer = drawing.curve("BBR", "bbr", SHORT, QUEUE, goodput, factor=drawing.MBIT)
    drawn(layer, (1, 4), (11, 41))
    assert layer.low == pytest.approx((11 - HALF_OF_TWO, 41 - HALF_OF_TWO), rel=1e-4)
    alone = drawing.curve("BBR", "bbr", SHORT[:1], QUEUE, goodput, factor=drawing.MBIT)
    assert alone.low == alone.high == alone.y == pytest.approx((10, 40))


def test_a_curve_of_two_experiments_pairs_their_seeds_and_points() -> None:
    evidence = Evidence(
        engine="sim",
        trials={("grid", "bbr"): (sweep(1), sweep(2, 2.0)), ("rival", "bbr"): (sweep(2, 1.0), sweep(1, 10.0))},
    )
    pairs = [
        tuple(each.where({"path.rtt": "5 ms"}) for each in pair) for pair in evidence.together(["grid", "rival"], "bbr")
    ]
    layer = drawing.curve("gain", "bbr", pairs, QUEUE, over, factor=drawing.PERCENT)
    assert layer.y == pytest.approx(((-50 + 100 / 11) / 2, (-20 + 100 / 41) / 2))
    fewer = Evidence(engine="sim", trials={("grid", "bbr"): (sweep(1), sweep(2)), ("rival", "bbr"): (sweep(2),)})
    assert [pair[0].seed for pair in fewer.together(["grid", "rival"], "bbr")] == [2]


def test_points_without_a_number_are_left_out() -> None:
    layer = drawing.curve("BBR", "bbr", SHORT, QUEUE, lambda run: goodput(run) if QUEUE.of(run) > 1 else None)
    assert layer.x == (4,)


def test_a_band_lies_between_the_means_of_its_ends() -> None:
    layer = drawing.band("quartiles", "bbr", SHORT, QUEUE, lambda run: (0.5 * (goodput(run) or 0), 1e6), 1e-6)
    assert (layer.kind, layer.x, layer.high) == ("band", (1, 4), (1, 1))
    assert layer.low == pytest.approx((5.5, 20.5))


def test_published_columns_and_the_axis_below_them() -> None:
    numbers = {"buffer": ["1 bdp", "8 bdp"], "loss_percent": [5, 0.1]}
    layer = drawing.published("published", "published", numbers, QUEUE, "buffer", "loss_percent")
    assert (layer.x, layer.y) == ((1, 8), (5, 0.1))
    axis = drawing.swept_axis(SHORT, QUEUE, "queue (BDP)")
    assert (axis.scale, axis.ticks) == ("log2", ((1, "1"), (4, "4")))
    level = drawing.published_level("mean", "published", 1.1, (0, 60))
    assert (level.x, level.y) == ((0, 60), (1.1, 1.1))


def test_a_grid_has_its_rows_upwards_and_the_documents_cells_in_ours() -> None:
    numbers = {"columns": ["200 ms", "5 ms"], "rows": ["1 bdp"], "cells": [[115, math.nan]]}
    panel = drawing.grid(
        "BBR", [sweep(1), sweep(2, 2.0)], (RTT, "RTT (ms)"), (QUEUE, "queue (BDP)"), goodput, quantity="Mbit/s",
        factor=drawing.MBIT, published=numbers, most=200.0,
    )  # fmt: skip
    assert panel.heat is not None
    assert (panel.x.ticks, panel.y.ticks) == (((0, "5"), (1, "200")), ((0, "1"), (1, "4")))
    assert panel.heat.cells[0] == pytest.approx((11, 111))
    assert panel.heat.cells[1] == pytest.approx((41, 141))
    assert panel.heat.half_widths[0] == pytest.approx((HALF_OF_TWO, HALF_OF_TWO), rel=1e-4)
    assert panel.heat.published[0][1] == 115
    assert all(math.isnan(cell) for cell in (panel.heat.published[0][0], *panel.heat.published[1]))
    assert (panel.heat.most, panel.heat.colours) == (200, "sequential")


def test_a_grid_of_pairs_has_a_hole_where_there_is_no_number() -> None:
    pairs = [(sweep(1), sweep(1, 10.0))]
    panel = drawing.grid(
        "gain", pairs, (RTT, "RTT"), (QUEUE, "queue"), lambda run, other: over(run, other) if RTT.of(run) > 5 else None,
        quantity="%", factor=drawing.PERCENT, colours="diverging",
    )  # fmt: skip
    assert panel.heat is not None
    assert math.isnan(panel.heat.cells[0][0])
    assert panel.heat.cells[0][1] == pytest.approx(100 * (110 - 120) / 120)
    assert panel.heat.published == ()


@pytest.fixture
def run() -> RunData:
    """A BBR flow of 8 Mbit/s, and a CUBIC flow of 4 from 5 s on; a queue that grows to 1 BDP; a loss of 1/50."""
    steady = frame(0, AT, AT * 1e6, "probe_bw").assign(
        srtt_s=0.04 + AT / 1000, cwnd_bytes=np.where(AT < 5, 14_480.0, 144_800.0), ssthresh_bytes=np.nan
    )
    late = frame(1, AT, np.maximum(AT - 5, 0) * 0.5e6, "avoidance").assign(srtt_s=0.06)
    queue = pd.DataFrame(
        {"time_s": AT, "backlog_bytes": AT / 10 * BDP_BYTES, "dropped_packets": AT * 10, "sent_packets": AT * 500}
    )
    acks = pd.DataFrame({"flow": 0, "time_s": [1.0, 2.0, 3.0, 4.0], "rtt_s": [0.027, 0.025, 0.026, 0.028]})
    flows = ({"cc": "bbr[cwnd_gain=1.5]"}, {"cc": "cubic", "start_s": 5.0})
    groups = {"bbr": [8.0], "cubic": [2.0]}
    return observed({}, groups, (0, 10), series=pd.concat([steady, late]), backlog=queue, acks=acks, flows=flows)


def test_flows_look_like_their_algorithms_and_begin_when_they_do(run: RunData) -> None:
    bbr, cubic = drawing.flow_rates(run, (0, 10), 1)
    assert (bbr.style, bbr.label) == ("bbr", "flow 1: BBR of Linux 6.1")
    assert (cubic.style, cubic.label) == ("cubic", "flow 2: CUBIC of Linux 6.1")
    assert bbr.y == pytest.approx([8.0] * 10)
    assert (cubic.x[0], len(cubic.x)) == (5.5, 5)
    assert cubic.y == pytest.approx([4.0] * 5)
    (only,) = drawing.flow_rates(run, (0, 10), group="cubic", labels=["the late one"])
    assert (only.label, only.style) == ("the late one", "cubic")


def test_flows_of_one_algorithm_are_numbered() -> None:
    both = pd.concat([frame(index, AT, AT * 1e6, "probe_bw") for index in range(2)])
    layers = drawing.flow_rates(observed({}, {"bbr": [8.0, 8.0]}, (0, 10), series=both), (0, 10))
    assert [(layer.label, layer.style, layer.instance) for layer in layers] == [
        ("flow 1", "flow 1", 0),
        ("flow 2", "flow 2", 1),
    ]


def test_a_lone_flow_looks_like_its_algorithm() -> None:
    alone = observed({}, {"bbr": [8.0]}, (0, 10), series=frame(0, AT, AT * 1e6, "probe_bw"))
    (layer,) = drawing.flow_rates(alone, (0, 10))
    assert (layer.label, layer.style) == ("BBR of Linux 6.1", "bbr")


@pytest.fixture(scope="module")
def overflowing() -> RunData:
    """CUBIC on `sim` for 20 s in a line of 10 Mbit/s whose queue overflows."""
    path = {"rate": "10 Mbit/s", "rtt": "80 ms", "buffer": "1 bdp", "burst": "5 kB"}
    found = dumbbell.run(
        {"duration": "20 s", "path": path, "flows": [{"cc": "cubic"}], "measure": {"record": "series"}}, "sim"
    )
    series, result = found.series(0), found.summaries[0]
    return replace(observed({}, {}, result.window_s), result=result, flow_series=lambda: series)


def test_no_bin_of_a_throughput_is_above_what_line_and_bucket_let_through(overflowing: RunData) -> None:
    def highest_mbit(run: RunData) -> float:
        (layer,) = drawing.flow_rates(run, (0, 20))
        return max(layer.y)

    assert overflowing.result.bottleneck.dropped_packets > 10
    assert 9.9 < highest_mbit(overflowing) <= 10 + 8 * 5_000 / BIN_S * drawing.MBIT
    series = overflowing.flow_series()
    in_order = series.assign(bottleneck_bytes=series["delivered_bytes"])
    assert highest_mbit(replace(overflowing, flow_series=lambda: in_order)) > 11


def test_groups_queue_and_loss_in_time(run: RunData) -> None:
    rates = drawing.group_rates(run, "cubic", (4, 7), 1, label="CUBIC", style="cubic")
    drawn(rates, (4.5, 5.5, 6.5), (0, 4, 4))
    queue = drawing.backlog(run, (2, 3), label="queue", style="bbr")
    drawn(queue, (2, 2.5, 3), (0.2, 0.25, 0.3))
    assert drawing.backlog(run, (2, 2), "kB", label="queue", style="bbr").y == pytest.approx((50,))
    lost = drawing.losses(run, (0, 10), 5, label="", style="bbr")
    drawn(lost, (2.5, 7.5), (2, 2))


def test_gauges_in_time(run: RunData) -> None:
    assert drawing.round_trips(run, 0, (0, 1), label="", style="bbr").y == pytest.approx((40, 40.5, 41))
    acks = drawing.round_trips(run, 0, (2, 3), label="", style="bbr", per_ack=True)
    drawn(acks, (2, 3), (25, 26))
    cwnd = drawing.gauge_in_time(
        run, 0, "cwnd_bytes", (4.5, 5), factor=1 / 1448, label="cwnd", style="bbr", kind="step"
    )
    assert cwnd.kind == "step"
    assert cwnd.y == pytest.approx((10, 100))
    assert drawing.gauge_in_time(run, 0, "ssthresh_bytes", (0, 9), label="", style="bbr").x == ()
    with pytest.raises(StudyError, match='flows have no gauge "cwind"'):
        drawing.gauge_in_time(run, 0, "cwind", (0, 9), label="", style="bbr")


def test_a_panel_in_time_never_begins_at_0_on_a_logarithmic_scale(run: RunData) -> None:
    layer = drawing.backlog(run, (2, 3), label="queue", style="bbr")
    panel = drawing.panel_in_time("title", "queue (BDP)", (2, 3), layer)
    assert (panel.x.limits, panel.y.limits, panel.layers) == ((2, 3), (0, None), (layer,))
    assert drawing.panel_in_time("", "cwnd", (2, 3), scale="log10").y.limits == (None, None)
    assert drawing.panel_in_time("", "cwnd", (2, 3), scale="log10", limits=(1, 9)).y.limits == (1, 9)


def test_cumulative_curves_end_at_1(run: RunData) -> None:
    acks = drawing.ack_rtt_cdf("BBR", "bbr", run, 0)
    drawn(acks, (25, 26, 27, 28), (0.25, 0.5, 0.75, 1))
    smoothed = drawing.smoothed_rtt_cdf("BBR", "bbr", run, 0, 9)
    drawn(smoothed, (49, 49.5, 50), (1 / 3, 2 / 3, 1))


def test_entries_of_tables() -> None:
    found = drawing.entry(SHORT, lambda trial: goodput(trial.runs[0]), factor=drawing.MBIT, published=43.4)
    assert (found.mean, found.published) == (41, 43.4)
    assert found.half_width == pytest.approx(HALF_OF_TWO, rel=1e-4)
    pairs = [(sweep(1), sweep(1, 10.0))]
    ratio = drawing.entry(pairs, lambda trial, other: over(trial.runs[1], other.runs[1]))
    assert (ratio.mean, ratio.half_width) == (-0.5, None)
    assert drawing.entry(SHORT, lambda _: None, published="none").mean is None


def test_words_about_seeds() -> None:
    assert drawing.means(SHORT) == "mean over 2 seeds with 95 % intervals (Student's t)"
    assert (drawing.means(SHORT[:1]), drawing.seeds(SHORT[:1])) == ("one seed", "1 seed")
