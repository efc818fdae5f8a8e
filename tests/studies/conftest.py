"""Hand-made evidence: what the document published, as if our engine had measured it; tests then change one number."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dumbbell import studies
from dumbbell.metrics.summary import BottleneckSummary, FlowSummary, GroupSummary
from dumbbell.results.schema import Result
from dumbbell.studies import Study
from dumbbell.studies.evidence import Evidence, Observed, Trial
from dumbbell.studies.study import read

HOME = Path(studies.__file__).parent
VARIANT = "bbr"
SEEDS = (1, 2, 3)
BDP_BYTES = 250_000
PROBE_RTTS_S = (10.0, 20.0, 30.0, 40.0, 50.0)

Evidently = Callable[..., Evidence]


@pytest.fixture(scope="session")
def claypool() -> Study:
    return studies.load("claypool2019")


@pytest.fixture
def evidence(claypool: Study) -> Evidently:
    """Gives evidence as published, but for what its arguments say."""
    return lambda **changes: as_published(claypool.published, **changes)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of a study, to break."""
    copy = tmp_path / "claypool2019"
    shutil.copytree(HOME / "claypool2019", copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


@pytest.fixture
def brief(folder: Path) -> Study:
    """The study with runs that are over in a moment."""
    for name in tomllib.loads((folder / "study.toml").read_text(encoding="utf-8"))["experiments"]:
        text = (folder / f"{name}.toml").read_text(encoding="utf-8")
        text = text.replace('"300 s"', '"80 s"').replace('"80 Mbit/s"', '"8 Mbit/s"')
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    return read(
        folder,
        import_module("dumbbell.studies.claypool2019.claims"),
        import_module("dumbbell.studies.claypool2019.figures"),
        seeds=2,
    )


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
    shallow: Mapping[str, float] | None = None,
    queue_bdp: float | None = None,
    cubic_queue_bdp: tuple[float, float] = (7.0, 8.0),
    cycle: Mapping[str, Any] | None = None,
) -> Evidence:
    """Losses in %, rates in Mbit/s, each by queue size; `probes_later_s` shifts the last flow's PROBE_RTTs.

    `cubic_queue_bdp` is mean and maximum; `cycle` what `taking_turns` is called with.
    """
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
    eleven = published["figure11"]
    quiet = dict.fromkeys(seven["buffer"], 0.0)
    shallows = quiet | dict(zip(eleven["buffer"], eleven["loss_percent"], strict=True)) | dict(shallow or {})
    figure11 = [
        observed({"path.buffer": size}, {"bbr": [18.9] * 4}, (150, 255), lost=lost / 100)
        for size, lost in shallows.items()
    ]
    kept = published["figure5"]["bbr_mean_bdp"] if queue_bdp is None else queue_bdp
    figure5 = [observed({}, {"bbr": [18.9] * 4}, (150, 255), queue_bdp=(kept, 1.5), backlog=filling(kept, kept))]
    figure5_cubic = [
        observed({}, {"cubic": [18.9] * 4}, (150, 255), queue_bdp=cubic_queue_bdp, backlog=filling(*cubic_queue_bdp))
    ]
    figure9 = [
        observed(
            {}, {"bbr": [27.0] * 2, "cubic": [11.0] * 2}, (150, 240), series=taking_turns(**(cycle or {})),
            backlog=filling(1.5, 1.75),
        )
    ]  # fmt: skip
    runs = {
        "figure4b": figure4b,
        "figure5": figure5,
        "figure5_cubic": figure5_cubic,
        "figure7": figure7,
        "figure9": figure9,
        "figure10": figure10,
        "figure11": figure11,
    }
    return Evidence(
        engine="sim",
        trials={
            (experiment, variant): tuple(Trial(seed, tuple(found)) for seed in SEEDS)
            for experiment, found in runs.items()
            for variant in ("bbr", "bbr_4_17")
        },
    )


def observed(  # noqa: PLR0913 (each is a number of a run)
    point: dict[str, Any],
    groups: Mapping[str, list[float]],
    window_s: tuple[float, float],
    *,
    lost: float = 0.0,
    series: pd.DataFrame | None = None,
    queue_bdp: tuple[float, float] = (1.0, 1.0),
    backlog: pd.DataFrame | None = None,
) -> Observed:
    """A run whose groups' flows have these goodputs in Mbit/s; what is not said is 0 or null.

    `queue_bdp` is mean and maximum.
    """
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
        bottleneck=replace(
            empty(BottleneckSummary),
            loss_per_sent=lost,
            queue_mean_bytes=queue_bdp[0] * BDP_BYTES,
            queue_max_bytes=round(queue_bdp[1] * BDP_BYTES),
            queue_mean_bdp=queue_bdp[0],
        ),
        groups={
            name: GroupSummary(goodput_bps=sum(rates) * 1e6, share=sum(rates) / total) for name, rates in groups.items()
        },
        jain=None,
        wall_s=0.0,
        warnings=(),
    )
    frame = pd.DataFrame() if series is None else series
    queue = pd.DataFrame() if backlog is None else backlog
    return Observed(point=point, result=result, flow_series=lambda: frame, queue_series=lambda: queue)


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


@cache
def taking_turns(
    *,
    period_s: float = 20.0,
    together: bool = False,
    low_ms: float = 25.0,
    high_ms: float = 60.0,
    alternating: bool = True,
) -> pd.DataFrame:
    """300 s of two BBR and two CUBIC flows whose groups have 60 and 16 Mbit/s, then the other way round.

    BBR is in PROBE_RTT every 10 s and leaves it with the low estimate, then the high one; if they do not alternate it
    is the high one each fifth time only. `together`: CUBIC has much when BBR has.
    """
    at = np.arange(0, 300.01, 0.1)
    much = (at[:-1] % period_s) < period_s / 2
    bbr = np.where(much, 30.0, 8.0)
    cubic = np.where(much == together, 30.0, 8.0)
    turn = (at // 10).astype(int)
    high = turn % 2 == 1 if alternating else turn % 5 == 4
    probing = np.where(at % 10 < 0.25, "probe_rtt", "probe_bw")
    frames = []
    for index, rates in enumerate((bbr, bbr, cubic, cubic)):
        delivered = np.concatenate(([0.0], np.cumsum(rates * 0.1e6 / 8)))
        own = frame(index, at, delivered, probing if index < 2 else np.full(at.size, "avoidance"))
        frames.append(own.assign(cc_min_rtt_s=np.where(high, high_ms, low_ms) / 1e3, srtt_s=0.06))
    return pd.concat(frames, ignore_index=True)


@cache
def filling(mean_bdp: float, most_bdp: float) -> pd.DataFrame:
    """300 s of a queue that stands at its mean, and each second at its largest; nothing is dropped."""
    at = np.arange(0, 300.01, 0.1)
    backlog = np.where(at % 1 < 0.05, most_bdp, mean_bdp) * BDP_BYTES
    return pd.DataFrame({"time_s": at, "backlog_bytes": backlog, "dropped_packets": 0, "sent_packets": at * 6600})


def frame(flow: int, at: Any, delivered: Any, phase: Any) -> pd.DataFrame:
    return pd.DataFrame({"flow": flow, "time_s": at, "delivered_bytes": delivered, "phase": phase})
