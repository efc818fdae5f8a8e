"""Studies of what others measured on real hosts: their tables, their records, their part of the page."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from commandline import ROOT
from dev.__main__ import app
from dev.validation import command, hosts_text
from dev.validation.hosts import (
    HostBar,
    HostsRecord,
    MeasuredTable,
    differences,
    outcomes,
    spec_hash,
    with_earlier_values,
)
from dev.validation.plan import HOSTS, HostsPart, Plan, ValidationError, load_plan
from dev.validation.scale import ScalePart
from dumbbell import studies
from dumbbell.campaign.execution import run_campaign
from dumbbell.campaign.plan import count
from dumbbell.comparison.record import Side
from dumbbell.engines.sim import SimEngine
from dumbbell.hosts.points import read
from dumbbell.hosts.record import HostRecord
from dumbbell.hosts.spread import ComparedEngine, hold
from dumbbell.results.store import Store
from dumbbell.spec import load
from dumbbell.studies.measured import records
from dumbbell.studies.status import status_of

MEASURED = ["datta2023", "heist2021_l4s", "mishra2022", "sarpkaya2025"]
APART = ["sarpkaya2025_l4s", "sarpkaya2025_bbr3"]
SPEC = """
duration = "2 s"
seeds = 2

[path]
rate = "4 Mbit/s"
rtt = "20 ms"
buffer = "1 bdp"
jitter = ["none", "50 us"]

[[flows]]
cc = "bbr"

