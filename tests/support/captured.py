"""Captures of a run of the simulator, for tests."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from dumbbell.campaign.execution import run_campaign
from dumbbell.engines.sim import SimEngine
from dumbbell.results.schema import Result
from dumbbell.results.store import Store
from dumbbell.spec import Experiment


class Captured(NamedTuple):
    """A run, and the files of its captures."""

    folder: Path
    outcome: Result
    senders: Path
    bottleneck: Path
    receivers: Path


def captured_in(folder: Path) -> Captured:
    """BBR and CUBIC in a short queue for five seconds, and a transfer; hosts without timing noise, in a store."""
    experiment = Experiment(
        name="captured",
        duration="5 s",
        path={"rate": "20 Mbit/s", "rtt": "40 ms", "buffer": "0.5 bdp", "jitter": "none"},
        flows=[{"cc": "bbr"}, {"cc": "cubic"}, {"cc": "reno", "start": "1 s", "workload": {"transfer": "100 kB"}}],
        measure={"window": ["0 s", "5 s"], "record": ["acks", "pcap"]},
    )
    with Store.open(folder, write=True) as store:
        (outcome,) = run_campaign(store, experiment, SimEngine())
        assert isinstance(outcome, Result)
        places = (store.capture(outcome.run_id, place) for place in ("senders", "bottleneck", "receivers"))
        return Captured(folder, outcome, *places)
