from __future__ import annotations

import pytest

from dumbbell.metrics.statistics import Estimate, estimate, t_quantile


@pytest.mark.parametrize(
    ("degrees", "t"),
    [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (5, 2.571), (9, 2.262), (10, 2.228), (30, 2.042), (100, 1.984)],
)
def test_the_table_of_every_textbook(degrees: int, t: float) -> None:
    assert t_quantile(degrees) == pytest.approx(t, abs=5e-4)


def test_another_confidence() -> None:
    assert t_quantile(7, 0.99) == pytest.approx(3.499, abs=5e-4)


def test_the_interval_of_three_seeds() -> None:
    found = estimate([10, 11, 12])
    assert (found.mean, found.n) == (11, 3)
    assert found.half_width == pytest.approx(4.3027 / 3**0.5, abs=1e-3)


@pytest.mark.parametrize("values", [[0.5], [0.0, 0.0, 0.0]])
def test_values_that_do_not_vary_have_no_interval(values: list[float]) -> None:
    assert estimate(values) == Estimate(values[0], None, 1)


def test_there_is_no_mean_of_nothing() -> None:
    with pytest.raises(ValueError, match="at least one"):
        estimate([])
