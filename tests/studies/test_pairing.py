"""Checks of an experiment beside others: BBR in runs of its own beside CUBIC in runs of its own, seed by seed."""

from __future__ import annotations

from types import ModuleType

import pytest

from dumbbell.studies import StudyError
from dumbbell.studies.claim import claims_of
from dumbbell.studies.evidence import Evidence, Observed, Trial
from dumbbell.studies.judgement import judge
from observed import observed

FUNCTIONS = ModuleType("functions")
EXPERIMENTS = ("own", "rival", "third")


def ratio_of_runs(run: Observed, other: Observed) -> float:
    return rate(run) / rate(other)


def sum_of_wholes(trial: Trial, other: Trial, third: Trial) -> float:
    """Each experiment's first rate is told apart by its place."""
    return rate(trial.runs[0]) / 1e6 + rate(other.runs[0]) / 1e4 + rate(third.runs[0]) / 1e2


def rate(run: Observed) -> float:
    return run.result.flows[0].goodput_bps or 0.0


for function in (ratio_of_runs, sum_of_wholes):
    function.__module__ = FUNCTIONS.__name__
    FUNCTIONS.__dict__[function.__name__] = function


def trial(seed: int, *rates: float) -> Trial:
    """A sweep of three queues."""
    sizes = ("1 bdp", "2 bdp", "4 bdp")
    points = zip(sizes, rates, strict=False)
    return Trial(seed, tuple(observed({"path.buffer": size}, {"a": [each]}, (0, 60)) for size, each in points))


EVIDENCE = Evidence(
    engine="sim",
    trials={
        ("own", "bbr"): (trial(1, 10, 20, 40), trial(2, 12, 24, 48)),
        ("rival", "bbr"): (trial(2, 6, 6, 6), trial(1, 10, 10, 10)),
        ("third", "bbr"): (trial(1, 3), trial(2, 3)),
    },
)


def row(**words: object) -> dict[str, object]:
    usual: dict[str, object] = {
        "id": "X1", "kind": "Q", "section": "1", "statement": "", "tolerance": "", "flag": "OK", "source": "",
        "experiment": "own", "unit": "", "checks": [{"label": "it", "least": 0}],
    }  # fmt: skip
    return usual | words


def values(**words: object) -> tuple[float | None, int]:
    (claim,) = claims_of([row(**words)], FUNCTIONS, EXPERIMENTS)
    assert set(claim.experiments) == {"own", *words["beside"]}  # type: ignore[misc]
    found = judge(claim, EVIDENCE, "bbr")
    return found.value, found.checks[0].seeds


def test_runs_at_the_same_point_of_the_same_seed_stand_beside_one_another() -> None:
    at = {"path.buffer": "4 bdp"}
    assert values(metric="ratio_of_runs", at=at, beside=["rival"]) == ((40 / 10 + 48 / 6) / 2, 2)


def test_whole_trials_come_in_the_order_in_which_they_are_asked_for() -> None:
    mean, seeds = values(metric="sum_of_wholes", beside=["rival", "third"])
    assert mean == pytest.approx(((10 + 1000 + 30_000) + (12 + 600 + 30_000)) / 2)
    assert seeds == 2


def test_an_experiment_that_sweeps_nothing_stands_beside_each_point() -> None:
    still = Trial(1, (observed({}, {"a": [5.0]}, (0, 60)),))
    assert rate(still.beside(EVIDENCE.of("own", "bbr")[0].runs[2])) == 5e6


def test_a_claim_waits_for_all_that_it_needs() -> None:
    (claim,) = claims_of([row(metric="ratio_of_runs", at={}, beside=["rival"])], FUNCTIONS, EXPERIMENTS)
    found = judge(claim, Evidence(engine="sim", trials={("own", "bbr"): EVIDENCE.of("own", "bbr")}), "bbr")
    assert (found.verdict, found.reason) == ("not testable here", "rival has no runs with bbr")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({"metric": "ratio_of_runs", "beside": ["rivals"]}, 'claim X1: there is no experiment "rivals"'),
        ({"metric": "bottleneck.loss_rate", "beside": ["rival"]}, "bottleneck.loss_rate is of one result"),
    ],
)
def test_a_row_that_pairs_what_cannot_be(words: dict[str, object], told: str) -> None:
    with pytest.raises(StudyError) as caught:
        claims_of([row(**words)], FUNCTIONS, EXPERIMENTS)
    assert told in str(caught.value)
