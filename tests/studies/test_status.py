"""How a study stands in a store that has all, some or none of its runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from dumbbell import studies
from dumbbell.campaign.size import packets
from dumbbell.charts.chart import Chart
from dumbbell.engines.sim import SimEngine
from dumbbell.results.store import Store
from dumbbell.spec import expand, load
from dumbbell.spec.resolved import resolve
from dumbbell.studies import Study, StudyStatus
from dumbbell.studies.evidence import Evidence
from dumbbell.studies.execution import count_runs, remaining_packets
from dumbbell.studies.loading import read
from dumbbell.studies.verdict import NOT_RUN, NOT_TESTABLE
from reported import verdict

FULL_WORK = 8e6 * 60 / 8 / 1514
"""Packets of a minute at 8 Mbit/s."""
UNTESTABLE = """
[[claims]]
id = "S99"
kind = "N"
section = "V"
statement = "It holds in space"
tolerance = "none"
flag = "OK"
source = "text"
untestable = "waits for a satellite"
"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "store", write=True) as opened:
        yield opened


@pytest.fixture(scope="module")
def filled(brief: Study, short: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Figures 4b and 5 with one version, and figure 9 with one seed of two."""
    with Store.open(tmp_path_factory.mktemp("filled") / "store", write=True) as opened:
        some = studies.only(brief, experiments=["figure4b", "figure5", "figure5_cubic"], variants=["bbr"])
        assert studies.run(some, opened, SimEngine()) == []
        one = studies.only(read(short, seeds=1), experiments=["figure9"], variants=["bbr"])
        assert studies.run(one, opened, SimEngine()) == []
        yield opened


@pytest.fixture(scope="module")
def half(brief: Study, filled: Store) -> StudyStatus:
    return studies.status_of(brief, filled, "sim")


@pytest.mark.slow
def test_what_is_there_is_judged_by_the_seeds_that_are_there(half: StudyStatus) -> None:
    with_bbr = {(claim, "bbr") for claim in ("S1", "S2", "S3", "S6", "S12", "S17", "S18", "S19")}
    assert {(each.claim, each.variant) for each in half.judged} == {*with_bbr, ("S5", "cubic")}
    assert {each.claim: each.seeds for each in half.judged if each.claim in {"S2", "S17"}} == {"S2": 2, "S17": 1}
    reasons = {(each.claim, each.variant): each.reason for each in half.verdicts}
    assert reasons["S2", "bbr_4_17"] == "figure5: 0 of 2 runs are there"
    assert reasons["S23", "bbr"] == "figure11: 0 of 18 runs are there; figure7: 0 of 18 runs are there"


def test_what_contains_no_version_is_judged_once_and_counts_for_each(half: StudyStatus, brief: Study) -> None:
    (control_verdict,) = [each for each in half.verdicts if each.claim == "S5"]
    assert (control_verdict.variant, control_verdict.versions) == ("cubic", brief.variants)
    counts = studies.total(half).versions
    assert counts["bbr_4_17"].undecided == 1
    assert counts["bbr"].judged + counts["bbr"].undecided + counts["bbr"].weak == 9


def test_the_rest_is_one_line_with_the_command_that_makes_it(half: StudyStatus, filled: Store, brief: Study) -> None:
    claims = len(brief.claims)
    assert half.rest() == (
        f"On sim {claims - 9} of the study's {claims} claims wait for runs: `dumbbell study run claypool2019 --seeds 2`"
        " makes them."
    )
    assert "--out elsewhere`" in half.rest(out="elsewhere")
    assert half.runs[0]
    assert half.runs == (filled.count(), count_runs(brief, SimEngine()))
    assert filled.count() == 2 + 2 + 2 + 1


def test_experiments_have_the_seeds_and_versions_that_are_there(half: StudyStatus) -> None:
    experiments = half.experiments
    assert {title: list(each.seed_values) for title, each in experiments.items()} == {
        "figure4b": [1, 2], "figure5": [1, 2], "figure5_cubic": [1, 2], "figure9": [1],
    }  # fmt: skip


@pytest.mark.slow
def test_seeds_beyond_the_studys_own_count_too(short: Path, store: Store) -> None:
    own = read(short)
    more = read(short, seeds=len(own.experiments["figure5"].seed_values) + 1)
    assert studies.run(studies.only(more, experiments=["figure5"], variants=["bbr"]), store, SimEngine()) == []
    (judged, *_) = studies.status_of(studies.only(own, claims=["S2"], variants=["bbr"]), store, "sim").judged
    assert judged.seeds == len(own.experiments["figure5"].seed_values) + 1


def test_a_figure_is_drawn_as_soon_as_its_runs_are_there(half: StudyStatus) -> None:
    assert [chart.name for chart in half.charts()] == ["figure4b", "figure5", "figure9"]
    assert [panel.title for panel in half.charts()[0].panels] == ["BBR of Linux 6.1"]


def test_a_figure_of_one_seed_is_shown_with_each(half: StudyStatus) -> None:
    first, second, other, nine, table = half.shown()
    assert [(each.display.name, each.seed) for each in (first, second)] == [("figure4b", 1), ("figure4b", 2)]
    assert isinstance(first.display, Chart)
    assert isinstance(second.display, Chart)
    assert first.display.panels != second.display.panels
    assert "seed 2" in second.display.caption
    assert (other.display.name, other.seed) == ("figure5", None), "the minute that it shows is not in these runs"
    assert (nine.display.name, nine.seed) == ("figure9", None), "one seed is there"
    assert (table.display.name, table.seed) == ("rtt", None)


def test_a_figure_of_all_seeds_is_shown_once(claypool: Study, evidence: Callable[..., Evidence]) -> None:
    published_runs = evidence()
    seven = replace(claypool, figures=tuple(each for each in claypool.figures if each.name == "figure7"), tables=())
    status = StudyStatus(study=seven, full_study=seven, evidence=published_runs, verdicts=())
    assert [(each.display.name, each.seed) for each in status.shown()] == [("figure7", None)]
    led = published_runs.with_first_seed(2).of("figure7", "bbr")
    assert [trial.seed for trial in led] == [2, 1, 3]


def test_a_store_without_its_runs(brief: Study, store: Store) -> None:
    status = studies.status_of(brief, store, "sim")
    assert not status.runs[0]
    assert {each.verdict for each in status.verdicts} == {NOT_RUN}
    assert "`dumbbell study run claypool2019 --seeds 2` makes them" in status.rest()
    assert status.charts() == []
    assert list(status.shown()) == []


def test_runs_of_another_build_do_not_count(brief: Study, store: Store) -> None:
    class Rebuilt(SimEngine):
        def identity(self) -> str:
            return "another"

    assert studies.run(studies.only(brief, experiments=["figure5"], variants=["bbr"]), store, SimEngine()) == []
    assert studies.engines_of(brief, store) == ("sim",)
    assert not studies.status_of(brief, store, Rebuilt()).runs[0]


@pytest.mark.slow
def test_a_claim_that_nothing_can_test_is_told_on_every_engine(folder: Path, store: Store) -> None:
    with (folder / "claims.toml").open("a", encoding="utf-8") as file:
        file.write(UNTESTABLE)
    study = read(folder)
    status = studies.status_of(study, store, "sim")
    verdicts = [each for each in status.verdicts if each.claim == "S99"]
    assert [(each.variant, each.versions, each.verdict, each.reason) for each in verdicts] == [
        ("any version", study.variants, NOT_TESTABLE, "waits for a satellite")
    ]
    assert (verdicts[0].value, verdicts[0].n, verdicts[0].checks) == (None, 0, ())
    assert [claim.id for claim in studies.only(study, claims=["S99"]).claims] == ["S99"]
    assert "S99" not in [claim.id for claim in studies.only(study, experiments=["figure7"]).claims]


def test_engines_dispute_what_one_reproduces_and_another_does_not() -> None:
    verdicts = [
        verdict(),
        verdict(engine="linux", verdict="not reproduced"),
        verdict(variant="bbr_4_17"),
        verdict(variant="bbr_4_17", engine="linux", verdict="not run yet"),
        verdict(claim="S2", verdict="not testable here"),
        verdict(claim="S2", engine="linux"),
    ]
    assert studies.disputed(verdicts) == {("S1", "bbr")}


def test_what_engines_say_of_a_claim_stands_together() -> None:
    here = [verdict(claim=claim) for claim in ("S1", "S2")]
    there = [verdict(claim=claim, engine="linux") for claim in ("S1", "S2")]
    order = [(each.claim, each.engine) for each in studies.in_order([here, there])]
    assert order == [("S1", "sim"), ("S1", "linux"), ("S2", "sim"), ("S2", "linux")]


def test_work_remains_in_each_distinct_run_until_the_store_has_it(brief: Study, store: Store) -> None:
    some = studies.only(brief, experiments=["figure5", "figure7"], variants=["bbr"])
    works = list(remaining_packets(some, store, SimEngine()))
    assert works == [pytest.approx(8e6 * 80 / 8 / 1514, rel=1e-3)] * count_runs(some, SimEngine())
    assert works == list(remaining_packets(some, None, SimEngine()))
    assert studies.run(studies.only(some, experiments=["figure5"]), store, SimEngine()) == []
    left = [work > 0 for work in remaining_packets(some, store, SimEngine())]
    assert (left.count(False), left.count(True)) == (2, 18)
    assert list(remaining_packets(some, store, SimEngine(), fresh=True)) == works


@pytest.mark.parametrize(
    ("workload", "work"),
    [('{ transfer = "1.514 MB" }', 1.514e6 / 1448), ('"bulk"', FULL_WORK), ('{ transfer = "1 GB" }', FULL_WORK)],
)
def test_a_run_is_no_more_work_than_its_transfers(workload: str, work: float) -> None:
    spec = f"""
duration = "60 s"
[path]
rate = "8 Mbit/s"
rtt = "20 ms"
buffer = "2 bdp"
[[flows]]
cc = "bbr"
workload = {workload}
"""
    (point,) = expand(load(spec))
    assert packets(resolve(point, 1).run) == pytest.approx(work, rel=1e-3)
