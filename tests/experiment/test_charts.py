"""The charts of an experiment, from contents made by hand and from real runs."""

from __future__ import annotations

from pathlib import Path

import pytest

import dumbbell
from commandline import MOMENT
from dumbbell.charts.chart import Chart
from dumbbell.errors import DumbbellError
from dumbbell.experiment.charts import gallery, samples
from dumbbell.experiment.charts.layout import Sweep
from dumbbell.experiment.charts.sweep import completion, costs, shares, throughput_delay
from dumbbell.experiment.charts.time import STATE, in_time, most_different, rtt_distribution
from dumbbell.experiment.points import ExperimentRuns, read
from dumbbell.experiment.results import Results
from dumbbell.results.measured import MeasuredPoint
from dumbbell.results.store import Store
from dumbbell.spec import load


def point(buffer: str, *near_shares: float, cc: str = "bbr", other: str = "cubic") -> MeasuredPoint:
    """One group with these shares of 100 Mbit/s, and another one with the rest."""
    near, far = list(near_shares), [1 - share for share in near_shares]
    return MeasuredPoint(
        swept={"path.buffer": buffer, "flows[0].cc": cc},
        ccs={"near": cc, "far": other},
        sizes={"near": 1, "far": 3},
        fair_shares={"near": 0.25, "far": 0.75},
        run_ids={seed: f"{seed:016x}" for seed in range(1, len(near_shares) + 1)},
        numbers={
            ("share", "near"): near, ("share", "far"): far,
            ("goodput", "near"): [1e8 * share for share in near], ("goodput", "far"): [1e8 * share for share in far],
            ("rtt", "near"): [0.02 + share / 1e3 for share in near], ("rtt", "far"): [0.03] * len(near_shares),
            ("loss", ""): [0.1] * len(near_shares), ("jain", ""): [0.9] * len(near_shares),
        },
    )  # fmt: skip


def contents(*points: MeasuredPoint) -> ExperimentRuns:
    return ExperimentRuns(name="hand", engine="sim", points=list(points))


def of(chart: Chart | None) -> Chart:
    assert chart is not None
    return chart


def looks(chart: Chart) -> list[tuple[str, int]]:
    return [(layer.style, layer.instance) for panel in chart.panels for layer in panel.layers]


def test_each_curve_has_a_panel_and_groups_of_one_algorithm_differ_in_look_and_name() -> None:
    runs = contents(
        *(point(f"{buffer} bdp", 0.9, 0.8, cc=cc, other=cc) for cc in ("bbr", "cubic") for buffer in (0.5, 1, 2, 4, 8))
    )
    chart = of(shares(Sweep.of(runs)))
    assert [panel.x.label for panel in chart.panels] == ["buffer (BDP)"] * 2
    assert chart.panels[0].x.scale == "log2"
    assert looks(chart) == [("bbr", 0), ("bbr", 1), ("cubic", 0), ("cubic", 1)]
    assert [layer.tag for layer in chart.panels[0].layers] == ["near", "far"]
    first = chart.panels[0].layers[0]
    assert (first.x, first.label) == ((0.5, 1, 2, 4, 8), "near (BBR of Linux 6.1)")
    assert first.y == pytest.approx((85,) * 5)
    assert first.low[0] < 80, "of two seeds"
    assert chart.panels[0].y.limits == chart.panels[1].y.limits == (0, 100)


def test_what_is_fair_is_a_level_of_each_group_or_one_for_all() -> None:
    chart = of(shares(Sweep.of(contents(point("1 bdp", 0.5), point("2 bdp", 0.5)))))
    assert [(level.at, level.text) for level in chart.panels[0].levels] == [
        (25, "fair for near: 25 %"),
        (75, "fair for far: 75 %"),
    ]
    alike = point("1 bdp", 0.5)
    alike.fair_shares = {"near": 0.5, "far": 0.5}
    assert [level.text for level in of(shares(Sweep.of(contents(alike)))).panels[0].levels] == ["fair: 50 %"]
    alike.fair_shares = {}
    assert of(shares(Sweep.of(contents(alike)))).panels[0].levels == ()


