"""Conditions at random, in named strata: ordinary experiments, each given by stratum, seed and number alone.

Every property comes from a hash of its own (SHA-256 over stratum, seed, number and the property's name), so that
condition 12 is the same however many are drawn, on every machine and with every release of every library. On the plain
path:

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
and what is compared is the sharing, not the start. `dumbbell.comparison.strata` says what is otherwise in each stratum.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any, Final

from dumbbell.comparison.strata import PLAIN, Drawn, Range, Stratum, strata
from dumbbell.errors import ComparisonError
from dumbbell.problem import quoted
from dumbbell.spec import Experiment, Run, expand, resolve
from dumbbell.spec.frame import FRAME_BYTES
from dumbbell.spec.quantity import QuantityError, Time
from dumbbell.units import NS_PER_S

FEWEST_PACKETS: Final = 6
"""Full packets on the bottleneck: MTU 1500 and the Ethernet header."""
LARGEST_BUFFER_BYTES: Final = 50_000_000
MIXED: Final = 2 / 3
"""Of the conditions with two flows or more."""
THREE_ALGORITHMS: Final = 1 / 4
"""Of the mixed conditions with three flows or more."""
LAST_GROUP: Final = 0.1
"""Share of the duration within which groups start."""
LONGEST_STAGGER: Final = 1 / 60
"""Share of the duration between two flows of a group, at most."""


def stratum_of(name: str) -> Stratum:
    """The stratum of that name.

    Raises:
        ComparisonError: there is none.
    """
    if name not in strata():
        raise ComparisonError(f"there is no stratum {quoted(name)}; known: {', '.join(strata())}")
    return strata()[name]


def conditions(
    count: int, seed: int, stratum: str = PLAIN, *, duration: str | None = None, most_packets: int | None = None
) -> Iterator[Experiment]:
    """Conditions 1 to `count` of a seed; duration and packets are the stratum's own by default.

    Raises:
        ComparisonError: `duration` is none, the stratum draws it, or no rate is low enough for `most_packets`.
    """
    return (
        condition(number, seed, stratum, duration=duration, most_packets=most_packets)
        for number in range(1, count + 1)
    )  # fmt: skip


def condition(
    number: int, seed: int, stratum: str = PLAIN, *, duration: str | None = None, most_packets: int | None = None
) -> Experiment:
    """One condition; its name has stratum, seed and number."""
    of = stratum_of(stratum)
    if duration is not None and "duration" in of.fields:
        raise ComparisonError(f"duration: stratum {quoted(stratum)} has its own; leave it out")
    # The plain path was there before there were strata, and keeps its conditions.
    key = f"{seed} {number}" if stratum == PLAIN else f"{stratum} {seed} {number}"
    chance = Chance(key)
    duration, most_packets = duration or of.duration, most_packets or of.most_packets
    seconds = _seconds(duration)
    highest = min(of.rate[1], most_packets * FRAME_BYTES * 8 / seconds / 1e6)
    if highest < of.rate[0]:
        raise ComparisonError(f"{of.rate[0]:g} Mbit/s for {duration} are more than {most_packets:,} packets")
    rate_mbps = _digits(chance.log_uniform("rate", of.rate[0], highest))
    rtt_ms = _digits(chance.log_uniform("rtt", *of.rtt))
    path: dict[str, Any] = {
        "rate": f"{rate_mbps:g} Mbit/s", "rtt": f"{rtt_ms:g} ms", "buffer": _buffer(chance, of, rate_mbps, rtt_ms),
    }  # fmt: skip
    if chance.share("lossless") >= of.lossless:
        path["loss"] = f"{_digits(chance.log_uniform('loss', *of.loss)):g} %"
    fields: dict[str, Any] = {
        "name": f"{'random' if stratum == PLAIN else stratum}-{seed}-{number}",
        "duration": duration,
        "start_jitter": of.start_jitter,
        "path": path,
        "flows": list(_flows(chance, of, seconds)) if not of.ways else list(_flows_of_ways(key, of, seconds)),
        "measure": {"window": list(of.window)} if of.window else {},
    }
    scales = {"rate": (rate_mbps, "Mbit/s"), "rtt": (rtt_ms, "ms"), None: (1.0, "")}
    if of.changes:
        path["change"] = list(_changes(chance, of, seconds, scales, highest))
    if of.hops:
        fields["hops"] = list(_hops(chance, of, path, scales))
        fields["path"] = {"rtt": path["rtt"]}
    if stratum != PLAIN:
        fields["measure"]["record"] = "summary"
    for field, drawn in of.fields.items():
        _set(fields, field, _drawn(chance, field, drawn, scales))
    for table in fields["flows"]:
        _set_drawn(table, chance, of.groups, scales, table.get("name") or table["cc"])
    for name, source in of.sources.items():
        fields["flows"].append({"name": name})
        _set_drawn(fields["flows"][-1], chance, source, scales, name)
    return Experiment(**_without_queue_of_policer(fields))


def _without_queue_of_policer(fields: dict[str, Any]) -> dict[str, Any]:
    path = fields["path"]
    if path.get("shaper") == "police":
        del path["buffer"]
    return fields


def packets(experiment: Experiment) -> float:
    """Full packets that the bottleneck carries with one seed at its highest rate, over all points."""
    return sum(packets_of(resolve(point, experiment.seed_values[0]).run) for point in expand(experiment))


def packets_of(run: Run) -> float:
    """Full packets that the bottleneck can carry at its highest rate."""
    rate_bps = max((run.path.rate_bps, *(rate_bps for _, rate_bps in run.path.rates_in_time)))
    return rate_bps * run.duration_ns / NS_PER_S / 8 / run.path.frame_bytes


class Chance:
    """The random numbers of one condition, by the name of what they are for."""

    def __init__(self, key: str) -> None:
        self._key = f"dumbbell condition {key}"

    def share(self, what: str) -> float:
        """Uniform, at least 0 and below 1."""
        digest = hashlib.sha256(f"{self._key} {what}".encode()).digest()
        return (int.from_bytes(digest[:8], "big") >> 11) * 2.0**-53

    def log_uniform(self, what: str, least: float, most: float) -> float:
        """Every factor is as likely as any other."""
        return least * math.exp(self.share(what) * math.log(most / least))

    def below(self, what: str, count: int) -> int:
        """Uniform among 0 to `count` - 1."""
        return math.floor(self.share(what) * count)


def _buffer(chance: Chance, of: Stratum, rate_mbps: float, rtt_ms: float, what: str = "buffer") -> str:
    bdp_bytes = rate_mbps * rtt_ms * 1e3 / 8
    least, most = FEWEST_PACKETS * FRAME_BYTES / bdp_bytes, LARGEST_BUFFER_BYTES / bdp_bytes
    share = _digits(chance.log_uniform(what, max(of.buffer[0], least), min(of.buffer[1], most)))
    if share < least:  # rounded below
        return f"{FEWEST_PACKETS} packets"
    return f"{LARGEST_BUFFER_BYTES // 10**6} MB" if share > most else f"{share:g} bdp"


def _changes(
    chance: Chance, of: Stratum, seconds: float, scales: Mapping[str | None, tuple[float, str]], highest_mbps: float
) -> Iterator[dict[str, str | bool | float]]:
    """Changes, each in its own part of the last nine tenths of the run; of those that last for a time also the end."""
    least, most = of.changes or (0, 0)
    count = least + chance.below("changes", most - least + 1)
    part = 0.9 * seconds / count
    for index in range(count):
        at_s = 0.1 * seconds + (index + 0.8 * chance.share(f"change {index}")) * part
        changed = {key: _drawn(chance, f"{key} {index}", drawn, scales) for key, drawn in of.change.items()}
        if isinstance(of.change.get("rate"), Range):
            rate_mbps = float(str(changed["rate"]).split()[0])
            changed["rate"] = f"{_digits(min(rate_mbps, highest_mbps)):g} Mbit/s"
        yield {"at": _tenths(at_s), **changed}
        if of.lasts:
            lasts_s = min(chance.log_uniform(f"lasts {index}", of.lasts.least, of.lasts.most), 0.15 * part)
            own = {"rate": scales["rate"], "rtt": scales["rtt"]}
            before = {key: f"{value:g} {unit}" for key, (value, unit) in own.items() if key in of.change}
            yield {"at": f"{math.floor(at_s * 10) / 10 + _digits(lasts_s):g} s", **before}


def _hops(
    chance: Chance, of: Stratum, path: Mapping[str, Any], scales: Mapping[str | None, tuple[float, str]]
) -> Iterator[dict[str, Any]]:
    """Links in a row: the bottleneck has what the path would have if it were the only one."""
    bottleneck = of.hops[chance.below("bottleneck", len(of.hops))]
    for name in of.hops:
        drawn = {key: _drawn(chance, f"{key} of {name}", drawn, scales) for key, drawn in of.hop.items()}
        if name == bottleneck:
            own = {key: value for key, value in path.items() if key != "rtt"}
        else:
            own = {"buffer": _buffer(chance, of, scales["rate"][0], scales["rtt"][0], f"buffer of {name}")}
        yield {"name": name, **drawn, **own}


def _flows_of_ways(key: str, of: Stratum, seconds: float) -> Iterator[dict[str, Any]]:
    """Flows of each way, drawn as if it were the only one; `key`: the condition's."""
    for way, fields in of.ways.items():
        for table in _flows(Chance(f"{key} {way}"), of, seconds):
            own = {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()}
            yield {**table, "name": f"{way}-{table.get('name', table['cc'])}", **own}


