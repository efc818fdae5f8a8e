"""Processes of a line in time: rate, delay and loss, each with the measurement or the standard that it comes from.

A process is deterministic for its seed. It gives the moments at which something changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import exp, pi, sqrt
from random import Random
from statistics import NormalDist
from typing import Final, NamedTuple, TypeAlias

from dumbbell.spec.quantity import Time
from dumbbell.units import BITS_PER_BYTE, NS_PER_S

PACKET_BYTES: Final = 1500


class Moment(NamedTuple):
    """What the line is from a time on."""

    time_s: float
    rate_bps: int
    delay_s: float = 0.0
    """One way, in addition to the path's."""
    loss: float = 0.0
    """The share of packets that is lost at random."""


Moments: TypeAlias = "Iterator[Moment]"


@dataclass(frozen=True, slots=True)
class LineProcess:
    """A way in which a line changes."""

    about: str
    """What it does, and where its constants come from: sentences."""
    moments: Callable[[Random], Moments]
    """Without an end, in order of time."""


LTE_TICK_S: Final = 0.02
LTE_MOST: Final = 1000.0
"""Packets a second."""
LTE_SCATTER: Final = 200.0
"""Of the rate's random walk, in packets a second for each root of a second."""


def _lte(chance: Random) -> Moments:
    rate, tick = LTE_MOST * chance.random(), 0
    while True:
        rate = abs(rate + LTE_SCATTER * sqrt(LTE_TICK_S) * _normal(chance))
        rate = min(rate, 2 * LTE_MOST - rate)
        packets = _poisson(rate * LTE_TICK_S, chance)
        yield Moment(tick * LTE_TICK_S, round(packets * PACKET_BYTES * BITS_PER_BYTE / LTE_TICK_S))
        tick += 1


WIFI_TICK_S: Final = 0.01
WIFI_DOPPLER_HZ: Final = 17.3
"""Of somebody who walks at 1 m/s, at 5.2 GHz: v f / c."""
WIFI_SNR_DB: Final = 20.0
"""Mean power over the sensitivity of the slowest rate: 2 dB more than the fastest one asks for."""
WIFI_USED: Final = 0.9
"""Of a rate, beyond which are backoff, preambles, block ACKs and MAC headers, with aggregates of 4 ms."""
WIFI_RATES: Final = (
    (0.0, 7.2e6), (3.0, 14.4e6), (5.0, 21.7e6), (8.0, 28.9e6), (12.0, 43.3e6), (16.0, 57.8e6), (17.0, 65.0e6),
    (18.0, 72.2e6),
)  # fmt: skip
"""How many dB each asks for beyond the slowest one, and its bits a second."""


def _wifi(chance: Random) -> Moments:
    alike = _bessel(2 * pi * WIFI_DOPPLER_HZ * WIFI_TICK_S)
    real, imaginary, tick = _normal(chance), _normal(chance), 0
    while True:
        power = 10 ** (WIFI_SNR_DB / 10) * (real * real + imaginary * imaginary) / 2
        rate_bps = max((rate for least_db, rate in WIFI_RATES if power >= 10 ** (least_db / 10)), default=0.0)
        yield Moment(tick * WIFI_TICK_S, round(WIFI_USED * rate_bps))
        real, imaginary = (alike * part + sqrt(1 - alike**2) * _normal(chance) for part in (real, imaginary))
        tick += 1


STARLINK_EVERY_S: Final = 15.0
STARLINK_FIRST_S: Final = 12.0
"""Of a minute."""
STARLINK_RECORDED: Final = (
    (58_400_000, 0.0014, 0.05), (37_800_000, 0.0024, 0.06), (43_500_000, 0.0010, 0.07), (49_800_000, 0.0019, 0.05),
    (47_500_000, 0.0000, 0.08), (44_900_000, 0.0005, 0.12), (49_700_000, 0.0005, 0.05),
)  # fmt: skip
"""Rate, delay above the least one, and the silence before them, of each interval of the recording."""


