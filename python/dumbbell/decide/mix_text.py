"""Advice over a mix of paths in twenty lines and a table, and as one object of JSON."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import floor, log10
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from dumbbell.decide.advice import MOST_HARM
from dumbbell.decide.mix import harms, leader, matters, one, part
from dumbbell.decide.paths import LEAST_BYTES, REASONS, algorithms
from dumbbell.decide.question import DEFAULT, name_of
from dumbbell.decide.text import keep
from dumbbell.decide.trials import runs_full_transfer
from dumbbell.metrics.contrast import MATTERS
from dumbbell.metrics.number import amount, counted, elapsed, percent, rough_percent, span, trimmed
from dumbbell.spec.quantity import Bytes
from dumbbell.tables.table import Table
from dumbbell.units import NS_PER_S

if TYPE_CHECKING:
    from dumbbell.decide.mix import Bin, Mix, Part, Standing

MOST_ROWS: Final = 12
"""Of the table; all are in the JSON."""
REGIONS_PER_DECADE: Final = 2
"""Of rate and of RTT, in the table."""
BUSY_SHARE: Final = 0.5
"""Of the connections: where fewer tell of a path, how to see more is told."""
ASK: Final = (
    "the server's `uname -r` (in Linux `bbr` is version 1), `sysctl net.ipv4.tcp_congestion_control"
    " net.core.default_qdisc` and `tc -s qdisc show`: before Linux 4.13 BBR needs fq, and later fq spares it CPU."
)


def lines(mix: Mix) -> Iterator[tuple[str, str]]:
    """Each paragraph of the answer above its table: what it is about, and the words."""
    yield "Paths", _paths(mix)
    yield "Answer", _answer(mix)
    yield "Advice", _advice(mix)
    yield "If wrong", _if_wrong(mix)
    yield "Resent", _resent(mix)
    yield "Harm", _harm(mix)
    if left := _left_out(mix):
        yield "Left out", left
    yield "To know", _to_know(mix)


def below(mix: Mix, *, seconds: float, engine: str, kernel: str = "Linux 6.1") -> Iterator[tuple[str, str]]:
    if more := _regions(mix)[MOST_ROWS:]:
        left = sum(each.connections for region in more for each in region)
        yield "More", f"{counted(left, 'connection')} in {counted(len(more), 'row')} not shown; --json has every bin."
    fewest, most = mix.seeds
    seeds = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    validation = (
        f"all paths are inside what was validated against {kernel} and real hosts (docs/validation.md)"
        if not mix.outside
        else f"{_share(mix.outside, mix)} run over paths outside of what was validated against {kernel};"
        f" most often: {mix.why_outside}"
    )
    yield (
        "Sure?",
        (
            f"{seeds} seeds{_run_lengths(mix)}, {engine}, {elapsed(seconds)}; {validation}. A path's rate is what its"
            " connection had, by itself: where others share the line, or losses hold it back, the line has more."
        ),
    )
    if mix.recommendation != "keep":
        yield (
            "Try it",
            (
                f"sysctl -w net.ipv4.tcp_congestion_control={mix.recommendation}; undo: ={DEFAULT}. For some networks"
                f" only: ip route change NETWORK via GATEWAY congctl {mix.recommendation}"
            ),
        )


def _run_lengths(mix: Mix) -> str:
    only_full_transfers = mix.question.job.kind == "transfer" and all(
        runs_full_transfer(each.question) for each in mix.bins
    )
    if only_full_transfers or mix.question.job.kind in {"requests", "stream"}:
        return ""
    return f" of {_span(mix.runs_s, ' s')}"


def table(mix: Mix) -> Table:
    """A row a region of rate and RTT, those with the most connections first."""
    header = ["conns", "bytes %", "Mbit/s", "RTT ms", "queue BDP", "resent %", "matters"]
    total_bytes = sum(each.sent_bytes for each in mix.bins)
    rows = []
    for region in _regions(mix)[:MOST_ROWS]:
        own = sum(each.sent_bytes for each in region)
        queues = [each.question.buffer_bdp(where.buffer_bytes) for each in region for where in each.places]
        rows.append([
            str(sum(each.connections for each in region)), amount(own / total_bytes, scale=100),
            _span([each.question.rate_bps / 1e6 for each in region]),
            _span([each.question.rtt_ns / 1e6 for each in region]),
            _span(queues), amount(sum(each.resent * each.sent_bytes for each in region) / own, scale=100),
            _who_matters(mix, region),
        ])  # fmt: skip
    return Table.of(header, rows, keys=5)


def as_object(mix: Mix, *, seconds: float, engine: str) -> dict[str, Any]:
    """The answer as JSON has it."""
    return {
        "schema": 1,
        "from": mix.capture.name,
        "recommendation": mix.recommendation,
        "reason": f"{_answer(mix)} {_advice(mix)}",
        "goal": mix.question.goal,
        "company": mix.question.company[0].name,
        "connections": {
            "captured": len(mix.capture.connections),
            "told": mix.connections,
            "silent": dict(sorted(mix.silent.items())),
            "not_tried": mix.not_tried,
            "other_sockets": mix.capture.other_sockets,
        },
        "candidates": {each.candidate: _standing(each) for each in mix.standings},
        "open": _part(mix.open),
        "retransmit_rate": _resent_now(mix),
        "cc": dict(algorithms(mix.paths)),
        "bins": [_bin(each) for each in mix.bins],
        "outside_validated": mix.outside,
        "outside": mix.why_outside or None,
        "seeds": list(mix.seeds),
        "run_s": list(mix.runs_s),
        "engine": engine,
        "wall_s": round(seconds, 3),
    }


def _standing(each: Standing) -> dict[str, Any]:
    return {
        "wins": _part(each.wins), "matters": _part(each.matters), "wins_bytes": _part(each.wins_bytes),
        "matters_bytes": _part(each.matters_bytes), "retransmit_rate": each.resent,
        "regret": {"mean": each.regret, "most": each.most_regret}, "harm": each.harm, "harms": _part(each.harms),
    }  # fmt: skip


def _part(share: Part) -> dict[str, float]:
    return {"value": share.value, "low": share.low, "high": share.high}


def _bin(each: Bin) -> dict[str, Any]:
    question = each.question
    return {
        "rate_bps": question.rate_bps, "rtt_s": question.rtt_ns / NS_PER_S, "connections": each.connections,
        "sent_bytes": round(each.sent_bytes), "retransmit_rate": each.resent,
        "queues": [
            {
                "buffer_bytes": where.buffer_bytes, "buffer_bdp": round(question.buffer_bdp(where.buffer_bytes), 4),
                "loaded_rtt_s": round(question.loaded_rtt_ns(where.buffer_bytes) / NS_PER_S, 6), "best": where.best,
                "ahead": leader(question, where) or None, "verdict": where.verdict, "gain": where.gain,
                "goodput_bps": {
                    own.candidate: own.goodput_bps.value if own.goodput_bps else None for own in where.outcomes
                },
            }
            for where in each.places
        ],
    }  # fmt: skip


def _paths(mix: Mix) -> str:
    run = ", ".join(f"{name_of(name)} ({count:,})" for name, count in algorithms(mix.paths))
    connections, bins = counted(len(mix.capture.connections), "connection"), counted(len(mix.bins), "bin")
    informative = mix.connections + mix.not_tried
    text = f"{informative:,} of {connections} in {mix.capture.name} tell of a path"
    text += f", of which {mix.connections:,} were simulated" if mix.not_tried else ""
    text += f", in {bins} of rate, RTT and queue; they run {run}"
    if unknown := sum(each.connections for each in mix.bins if len(each.places) > 1):
        text += f"; the queue of {unknown:,} may be of several sizes: each is tried, and counts alike"
    if limited := sum(each.at_least for each in mix.paths):
        text += f"; the line of {limited:,} has more than their rate, for their application limited them"
    question = mix.question
    job = f"{question.job.description[0].upper()}{question.job.description[1:]}"
    return f"{text}. {job}, for {question.goal}, {question.company[0].name}."


def _answer(mix: Mix) -> str:
    ranked = sorted(mix.standings, key=lambda each: (each.candidate == DEFAULT, -each.matters.value))
    parts = [
        f"{name_of(each.candidate)} wins on {_between(each.wins)}{'' if nth else ' of your connections'}, it matters on"
        f" {_between(each.matters)}{_bytes(each)}"
        for nth, each in enumerate(ranked)
    ]
    undecided = f"; open on {_between(mix.open)}" if mix.open.high else ""
    least = trimmed(100 * MATTERS, " %")
    return f"{'; '.join(parts)}{undecided}. It wins by however little, and matters from {least} on."


def _bytes(each: Standing) -> str:
    return f", which have {_between(each.matters_bytes)} of the bytes" if each.matters.high else ""


def _between(share: Part) -> str:
    return rough_percent(share.value, share.low, share.high)


def _share(count: int, mix: Mix) -> str:
    return f"{count:,} of {mix.connections:,} ({rough_percent(count / mix.connections)})"


def _advice(mix: Mix) -> str:
    default = next(each for each in mix.standings if each.candidate == mix.question.default)
    if mix.recommendation == "keep":
        others = [each for each in mix.standings if each is not default]
        harmful = [each for each in others if each.harms.high]
        headline = keep(mix.question)
        if harmful and mix.question.goal == "balanced":
            parts = [f"{name_of(each.candidate)} harms the others on {_between(each.harms)}" for each in harmful]
            return f"{headline}: {'; '.join(parts)} of these connections."
        if not any(each.matters.high for each in others):
            return f"{headline}: nothing else matters on any of these paths."
        return f"{headline}: no other has {trimmed(100 * MATTERS, ' %')} more in the mean over these connections."
    own = next(each for each in mix.standings if each.candidate == mix.recommendation)
    headline = (
        f"USE {name_of(own.candidate)}: in the mean over these connections it leaves {percent(own.regret)} of the best"
    )
    return f"{headline}, {name_of(default.candidate)} {percent(default.regret)}."


def _if_wrong(mix: Mix) -> str:
    parts = [
        f"{name_of(each.candidate)} on all of them costs {percent(each.regret)} in the mean, at most"
        f" {percent(each.most_regret)}"
        for each in mix.standings
    ]
    return "; ".join(parts) + "."


def _resent_now(mix: Mix) -> float:
    return sum(each.resent_bytes for each in mix.paths) / sum(each.sent_bytes for each in mix.paths)


def _resent(mix: Mix) -> str:
    would = ", ".join(
        f"{name_of(each.candidate)} {percent(each.resent)}" for each in mix.standings if each.resent is not None
    )
    return f"{percent(_resent_now(mix))} of their bytes so far; simulated: {would}."


def _harm(mix: Mix) -> str:
    company = mix.question.company[0]
    if not company.flows:
        return "not asked: each path is tried alone. What the others on a line lose by it: --beside cubic:1."
    parts = [
        f"{name_of(each.candidate)} takes up to {percent(each.harm)}"
        for each in mix.standings
        if each.harm is not None and each.harm > MOST_HARM
    ]
    if not parts:
        return (
            f"none takes more than {percent(MOST_HARM)} from the others beyond what one more {name_of(DEFAULT)} does."
        )
    return f"{'; '.join(parts)} from the others, beyond what one more {name_of(DEFAULT)} does."


def _left_out(mix: Mix) -> str:
    parts = [
        f"{count:,}: {REASONS[name].text}"
        for name, count in sorted(mix.silent.items(), key=lambda each: (-each[1], each[0]))
    ]
    if mix.not_tried:
        parts.append(f"{mix.not_tried:,}: no time was left to simulate their paths")
    return "; ".join(parts) + ("." if parts else "")


def _to_know(mix: Mix) -> str:
    few = mix.connections < BUSY_SHARE * len(mix.capture.connections)
    more = (
        f" Few connections tell: capture at the busiest time, several times into one file (`ss -tin >> ss.txt`); a"
        f" connection counts once it has sent {Bytes.show(LEAST_BYTES)}."
    )
    size = Bytes.show(median(each.sent_bytes for each in mix.paths), digits=2)
    job = f" They have sent {size} in the median: --transfer {size.replace(' ', '')} asks about transfers of that size."
    return ASK + (job if mix.question.job.kind == "bulk" else "") + (more if few else "")


def _regions(mix: Mix) -> list[list[Bin]]:
    """Bins of nearly the same rate and RTT, those with the most connections first."""
    regions: dict[tuple[int, int], list[Bin]] = defaultdict(list)
    for each in mix.bins:
        place = (log10(each.question.rate_bps), log10(each.question.rtt_ns))
        regions[floor(REGIONS_PER_DECADE * place[0]), floor(REGIONS_PER_DECADE * place[1])].append(each)
    return sorted(regions.values(), key=lambda region: -sum(each.connections for each in region))


def _who_matters(mix: Mix, region: Sequence[Bin]) -> str:
    """Which candidates matter on how many connections of a region, and by how much; and who harms."""
    parts = []
    for candidate in mix.question.candidates:
        holds = matters(candidate)
        share = part(region, one, holds)
        gains = [100 * where.gain for each in region for where in each.places if holds(each, where)]
        if gains:
            parts.append(f"{name_of(candidate)} on {_between(share)}, +{_span(gains, ' %')}")
    harmful = [(candidate, part(region, one, harms(candidate))) for candidate in mix.question.candidates]
    parts += [f"{name_of(candidate)} harms on {_between(share)}" for candidate, share in harmful if share.high]
    return "; ".join(parts) or "no matter"


def _span(values: Sequence[float], unit: str = "") -> str:
    """Two digits of the least and of the most."""
    least, most = (float(f"{end(values):.2g}") for end in (min, max))
    return span(least, most, unit)