def _flows(chance: Chance, of: Stratum, seconds: float) -> Iterator[dict[str, Any]]:
    count = math.floor(chance.log_uniform("flows", of.flows[0], of.flows[1] + 1))
    kinds = 1
    if count > 1 and chance.share("mixed") < MIXED:
        kinds = 3 if count > 2 and chance.share("three") < THREE_ALGORITHMS else 2  # noqa: PLR2004 (two of three)
    algorithms = _algorithms(chance, of, kinds)
    sizes = dict.fromkeys(algorithms, 1)
    for extra in range(count - kinds):
        sizes[algorithms[chance.below(f"flow {extra}", kinds)]] += 1
    staggered = chance.share("staggered") < of.staggered
    for algorithm, size in sizes.items():
        table: dict[str, Any] = {"cc": algorithm}
        if size > 1:
            table["count"] = size
        if staggered:
            table["start"] = _tenths(chance.share(f"start of {algorithm}") * seconds * LAST_GROUP)
            if size > 1:
                stagger_s = chance.share(f"stagger of {algorithm}") * seconds * LONGEST_STAGGER
                table["stagger"] = _tenths(stagger_s * min(1.0, 7 / (size - 1)))  # the last one starts in time
        if of.apart and size > 1:
            del table["count"]
            table.pop("stagger", None)
            yield from ({**table, "name": f"{algorithm}-{index}"} for index in range(1, size + 1))
        else:
            yield table


def _drawn(
    chance: Chance,
    what: str,
    drawn: Drawn,
    scales: Mapping[str | None, tuple[float, str]],
) -> str | bool | float:
    if isinstance(drawn, tuple):
        return drawn[chance.below(what, len(drawn))]
    scale, unit = scales[drawn.of]
    value = _digits(scale * chance.log_uniform(what, drawn.least, drawn.most))
    return f"{math.floor(value) if drawn.unit == 'packets' else value:.10g} {drawn.unit or unit}"


def _set_drawn(
    table: dict[str, Any],
    chance: Chance,
    fields: Mapping[str, Drawn],
    scales: Mapping[str | None, tuple[float, str]],
    of: str,
) -> None:
    for field, drawn in fields.items():
        _set(table, field, _drawn(chance, f"{field} of {of}", drawn, scales))


def _set(table: dict[str, Any], path: str, value: str | bool | float) -> None:  # noqa: FBT001 (a field's value)
    *outer, last = path.split(".")
    for name in outer:
        table = table.setdefault(name, {})
    table[last] = value


def _algorithms(chance: Chance, of: Stratum, count: int) -> list[str]:
    """Different ones, each by its weight among those that are left."""
    left = dict(of.algorithms)
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