def test_throughput_against_delay_is_uncertain_in_both_directions_and_names_its_points() -> None:
    (panel,) = of(throughput_delay(Sweep.of(contents(point("1 bdp", 0.9, 0.8), point("2 bdp", 0.7, 0.6))))).panels
    near, far = panel.layers
    assert near.y == pytest.approx((85, 65))
    assert near.x == pytest.approx((20.85, 20.65))
    assert all(low < y < high for low, y, high in zip(near.low, near.y, near.high, strict=True))
    assert all(left < x < right for left, x, right in zip(near.left, near.x, near.right, strict=True))
    assert far.left == far.right == far.x, "its RTT is the same with each seed"
    assert near.words == ("1 BDP", "2 BDP")
    assert panel.better == "upper left"


def test_what_belongs_to_the_link_has_no_algorithms_colour() -> None:
    (chart,) = costs(Sweep.of(contents(point("1 bdp", 0.5), point("2 bdp", 0.5))))
    by_label = {panel.y.label: {layer.style for layer in panel.layers} for panel in chart.panels}
    assert by_label == {"mean RTT (ms)": {"bbr", "cubic"}, "queue loss (%)": {"link"}, "Jain's index": {"link"}}


def test_where_each_curve_is_an_algorithm_the_link_has_its_colour() -> None:
    def alone(buffer: str, cc: str) -> MeasuredPoint:
        return MeasuredPoint(
            swept={"path.buffer": buffer, "flows[0].cc": cc}, ccs={cc: cc}, sizes={cc: 1}, run_ids={1: "0" * 16},
            numbers={("goodput", cc): [1e6], ("rtt", cc): [0.02], ("loss", ""): [0.1]},
        )  # fmt: skip

    runs = contents(*(alone(buffer, cc) for cc in ("bbr", "cubic") for buffer in ("1 bdp", "2 bdp")))
    (chart,) = costs(Sweep.of(runs))
    assert [[layer.style for layer in panel.layers] for panel in chart.panels] == [["bbr", "cubic"]] * 2
    assert [layer.tag for layer in of(throughput_delay(Sweep.of(runs))).panels[0].layers] == ["BBR", "CUBIC"]


def test_no_legend_has_two_entries_for_one_thing() -> None:
    for chart in gallery.of_summaries(None, contents(*(point(f"{size} bdp", 0.5, cc="cubic") for size in (1, 2, 4)))):
        entries = {layer.label: (layer.style, layer.instance) for panel in chart.panels for layer in panel.layers}
        entries.pop("", None)
        assert len(set(entries.values())) == len(entries), chart.name


@pytest.mark.parametrize(
    ("values", "label", "places"),
    [
        (("1 bdp", "20 kB"), "", (0, 1)),
        (("250 kB", "4 MB"), "buffer", (250e3, 4e6)),
        (("1e1 Mbit/s", "0.5e2 Mbit/s"), "buffer (Mbit/s)", (10, 50)),
        (("1.2.3", "1.2.4"), "", (0, 1)),
    ],
)
def test_amounts_stand_where_they_are_and_words_in_the_order_of_the_spec(
    values: tuple[str, str], label: str, places: tuple[float, float]
) -> None:
    panel = of(shares(Sweep.of(contents(*(point(value, 0.5) for value in values))))).panels[0]
    layer = panel.layers[0]
    assert layer.x == places
    if not label:
        assert panel.x.label == "buffer"
        assert panel.x.ticks == tuple(zip((0, 1), (value.replace("bdp", "BDP") for value in values), strict=True))
        assert layer.kind == "points", "between words there is nothing"
    else:
        assert panel.x.label == label


def test_where_only_words_are_swept_each_point_is_a_value_of_the_axis(tmp_path: Path) -> None:
    overrides = {
        "path.buffer": "1 bdp", "flows[0].cc": ["bbr", "cubic"], "flows[1].cc": ["bbr", "cubic"], "duration": "1 s",
        "flows[0].name": "first", "flows[1].name": "late", "measure.record": "summary",
    }  # fmt: skip
    dumbbell.run(load(MOMENT, overrides=overrides), store=tmp_path / "store")
    with Store.open(tmp_path / "store") as store:
        (runs,) = read(store)
    (panel,) = of(shares(Sweep.of(runs))).panels
    assert panel.x.label == "algorithm of first / late"
    assert [text for _, text in panel.x.ticks] == ["bbr", "bbr / cubic", "cubic / bbr", "cubic"]
    assert {(layer.tag, layer.style, layer.x) for layer in panel.layers} == {
        ("first", "bbr", (0, 1)), ("first", "cubic", (2, 3)), ("late", "bbr", (0, 2)), ("late", "cubic", (1, 3)),
    }  # fmt: skip


