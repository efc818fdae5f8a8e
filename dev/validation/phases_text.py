"""Phase effects in real time, and this machine's noise, as the tables and sentences of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dev.validation import live_text
from dumbbell.comparison.agreement_text import engine as engine_text
from dumbbell.engines.family import is_live
from dumbbell.hosts.noise import QUANTILES
from dumbbell.metrics.number import ABSENT, amount, counted, percent, rate, trimmed
from dumbbell.tables.table import Table

if TYPE_CHECKING:
    from dev.validation.phases import PhasesRecord, PhasesSide
    from dumbbell.hosts.noise import MachineNoise


REFERENCE: Final = "linux"
"""The engine that others are held against."""


def summary(record: PhasesRecord) -> str:
    """How far each engine's shares are from the reference's, at most, and how many runs in real time are valid."""
    texts = [each for side in record.sides if (each := _farthest(record, side))]
    texts += [
        f"{side.side.engine}: {live_text.valid(len(side.runs), side.suspects)}"
        for side in record.sides
        if is_live(side.side.engine)
    ]
    return f"{'; '.join(texts)}." if texts else "Nothing was compared."


def _farthest(record: PhasesRecord, side: PhasesSide) -> str:
    reference = record.of(REFERENCE)
    if reference is None or side is reference:
        return ""
    pairs = [(rtt, side.mean(rtt), reference.mean(rtt)) for rtt in record.rtts]
    apart = [(own - other, rtt) for rtt, own, other in pairs if own is not None and other is not None]
    if not apart:
        return ""
    most, rtt = max(apart, key=lambda each: abs(each[0]))
    name = side.side.engine
    return f"{name} is {amount(100 * most, signed=True)} points from {REFERENCE} at most, at {rtt}"


def shares_table(record: PhasesRecord) -> Table:
    """A row an RTT of the longer flow: its share of the goodput in %, mean over seeds, and the least and the most."""
    seeds = {each.side.engine: len(each.side.seeds) for each in record.sides}
    header = ["RTT of the longer flow", *(f"{name} (%), {counted(count, 'seed')}" for name, count in seeds.items())]
    return Table.of(header, [[rtt, *(_share(each, rtt) for each in record.sides)] for rtt in record.rtts])


def _share(side: PhasesSide, rtt: str) -> str:
    shares = side.shares(rtt)
    if not shares:
        return ABSENT
    least, most = (f"{100 * share:.1f}" for share in (min(shares), max(shares)))
    bounds = f" [{least}, {most}]" if len(shares) > 1 else ""
    suspect = any(rtt in map(str, each.point.values()) for each in side.suspects)
    return f"{amount(side.mean(rtt), scale=100)}{bounds}{' SUSPECT' if suspect else ''}"


def disturbances(record: PhasesRecord) -> list[str]:
    return [line for side in record.sides for line in live_text.disturbances(side.suspects)]


def origins(record: PhasesRecord) -> str:
    """The engines, and what else was needed."""
    missing = "" if record.noise else " The noise of the machine in real time is not measured yet."
    engines = "; ".join(f"{engine_text(each.side)}, {counted(len(each.side.seeds), 'seed')}" for each in record.sides)
    versions = ", ".join(f"{name} {version}" for name, version in record.versions.items() if version)
    return f"Engines: {engines}. Versions: {versions}.{missing}"


def noise_table(noise: MachineNoise) -> Table:
    """How late packets leave: this machine's, and the default jitter's."""
    header = ["how late packets leave (us)", *("median" if share == 0.5 else f"{share:.0%}" for share in QUANTILES)]  # noqa: PLR2004 (as it is called)
    rows = (
        ("this machine", noise.late_s),
        (f"default `path.jitter`, {trimmed(1e6 * noise.jitter_s)} us", noise.jitter_late_s),
    )
    return Table.of(header, [[name, *(amount(late_s, scale=1e6) for late_s in values)] for name, values in rows])


def noise_text(noise: MachineNoise, packet_s: float) -> str:
    """What follows from the noise for phases, and how ACKs come."""
    own, made = noise.late_s[1], noise.jitter_late_s[1]
    relation = "more" if own > made else "less"
    worst = max(noise.late_s[-1], noise.jitter_late_s[-1])
    ends = "neither ends phase effects there" if worst < packet_s else "the larger one blurs phases there"
    return (
        f"The machine's packets are {_us(own)} late at the 90th percentile, {relation} than the {_us(made)} of the"
        f" default jitter; a packet of the two flows takes {_us(packet_s)} on the line, so that {ends}. ACKs at"
        f" {rate(noise.rate_bps)} come {_us(noise.ack_gap_s)} apart in the median, and {percent(noise.ack_lumps)} of"
        " them in lumps, closer than half of a packet's time."
    )


def _us(time_s: float) -> str:
    return amount(time_s, scale=1e6, unit=" us")
