"""Swept fields as numbers, whatever unit they were written in."""

from __future__ import annotations

import pytest

from dumbbell.errors import StudyError
from dumbbell.studies.sweep import number, swept
from observed import observed


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        ("0.25 bdp", "bdp", 0.25),
        ("52 packets", "packets", 52),
        ("100 KiB", "kB", 102.4),
        ("10 MB", "kB", 10_000),
        ("1 gbit", "Mbit/s", 1000),
        ("0.2 s", "ms", 200),
        ("0.005 %", "%", 0.005),
        (4, "", 4),
    ],
)
def test_a_value_in_a_unit(value: object, unit: str, expected: float) -> None:
    assert number(value, unit) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("value", "unit", "message"),
    [
        ("52 packets", "bdp", '"52 packets" is not in bdp'),
        ("100 kB", "packets", '"100 kB" is not in packets'),
        ("1 bdp", "furlongs", 'there is no unit "furlongs"'),
        ("25 ms", "Mbit/s", "25 ms"),
    ],
)
def test_a_value_that_is_not_in_the_unit(value: object, unit: str, message: str) -> None:
    with pytest.raises(StudyError) as caught:
        number(value, unit)
    assert message in str(caught.value)


@pytest.mark.parametrize(("size", "packets"), [("52 packets", 52), ("150.8 kB", 52)])
def test_a_queue_of_packets_may_be_written_in_bytes(size: str, packets: float) -> None:
    run = observed({"path.buffer": size}, {"bbr": [1]}, (0, 1))
    assert swept(run, "path.buffer", "packets", 2900) == packets


def test_what_is_not_swept() -> None:
    with pytest.raises(StudyError, match=r"path\.rate is not swept; swept: path\.buffer, path\.rtt"):
        swept(observed({"path.buffer": "1 bdp", "path.rtt": "1 ms"}, {"bbr": [1]}, (0, 1)), "path.rate", "Mbit/s")