def test_without_a_sweep_groups_stand_beside_one_another() -> None:
    chart = of(shares(Sweep.of(contents(point("1 bdp", 0.5)))))
    assert [text for _, text in chart.panels[0].x.ticks] == ["near", "far"]
    assert [layer.x for layer in chart.panels[0].layers] == [(0,), (1,)]
    assert list(costs(Sweep.of(contents(point("1 bdp", 0.5))))) == []
    assert gallery.of_summaries(None, contents()) == []


def test_random_loss_and_completion_are_drawn_where_there_are_any(tmp_path: Path) -> None:
    overrides = {
        "path.loss": ["0 %", "1 %"], "path.loss_at": "after", "duration": "8 s",
        "flows[0].workload": {"transfer": "1 MB"},
    }  # fmt: skip
    dumbbell.run(load(MOMENT, overrides=overrides), store=tmp_path / "store")
    with Store.open(tmp_path / "store") as store:
        (runs,) = read(store)
    *_, chart = costs(Sweep.of(runs))
    (panel,) = [panel for panel in chart.panels if panel.y.label == "random loss (%)"]
    assert {layer.style for layer in panel.layers} == {"lost"}
    done = of(completion(Sweep.of(runs)))
    assert [layer.tag for layer in done.panels[0].layers] == ["bbr"], "the other group never ends"
    assert done.panels[0].better == "down"


@pytest.mark.parametrize(
    ("size", "shape", "label", "rows"),
    [
        ("20 kB", "distribution", "completion time (s)", 1),
        ({"pareto": {"mean": "30 kB", "shape": 1.5}}, "sweep", "size (kB)", 2),
    ],
)
def test_transfers_of_a_source_are_drawn_by_their_size_or_as_a_distribution(
    size: object, shape: str, label: str, rows: int
) -> None:
    spec = {
        "duration": "until done", "time_limit": "300 s",
        "path": {"rate": "20 Mbit/s", "rtt": "20 ms", "buffer": ["0.5 bdp", "2 bdp"]},
        "flows": [{"name": "web", "cc": "cubic",
                   "workload": {"arrivals": {"load": 0.5, "count": 60}, "size": size}}],
    }  # fmt: skip
    results = dumbbell.run(spec)
    chart = results.plot.transfers().chart
    assert chart.shape == shape
    assert [panel.title for panel in chart.panels] == ["buffer 0.5 BDP", "buffer 2 BDP"]
    assert {panel.x.label for panel in chart.panels} == {label}
    for panel in chart.panels:
        assert len(panel.layers) == rows
        assert panel.layers[0].tag
        assert all(value > 0 for layer in panel.layers for value in layer.y)
    names = [chart.name for chart in gallery.of_summaries(None, results.plot.runs)]
    assert names[:2] == ["throughput-delay", "completion"]
    labels = [panel.y.label for panel in results.plot.completion().chart.panels]
    assert {"completion time (s)", "completion time, 95th percentile (s)", "mean slowdown"} <= set(labels)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return dumbbell.run(MOMENT, store=tmp_path_factory.mktemp("charts") / "store")


@pytest.fixture(scope="module")
def there(results: Results) -> tuple[ExperimentRuns, list[samples.Sampled]]:
    with Store.open(results.store) as store:
        (runs,) = read(store)
        return runs, samples.read(store, runs).runs


