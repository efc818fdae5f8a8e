from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import dumbbell
from commandline import MOMENT
from dumbbell.charts.chart import Axis, Chart, Layer, Panel
from dumbbell.results.store import Store
from dumbbell.studies import Study, StudyStatus, Verdict
from reported import NASTY, status_of, study_of, verdict


@pytest.fixture(scope="session")
def moment_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the four runs of one small experiment."""
    folder = tmp_path_factory.mktemp("report") / "runs"
    dumbbell.run(MOMENT, store=folder)
    return folder


@pytest.fixture
def store(moment_folder: Path) -> Iterator[Store]:
    with Store.open(moment_folder) as opened:
        yield opened


@pytest.fixture
def chart() -> Chart:
    """Two panels: what was published as points, what was measured with its interval, a band, and a step."""
    loss = Panel(
        title="loss",
        x=Axis(label="queue (BDP)", scale="log2", ticks=((0.5, "0.5"), (2.0, "2"))),
        y=Axis(label="loss (%)", limits=(0, None)),
        layers=(
            Layer(label="published", style="published", kind="points", x=(0.5, 2.0), y=(11.0, 0.0)),
            Layer(
                label="BBR of Linux 6.1", style="bbr", kind="line+points", x=(0.5, 2.0), y=(12.0, 0.25),
                low=(11.0, 0.25), high=(13.0, 0.25),
            ),
        ),
        marks=((1.0, "one BDP"),),
    )  # fmt: skip
    share = Panel(
        x=loss.x,
        y=Axis(label=f"share {NASTY}"),
        layers=(
            Layer(label="quartiles", style="cubic", kind="band", x=(0.5, 2.0), y=(), low=(1.0, 20.0), high=(3.0, 40.0)),
            Layer(label="BBR of Linux 6.1", style="bbr", kind="step", x=(0.5, 2.0), y=(98.0, float("nan"))),
        ),
    )
    return Chart(name="figure1", title="Figure 1", caption="Made by hand.", panels=(loss, share), columns=2)


@pytest.fixture
def verdicts() -> list[Verdict]:
    return [
        verdict(),
        verdict(variant="bbr_4_17", verdict="not reproduced", value=14.0, low=None, high=None, n=1, reason=NASTY),
        verdict(claim="S2", verdict="not testable here", value=None, low=None, high=None, n=0, flag="ART"),
    ]


@pytest.fixture
def study() -> Study:
    """A study of the small experiment that the store has."""
    return study_of(MOMENT, claims=("S1", "S2", "S3"))


@pytest.fixture
def status(study: Study, store: Store, verdicts: list[Verdict], chart: Chart) -> StudyStatus:
    """What `sim` says of it."""
    return status_of(study, store, verdicts=verdicts, displays=[chart])
