"""How far a campaign is: the time that is left, and a bar that grows where the first runs ask for more."""

from __future__ import annotations

import pytest

from dumbbell.cli import progress
from dumbbell.cli.progress import Countdown


def test_the_time_that_is_left_is_known_before_a_run_is_over() -> None:
    now = [0.0]
    left = Countdown(3, 61, lambda: now[0])
    assert str(left) == "0:03:03"
    now[0] = 60
    assert str(left) == "0:02:03"
    now[0] = 70
    assert str(left) == "0:02:02", "the first is late"
    left.advance()
    assert str(left) == "0:02:02"
    for _ in range(2):
        left.advance()
    assert str(left) == "0:00:00"


def test_a_bar_counts_the_runs_that_the_first_ones_ask_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "is_watched", lambda: True)
    with progress.progress(2, patience_s=3600) as watch:
        assert isinstance(watch, progress._Bar)
        (task,) = watch.bar.tasks
        for _ in range(3):
            watch()
        assert (task.fields["finished"], task.fields["runs"]) == (3, 3)


def test_for_whom_nobody_watches_nothing_is_shown(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "is_watched", lambda: False)
    with progress.progress(1) as watch:
        watch()
        watch.say("So far")
    assert capfd.readouterr() == ("", "")
