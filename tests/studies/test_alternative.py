"""What makes a claim hold that does not: other runs, at a point, over some of its own, or another reading."""

from __future__ import annotations

from typing import Any

import pytest

from dumbbell import studies
from dumbbell.studies import StudyError, Verdict
from dumbbell.studies.claim import Claim, Vocabulary, claims_of
from dumbbell.studies.evidence import Coverage, Evidence, SeedSweep
from dumbbell.studies.formula import Formulas
from dumbbell.studies.judgement import judge
from observed import observed

QUEUES = ("1 bdp", "2 bdp")
FORMULAS = Formulas({"loss": "bottleneck.loss_per_sent", "largest": "max(loss)", "lead": "min(beside.loss - loss)"})
VOCABULARY = Vocabulary(dict.fromkeys(("sweep", "other", "rival"), frozenset({"path.buffer"})), FORMULAS)


def claim(*alternatives: dict[str, Any], **fields: object) -> Claim:
    row: dict[str, Any] = {
        "id": "X1", "kind": "Q", "section": "1", "statement": "it loses little", "tolerance": "at most 5 %",
        "flag": "OK", "source": "here", "experiment": "sweep", "unit": "%", "metric": "largest",
        "checks": [{"label": "largest loss", "most": 5}],
    }  # fmt: skip
    (parsed,) = claims_of([row | {"alternatives": list(alternatives)} | fields], VOCABULARY)
    return parsed


def trial(seed: int, *lost: float, points: tuple[dict[str, str], ...] = ()) -> SeedSweep:
    where = points or tuple({"path.buffer": size} for size in QUEUES)
    runs = [observed(point, {"bbr": [1]}, (0, 1), lost=share) for point, share in zip(where, lost, strict=True)]
    return SeedSweep(seed, tuple(runs))


def verdict_on(tested: Claim, **trials: tuple[SeedSweep, ...]) -> Verdict:
    """What is said of it; where a single trial is given, three seeds give the same."""
    alike = {
        (name, "bbr"): each if len(each) > 1 else tuple(SeedSweep(seed, each[0].runs) for seed in (1, 2, 3))
        for name, each in trials.items()
    }
    return judge(tested, Evidence(engine="sim", trials=alike), "bbr")


STRICT = {"kind": "would need", "condition": "a window of the cap alone", "substitutes": {"sweep": "other"}}


def test_other_runs_stand_for_the_claims() -> None:
    verdict = verdict_on(claim(STRICT), sweep=(trial(1, 0.1, 0.2),), other=(trial(1, 0.02, 0.01),))
    assert (verdict.verdict, verdict.kind) == ("not reproduced", "would need")
    (flip,) = verdict.flips
    assert (flip.by, flip.experiments, flip.verdict) == ("a window of the cap alone", ("other",), "reproduced")
    assert [check.value for check in flip.checks] == [pytest.approx(2)]
    assert verdict.reason == (
        "largest loss is 20.0 %, not at most 5 %. With a window of the cap alone (other) it is reproduced (would need):"
        " largest loss is 2.00 %, at most 5 %."
    )


def test_what_is_reproduced_needs_nothing() -> None:
    verdict = verdict_on(claim(STRICT), sweep=(trial(1, 0.01, 0.02),), other=(trial(1, 0.1, 0.1),))
    assert (verdict.verdict, verdict.flips, verdict.kind) == ("reproduced", (), None)


def test_what_does_not_flip_it_is_told_too() -> None:
    verdict = verdict_on(claim(STRICT), sweep=(trial(1, 0.1, 0.2),), other=(trial(1, 0.1, 0.06),))
    assert verdict.kind is None
    assert verdict.reason.endswith("(other) it is not reproduced either: largest loss is 10.0 %, not at most 5 %.")


def test_only_a_part_of_the_other_runs() -> None:
    flip = STRICT | {"at": {"path.buffer": "2 bdp"}}
    verdict = verdict_on(claim(flip), sweep=(trial(1, 0.1, 0.2),), other=(trial(1, 0.3, 0.01),))
    assert verdict.flips[0].checks[0].value == pytest.approx(1)


@pytest.mark.parametrize(("patched", "value"), [("2 bdp", 4.0), ("1 bdp", 20.0)])
def test_other_runs_at_their_own_points_only(patched: str, value: float) -> None:
    other = trial(1, 0.03, points=({"path.buffer": patched},))
    verdict = verdict_on(
        claim(STRICT | {"patch": True}),
        sweep=(trial(1, 0.04, 0.2), trial(9, 0.21, 0.21), trial(8, 0.22, 0.22)),
        other=(other,),
    )
    assert verdict.flips[0].checks[0].value == pytest.approx(value)
    assert verdict.flips[0].checks[0].seeds == 1  # of the other's seeds


