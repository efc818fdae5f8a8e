"""What is right on most of a mix, and on which side of one number something else is."""

from __future__ import annotations

import pytest

from dumbbell.advice.ruling import Ruling, Threshold, Vote, ruling

BOTH = ("bbr", "cubic")
EVEN = {"bbr": 0.0, "cubic": 0.0}


def vote(right: str, weight: float = 1.0, rate: float = 10.0, rtt: float = 40.0) -> Vote:
    """`right` is a letter each: b, c, or bc where either is; nothing where it is open."""
    names = {"b": "bbr", "c": "cubic", "r": "reno"}
    return Vote(weight, rate, rtt, frozenset(names[each] for each in right))


def of(*votes: Vote, usual: str = "cubic", regret: dict[str, float] | None = None) -> Ruling:
    return ruling(votes, BOTH, usual, regret or EVEN)


@pytest.mark.parametrize(
    ("rights", "usual", "candidate"),
    [
        (["b", "b", "c"], "cubic", "bbr"), (["bc", "bc", "c"], "bbr", "cubic"), (["bc", "bc"], "bbr", "bbr"),
        (["bc", "bc"], "cubic", "cubic"), (["b", "b", "", "c"], "cubic", "bbr"),
    ],
)  # fmt: skip
def test_what_is_right_on_two_thirds_is_the_one(rights: list[str], usual: str, candidate: str) -> None:
    result = of(*map(vote, rights), usual=usual, regret={"bbr": 0.1, "cubic": 0.1} | {candidate: 0.0})
    assert (result.kind, result.candidate) == ("one", candidate)


def test_a_little_more_in_the_mean_is_no_reason_to_change() -> None:
    votes = [vote("bc", 9), vote("b", 1)]
    assert of(*votes, regret={"bbr": 0.0, "cubic": 0.019}).candidate == "cubic"
    assert of(*votes, regret={"bbr": 0.0, "cubic": 0.021}).candidate == "bbr"


def test_an_open_majority_decides_nothing() -> None:
    assert of(vote("", 6), vote("b", 4)).kind == "undecided"
    assert of(vote("", 5), vote("b", 5)).candidate == "bbr"
    assert of().kind == "undecided"


def test_where_nothing_has_two_thirds_one_number_decides_if_there_is_one() -> None:
    by_rtt = [vote("c", rtt=20), vote("c", rtt=30, rate=90), vote("b", rtt=100, rate=90), vote("b", rtt=150)]
    below, above = of(*by_rtt).sides
    assert below == Threshold(quantity="rtt", above=False, at=50.0, candidate="cubic", share=0.5)
    assert above == Threshold(quantity="rtt", above=True, at=50.0, candidate="bbr", share=0.5)
    by_none = [vote(right, rate=rate) for rate in (1, 10, 100) for right in "bc"]
    assert (of(*by_none).kind, of(*by_none).sides) == ("each", ())


def test_exceptions_are_two_at_most_and_the_rest_is_counted() -> None:
    most = [vote("c", 10, rate=rate, rtt=40) for rate in (10, 20, 40)]
    slow, far, odd = vote("b", 2, rate=1), vote("b", 1.5, rate=20, rtt=200), vote("b", 0.5, rate=20, rtt=40)
    result = of(*most, slow, far, odd)
    assert [(each.quantity, each.above, each.candidate) for each in result.sides] == [
        ("rate", False, "bbr"), ("rtt", True, "bbr"),
    ]  # fmt: skip
    assert [each.share for each in result.sides] == pytest.approx([2 / 34, 1.5 / 34])
    assert result.wrong == pytest.approx(0.5 / 34)


def test_what_is_open_is_no_exception() -> None:
    result = of(vote("c", 8, rate=10), vote("", 2, rate=1))
    assert (result.sides, result.wrong, result.decided) == ((), 0.0, 0.8)


def test_a_number_lies_between_paths_as_it_is_written() -> None:
    for low, high in ((9.9, 10.1), (1.23, 1.24), (400, 401), (99, 1000)):
        side = of(vote("c", 8, rate=low), vote("b", 2, rate=high)).sides[0]
        assert low <= float(f"{side.at:.3g}") < high
