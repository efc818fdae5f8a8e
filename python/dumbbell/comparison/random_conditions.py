"""Conditions at random: ordinary experiments, each given by a seed and its number alone.

Every property comes from a hash of its own (SHA-256 over seed, number and the property's name), so that condition 12 is
the same however many are drawn, on every machine and with every release of every library.

| property | distribution |
|---|---|
| rate | log-uniform, 5 to 1000 Mbit/s, less where `most_packets` would be exceeded |
| base RTT | log-uniform, 5 to 200 ms |
| buffer | log-uniform, 0.1 to 10 BDP, at least 6 packets, at most 50 MB |
| random loss | none in half of the conditions, else log-uniform, 0.001 to 2 % |
| flows | log-uniform, 1 to 8; from two on, two thirds of the conditions mix two or three algorithms |
| algorithm | Reno, CUBIC and BBR a quarter each, BBR's four variants the last quarter |
| starts | half together; half with groups over a tenth of the duration, and flows up to 1/60 of it apart |

Every flow has a start jitter of 100 ms. The window is the second half: the last flow has started after 22 % of the run,
and what is compared is the sharing, not the start.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from itertools import accumulate
from typing import Any, Final

from dumbbell.errors import ComparisonError
from dumbbell.spec import Experiment, Run, expand, resolve
from dumbbell.spec.quantity import QuantityError, Time
from dumbbell.spec.run import FRAME_BYTES
from dumbbell.units import NS_PER_S

RATE_MBPS: Final = (5.0, 1000.0)
RTT_MS: Final = (5.0, 200.0)
BUFFER_BDP: Final = (0.1, 10.0)
"""A full packet on the bottleneck: MTU 1500 and the Ethernet header."""
FEWEST_PACKETS: Final = 6
LARGEST_BUFFER_BYTES: Final = 50_000_000
LOSS_PERCENT: Final = (0.001, 2.0)
LOSSLESS: Final = 0.5
MOST_FLOWS: Final = 8
MIXED: Final = 2 / 3
"""Of the conditions with two flows or more."""
THREE_ALGORITHMS: Final = 1 / 4
"""Of the mixed conditions with three flows or more."""
STAGGERED: Final = 0.5
LAST_GROUP: Final = 0.1
"""Share of the duration within which groups start."""
LONGEST_STAGGER: Final = 1 / 60
"""Share of the duration between two flows of a group, at most."""
WEIGHTS: Final = {"reno": 4, "cubic": 4, "bbr": 4, "bbr_4_17": 1, "bbr_1_1": 1, "bbr_1_5": 1, "bbr_shallow": 1}
USUAL_DURATION: Final = "60 s"
MOST_PACKETS: Final = 5_000_000
"""Of one run: what 1 Gbit/s carries in 60 s, which is 20 s and more of a kernel's time."""


def conditions(
    count: int, seed: int, *, duration: str = USUAL_DURATION, most_packets: int = MOST_PACKETS
) -> Iterator[Experiment]:
    """Conditions 1 to `count` of a seed.

    Raises:
        ComparisonError: `duration` is none, or no rate is low enough for `most_packets`.
    """
    return (condition(number, seed, duration=duration, most_packets=most_packets) for number in range(1, count + 1))


def condition(
    number: int, seed: int, *, duration: str = USUAL_DURATION, most_packets: int = MOST_PACKETS
) -> Experiment:
    """One condition; its name has the seed and its number."""
    chance = _Chance(seed, number)
    seconds = _seconds(duration)
    highest = min(RATE_MBPS[1], most_packets * FRAME_BYTES * 8 / seconds / 1e6)
    if highest < RATE_MBPS[0]:
        raise ComparisonError(f"{RATE_MBPS[0]:g} Mbit/s for {duration} are more than {most_packets:,} packets")
    rate_mbps = _digits(chance.log_uniform("rate", RATE_MBPS[0], highest))
    rtt_ms = _digits(chance.log_uniform("rtt", *RTT_MS))
    path = {"rate": f"{rate_mbps:g} Mbit/s", "rtt": f"{rtt_ms:g} ms", "buffer": _buffer(chance, rate_mbps, rtt_ms)}
    if chance.share("lossless") >= LOSSLESS:
        path["loss"] = f"{_digits(chance.log_uniform('loss', *LOSS_PERCENT)):g} %"
    words: dict[str, Any] = {
        "name": f"random-{seed}-{number}",
        "duration": duration,
        "start_jitter": "100 ms",
        "path": path,
        "flows": list(_flows(chance, seconds)),
        "measure": {"window": ["50 %", "100 %"]},
    }
    return Experiment(**words)


