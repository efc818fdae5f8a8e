"""Each claim on hand-made results: what was published reproduces it, and one wrong number does not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product
from typing import Any

import pytest

from dumbbell import studies
from dumbbell.charts import heat
from dumbbell.charts.style import style_of
from dumbbell.spec.quantity import Rate, Share, Time
from dumbbell.studies import Study, Verdict
from dumbbell.studies.evidence import Evidence, RunData, SeedSweep
from dumbbell.studies.judgement import judge
from observed import observed

WAITING = ("C1", "C2", "C3", "C4", "C5", "C9")
CLAIMS = tuple(f"C{number}" for number in range(1, 29))
JUDGED = tuple(claim for claim in CLAIMS if claim not in WAITING)
SEEDS = (1, 2, 3)
MINUTE_S = (0.0, 60.0)
SHARES = {
    "10 kB": 94, "100 kB": 80, "1 MB": 70, "2.5 MB": 60, "5 MB": 50, "7.5 MB": 40, "10 MB": 25, "50 MB": 10,
    "100 MB": 10,
}  # fmt: skip
RETRANSMITS = {
    "10 kB": (26746, 908), "100 kB": (305029, 1398), "1 MB": (68741, 3987), "2.5 MB": (20000, 2000),
    "5 MB": (1324, 1145), "7.5 MB": (700, 900), "10 MB": (204, 794), "50 MB": (0, 7), "100 MB": (0, 16),
}  # fmt: skip
CLIFFS = {
    "figure7": 20, "figure7_1_1": 9, "figure7_1_5": 20, "figure7_undetected": 20, "wan_loss": 20, "cliffs": 20,
    "cliffs_1_1": 9, "cliffs_1_5": 33,
}  # fmt: skip
ARRIVALS = (
    ("1 Gbit/s", False, "5 kB"), ("25 Gbit/s", False, "5 kB"), ("1 Gbit/s", True, "70 kB"),
    ("1 Gbit/s", False, "250 kB"), ("1 Gbit/s", False, "1 MB"), ("1 Gbit/s", False, "1.5 MB"),
)  # fmt: skip
SIZE, LINE = "flows[0].workload.transfer", "flows[0].access.rate"
Cell = tuple[float, float, str]
"""Rate in Mbit/s, RTT in ms, queue."""


@pytest.fixture(scope="module")
def cao() -> Study:
    return studies.load("cao2019")


def bdp_mb(cell: Cell) -> float:
    return cell[0] * cell[1] / 8e3


def gain_percent(cell: Cell) -> float:
    """As the text has it: growing with the BDP to 115 % where the queue is shallow; CUBIC a little ahead where deep."""
    if cell[2] == "100 kB":
        return 115 * bdp_mb(cell) / 12.5 - 5 * (bdp_mb(cell) < 0.4) if cell[0] <= 500 else 11.0
    return -3.0 if bdp_mb(cell) < 10 else 20.0


def sent_again(cell: Cell, sender: str) -> int:
    shallow = cell[2] == "100 kB"
    return {("bbr", True): 235798, ("bbr", False): 0, ("cubic", True): 1649, ("cubic", False): 471}[sender, shallow]


def loss_percent(cell: Cell, sender: str) -> float:
    shallow = cell[2] == "100 kB"
    return {("bbr", True): 10.1, ("bbr", False): 0.8, ("cubic", True): 0.9, ("cubic", False): 1.3}[sender, shallow]


def done_s(cell: Cell, size: str, sender: str) -> float:
    slower = size == "100 MB" and cell[2] == "10 MB" and bdp_mb(cell) < 1
    return 10.0 if sender == "cubic" else 10.2 if slower else 9.0


def carried(loss: float, cliff: float) -> float:
    """Mbit/s that a BBR flow has up to its cliff and beyond."""
    return 95.0 * (1 - loss / 100) if loss <= cliff else 20.0


@cache
def grid_points() -> tuple[tuple[dict[str, str], Cell], ...]:
    path = studies.load("cao2019").experiments["grid"].words()["path"]
    return tuple(
        (
            {"path.rate": str(rate), "path.rtt": str(rtt), "path.buffer": str(size)},
            (Rate(rate).bps / 1e6, Time(rtt).ns / 1e6, str(size)),
        )
        for rate, rtt, size in product(path["rate"], path["rtt"], path["buffer"])
    )


def percent(loss: str) -> float:
    return float(Share(loss).number)


@cache
def losses() -> tuple[str, ...]:
    return tuple(str(each) for each in studies.load("cao2019").experiments["figure7"].words()["path"]["loss"])


@dataclass(frozen=True, kw_only=True)
class Published:
    """What the document has, one run after the other; tests change one number. Gains and losses in %, by cell."""

    gain: Callable[[Cell], float] = gain_percent
    cubic_mbit_s: float = 179.6
    again: Callable[[Cell, str], int] = sent_again
    lost: Callable[[Cell, str], float] = loss_percent
    done: Callable[[Cell, str, str], float] = done_s
    cliffs: Mapping[str, float] = field(default_factory=dict)
    left: float | None = None
    """Mbit/s of BBR at a random loss of 30 %."""
    lossy: Callable[[float], float] = lambda loss: 20 / max(loss, 0.25)
    peak: float = 20.0
    """The random loss with most retransmissions."""
    shares: Mapping[str, float] = field(default_factory=dict)
    table1: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    internet: float = 92.3
    queues: tuple[float, float, float] = (0.1, 1.1, 1.1)

    def evidence(self, experiments: Iterable[str]) -> Evidence:
        runs = {name: tuple(self.runs(name)) for name in experiments}
        return Evidence(
            engine="sim",
            trials={
                (name, variant): tuple(SeedSweep(seed, found) for seed in SEEDS)
                for name, found in runs.items()
                for variant in ("bbr", "bbr_4_17")
            },
        )

    def runs(self, experiment: str) -> Iterator[RunData]:
        sender = "cubic" if experiment.endswith("cubic") else "bbr"
        if experiment.startswith("grid"):
            return (self.bulk(point, cell, sender) for point, cell in grid_points())
        if experiment.startswith("transfer"):
            return (
                alone({**point, SIZE: size}, sender, 0.0, fct_s=self.done(cell, size, sender))
                for point, cell in grid_points()
                for size in ("10 MB", "100 MB")
            )
        if experiment.startswith("fast"):
            fast = [(point, cell) for point, cell in grid_points() if cell[0] == 1000.0 and cell[2] == "100 kB"]
            return (self.behind_a_fast_line(experiment, point, cell, sender) for point, cell in fast)
        if experiment.startswith("bursts"):
            return (
                self.bulk({**point, LINE: line, "path.offload": whole, "path.burst": burst}, cell, sender)
                for point, cell in grid_points()
                if cell[0] == 500.0 and point["path.rtt"] in {"25 ms", "200 ms"}
                for line, whole, burst in ARRIVALS
            )
        if experiment in CLIFFS:
            return (self.under_loss(text, (CLIFFS | dict(self.cliffs))[experiment]) for text in losses())
        return iter(self.others(experiment))

    def bulk(self, point: Mapping[str, Any], cell: Cell, sender: str) -> RunData:
        rate = self.cubic_mbit_s * (1 + self.gain(cell) / 100 * (sender == "bbr"))
        told = {"retransmits": self.again(cell, sender), "retransmit_rate": self.lost(cell, sender) / 100}
        return alone(point, sender, rate, segments_sent=1000, **told)

    def behind_a_fast_line(self, experiment: str, point: dict[str, str], cell: Cell, sender: str) -> RunData:
        if experiment.startswith("fast_transfer"):
            return alone({**point, SIZE: "100 MB"}, sender, 0.0, fct_s=self.done(cell, "100 MB", sender))
        return alone(point, sender, 200.0 - 20 * (sender == "cubic"))

    def under_loss(self, text: str, cliff: float) -> RunData:
        loss = percent(text)
        rate = self.left if self.left is not None and loss == 30 else carried(loss, cliff)
        return alone({"path.loss": text}, "bbr", rate, retransmits=round(1000 - abs(loss - self.peak)))

    def others(self, experiment: str) -> list[RunData]:
        if experiment in {"figure7_cubic", "figure7_reno"}:
            return [alone({"path.loss": text}, "cubic", self.lossy(percent(text)), retransmits=10) for text in losses()]
        if experiment == "figure8b":
            return [observed({}, {"bbr": [self.internet], "cubic": [100 - self.internet]}, MINUTE_S)]
        if experiment == "standing":
            return [
                observed({"flows[0].count": count}, {"bbr": [90 / count] * count}, (30, 60), queue_bdp=(queue, queue))
                for count, queue in zip((1, 2, 4), self.queues, strict=True)
            ]
        forms = (
            [{}] if experiment in {"figure8a", "figure8a_memory"} else [{"path.offload": True}, {"path.offload": False}]
        )
        counts, shares = RETRANSMITS | dict(self.table1), SHARES | dict(self.shares)
        return [
            observed({"path.buffer": size, **form}, {"bbr": [share], "cubic": [100 - share]}, MINUTE_S,
                     flows=[{"retransmits": each} for each in counts[size]])
            for size, share in shares.items()
            for form in forms
        ]  # fmt: skip


@pytest.fixture(scope="module")
def whole(cao: Study) -> Evidence:
    return Published().evidence(cao.experiments)


def alone(point: Mapping[str, Any], sender: str, rate: float, **more: Any) -> RunData:
    return observed(point, {sender: [rate]}, MINUTE_S, flows=[more])


def judged(study: Study, claim: str, **changes: Any) -> Verdict:
    (found,) = [each for each in study.claims if each.id == claim]
    return judge(found, Published(**changes).evidence(found.experiments), "bbr")


@pytest.mark.parametrize("claim", WAITING)
def test_what_needs_the_whole_grid_says_so(cao: Study, claim: str) -> None:
    found = judged(cao, claim)
    assert found.verdict == "not testable here"
    assert found.reason.startswith("waits for the whole grid")


@pytest.mark.parametrize("claim", JUDGED)
def test_what_was_published_reproduces_a_claim(cao: Study, claim: str) -> None:
    found = judged(cao, claim)
    assert found.verdict == "reproduced", found.reason


def test_its_bounds_are_those_of_the_reference(cao: Study) -> None:
    """Written down a second time, from the reference."""
    found = {claim.id: [(check.least, check.most) for check in claim.checks] for claim in cao.claims if claim.checks}
    assert found == {
        "C6": [(0.6, None), (80, None)],
        "C7": [(340, 460), (40, 300), (40, 1000)],
        "C8": [(75, None)],
        "C10": [(50, None)],
        "C11": [(3, 14), (None, 1.5)],
        "C12": [(0, None)],
        "C13": [(1.2e5, 3.5e5), (None, 500), (1649 / 5, 1649 * 5), (471 / 5, 471 * 5)],
        "C14": [(None, 0.5), (0.9, 1.3), (0.9, 1.3)],
        "C15": [(60, None), (85, None)],
        "C16": [(70, None)],
        "C17": [(75, None)],
        "C18": [(15, 22), (None, 50), (15, 22)],
        "C19": [(7, 14)],
        "C20": [(15, 26)],
        "C21": [(None, 35), (None, 35), (None, 1), (None, 1)],
        "C22": [(-7, 7)],
        "C23": [(-7, 7)],
        "C24": [(85, None)],
        "C25": [(1.2, 3.5)],
        "C26": [(1.3, 4)],
        "C27": [(50, None), (None, 100), (None, 100), (1, None)],
        "C28": [(80, None)],
    }


def test_its_planes_are_those_of_the_document(cao: Study) -> None:
    for name in ("grid", "grid_cubic", "transfer", "transfer_cubic"):
        path = cao.experiments[name].words()["path"]
        assert [Time(each).ns / 1e6 for each in path["rtt"]] == [5, 10, 25, 50, 75, 100, 150, 200]
        assert [Rate(each).bps / 1e6 for each in path["rate"]] == [10, 20, 50, 100, 250, 500, 750, 1000]
        assert [str(each) for each in path["buffer"]] == ["100 kB", "10 MB"]


def test_every_figure_and_table_is_drawn(cao: Study, whole: Evidence) -> None:
    assert [chart.name for chart in cao.drawn(whole)] == [each.name for each in cao.figures]
    assert [table.name for table in cao.tabled(whole)] == [each.name for each in cao.tables]


def test_a_heat_map_has_the_published_cell_below_ours(cao: Study, whole: Evidence) -> None:
    charts = {chart.name: chart for chart in cao.drawn(whole)}
    for name, value in (("figure5a", 115.0), ("figure5c", 235798.0), ("figure5d", 1649.0)):
        row, column = 5, {"figure5a": 7}.get(name, 2)
        for panel in charts[name].panels:
            assert panel.heat is not None
            assert panel.y.ticks[row][1] == "500"
            assert panel.heat.cells[row][column] == pytest.approx(value)
            assert panel.heat.published[row][column] == value


def test_table_1_has_the_published_numbers_beside_ours(cao: Study, whole: Evidence) -> None:
    (table,) = [each for each in cao.tabled(whole) if each.name == "table1"]
    for row in table.rows:
        for ours, theirs in zip(row[1:], RETRANSMITS[str(row[0])] * 2, strict=True):
            assert not isinstance(ours, str)
            assert (ours.mean, ours.published) == (theirs, theirs)


def test_heat_maps_have_the_documents_colours_and_say_which_is_which(cao: Study, whole: Evidence) -> None:
    charts = {chart.name: chart for chart in cao.drawn(whole)}
    for name in ("figure5a", "figure5b", "figure6a", "figure6b", "small_transfers"):
        for panel in charts[name].panels:
            assert panel.heat is not None
            assert panel.heat.label.endswith("red: BBR, blue: CUBIC better")
            ahead = heat.scale(panel.heat)["range"][-1]
            assert int(ahead[1:3], 16) > int(ahead[5:7], 16)


def test_figure_8b_has_a_point_where_something_was_run_and_the_published_lines_apart(
    cao: Study, whole: Evidence
) -> None:
    (chart,) = [each for each in cao.drawn(whole) if each.name == "figure8b"]
    for panel in chart.panels:
        bbr, published_bbr, cubic, published_cubic = panel.layers
        assert (bbr.kind, bbr.x, cubic.x) == ("points", (0.02,), (0.02,))
        assert (*bbr.y, *cubic.y) == pytest.approx((92.3, 7.7))
        assert style_of(published_bbr.style).marker != style_of(published_cubic.style).marker
        assert (published_bbr.kind, published_bbr.x) == ("line+points", (0.01, 100.0))


def test_figure_7a_has_marks_that_differ_and_every_published_point_that_the_line_can_carry(
    cao: Study, whole: Evidence
) -> None:
    (chart,) = [each for each in cao.drawn(whole) if each.name == "figure7a"]
    for panel in chart.panels:
        theirs_ = [layer for layer in panel.layers if layer.style.startswith("published")]
        for layers in (theirs_, [layer for layer in panel.layers if layer not in theirs_]):
            assert len({style_of(layer.style).marker for layer in layers}) == len(layers)
        for layer in theirs_:
            assert all(rate <= 95.7 * (1 - loss / 100) for loss, rate in zip(layer.x, layer.y, strict=True))
        theirs = {layer.style: (layer.x, layer.y) for layer in panel.layers if layer.style.startswith("published")}
        assert theirs == {
            "published bbr": ((25,), (0,)),
            "published bbr_1_1": ((11, 18), (84, 0)),
            "published reno": ((1,), (20,)),
        }


def test_what_no_document_has_is_not_called_published(cao: Study) -> None:
    claims = {claim.id: claim for claim in cao.claims}
    assert [check.published for each in ("C22", "C23") for check in claims[each].checks] == [None, None]


def test_the_cliffs_are_told_with_and_without_the_detector(cao: Study, whole: Evidence) -> None:
    (table,) = [each for each in cao.tabled(whole) if each.name == "cliff_points"]
    found = [[getattr(entry, "mean", entry) for entry in row[1:]] for row in table.rows[:3]]
    assert found == [pytest.approx(row) for row in ([100 / 11, 9, 9], [20, 20, 20], [100 / 3, 20, 33])]


def test_an_engine_without_the_forms_without_a_detector_still_draws_the_rest(cao: Study, whole: Evidence) -> None:
    trials = {key: value for key, value in whole.trials.items() if not key[0].startswith("cliffs")}
    evidence = replace(whole, engine="linux", trials=trials)
    assert {each.name for each in cao.figures} - {chart.name for chart in cao.drawn(evidence)} == {"undetected"}
    assert len(cao.tabled(evidence)) == len(cao.tables)
    assert {each.verdict for each in cao.verdicts(evidence) if each.claim in JUDGED} == {"reproduced"}
