from __future__ import annotations

import pickle
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dumbbell.spec.quantity import Bytes, Moment, Quantity, QuantityError, Rate, Share, Size, Time
from dumbbell.spec.tables import Duration, SocketMemory


@pytest.mark.parametrize(
    ("text", "bps"),
    [
        ("80 Mbit/s", 80_000_000),
        ("80Mbit/s", 80_000_000),
        ("  80   Mbit/s ", 80_000_000),
        ("80mbit/s", 80_000_000),
        ("100mbit", 100_000_000),
        ("100 MBIT", 100_000_000),
        ("1 Gbit", 10**9),
        ("1.5 gbit", 1_500_000_000),
        ("2916.8 kbit/s", 2_916_800),
        ("9600 bit/s", 9600),
        ("0.1 Gbit/s", 100_000_000),
        (".5 kbit", 500),
        ("1e3 kbit/s", 1_000_000),
        ("0 bit/s", 0),
    ],
)
def test_reads_rates(text: str, bps: int) -> None:
    assert Rate(text).bps == bps


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("25 ms", 25_000_000),
        ("25ms", 25_000_000),
        ("0 s", 0),
        ("1 ns", 1),
        ("1.5 us", 1500),
        ("0.1 s", 100_000_000),
        ("2 min", 120 * 10**9),
        ("0.30000000000000004 s", 300_000_000),
        ("0.5 ns", 0),
        ("1.5 ns", 2),
        ("2.5 ns", 2),
    ],
)
def test_reads_times_and_rounds_half_to_even(text: str, ns: int) -> None:
    if ns:
        assert Time(text).ns == ns
    elif text == "0 s":
        assert Time(text).ns == 0
    else:
        with pytest.raises(QuantityError, match="less than can be told from nothing"):
            Time(text)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("100 MB", 100_000_000),
        ("100MB", 100_000_000),
        ("1514 B", 1514),
        ("5 kB", 5000),
        ("3.145 MB", 3_145_000),
        ("1 GB", 10**9),
        ("64 KiB", 65_536),
        ("1.5 MiB", 1_572_864),
        ("1 GiB", 2**30),
    ],
)
def test_reads_sizes(text: str, size: int) -> None:
    assert Bytes(text).bytes == size
    assert Size(text).bytes == size


@pytest.mark.parametrize(
    ("text", "unit", "number"),
    [
        ("0.3bdp", "bdp", Fraction(3, 10)),
        ("0.25 bdp", "bdp", Fraction(1, 4)),
        ("8 BDP", "bdp", Fraction(8)),
        ("100 packets", "packets", Fraction(100)),
        ("1 packet", "packets", Fraction(1)),
    ],
)
def test_reads_room_in_packets_and_bdp(text: str, unit: str, number: Fraction) -> None:
    assert (Size(text).unit, Size(text).number) == (unit, number)


@pytest.mark.parametrize(("text", "ppb"), [("0.01 %", 100_000), ("0%", 0), ("100 %", 10**9), ("0.0000001 %", 1)])
def test_reads_shares(text: str, ppb: int) -> None:
    assert Share(text).ppb == ppb


def test_moments_are_times_or_shares() -> None:
    assert Moment("20 s").ns(300 * 10**9) == 20 * 10**9
    assert Moment("50 %").ns(300 * 10**9) == 150 * 10**9
    assert Moment("33.3 %").ns(10) == 3


@pytest.mark.parametrize(
    "text", ["80 mbps", "80 Mbps", "80mbps", "80 Mb/s", "80 mb/s", "80 Mb", "80 bps", "80 Mbits/s"]
)
def test_refuses_rates_that_tools_disagree_about(text: str) -> None:
    with pytest.raises(QuantityError, match="ambiguous") as caught:
        Rate(text)
    assert "bit/s" in caught.value.hint


@pytest.mark.parametrize("text", ["80 MB/s", "80 kB/s", "80 MiB/s", "80 MB"])
def test_refuses_rates_in_bytes(text: str) -> None:
    with pytest.raises(QuantityError, match="in bytes"):
        Rate(text)


@pytest.mark.parametrize("text", ["5 kb", "5 Kb", "5 KB", "5 K", "5 mb", "5 Mb", "5 M", "5 gb"])
def test_refuses_sizes_that_tools_disagree_about(text: str) -> None:
    for kind in (Bytes, Size):
        with pytest.raises(QuantityError, match="ambiguous") as caught:
            kind(text)
        assert "iB" in caught.value.hint


@pytest.mark.parametrize("kind", [Rate, Time, Share, Bytes, Size, Moment])
@pytest.mark.parametrize(
    "text", ["80", "", " ", "nan", "inf", "-inf s", "NaN %", "abc", "1,5 s", "1_000 B", "0x10 B", "1 2 s"]
)
def test_refuses_what_is_no_number_with_a_unit(kind: type[Quantity], text: str) -> None:
    with pytest.raises(QuantityError) as caught:
        kind(text)
    assert caught.value.hint


@pytest.mark.parametrize("kind", [Rate, Time, Share, Bytes, Size, Moment])
@pytest.mark.parametrize(
    "value", [80, 0, 2.5, float("nan"), float("inf"), True, None, [], {}, b"1 s", pytest.param(10**5000, id="huge")]
)
def test_refuses_what_is_no_text(kind: type[Quantity], value: object) -> None:
    with pytest.raises(QuantityError) as caught:
        kind(value)
    assert caught.value.hint.startswith("write")


