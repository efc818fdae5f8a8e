"""Maps of advice: which cells there are, what stands in them, and what hosts measured beside them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from commandline import dumbbell
from dumbbell.advice import map_text
from dumbbell.advice.map import BUFFERS_BDP, Cell, Map, around, map_of, runs_of
from dumbbell.advice.map_charts import charts
from dumbbell.advice.published import measured_gains
from dumbbell.advice.question import question
from dumbbell.advice.ranges import questions
from dumbbell.cc import known
from dumbbell.cli.main import app
from dumbbell.engines.sim import SimEngine
from dumbbell.report.advice import map_page, range_page
from dumbbell.results.store import Store
from dumbbell.tables.plain_text import text

PATH = {"rate": "100 Mbit/s", "rtt": "40 ms"}
SMALL = {"rate": "10mbit", "rtt": "40ms"}
"""Few packets a second."""


def cell(buffer_bdp: float, gain: float, *, neighbours: int = 0, harm: float | None = None, best: str = "") -> Cell:
    right = best or ("bbr" if gain >= 0.02 else "cubic")
    return Cell(
        rate_bps=100_000_000, rtt_s=0.04, queue=f"{buffer_bdp:g} BDP", buffer_bytes=round(buffer_bdp * 500_000),
        buffer_bdp=buffer_bdp, loaded_rtt_s=0.04 * (1 + buffer_bdp),
        company="alone" if not neighbours else f"beside {neighbours} CUBIC", neighbours=neighbours,
        neighbours_run="cubic" if neighbours else None, switch=False, asked=False, candidate="bbr", gain=gain,
        best=right, verdict="ahead" if abs(gain) >= 0.02 else "no matter", harm=harm, resent=0.03, default_resent=0.0,
        seeds=3,
    )  # fmt: skip


def drawn(*cells: Cell) -> Map:
    return Map(
        job="bulk traffic", goal="goodput", default="cubic", score="goodput", loss=0.0, x="queue", y="company",
        by_goodput=True, runs=6, engine="sim", cells=cells,
    )  # fmt: skip


MAP = drawn(cell(0.1, 0.5), cell(0.4, 0.01), cell(1.6, -0.03), cell(0.1, 1.2, neighbours=1, harm=0.4))


def test_a_map_has_the_questions_own_queue_and_company_and_none_twice() -> None:
    own_question = question({**PATH, "loaded-rtt": "50ms", "beside": "cubic:3"}, known())
    map_question = around(own_question)
    assert set(own_question.buffers_bytes) < set(map_question.buffers_bytes)
    assert len(map_question.buffers_bytes) == len(BUFFERS_BDP) + 1
    assert [(each.cc, each.flows) for each in map_question.company] == [
        (None, 0), *(("cubic", count) for count in (1, 2, 3, 5, 10)), (None, 10),
    ]  # fmt: skip
    near = around(question({**PATH, "buffer": "1.05bdp", "beside": "cubic:10"}, known()))
    assert len(near.buffers_bytes) == len(BUFFERS_BDP), "1.05 BDP has the column of 1"
    assert len(near.company) == 6


def test_a_cell_tells_which_is_right_how_much_it_gains_and_whether_it_harms() -> None:
    (table,) = map_text.tables(MAP)
    assert text(table, 100).startswith("company \\ queue  0.1 BDP   0.4 BDP  1.6 BDP\n")
    assert table.texts() == [["beside 1 CUBIC", "BBR+120!", "-", "-"], ["alone", "BBR+50", "=", "CUBIC-3"]]
    harmful_cell = cell(0.1, 1.2, neighbours=1, harm=0.4, best="cubic").model_copy(update={"verdict": "no matter"})
    assert map_text.says(harmful_cell) == "CUBIC+120!", "it would gain, and may not"
    assert "!" not in map_text.legend(drawn(cell(0.1, 0.5)))


def test_a_page_has_the_map_as_charts_and_in_words() -> None:
    page = map_page(MAP, None, seconds=1.0, command="dumbbell advise map")
    assert [(each.heading, bool(each.charts), bool(each.table)) for each in page.sections] == [
        ("Map", True, False), ("Which is right", False, True), ("Provenance", False, False),
    ]  # fmt: skip
    assert [label for label, _ in page.facts] == ["Paths", "Advice", "Advice"]
    printed = "\n".join(range_page(MAP, seconds=1.0).lines(80))
    assert "\nWhich is right\n" in printed
    assert "\nSure?  6 runs, sim, 1.0 s; of one path it shows more." in printed


def test_verdicts_are_counted_and_the_flip_is_between_two_queues() -> None:
    alone = [each for each in MAP.cells if not each.neighbours]
    text = map_text.verdicts(alone)
    assert text.startswith("BBR in 1, no matter which in 1, CUBIC in 1 of 3 cells")
    assert "at queues of 0.2 BDP" in text, "sqrt(0.1 x 0.4)"


def test_dots_lie_between_columns_by_log_ratios_and_only_where_rate_and_rtt_are_alike() -> None:
    gain, *_ = charts(MAP, measured_gains())
    (panel,) = gain.panels
    assert panel.heat is not None
    dots = panel.heat.dots
    alike = [
        each for each in measured_gains()
        if not each.neighbours and each.is_near(100e6, 0.04) and 0.1 <= each.buffer_bdp <= 1.6
    ]  # fmt: skip
    assert len(dots) == len(alike) > 3
    assert {dot.row for dot in dots} == {0.0}, "a row of their own, below that of the cells"
    for dot, each in zip(dots, alike, strict=True):
        assert 0.1 * 4**dot.column == pytest.approx(each.buffer_bdp, rel=1e-6)
        assert dot.value == pytest.approx(100 * each.gain)
    assert f"Dots: {len(dots)} gains" in gain.caption


def test_measured_gains_are_those_of_the_studies_tables() -> None:
    alone = [each for each in measured_gains() if not each.neighbours]
    assert len(alone) == 128
    first = next(each for each in alone if (each.rate_bps, each.rtt_s) == (10_000_000, 0.005))
    assert first.gain == pytest.approx(9.559 / 9.575 - 1, rel=1e-4)
    with_neighbours = [each for each in measured_gains() if each.neighbours]
    assert with_neighbours[0].gain == pytest.approx(2 * 0.879 - 1), "BBR had 87.9 % of the line, an equal share is half"
    assert {each.rate_bps for each in with_neighbours} == {10_000_000, 50_000_000}


def test_cells_below_two_percent_are_hatched_and_kinds_are_who_is_right() -> None:
    gain, harm, _ = charts(MAP)
    heat = gain.panels[0].heat
    assert heat is not None
    assert (heat.hatched_below, heat.most) == (2.0, 100.0)
    assert heat.kinds[0] == ("bbr", "cubic", "cubic")
    assert [tick for _, tick in gain.panels[0].x.ticks] == ["0.1 (44)", "0.4 (56)", "1.6 (104)"]
    assert [tick for _, tick in harm.panels[0].y.ticks] == ["1 CUBIC"], "nobody is harmed where nobody is"


def test_beside_others_than_cubic_no_dots_lie_since_hosts_had_cubic() -> None:
    shallow, deep = (
        cell(queue, 0.5, neighbours=1, harm=0.1).model_copy(update={"rate_bps": 10_000_000}) for queue in (0.5, 8.0)
    )
    cubic_map = drawn(shallow, deep)
    reno_map = drawn(*(each.model_copy(update={"neighbours_run": "reno"}) for each in (shallow, deep)))
    shown = [next(charts(each, measured_gains())).panels[0].heat for each in (cubic_map, reno_map)]
    assert [bool(heat and heat.dots) for heat in shown] == [True, False]


@pytest.mark.slow
def test_of_three_candidates_a_cell_has_the_right_one(store: Store) -> None:
    path = question(
        SMALL | {"buffer": "0.5bdp", "beside": "none", "candidates": "cubic,reno,bbr", "for": "goodput"}, known()
    )
    advice_map = map_of([path], SimEngine(), store, seconds=1, seeds=2)
    (only,) = advice_map.cells
    assert (advice_map.default, only.candidate) == ("cubic", only.best if only.best != "cubic" else only.candidate)
    assert only.gain is not None
    assert (only.gain > 0) == (only.best != "cubic")


@pytest.mark.long
def test_a_map_is_the_same_each_time_and_tells_its_runs(tmp_path: Path) -> None:
    path = around(question(SMALL | {"buffer": "2bdp", "beside": "cubic:1"}, known()))

    def made(jobs: int, folder: str) -> Map:
        with Store.open(tmp_path / folder, write=True) as store:
            return map_of([path], SimEngine(), store, seconds=1, seeds=2, jobs=jobs)

    first, again, stored = made(1, "a"), made(2, "b"), made(1, "a")
    assert first == again == stored
    assert first.runs == runs_of([path], 1, 2), "ten CUBIC and ten that switch to it are run once"
    assert runs_of([path], 1e6, 2) > first.runs, "with time enough each company is by itself"
    assert len(first.cells) == len(path.buffers_bytes) * len(path.company)
    assert first == Map.model_validate_json(first.model_dump_json())


@pytest.mark.slow
def test_a_known_queue_of_many_paths_has_company_across(store: Store) -> None:
    paths = questions({"rate": "5mbit..20mbit", "rtt": "40ms", "buffer": "50kB"}, known())
    advice_map = map_of(paths, SimEngine(), store, seconds=1, seeds=2)
    assert (advice_map.x, advice_map.y, list(advice_map.panels)) == ("company", "rate", ["queue of 50 kB"])
    assert advice_map.rows == ["5 Mbit/s", "7.07 Mbit/s", "10 Mbit/s", "14.1 Mbit/s", "20 Mbit/s"]


@pytest.mark.long
@pytest.mark.slow
def test_the_command_writes_one_page_that_needs_no_network(tmp_path: Path) -> None:
    target = tmp_path / "out.html"
    path = ["--rate", "10mbit", "--rtt", "40ms", "--buffer", "1bdp", "--beside", "cubic:1", "--seeds", "2", "--json"]
    plain = CliRunner().invoke(app(), ["advise", *path])
    done = CliRunner().invoke(app(), ["advise", "map", *path, "--html", str(target)])
    assert done.exit_code == 0, done.output
    answer = json.loads(done.stdout)
    for each in (answer, usual := json.loads(plain.stdout)):
        each.pop("wall_s")
    assert {name: answer[name] for name in usual} == usual, "the answer is that without a map"
    assert answer["files"] == [str(target)]
    assert sum(each["asked"] for each in answer["map"]["cells"]) == 1
    page = target.read_text(encoding="utf-8")
    for word in ("Use CUBIC.", "What BBR gains over CUBIC", "What the others lose beside BBR", "--html out.html"):
        assert word in page
    assert "src=" not in page.replace("src=\\", "").split("<script>")[0]


@pytest.mark.long
@pytest.mark.slow
def test_a_range_prints_a_table_of_verdicts_and_its_map_as_json() -> None:
    command = ["advise", "map", "--rate", "5mbit..20mbit", "--rtt", "40ms", "--beside", "none", "--seeds", "2"]
    done = CliRunner().invoke(app(), command, env={"COLUMNS": "100"})
    assert done.exit_code == 0, done.output
    assert "  5 Mbit/s" in done.stdout
    assert "rate \\ queue" in done.stdout
    answer = json.loads(CliRunner().invoke(app(), [*command, "--json"]).stdout)
    cells = answer["map"]["cells"]
    assert {each["rate_bps"] for each in cells} == {5_000_000, 7_070_000, 10_000_000, 14_100_000, 20_000_000}
    assert all({"gain", "best", "verdict", "harm", "buffer_bdp", "loaded_rtt_s"} <= set(each) for each in cells)


def test_bad_ranges_are_one_message_each_and_status_2() -> None:
    done = dumbbell("advise", "map", "--rate", "1gbit..10mbit", "--rtt", "5..9ms", "--html", "out.html")
    assert (done.returncode, done.stdout) == (2, "")
    assert [line.partition(": ")[0] for line in done.stderr.splitlines()] == ["--rate", "--rtt"]
    done = dumbbell("advise", "--rate", "10mbit", "--rtt", "5ms..9ms")
    assert (done.returncode, done.stderr) == (
        2, "--rtt: is a range, which is about many paths; dumbbell advise map takes one\n",
    )  # fmt: skip


@pytest.mark.parametrize(("target", "message"), [("", "it is a folder"), ("file/out.html", "cannot write")])
def test_a_page_that_cannot_be_written_is_told_before_any_run(tmp_path: Path, target: str, message: str) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    done = dumbbell("advise", "map", "--rate", "10mbit", "--rtt", "40ms", "--seeds", "50", "--html", tmp_path / target)
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith(str(tmp_path / target))
    assert message in done.stderr
