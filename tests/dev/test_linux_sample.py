"""A few conditions that nobody has seen before, on both engines, each time: no band may be grossly broken.

The bands themselves are for hundreds of conditions (`docs/validation.md`). Twelve short ones with two seeds scatter, so
that only medians over the sample are judged, and against multiples of the bands' limits. The multiples come from the
known distribution: of 120 such conditions (`python -m dev strata --random 120 --seed 77001 --duration "20 s" --packets
200000 --seeds 2`) samples of twelve were drawn 20,000 times. Of their medians the one in 10,000 that was largest was
19 % for the goodput of each group, 3.0 % for the total goodput, 5 points for the queueing delay, and 75 % for the loss
rate, where three conditions and more had one. Each limit is at or above that, so that a false alarm comes less than
once in 1000 runs of the tests. A failure tells the seed that draws the same conditions again.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from msgspec import structs

from agreed import Scaled
from dev.strata import conditions as random_conditions
from dumbbell.comparison.agreement import BANDS, verdicts
from dumbbell.comparison.campaigns import Sides, run_conditions
from dumbbell.comparison.record import Condition
from dumbbell.comparison.strata import GROUP_GOODPUT, LOSS, QUEUEING_DELAY, TOTAL_GOODPUT
from dumbbell.engines.linux import LinuxEngine
from dumbbell.engines.measurement import Measurement
from dumbbell.engines.protocol import Engine
from dumbbell.engines.sim import SimEngine
from dumbbell.metrics.number import amount
from dumbbell.results.store import Store
from dumbbell.spec import Run
from dumbbell.spec.flow import Controller
from dumbbell.spec.queue import Room

CONDITIONS, DURATION, MOST_PACKETS, SEEDS = 12, "20 s", 200_000, 2
MULTIPLES = {GROUP_GOODPUT: 5, TOTAL_GOODPUT: 3, LOSS: 10, QUEUEING_DELAY: 2}
"""Of the median that a band allows."""
FEWEST = 3
"""Errors that a median is taken of."""
FRESH_SEEDS = 10**9


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of one store, so that the simulator's runs of a condition are made once."""
    return tmp_path_factory.mktemp("sample")


def compared(folder: Path, candidate: Engine, reference: Engine, seed: int) -> list[Condition]:
    drawn = list(random_conditions.conditions(CONDITIONS, seed, duration=DURATION, most_packets=MOST_PACKETS))
    with Store.open(folder / "store", write=True) as store:
        return run_conditions(store, drawn, Sides(candidate, reference, SEEDS, 0))


def gross(conditions: Sequence[Condition]) -> list[str]:
    """Bands of which the sample's median is far beyond the limit, and runs that failed."""
    failed = (each for condition in conditions for each in condition.failures)
    problems = [f"{each.engine}, seed {each.seed}: {each.error}" for each in failed]
    for verdict in verdicts(conditions):
        multiple, limit = MULTIPLES.get(verdict.metric), BANDS[verdict.metric].median_limit
        median = verdict.measured.median
        if multiple is None or limit is None or median is None or verdict.measured.n < FEWEST:
            continue
        if median > multiple * limit:
            most = f"{multiple} x {amount(limit, scale=100)} {verdict.unit}"
            problems.append(
                f"{verdict.label}: median error {amount(median, scale=100)} {verdict.unit}, more than {most}"
            )
    return problems


@pytest.mark.slow
@pytest.mark.long
def test_no_band_is_grossly_broken_on_fresh_conditions(linux: LinuxEngine, folder: Path) -> None:
    seed = secrets.randbelow(FRESH_SEEDS)
    problems = gross(compared(folder, SimEngine(), linux, seed))
    again = f'python -m dev strata --random {CONDITIONS} --seed {seed} --duration "{DURATION}" --packets {MOST_PACKETS}'
    assert not problems, f"{'; '.join(problems)}. The same conditions: {again} --seeds {SEEDS} --floor 0"


class Wrong(SimEngine):
    """The simulator, asked for something else than it was."""

    name = "wrong"

    def __init__(self, changed: Callable[[Run], Run]) -> None:
        self.changed = changed

    def identity(self) -> str:
        return f"wrong: {self.changed.__name__}"

    def measure(self, run: Run) -> Measurement:
        return super().measure(self.changed(run))


def with_double_buffer(run: Run) -> Run:
    room = run.path.buffer
    assert room.bytes is not None
    return structs.replace(run, path=structs.replace(run.path, buffer=Room(bytes=2 * room.bytes)))


def with_timid_bbr(run: Run) -> Run:
    """BBR that keeps half a BDP in flight at most."""
    flows = [
        structs.replace(flow, cc=Controller(algorithm="bbr", parameters=flow.parameters | {"cwnd_gain": 0.5}))
        if flow.algorithm == "bbr"
        else flow
        for flow in run.flows
    ]
    return structs.replace(run, flows=tuple(flows))


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize(
    ("candidate", "broken"),
    [
        (Scaled(0.9), "total goodput"),
        (Scaled(0.5), "goodput of each group"),
        (Wrong(with_double_buffer), "queueing delay"),
        (Wrong(with_timid_bbr), "goodput of each group"),
    ],
    ids=["a tenth too little", "half", "twice the buffer", "timid BBR"],
)
def test_a_wrong_engine_is_seen(candidate: Engine, broken: str, folder: Path) -> None:
    problems = gross(compared(folder, candidate, SimEngine(), 1))
    assert any(problem.startswith(f"{broken}:") for problem in problems), problems


@pytest.mark.slow
def test_a_right_engine_is_not(folder: Path) -> None:
    assert gross(compared(folder, SimEngine(), Scaled(1.0), 1)) == []


@pytest.mark.slow
def test_a_run_that_failed_is_gross(folder: Path) -> None:
    assert gross(compared(folder, Scaled(0.7, failing=(2,)), SimEngine(), 1))[0] == "double, seed 2: a bug"
