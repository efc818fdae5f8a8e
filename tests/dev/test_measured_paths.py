"""Random paths that are measured as real ones are, and what they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from dev.__main__ import app
from dev.measured_paths import FEWEST_BYTES, Judged, path_of
from dumbbell.captures.connection import CapturedNumber
from dumbbell.engines.netns import NetnsEngine
from dumbbell.errors import EngineFailure
from dumbbell.spec.quantity import Rate


@pytest.mark.parametrize(
    ("numbers", "verdict"),
    [
        ((99e6, 98e6, 99.5e6), "within"),
        ((97e6, 96e6, 101e6), "interval"),
        ((97e6, 96e6, 98e6), "WRONG"),
        ((None, 60e6, None), "interval"),
        ((None, 120e6, None), "WRONG"),
        ((None, None, None), "WRONG"),
    ],
)
def test_a_number_is_near_or_its_interval_has_the_truth(numbers: tuple[float | None, ...], verdict: str) -> None:
    value, low, high = numbers
    assert Judged("rate", Rate, 100e6, CapturedNumber(value, low, high, "")).verdict == verdict


def test_paths_are_those_of_their_seed() -> None:
    runs = [path_of(number, 1) for number in range(1, 31)]
    assert runs == [path_of(number, 1) for number in range(1, 31)]
    assert runs[0] != path_of(1, 2)
    for run in runs:
        bdp_bytes = run.path.rate_bps * run.flows[0].base_rtt_ns / 8e9
        assert 2e6 <= run.path.rate_bps <= 200e6
        assert 5e6 <= run.flows[0].base_rtt_ns <= 150e6
        assert run.path.buffer.bytes is not None
        assert FEWEST_BYTES <= run.path.buffer.bytes <= max(FEWEST_BYTES, 4.01 * bdp_bytes)


@pytest.mark.slow
def test_a_path_of_namespaces_is_measured_and_judged_again(tmp_path: Path) -> None:
    try:
        NetnsEngine().ready()
    except EngineFailure as failure:
        pytest.skip(f"no paths of namespaces here: {failure}")
    command = ["measured_paths", "--paths", "1", "--out", str(tmp_path)]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    assert "rate: 1 of 1 within 2.00 %, 0 more in the interval, 0 wrong" in done.stdout
    (file,) = tmp_path.iterdir()
    before = file.stat().st_mtime_ns
    assert CliRunner().invoke(app, command).stdout == done.stdout
    assert file.stat().st_mtime_ns == before
