"""What rows of figures and tables give, from hand-made runs whose every number is known."""

from __future__ import annotations

import math
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import dumbbell
from dumbbell.captures.series import CaptureSeries
from dumbbell.charts.chart import Chart, Layer
from dumbbell.results.run_series import BIN_S
from dumbbell.studies import Study, StudyError
from dumbbell.studies.displays.loading import displays_of
from dumbbell.studies.evidence import Evidence, RunData, SeedSweep
from dumbbell.studies.formula import Formulas
from dumbbell.studies.manifest import Manifest
from dumbbell.tables.table import Amount, Table
from observed import BDP_BYTES, frame, observed

SIZES = {"4 bdp": 4, "1 bdp": 1}
AT = np.arange(0, 10.01, 0.5)
HALF_OF_TWO = 12.7062
"""t of one degree of freedom: half the 95 % interval of two values is so many times half their distance."""
FIGURE = (
    'name = "f"\ntitle = "{version}"\ncaption = "{means}; seed {seed} of {seeds}"\nalt = ""\nexperiments = "grid"\n'
)
TABLE = 'name = "f"\ntitle = ""\ncaption = ""\nexperiments = "grid"\n'
QUEUE = 'x = { label = "queue (BDP)", field = "path.buffer", unit = "bdp", scale = "log2", ticks = "swept" }\n'
RATE = 'y = { label = "Mbit/s" }\n'
SHORT = 'at = { "path.rtt" = "5 ms" }\n'


def document(published: Mapping[str, Any] | None = None) -> Study:
    """Two experiments with one version each; the second is CUBIC's."""
    manifest = Manifest(
        title="", citation="", short="Doe 2020", summary="", testbed="", here="", axis="flows[0].cc", runs=0,
        claims=0, figures=0, variants=("bbr",), experiments={},
    )  # fmt: skip
    experiments: Any = dict.fromkeys(("grid", "rival"))
    return Study(
        name="doe2020", manifest=manifest, readme="", variants=("bbr",), experiments=experiments, claims=(),
        metrics=FORMULAS, published=published or {}, rivals={"rival": "cubic"},
        controls={"rival": {"bbr": "cubic"}},
    )  # fmt: skip


def goodput(run: RunData) -> float | None:
    return run.result.groups["bbr"].goodput_bps


def on_the_long_path(run: RunData) -> float | None:
    """1 on one of two paths, unknown on the other."""
    return 1.0 if run.point["path.rtt"] == "200 ms" else None


def of_long_queues(run: RunData) -> float | None:
    return goodput(run) if run.point["path.buffer"] == "4 bdp" else None


FORMULAS: Formulas = Formulas({"gain": "(goodput / beside.goodput - 1) * on_the_long_path"}, sys.modules[__name__])


def sweep(seed: int, more: float = 0.0) -> SeedSweep:
    """Goodput in Mbit/s is ten times the size, `more` from seed to seed, and 100 more on the long path."""
    return SeedSweep(
        seed,
        tuple(
            observed({"path.buffer": size, "path.rtt": rtt}, {"bbr": [10 * bdp + more + longer]}, (0, 60))
            for rtt, longer in (("5 ms", 0), ("200 ms", 100))
            for size, bdp in SIZES.items()
        ),
    )


TWO = Evidence(
    engine="sim",
    trials={("grid", "bbr"): (sweep(1), sweep(2, 2.0)), ("rival", "bbr"): (sweep(2, 1.0), sweep(1, 10.0))},
)


def chart(text: str, evidence: Evidence = TWO, published: Mapping[str, Any] | None = None, rest: str = "") -> Chart:
    figures, _ = displays_of(tomllib.loads(f"{rest}[[figures]]\n{FIGURE}{text}"), FORMULAS, ("grid", "rival"))
    return figures[0].draw(document(published), evidence)


def layers(text: str, evidence: Evidence = TWO, published: Mapping[str, Any] | None = None) -> tuple[Layer, ...]:
    (panel,) = chart(text, evidence, published).panels
    return panel.layers


def over_queue(line: str, published: Mapping[str, Any] | None = None) -> Layer:
    return layers(f"{QUEUE}{RATE}{SHORT}lines = [{{ {line} }}]", published=published)[0]


