from __future__ import annotations

import pytest

from dumbbell.metrics.rise_time import plateau, rise_time_s

AT = [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5]
"""Zhang's 1-s series of a lossless CUBIC flow, Mbit/s, as far as the reference has it, and two more seconds of it."""
CUBIC = [31.0, 66.0, 81.0, 120.0, 177.0, 219.0, 224.0, 224.0]


def test_a_plateau_is_the_median_of_the_later_half() -> None:
    assert plateau(CUBIC) == (219 + 224) / 2
    assert plateau(CUBIC, after=0.75) == 224
    assert plateau([1.0, float("nan")]) is None
    assert plateau([]) is None


def test_the_time_to_nine_tenths_counts_from_the_start() -> None:
    """90 % of 224 are 201.6, which it has in its sixth second."""
    assert rise_time_s(AT, CUBIC, 0, level=224) == 5.5
    assert rise_time_s(AT, CUBIC, 0.5, level=224) == 5.0
    assert rise_time_s(AT, CUBIC, 0, level=224, share=0.5) == 3.5
    assert rise_time_s(AT, CUBIC, 0) == 5.5
    assert rise_time_s(AT, CUBIC, 0, level=300) is None
    assert rise_time_s([], [], 0) is None


def test_what_was_before_the_start_does_not_count() -> None:
    assert rise_time_s([0, 1, 2, 3], [10.0, 0.0, 10.0, 10.0], 0.5) == pytest.approx(1.5)
