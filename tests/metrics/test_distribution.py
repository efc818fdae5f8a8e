from __future__ import annotations

import numpy as np
import pytest

from dumbbell.metrics.distribution import cdf, quantiles, relative_iqr


def test_a_cdf_ends_at_1_and_has_each_sample_that_there_is() -> None:
    values, shares = cdf([0.08, 0.06, np.nan, 0.07])
    assert values == [0.06, 0.07, 0.08]
    assert shares == pytest.approx([1 / 3, 2 / 3, 1])
    assert cdf([]) == ([], [])


def test_a_long_cdf_keeps_both_ends_and_even_ranks() -> None:
    values, shares = cdf(np.arange(100_000.0), most=5)
    assert values == [0.0, 25000.0, 49999.0, 74999.0, 99999.0]
    assert shares == pytest.approx([1e-5, 0.25001, 0.5, 0.75, 1])


def test_quantiles_and_what_is_none() -> None:
    assert quantiles([1, 2, 3, 4, 5], [0.25, 0.5, 1]) == [2, 3, 5]
    assert quantiles([np.nan], [0.5]) is None
    assert relative_iqr([1, 2, 3, 4, 5]) == pytest.approx(2 / 3)
    assert relative_iqr([]) is None
    assert relative_iqr([0, 0, 0]) is None