def test_first_seeds_are_read_before_second_ones_and_points_are_left_out_evenly(
    there: tuple[ExperimentRuns, list[samples.Sampled]],
) -> None:
    runs, sampled = there
    assert [each.title for each in sampled] == [
        f"buffer {size} BDP, seed {seed}" for seed in (1, 2) for size in ("0.5", "2")
    ]
    many = contents(*(point(f"{size} bdp", 0.5, 0.5) for size in range(1, 102)))
    picked = samples.chosen(many, 5)
    assert [(each.swept["path.buffer"], seed) for each, seed in picked] == [
        (f"{size} bdp", 1) for size in (1, 26, 51, 76, 101)
    ]
    assert [each.seed for each in most_different(runs, sampled)] == [1, 1]


def test_algorithms_one_at_a_time_share_the_panels_of_what_else_is_swept(tmp_path: Path) -> None:
    spec = {
        "duration": "2 s",
        "path": {"rate": "5 Mbit/s", "rtt": "20 ms", "buffer": [f"{each} bdp" for each in range(1, 9)]},
        "flows": [{"cc": ["reno", "cubic", "bbr"]}],
    }  # fmt: skip
    results = dumbbell.run(spec, store=tmp_path / "store")
    chart = results.plot.rtt().chart
    assert [panel.title for panel in chart.panels] == [f"buffer {size} BDP" for size in (1, 3, 5, 6, 8)]
    for panel in chart.panels:
        assert [(layer.style, layer.tag) for layer in panel.layers] == [
            ("reno", "Reno"), ("cubic", "CUBIC"), ("bbr", "BBR"),
        ]  # fmt: skip


def test_a_run_in_time_has_every_flow_from_its_start_on(
    there: tuple[ExperimentRuns, list[samples.Sampled]],
) -> None:
    runs, sampled = there
    throughput, cwnd, inflight, rtt, queue = in_time(runs, sampled[:1]).panels
    assert [layer.style for layer in throughput.layers] == ["bbr", "cubic"]
    assert throughput.layers[0].x[0] < 0.2
    assert 0.4 < throughput.layers[1].x[0] < 0.6, "the second flow starts at 500 ms"
    assert sum(throughput.layers[0].y) > sum(throughput.layers[1].y)
    assert max(cwnd.layers[0].y) >= max(inflight.layers[0].y) > 0
    assert min(rtt.layers[0].y) >= 20
    assert max(queue.layers[0].y) <= 25, "kB, and the queue holds 25 kB"


def test_runs_laid_over_one_another_are_told_apart(
    there: tuple[ExperimentRuns, list[samples.Sampled]],
) -> None:
    runs, sampled = there
    chart = in_time(runs, sampled[:2])
    throughput = chart.panels[0]
    assert [layer.label for layer in throughput.layers] == [
        f"{cc} of Linux 6.1; buffer {size} BDP" for size in ("0.5", "2") for cc in ("BBR", "CUBIC")
    ]
    assert len({(layer.style, layer.instance) for layer in throughput.layers}) == 4
    with pytest.raises(DumbbellError, match=r"measure\.record"):
        in_time(runs, [])


def test_the_distribution_of_rtts_is_one_within_the_window(
    there: tuple[ExperimentRuns, list[samples.Sampled]],
) -> None:
    chart = of(rtt_distribution(*there))
    assert [panel.title for panel in chart.panels] == ["buffer 0.5 BDP", "buffer 2 BDP"]
    for layer in (layer for panel in chart.panels for layer in panel.layers):
        assert list(layer.y) == sorted(layer.y)
        assert layer.y[-1] == 100
        assert 20 <= layer.x[0] < layer.x[-1] < 20 + 2 * 20 + 10, "ms: the base RTT and at most the queue"


