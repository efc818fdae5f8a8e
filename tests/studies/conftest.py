"""Hand-made evidence: what the document published, as if our engine had measured it; tests then change one number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dumbbell import studies
from dumbbell.metrics.summary import BottleneckSummary, FlowSummary, GroupSummary
from dumbbell.results.schema import Result
from dumbbell.studies import Study
from dumbbell.studies.evidence import Evidence, Observed, Trial

VARIANT = "bbr"
SEEDS = (1, 2, 3)
PROBE_RTTS_S = (10.0, 20.0, 30.0, 40.0, 50.0)

Evidently = Callable[..., Evidence]


@pytest.fixture(scope="session")
def claypool() -> Study:
    return studies.load("claypool2019")


@pytest.fixture
def evidence(claypool: Study) -> Evidently:
    """Gives evidence as published, but for what its arguments say."""
    return lambda **changes: as_published(claypool.published, **changes)


def as_published(  # noqa: PLR0913 (each is a number of the document)
    published: Mapping[str, Any],
    *,
    loss: Mapping[str, float] | None = None,
    goodput: Mapping[str, float] | None = None,
    bbr: Mapping[str, float] | None = None,
    cubic: Mapping[str, float] | None = None,
    third_quartile: Mapping[str, float] | None = None,
    rates: tuple[float, ...] = (20.0, 20.0, 20.0, 20.0),
    probes_later_s: float = 0.0,
) -> Evidence:
    """Losses in %, rates in Mbit/s, each by queue size; `probes_later_s` shifts the last flow's PROBE_RTTs."""
    seven, ten = published["figure7"], published["figure10"]
    losses = dict(zip(seven["buffer"], seven["loss_percent"], strict=True)) | dict(loss or {})
    shares = {
        group: dict(zip(ten["buffer"], ten[f"{group}_mbit_s"], strict=True)) | dict(changed or {})
        for group, changed in (("bbr", bbr), ("cubic", cubic))
    }
    first = dict(zip(ten["buffer"], ten["bbr_first_quartile_mbit_s"], strict=True))
    third = dict(zip(ten["buffer"], ten["bbr_third_quartile_mbit_s"], strict=True)) | dict(third_quartile or {})
    figure7 = [
        observed({"path.buffer": size}, {"bbr": [(goodput or {}).get(size, 75.5) / 4] * 4}, (150, 255), lost=lost / 100)
        for size, lost in losses.items()
    ]
    figure10 = [
        observed(
            {"path.buffer": size},
            {"bbr": [shares["bbr"][size] / 2] * 2, "cubic": [shares["cubic"][size] / 2] * 2},
            (150, 240),
            series=alternating(first[size] / 2, third[size] / 2),
        )
        for size in ten["buffer"]
    ]
    figure4b = [observed({}, {"bbr": list(rates)}, (0, 60), series=steady(rates, probes_later_s))]
    runs = {"figure4b": figure4b, "figure7": figure7, "figure10": figure10}
    return Evidence(
        engine="sim",
        trials={
            (experiment, variant): tuple(Trial(seed, tuple(found)) for seed in SEEDS)
            for experiment, found in runs.items()
            for variant in ("bbr", "bbr_4_17")
        },
    )


def observed(
    point: dict[str, Any],
    groups: Mapping[str, list[float]],
    window_s: tuple[float, float],
    *,
    lost: float = 0.0,
    series: pd.DataFrame | None = None,
) -> Observed:
    """A run whose groups' flows have these goodputs in Mbit/s; what is not said is 0 or null."""
    names = [(name, rate) for name, rates in groups.items() for rate in rates]
    total = sum(rate for _, rate in names)
    result = Result(
        run_id="0" * 16,
        engine="sim",
        seed=1,
        point=point,
        window_s=window_s,
        flows=tuple(
            replace(empty(FlowSummary), flow=index, name=name, cc=name, goodput_bps=rate * 1e6)
            for index, (name, rate) in enumerate(names)
        ),
        bottleneck=replace(empty(BottleneckSummary), loss_per_sent=lost),
        groups={
            name: GroupSummary(goodput_bps=sum(rates) * 1e6, share=sum(rates) / total) for name, rates in groups.items()
        },
        jain=None,
        wall_s=0.0,
        warnings=(),
    )
    frame = pd.DataFrame() if series is None else series
    return Observed(point=point, result=result, flow_series=lambda: frame, queue_series=pd.DataFrame)


def empty(kind: type[Any]) -> Any:
    """A summary in which every number is null, or 0 where there must be one."""
    words = {"int": 0, "float": 0.0, "str": ""}
    return kind(**{each.name: words.get(str(each.type)) for each in fields(kind)})


def steady(rates: tuple[float, ...], last_later_s: float) -> pd.DataFrame:
    """60 s at steady rates in Mbit/s, with a PROBE_RTT of 0.2 s every 10 s, the last flow's so much later."""
    at = np.arange(0, 60.01, 0.1)
    frames = []
    for index, rate in enumerate(rates):
        later = last_later_s if index == len(rates) - 1 else 0.0
        probing = np.any([(at > probe + later) & (at < probe + later + 0.25) for probe in PROBE_RTTS_S], axis=0)
        frames.append(frame(index, at, at * rate * 1e6 / 8, np.where(probing, "probe_rtt", "probe_bw")))
    return pd.concat(frames, ignore_index=True)


def alternating(low: float, high: float) -> pd.DataFrame:
    """300 s of four flows; the first two have one rate, then the other, in bins of 0.5 s: their quartiles."""
    at = np.arange(0, 300.01, 0.5)
    rates = np.where(np.arange(at.size - 1) % 2 == 0, low, high)
    delivered = np.concatenate(([0.0], np.cumsum(rates * 0.5e6 / 8)))
    return pd.concat([frame(index, at, delivered, np.full(at.size, "probe_bw")) for index in range(4)])


def frame(flow: int, at: Any, delivered: Any, phase: Any) -> pd.DataFrame:
    return pd.DataFrame({"flow": flow, "time_s": at, "delivered_bytes": delivered, "phase": phase})
