"""Short forms: what is in them, how long they take on a live engine, and that their figures keep their shape."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from commandline import dumbbell
from dumbbell import studies
from dumbbell.campaign.measuring import execute
from dumbbell.campaign.plan import plan
from dumbbell.charts.chart import Axis, Chart, Layer, Panel
from dumbbell.engines import registry
from dumbbell.engines.netns import NetnsEngine
from dumbbell.engines.path_check import PathReport
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import StudyError
from dumbbell.results.schema import Result
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, Run
from dumbbell.spec import load as load_spec
from dumbbell.studies import Study
from dumbbell.studies.engines import combined_chart, combined_charts, combined_numbers
from dumbbell.studies.execution import honoured
from dumbbell.studies.manifest import ShortExperiment, ShortForm, folder_of, manifest_of
from dumbbell.studies.short import longest_s, shortened, without_programs
from dumbbell.studies.status import run_command
from dumbbell.tables.table import Amount, Table

NAMES = ("borgli2017", "cao2019", "claypool2019", "giordano2019", "zhang2024")
OF_POINTS = ("mishra2022",)
"""These have some of the points that were measured, for engines in virtual time."""
MOST_S = {"borgli2017": 1500}
"""Of nine figures; every other one fits into a quarter of an hour."""
TOOLS = {
    "borgli2017": {"sh"},
    "cao2019": {"iperf3"},
    "claypool2019": set[str](),
    "giordano2019": {"iperf3"},
    "zhang2024": {"iperf3", "ffmpeg"},
}
"""The programs of each document that a live engine starts; Claypool's own sender just sends, as the agent does."""
EVEN = 0.03
"""So near to a half of the goodput nobody is ahead."""


@pytest.fixture
def netns(monkeypatch: pytest.MonkeyPatch) -> NetnsEngine:
    """The live engine on a machine that has every program, but no netem and no fq; root is not needed."""
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    engine = NetnsEngine()
    vars(engine)["_controls"] = {"reno": "reno", "cubic": "cubic", "bbr": "bbr"}
    vars(engine)["_means"] = {"tbf": True, "htb": True, "ifb": True, "netem": False, "loss": False, "fq": False}
    return engine


def runs_on(study: Study, engine: SimEngine | NetnsEngine) -> list[Run]:
    experiments = honoured(study, engine).values()
    return [each.resolved.run for experiment in experiments for each in plan(experiment, live=engine.live)]


def tools_of(runs: list[Run]) -> set[str]:
    return {flow.work.command.command[0] for run in runs for flow in run.flows if flow.work.command}


def numbers(experiment: Experiment, metric: Callable[[Result], float | None]) -> dict[str, float]:
    """A number of each point's run with the first seed on `sim`, by the swept values but the algorithm."""
    by_point = {}
    for each in plan(experiment):
        if each.resolved.run.seed == 1:
            outcome, _ = execute(each, SimEngine(), "test")
            assert isinstance(outcome, Result)
            number = metric(outcome)
            assert number is not None
            point = (str(value) for path, value in each.point.items() if path != "flows[0].cc")
            by_point[", ".join(point)] = number
    return by_point


def short_and_full(
    study: str, experiment: str, metric: Callable[[Result], float | None]
) -> dict[str, tuple[float, float]]:
    """A number of each point of a short form, there and in the whole study."""
    short, full = studies.load(study, short=True), studies.load(study)
    own = numbers(short.experiments[experiment], metric)
    theirs = numbers(full.part(experiment, short.variants), metric)
    return {point: (number, theirs[point]) for point, number in own.items()}


def total_bps(result: Result) -> float:
    return sum(group.goodput_bps or 0.0 for group in result.groups.values())


def test_the_studies_that_have_a_short_form() -> None:
    short = {each for each in studies.names() if manifest_of(folder_of(each)).short_form}
    assert short == {*NAMES, *OF_POINTS}


