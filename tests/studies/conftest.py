"""Hand-made evidence: what the document published, as if our engine had measured it; tests then change one number."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dumbbell import studies
from dumbbell.studies import Study
from dumbbell.studies.evidence import Evidence, SeedSweep
from dumbbell.studies.study import read
from observed import BDP_BYTES, frame, observed

HOME = Path(studies.__file__).parent
VARIANT = "bbr"
SEEDS = (1, 2, 3)
PROBE_RTTS_S = (10.0, 20.0, 30.0, 40.0, 50.0)
BRIEF = ("figure4b", "figure5", "figure5_cubic", "figure7", "figure9", "figure10", "figure11")
"""A part of the study that is run in a moment: without the sweeps over capacities and flow counts."""
RATES_MBIT_S = (40, 80, 120)

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
    """The study, without its sweeps, with runs that are over in a moment."""
    for name in BRIEF:
        text = (folder / f"{name}.toml").read_text(encoding="utf-8")
        text = text.replace('"300 s"', '"80 s"').replace('"80 Mbit/s"', '"8 Mbit/s"')
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    whole = read(
        folder,
        import_module("dumbbell.studies.claypool2019.claims"),
        import_module("dumbbell.studies.claypool2019.figures"),
        seeds=2,
    )
    return studies.only(whole, experiments=BRIEF)


def as_published(
    published: Mapping[str, Any],
    *,
    loss: Mapping[str, float] | None = None,
    sweep_loss: Mapping[tuple[int, int, str], float] | None = None,
) -> Evidence:
    """What the document has, but for losses in % by queue size, of the sweep by rate and number of BBR flows too."""
    seven, ten, twelve = (published[figure] for figure in ("figure7", "figure10", "figure12"))
    losses = dict(zip(seven["buffer"], seven["loss_percent"], strict=True)) | dict(loss or {})
    shares = {group: dict(zip(ten["buffer"], ten[f"{group}_mbit_s"], strict=True)) for group in ("bbr", "cubic")}
    first, third = (
        dict(zip(ten["buffer"], ten[f"bbr_{which}_quartile_mbit_s"], strict=True)) for which in ("first", "third")
    )
    figure7 = [
        observed({"path.buffer": size}, {"bbr": [75.5 / 4] * 4}, (150, 255), lost=lost / 100)
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
    figure4b = [observed({}, {"bbr": [20.0] * 4}, (0, 60), series=steady((20.0,) * 4))]
    eleven = published["figure11"]
    quiet = dict.fromkeys(seven["buffer"], 0.0)
    shallows = quiet | dict(zip(eleven["buffer"], eleven["loss_percent"], strict=True))
    figure11 = [
        observed({"path.buffer": size}, {"bbr": [18.9] * 4}, (150, 255), lost=lost / 100)
        for size, lost in shallows.items()
    ]
    kept = published["figure5"]["bbr_mean_bdp"]
    figure5 = [
        observed(
            {}, {"bbr": [18.9] * 4}, (150, 255), queue_bdp=(kept, 1.48), backlog=filling(kept, kept),
            bottleneck={"queue_p95_bytes": 1.28 * BDP_BYTES}, flows=[{"rtt_mean_s": 0.0521}] * 4,
        )
    ]  # fmt: skip
    figure5_cubic = [
        observed(
            {}, {"cubic": [18.9] * 4}, (150, 255), queue_bdp=(7.0, 8.0), backlog=filling(7.0, 8.0),
            flows=[{"rtt_mean_s": 0.203}] * 4,
        )
    ]  # fmt: skip
    figure9 = [
        observed(
            {}, {"bbr": [27.0] * 2, "cubic": [11.0] * 2}, (150, 240), series=taking_turns(),
            backlog=filling(1.5, 1.75, 1.0),
        )
    ]  # fmt: skip
    runs = {
        "figure4a": [observed({}, {"bbr": [19.0] * 5}, (0, 60), series=steady((19.0,) * 5), backlog=filling(1, 1))],
        "figure4b": figure4b,
        "figure5": figure5,
        "figure5_cubic": figure5_cubic,
        "figure7": figure7,
        "figure9": figure9,
        "figure10": figure10,
        "figure11": figure11,
        "standing": [
            observed(point, {"bbr": [rate / flows] * flows}, (150, 255), queue_bdp=(kept, kept))
            for (rate, flows), point in conditions((2, 4, 8)).items()
            for kept in [1.75 if (rate, flows) == (40, 8) else 1.13]
        ],
        "figure6": [observed({}, {"bbr": [18.9] * 4}, (150, 255), lost=0.11, backlog=filling(0.5, 0.5))],
        "figure7_sweep": [
            observed({"path.buffer": size} | point, {"bbr": [rate / flows] * flows}, (150, 255), lost=lost / 100)
            for (rate, flows), point in conditions((2, 4, 8)).items()
            for size, usual in zip(seven["buffer"], seven["loss_percent"], strict=True)
            for kept in [4.2 if (rate, flows, size) == (40, 8, "1.75 bdp") else usual]
            for lost in [(sweep_loss or {}).get((rate, flows, size), kept)]
        ],
        "figure8": [
            observed(
                {}, {"bbr": [37.5] * 2, "cubic": [0.3] * 2}, (150, 240), lost=0.09,
                series=alternating(37.5, 37.5),
            )
        ],
        "shallow_sweep": [
            observed(point, {"bbr": [100 - share], "cubic": [share]}, (150, 240), lost=lost / 100)
            for (_, flows), point in conditions((1, 2, 4)).items()
            for lost, share in [(0.9, 10.0) if flows == 1 else (9.0, 0.8)]
        ],
        "figure10_sweep": [
            observed(
                {"path.buffer": size} | point, {"bbr": [shares["bbr"][size]], "cubic": [shares["cubic"][size]]},
                (150, 240),
            )
            for point in conditions((1, 2, 4)).values()
            for size in ten["buffer"]
        ],
        "figure12": [
            observed(
                {"path.buffer": size}, {"bbr": [bbr_mbit_s], "cubic": [cubic_mbit_s]},
                (150, 240), series=alternating(20.0, 30.0),
            )
            for size, bbr_mbit_s, cubic_mbit_s in zip(
                twelve["buffer"], twelve["bbr_mbit_s"], twelve["cubic_mbit_s"], strict=True
            )
        ],
        "mqp8": [observed({}, {"bbr": [9.0]}, (0, 60), series=steady((9.0,)).assign(inflight_bytes=50_000.0))],
    }  # fmt: skip
    return Evidence(
        engine="sim",
        trials={
            (experiment, variant): tuple(SeedSweep(seed, tuple(found)) for seed in SEEDS)
            for experiment, found in runs.items()
            for variant in ("bbr", "bbr_4_17")
        },
    )


def conditions(counts: tuple[int, ...]) -> dict[tuple[int, int], dict[str, Any]]:
    """Each capacity with each number of BBR flows, and the point that it is."""
    return {
        (rate, flows): {"path.rate": f"{rate} Mbit/s", "flows[0].count": flows}
        for rate in RATES_MBIT_S
        for flows in counts
    }


def steady(rates: tuple[float, ...]) -> pd.DataFrame:
    """60 s at steady rates in Mbit/s, with a PROBE_RTT of 0.2 s every 10 s."""
    at = np.arange(0, 60.01, 0.1)
    frames = []
    for index, rate in enumerate(rates):
        probing = np.any([(at > probe) & (at < probe + 0.25) for probe in PROBE_RTTS_S], axis=0)
        frames.append(frame(index, at, at * rate * 1e6 / 8, np.where(probing, "probe_rtt", "probe_bw")))
    return pd.concat(frames, ignore_index=True)


@cache
def alternating(low: float, high: float) -> pd.DataFrame:
    """300 s of four flows; the first two have one rate, then the other, in bins of 0.5 s: their quartiles."""
    at = np.arange(0, 300.01, 0.5)
    rates = np.where(np.arange(at.size - 1) % 2 == 0, low, high)
    delivered = np.concatenate(([0.0], np.cumsum(rates * 0.5e6 / 8)))
    return pd.concat([frame(index, at, delivered, np.full(at.size, "probe_bw")) for index in range(4)])


@cache
def taking_turns() -> pd.DataFrame:
    """300 s of two BBR and two CUBIC flows whose groups have 60 and 16 Mbit/s, then the other way round.

    BBR is in PROBE_RTT every 10 s and leaves it with the low estimate, 25 ms, then the high one, 60 ms.
    """
    at = np.arange(0, 300.01, 0.1)
    much = (at[:-1] % 20) < 10
    bbr = np.where(much, 30.0, 8.0)
    cubic = np.where(much, 8.0, 30.0)
    high = (at // 10).astype(int) % 2 == 1
    probing = np.where(at % 10 < 0.25, "probe_rtt", "probe_bw")
    frames = []
    for index, rates in enumerate((bbr, bbr, cubic, cubic)):
        delivered = np.concatenate(([0.0], np.cumsum(rates * 0.1e6 / 8)))
        own = frame(index, at, delivered, probing if index < 2 else np.full(at.size, "avoidance"))
        frames.append(own.assign(cc_min_rtt_s=np.where(high, 0.060, 0.025), srtt_s=0.06))
    return pd.concat(frames, ignore_index=True)


@cache
def filling(mean_bdp: float, most_bdp: float, drops_after_s: float | None = None) -> pd.DataFrame:
    """300 s of a queue that stands at its mean, and each second at its largest.

    Where it is said how long after an inaccurate PROBE_RTT of `taking_turns`, 100 packets are dropped in a second of
    each cycle; else none.
    """
    at = np.arange(0, 300.01, 0.1)
    backlog = np.where(at % 1 < 0.05, most_bdp, mean_bdp) * BDP_BYTES
    since = (at - 10.3 - (drops_after_s or 0)) % 20
    dropping = (since > 0.05) & (since < 1.05) & (drops_after_s is not None)
    dropped = np.cumsum(np.where(dropping, 10, 0))
    frame = {"time_s": at, "backlog_bytes": backlog, "dropped_packets": dropped, "sent_packets": at * 6600}
    return pd.DataFrame(frame)
