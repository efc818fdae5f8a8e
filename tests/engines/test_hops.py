"""Paths of several hops, ways back with queues, and data both ways: to a real kernel as to the model of one."""

from __future__ import annotations

from typing import Any

import pytest

from dumbbell.campaign.measuring import execute
from dumbbell.campaign.plan import Planned
from dumbbell.engines import path_check
from dumbbell.engines.linux import LinuxEngine
from dumbbell.engines.linux_limits import problems
from dumbbell.engines.protocol import Engine
from dumbbell.engines.sim import SimEngine
from dumbbell.results.schema import Result
from dumbbell.spec import Resolved
from dumbbell.spec.numbers import numbers
from specs import resolved

RATE = "20 Mbit/s"
HOPS = [
    {"name": "first", "rate": "40 Mbit/s", "buffer": "100 kB", "delay": "5 ms"},
    {"name": "core", "rate": RATE, "buffer": "50 kB", "delay": "2 ms"},
    {"name": "last", "rate": "30 Mbit/s", "buffer": "100 kB"},
]
BACK = {"rate": RATE, "buffer": "1 bdp"}
ONE = {"rate": RATE, "rtt": "30 ms", "buffer": "1 bdp"}
CUBIC = {"cc": "cubic"}
CASES: dict[str, tuple[dict[str, Any], float]] = {
    "three in series": ({"path": {"rtt": "30 ms"}, "hops": HOPS, "flows": [CUBIC]}, 0.02),
    "a way back of a hundredth": (
        {"path": ONE | {"back": {"rate": "200 kbit/s", "buffer": "100 packets"}}, "flows": [CUBIC]},
        0.05,
    ),
    "data both ways": (
        {"path": ONE | {"back": BACK}, "flows": [CUBIC, CUBIC | {"name": "up", "direction": "up"}]},
        0.06,
    ),
}
"""Specs, and how far apart both engines' goodput may be, each flow's: as far as seeds are."""


def run_of(fields: dict[str, Any]) -> Resolved:
    return resolved(**fields)


def outcome(engine: Engine, run: Resolved) -> Result:
    came = execute(Planned({}, run), engine, engine.identity())[0]
    assert isinstance(came, Result), came
    return came


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_a_real_kernel_has_what_the_model_has(case: str) -> None:
    fields, apart = CASES[case]
    run = run_of(fields)
    sim, linux = (outcome(engine, run) for engine in (SimEngine(), LinuxEngine()))
    for model, kernel in zip(sim.flows, linux.flows, strict=True):
        assert model.goodput_bps == pytest.approx(kernel.goodput_bps, rel=apart), case
        assert model.rtt_min_s == pytest.approx(kernel.rtt_min_s, rel=0.02)
    assert sim.bottleneck.dropped_packets == pytest.approx(linux.bottleneck.dropped_packets, rel=0.5, abs=30)


def test_shares_are_of_those_that_go_the_same_way() -> None:
    fields, _ = CASES["data both ways"]
    run = run_of(fields | {"flows": [*fields["flows"], CUBIC | {"name": "too"}]})
    groups = outcome(SimEngine(), run).groups
    assert groups["up"].share == 1.0
    assert sum(groups[name].share or 0 for name in ("cubic", "too")) == pytest.approx(1.0)


def test_what_the_kernel_cannot_honour_is_said_at_each_queue() -> None:
    hops = [HOPS[0] | {"burst": "1000 B"}, HOPS[1] | {"rate": "20000001 bit/s"}]
    back = {"rate": "1000001 bit/s", "buffer": "9 packets"}
    run = run_of({"path": {"rtt": "30 ms", "back": back}, "hops": hops, "flows": [CUBIC]}).run
    assert [each.path for each in problems(run)] == ["hops[0].burst", "hops[1].rate", "path.back.rate"]


def test_no_train_is_sent_through_several_queues(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = list[object]()
    monkeypatch.setattr(path_check, "check_path", lambda _, run: looked_at.append(run))
    several = run_of(CASES["three in series"][0]).run
    one = run_of({"path": ONE, "flows": [CUBIC]}).run
    assert len(list(path_check.check_paths(LinuxEngine(), [several, one]))) == 1
    assert looked_at == [path_check.path_of(one)]


def test_a_hops_buffer_is_a_number_too() -> None:
    fields = {"path": {"rtt": "20 ms"}, "hops": [HOPS[1], HOPS[2]]}
    columns = numbers({"hops[1].buffer": "1 bdp"}, fields)
    assert columns == {"hops[1].buffer": {"hops[1].buffer_bytes": 50_000.0, "hops[1].buffer_bdp": 1.0}}