def test_a_curve_is_the_mean_over_seeds_with_its_interval() -> None:
    layer = over_queue('metric = "goodput", unit = "Mbit/s"')
    assert (layer.label, layer.style, layer.kind) == ("BBR of Linux 6.1", "bbr", "line+points")
    assert layer.x == (1, 4)
    assert layer.y == pytest.approx((11, 41))
    assert layer.low == pytest.approx((11 - HALF_OF_TWO, 41 - HALF_OF_TWO), rel=1e-4)


def test_points_without_a_number_are_left_out() -> None:
    assert over_queue('metric = "of_long_queues"').x == (4,)


def test_a_band_lies_between_the_means_of_its_ends() -> None:
    series = frame(0, AT, AT * 1e6, "probe_bw")
    runs = tuple(
        observed({"path.buffer": size}, {"bbr": [8.0]}, (0, 10), series=series, flows=({"name": "bbr"},))
        for size in SIZES
    )
    evidence = Evidence(engine="sim", trials={("grid", "bbr"): (SeedSweep(1, runs),)})
    (layer,) = layers(f'{QUEUE}{RATE}lines = [{{ series = "group", stat = "quartiles", unit = "Mbit/s" }}]', evidence)
    assert (layer.kind, layer.x) == ("band", (1, 4))
    assert layer.low == layer.high == pytest.approx((8, 8))


def test_published_columns_numbers_and_bands() -> None:
    numbers = {"p": {"buffer": ["1 bdp", "8 bdp"], "loss": [5, 0.1], "most": [6, 0.2], "mean": 1.5, "source": "s"}}
    curve = over_queue('published = "p", y = "loss"', numbers)
    assert (curve.x, curve.y, curve.style, curve.label) == ((1, 8), (5, 0.1), "published", "published (Doe 2020)")
    band = over_queue('published = "p", low = "loss", high = "most"', numbers)
    assert (band.kind, band.x, band.low, band.high) == ("band", (1, 8), (5, 0.1), (6, 0.2))
    level = over_queue('published = "p", x = [2, 4], y = "mean"', numbers)
    assert (level.kind, level.x, level.y) == ("line", (2, 4), (1.5, 1.5))
    (over_time,) = layers(f'span = [0, 60]\n{RATE}lines = [{{ published = "p", y = "mean" }}]', published=numbers)
    assert (over_time.x, over_time.y) == ((0, 60), (1.5, 1.5))
    with pytest.raises(StudyError, match=r'f: nothing is published at "p\.median"'):
        over_queue('published = "p", y = "median"', numbers)


def test_what_ss_tells_stands_beside_the_samples_where_it_was_asked() -> None:
    series = pd.DataFrame({"flow": 0, "time_s": [0.0, 5.0, 10.0], "srtt_s": 0.1, "cwnd_bytes": [0.0, 1000.0, 2000.0]})
    by_ss = pd.DataFrame({"flow": [0, 0, 1], "time_s": [5.0, 5.0, 5.0], "srtt_s": 0.2, "cwnd_bytes": [3.0, 4.0, 5.0]})
    without = observed({}, {"bbr": [8.0]}, (0, 10), series=series)

    def drawn(run: RunData, y: str, series: str) -> list[tuple[tuple[float, ...], tuple[float, ...]]]:
        own = f'{{ series = "{series}" }}, {{ series = "ss.{series}", kind = "points" }}'
        evidence = Evidence(engine="sim", trials={("grid", "bbr"): (SeedSweep(1, (run,)),)})
        return [(each.x, each.y) for each in layers(f"span = [0, 9]\n{y}lines = [{own}]", evidence)]

    with_ss = replace(without, ss_series=lambda: by_ss)
    assert drawn(with_ss, RATE, "rtt") == [((0, 5), (100, 100)), ((5, 5), (200, 200))]
    assert drawn(without, RATE, "rtt") == [((0, 5), (100, 100))]
    logarithmic = 'y = { label = "window", scale = "log10" }\n'
    assert drawn(with_ss, logarithmic, "cwnd_bytes") == [((5,), (1000,)), ((5, 5), (3, 4))], "0 has no place there"


