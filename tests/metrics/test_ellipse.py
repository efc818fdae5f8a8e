"""The ellipse of RFC 7928: of samples whose covariance is known."""

from __future__ import annotations

import numpy as np
import pytest

from dumbbell.metrics.ellipse import ellipse


def test_an_ellipse_is_the_contour_of_the_samples_covariance() -> None:
    chance = np.random.default_rng(1)
    x = 3 + 2 * chance.standard_normal(20_000)
    y = 5 + 0.5 * (x - 3) + chance.standard_normal(20_000)
    drawn = ellipse(x, y)
    assert drawn is not None
    assert drawn.median == pytest.approx((3, 5), abs=0.05)
    assert (drawn.x[0], drawn.x[-1]) == (pytest.approx(1, abs=0.05), pytest.approx(5, abs=0.05))
    inverse = np.linalg.inv(np.cov(x, y, bias=True))
    for outline in (drawn.low, drawn.high):
        away = np.stack([drawn.x - x.mean(), outline - y.mean()])
        assert np.einsum("ik,ij,jk->k", away, inverse, away) == pytest.approx(1)


def test_few_samples_or_such_on_a_line_have_a_median_only() -> None:
    assert ellipse([], []) is None
    for x, y in (([1.0], [2.0]), ([1.0, 2.0, 3.0], [2.0, 4.0, 6.0]), ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0])):
        drawn = ellipse(x, y)
        assert drawn is not None
        assert drawn.x.size == 0