@pytest.mark.long
def test_a_short_form_of_points_has_every_tenth_and_what_was_measured_there() -> None:
    short, full = studies.load("mishra2022", short=True), studies.load("mishra2022")
    measured = short.measured["shares"]
    assert [row.line for row in measured.rows] == [row.line for row in full.measured["shares"].rows[::10]]
    assert (len(measured.rows), len(short.experiments["shares"])) == (275, 275)
    assert measured.experiment is short.experiments["shares"]
    assert {run.canonical() for run in runs_on(short, SimEngine())} < {
        run.canonical() for run in runs_on(full, SimEngine())
    }
    assert {row.notes["path"] for row in measured.rows} == {row.notes["path"] for row in full.measured["shares"].rows}


@pytest.mark.parametrize("name", NAMES)
def test_a_short_form_fits_into_its_real_time(name: str, netns: NetnsEngine) -> None:
    runs = runs_on(studies.load(name, short=True), netns)
    assert len(runs) > 10
    assert {run.seed for run in runs} == {1}
    assert longest_s(runs) == sum(run.duration_ns for run in runs) / 1e9 + len(runs) <= MOST_S.get(name, 900)


@pytest.mark.parametrize("name", NAMES)
def test_a_kernel_without_fq_refuses_nothing_of_a_short_form(name: str, netns: NetnsEngine) -> None:
    short = studies.load(name, short=True)
    assert list(honoured(short, netns)) == list(short.experiments)


@pytest.mark.parametrize("name", NAMES)
def test_programs_are_the_workloads_where_an_engine_can_run_them(name: str, netns: NetnsEngine) -> None:
    short = studies.load(name, short=True)
    on_netns, on_sim = runs_on(short, netns), runs_on(short, SimEngine())
    assert tools_of(on_netns) == TOOLS[name]
    assert tools_of(on_sim) == set()
    assert [run.duration_ns for run in on_netns] == [run.duration_ns for run in on_sim]


def test_what_stands_beside_the_tool_is_set_where_it_runs(netns: NetnsEngine) -> None:
    short = studies.load("zhang2024", short=True)
    assert {run.measure.ss_ns for run in runs_on(short, netns)} == {None, 100_000_000}
    assert {run.measure.ss_ns for run in runs_on(short, SimEngine())} == {None}


def test_without_the_tool_the_own_workloads_stay_and_the_reason_is_told(
    netns: NetnsEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = studies.load("borgli2017", short=True)
    assert without_programs(short, netns) == {}
    assert set(without_programs(short, SimEngine())) == set(short.experiments)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert without_programs(short, netns) == dict.fromkeys(short.experiments, 'this machine has no program "sh"')
    assert tools_of(runs_on(short, netns)) == set()


def test_a_short_form_has_other_names_than_the_study_and_no_claims() -> None:
    short = studies.load("borgli2017", short=True)
    assert [each.name for each in short.experiments.values()] == [
        *(f"borgli2017-{name}-short" for name in ("join", "join-cubic", "c2", "b2", "c1b1", "c2b2", "figure4", "b1")),
        *(f"borgli2017-{name}-short" for name in ("c1", "figure8-acks", "figure8-acks-cubic")),
    ]
    assert (short.claims, short.variants) == ((), ("bbr",))
    assert run_command(short, "netns") == "dumbbell study run borgli2017 --short --engine netns"


def test_seeds_that_are_asked_for_take_the_place_of_the_one() -> None:
    short = studies.load("borgli2017", short=True, seeds=2)
    assert all(list(each.seed_values) == [1, 2] for each in short.experiments.values())


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"figures": ("figure99",)}, 'short_form: there is no figure "figure99"'),
        ({"experiments": {"c9": ShortExperiment(because="")}}, 'short_form: there is no experiment "c9"'),
        ({"experiments": {"c2": ShortExperiment(because="", program="scp")}}, 'short_form: there is no program "scp"'),
        (
            {"experiments": {"c2": ShortExperiment(because="", every=2)}},
            'short_form: there is no experiment with measured points "c2"',
        ),
    ],
)
def test_a_short_form_names_what_there_is(form: dict[str, object], message: str) -> None:
    full = studies.load("borgli2017")
    own = ShortForm(**{"variants": ("bbr",), "figures": (), "experiments": {}} | form)  # type: ignore[arg-type]
    with pytest.raises(StudyError, match=f"^study borgli2017: {message}|^borgli2017: {message}"):
        shortened(replace(full, manifest=full.manifest.model_copy(update={"short_form": own})))


