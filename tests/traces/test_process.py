"""Lines that change in time: what each process is in the long run, and that a seed makes it again."""

from __future__ import annotations

import csv
import itertools
from pathlib import Path

import pytest

from commandline import ROOT, dumbbell
from dumbbell.spec.quantity import Time
from dumbbell.traces.process import PROCESSES, STARLINK_RECORDED, Moment, made, table

LONG_S = 1200.0


def mean(moments: list[Moment], of: int) -> float:
    """A column's mean over time."""
    ends = [each.time_s for each in moments[1:]] + [LONG_S]
    return sum((end - each.time_s) * each[of] for each, end in zip(moments, ends, strict=True)) / LONG_S


@pytest.mark.parametrize("name", PROCESSES)
def test_a_seed_makes_the_same_line_again_and_another_seed_another(name: str) -> None:
    once = made(name, 7, 60.0)
    assert once == made(name, 7, 60.0) != made(name, 8, 60.0)
    assert once[0].time_s == 0
    assert all(before.time_s < after.time_s < 60 for before, after in itertools.pairwise(once))
    assert all(before[1:] != after[1:] for before, after in itertools.pairwise(once)), "changes only"
    assert made(name, 7, 30.0) == [each for each in once if each.time_s < 30], "a longer one begins as a shorter one"


def test_an_lte_rate_is_anywhere_between_its_bounds() -> None:
    means = [mean(made("lte", seed, LONG_S), 1) for seed in range(1, 5)]
    assert sum(means) / 4 == pytest.approx(500 * 1500 * 8, rel=0.15), "reflected at both ends, all rates are alike"
    assert all(each.rate_bps % 600_000 == 0 for each in made("lte", 1, 60.0)), "whole packets in 20 ms"


def test_a_wifi_station_has_the_rates_of_the_standard() -> None:
    moments = made("wifi", 1, LONG_S)
    assert {each.rate_bps for each in moments} <= {
        0, *(round(0.9 * each) for each in (7.2e6, 14.4e6, 21.7e6, 28.9e6, 43.3e6, 57.8e6, 65e6, 72.2e6))
    }  # fmt: skip
    silent = mean([each._replace(rate_bps=int(not each.rate_bps)) for each in moments], 1)
    assert silent == pytest.approx(0.01, rel=0.3), "Rayleigh: 1 - exp(-1/100) of the time 20 dB below the mean"


def test_starlink_is_another_line_at_its_seconds_and_silent_before() -> None:
    moments = made("starlink", 3, 130.0)
    silences = [each for each in moments if not each.rate_bps]
    assert [each.time_s for each in silences] == [12.0, 27.0, 42.0, 57.0, 72.0, 87.0, 102.0, 117.0]
    known = {(rate_bps, delay_s) for rate_bps, delay_s, _ in STARLINK_RECORDED}
    assert {each[1:3] for each in moments if each.rate_bps} <= known
    lasting = [after.time_s - each.time_s for each, after in itertools.pairwise(moments) if not each.rate_bps]
    assert all(0.05 - 1e-9 <= each <= 0.12 + 1e-9 for each in lasting)


def test_its_intervals_are_those_of_the_recording() -> None:
    rows = [line for line in (ROOT / "examples" / "starlink_leocc.csv").read_text().splitlines() if line[:1] != "#"]
    times, rates, delays = zip(*[
        (float(row["time"]), int(row["rate"]), float(row["delay"])) for row in csv.DictReader(rows)
    ], strict=True)  # fmt: skip
    for nth, (rate_bps, _, _) in enumerate(STARLINK_RECORDED):
        begin_s, end_s = 9.69 + 15 * nth, 8.68 + 15 * (nth + 1)
        inside = [
            (min(after, end_s) - max(time, begin_s), rate)
            for time, after, rate in zip(times, times[1:], rates, strict=False)
            if after > begin_s and time < end_s
        ]
        assert sum(length * rate for length, rate in inside) / (end_s - begin_s) == pytest.approx(rate_bps, rel=0.01)
    assert min(delays) == pytest.approx(0.007)


def test_a_file_says_what_made_it(tmp_path: Path) -> None:
    out = tmp_path / "a.csv"
    done = dumbbell("trace", "make", "starlink", "--seed", "3", "--for", "30 s", "--out", out)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    text = out.read_text(encoding="utf-8")
    assert text == table("starlink", 3, Time("30 s"))
    assert text.startswith('# dumbbell trace make starlink --seed 3 --for "30 s"\n# ')
    assert "\ntime,rate,delay,loss\n0," in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["dsl"], 'PROCESS: unknown "dsl"; known: lte, wifi, starlink'),
        (["lte", "--for", "60"], '--for: "60" has no unit'),
    ],
)
def test_what_cannot_be_made_is_refused(arguments: list[str], message: str, tmp_path: Path) -> None:
    done = dumbbell("trace", "make", *arguments, "--out", tmp_path / "a.csv")
    assert done.returncode == 2
    assert done.stderr.startswith(message)