def test_the_state_of_an_algorithm_is_what_it_has(tmp_path: Path) -> None:
    path = {"rate": "20 Mbit/s", "rtt": "20 ms", "buffer": "0.5 bdp"}
    flows = [{"cc": "bbr3"}, {"cc": "reno", "start": "1 s"}]
    plot = dumbbell.run({"name": "s", "duration": "8 s", "path": path, "flows": flows}, store=tmp_path).plot
    chart = plot.state().chart
    panels = {panel.y.label: panel for panel in chart.panels}
    names = [name for name, _ in STATE.values() if name != "alpha"]
    assert [label.partition(" (")[0] for label in panels] == names, "there are losses, and no ECN"
    assert [layer.style for layer in panels["pacing gain"].layers] == ["bbr3"], "Reno has none"
    bounds = {label: panels[label].layers for label in ("bw_lo (Mbit/s)", "inflight_lo (kB)", "bandwidth (Mbit/s)")}
    assert {layer.label for layers in bounds.values() for layer in layers} == {bounds["bandwidth (Mbit/s)"][0].label}
    (bw_lo,), (bandwidth,) = bounds["bw_lo (Mbit/s)"], bounds["bandwidth (Mbit/s)"]
    assert bw_lo.kind == "points"
    assert len(bw_lo.x) < len(bandwidth.x), "it comes and goes"
    known = dict(zip(bandwidth.x, bandwidth.y, strict=True))
    assert all(known[at] <= bound for at, bound in zip(bw_lo.x, bw_lo.y, strict=True)), "what is above is not believed"


@pytest.mark.slow
def test_results_plot_shows_and_saves_each_chart(results: Results, tmp_path: Path) -> None:
    plot = results.plot
    in_time = (plot.series(), plot.state())
    for shown in (plot.shares(), plot.throughput_delay(), plot.rtt(), *in_time, plot.quantity("retransmits")):
        assert shown._repr_mimebundle_()["image/png"]
    assert plot.shares().save(tmp_path / "a.svg").read_bytes().startswith(b"<svg")
    lines = plot.shares().save(str(tmp_path / "a.csv")).read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("panel,x_axis,y_axis,series,point,x,")
    assert len(lines) == 1 + 2 * 2
    assert len(plot.series(points=[0], seeds=[1, 2]).chart.panels[0].layers) == 4


def test_results_plot_says_why_there_is_nothing(results: Results, tmp_path: Path) -> None:
    with pytest.raises(DumbbellError, match="nothing completes"):
        results.plot.completion()
    with pytest.raises(DumbbellError, match=r'no quantity "rttt"; did you mean "rtt"'):
        results.plot.quantity("rttt")
    with pytest.raises(DumbbellError, match=r"\.png, \.svg, \.pdf, \.csv"):
        results.plot.shares().save(tmp_path / "shares.jpg")


@pytest.fixture(scope="module")
def managed(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """A flow with ECN and one without, before a queue that drops and marks, and before one that fills."""
    path = {"rate": "10 Mbit/s", "rtt": "30 ms", "buffer": "3 bdp", "qdisc": ["fq_codel", "fifo"]}
    flows = [{"cc": "cubic", "ecn": True}, {"cc": "bbr"}]
    experiment = load({"name": "managed", "duration": "6 s", "path": path, "flows": flows})
    return dumbbell.run(experiment, store=tmp_path_factory.mktemp("managed"))


def test_drops_and_marks_of_a_managed_queue_are_points_of_two_shapes(managed: Results) -> None:
    with Store.open(managed.store) as store:
        (runs,) = read(store)
        fq_codel, fifo = samples.read(store, runs).runs
        (events,) = in_time(runs, [fq_codel]).panels[5:]
        assert [(layer.label, layer.style) for layer in events.layers] == [
            ("dropped by the queue", "dropped"), ("marked by the queue", "marked"),
        ]  # fmt: skip
        end = fq_codel.series.queue_series().iloc[-1]
        assert [sum(layer.y) for layer in events.layers] == pytest.approx(
            [end["dropped_packets"], end["marked_packets"]], rel=0.05
        )
        assert len(in_time(runs, [fifo]).panels) == 5, "the backlog of a drop-tail queue says when it drops"


def test_a_sweep_has_marks_and_sojourn_times_where_there_are_any(managed: Results) -> None:
    with Store.open(managed.store) as store:
        (runs,) = read(store)
    (chart,) = costs(Sweep.of(runs))
    labels = [panel.y.label for panel in chart.panels]
    assert {"queue marks (%)", "mean sojourn time (ms)"} <= set(labels)
    (link,) = costs(Sweep.of(contents(point("1 bdp", 0.5), point("2 bdp", 0.5))))
    assert not {"queue marks (%)", "mean sojourn time (ms)"} & {panel.y.label for panel in link.panels}
