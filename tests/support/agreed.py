"""Outcomes made by hand for comparisons of engines, and an engine that is wrong on purpose."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from commandline import MOMENT
from dumbbell.comparison.agreement import compare_condition, judge
from dumbbell.comparison.campaigns import Sides, compare_engines
from dumbbell.comparison.record import Agreement, Condition, Side, Source
from dumbbell.engines.measurement import FlowCounters, Measurement
from dumbbell.engines.sim import SimEngine
from dumbbell.errors import EngineFailure
from dumbbell.results.schema import FailedRun, Result
from dumbbell.results.store import Store
from dumbbell.spec import Experiment, Run, expand, load, resolve
from observed import observed

MBPS = 1e6
NASTY = "<script>alert('&')</script>"
"""What must come out as text."""
RATE_MBPS = 100
DRAIN_S = 0.02
"""Of the buffer of `condition_of`: 250 kB at 100 Mbit/s."""
BASE_RTT_S = 0.02


class Scaled(SimEngine):
    """The simulator under another name, whose flows deliver `factor` of what they do; fails some seeds."""

    name = "double"

    def __init__(self, factor: float = 1.0, *, failing: tuple[int, ...] = ()) -> None:
        self.factor, self.failing = factor, failing
        self.measured: list[tuple[int, int]] = []
        self.lock = threading.Lock()

    def identity(self) -> str:
        return f"double {self.factor:g}"

    def measure(self, run: Run) -> Measurement:
        with self.lock:
            self.measured.append((run.path.rate_bps, run.seed))
        if run.seed in self.failing:
            raise EngineFailure("a bug")
        measurement = super().measure(run)
        flows = tuple(
            replace(
                flow,
                at_window_begin=self._less(flow.at_window_begin),
                at_window_end=self._less(flow.at_window_end),
                at_end=self._less(flow.at_end),
            )
            for flow in measurement.flows
        )
        return replace(measurement, flows=flows)

    def _less(self, counters: FlowCounters) -> FlowCounters:
        return replace(counters, delivered_bytes=int(counters.delivered_bytes * self.factor))


def result(  # noqa: PLR0913 (what a run has)
    goodputs_mbps: Mapping[str, float],
    *,
    ccs: Mapping[str, str] | None = None,
    seed: int = 1,
    loss: float | None = 0.0,
    marks: float | None = None,
    delay_s: float | None = 0.0,
    counts: Mapping[str, int] | None = None,
) -> Result:
    """A run of groups with these goodputs, of one flow or as many as `counts` says, and a queueing delay."""
    groups = {name: [mbps / count] * count
              for name, mbps in goodputs_mbps.items() for count in [(counts or {}).get(name, 1)]}  # fmt: skip
    flows = [
        {
            "cc": (ccs or {}).get(name, name), "goodput_whole_bps": each * MBPS, "throughput_bps": each * MBPS,
            "retransmits": 1, "retransmit_rate": 0.01, "segments_sent": 100, "rtt_min_s": BASE_RTT_S,
            "rtt_mean_s": None if delay_s is None else BASE_RTT_S + delay_s,
        }
        for name, of_flows in groups.items() for each in of_flows
    ]  # fmt: skip
    bottleneck = {
        "utilization": 0.9, "offered_packets": 100, "sent_packets": 100, "loss_rate": loss, "loss_per_sent": loss,
        "mark_rate": marks, "queue_p95_bytes": 0.0,
    }  # fmt: skip
    run = observed({}, groups, (5.0, 10.0), queue_bdp=(0.0, 0.0), flows=flows, bottleneck=bottleneck)
    return run.result.model_copy(update={"run_id": f"{seed:016x}", "engine": "hand", "seed": seed})


def failed(seed: int = 1) -> FailedRun:
    return FailedRun(run_id=f"{seed:016x}", engine="hand", seed=seed, point={}, error="a bug", wall_s=0.0)


def condition_of(
    candidate: Sequence[Result | FailedRun],
    reference: Sequence[Result | FailedRun],
    floor: Sequence[Result | FailedRun] = (),
    *,
    flows: Sequence[Mapping[str, Any]] = ({"cc": "bbr"},),
    name: str = "hand",
) -> Condition:
    """A condition of 100 Mbit/s, 20 ms and one BDP."""
    experiment = Experiment(
        duration="10 s",
        path={"rate": f"{RATE_MBPS} Mbit/s", "rtt": "20 ms", "buffer": "1 bdp"},
        flows=[dict(flow) for flow in flows],
        measure={"window": ["50 %", "100 %"]},
    )
    (point,) = expand(experiment)
    return compare_condition(name, {}, resolve(point, 1), (candidate, reference, floor))


def by_hand(**source: object) -> Agreement:
    """One condition that was compared and one that failed, from such a source."""
    flows = ({"cc": "bbr"}, {"cc": "cubic"})
    own, others = ([result({"bbr": mbps, "cubic": 20.0}, loss=0.01)] for mbps in (60.0, 50.0))
    conditions = [
        condition_of(own, others, others, flows=flows, name="random-9-1"),
        condition_of([failed()], [result({"bbr": 50.0})], name="random-9-2"),
    ]
    candidate = Side(engine="sim", identity="a" * 20, seeds=(1, 2, 3), measured_on={})
    reference = Side(engine="linux", identity="b" * 20, seeds=(1, 2, 3), measured_on={"kernel.release": "6.1.192"})
    agreement = judge(conditions, Source.model_validate(source), candidate, reference, (4, 5, 6))
    return agreement.model_copy(update={"versions": {"dumbbell": "0.1.0"}})


def moment(**overrides: Any) -> Experiment:
    """A spec with two points and two flows that is over at once."""
    return load(MOMENT, overrides={"name": "moment", "duration": "2 s"} | overrides)


def agreement_of(folder: Path, sides: Sides, experiments: Sequence[Experiment] = ()) -> Agreement:
    """The whole way, from specs to verdicts."""
    with Store.open(folder, write=True) as store:
        return compare_engines(store, experiments or [moment()], sides, Source(spec="moment"), jobs=2)
