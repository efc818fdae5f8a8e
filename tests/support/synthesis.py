"""Runs of a study without an engine: every number is drawn by chance from a seed that names the run.

Nothing in them is right, but no two runs are alike: a claim that reads another field, another point or another
experiment has another value. Losses fall and shares cross along a sweep, so that thresholds and crossings exist.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd

from dumbbell.campaign.plan import plan
from dumbbell.metrics.sharing import jain
from dumbbell.metrics.summary import BottleneckSummary, FlowSummary, GroupSummary
from dumbbell.results.schema import Result
from dumbbell.spec import Experiment, Resolved, load
from dumbbell.spec.run import Run
from dumbbell.studies import Study
from dumbbell.studies.evidence import Evidence, RunData, SeedSweep
from observed import empty

STEP_S = 0.1
LARGEST_SERIES_S = 300.0


def synthetic_evidence(study: Study, engine: str = "sim", seeds: Sequence[int] = (1,)) -> Evidence:
    """Every experiment of a study with each version."""
    return Evidence(
        engine=engine,
        trials={key: tuple(_sweeps(study, *key, part, seeds)) for key, part in study.parts().items()},
    )


def _sweeps(study: Study, title: str, variant: str, part: Experiment, seeds: Sequence[int]) -> Iterator[SeedSweep]:
    points = [(planned.point, planned.resolved) for planned in plan(load(part, overrides={"seeds": 1}))]
    for seed in seeds:
        runs = [
            _run({path: value for path, value in point.items() if path != study.manifest.axis}, resolved,
                 crc32(f"{title} {study.control(title, variant)} {point} {seed}".encode()), seed, place / len(points))
            for place, (point, resolved) in enumerate(points)
        ]  # fmt: skip
        yield SeedSweep(seed, tuple(runs))


def _run(point: dict[str, Any], resolved: Resolved, chance: int, seed: int, place: float) -> RunData:
    """`place` is where the run stands in its sweep, from 0 to below 1."""
    draw = np.random.RandomState(chance)
    run = resolved.run
    window_s = (run.measure.window_begin_ns / 1e9, run.measure.window_end_ns / 1e9)
    groups = dict.fromkeys(resolved.groups)
    weights = {group: 1.3 - place if index == 0 else 0.3 + place for index, group in enumerate(groups)}
    flows = []
    for index, (group, cc) in enumerate(zip(resolved.groups, resolved.ccs, strict=True)):
        rate_bps = weights[group] * draw.uniform(0.9, 1.1) * run.path.rate_bps / len(run.flows)
        start_s = run.flows[index].start_ns / 1e9
        flows.append(replace(_flow(rate_bps, draw), flow=index, name=group, cc=cc, start_s=start_s))
    totals = {group: sum(flow.goodput_bps or 0 for flow in flows if flow.name == group) for group in groups}
    total_bps = sum(totals.values())
    result = Result(
        run_id=f"{chance:016x}", engine="sim", seed=seed, point=point, window_s=window_s, flows=tuple(flows),
        bottleneck=_bottleneck(resolved, place, draw),
        groups={
            group: GroupSummary(goodput_bps=each, share=each / total_bps, goodput_iperf3_bps=1.01 * each)
            for group, each in totals.items()
        },
        jain=jain([flow.goodput_bps for flow in flows if flow.goodput_bps is not None]), wall_s=0.0, warnings=(),
    )  # fmt: skip
    return RunData(
        point=point, result=result, bdp_bytes=resolved.bdp_bytes,
        flow_series=partial(_flow_series, run, flows, chance), queue_series=partial(_queue_series, resolved, chance),
        ack_series=partial(_ack_series, run, chance),
    )  # fmt: skip


def _flow(rate_bps: float, draw: np.random.RandomState) -> FlowSummary:
    numbers = {name: draw.uniform(0.02, 0.2) for name in ("rtt_mean_s", "rtt_p50_s", "rtt_p95_s", "rtt_min_s")}
    sent, again = int(draw.randint(10_000, 20_000)), int(draw.randint(10, 1000))
    summary: FlowSummary = replace(
        empty(FlowSummary), goodput_bps=rate_bps, goodput_whole_bps=rate_bps * draw.uniform(0.8, 0.9),
        throughput_bps=rate_bps * 1.05, segments_sent=sent,
        retransmits=again, retransmit_rate=again / sent, fct_s=draw.uniform(5, 35), cov=draw.uniform(0, 1), **numbers,
    )  # fmt: skip
    return summary


def _bottleneck(resolved: Resolved, place: float, draw: np.random.RandomState) -> BottleneckSummary:
    loss = draw.uniform(0.05, 0.1) * max(0.0, 0.8 - place)
    queue = draw.uniform(0.5, 2) * resolved.bdp_bytes
    sent = int(draw.randint(100_000, 200_000))
    summary: BottleneckSummary = replace(
        empty(BottleneckSummary), utilization=draw.uniform(0.5, 1), sent_packets=sent, loss_rate=loss,
        loss_per_sent=loss / (1 - loss), dropped_packets=round(loss * sent), offered_packets=round(sent / (1 - loss)),
        random_lost_packets=int(draw.uniform() < 0.3), queue_mean_bytes=queue, queue_p95_bytes=1.5 * queue,
        queue_max_bytes=round(draw.uniform(1.6, 2) * queue), queue_mean_bdp=queue / resolved.bdp_bytes,
    )  # fmt: skip
    return summary


def _times(run: Run) -> Any:
    return np.arange(0, min(run.duration_ns / 1e9, LARGEST_SERIES_S) + STEP_S / 2, STEP_S)


def _flow_series(run: Run, flows: Sequence[FlowSummary], chance: int) -> pd.DataFrame:
    """Rates that swing every 20 s or so; BBR visits PROBE_RTT every 10 s and finds a low and a high RTT by turns."""
    draw, at = np.random.RandomState(chance), _times(run)
    line_bps = np.full(at.shape, float(run.path.rate_bps))
    for change in run.path.changes:
        line_bps[at >= change.at_ns / 1e9] = change.rate_bps
    frames = []
    for flow in flows:
        since = at - flow.start_s
        probing = (since > 5) & ((since + draw.uniform(0, 1)) % 10 < 0.35)
        swing = 1 + 0.06 * np.sin(2 * np.pi * at / draw.uniform(18, 22) + np.pi * (flow.name != "bbr"))
        rate_bps = (flow.goodput_bps or 0.0) * swing * (1 - 0.6 * probing) * draw.uniform(0.99, 1.01, at.shape)
        received = np.cumsum(np.where(since > 0, rate_bps * STEP_S / 8, 0.0))
        high, low = draw.uniform(0.05, 0.09), draw.uniform(0.02, 0.03)
        window = draw.uniform(3, 5) * 1e5 * (0.7 + 0.3 * (since % draw.uniform(6, 9)) / 9)
        bbr = flow.cc.startswith("bbr")
        phase = np.select([since < 2, probing], ["startup", "probe_rtt"], "probe_bw") if bbr else "avoidance"
        frames.append(pd.DataFrame({
            "flow": flow.flow, "time_s": at, "delivered_bytes": received, "bottleneck_bytes": received, "phase": phase,
            "srtt_s": draw.uniform(0.03, 0.1, at.shape), "cc_min_rtt_s": np.where(since // 10 % 2 == 0, low, high),
            "min_rtt_s": low, "cwnd_bytes": np.where(probing & bbr, 4 * 1448.0, window),
            "ssthresh_bytes": np.where(since < 2.4, np.nan, draw.uniform(1.5e5, 2.5e5)), "inflight_bytes": 0.9 * window,
            "bandwidth_bps": line_bps * (1 - np.exp(-np.maximum(since, 0) / 0.3)), "pacing_rate_bps": rate_bps,
            "delivery_rate_bps": rate_bps, "pacing_gain": 1.0, "cwnd_gain": 2.0,
        }))  # fmt: skip
    return pd.concat(frames, ignore_index=True)


def _queue_series(resolved: Resolved, chance: int) -> pd.DataFrame:
    draw, at = np.random.RandomState(chance), _times(resolved.run)
    return pd.DataFrame({
        "time_s": at, "backlog_bytes": draw.uniform(0, 2, at.shape) * resolved.bdp_bytes,
        "dropped_packets": np.cumsum(draw.randint(0, 5, at.shape)),
        "sent_packets": np.cumsum(draw.randint(500, 600, at.shape)),
    })  # fmt: skip


def _ack_series(run: Run, chance: int) -> pd.DataFrame:
    at = _times(run)
    return pd.DataFrame({"flow": 0, "time_s": at, "rtt_s": np.random.RandomState(chance).uniform(0.02, 0.1, at.shape)})
