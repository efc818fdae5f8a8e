from __future__ import annotations

import pytest

from dumbbell.metrics.number import amount, percent, places, trimmed


@pytest.mark.parametrize("exponent", range(-8, 7))
@pytest.mark.parametrize("mantissa", [1.0, 1.005, 2.34567, 9.994, 9.996])
def test_every_size_has_three_significant_digits_and_no_exponent(exponent: int, mantissa: float) -> None:
    value = mantissa * 10.0**exponent
    text = amount(value)
    assert "e" not in text
    assert len(text.replace(".", "").lstrip("0")) == max(3, len(f"{round(value)}"))
    assert float(text) == pytest.approx(value, rel=0.005)
    assert amount(-value) == f"-{text}"


def test_what_is_too_small_for_an_engine_is_0() -> None:
    assert [amount(value) for value in (0.0, -0.0, 1e-16, -1e-16)] == ["0"] * 4


def test_a_share_is_in_percent_with_its_interval() -> None:
    assert [percent(share) for share in (0.1234, 0.0000421, 0.0, 1.0)] == ["12.3 %", "0.00421 %", "0 %", "100 %"]
    assert (percent(0.5, 0.02), percent(-0.5, signed=True)) == ("50.0 ± 2.0 %", "-50.0 %")
    assert amount(0.0123, scale=1e3, unit=" ms") == "12.3 ms"


def test_what_does_not_exist_is_a_dash() -> None:
    assert {amount(None), amount(float("nan")), amount(float("inf")), percent(None), trimmed(None)} == {"-"}


def test_a_mean_and_its_interval_end_at_the_same_place() -> None:
    assert amount(0.0021, 0.0002) == "0.00210 ± 0.00020"
    assert amount(3e-7, 1e-7) == "0.000000300 ± 0.000000100"
    assert amount(0.0, 2.5) == "0.00 ± 2.50"
    assert amount(7.0, float("nan")) == amount(7.0, 0.0) == "7.00"


def test_a_sign_is_that_of_the_text() -> None:
    assert [amount(value, 0.5, signed=True) for value in (1.0, -1.0, 1e-4, -1e-4)] == [
        "+1.00 ± 0.50", "-1.00 ± 0.50", "0.000 ± 0.500", "0.000 ± 0.500",
    ]  # fmt: skip


def test_a_rounded_value_does_not_get_a_fourth_digit() -> None:
    assert (amount(99.95), amount(9.996), places(999.6)) == ("100", "10.0", 0)