def test_a_study_without_a_short_form_says_so() -> None:
    with pytest.raises(StudyError, match=r"^study theory has no short form$"):
        studies.load("theory", short=True)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_runs_of_a_short_form_show_its_figures(name: str, tmp_path: Path) -> None:
    short = studies.load(name, short=True)
    with Store.open(tmp_path, write=True) as store:
        assert studies.run(short, store, "sim") == []
        status = studies.status_of(short, store, "sim")
        charts, tables = status.charts(), status.tables()
        one_engine = list(combined_charts([status]))
    form = short.manifest.short_form
    assert form is not None
    assert sorted([*(each.name for each in charts), *(each.name for each in tables)]) == sorted(form.figures)
    captions = [*(each.caption for each in charts), *(each.caption for each in tables)]
    assert all("This is the short form" in caption for caption in captions)
    assert one_engine == []


@pytest.mark.long
@pytest.mark.slow
def test_who_has_more_in_which_queue_is_as_in_the_whole_of_borgli2017() -> None:
    def share(result: Result) -> float | None:
        return result.groups["bbr"].share

    short, full = studies.load("borgli2017", short=True), studies.load("borgli2017")
    own, theirs = numbers(short.experiments["c1b1"], share), numbers(full.part("c1b1", short.variants), share)
    assert list(own) == ["13 packets", "39 packets", "55 packets", "80 packets", "207 packets"]
    for point, here in own.items():
        there = theirs[point]
        assert (here > 0.5) == (there > 0.5) or abs(here - 0.5) < EVEN, point


@pytest.mark.long
def test_who_is_ahead_in_which_cell_is_as_in_the_60_s_of_cao2019() -> None:
    short = studies.load("cao2019", short=True)
    gains = []
    for duration in ({}, {"duration": "60 s"}):
        bbr, cubic = (
            numbers(load_spec(short.experiments[title], overrides=duration), total_bps)
            for title in ("grid", "grid_cubic")
        )
        gains.append({cell: bbr[cell] / cubic[cell] - 1 for cell in bbr})
    own, full = gains
    assert len(own) == 12
    assert {cell for cell, gain in own.items() if gain > EVEN} == {cell for cell, gain in full.items() if gain > EVEN}
    assert sum(gain > EVEN for gain in own.values()) == 5
    assert all(own[cell] > full[cell] for cell in own if own[cell] > EVEN), "CUBIC's start counts for more"
    assert all(own[cell] == pytest.approx(full[cell], abs=EVEN) for cell in own if own[cell] <= EVEN)


@pytest.mark.long
def test_the_order_of_lossy_pairs_is_as_in_the_whole_of_giordano2019() -> None:
    bbr, cubic, reno = (
        short_and_full("giordano2019", title, total_bps) for title in ("lossy", "lossy_cubic", "lossy_reno")
    )
    for point, (short, _) in bbr.items():
        assert short > reno[point][0] > cubic[point][0], point
    for short, full in (*bbr.values(), *cubic.values(), *reno.values()):
        assert short == pytest.approx(full, rel=0.1)


