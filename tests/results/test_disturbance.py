"""What makes a run in real time suspect, from what was counted on its machine."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dumbbell.results.disturbance import disturbances, validity
from dumbbell.results.validity import warnings
from measured import flow, measurement
from specs import resolved

QUIET = {
    "live.cores": 2, "live.core_ms": 20_000, "live.busy_ms": 9_000, "live.busiest_core_ms": 10_000,
    "live.busiest_busy_ms": 9_000, "live.stolen_ms": 400, "live.others_ms": 2_500, "live.alarms": 1_000,
    "live.alarms_late_500us": 900, "live.alarms_late_5ms": 10, "live.relay": 10_000, "live.relay_late_100us": 9_000,
    "live.relay_late_500us": 100, "live.relay_late_1ms": 100, "live.relay_dropped": 0,
    "live.interface_sent_bytes": 1_000, "live.foreign_sent_bytes": 50,
}  # fmt: skip
"""At every bound."""


def reasons(**more: int) -> list[str]:
    facts = QUIET | {f"live.{name}": count for name, count in more.items()}
    return list(disturbances({name: str(count) for name, count in facts.items()} | {"relay near104": "delay"}))


def test_at_every_bound_a_run_is_left_alone() -> None:
    assert reasons() == []
    assert list(disturbances({})) == []


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ({"busiest_busy_ms": 9_100}, "live: the busiest core was busy for 91 % of the run"),
        ({"stolen_ms": 500}, "live: 2.50 % of the machine's time was given to other guests of its host"),
        ({"others_ms": 3_000}, "live: other programs used 0.30 cores"),
        ({"relay_late_500us": 200}, "live: 2.00 % of packets left the relay more than 0.5 ms late"),
        ({"alarms_late_5ms": 15}, "live: 1.50 % of alarms came more than 5 ms late"),
        ({"foreign_sent_bytes": 60}, "live: 6.00 % of what its interface sent was not the run's"),
        ({"relay_dropped": 3}, "live: the relay dropped 3 packets"),
    ],
)
def test_beyond_a_bound_it_says_what_and_how_much(counts: dict[str, int], message: str) -> None:
    assert reasons(**counts) == [message]


def test_on_hosts_each_reason_names_its_host() -> None:
    """Both were counted, one of them beyond a bound, and so was something that has nothing to do with it."""
    facts = {f"{host}: {name}": str(count) for host in ("s1", "mid") for name, count in QUIET.items()}
    assert list(disturbances(facts)) == []
    facts |= {"mid: live.relay_dropped": "2", "s1: live.others_ms": "3000", "mid: offloads (sender)": "live. off"}
    assert sorted(disturbances(facts)) == [
        "live: mid: the relay dropped 2 packets", "live: s1: other programs used 0.30 cores"
    ]  # fmt: skip
    assert validity("hosts", disturbances(facts)) == "SUSPECT"


def test_what_a_capture_lacks_is_a_reason() -> None:
    counted = {"capture.senders.frames": "5", "capture.senders.dropped": "1", "capture.receivers.dropped": "0"}
    lacking = "the capture at the senders lacks 1 frame, for which there was no room"
    assert list(disturbances(counted)) == [lacking]
    live = {name: str(count) for name, count in QUIET.items()}
    (reason,) = disturbances(live | counted)
    assert reason == f"live: {lacking}"
    assert validity("netns", [reason]) == "SUSPECT"


def test_it_is_a_warning_of_the_run() -> None:
    run = resolved()
    measured = replace(measurement(flow()), facts={"live.relay_dropped": "1"})
    assert warnings(run.run, measured, run.groups)[-1] == "live: the relay dropped 1 packet"


@pytest.mark.parametrize(
    ("engine", "warnings", "word"),
    [
        ("netns", [], "VALID"),
        ("netns", ["flow 0 (bbr): delivered nothing"], "VALID"),
        ("netns", ["flow 0 (bbr): delivered nothing", "live: the relay dropped 1 packet"], "SUSPECT"),
        ("sim", [], None),
        ("linux:6.12", ["live: "], None),
    ],
)
def test_the_word_for_it(engine: str, warnings: list[str], word: str | None) -> None:
    assert validity(engine, warnings) == word