def test_a_patch_at_a_point_that_the_claim_has_not() -> None:
    other = trial(1, 0.03, points=({"path.buffer": "3 bdp"},))
    with pytest.raises(StudyError, match=r'X1, alternative "a window of .*": path\.buffer = 3 bdp: 0 runs'):
        verdict_on(claim(STRICT | {"patch": True}), sweep=(trial(1, 0.04, 0.2),), other=(other,))


def test_what_stands_beside_is_exchanged_too() -> None:
    rival_claim = claim(
        {"kind": "would need", "condition": "another rival", "substitutes": {"rival": "other"}},
        checks=[{"label": "lead", "metric": "lead", "beside": ["rival"], "least": 1}],
    )
    verdict = verdict_on(
        rival_claim, sweep=(trial(1, 0.1, 0.1),), rival=(trial(1, 0.0, 0.1),), other=(trial(1, 0.2, 0.2),)
    )
    assert (verdict.verdict, verdict.kind) == ("not reproduced", "would need")


def test_another_reading_of_the_same_runs() -> None:
    reading = {"kind": "explains", "condition": "the shorter queue alone", "checks": [
        {"label": "loss in 1 BDP", "metric": "bottleneck.loss_per_sent", "at": {"path.buffer": "1 bdp"}, "most": 5},
    ]}  # fmt: skip
    verdict = verdict_on(claim(reading), sweep=(trial(1, 0.01, 0.2),))
    assert verdict.flips[0].experiments == ()
    assert verdict.reason.endswith(
        "With the shorter queue alone it is reproduced (explains): loss in 1 BDP is 1.00 %, at most 5 %."
    )


def test_what_was_not_run_is_not_told() -> None:
    evidence = Evidence(
        engine="sim",
        trials={("sweep", "bbr"): tuple(trial(seed, 0.1, 0.2) for seed in (1, 2, 3))},
        coverage={("other", "bbr"): Coverage(ids=frozenset("ab"), missing=frozenset("a"))},
    )
    verdict = judge(claim(STRICT), evidence, "bbr")
    assert (verdict.flips, verdict.reason) == ((), "largest loss is 20.0 %, not at most 5 %")


@pytest.mark.parametrize(
    ("flip", "message"),
    [
        ({"substitutes": {"sweep": "other"}}, "claim X1: alternatives[0].condition: Field required"),
        ({"kind": "fitted", "condition": "x"}, 'claim X1: the alternative "x" has neither substitutes nor checks'),
        (
            {"kind": "fitted", "condition": "x", "substitutes": {"rival": "other"}},
            'claim X1: the alternative "x" substitutes rival, of which no check is',
        ),
        (
            {"kind": "fitted", "condition": "x", "substitutes": {"sweep": "none"}},
            'there is no experiment "none"; known: other, rival, sweep',
        ),
        (
            {"kind": "fitted", "condition": "x", "substitutes": {"sweep": "other"}, "patched": 1},
            "alternatives[0].patched: Extra",
        ),
        (STRICT | {"at": {"path.rate": 1}}, 'alternatives[0].at: other does not sweep "path.rate"; did you mean'),
        (STRICT | {"kind": "cause"}, "alternatives[0].kind: Input should be 'explains', 'would need' or 'fitted'"),
    ],
    ids=lambda each: str(each)[:40],
)
def test_a_flip_that_is_wrong(flip: dict[str, Any], message: str) -> None:
    with pytest.raises(StudyError) as caught:
        claim(flip)
    assert message in str(caught.value)


def test_a_selection_has_what_alternatives_need_or_not() -> None:
    study = studies.load("claypool2019")
    assert set(studies.only(study, claims=["S9"]).experiments) == {"figure7", "strict"}
    without = studies.only(study, claims=["S9"], alternatives=False)
    assert (set(without.experiments), without.claims[0].alternatives) == ({"figure7"}, ())
    some = studies.only(study, experiments=["figure7"])
    assert [each.alternatives for each in some.claims] == [()] * len(some.claims)


def test_of_what_makes_a_claim_hold_the_best_kind_counts() -> None:
    alternatives = [STRICT | {"kind": kind} for kind in ("fitted", "explains", "would need")]
    verdict = verdict_on(claim(*alternatives), sweep=(trial(1, 0.1, 0.2),), other=(trial(1, 0.02, 0.01),))
    assert verdict.kind == "explains"
