from __future__ import annotations

import pickle
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from dumbbell.spec.quantity import (
    Bytes,
    Quantity,
    QuantityError,
    Rate,
    Share,
    Size,
    Time,
)

Kind = type[Quantity]


class Moment(Quantity):
    """Of kinds that only the core reads this and the next two."""


class Duration(Quantity):
    pass


class SocketMemory(Quantity):
    pass


KINDS = [Rate, Time, Share, Bytes, Size, Moment]
GOOD: dict[Kind, dict[str, int]] = {
    Rate: {
        "80 Mbit/s": 80_000_000, "80Mbit/s": 80_000_000, "  80   Mbit/s ": 80_000_000, "80mbit/s": 80_000_000,
        "100mbit": 10**8, "100 MBIT": 10**8, "1 Gbit": 10**9, "1.5 gbit": 1_500_000_000, "2916.8 kbit/s": 2_916_800,
        "9600 bit/s": 9600, "0.1 Gbit/s": 10**8, ".5 kbit": 500, "1e3 kbit/s": 1_000_000, "0 bit/s": 0,
    },
    Time: {
        "25 ms": 25_000_000, "25ms": 25_000_000, "0 s": 0, "1 ns": 1, "1.5 us": 1500, "0.1 s": 10**8,
        "2 min": 120 * 10**9, "0.30000000000000004 s": 300_000_000, "1.5 ns": 2, "2.5 ns": 2,
    },
    Bytes: {
        "100 MB": 10**8, "100MB": 10**8, "1514 B": 1514, "5 kB": 5000, "3.145 MB": 3_145_000, "1 GB": 10**9,
        "64 KiB": 65_536, "1.5 MiB": 1_572_864, "1 GiB": 2**30,
    },
    Share: {"0.01 %": 100_000, "0%": 0, "100 %": 10**9, "0.0000001 %": 1},
}  # fmt: skip
BAD: dict[Kind, list[object]] = {
    Rate: [
        "80 mbps", "80 Mbps", "80mbps", "80 Mb/s", "80 mb/s", "80 Mb", "80 bps", "80 Mbits/s", "80 MB/s", "80 kB/s",
        "80 MiB/s", "80 MB", 5, "-5", 2_500_000, 0.5, "-5 Mbit/s", "1e9999999 MB/s", "1e-9999999 MiB/s", "0e9999999 MB",
    ],
    Time: [
        "0.5 ns", "3 sec", "3 m", "3 µs", "3 hours", "3 MS", "7", "- 1 s", "-1 s", "-5 ms", "-0.1 s", "-1e-30 s",
        "1e-999999999 s",
    ],
    Share: ["1"],
    Bytes: [
        "5 kb", "5 Kb", "5 KB", "5 K", "5 mb", "5 Mb", "5 M", "5 gb", "8 Mbit", "12 kbit", "8 b", 16, "1e9999999 kbit",
    ],
    Size: ["5 kb", "5 Kb", "5 KB", "5 K", "5 mb", "5 Mb", "5 M", "5 gb", "3 pakets", "2.5 packets", 100, 1.5],
    Moment: ["50"],
    Duration: [60],
    SocketMemory: [4, 4096, "min"],
}  # fmt: skip
NO_QUANTITY: list[object] = [
    "80", "", " ", "nan", "inf", "-inf s", "NaN %", "abc", "1,5 s", "1_000 B", "0x10 B", "1 2 s", "1" * 10_000 + " s",
    80, 0, 2.5, float("nan"), float("inf"), True, None, [], {}, b"1 s", 10**5000,
]  # fmt: skip


def refusal(kind: Kind, text: object) -> QuantityError:
    with pytest.raises(QuantityError) as caught:
        kind(text)
    return caught.value


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in GOOD.items() for text in texts])
def test_reads_and_rounds_half_to_even(kind: Kind, text: str) -> None:
    assert kind(text).value == GOOD[kind][text]
    assert kind is not Bytes or Size(text).bytes == GOOD[kind][text]


@pytest.mark.parametrize(
    ("text", "unit", "number"),
    [
        ("0.3bdp", "bdp", Fraction(3, 10)),
        ("8 BDP", "bdp", Fraction(8)),
        ("100 packets", "packets", Fraction(100)),
        ("1 packet", "packets", Fraction(1)),
    ],
)
def test_reads_room_in_packets_and_bdp(text: str, unit: str, number: Fraction) -> None:
    assert (Size(text).unit, Size(text).number) == (unit, number)


@pytest.mark.parametrize("kind", BAD)
def test_says_what_is_wrong_and_what_would_be_right(kind: Kind, snapshot: SnapshotAssertion) -> None:
    refusals = [(text, refusal(kind, text)) for text in BAD[kind]]
    assert "\n".join(f"{text!r} -> {error.message}; {error.hint}" for text, error in refusals) == snapshot


@pytest.mark.parametrize("kind", KINDS)
def test_refuses_what_is_no_number_with_a_unit(kind: Kind) -> None:
    for each in NO_QUANTITY:
        hint = refusal(kind, each).hint
        assert hint.startswith("write") if not isinstance(each, str) else hint


@pytest.mark.parametrize("kind", [*KINDS, Duration])
@pytest.mark.parametrize("number", ["1", "7.5", "12", "40"])
def test_what_a_hint_proposes_is_read(kind: Kind, number: str) -> None:
    proposed = re.findall(r'"([^"]+)"', refusal(kind, number).hint)
    assert proposed
    for text in proposed:
        assert kind(text)
        assert number in text or text == "until done"


def test_a_huge_exponent_costs_nothing() -> None:
    assert Time("1e999999999 s").ns > 10**60


def test_keeps_the_text_as_written() -> None:
    rate = Rate(" 80mbit ")
    assert rate == " 80mbit "
    assert repr(rate) == "Rate(' 80mbit ')"
    copy = pickle.loads(pickle.dumps(rate))  # noqa: S301 (its own pickle)
    assert (copy, copy.bps, type(copy)) == (rate, 80_000_000, Rate)


@given(st.integers(0, 10**18), st.sampled_from([Rate, Time, Share, Bytes]))
def test_what_is_shown_reads_back(value: int, kind: Kind) -> None:
    assert kind(kind.show(value)).value == value


@given(
    st.decimals(0, 10**6, places=9, allow_nan=False, allow_infinity=False),
    st.sampled_from([(Rate, "Mbit/s"), (Time, "s"), (Bytes, "GB"), (Bytes, "MiB"), (Share, "%")]),
    st.sampled_from(["", " ", "  "]),
)
def test_arithmetic_is_exact(number: object, kind_and_unit: tuple[Kind, str], space: str) -> None:
    kind, unit = kind_and_unit
    exact = Fraction(str(number)) * kind.units[unit]
    text = f"{number:f}{space}{unit}"
    if exact and round(exact) == 0:
        refusal(kind, text)
    else:
        assert kind(text).value == round(exact)


@given(st.text(max_size=120))
def test_any_text_is_read_or_refused(text: str) -> None:
    for kind in KINDS:
        try:
            assert kind(text).value >= 0
        except QuantityError as error:
            assert all([error.message, error.hint])  # noqa: PT017 (either outcome is right)
