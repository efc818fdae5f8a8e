"""The study of fifty flows: its tables have the starts of the rule, and its figures what the tables have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from dumbbell import studies
from dumbbell.campaign.measuring import execute
from dumbbell.campaign.plan import plan
from dumbbell.engines.sim import SimEngine
from dumbbell.hosts.columns import Measurand
from dumbbell.hosts.points import Row
from dumbbell.results.schema import Result
from dumbbell.spec import Experiment, load
from dumbbell.studies import Study
from dumbbell.studies.displays.rows import Displays, Figure
from dumbbell.studies.displays.scope import Scope
from dumbbell.studies.evidence import Evidence, RunData, SeedSweep
from dumbbell.studies.mishra2022.claims import (
    FLOWS,
    ROUND_TRIPS,
    TEST_S,
    equilibria,
    offset_s,
    own_goodput_bps,
    predicted_sum,
)
from dumbbell.studies.mishra2022.figures import measured_flows, shares, simulated_flows, sums
from dumbbell.studies.sweep import number
from observed import observed

SHARE = Measurand("share", "bbr")
PATH = {"path.rate": "50 Mbit/s", "path.rtt": "40 ms", "path.buffer": "10 bdp"}
TABLES = ("shares", "together", "beyond", "sample", "shallow")


@pytest.fixture(scope="module")
def study() -> Study:
    return studies.load("mishra2022")


def place(row: Row) -> tuple[str, str, str, int]:
    return row.at["path.rate"], row.at["path.rtt"], row.at["path.buffer"], row.at["flows[0].count"]


def seconds(row: Row, field: str) -> float:
    return number(row.at[field], "s")


@pytest.mark.parametrize("table", TABLES)
def test_each_row_has_the_starts_of_the_rule(study: Study, table: str) -> None:
    for row in study.measured[table].rows:
        bbr, rtt_s = row.at["flows[0].count"], number(row.at["path.rtt"], "s")
        at_once = table == "together" or row.notes.get("starts") == "together"
        offset = 0.0 if at_once else offset_s(bbr, rtt_s)
        starts = [seconds(row, f"flows[{group}].start") for group in (0, 1)]
        assert bbr + row.at["flows[1].count"] == FLOWS
        assert starts == pytest.approx([0, offset] if bbr <= FLOWS / 2 else [offset, 0]), row.line
        assert [seconds(row, f"flows[{group}].stop") for group in (0, 1)] == pytest.approx([120 + at for at in starts])
        queue_s = number(row.at["path.buffer"], "bdp") * rtt_s
        assert seconds(row, "duration") == pytest.approx(120 + offset + queue_s + 2 * rtt_s)


def test_the_points_are_all_those_with_both_groups_and_twelve_have_no_share(study: Study) -> None:
    rows = study.measured["shares"].rows
    without = [row for row in rows if not row.measured]
    assert len(rows) == len({place(row) for row in rows}) == 8 * 7 * 49
    assert {place(row) for row in without} == {place(row) for row in study.measured["beyond"].rows}
    assert len(without) == 12
    assert all((float(row.notes["sum"]) > 1.1) == (not row.measured) for row in rows)


def test_the_other_tables_have_the_same_shares(study: Study) -> None:
    by_place = {place(row): row.measured for row in study.measured["shares"].rows}
    for table in ("together", "sample", "shallow"):
        rows = study.measured[table].rows
        assert [row.measured for row in rows] == [by_place[place(row)] for row in rows]


def test_sums_are_those_of_the_rule_and_of_no_simultaneous_start(study: Study) -> None:
    """Median over queues of 5 BDP and more, at 40 ms and 50 Mbit/s: where the sums say two round trips a stream."""
    by_count: dict[int, list[float]] = {}
    for row in study.measured["shares"].rows:
        if place(row)[:2] == ("50 Mbit/s", "40 ms") and place(row)[2] != "0.5 bdp" and row.measured:
            by_count.setdefault(place(row)[3], []).append(float(row.notes["sum"]))
    few = {n: median(own) for n, own in by_count.items() if 2 <= n <= 12}
    assert [predicted_sum(n, 0.04) for n in few] == pytest.approx(list(few.values()), abs=0.006)
    assert all(own - predicted_sum(25, 0.04) > 0.015 for own in few.values())


@pytest.mark.parametrize(
    ("bbr", "cubic", "numbers"),
    [
        ({0: 0, 1: 2, 2: 1, 3: 1}, {0: 1, 1: 0.5, 2: 2, 3: 2}, [2]),
        (dict.fromkeys(range(51), 1.0), dict.fromkeys(range(51), 1.0), list(range(51))),
        (dict.fromkeys(range(51), 2.0), dict.fromkeys(range(51), 1.0), [50]),
        (dict.fromkeys(range(51), 1.0), dict.fromkeys(range(51), 2.0), [0]),
        ({n: 50 - n for n in range(51) if n != 25}, {n: n for n in range(51)}, []),
    ],
)  # fmt: skip
def test_no_flow_gains_by_switching(bbr: Mapping[int, float], cubic: Mapping[int, float], numbers: list[int]) -> None:
    assert list(equilibria(bbr, cubic)) == numbers


def fifty_flows(bbr: int, bbr_mbit_s: float, cubic_mbit_s: float, **fields: Any) -> RunData:
    """A run on the path at hand in which all flows of a group have the same."""
    return observed(
        PATH | {"flows[0].count": bbr} | fields,
        {"bbr": [bbr_mbit_s] * bbr, "cubic": [cubic_mbit_s] * (FLOWS - bbr)},
        (0, 120),
    )


def scope_of(study: Study, **runs: list[RunData]) -> Scope:
    trials = {(title, "bbr"): (SeedSweep(1, tuple(own)),) for title, own in runs.items()}
    row = Figure(name="figure", title="", caption="", alt="", experiments=tuple(runs))
    return Scope(
        study=study, evidence=Evidence(engine="sim", trials=trials), row=row, displays=Displays(),
        experiments=("shares",), version="bbr", at=PATH,
    )  # fmt: skip


def test_figures_have_measured_points_and_runs_of_both_starts(study: Study) -> None:
    scope = scope_of(study, shares=[fifty_flows(5, 2.0, 0.8)], together=[fifty_flows(5, 1.0, 0.9)])
    even, measured, rule, at_once = shares(scope)
    assert (even.x, even.y) == ((0, 50), (0, 100))
    assert len(measured.x) == 49
    assert dict(zip(measured.x, measured.y, strict=True))[5] == pytest.approx(45.2191)
    assert rule.x == at_once.x == (5.0,)
    assert (*rule.y, *at_once.y) == pytest.approx((100 * 10 / 46, 100 * 5 / 45.5))
    everywhere = replace(scope, at={path: value for path, value in PATH.items() if path != "path.buffer"})
    line, theirs, rule, _ = sums(everywhere)
    assert dict(zip(line.x, line.y, strict=True))[5] == pytest.approx(0.982, abs=0.001)
    assert rule.y == pytest.approx((46 / 50,))
    places = [place(row) for row in study.measured["shares"].rows if row.measured]
    assert len(theirs.x) == len({n for *path, n in places if path[:2] == ["50 Mbit/s", "40 ms"]}) == 49
    assert dict(zip(theirs.x, theirs.y, strict=True))[5] == pytest.approx(0.980, abs=0.001), (
        "the middle of seven queues"
    )


def test_one_flows_part_is_its_groups_by_the_number_of_flows(study: Study) -> None:
    alone = [fifty_flows(50, 0.95, 0, alone="flows[0]"), fifty_flows(0, 0, 0.96, alone="flows[1]")]
    bbr, cubic = simulated_flows(scope_of(study, shares=[fifty_flows(5, 2.0, 0.8)], alone=alone), "shares")
    assert bbr == pytest.approx({5: 0.04, 50: 0.019})
    assert cubic == pytest.approx({0: 0.0192, 5: 0.016})
    bbr, cubic = measured_flows(scope_of(study))
    assert (len(bbr), len(cubic)) == (50, 50)
    assert 5 * bbr[5] + 45 * cubic[5] == pytest.approx(0.980, abs=0.001)
    assert 50 * bbr[50] == pytest.approx(50 * cubic[0], abs=0.001)


def as_iperf3_opens(study: Study, row: Row, folder: Path) -> Experiment:
    """The point of a row with each stream a group of its own: it connects in its turn, and writes when the last has.

    A turn takes one round trip while both clients connect, and as many as the rule has once the other group sends.
    """
    rtt_s, counts = number(row.at["path.rtt"], "s"), [row.at[f"flows[{group}].count"] for group in (0, 1)]
    smaller = min(counts)
    fields = study.experiments["shares"].fields()
    flows = []
    for cc, count in zip(("bbr", "cubic"), counts, strict=True):
        opened_s = [rtt_s * (min(turn, smaller) + ROUND_TRIPS * max(turn - smaller, 0)) for turn in range(1, count + 1)]
        for turn, at_s in enumerate(opened_s):
            trace = f"{opened_s[-1] - at_s + rtt_s:.6f}.csv"
            (folder / trace).write_text(f"{trace.removesuffix('.csv')},{10**11}\n")
            flows.append({
                "name": f"{cc}{turn}", "cc": cc, "start": f"{at_s - rtt_s:.6f} s",
                "stop": f"{opened_s[-1] + TEST_S:.6f} s", "workload": {"trace": str(folder / trace)},
            })  # fmt: skip
    path = fields["path"] | {key: row.at[f"path.{key}"] for key in ("rate", "rtt", "buffer")}
    duration_s = seconds(row, "duration") + rtt_s * smaller
    return load({
        "duration": f"{duration_s:.6f} s", "start_jitter": "0 s", "path": path, "flows": flows,
        "host": fields["host"], "measure": fields["measure"],
    })  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "bbr"), [(("500 Mbit/s", "40 ms", "30 bdp"), 28), (("50 Mbit/s", "40 ms", "50 bdp"), 30)]
)
def test_with_connections_that_are_open_early_more_bbr_than_cubic_flows_have_what_the_hosts_have(
    study: Study, tmp_path: Path, path: tuple[str, str, str], bbr: int
) -> None:
    """Their first RTT is that of an empty line: the README says what that explains."""
    (row,) = (each for each in study.measured["shares"].rows if place(each) == (*path, bbr))
    measured = row.measured[SHARE].value
    rule = load(study.experiments["shares"], overrides={field: [value] for field, value in row.at.items()})
    opened, started = (run_of(each) for each in (as_iperf3_opens(study, row, tmp_path), rule))
    of_bbr = sum(own.share or 0 for name, own in opened.groups.items() if name.startswith("bbr"))
    assert abs(of_bbr - measured) < abs((started.groups["bbr"].share or 0) - measured) / 2


def run_of(experiment: Experiment) -> Result:
    (planned,) = plan(experiment)
    result, _ = execute(planned, SimEngine(), "test")
    assert isinstance(result, Result)
    return result


@pytest.mark.slow
def test_the_sums_of_a_run_are_those_of_the_hosts_with_the_starts_of_the_rule_alone(study: Study) -> None:
    (row,) = (each for each in study.measured["shares"].rows if place(each) == (*PATH.values(), 5))
    sum_of_rate = {}
    for title in ("shares", "together"):
        (points,) = (each for each in study.measured[title].rows if place(each) == place(row))
        spec = load(study.experiments[title], overrides={path: [value] for path, value in points.at.items()})
        run = replace(fifty_flows(5, 0, 0), result=run_of(spec))
        sum_of_rate[title] = sum(own_goodput_bps(run, group) for group in ("bbr", "cubic")) / 50e6
    assert sum_of_rate["shares"] == pytest.approx(float(row.notes["sum"]), abs=0.006)
    assert sum_of_rate["together"] == pytest.approx(predicted_sum(25, 0.04), abs=0.006)
