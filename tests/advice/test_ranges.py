"""Ranges: which paths they ask about, and every mistake at once."""

from __future__ import annotations

import pytest

from dumbbell.advice.question import Question
from dumbbell.advice.ranges import is_range, questions
from dumbbell.cc import known
from dumbbell.problem import SpecError

RATES, RTTS = "10mbit..1gbit", "5ms..200ms"


def questions_of(neighbours: str | None = None, **options: str) -> list[Question]:
    return questions(
        {"beside": neighbours, **{name.replace("_", "-"): text for name, text in options.items()}}, known()
    )


def test_a_range_of_rates_is_five_paths_in_equal_ratios() -> None:
    queries = questions_of(rate=RATES, rtt="40 ms")
    assert [each.rate_bps / 1e6 for each in queries] == pytest.approx([10, 31.6, 100, 316, 1000])
    assert {each.rtt_ns for each in queries} == {40_000_000}
    assert len(queries[0].buffers_bytes) == 6, "0.1 BDP of 50 kB holds no four packets"
    assert len(queries[1].buffers_bytes) == 7


def test_two_ranges_are_sixteen_paths_with_few_queues() -> None:
    queries = questions_of(rate=RATES, rtt=RTTS)
    assert len({(each.rate_bps, each.rtt_ns) for each in queries}) == 16
    assert [round(queries[-1].buffer_bdp(each), 2) for each in queries[-1].buffers_bytes] == [0.1, 0.35, 1, 5]
    assert {each.buffers_bytes for each in questions_of(rate=RATES, rtt=RTTS, buffer="100kB")} == {(100_000,)}


def test_only_dots_make_a_range() -> None:
    assert is_range({"rate": RATES})
    assert is_range({"rtt": "5ms..", "rate": "1mbit"})
    assert not is_range({"rate": "10mbit", "rtt": None})


@pytest.mark.parametrize(
    ("options", "messages"),
    [
        ({"rate": "1gbit..10mbit", "rtt": "5ms"}, ['--rate: "1gbit..10mbit" is upside down; write it as 10mbit']),
        ({"rate": "10..1gbit", "rtt": "5ms"}, ['--rate: "10..1gbit": "10" has no unit']),
        ({"rate": "10..100", "rtt": "5ms"}, ['--rate: "10..100": "10" has no unit', '--rate: "10..100": "100" has no']),
        ({"rate": "10mbit..", "rtt": "5ms"}, ['--rate: "10mbit.." has not two ends; write it as 10mbit..1gbit']),
        ({"rate": "1mbit..2mbit..3mbit", "rtt": "5ms"}, ['--rate: "1mbit..2mbit..3mbit" has not two ends']),
        ({"rate": "9mbit..9mbit", "rtt": "5ms"}, ['--rate: "9mbit..9mbit" ends where it begins']),
        ({"rate": "0mbit..9mbit", "rtt": "5ms"}, ['--rate: "0mbit..9mbit" begins too low; begin it at 1 Mbit/s']),
        ({"rate": "9mbit", "rtt": "10us..5ms"}, ['--rtt: "10us..5ms" begins too low; begin it at 1 ms']),
        ({"rate": RATES}, ["--rtt: is missing"]),
        ({"rate": RATES, "rtt": "40ms", "loaded_rtt": "90ms"}, ["--loaded-rtt: needs one path, and a range has many"]),
        ({"rate": "1kbit..2kbit", "rtt": "1ms"}, ["--rate and --rtt: no queue of 5 BDP holds a few packets"]),
    ],
    ids=lambda each: " ".join(each.values()) if isinstance(each, dict) else "",
)  # fmt: skip
def test_what_cannot_be(options: dict[str, str], messages: list[str]) -> None:
    with pytest.raises(SpecError) as caught:
        questions_of(**options)
    texts = [str(each) for each in caught.value.problems]
    assert len(texts) == len(messages)
    assert all(each.startswith(message) for each, message in zip(texts, messages, strict=True))


def test_all_mistakes_are_told_at_once() -> None:
    with pytest.raises(SpecError) as caught:
        questions_of(rate="9mbit..1mbit", rtt="5..", loaded_rtt="x", neighbours="cubi:2", **{"for": "x"})
    assert [each.path for each in caught.value.problems] == ["--loaded-rtt", "--rate", "--rtt", "--for", "--beside"]