def test_a_series_is_of_captures_where_a_run_has_some() -> None:
    series = pd.DataFrame({"flow": 0, "time_s": AT, "bottleneck_bytes": 1e6 * AT})
    without = observed({}, {"bbr": [8.0]}, (0, 10), series=series)
    seen = CaptureSeries(series.assign(bottleneck_bytes=2e6 * AT), pd.DataFrame(), pd.DataFrame())
    captured = replace(without, capture_series=lambda: seen)

    def rates(run: RunData, line: str) -> set[float]:
        evidence = Evidence(engine="sim", trials={("grid", "bbr"): (SeedSweep(1, (run,)),)})
        (layer,) = layers(f"span = [0, 9]\n{RATE}lines = [{{ {line} }}]", evidence)
        return {round(each, 6) for each in layer.y}

    for name in ("flows", "group"):
        assert rates(captured, f'series = "{name}"') == {8}
        assert rates(captured, f'series = "{name}", from = "capture"') == {16}
        assert rates(without, f'series = "{name}", from = "capture"') == {8}
    own = f'{TABLE}captured = true\n{SHORT}rows = "version"\ncolumns = [{{ title = "", words = "{{version}}" }}]\n'
    _, (table,) = displays_of(tomllib.loads(f"[[tables]]\n{own}"), FORMULAS, ("grid", "rival"))
    for run, shown in ((captured, True), (without, False)):
        evidence = Evidence(engine="sim", trials={("grid", "bbr"): (SeedSweep(1, (run,)),)})
        assert table.is_shown_by(evidence) == shown


def test_cases_that_a_short_forms_runs_do_not_tell_apart_are_one_panel_and_one_row() -> None:
    short = replace(document(), short=True)
    cases = '[cases]\nsize = [{ words = "a", at = { "path.rate" = 1 } }, { words = "b", at = { "path.rate" = 2 } }]\n'
    text = f'{QUEUE}{RATE}{SHORT}each = "size"\npanel_title = "{{size}}"\nlines = [{{ metric = "goodput" }}]'
    (figure,), _ = displays_of(tomllib.loads(f"{cases}[[figures]]\n{FIGURE}{text}"), FORMULAS, ("grid", "rival"))
    assert [panel.title for panel in figure.draw(short, TWO).panels] == ["a"]
    assert [panel.title for panel in figure.draw(document(), TWO).panels] == ["a", "b"]
    rows = f'{SHORT}rows = ["size", "queue"]\ncolumns = [{{ title = "", words = "{{size}}, {{queue}}" }}]\n'
    queues = 'queue = { field = "path.buffer", values = ["1 bdp", "4 bdp"] }\n'
    _, (drawn,) = displays_of(tomllib.loads(f"{cases}{queues}[[tables]]\n{TABLE}{rows}"), FORMULAS, ("grid", "rival"))
    assert [row[0] for row in drawn.draw(short, TWO).rows] == ["a, 1 BDP", "a, 4 BDP"]
    assert len(drawn.draw(document(), TWO).rows) == 4


@pytest.mark.parametrize(
    ("together", "x", "y"),
    [
        ("", (0.5, 1.5, 2.5, 3.5, 4.5), (1, 3, 5, 7, 9)),
        (", together = 2", (1, 3), (2, 6)),
        (', together = 2, stat = "last"', (2, 4), (3, 7)),
    ],
)
def test_published_bins(together: str, x: Sequence[float], y: Sequence[float]) -> None:
    text = f'span = [0, 60]\n{RATE}lines = [{{ published = "p", y = "mbit_s", bin_s = 1{together} }}]'
    (layer,) = layers(text, published={"p": {"mbit_s": [1, 3, 5, 7, 9]}})
    assert (layer.x, layer.y) == (tuple(x), tuple(y))


def test_a_swept_axis_has_a_tick_a_value_and_a_logarithmic_one_no_zero() -> None:
    text = f'{QUEUE}{RATE}{SHORT}lines = [{{ metric = "goodput" }}, {{ published = "p", y = "loss" }}]'
    (panel,) = chart(text, published={"p": {"buffer": ["0 bdp", "1 bdp"], "loss": [9, 5]}}).panels
    assert (panel.x.scale, panel.x.ticks) == ("log2", ((1, "1"), (4, "4")))
    assert (panel.layers[1].x, panel.layers[1].y) == ((1,), (5,))


HEAT = """
x = { label = "RTT (ms)", field = "path.rtt", unit = "ms" }
y = { label = "queue (BDP)", field = "path.buffer", unit = "bdp" }
"""


