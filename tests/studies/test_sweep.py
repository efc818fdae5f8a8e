"""Swept fields as numbers, whatever unit they were written in."""

from __future__ import annotations

import pytest

from dumbbell.studies import StudyError
from dumbbell.studies.evidence import SeedSweep
from dumbbell.studies.sweep import Sweep, buffer_bdp, number
from observed import BDP_BYTES, observed

QUEUE = Sweep("path.buffer", "bdp")
SIZES = ("8 bdp", "0.5 bdp", "2 bdp")


def trial(sizes: tuple[str, ...] = SIZES, rtts: tuple[str, ...] = ("25 ms",)) -> SeedSweep:
    """The goodput is the size, and a hundredth of the RTT."""
    return SeedSweep(
        1,
        tuple(
            observed(
                {"path.buffer": size, "path.rtt": rtt},
                {"bbr": [number(size, "bdp") + number(rtt, "ms") / 100]},
                (0, 60),
            )
            for rtt in rtts
            for size in sizes
        ),
    )


def goodput(run: object) -> float | None:
    """In Mbit/s; as if the queue of 2 BDP had no such number."""
    group = run.result.groups["bbr"]  # type: ignore[attr-defined]
    return None if run.point["path.buffer"] == "2 bdp" else group.goodput_bps / 1e6  # type: ignore[attr-defined]


def along(found: tuple[list[float], list[float]], x: list[float], y: list[float]) -> None:
    assert found[0] == x
    assert found[1] == pytest.approx(y)


@pytest.mark.parametrize(
    ("value", "unit", "found"),
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
def test_a_value_in_a_unit(value: object, unit: str, found: float) -> None:
    assert number(value, unit) == pytest.approx(found)


@pytest.mark.parametrize(
    ("value", "unit", "told"),
    [
        ("52 packets", "bdp", '"52 packets" is not in bdp'),
        ("100 kB", "packets", '"100 kB" is not in packets'),
        ("1 bdp", "furlongs", 'there is no unit "furlongs"'),
        ("25 ms", "Mbit/s", "25 ms"),
    ],
)
def test_a_value_that_is_not_in_the_unit(value: object, unit: str, told: str) -> None:
    with pytest.raises(StudyError) as caught:
        number(value, unit)
    assert told in str(caught.value)


def test_a_queue_in_bdp_whatever_it_was_written_in() -> None:
    sizes = {"2 bdp": 2, "500 kB": 2, "100 packets": 151_400 / BDP_BYTES}
    for size, bdp in sizes.items():
        assert buffer_bdp(observed({"path.buffer": size}, {"bbr": [1]}, (0, 1))) == pytest.approx(bdp)
    units = observed({"path.buffer": "100 packets"}, {"bbr": [1]}, (0, 1))
    assert buffer_bdp(units, frame_bytes=2900) == pytest.approx(290_000 / BDP_BYTES)


def test_a_curve_is_in_the_order_of_size_without_what_is_not_known() -> None:
    along(QUEUE.along(trial(), goodput), [0.5, 8], [0.75, 8.25])
    along(QUEUE.along(trial(), goodput, least=1), [8], [8.25])
    along(QUEUE.along(trial(), goodput, most=1), [0.5], [0.75])
    both = trial(rtts=("25 ms", "100 ms"))
    along(QUEUE.along(both, goodput, where={"path.rtt": "100 ms"}), [0.5, 8], [1.5, 9])
    assert QUEUE.values([trial(), both]) == (0.5, 2, 8)
    assert QUEUE.numbers(["2 bdp", "0.25 bdp"]) == (2, 0.25)


def test_what_is_not_swept() -> None:
    with pytest.raises(StudyError, match=r"path\.rate is not swept; swept: path\.buffer, path\.rtt"):
        Sweep("path.rate", "Mbit/s").along(trial(), goodput)
