"""Advice over a mix of paths in twenty lines and a table, and as one object of JSON."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from dumbbell.decide.advice import DEFAULT, MATTERS, MOST_HARM
from dumbbell.decide.mix import leader
from dumbbell.decide.paths import LEAST_BYTES, REASONS, algorithms
from dumbbell.decide.text import name_of
from dumbbell.metrics.number import amount, counted, percent, trimmed
from dumbbell.units import NS_PER_S

if TYPE_CHECKING:
    from dumbbell.decide.advice import Place
    from dumbbell.decide.mix import Bin, Mix, Part, Standing
    from dumbbell.decide.text import Table

MOST_ROWS: Final = 12
"""Of the table; all are in the JSON."""
BUSY_SHARE: Final = 0.5
"""Of the connections: where fewer tell of a path, how to see more is told."""
ASK: Final = (
    "the server's `uname -r` (in Linux `bbr` is version 1), `sysctl net.ipv4.tcp_congestion_control"
    " net.core.default_qdisc` and `tc -s qdisc show`: before Linux 4.13 BBR needs fq, and later fq spares it CPU."
)


def lines(found: Mix) -> Iterator[tuple[str, str]]:
    """Each paragraph of the answer above its table: what it is about, and the words."""
    yield "Paths", _paths(found)
    yield "Answer", _answer(found)
    yield "Advice", _advice(found)
    yield "If wrong", _if_wrong(found)
    yield "Resent", _resent(found)
    yield "Harm", _harm(found)
    if left := _left_out(found):
        yield "Left out", left
    yield "To know", _to_know(found)


def below(found: Mix, *, seconds: float, engine: str, kernel: str = "Linux 6.1") -> Iterator[tuple[str, str]]:
    """The paragraphs below it."""
    if len(found.bins) > MOST_ROWS:
        rest = found.bins[MOST_ROWS:]
        yield (
            "More",
            (
                f"{counted(len(rest), 'bin')} with {counted(sum(each.connections for each in rest), 'connection')} are"
                " not shown; --json has all."
            ),
        )
    fewest, most = found.seeds
    seeds = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    told = (
        f"all paths are inside what was held against {kernel} and real hosts (docs/validation.md)"
        if not found.outside
        else f"{_share(found.outside, found)} run over paths outside of what was held against {kernel}; most often:"
        f" {found.why_outside}"
    )
    yield (
        "Sure?",
        (
            f"{seeds} seeds, {engine}, {seconds:.1f} s; {told}. A path's rate is what its connection had, by itself:"
            " where others share the line, or losses hold the connection back, the line has more."
        ),
    )
    if found.recommendation != "keep":
        yield (
            "Try it",
            (
                f"sysctl -w net.ipv4.tcp_congestion_control={found.recommendation}; undo: ={DEFAULT}. For some networks"
                f" only: ip route change NETWORK via GATEWAY congctl {found.recommendation}"
            ),
        )


def table(found: Mix) -> Table:
    """A row a bin, those with the most connections first."""
    header = ["conns", "bytes %", "Mbit/s", "RTT ms", "loaded RTT", "resent %", "right"]
    whole = sum(each.sent_bytes for each in found.bins)
    rows = [
        [
            str(each.connections), amount(each.sent_bytes / whole, scale=100), trimmed(each.asked.rate_bps / 1e6),
            trimmed(each.asked.rtt_ns / 1e6), _loaded(each), amount(each.resent, scale=100), _right(each),
        ]
        for each in found.bins[:MOST_ROWS]
    ]  # fmt: skip
    return header, rows


def as_object(found: Mix, *, seconds: float, engine: str) -> dict[str, Any]:
    """The answer as JSON has it."""
    return {
        "schema": 1,
        "from": found.capture.name,
        "recommendation": found.recommendation,
        "reason": f"{_answer(found)} {_advice(found)}",
        "goal": found.asked.goal,
        "company": found.asked.company[0].name,
        "connections": {
            "captured": len(found.capture.connections),
            "told": found.connections,
            "silent": dict(sorted(found.silent.items())),
            "not_tried": found.not_tried,
            "other_sockets": found.capture.other_sockets,
        },
        "candidates": {each.candidate: _standing(each) for each in found.standings},
        "open": _part(found.open),
        "retransmit_rate": _resent_now(found),
        "cc": dict(algorithms(found.paths)),
        "bins": [_bin(each) for each in found.bins],
        "outside_validated": found.outside,
        "outside": found.why_outside or None,
        "seeds": list(found.seeds),
        "engine": engine,
        "wall_s": round(seconds, 3),
    }


def _standing(each: Standing) -> dict[str, Any]:
    return {
        "wins": _part(each.wins), "matters": _part(each.matters), "wins_bytes": _part(each.wins_bytes),
        "matters_bytes": _part(each.matters_bytes), "retransmit_rate": each.resent,
        "regret": {"mean": each.regret, "most": each.most_regret}, "harm": each.harm,
    }  # fmt: skip


def _part(part: Part) -> dict[str, float]:
    return {"value": part.value, "low": part.low, "high": part.high}


def _bin(each: Bin) -> dict[str, Any]:
    asked = each.asked
    return {
        "rate_bps": asked.rate_bps, "rtt_s": asked.rtt_ns / NS_PER_S, "connections": each.connections,
        "sent_bytes": round(each.sent_bytes), "retransmit_rate": each.resent,
        "queues": [
            {
                "buffer_bytes": where.buffer_bytes, "buffer_bdp": round(asked.buffer_bdp(where.buffer_bytes), 4),
                "loaded_rtt_s": round(asked.loaded_rtt_ns(where.buffer_bytes) / NS_PER_S, 6), "best": where.best,
                "ahead": leader(asked, where) or None, "verdict": where.verdict, "gain": where.gain,
                "goodput_bps": {
                    own.candidate: own.goodput_bps.value if own.goodput_bps else None for own in where.outcomes
                },
            }
            for where in each.places
        ],
    }  # fmt: skip


def _paths(found: Mix) -> str:
    run = ", ".join(f"{name_of(name)} ({count:,})" for name, count in algorithms(found.paths))
    connections, bins = counted(len(found.capture.connections), "connection"), counted(len(found.bins), "bin")
    told = f"{found.connections:,} of {connections} in {found.capture.name} tell of a path, in {bins} of rate, RTT and"
    told += f" queue; they run {run}"
    if unknown := sum(each.connections for each in found.bins if len(each.places) > 1):
        told += f"; the queue of {unknown:,} may be of several sizes: each is tried, and counts alike"
    if limited := sum(each.at_least for each in found.paths):
        told += f"; the line of {limited:,} has more than their rate, for their application limited them"
    asked = found.asked
    return f"{told}. {asked.job.words[0].upper()}{asked.job.words[1:]}, for {asked.goal}, {asked.company[0].name}."


def _answer(found: Mix) -> str:
    ranked = sorted(found.standings, key=lambda each: (each.candidate == DEFAULT, -each.matters.value))
    told = [
        f"{name_of(each.candidate)} wins on {_between(each.wins)}{'' if nth else ' of your connections'}, it matters on"
        f" {_between(each.matters)}, which have {_between(each.matters_bytes)} of the bytes"
        for nth, each in enumerate(ranked)
    ]
    undecided = f"; open on {_between(found.open)}" if found.open.high else ""
    return f"{'; '.join(told)}{undecided}. It wins by however little, and matters from {trimmed(100 * MATTERS)} % on."


def _between(part: Part) -> str:
    """A share in whole %, with what it is at least and at most, where that is not the same."""
    value, low, high = (f"{100 * each:.0f}" for each in (part.value, part.low, part.high))
    return f"{value} %" if low == high else f"{value} % ({low} to {high})"


def _share(count: int, found: Mix) -> str:
    return f"{count:,} of {found.connections:,} ({100 * count / found.connections:.0f} %)"


def _advice(found: Mix) -> str:
    default = next((each for each in found.standings if each.candidate == DEFAULT), None)
    if found.recommendation == "keep":
        matter = [each for each in found.standings if each.candidate != DEFAULT and each.matters.high]
        if not matter:
            return f"KEEP {name_of(DEFAULT)}: nothing else matters on any of these paths."
        if any((each.harm or 0.0) > MOST_HARM for each in matter) and found.asked.goal == "balanced":
            return f"KEEP {name_of(DEFAULT)}: the others harm those beside them."
        return (
            f"KEEP {name_of(DEFAULT)}: no other has {trimmed(100 * MATTERS)} % more in the mean over these connections."
        )
    own = next(each for each in found.standings if each.candidate == found.recommendation)
    told = f"USE {name_of(own.candidate)}"
    if default is None:
        return f"{told}: it leaves least of the best in the mean, {percent(own.regret)}."
    return (
        f"{told}: in the mean over these connections it leaves {percent(own.regret)} of what the best one has,"
        f" {name_of(DEFAULT)} {percent(default.regret)}."
    )


def _if_wrong(found: Mix) -> str:
    parts = [
        f"{name_of(each.candidate)} on all of them costs {percent(each.regret)} in the mean, at most"
        f" {percent(each.most_regret)}"
        for each in found.standings
    ]
    return "; ".join(parts) + "."


def _resent_now(found: Mix) -> float:
    return sum(each.resent_bytes for each in found.paths) / sum(each.sent_bytes for each in found.paths)


def _resent(found: Mix) -> str:
    would = ", ".join(
        f"{name_of(each.candidate)} {percent(each.resent)}" for each in found.standings if each.resent is not None
    )
    return f"{percent(_resent_now(found))} of their bytes so far; simulated: {would}."


def _harm(found: Mix) -> str:
    company = found.asked.company[0]
    if not company.flows:
        return "not asked: each path is tried alone. BBR takes more than its share of a short queue: --beside cubic:1."
    told = [
        f"{name_of(each.candidate)} takes up to {percent(each.harm)}"
        for each in found.standings
        if each.harm is not None and each.harm > MOST_HARM
    ]
    if not told:
        return (
            f"none takes more than {percent(MOST_HARM)} from the others beyond what one more {name_of(DEFAULT)} does."
        )
    return f"{'; '.join(told)} from the others, beyond what one more {name_of(DEFAULT)} does."


def _left_out(found: Mix) -> str:
    parts = [
        f"{count:,}: {REASONS[name].words}"
        for name, count in sorted(found.silent.items(), key=lambda each: (-each[1], each[0]))
    ]
    if found.not_tried:
        parts.append(f"{found.not_tried:,}: no time was left for their paths")
    return "; ".join(parts) + ("." if parts else "")


def _to_know(found: Mix) -> str:
    few = found.connections < BUSY_SHARE * len(found.capture.connections)
    more = (
        f" Few connections tell: capture at the busiest time, several times into one file (`ss -tin >> ss.txt`); a"
        f" connection counts once it has sent {LEAST_BYTES // 1000} kB."
    )
    return ASK + (more if few else "")


def _loaded(each: Bin) -> str:
    ends = [trimmed(each.asked.loaded_rtt_ns(where.buffer_bytes) / 1e6) for where in (each.places[0], each.places[-1])]
    return ends[0] if ends[0] == ends[-1] else " to ".join(ends)


def _right(each: Bin) -> str:
    """Who is ahead before which queues, and by how much."""
    parts = []
    for who, run in groupby(each.places, key=lambda where: where.best if where.verdict == "ahead" else where.verdict):
        places = list(run)
        parts.append(
            _said(who, places) + (f" at {_queues(each, places)} BDP" if len(places) < len(each.places) else "")
        )
    return ", ".join(parts)


def _said(who: str, places: list[Place]) -> str:
    if who in {"no matter", "open"}:
        return {"no matter": "no matter", "open": "either"}[who]
    gains = sorted({f"{100 * where.gain:.0f}" for where in places}, key=float)
    span = gains[0] if len(gains) == 1 else f"{gains[0]} to {gains[-1]}"
    return f"{name_of(who)} +{span} %"


def _queues(each: Bin, places: list[Place]) -> str:
    ends = [trimmed(each.asked.buffer_bdp(where.buffer_bytes)) for where in (places[0], places[-1])]
    return ends[0] if ends[0] == ends[-1] else " to ".join(ends)