def test_a_heat_map_has_its_rows_upwards_and_the_documents_cells_in_ours() -> None:
    numbers = {"p": {"columns": ["200 ms", "5 ms"], "rows": ["1 bdp"], "cells": [[115, math.nan]]}}
    row = 'heat = { metric = "goodput", unit = "Mbit/s", label = "Mbit/s", published = "p", most = 200 }'
    (panel,) = chart(HEAT + row, published=numbers).panels
    assert panel.heat is not None
    assert (panel.x.ticks, panel.y.ticks) == (((0, "5"), (1, "200")), ((0, "1"), (1, "4")))
    assert panel.heat.cells[0] == pytest.approx((11, 111))
    assert panel.heat.cells[1] == pytest.approx((41, 141))
    assert panel.heat.half_widths[0] == pytest.approx((HALF_OF_TWO, HALF_OF_TWO), rel=1e-4)
    assert panel.heat.published[0][1] == 115
    assert all(math.isnan(cell) for cell in (panel.heat.published[0][0], *panel.heat.published[1]))
    assert (panel.heat.most, panel.heat.colours) == (200, "sequential")


def test_a_heat_map_of_pairs_has_a_hole_where_there_is_no_number() -> None:
    row = 'heat = { metric = "gain", beside = "rival", unit = "%", label = "%", colours = "diverging" }'
    (panel,) = chart(HEAT + row).panels
    assert panel.heat is not None
    assert math.isnan(panel.heat.cells[0][0])
    assert panel.heat.cells[0][1] == pytest.approx(100 * ((110 / 120 - 1) + (112 / 111 - 1)) / 2)
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


def in_time(run: RunData, line: str, span: str = "[0, 10]") -> tuple[Layer, ...]:
    evidence = Evidence(engine="sim", trials={("grid", "bbr"): (SeedSweep(1, (run,)),)})
    x = f"span = {span}\n" if span else 'x = { label = "ms" }\n'
    text = f"{x}{RATE}lines = [{{ {line} }}]"
    (panel,) = chart(text, evidence, rest='[cases]\ngroup = [{ group = "cubic" }]\n').panels
    return panel.layers


def test_flows_look_like_their_algorithms_and_begin_when_they_do(run: RunData) -> None:
    bbr, cubic = in_time(run, 'series = "flows", bin_s = 1')
    assert (bbr.style, bbr.label) == ("bbr", "flow 1: BBR of Linux 6.1")
    assert (cubic.style, cubic.label) == ("cubic", "flow 2: CUBIC of Linux 6.1")
    assert bbr.y == pytest.approx([8.0] * 10)
    assert (cubic.x[0], len(cubic.x)) == (5.5, 5)
    assert cubic.y == pytest.approx([4.0] * 5)
    assert [each.label for each in in_time(run, 'series = "flows", labels = "once"')] == [
        "BBR of Linux 6.1",
        "CUBIC of Linux 6.1",
    ]


def test_flows_of_one_algorithm_are_numbered_and_a_lone_one_is_not() -> None:
    both = pd.concat([frame(index, AT, AT * 1e6, "probe_bw") for index in range(2)])
    numbered = in_time(observed({}, {"bbr": [8.0, 8.0]}, (0, 10), series=both), 'series = "flows"')
    assert [(layer.label, layer.style, layer.instance) for layer in numbered] == [
        ("flow 1", "flow 1", 0),
        ("flow 2", "flow 2", 1),
    ]
    alone = observed({}, {"bbr": [8.0]}, (0, 10), series=frame(0, AT, AT * 1e6, "probe_bw"))
    (layer,) = in_time(alone, 'series = "flows"')
    assert (layer.label, layer.style) == ("BBR of Linux 6.1", "bbr")


def test_no_bin_of_a_throughput_is_above_what_line_and_bucket_let_through() -> None:
    path = {"rate": "10 Mbit/s", "rtt": "80 ms", "buffer": "1 bdp", "burst": "5 kB"}
    spec = {"duration": "20 s", "path": path, "flows": [{"cc": "cubic"}], "measure": {"window": ["0 %", "100 %"]}}
    simulated = dumbbell.run(spec, "sim")
    series, result = simulated.series(0), simulated.summaries[0]
    overflowing = replace(observed({}, {}, result.window_s), result=result, flow_series=lambda: series)

    def highest_mbit(run: RunData) -> float:
        (layer,) = in_time(run, 'series = "flows"', "[0, 20]")
        return max(layer.y)

    assert (result.bottleneck.dropped_packets or 0) > 10
    assert 9.9 < highest_mbit(overflowing) <= 10 + 8 * 5_000 / BIN_S * 1e-6
    in_order = series.assign(bottleneck_bytes=series["delivered_bytes"])
    assert highest_mbit(replace(overflowing, flow_series=lambda: in_order)) > 11


