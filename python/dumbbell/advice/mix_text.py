"""Advice over a mix of paths in twenty lines and a table, and as one object of JSON."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from math import floor, log10
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from dumbbell.advice.mix import paths_of, resent, standing
from dumbbell.advice.outcome import MOST_HARM
from dumbbell.advice.paths import LEAST_BYTES, REASONS, algorithms
from dumbbell.advice.question import DEFAULT, name_of
from dumbbell.advice.text import KERNEL, job_and_goal, keep, queue_object, seeds_text, try_it
from dumbbell.metrics.contrast import MATTERS
from dumbbell.metrics.number import amount, counted, elapsed, percent, rough_percent, span, trimmed
from dumbbell.spec.quantity import Bytes
from dumbbell.tables.table import Table
from dumbbell.units import NS_PER_S

if TYPE_CHECKING:
    from dumbbell.advice.mix import Bin, Mix, Part

MOST_ROWS: Final = 12
"""Of the table; all are in the JSON."""
REGIONS_PER_DECADE: Final = 2
"""Of rate and of RTT, in the table."""
BUSY_SHARE: Final = 0.5
"""Of the connections: where fewer show a path, the answer says how to see more."""
LEAST_GAIN: Final = trimmed(100 * MATTERS, " %")
ASK: Final = (
    "the server's `uname -r` (in Linux `bbr` is version 1), `sysctl net.ipv4.tcp_congestion_control"
    " net.core.default_qdisc` and `tc -s qdisc show`: before Linux 4.13 BBR needs fq, and later fq spares it CPU."
)


def lines(mix: Mix) -> Iterator[tuple[str, str]]:
    """Each paragraph of the answer above its table: what it is about, and the words."""
    yield "Paths", _paths(mix)
    yield "Answer", _answer(mix)
    yield "Advice", _advice(mix)
    costs = [
        f"{name_of(name)} on all of them costs {percent(each.regret.mean)} in the mean, at most"
        f" {percent(each.regret.most)}"
        for name, each in mix.standings.items()
    ]
    yield "If wrong", f"{'; '.join(costs)}."
    simulated = ", ".join(
        f"{name_of(name)} {percent(each.retransmit_rate)}"
        for name, each in mix.standings.items()
        if each.retransmit_rate is not None
    )
    yield "Resent", f"{percent(resent(mix.paths))} of their bytes so far; simulated: {simulated}."
    yield "Harm", _harm(mix)
    left_out = [
        f"{count:,}: {REASONS[name].text}"
        for name, count in sorted(mix.silent.items(), key=lambda each: (-each[1], each[0]))
    ]
    if mix.not_tried:
        left_out.append(f"{mix.not_tried:,}: no time was left to simulate their paths")
    if left_out:
        yield "Left out", f"{'; '.join(left_out)}."
    yield "To know", _to_know(mix)


def below(mix: Mix, *, seconds: float, engine: str) -> Iterator[tuple[str, str]]:
    """How sure the answer is, and what to do with it."""
    if more := _regions(mix)[MOST_ROWS:]:
        left = sum(each.connections for region in more for each in region)
        yield "More", f"{counted(left, 'connection')} in {counted(len(more), 'row')} not shown; --json has every bin."
    lengths = f" of {_span(mix.runs_s, ' s')}" if any(each.question.endless for each in mix.bins) else ""
    validation = f"all paths are inside what was validated against {KERNEL} and real hosts (docs/validation.md)"
    if count := mix.outside.total():
        share = f"{count:,} of {mix.connections:,} ({rough_percent(count / mix.connections)})"
        ((most_often, _),) = mix.outside.most_common(1)
        validation = f"{share} run over paths outside of what was validated against {KERNEL}; most often: {most_often}"
    yield (
        "Sure?",
        (
            f"{seeds_text(mix.seeds)}{lengths}, {engine}, {elapsed(seconds)}; {validation}. A path's rate is what its"
            " connection had, by itself: where others share the line, or losses hold it back, the line has more."
        ),
    )
    if mix.recommendation != "keep":
        some = f"For some networks only: ip route change NETWORK via GATEWAY congctl {mix.recommendation}"
        yield "Try it", f"{try_it(mix.recommendation)}. {some}"


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
            _span(queues), amount(resent(paths_of(region)), scale=100),
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
        "candidates": {
            name: asdict(each) | {"regret": {"mean": each.regret.mean, "most": each.regret.most}}
            for name, each in mix.standings.items()
        },
        "open": asdict(mix.open),
        "retransmit_rate": resent(mix.paths),
        "cc": dict(algorithms(mix.paths)),
        "bins": [_bin(each) for each in mix.bins],
        "outside_validated": mix.outside.total(),
        "outside": mix.outside.most_common(1)[0][0] if mix.outside else None,
        "seeds": list(mix.seeds),
        "run_s": list(mix.runs_s),
        "engine": engine,
        "wall_s": round(seconds, 3),
    }


def _bin(each: Bin) -> dict[str, Any]:
    question = each.question
    return {
        "rate_bps": question.rate_bps, "rtt_s": question.rtt_ns / NS_PER_S, "connections": each.connections,
        "sent_bytes": round(each.sent_bytes), "retransmit_rate": resent(each.paths),
        "queues": [
            {
                **queue_object(question, where.buffer_bytes), "best": where.best, "ahead": where.leader or None,
                "verdict": where.verdict, "gain": where.gain,
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
    text = f"{mix.connections + mix.not_tried:,} of {connections} in {mix.capture.name} tell of a path"
    text += f", of which {mix.connections:,} were simulated" if mix.not_tried else ""
    text += f", in {bins} of rate, RTT and queue; they run {run}"
    if unknown := sum(each.connections for each in mix.bins if len(each.places) > 1):
        text += f"; the queue of {unknown:,} may be of several sizes: each is tried, and counts alike"
    if limited := sum(each.at_least for each in mix.paths):
        text += f"; the line of {limited:,} has more than their rate, for their application limited them"
    question = mix.question
    return f"{text}. {job_and_goal(question.job.description, question.goal)}, {question.company[0].name}."


def _answer(mix: Mix) -> str:
    ranked = sorted(mix.standings.items(), key=lambda each: (each[0] == DEFAULT, -each[1].matters.value))
    parts = [
        f"{name_of(name)} wins on {_between(each.wins)}{'' if nth else ' of your connections'}, it matters on"
        f" {_between(each.matters)}"
        + (f", which have {_between(each.matters_bytes)} of the bytes" if each.matters.high else "")
        for nth, (name, each) in enumerate(ranked)
    ]
    undecided = f"; open on {_between(mix.open)}" if mix.open.high else ""
    return f"{'; '.join(parts)}{undecided}. It wins by however little, and matters from {LEAST_GAIN} on."


def _between(share: Part) -> str:
    return rough_percent(share.value, share.low, share.high)


def _advice(mix: Mix) -> str:
    default = mix.question.default
    if mix.recommendation != "keep":
        own, usual = (percent(mix.standings[name].regret.mean) for name in (mix.recommendation, default))
        headline = f"USE {name_of(mix.recommendation)}: in the mean over these connections it leaves {own} of the best"
        return f"{headline}, {name_of(default)} {usual}."
    others = {name: each for name, each in mix.standings.items() if name != default}
    harmful = [
        f"{name_of(name)} harms the others on {_between(each.harms)}"
        for name, each in others.items()
        if each.harms.high
    ]
    if harmful and mix.question.goal == "balanced":
        return f"{keep(mix.question)}: {'; '.join(harmful)} of these connections."
    if not any(each.matters.high for each in others.values()):
        return f"{keep(mix.question)}: nothing else matters on any of these paths."
    return f"{keep(mix.question)}: no other has {LEAST_GAIN} more in the mean over these connections."


def _harm(mix: Mix) -> str:
    if not mix.question.company[0].flows:
        return "not asked: each path is tried alone. What the others on a line lose by it: --beside cubic:1."
    beyond = f"beyond what one more {name_of(DEFAULT)} does"
    parts = [
        f"{name_of(name)} takes up to {percent(each.harm)}"
        for name, each in mix.standings.items()
        if each.harm is not None and each.harm > MOST_HARM
    ]
    if not parts:
        return f"none takes more than {percent(MOST_HARM)} from the others {beyond}."
    return f"{'; '.join(parts)} from the others, {beyond}."


def _to_know(mix: Mix) -> str:
    text = ASK
    if mix.question.job.kind == "bulk":
        size = Bytes.show(median(each.sent_bytes for each in mix.paths), digits=2)
        option = f"--transfer {size.replace(' ', '')}"
        text += f" They have sent {size} in the median: {option} asks about transfers of that size."
    if mix.connections < BUSY_SHARE * len(mix.capture.connections):
        text += (
            " Few connections tell: capture at the busiest time, several times into one file (`ss -tin >> ss.txt`); a"
            f" connection counts once it has sent {Bytes.show(LEAST_BYTES)}."
        )
    return text


def _regions(mix: Mix) -> list[list[Bin]]:
    """Bins of nearly the same rate and RTT, those with the most connections first."""
    regions: dict[tuple[int, int], list[Bin]] = defaultdict(list)
    for each in mix.bins:
        place = (log10(each.question.rate_bps), log10(each.question.rtt_ns))
        regions[floor(REGIONS_PER_DECADE * place[0]), floor(REGIONS_PER_DECADE * place[1])].append(each)
    return sorted(regions.values(), key=lambda region: -sum(each.connections for each in region))


def _who_matters(mix: Mix, region: Sequence[Bin]) -> str:
    """Which candidates matter on how many connections of a region, and by how much; and who harms."""
    standings = {name: standing(region, name) for name in mix.question.candidates}
    parts = []
    for name, own in standings.items():
        places = [where for each in region for where in each.places if where.verdict == "ahead" and where.best == name]
        if places:
            gains = _span([100 * where.gain for where in places], " %")
            parts.append(f"{name_of(name)} on {_between(own.matters)}, +{gains}")
    parts += [f"{name_of(name)} harms on {_between(own.harms)}" for name, own in standings.items() if own.harms.high]
    return "; ".join(parts) or "no matter"


def _span(values: Sequence[float], unit: str = "") -> str:
    """Two digits of the least and of the most."""
    least, most = (float(f"{end(values):.2g}") for end in (min, max))
    return span(least, most, unit)
