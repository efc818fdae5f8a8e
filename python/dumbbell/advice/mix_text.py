"""Advice over a mix of paths: five lines, the details behind them with a table, and one object of JSON."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import chain
from math import floor, log10
from statistics import fmean, median
from typing import TYPE_CHECKING, Any, Final

from dumbbell.advice.mix import MOST, paths_of, resent, standing
from dumbbell.advice.outcome import MOST_HARM
from dumbbell.advice.paths import LEAST_BYTES, REASONS, algorithms
from dumbbell.advice.question import DEFAULT, name_of
from dumbbell.advice.reading import CAUSES
from dumbbell.advice.ruling import right_at
from dumbbell.advice.text import KERNEL, job_and_goal, queue_object, seeds_text
from dumbbell.cc import LINUX
from dumbbell.metrics.contrast import MATTERS
from dumbbell.metrics.number import amount, counted, elapsed, percent, rough_percent, span, trimmed
from dumbbell.spec.quantity import Bytes
from dumbbell.tables.table import Table
from dumbbell.units import NS_PER_S

if TYPE_CHECKING:
    from dumbbell.advice.mix import Bin, Mix, Part
    from dumbbell.advice.reading import Contradiction
    from dumbbell.advice.ruling import Threshold

MOST_LETTERS: Final = 600
"""Of the five lines, with what they are about."""
MOST_CAUSES: Final = 2
MOST_NAMES: Final = 3
"""Of candidates, in the five lines."""
LEAST_WRITTEN: Final = 0.005
"""Of the connections: less is written as none."""
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


def answer(mix: Mix) -> Iterator[tuple[str, str]]:
    """The five lines, in the order in which somebody asks: what they are about, and the words.

    Where long names leave no room for them, exceptions are in `--details` only.
    """
    lines = [
        ("Answer", _answer(mix)), ("Why", _why(mix)), ("When not", _when_not(mix, mix.ruling.sides)),
        ("Sure?", _sure(mix)), ("Next", _next(mix)),
    ]  # fmt: skip
    if sum(map(len, chain.from_iterable(lines))) > MOST_LETTERS:
        lines[2] = ("When not", _when_not(mix, mix.ruling.sides[:1]))
    yield from lines


def details(mix: Mix) -> Iterator[tuple[str, str]]:
    """Each paragraph between the five lines and the table."""
    yield "Paths", _paths(mix)
    if mix.bins:
        yield from _of_candidates(mix)
    if mix.contradictions:
        yield "Not explained", _not_explained(mix)
    if mix.not_simulated:
        yield "Not tested", f"what was read of connections that run {_counts(mix.not_simulated)}: not simulated."
    left_out = [
        f"{count:,}: {REASONS[name].text}"
        for name, count in sorted(mix.silent.items(), key=lambda each: (-each[1], each[0]))
    ]
    if mix.not_tried:
        left_out.append(f"{mix.not_tried:,}: no time was left to simulate their paths")
    if left_out:
        yield "Left out", f"{'; '.join(left_out)}."
    yield "To know", _to_know(mix)


def _of_candidates(mix: Mix) -> Iterator[tuple[str, str]]:
    yield "Wins", _wins(mix)
    costs = [
        f"{name_of(name)} on all of them costs {percent(each.regret.mean)} in the mean, at most"
        f" {percent(each.regret.most)}"
        for name, each in mix.standings.items()
    ]
    yield "If wrong", f"{'; '.join(costs)}."
    if exceptions := _exceptions(mix, mix.ruling.sides):
        yield "When not", " ".join(exceptions)
    simulated = ", ".join(
        f"{name_of(name)} {percent(each.retransmit_rate)}"
        for name, each in mix.standings.items()
        if each.retransmit_rate is not None
    )
    yield "Resent", f"{percent(resent(paths_of(mix.bins)))} of their bytes so far; simulated: {simulated}."
    yield "Harm", _harm(mix)


def below(mix: Mix, *, seconds: float, engine: str) -> Iterator[tuple[str, str]]:
    """How sure the answer is, and what to do with it."""
    if more := _regions(mix)[MOST_ROWS:]:
        left = sum(each.connections for region in more for each in region)
        yield "More", f"{counted(left, 'connection')} in {counted(len(more), 'row')} not shown; --json has every bin."
    lengths = f" of {_span(mix.runs_s, ' s')}" if any(each.question.endless for each in mix.bins) else ""
    validation = (
        f"all explained paths are inside what was validated against {KERNEL} and real hosts (docs/validation.md)"
    )
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
    if mix.recommendation in LINUX and mix.now in mix.question.candidates:
        some = f"For some networks only: ip route change NETWORK via GATEWAY congctl {mix.recommendation}"
        yield "Try it", f"{_try_it(mix)}. {some}"


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
        "reason": f"{_answer(mix)} {_why(mix)}",
        "answer": dict(answer(mix)),
        "algorithm": mix.ruling.candidate if mix.decides and mix.ruling.kind == "one" else None,
        "now": mix.now or None,
        "exceptions": [_side(each) for each in mix.ruling.sides] if mix.decides else [],
        "goal": mix.question.goal,
        "company": mix.question.company[0].name,
        "connections": {
            "captured": len(mix.capture.connections),
            "told": len(mix.paths),
            "unexplained": len(mix.contradictions),
            "silent": dict(sorted(mix.silent.items())),
            "not_tried": mix.not_tried,
            "other_sockets": mix.capture.other_sockets,
        },
        "candidates": {
            name: asdict(each) | {"regret": {"mean": each.regret.mean, "most": each.regret.most}}
            for name, each in mix.standings.items()
        },
        "open": asdict(mix.open),
        "unexplained": {
            "connections": len(mix.contradictions) / len(mix.paths),
            "sent_bytes": mix.unexplained_bytes,
            "causes": dict(causes(mix)),
            "each": [_contradiction(each) for each in mix.contradictions],
        },
        "not_simulated": dict(mix.not_simulated),
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
                "verdict": where.verdict, "gain": where.gain, "right": sorted(right_at(where)),
                "goodput_bps": {
                    own.candidate: own.goodput_bps.value if own.goodput_bps else None for own in where.outcomes
                },
            }
            for where in each.places
        ],
    }  # fmt: skip


def _contradiction(each: Contradiction) -> dict[str, Any]:
    path = each.path
    return {
        "rate_bps": round(path.rate_bps), "rtt_s": path.rtt_s, "cc": path.cc or None,
        "sent_bytes": round(path.sent_bytes), "retransmit_rate": path.resent_share,
        "simulated_retransmit_rate": list(each.simulated) if each.simulated else None, "causes": list(each.causes),
    }  # fmt: skip


def _side(side: Threshold) -> dict[str, Any]:
    unit = {"rate": 1e6, "rtt": 1e-3}[side.quantity]
    return {
        "algorithm": side.candidate, "of": {"rate": "rate_bps", "rtt": "rtt_s"}[side.quantity],
        "above" if side.above else "below": float(f"{side.at * unit:.9g}"), "connections": side.share,
    }  # fmt: skip


def _paths(mix: Mix) -> str:
    run = ", ".join(f"{name_of(name)} ({count:,})" for name, count in algorithms(mix.paths))
    connections, bins = counted(len(mix.capture.connections), "connection"), counted(len(mix.bins), "bin")
    known = len(mix.paths) + mix.not_tried
    text = f"{known:,} of {connections} in {mix.capture.name} {'shows' if known == 1 else 'show'} a path"
    text += f", of which {len(mix.paths):,} were simulated" if mix.not_tried else ""
    text += f", and the model explains {mix.connections:,}" if mix.contradictions else ""
    text += f", in {bins} of rate, RTT and queue; they run {run}"
    if unknown := sum(each.connections for each in mix.bins if len(each.places) > 1):
        text += f"; the queue of {unknown:,} may be of several sizes: each is tried, and counts alike"
    if limited := sum(each.at_least for each in mix.paths):
        text += f"; the line of {limited:,} has more than their rate, for their application limited them"
    question = mix.question
    return f"{text}. {job_and_goal(question.job.description, question.goal)}, {question.company[0].name}."


def _wins(mix: Mix) -> str:
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


def _answer(mix: Mix) -> str:
    ruling = mix.ruling
    if mix.unexplained_bytes > MOST:
        share = rough_percent(mix.unexplained_bytes)
        return f"This file does not decide: the model does not explain {share} of its bytes."
    if ruling.kind == "undecided":
        return f"This file does not decide: chance does, on {_between(mix.open)} of the connections."
    if ruling.kind == "each":
        return "It depends on the path, and neither its rate nor its RTT says on which."
    if ruling.kind == "split":
        parts = (f"{name_of(each.candidate)} where the {_where(each)}" for each in ruling.sides)
        return f"It depends on the path: {', '.join(parts)}."
    return _of_one(mix, ruling.candidate)


def _of_one(mix: Mix, candidate: str) -> str:
    """What to do, by what most connections run."""
    if candidate == mix.now:
        return f"Keep {name_of(candidate)}, which {_share_running(mix)} of the connections run."
    if mix.now in mix.question.candidates:
        return f"Switch to {name_of(candidate)}: {_share_running(mix)} of the connections run {name_of(mix.now)}."
    rest = [name_of(each) for each in mix.question.candidates if each != candidate]
    others = " or ".join(rest) if len(rest) < MOST_NAMES else "the others"
    against = f" {name_of(mix.now)}, which most run, was not simulated." if mix.now else ""
    return f"Use {name_of(candidate)} rather than {others}.{against}"


def _share_running(mix: Mix) -> str:
    return rough_percent(sum(each.cc == mix.now for each in mix.paths) / len(mix.paths))


def _where(side: Threshold) -> str:
    """On one side of a number that somebody can measure.

    >>> from dumbbell.advice.ruling import Threshold
    >>> _where(Threshold(quantity="rtt", above=True, at=90.0, candidate="bbr", share=0.1))
    'RTT is above 90 ms'
    """
    name, unit = {"rate": ("rate", " Mbit/s"), "rtt": ("RTT", " ms")}[side.quantity]
    return f"{name} is {'above' if side.above else 'below'} {trimmed(side.at, unit)}"


def _why(mix: Mix) -> str:
    if not mix.decides:
        reason = f"Perhaps {_most_causes(mix)}: {_resent(mix)}. " if mix.unexplained_bytes > MOST else ""
        return f"{reason}What {_either(mix)} would cost you and the others is unknown there."
    if mix.ruling.kind != "one":
        names = sorted(mix.standings, key=lambda each: mix.standings[each].regret.mean)[:MOST_NAMES]
        means = (f"{name_of(name)} {_share(mix.standings[name].regret.mean)}" for name in names)
        return f"Everywhere, {', '.join(means)} cost you so much in the mean. {_others(mix, names)}"
    chosen = mix.ruling.candidate
    rest = [name for name in mix.standings if name != chosen]
    other = mix.now if mix.now in rest else min(rest, key=lambda each: mix.standings[each].regret.mean)
    ahead, theirs = (_between(mix.standings[name].matters) for name in (chosen, other))
    first = f"{name_of(chosen)} is ahead on {ahead} of the connections, {name_of(other)} on {theirs}."
    return f"{first} {name_of(other)} everywhere {_cost(mix, other)}. {_others(mix, [other])}"


def _cost(mix: Mix, name: str) -> str:
    regret = mix.standings[name].regret
    return f"costs you {_share(regret.mean)} in the mean, {_share(regret.most)} at most"


def _share(share: float) -> str:
    return trimmed(100 * share, " %", digits=2)


def _others(mix: Mix, names: Sequence[str]) -> str:
    """What others on the lines lose by them."""
    if not mix.question.company[0].flows:
        return "Cost to others: not tried."
    parts = [
        f"{rough_percent(harm)} by {name_of(name)}"
        for name in names
        if (harm := mix.standings[name].harm) is not None and harm > MOST_HARM
    ]
    return f"Others lose up to {', '.join(parts)}." if parts else f"Others lose no more than by {name_of(DEFAULT)}."


def _when_not(mix: Mix, sides: Sequence[Threshold]) -> str:
    if not mix.decides:
        return f"Nothing here says where {_either(mix)} would be wrong."
    parts = [] if mix.question.loss_ppb else ["Where an idle ping loses packets: give --loss."]
    parts += _exceptions(mix, sides)
    if len(sides) < len(mix.ruling.sides):
        parts.append("More: --details.")
    elif mix.ruling.wrong >= LEAST_WRITTEN:
        more = " more" if mix.ruling.kind == "one" and sides else ""
        parts.append(f"Another is right on {rough_percent(mix.ruling.wrong)}{more}.")
    return " ".join(parts) or "No exception among these paths."


def _exceptions(mix: Mix, sides: Sequence[Threshold]) -> list[str]:
    """Where something else is right than what is right on most paths."""
    return [
        f"{name_of(each.candidate)} where the {_where(each)}, on {rough_percent(each.share)}."
        for each in (sides if mix.ruling.kind == "one" else ())
    ]


def _sure(mix: Mix) -> str:
    if not mix.decides:
        return f"No. {_off(mix)}."
    open_ = f", open on {_between(mix.open)}" if mix.open.high else ""
    parts = [f"{seeds_text(mix.seeds)}{open_}."]
    if mix.contradictions:
        parts.append(f"{_off(mix)}: perhaps {_most_causes(mix)}.")
    if others := [each for each in mix.not_simulated if each != mix.now]:
        parts.append(f"Not simulated: {', '.join(others[:MOST_NAMES])}.")
    if outside := mix.outside.total():
        parts.append(f"{rough_percent(outside / mix.connections)} on paths not validated.")
    return " ".join(parts)


def _off(mix: Mix) -> str:
    """How much the model does not explain."""
    if not mix.contradictions:
        return "The model explains all connections"
    share, of = rough_percent(mix.unexplained_bytes), counted(len(mix.paths), "connection")
    return f"Not explained, left out: {len(mix.contradictions):,} of {of}, {share} of bytes"


def _most_causes(mix: Mix) -> str:
    return _counts(dict(sorted(causes(mix), key=lambda each: -each[1])[:MOST_CAUSES]))


def _next(mix: Mix) -> str:
    if mix.unexplained_bytes > MOST:
        again = "" if mix.question.loss_ppb else ", or give the loss of an idle ping: --loss SHARE"
        return f"Measure them in turns on this server, a day each{again}."
    if mix.ruling.kind == "undecided":
        return "Run it with --seeds 9, or measure them in turns on this server."
    if not mix.question.company[0].flows:
        return "--beside cubic:1 adds what others lose."
    if mix.recommendation in LINUX and mix.now in mix.question.candidates:
        return f"{_try_it(mix)}."
    return "--details adds the table."


def _try_it(mix: Mix) -> str:
    """How a server changes to what is advised, and back."""
    return f"sysctl -w net.ipv4.tcp_congestion_control={mix.recommendation}; undo: ={mix.now}"


def causes(mix: Mix) -> list[tuple[str, int]]:
    """How many of the connections that the model does not explain each cause may be behind: some have several."""
    counts = Counter(cause for each in mix.contradictions for cause in each.causes)
    return [(name, counts[name]) for name in CAUSES if counts[name]]


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} ({count:,})" for name, count in counts.items())


def _not_explained(mix: Mix) -> str:
    """Their share, why, and what it may be."""
    count = len(mix.contradictions)
    share, of_bytes = rough_percent(count / len(mix.paths)), rough_percent(mix.unexplained_bytes)
    reasons = "; ".join(f"{name} ({own:,}): {CAUSES[name]}" for name, own in causes(mix))
    who = f"{counted(count, 'connection')}, {share} of all, with {of_bytes} of the bytes"
    return f"{who}; {_resent(mix)}. Perhaps {reasons}."


def _resent(mix: Mix) -> str:
    """What the connections that the model does not explain resend, and what it does."""
    own = percent(resent([each.path for each in mix.contradictions]))
    known = [(each.path.sent_bytes, fmean(each.simulated)) for each in mix.contradictions if each.simulated]
    if not known:
        return f"they resent {own}"
    mean = fmean([share for _, share in known], [weight for weight, _ in known])
    return f"they resent {own}, and simulated on such a path {percent(mean)}"


def _either(mix: Mix) -> str:
    names = [name_of(each) for each in mix.question.candidates]
    return " or ".join(names) if len(names) <= MOST_NAMES else "any of them"


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
    if len(mix.paths) < BUSY_SHARE * len(mix.capture.connections):
        text += (
            " Few connections show a path: capture at the busiest time, several times into one file (`ss -tin >>"
            f" ss.txt`); a connection counts once it has sent {Bytes.show(LEAST_BYTES)}."
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
