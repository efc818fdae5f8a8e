"""Claypool et al.'s study for tests: what it published as if our engine had measured it, and short runs of it.

Tests then change one number.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dumbbell import studies
from dumbbell.studies import Study
from dumbbell.studies.evidence import Evidence, SeedSweep
from dumbbell.studies.loading import read
from observed import BDP_BYTES, observed

HOME = Path(studies.__file__).parent
SEEDS = (1, 2, 3)
BRIEF = ("figure4b", "figure5", "figure5_cubic", "figure7", "figure9", "figure10", "figure11")
"""A part of the study that is run in a moment: without the sweeps over capacities and flow counts."""

Evidently = Callable[..., Evidence]


@pytest.fixture(scope="session")
def claypool() -> Study:
    return studies.load("claypool2019")


@pytest.fixture
def evidence(claypool: Study) -> Evidently:
    """Gives evidence as published, but for the losses that are given."""
    return lambda loss=(): as_published(claypool.published, dict(loss))


@pytest.fixture(scope="session")
def short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of a study, not to be changed, of which the brief part's runs are over in a moment."""
    copy = tmp_path_factory.mktemp("studies") / "claypool2019"
    shutil.copytree(HOME / "claypool2019", copy, ignore=shutil.ignore_patterns("__pycache__"))
    for name in (*BRIEF, "figure8"):  # the last one's runs are figure10's
        text = (copy / f"{name}.toml").read_text(encoding="utf-8")
        text = text.replace('"300 s"', '"80 s"').replace('"80 Mbit/s"', '"8 Mbit/s"')
        (copy / f"{name}.toml").write_text(text, encoding="utf-8")
    return copy


@pytest.fixture(scope="session")
def brief(short: Path) -> Study:
    """That part of it, with two seeds."""
    return studies.only(read(short, seeds=2), experiments=BRIEF)


def as_published(published: Mapping[str, Any], loss: Mapping[str, float]) -> Evidence:
    """Figures 5, 7 and 11 as the document has them, but for figure 7's losses in %, by queue size."""
    seven, eleven = (published[figure] for figure in ("figure7", "figure11"))
    losses = dict(zip(seven["buffer"], seven["loss_percent"], strict=True)) | dict(loss)
    shallow = dict.fromkeys(losses, 0.0) | dict(zip(eleven["buffer"], eleven["loss_percent"], strict=True))
    at = np.arange(0, 300.01, 0.1)
    queue = pd.DataFrame({"time_s": at, "backlog_bytes": np.where(at % 1 < 0.05, 8.0, 7.0) * BDP_BYTES})
    runs = {
        name: tuple(observed({"path.buffer": size}, {"bbr": [18.9] * 4}, (150, 255), lost=lost / 100)
                    for size, lost in percents.items())
        for name, percents in (("figure7", losses), ("figure11", shallow))
    }  # fmt: skip
    rtts = [{"rtt_mean_s": 0.203}] * 4
    runs["figure5_cubic"] = (
        observed({}, {"cubic": [18.9] * 4}, (150, 255), queue_bdp=(7.0, 8.0), backlog=queue, flows=rtts),
    )
    return Evidence(
        engine="sim",
        trials={
            (experiment, variant): tuple(SeedSweep(seed, sweep) for seed in SEEDS)
            for experiment, sweep in runs.items()
            for variant in ("bbr", "bbr_4_17")
        },
    )
