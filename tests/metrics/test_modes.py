from __future__ import annotations

import pytest

from dumbbell.metrics.modes import alternation, boundary, modes


def test_what_lies_between_two_kinds() -> None:
    assert boundary([25, 25, 25, 60, 61]) == 42.5
    assert boundary([25, 36, 25, 40, 26]) == 31
    assert boundary([25, 60]) == 42.5
    assert boundary([25, 25]) is None
    assert boundary([25]) is None
    assert boundary([]) is None


def test_one_value_that_stands_alone_does_not_hide_two_kinds() -> None:
    assert boundary([25] * 10 + [40] * 10 + [50]) == 32.5


def test_medians_of_both_sides() -> None:
    assert modes([25, 60, 31, 70, 26], 40) == (26, 65)
    assert modes([39.9, 40], 40) == (39.9, 40)
    assert modes([25], 40) == (25, None)
    assert modes([60], 40) == (None, 60)
    assert modes([], 40) == (None, None)


@pytest.mark.parametrize(
    ("sequences", "share"),
    [
        ([[25, 60, 25, 60]], 1),
        ([[25, 60], [60, 25]], 1),
        ([[25, 60, 61, 25]], 2 / 3),
        ([[25, 60, 25], [25, 26, 25]], 0.5),
        ([[60, 60, 60]], 0),
        ([[25], [60]], None),
        ([], None),
    ],
)
def test_how_often_the_side_changes(sequences: list[list[float]], share: float | None) -> None:
    assert alternation(sequences, 40) == (None if share is None else pytest.approx(share))