@pytest.mark.parametrize(
    ("line", "span", "x", "y"),
    [
        ('series = "group", each = "group", bin_s = 1', "[4, 7]", (4.5, 5.5, 6.5), (0, 4, 4)),
        ('series = "queue"', "[2, 3]", (2, 2.5, 3), (0.2, 0.25, 0.3)),
        ('series = "queue", unit = "kB"', "[2, 2]", (2,), (50,)),
        ('series = "loss", bin_s = 5', "[0, 10]", (2.5, 7.5), (2, 2)),
        ('series = "rtt"', "[0, 1]", (0, 0.5, 1), (40, 40.5, 41)),
        ('series = "ack_rtt"', "[2, 3]", (2, 3), (25, 26)),
        ('series = "cwnd_bytes", factor = "1/1448", kind = "step"', "[4.5, 5]", (4.5, 5), (10, 100)),
        ('series = "ssthresh_bytes"', "[0, 9]", (), ()),
    ],
)
def test_series(run: RunData, line: str, span: str, x: Sequence[float], y: Sequence[float]) -> None:
    (layer,) = in_time(run, line, span)
    assert layer.x == pytest.approx(tuple(x))
    assert layer.y == pytest.approx(tuple(y))


def test_a_gauge_that_there_is_not(run: RunData) -> None:
    with pytest.raises(StudyError, match='flows have no gauge "cwind"'):
        in_time(run, 'series = "cwind"')


@pytest.mark.parametrize(("series", "x"), [("ack_rtt", (25, 26, 27, 28)), ("rtt", tuple(40 + AT))])
def test_cumulative_curves_end_at_1(run: RunData, series: str, x: Sequence[float]) -> None:
    (layer,) = in_time(run, f'series = "{series}"', "")
    assert layer.kind == "step"
    assert layer.x == pytest.approx(x)
    assert layer.y == pytest.approx([(rank + 1) / len(x) for rank in range(len(x))])


CASES = """
[cases]
size = { field = "path.buffer", values = ["1 bdp", "4 bdp"] }
rtt = [
  { words = "near", at = { "path.rtt" = "5 ms" } },
  { words = "far", at = { "path.rtt" = "200 ms" }, look = "flow 1" },
]
"""


PANELS = f"""
[[figures]]
{FIGURE.replace('"grid"', '["grid", "rival"]')}
per = "size"
each = "rtt"
panel_title = "{{size}}, {{rtt}}"
{QUEUE}{RATE}
lines = [
  {{ metric = "goodput" }},
  {{ when = {{ rtt = "far" }}, x = [1], y = [2], label = "", style = "{{look}}" }},
]
"""


def test_panels_and_lines_stand_for_each_case_and_what_versions_share_once() -> None:
    both = {(name, version): TWO.of(name, "bbr") for name in ("grid", "rival") for version in ("bbr", "bbr_4_17")}
    figures, _ = displays_of(tomllib.loads(CASES + PANELS), FORMULAS, ("grid", "rival"))
    panels = figures[0].draw(document(), Evidence(engine="sim", trials=both)).panels
    assert [panel.title for panel in panels] == ["1 BDP, near", "1 BDP, far", "4 BDP, near", "4 BDP, far"]
    assert [layer.style for layer in panels[0].layers] == ["bbr", "cubic", "bbr_4_17"]
    assert [layer.style for layer in panels[1].layers] == ["bbr", "cubic", "bbr_4_17", "flow 1"]
    assert panels[2].layers[0].y == pytest.approx((41e6,))


def table(text: str, published: Mapping[str, Any] | None = None) -> Table:
    shown = 'name = "t"\ntitle = ""\ncaption = ""\nexperiments = ["grid", "rival"]\n'
    _, tables = displays_of(tomllib.loads(f"{CASES}[[tables]]\n{shown}{text}"), FORMULAS, ("grid", "rival"))
    return tables[0].draw(document(published), TWO)


COLUMNS = """
rows = "size"
at = { "path.rtt" = "5 ms" }
across = "experiment"
columns = [
  { title = "queue", words = "{size}" },
  { title = "{sender}", unit = "Mbit/s", metric = "goodput", published = "p.{group}.{size_place}" },
]
"""