@pytest.mark.parametrize(
    ("kind", "text", "hint"),
    [
        (Rate, "80 mbps", 'write "80 Mbit/s"'),
        (Time, "3 sec", 'write "3 s"'),
        (Time, "3 m", 'write "3 min" or "3 ms"'),
        (Time, "3 µs", 'write "3 us"'),
        (Time, "3 hours", "known: ns, us, ms, s, min"),
        (Time, "3 MS", 'did you mean "ms"?'),
        (Bytes, "3 kb", 'write "3 kB" (decimal) or "3 KiB" (binary)'),
        (Size, "3 pakets", 'did you mean "packets"?'),
        (Size, "2.5 packets", 'write "2 packets"'),
        (Bytes, "8 Mbit", 'write bytes: "1 MB"'),
        (Bytes, "12 kbit", 'write bytes: "1.5 kB"'),
        (Bytes, "8 b", 'write bytes: "1 B"'),
        (Rate, "80 MB/s", 'write bits: "640 Mbit/s"'),
        (Rate, "80 MiB/s", 'write bits: "671.08864 Mbit/s"'),
        (Rate, 5, 'write it with a unit, as "5 Mbit/s"'),
        (Rate, "-5", 'write it with a unit, as "5 Mbit/s"'),
        (Rate, 2_500_000, 'write it with a unit, as "2500000 bit/s"'),
        (Rate, 0.5, 'write it with a unit, as "0.5 Mbit/s"'),
        (Rate, "-5 Mbit/s", 'write "5 Mbit/s"'),
        (Time, "7", 'write it with a unit, as "7 ms" or "7 s"'),
        (Time, "- 1 s", 'write it as "25 ms" or "5 s"'),
        (Time, "-1 s", 'write "1 s"'),
        (Share, "1", 'write it with a unit, as "1 %"'),
        (Bytes, 16, 'write it with a unit, as "16 kB"'),
        (Size, 100, 'write it with a unit, as "100 kB", "100 packets" or "100 bdp"'),
        (Size, 1.5, 'write it with a unit, as "1.5 kB" or "1.5 bdp"'),
        (Moment, "50", 'write it with a unit, as "50 s" or "50 %"'),
        (Duration, 60, 'write it with a unit, as "60 s" or "until done"'),
        (SocketMemory, 4, 'write it with a unit, as "4 MB", "max" or "default"'),
        (SocketMemory, 4096, 'write it with a unit, as "4096 B", "max" or "default"'),
        (SocketMemory, "min", 'write it as "16 MB", "max" or "default"'),
    ],
)
def test_says_what_would_be_right(kind: type[Quantity], text: object, hint: str) -> None:
    with pytest.raises(QuantityError) as caught:
        kind(text)
    assert caught.value.hint == hint


@pytest.mark.parametrize("kind", [Rate, Time, Share, Bytes, Size, Moment, Duration])
@pytest.mark.parametrize("number", ["1", "7.5", "12", "40"])
def test_what_a_hint_proposes_is_read(kind: type[Quantity], number: str) -> None:
    with pytest.raises(QuantityError) as caught:
        kind(number)
    proposed = re.findall(r'"([^"]+)"', caught.value.hint)
    assert proposed
    for text in proposed:
        assert kind(text)
        assert number in text or text == "until done"


@pytest.mark.parametrize("text", ["-5 ms", "-0.1 s", "-1e-30 s"])
def test_refuses_negative_quantities(text: str) -> None:
    with pytest.raises(QuantityError, match="negative"):
        Time(text)


def test_huge_exponents_cost_nothing() -> None:
    assert Time("1e999999999 s").ns > 10**60
    with pytest.raises(QuantityError):
        Time("1e-999999999 s")
    with pytest.raises(QuantityError):
        Time("1" * 10_000 + " s")


def test_keeps_the_text_as_written() -> None:
    rate = Rate(" 80mbit ")
    assert rate == " 80mbit "
    assert repr(rate) == "Rate(' 80mbit ')"
    copy = pickle.loads(pickle.dumps(rate))  # noqa: S301 (its own pickle)
    assert (copy, copy.bps, type(copy)) == (rate, 80_000_000, Rate)


@given(st.integers(0, 10**18), st.sampled_from([Rate, Time, Share, Bytes]))
def test_what_is_shown_reads_back(value: int, kind: type[Quantity]) -> None:
    assert kind(kind.show(value)).value == value


@given(
    st.decimals(0, 10**6, places=9, allow_nan=False, allow_infinity=False),
    st.sampled_from([(Rate, "Mbit/s"), (Time, "s"), (Bytes, "GB"), (Bytes, "MiB"), (Share, "%")]),
    st.sampled_from(["", " ", "  "]),
)
def test_arithmetic_is_exact(number: object, kind_and_unit: tuple[type[Quantity], str], space: str) -> None:
    kind, unit = kind_and_unit
    exact = Fraction(str(number)) * kind.units[unit]
    text = f"{number:f}{space}{unit}"
    if exact and round(exact) == 0:
        with pytest.raises(QuantityError):
            kind(text)
    else:
        assert kind(text).value == round(exact)


@given(st.text(max_size=120))
def test_any_text_is_read_or_refused(text: str) -> None:
    for kind in (Rate, Time, Share, Bytes, Size, Moment):
        try:
            assert kind(text).value >= 0
        except QuantityError as error:
            assert all([error.message, error.hint])  # noqa: PT017 (either outcome is right)
