"""What disturbed a run in real time, from what its agent counted on the machine meanwhile."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal

from dumbbell.engines.family import is_live
from dumbbell.metrics.number import counted, percent, rough_percent

LIVE: Final = "live: "
"""What such a warning begins with."""
BUSY_SHARE: Final = 0.9
"""A core that is busier has packets and timers waiting for it."""
STOLEN_SHARE: Final = 0.02
"""Of the machine's time, taken by whoever runs it as a guest."""
OTHERS_CORES: Final = 0.25
"""What other programs may use, in cores."""
LATE_SHARE: Final = 0.01
"""Of packets and alarms: the bounds below are on 99th percentiles."""
RELAY_LATE: Final = ("500us", "0.5 ms")
"""What of a packet's delay in the relay is no part of the path, as facts and people call it."""
ALARM_LATE: Final = ("5ms", "5 ms")
"""How late the agent may look at clocks and counters."""
FOREIGN_SHARE: Final = 0.05
"""Of the bytes that an interface carried."""
Validity = Literal["VALID", "SUSPECT"]


def validity(engine: str, warnings: Iterable[str]) -> Validity | None:
    """Whether a run in real time was left alone, by its warnings; None of one in virtual time, which always is."""
    if not is_live(engine):
        return None
    return "SUSPECT" if any(each.startswith(LIVE) for each in warnings) else "VALID"


def disturbances(facts: Mapping[str, str]) -> Iterator[str]:
    """Every reason not to trust a run in real time; of one in virtual time only that its captures lack something.

    Of a run on hosts each reason names its host.
    """
    live: dict[str, dict[str, int]] = {}
    for name, count in facts.items():
        host, separator, fact = name.rpartition(": ")
        if fact.startswith("live.") and count.isdecimal():
            live.setdefault(host + separator, {})[fact.removeprefix("live.")] = int(count)
    for host, counts in live.items():
        yield from (f"{LIVE}{host}{reason}" for reason in _of_a_machine(counts))
    for name, count in facts.items():
        what, _, counter = name.rpartition(".")
        if what.startswith("capture.") and counter == "dropped" and count.isdecimal() and (lacking := int(count)):
            point = what.removeprefix("capture.")
            lack = f"the capture at the {point} lacks {counted(lacking, 'frame')}, for which there was no room"
            yield f"{LIVE}{lack}" if live else lack


def _of_a_machine(counts: Mapping[str, int]) -> Iterator[str]:
    """What its agent counted there that is beyond a bound."""
    busiest = _share(counts, "busiest_busy_ms", "busiest_core_ms")
    if busiest > BUSY_SHARE:
        yield f"the busiest core was busy for {rough_percent(busiest)} of the run"
    stolen = _share(counts, "stolen_ms", "core_ms")
    if stolen > STOLEN_SHARE:
        yield f"{percent(stolen)} of the machine's time was given to other guests of its host"
    others = _share(counts, "others_ms", "core_ms") * counts.get("cores", 0)
    if others > OTHERS_CORES:
        yield f"other programs used {others:.2f} cores"
    for what, events, (bound, lateness) in (
        ("relay", "packets left the relay", RELAY_LATE),
        ("alarms", "alarms came", ALARM_LATE),
    ):
        late = _share(counts, f"{what}_late_{bound}", what)
        if late > LATE_SHARE:
            yield f"{percent(late)} of {events} more than {lateness} late"
    if dropped := counts.get("relay_dropped"):
        yield f"the relay dropped {counted(dropped, 'packet')}"
    for way in ("sent", "received"):
        foreign = _share(counts, f"foreign_{way}_bytes", f"interface_{way}_bytes")
        if foreign > FOREIGN_SHARE:
            yield f"{percent(foreign)} of what its interface {way} was not the run's"


def _share(counts: Mapping[str, int], part: str, total: str) -> float:
    return counts.get(part, 0) / counts[total] if counts.get(total) else 0.0