def test_entries_of_tables() -> None:
    drawn_table = table(COLUMNS, {"p": {"bbr": [43.4, 1.0], "cubic": ["none", 2.0]}})
    assert [column.heading for column in drawn_table.columns] == [
        "queue", "BBR of Linux 6.1 (Mbit/s)", "published", "CUBIC of Linux 6.1 (Mbit/s)", "published",
    ]  # fmt: skip
    label, bbr, bbr_published, cubic, cubic_published = drawn_table.rows[0]
    assert label == "1 BDP"
    assert isinstance(bbr, Amount)
    assert isinstance(cubic, Amount)
    assert (bbr_published, cubic_published) == ("43.4", "none")
    assert bbr.value == pytest.approx(11)
    assert bbr.half_width == pytest.approx(HALF_OF_TWO, rel=1e-4)
    assert cubic.value == pytest.approx(15.5)


def test_words_about_seeds() -> None:
    text = f'{QUEUE}{RATE}{SHORT}lines = [{{ metric = "goodput" }}]'
    assert chart(text).caption == "mean over 2 seeds with 95 % intervals (Student's t); seed 1 of 2"
    one = Evidence(engine="sim", trials={("grid", "bbr"): (sweep(3),)})
    assert chart(text, one).caption == "one seed; seed 3 of 1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('lines = [{ metric = "goodput", series = "rtt" }]', "a line has one of metric, series, published"),
        ('lines = [{ series = "rtt", colour = "red" }]', "colour: Extra inputs are not permitted"),
        ('x = "queue"', 'f: there is no axis "queue"'),
        ('each = "sizes"', 'f: there is no dimension "sizes"'),
        ('lines = [{ metric = "bottleneck.lost" }]', 'no result has "bottleneck.lost"'),
        ('lines = [{ metric = "goodput", unit = "MB" }]', 'f: there is no unit "MB"'),
        ('lines = [{ metric = "gain" }]', "f: gain: needs 1 experiments beside, not 0"),
        (
            'lines = [{ metric = "gain", beside = "rivals" }]',
            'f: there is no experiment "rivals"; did you mean "rival"',
        ),
        ('heat = { metric = "goodputs", label = "" }', 'f: no result has "goodputs"; did you mean "goodput"'),
        ('lines = [{ draw = "curves" }]', 'f: figures.py has no function "curves"'),
        ('panel_title = "{version"', "f: \"{version\": expected '}' before end of string"),
        ('panel_title = "{"', "f: \"{\": Single '{' encountered in format string"),
        ('panel_title = "{verzion}"', 'f: there is no word "verzion"; did you mean "version"'),
        ('panel_title = "{means_rival}"', 'f: there is no word "means_rival"; did you mean "means_grid"'),
    ],
)
def test_a_row_that_cannot_be_drawn_is_refused_as_it_is_read(text: str, message: str) -> None:
    with pytest.raises(StudyError) as caught:
        chart(text)
    assert message in str(caught.value)


NAMED = """
[cases]
part = [{ part = "1", letter = "a" }, { part = "2" }]
size = { field = "path.buffer", values = ["1 bdp"] }
"""


@pytest.mark.parametrize(
    ("head", "text", "message"),
    [
        ('order = ["g"]', "", 'order: there is no figure "g"; known: f\norder: lacks "f"'),
        ("", "[[figures]]\n" + FIGURE, 'figures: 2 are called "f"'),
        ("", f'[[tables]]\n{TABLE}rows = "version"\ncolumns = []\n', 'figures: 2 are called "f"'),
        (
            "",
            "[[figures]]\n" + FIGURE.replace('"f"', '"f{letter}"\nfor = "part"'),
            "a case of part has no word 'letter'",
        ),
        (
            "",
            "[[figures]]\n" + FIGURE.replace('"f"', '"f{letter}"\nfor = "size"'),
            "a case of size has no word 'letter'",
        ),
        ("", '[[cases.of]]\nexperiment = "grids"', 'cases.of: there is no experiment "grids"; did you mean "grid"'),
    ],
)
def test_names_of_figures_and_cases_that_go_together_with_nothing(head: str, text: str, message: str) -> None:
    written = tomllib.loads(f"{head}\n{NAMED}\n[[figures]]\n{FIGURE}{text}")
    with pytest.raises(StudyError) as caught:
        displays_of(written, FORMULAS, ("grid", "rival"))
    assert message in str(caught.value)


def test_all_problems_are_told_at_once() -> None:
    with pytest.raises(StudyError) as caught:
        chart('x = "queue"\neach = "sizes"\nlines = [{ metric = "lost" }]')
    assert len(str(caught.value).splitlines()) == 3