[[flows]]
name = "other"
cc = "cubic"
"""
TABLE = "# from a machine\npath.buffer (bdp),goodput.bbr (of rate)\n1,0.5\n4,0.25\n0.5,0.001\n"


@pytest.fixture
def host_record(tmp_path: Path) -> HostRecord:
    (tmp_path / "points.csv").write_text(TABLE)
    with Store.open(tmp_path / "store", write=True) as store:
        return hold(read(tmp_path / "points.csv", SPEC), store, [ComparedEngine(SimEngine())], jobs=2)


def with_engine(record: HostRecord, name: str, factor: float) -> HostRecord:
    """As if another engine had so many times what the simulator has."""
    points = [
        each.model_copy(update={"values": {name: tuple(factor * value for value in each.values["sim"])}})
        for each in record.points
    ]
    side = Side(engine=name, identity="def", seeds=(1, 2), measured_on={"kernel.release": "6.1.9"})
    return record.model_copy(update={"points": tuple(points), "sides": (side,)})


def hosts_record(record: HostRecord, *, spec: str = "") -> HostsRecord:
    tables = (MeasuredTable(table="points", spec=spec, record=record),)
    return HostsRecord(study="s", short="S et al.", testbed="Machines.", drawn=("points",), tables=tables)


@pytest.mark.parametrize("name", MEASURED)
def test_a_study_has_the_points_of_its_tables(name: str) -> None:
    study = studies.load(name, seeds=1)
    assert set(study.measured) <= set(study.experiments)
    for title, measurements in study.measured.items():
        assert study.experiments[title] is measurements.experiment
        assert list(measurements.experiment.seed_values) == [1]
        assert any("commit" in line for line in measurements.head), "where it is from"
    first = studies.only(study, experiments=[next(iter(study.measured))])
    assert list(first.measured) == [next(iter(study.measured))]


@pytest.mark.parametrize("name", APART)
def test_a_study_apart_is_in_no_wheel_says_so_and_counts_its_runs(name: str) -> None:
    assert name not in studies.names()
    (part,) = load_plan().only([name]).parts
    assert isinstance(part, HostsPart)
    study = part.loaded()
    for title, measurements in study.measured.items():
        assert "in no wheel" in " ".join(measurements.head), title
        assert study.manifest.experiments[title] == count(measurements.experiment), title
    assert study.manifest.runs == sum(study.manifest.experiments.values())


@pytest.mark.parametrize("name", [*MEASURED, *APART])
def test_the_record_on_the_page_is_of_a_studys_points(name: str) -> None:
    stored = HostsRecord.model_validate_json((ROOT / "docs" / "validation" / f"{name}.json").read_bytes())
    (part,) = load_plan().only([name]).parts
    assert isinstance(part, HostsPart)
    study = part.loaded()
    assert stored.differences_only is part.apart
    assert [each.table for each in stored.tables] == list(part.tables)
    for each in stored.tables:
        assert each.spec == spec_hash(study, each.table), "make validation STRATUM=hosts"
        rows = study.measured[each.table].every(part.every.get(each.table, 1)).rows
        assert len(each.record.points) >= sum(bool(row.measured) for row in rows)


def test_the_shares_are_those_of_the_published_file() -> None:
    """104 of figures 1b, 8a and 8c, read twice by different hands: the file has four digits at most."""
    study = studies.load("sarpkaya2025")
    shares = [row.measured for title in ("figure1b", "figure8a", "figure8c") for row in study.measured[title].rows]
    assert len(shares) == 104
    assert all(0 < each.value < 1 for row in shares for each in row.values())


def test_a_page_of_a_study_has_what_is_there(tmp_path: Path) -> None:
    study = studies.only(studies.load("sarpkaya2025", seeds=1), experiments=["figure1b"])
    with Store.open(tmp_path / "store", write=True) as store:
        assert records(study, store, [status_of(study, store, "sim")]) == {}
        some = study.measured["figure1b"].rows[0]
        first = {path: [value] for path, value in some.at.items()}
        short = load(study.experiments["figure1b"], overrides=first)
        assert [each.status for each in run_campaign(store, short, SimEngine())] == ["ok"]
        (record,) = records(study, store, [status_of(study, store, "sim")]).values()
    assert [len(each.values["sim"]) for each in record.points].count(1) == 1
    assert record.points[0].difference("sim") == pytest.approx(0, abs=0.05), "untuned"
    assert record.points[1].difference("sim") is None


def test_other_engines_numbers_are_kept(host_record: HostRecord) -> None:
    earlier = with_engine(host_record, "linux", 2.0)
    both = with_earlier_values(host_record, earlier, ["sim"])
    assert both.engines == ("sim", "linux")
    for before, after in zip(host_record.points, both.points, strict=True):
        assert after.values == {"sim": before.values["sim"], "linux": tuple(2 * each for each in before.values["sim"])}
    assert with_earlier_values(host_record, earlier, ["sim", "linux"]) == host_record
    assert with_earlier_values(host_record, None, ["sim"]) == host_record


def test_a_bar_counts_the_points_within_it(host_record: HostRecord) -> None:
    """What starved counts, too: an engine that is 0.02 of the rate off everywhere keeps 3 points, and not 1."""
    points = [
        each.model_copy(update={"values": {"sim": (each.measured + 0.02,)}}) for each in host_record.points
    ]  # fmt: skip
    record = host_record.model_copy(update={"points": tuple(points)})
    near, far = (HostBar(quantity="goodput", points=0.9, within=within, of_rate=True) for within in (0.03, 0.01))
    outcome = {each.bar: (each.within, each.n, each.holds) for each in outcomes(record, [near, far])}
    assert outcome == {near: (6, 6, True), far: (0, 6, False)}
    relative = HostBar(quantity="goodput", points=0.5, within=0.0, relative=0.05, of_rate=True)
    assert [each.within for each in outcomes(record, [relative])] == [2], "0.02 of 0.5, under both settings"
    assert not list(outcomes(record, [HostBar(quantity="goodput", points=0.9, within=1.0)])), "another unit"


def test_differences_have_no_number_that_was_measured(host_record: HostRecord) -> None:
    own = differences(host_record)
    for before, after in zip(host_record.points, own.points, strict=True):
        assert (after.measured, after.sd, after.starved) == (0.0, None, False)
        assert after.difference("sim") == pytest.approx(before.difference("sim"))
    times = [
        each.model_copy(update={"quantity": "rtt", "of_rate": False, "measured": 0.02, "values": {"sim": (0.03,)}})
        for each in host_record.points
    ]  # fmt: skip
    relative = differences(host_record.model_copy(update={"points": tuple(times)})).points[0]
    assert relative.measured == 1.0
    assert relative.difference("sim") == pytest.approx(0.5)
    page = hosts_record(own).model_copy(update={"differences_only": True})
    assert not {"measured", "sim"} & set(hosts_text.worst_rows(page).header)
    assert not hosts_text.starved_rows(page).rows
    assert all("beside" not in panel.title for chart in hosts_text.figures("name", page) for panel in chart.panels)


def test_what_is_asked_has_a_hash_without_seeds() -> None:
    one, five = (studies.load("sarpkaya2025", seeds=seeds) for seeds in (1, 5))
    assert spec_hash(one, "figure1b") == spec_hash(five, "figure1b") != spec_hash(one, "figure8a")


def test_the_page_tells_engines_settings_and_who_starves(host_record: HostRecord) -> None:
    record = hosts_record(host_record)
    table = hosts_text.spreads_table(record)
    header, rows = table.header, table.texts()
    assert [row[header.index("setting")] for row in rows] == ["path.jitter = none", "path.jitter = 50 us"]
    assert {row[header.index("n")] for row in rows} == {"2"}, "the one that starved is apart"
    assert not list(hosts_text.tried_tables(record))
    assert [row[-1] for row in hosts_text.starved_rows(record).rows] == ["0 of 2 seeds"], "under the first setting"
    assert "sim: " in hosts_text.summary(record)
    assert [each.name for each in hosts_text.figures("name", record)] == ["name"]
    merged = hosts_text.together(record)
    assert merged is not None
    assert len(merged.points) == 3, "of the first setting"


def test_many_settings_are_what_a_table_is_about(tmp_path: Path) -> None:
    (tmp_path / "points.csv").write_text(TABLE)
    jitters = ", ".join(f'"{each} us"' for each in (1, 10, 50, 100, 200))
    spec = SPEC.replace('jitter = ["none", "50 us"]', f"jitter = [{jitters}]")
    with Store.open(tmp_path / "store", write=True) as store:
        compared = hold(read(tmp_path / "points.csv", spec), store, [ComparedEngine(SimEngine(), 1)], jobs=2)
        record = hosts_record(compared)
    assert hosts_text.spreads_table(record).rows == []
    ((name, _, tried),) = hosts_text.tried_tables(record)
    assert (name, tried.header[:2], len(tried.rows)) == ("points", ["setting", "engine"], 5)


def test_hosts_are_all_parts_about_real_ones() -> None:
    parts = load_plan().only([HOSTS]).parts
    assert [part.name for part in parts] == [
        "sarpkaya2025",
        "datta2023",
        "scale",
        "mishra2022",
        *APART,
        "heist2021_l4s",
    ]
    assert all(isinstance(part, HostsPart | ScalePart) for part in parts)
    with pytest.raises(ValidationError, match='no part "host"; did you mean "hosts"'):
        load_plan().only(["host"])


@pytest.mark.slow
def test_the_command_measures_the_points_on_the_engines_that_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = HostsPart.model_validate({
        "name": "sarpkaya2025", "study": "sarpkaya2025", "tables": ["figure1b"],
        "sides": [{"engine": "linux", "seeds": 1}, {"engine": "sim", "seeds": 1}],
    })  # fmt: skip
    monkeypatch.setattr(command, "load_plan", lambda _: Plan(parts=(part,)))
    arguments = ["validation", "--only", "hosts", "--engine", "sim", "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(app, [*arguments, "--docs", str(tmp_path / "docs")])
    assert done.exit_code == 0, done.output
    page = (tmp_path / "docs" / "validation.md").read_text(encoding="utf-8")
    assert "| who wins beside CUBIC | goodput of all BBR flows, of the line's rate | " in page
    of_part = (tmp_path / "docs" / "validation" / "sarpkaya2025.md").read_text(encoding="utf-8")
    assert "| figure1b: goodput of bbr (points) | all | sim | 19 |" in of_part
    assert (tmp_path / "docs" / "figures" / "sarpkaya2025.svg").is_file()


def test_the_readme_says_what_the_record_does() -> None:
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    shares, planes = (
        HostsRecord.model_validate_json((ROOT / "docs" / "validation" / f"{name}.json").read_bytes())
        for name in ("sarpkaya2025", "datta2023")
    )
    (sim,) = (each for each in hosts_text.summary(shares).split("; ") if each.startswith("sim: "))
    assert f"off by {sim.removeprefix('sim: ')}." in readme
    winners = hosts_text.winners_table(planes)
    cells = [dict(zip(winners.header, row, strict=True)) for row in winners.texts()]
    ours = next(each for each in cells if each["setting"] == "flows[0].cc = bbr" and each["engine"] == "sim")
    assert f"In {ours['decided']} cells the hosts have a clear winner" in readme
    assert f"the same winner in {ours['right'].split(' ')[0]} of the {ours['decided']}." in readme
    ((_, _, table),) = hosts_text.tried_tables(planes)
    tried = table.texts()
    assert f"gives CUBIC {tried[0][3].split(' ')[0]} times the goodput of the hosts in the median," in readme
    assert f"one point in ten is more than {tried[0][5]} off" in readme
    page = (ROOT / "docs" / "validation.md").read_text(encoding="utf-8")
    (row,) = (line.split(" | ") for line in page.splitlines() if "goodput of all BBR flows" in line)
    typical, tail, count = row[2].split()[0], row[3].split()[0], row[5].split()[0]
    assert f"off by {typical} points of the rate in the median, {tail} at the 90th percentile (n = {count})" in readme