def _starlink(chance: Random) -> Moments:
    begin_s = 0.0
    while True:
        rate_bps, delay_s, silence_s = STARLINK_RECORDED[int(chance.random() * len(STARLINK_RECORDED))]
        if begin_s:
            yield Moment(begin_s, 0, delay_s)
        yield Moment(begin_s + (silence_s if begin_s else 0.0), rate_bps, delay_s)
        begin_s = begin_s + STARLINK_EVERY_S if begin_s else STARLINK_FIRST_S


PROCESSES: Final[Mapping[str, LineProcess]] = {
    "lte": LineProcess(
        "The rate of a phone's downlink as Winstein, Sivaraman and Balakrishnan model it (Sprout, NSDI 2013, sec. 3):"
        " it walks at random, by 200 packets of 1500 bytes a second for each root of a second, between none and 1000 a"
        " second, and begins anywhere there; packets are those of a Poisson process of that rate, in 20-ms ticks. The"
        " constants are their code's. The bounds reflect it, so that all rates are alike in the long run, 6"
        " Mbit/s in the mean. Theirs stays at none until an outage of 1 s in the mean is over, which suits a forecast:"
        " left alone it would be none for more than half of the time.",
        _lte,
    ),
    "wifi": LineProcess(
        "One station of 802.11n that walks about, alone on its channel: Rayleigh fading, as a process of first order"
        " whose step of 10 ms has the correlation of Clarke's model, J0(2 pi fD t), with fD = 17.3 Hz for 1 m/s at"
        " 5.2 GHz; and the fastest of the eight rates of one stream in 20 MHz with a short guard interval whose"
        " sensitivity the power reaches (IEEE 802.11n-2009, receiver minimum sensitivity), less a tenth. The mean power"
        " is 20 dB over the slowest rate's sensitivity, a choice. Other stations are not part of it.",
        _wifi,
    ),
    "starlink": LineProcess(
        'At the seconds 12, 27, 42 and 57 of a minute (Tanveer et al., "Making sense of constellations", CoNEXT 2023)'
        " a silence, and behind it another rate and delay, drawn from the seven intervals of the recording in LeoCC"
        " (SIGCOMM 2025; examples/starlink_leocc.csv): means from a second after one silence to the next. Between two"
        " the line is constant, which the recorded one is not.",
        _starlink,
    ),
}
"""By the names that the command line takes."""


def made(name: str, seed: int, duration_s: float) -> list[Moment]:
    """The moments of a process before an end; one that changes nothing is left out.

    >>> made("starlink", 1, 30.0) == made("starlink", 1, 30.0)
    True
    """
    moments: list[Moment] = []
    for moment in PROCESSES[name].moments(Random(f"{name} {seed}")):  # noqa: S311 (no secret: a seed makes it again)
        if moment.time_s >= duration_s:
            return moments
        if not moments or moment[1:] != moments[-1][1:]:
            moments.append(moment)
    return moments


def table(name: str, seed: int, duration: Time) -> str:
    """The CSV table that `path.trace` takes: what made it, and then time, rate, delay and loss."""
    lines = [
        f'# dumbbell trace make {name} --seed {seed} --for "{duration}"', f"# {PROCESSES[name].about}",
        "# time in seconds, rate in bit/s, delay one way in seconds on top of that of the path, loss as a share",
        "time,rate,delay,loss",
    ]  # fmt: skip
    rows = (
        f"{each.time_s:.9g},{each.rate_bps},{each.delay_s:.9g},{each.loss:.9g}"
        for each in made(name, seed, duration.ns / NS_PER_S)
    )
    return "\n".join([*lines, *rows]) + "\n"


def _normal(chance: Random) -> float:
    """A standard normal number, the same on every platform."""
    return NormalDist().inv_cdf(max(chance.random(), 2.0**-53))


def _poisson(mean: float, chance: Random) -> int:
    """How many events there are, by products of uniform numbers (Knuth, The Art of Computer Programming, 3.4.1)."""
    least, product, events = exp(-mean), chance.random(), 0
    while product > least:
        product *= chance.random()
        events += 1
    return events


def _bessel(argument: float) -> float:
    """J0, by its series."""
    term = total = 1.0
    for nth in range(1, 40):
        term *= -((argument / 2) ** 2) / nth**2
        total += term
    return total