def packets(experiment: Experiment) -> float:
    """Full packets that the bottleneck carries with one seed at its highest rate, over all points."""
    return sum(_packets(resolve(point, experiment.seed_values[0]).run) for point in expand(experiment))


def _packets(run: Run) -> float:
    rate_bps = max((run.path.rate_bps, *(change.rate_bps for change in run.path.changes)))
    return rate_bps * run.duration_ns / NS_PER_S / 8 / run.path.frame_bytes


class _Chance:
    """The random numbers of one condition, by the name of what they are for."""

    def __init__(self, seed: int, number: int) -> None:
        self._key = f"dumbbell condition {seed} {number}"

    def share(self, what: str) -> float:
        """Uniform, at least 0 and below 1."""
        digest = hashlib.sha256(f"{self._key} {what}".encode()).digest()
        return (int.from_bytes(digest[:8], "big") >> 11) * 2.0**-53

    def log_uniform(self, what: str, least: float, most: float) -> float:
        """Every factor is as likely as any other."""
        return least * math.exp(self.share(what) * math.log(most / least))


def _buffer(chance: _Chance, rate_mbps: float, rtt_ms: float) -> str:
    bdp_bytes = rate_mbps * rtt_ms * 1e3 / 8
    least, most = FEWEST_PACKETS * FRAME_BYTES / bdp_bytes, LARGEST_BUFFER_BYTES / bdp_bytes
    share = _digits(chance.log_uniform("buffer", max(BUFFER_BDP[0], least), min(BUFFER_BDP[1], most)))
    if share < least:  # rounded below
        return f"{FEWEST_PACKETS} packets"
    return f"{LARGEST_BUFFER_BYTES // 10**6} MB" if share > most else f"{share:g} bdp"


def _flows(chance: _Chance, seconds: float) -> Iterator[dict[str, Any]]:
    count = math.floor(chance.log_uniform("flows", 1, MOST_FLOWS + 1))
    kinds = 1
    if count > 1 and chance.share("mixed") < MIXED:
        kinds = 3 if count > 2 and chance.share("three") < THREE_ALGORITHMS else 2  # noqa: PLR2004 (two of three)
    algorithms = _algorithms(chance, kinds)
    sizes = dict.fromkeys(algorithms, 1)
    for extra in range(count - kinds):
        sizes[algorithms[math.floor(chance.share(f"flow {extra}") * kinds)]] += 1
    staggered = chance.share("staggered") < STAGGERED
    for algorithm, size in sizes.items():
        table: dict[str, Any] = {"cc": algorithm}
        if size > 1:
            table["count"] = size
        if staggered:
            table["start"] = _tenths(chance.share(f"start of {algorithm}") * seconds * LAST_GROUP)
            if size > 1:
                table["stagger"] = _tenths(chance.share(f"stagger of {algorithm}") * seconds * LONGEST_STAGGER)
        yield table


def _algorithms(chance: _Chance, count: int) -> list[str]:
    """Different ones, each by its weight among those that are left."""
    left = dict(WEIGHTS)
    chosen: list[str] = []
    for turn in range(count):
        at = chance.share(f"algorithm {turn}") * sum(left.values())
        reached = zip(left, accumulate(left.values()), strict=True)
        chosen.append(next(name for name, weight in reached if at < weight))
        del left[chosen[-1]]
    return chosen


def _digits(value: float) -> float:
    return float(f"{value:.3g}")


def _tenths(seconds: float) -> str:
    return f"{math.floor(seconds * 10) / 10:g} s"


def _seconds(duration: str) -> float:
    try:
        seconds = Time(duration).ns / NS_PER_S
    except QuantityError as error:
        raise ComparisonError(f"duration: {error}") from None
    if seconds <= 0:
        raise ComparisonError(f"duration: {duration} is no time to measure anything in")
    return seconds
