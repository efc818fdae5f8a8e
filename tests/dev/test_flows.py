"""Every flow of every run of one condition."""

from __future__ import annotations

import pytest

from agreed import Scaled, moment
from dev.conditions import shown
from dev.flows import flows
from dumbbell.comparison.campaigns import Sides
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import ComparisonError
from dumbbell.spec import expand, load


def test_every_flow_of_every_run_of_both_engines_with_its_counters() -> None:
    experiment = load(next(expand(moment())))
    rows = flows(experiment, Sides(Scaled(0.5), SimEngine(), 2, 3), jobs=2)
    assert [(each["engine"], each["seed"], each["flow"]) for each in rows] == [
        (engine, seed, flow) for engine in ("sim", "double") for seed in (1, 2) for flow in (0, 1)
    ]
    reference, candidate = rows[0], rows[4]
    assert candidate["goodput_bps"] == pytest.approx(reference["goodput_bps"] / 2, rel=1e-4)
    delivered = {"engine", "goodput_bps", "goodput_whole_bps", "cov", "starved_s", "starved_longest_s"}
    assert all(candidate[key] == reference[key] for key in reference.keys() - delivered)
    for each in rows:
        assert each["segments_sent"] >= each["retransmits"]
        assert each["timeouts"] is not None
        assert each["cwnd_mean_segments"] > 1
    assert sum(each["retransmits"] for each in rows) > 0


def test_two_conditions_of_one_name_are_refused() -> None:
    with pytest.raises(ComparisonError, match='name: "moment" is that of 2 conditions; each needs its own'):
        shown(
            [moment(), moment()], Sides(Scaled(), SimEngine(), 1, 0), None, dry_run=True, dump=None, show=None,
            html=None, as_json=False,
        )  # fmt: skip
