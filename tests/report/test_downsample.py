from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dumbbell.charts.chart import Layer
from dumbbell.report.downsample import lowest_and_highest, method, thinned


def layer(*values: float) -> Layer:
    return Layer(label="a", style="bbr", x=tuple(float(n) for n in range(len(values))), y=values)


def test_what_is_short_enough_stays_as_it_is() -> None:
    whole = layer(1.0, 2.0, 3.0)
    assert thinned(whole, 3) is whole


def test_a_peak_of_one_sample_stays() -> None:
    values = [0.0] * 10_000
    values[4321], values[7777] = 9.0, -9.0
    found = thinned(layer(*values), 100)
    assert (max(found.y), min(found.y)) == (9.0, -9.0)
    assert found.x[found.y.index(9.0)] == 4321.0
    assert len(found.x) == len(found.y) <= 100


def test_the_ends_of_a_band_stay_together() -> None:
    band = Layer(
        label="a",
        style="bbr",
        kind="band",
        x=tuple(range(1000)),
        y=(),
        low=tuple(range(1000)),
        high=tuple(range(1, 1001)),
    )
    found = thinned(band, 50)
    assert len(found.x) <= 50
    assert all(high == low + 1 for low, high in zip(found.low, found.high, strict=True))
    assert found.y == ()


@given(st.lists(st.floats(allow_infinity=False), min_size=1, max_size=300), st.integers(4, 40))
def test_first_last_and_extremes_are_kept_in_order_and_no_more_than_asked(values: list[float], most: int) -> None:
    kept = lowest_and_highest(values, most).tolist()
    assert kept == sorted(set(kept))
    assert (kept[0], kept[-1]) == (0, len(values) - 1)
    assert len(kept) <= most
    numbers = [value for value in values if value == value]  # noqa: PLR0124 (NaN)
    if numbers:
        assert {min(numbers), max(numbers)} <= {values[index] for index in kept}


def test_the_method_is_told_with_its_numbers() -> None:
    assert "more than 1,500 samples" in method(1500)
    assert "each of 749 stretches" in method(1500)
