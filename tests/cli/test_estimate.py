"""What `run` says before it begins."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dumbbell.cli.estimate import print_estimate
from dumbbell.engines.sim import SimEngine
from dumbbell.spec import load

SAID = (
    r"3 runs, 2 at once: about \d+ \w+, \d+ MB memory, \d+ MB disk;"
    r" Ctrl-C keeps what is finished, and the same command goes on\n"
)


@pytest.mark.parametrize(
    ("pace", "missing", "said"),
    [(1e5, 3, SAID), (1e-3, 3, ""), (1e5, 0, "")],
    ids=["slow machine", "fast machine", "nothing is missing"],
)
def test_an_estimate_comes_first_where_it_is_more_than_a_minute(  # noqa: PLR0913, PLR0917 (fixtures)
    moment: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    pace: float,
    missing: int,
    said: str,
) -> None:
    """Without a terminal."""
    monkeypatch.setattr("dumbbell.campaign.forecast.own_pace", lambda: pace)
    print_estimate([load(moment)], SimEngine(), missing, 2)
    assert re.fullmatch(said, capsys.readouterr().err)


def test_what_is_over_soon_is_not_simulated_to_know_it(moment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dumbbell.campaign.forecast.own_pace", lambda: 1.0)
    monkeypatch.setattr(SimEngine, "attempt", lambda *_: pytest.fail("it was simulated"))
    print_estimate([load(moment)], SimEngine(), 3, None)