@pytest.mark.long
def test_where_loss_ends_is_as_in_the_whole_of_claypool2019() -> None:
    losses = short_and_full("claypool2019", "figure7", lambda result: result.bottleneck.loss_per_sent)
    for point, (short, full) in losses.items():
        assert (short > 0.01) == (full > 0.01), point
        assert short == pytest.approx(full, rel=0.35, abs=0.005), point


@pytest.mark.long
@pytest.mark.slow
def test_bbr_is_as_much_faster_under_loss_as_in_the_whole_of_zhang2024() -> None:
    bbr, cubic = (
        short_and_full("zhang2024", title, lambda result: result.flows[0].goodput_whole_bps)
        for title in ("lossy", "lossy_cubic")
    )
    for point in bbr:
        short, full = (own / other for own, other in zip(bbr[point], cubic[point], strict=True))
        assert short > 1, point
        assert 1 / 2 < short / full < 2, point


@pytest.mark.slow
def test_the_command_says_what_is_in_the_short_form_and_draws_it(tmp_path: Path) -> None:
    done = dumbbell("study", "run", "claypool2019", "--short", "--experiments", "figure7", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    first = done.stderr.splitlines()[0]
    assert first.startswith("short form of claypool2019: figure7; not in it: figure4a, ")
    assert "figure10," not in first
    assert (tmp_path / "figures/sim/figure7.svg").is_file()
    assert not (tmp_path / "figures/engines").exists()
    drawn = dumbbell("study", "figures", "claypool2019", "--short", "--out", tmp_path, "--numbers", "figure7")
    assert drawn.returncode == 0, drawn.stderr
    assert "0.25" in drawn.stdout
    assert "\nsim: BBR falls from " in drawn.stdout
    full = dumbbell("study", "figures", "claypool2019", "--out", tmp_path)
    assert full.returncode == 2


def test_engines_stand_beside_one_another_in_a_chart_and_what_is_published_once_below() -> None:
    first = Panel(title="rate", x=Axis(label="x"), y=Axis(label="y"))
    published = replace(first, title="published")
    template = Chart(name="figure1", title="Figure 1", caption="Of both.", panels=(first,))

    def of(at: float) -> Chart:
        marked = replace(first, marks=((at, "end"),))
        return replace(template, panels=(marked, replace(marked, title=""), published))

    charts = {"sim": of(1.0), "netns": of(2.0)}
    side = combined_chart(template, charts)
    assert (side.caption, side.columns) == (
        "Of both. Of the engines sim runs Linux 6.1, netns runs the machine's kernel.",
        2,
    )
    assert [each.title for each in side.panels] == ["sim: rate", "netns: rate", "sim", "netns", "published"]


def test_beside_one_another_lines_have_one_scale_and_no_kernel_in_their_names() -> None:
    def of(kernel: str, y: float) -> Chart:
        none = Layer(label="nothing", style="reno", x=(), y=())
        layers = (Layer(label=f"BBR of {kernel}", style="bbr", x=(1.0,), y=(y,)), none)
        panel = Panel(x=Axis(label="x"), y=Axis(label="y", limits=(0, None)), layers=layers)
        return Chart(name="f", title="F", caption="", panels=(panel,))

    panels = combined_chart(
        of("Linux 6.1", 10.0), {"sim": of("Linux 6.1", 10.0), "linux:6.12": of("Linux 6.12", 40.0)}
    ).panels
    assert [[layer.label for layer in panel.layers] for panel in panels] == [["BBR"], ["BBR"]]
    assert [panel.y.limits for panel in panels] == [(0, 42)] * 2


def test_numbers_of_engines_stand_beside_one_another_and_what_is_published_once() -> None:
    def figure(kernel: str, y: float) -> Chart:
        layers = (
            Layer(label=f"BBR of {kernel}", style="bbr", x=(1.0, 4.0), y=(y, 2.0)),
            Layer(label="published", style="published", x=(2.0,), y=(7.0,)),
        )
        panel = Panel(x=Axis(label="queue"), y=Axis(label="rate"), layers=layers)
        return Chart(name="f", title="F", caption="", panels=(panel,))

    def table(kernel: str, mean: float) -> Table:
        row = (f"BBR of {kernel}", Amount(mean), "9", Amount(5.0))
        return Table.of(("of", "rate", "published", "RTT"), [row], title="T")

    (own,) = combined_numbers({"sim": figure("Linux 6.1", 3.0), "linux:6.12": figure("Linux 6.12", 4.0)})
    assert own.header == ["queue", "BBR, sim", "BBR, linux:6.12", "published"]
    assert own.rows == [["1", "3.00", "4.00", ""], ["2", "", "", "7.00"], ["4", "2.00", "2.00", ""]]
    rate, rtt = combined_numbers({"sim": table("Linux 6.1", 3.0), "linux:6.12": table("Linux 6.12", 4.0)})
    assert (rate.title, rate.header) == ("T; rate", ["of", "sim", "linux:6.12", "published"])
    assert rate.texts() == [["BBR", "3.00", "4.00", "9"]]
    assert (rtt.title, rtt.header, rtt.texts()) == ("T; RTT", ["of", "sim", "linux:6.12"], [["BBR", "5.00", "5.00"]])


class Crooked(SimEngine):
    """An engine whose paths are as asked, but for those with a queue of these many BDP."""

    def __init__(self, *bdp: float) -> None:
        self.bdp = bdp

    def probe(self, run: Run) -> PathReport:
        path, rtt_ns = run.path, run.flows[0].base_rtt_ns
        assert path.buffer.bytes is not None
        wrong = path.buffer.bytes in {round(each * path.rate_bps * rtt_ns / 8e9) for each in self.bdp}
        return PathReport(
            rate_bps=path.rate_bps // 2 if wrong else path.rate_bps, rtt_ns=(rtt_ns,) * len(run.flows),
            queue_bytes=path.buffer.bytes, queue_packets=100, spaced_packets=1000, lost_packets=0, reordered_packets=0,
        )  # fmt: skip


@pytest.mark.slow
def test_what_has_a_path_that_is_not_as_asked_is_left_out_and_the_rest_is_measured(tmp_path: Path) -> None:
    study = studies.load("claypool2019", short=True, seeds=1)
    left: dict[str, Sequence[str]] = {}
    with Store.open(tmp_path, write=True) as store:
        for engine in (Crooked(8.0), Crooked(2.0)):
            with pytest.raises(
                StudyError, match=r"nothing was measured, because paths are not as asked:\n.*path\.rate"
            ):
                studies.run(study, store, engine)
        with pytest.raises(StudyError, match="nothing was measured"):
            studies.run(study, store, Crooked(2.0), left_out=left.__setitem__)
        assert (left, store.count()) == ({}, 0)
        assert studies.run(study, store, Crooked(8.0), left_out=left.__setitem__) == []
        assert [(title, len(why)) for title, why in left.items()] == [("figure10", 1)]
        assert "8" in left["figure10"][0]
        assert {each.experiment for each in store.campaigns()} == {study.experiments["figure7"].name}
        left.clear()
        assert studies.run(study, store, Crooked(0.25), left_out=left.__setitem__) == []
        assert list(left) == ["figure10"]  # figure7 is there, and its paths are not looked at again
        assert studies.run(study, store, Crooked()) == []


@pytest.mark.slow
def test_the_command_draws_what_is_there_and_tells_what_was_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "engine", lambda _: Crooked(8.0))
    done = dumbbell("study", "run", "claypool2019", "--short", "--out", tmp_path)
    assert done.returncode == 1
    assert "left out: claypool2019, figure10: a path is not as asked: 80 Mbit/s" in done.stderr
    assert "path.rate: asked for 80 Mbit/s, saw 40 Mbit/s" in done.stderr
    assert "figure7.svg" in {each.name for each in tmp_path.rglob("*.svg")}
    assert "report: " in done.stderr
