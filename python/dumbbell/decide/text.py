"""Advice in twenty lines, and as one object of JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from dumbbell.decide.advice import DEFAULT, MATTERS, MOST_HARM, Advice, Interval, Outcome, Place
from dumbbell.decide.tree import cao_tree
from dumbbell.metrics.number import ABSENT, amount, counted, percent, trimmed
from dumbbell.spec.quantity import Rate
from dumbbell.units import NS_PER_S

if TYPE_CHECKING:
    from dumbbell.decide.question import Company, Question

    Table = tuple[list[str], list[list[str]]]


def lines(found: Advice) -> Iterator[tuple[str, str]]:
    """Each paragraph of the answer above its table: what it is about, and the words."""
    asked = found.asked
    yield "Path", _path(asked)
    yield "Advice", _advice(found)
    yield "Why", _why(found)
    yield "If wrong", _if_wrong(found)
    yield "Harm", _harm(found)
    yield "To know", _to_know(found)


def below(found: Advice, *, seconds: float, engine: str, kernel: str = "Linux 6.1") -> Iterator[tuple[str, str]]:
    """The paragraphs below it."""
    fewest, most = found.seeds
    seeds = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    told = (
        f"inside what was held against {kernel} and real hosts (docs/validation.md)"
        if found.inside_validated
        else f"outside of what was held against {kernel}: {found.outside}"
    )
    yield "Sure?", f"95 % intervals of {seeds} seeds and of the model's error, {engine}, {seconds:.1f} s; {told}."
    yield "The tree", _tree(found)
    if found.recommendation != "keep":
        yield (
            "Try it",
            (
                f"sysctl -w net.ipv4.tcp_congestion_control={found.recommendation}; undo: ={DEFAULT}. In Linux `bbr` is"
                " version 1."
            ),
        )


def table(found: Advice, company: Company) -> Table:
    """What each candidate comes to in some company, a row a queue and candidate."""
    asked = found.asked
    beside = bool(company.flows)
    done = {"transfer": "done in s", "requests": "p95 answer s"}.get(asked.job.kind)
    late = asked.job.kind == "stream"
    header = [
        "queue MB", "loaded RTT ms", "cc", "goodput Mbit/s", *([done] if done else []),
        *(["p95 late ms"] if late else []), "RTT ms", "resent %", *(["each other Mbit/s", "harm %"] if beside else []),
        "right",
    ]  # fmt: skip
    rows = []
    for place in (each for each in found.places if each.company == company):
        for outcome in place.outcomes:
            first = outcome is place.outcomes[0]
            rows.append([
                trimmed(place.buffer_bytes / 1e6) if first else "",
                trimmed(asked.loaded_rtt_ns(place.buffer_bytes) / 1e6) if first else "",
                outcome.candidate, _between(outcome.goodput_bps, 1e-6),
                *([_between(outcome.done_s, 1.0)] if done else []), *([_between(outcome.late_s, 1e3)] if late else []),
                _between(outcome.rtt_s, 1e3), amount(outcome.resent, scale=100),
                *([amount(outcome.other_bps, scale=1e-6), _harm_of(outcome)] if beside else []),
                _says(place) if first else "",
            ])  # fmt: skip
    return header, rows


def as_object(found: Advice, *, seconds: float, engine: str) -> dict[str, Any]:
    """The answer as JSON has it."""
    asked = found.asked
    return {
        "schema": 1,
        "recommendation": found.recommendation,
        "reason": f"{_advice(found)} {_why(found)}",
        "goal": asked.goal,
        "everywhere": found.everywhere,
        "flips_at": [
            {
                "company": each.company.name, "below": each.below, "above": each.above,
                "buffer_bytes": round(each.buffer_bytes), "buffer_bdp": round(asked.buffer_bdp(each.buffer_bytes), 3),
                "loaded_rtt_s": round(asked.loaded_rtt_ns(each.buffer_bytes) / NS_PER_S, 6),
            }
            for each in found.flips
        ],
        "table": [_row(found, place, outcome) for place in found.places for outcome in place.outcomes],
        "regret": {name: {"most": most, "mean": mean} for name, (most, mean) in found.regret.items()},
        "harm": found.harm,
        "inside_validated": found.inside_validated,
        "outside": found.outside or None,
        "seeds": list(found.seeds),
        "engine": engine,
        "wall_s": round(seconds, 3),
    }  # fmt: skip


def _row(found: Advice, place: Place, outcome: Outcome) -> dict[str, Any]:
    asked = found.asked
    return {
        "company": place.company.name, "buffer_bytes": place.buffer_bytes,
        "buffer_bdp": round(asked.buffer_bdp(place.buffer_bytes), 4),
        "loaded_rtt_s": round(asked.loaded_rtt_ns(place.buffer_bytes) / NS_PER_S, 6), "cc": outcome.candidate,
        "goodput_bps": _bounds(outcome.goodput_bps), "completion_s": _bounds(outcome.done_s),
        "late_s": _bounds(outcome.late_s), "rtt_s": _bounds(outcome.rtt_s), "retransmit_rate": outcome.resent,
        "neighbour_bps": outcome.other_bps, "harm": outcome.harm, "best": place.best, "verdict": place.verdict,
    }  # fmt: skip


def _bounds(interval: Interval | None) -> dict[str, float] | None:
    return None if interval is None else {"value": interval.value, "low": interval.low, "high": interval.high}


def _path(asked: Question) -> str:
    drain = f"{trimmed(asked.bdp_bytes / 1e6)} MB = {_ms(asked.rtt_ns)} of queue"
    sizes = [trimmed(each / 1e6) for each in (asked.buffers_bytes[0], asked.buffers_bytes[-1])]
    queue = (
        f"queue of {sizes[0]} MB, {trimmed(asked.buffer_bdp(asked.buffers_bytes[0]))} BDP"
        if asked.known_buffer
        else f"queue not given: {sizes[0]} to {sizes[1]} MB tried"
    )
    loss = f", {percent(asked.loss_ppb / 1e9)} random loss" if asked.loss_ppb else ""
    company = "" if asked.known_company else " Company not given: each case tried."
    return (
        f"{Rate.show(asked.rate_bps)}, {_ms(asked.rtt_ns)}, drop-tail{loss}; 1 BDP = {drain}; {queue}."
        f" {asked.job.words[0].upper()}{asked.job.words[1:]}, for {asked.goal}.{company}"
    )


def _advice(found: Advice) -> str:
    if all(each.verdict == "no matter" and not each.harmful for each in found.places):
        return f"KEEP {_name(DEFAULT)}: no difference that matters (below {percent(MATTERS)}, or within the interval)."
    chosen = DEFAULT if found.recommendation == "keep" else found.recommendation
    told = f"KEEP {_name(DEFAULT)}" if found.recommendation == "keep" else f"USE {_name(chosen)}"
    if found.everywhere:
        return f"{told}, whatever the queue and the company." if len(found.places) > 1 else f"{told}."
    parts = []
    for flip in found.flips:
        loaded = _ms(found.asked.loaded_rtt_ns(flip.buffer_bytes))
        other = flip.below if flip.above == chosen else flip.above
        side = "below" if flip.above == chosen else "above"
        where = f" ({flip.company.name})" if len(found.asked.company) > 1 else ""
        parts.append(
            f"RTT under load {side} {loaded}, a queue of {trimmed(flip.buffer_bytes / 1e6)} MB{where}: {_name(other)}"
        )
    elsewhere = [
        each.company.name
        for each in found.places
        if each.best != chosen and not any(flip.company == each.company for flip in found.flips)
    ]
    parts += [f"{name}: not {_name(chosen)}" for name in dict.fromkeys(elsewhere)]
    return f"{told}, unless: {'; '.join(parts)}." if parts else f"{told}."


def _why(found: Advice) -> str:
    told = [each for each in found.places if each.verdict == "ahead"]
    if not told:
        return "No candidate is ahead by more than chance and the model's error."
    parts = []
    for name in dict.fromkeys(each.best for each in told):
        own = [each for each in told if each.best == name]
        most = max(own, key=lambda each: each.gain)
        parts.append(
            f"{_name(name)} is ahead in {len(own)} of {counted(len(found.places), 'case')}, at most by"
            f" {percent(most.gain)} ({trimmed(found.asked.buffer_bdp(most.buffer_bytes))} BDP, {most.company.name})"
        )
    return "; ".join(parts) + "."


def _if_wrong(found: Advice) -> str:
    parts = [
        f"{_name(name)} costs at most {percent(most)}, {percent(mean)} in the mean over the cases"
        for name, (most, mean) in found.regret.items()
    ]
    return "; ".join(parts) + "."


def _harm(found: Advice) -> str:
    harmful = {
        name: max(own.harm or 0.0 for each in found.places for own in each.outcomes if own.candidate == name)
        for name in found.asked.candidates
    }
    told = [f"{_name(name)} takes up to {percent(most)}" for name, most in harmful.items() if most > MOST_HARM]
    if not any(each.company.flows for each in found.places):
        return "nobody else was said to be there."
    if not told:
        return f"none takes more than {percent(MOST_HARM)} from the others beyond what one more {_name(DEFAULT)} does."
    return f"{'; '.join(told)} from the others, beyond what one more {_name(DEFAULT)} does."


def _to_know(found: Advice) -> str:
    if not found.asked.known_buffer:
        return "ping while a CUBIC upload runs for 20 s, then: dumbbell advise … --loaded-rtt THAT"
    if not found.asked.known_company:
        return "who else is on the line: dumbbell advise … --beside cubic:3"
    return "measure both in turns on the host: dumbbell advise tells a model's answer."


def _tree(found: Advice) -> str:
    asked = found.asked
    by_queue = {cao_tree(asked.rate_bps, buffer) for buffer in asked.buffers_bytes}
    said = _name(by_queue.pop()) if len(by_queue) == 1 else "BBR in shallow queues, CUBIC in deep ones"
    return f"Cao et al.'s of 2019, printed for lone flows on their testbed, would have said {said}."


def _says(place: Place) -> str:
    harms = ", harms" if place.best in place.harmful else ""
    if place.verdict == "no matter":
        left = [name for name in place.harmful if name != place.best]
        return f"{_name(place.best)}: {left[0]} harms" if left else "no matter"
    return f"{_name(place.best)}{harms}" if place.verdict == "ahead" else "either"


def _name(cc: str) -> str:
    return {"bbr": "BBR", "cubic": "CUBIC", "reno": "Reno"}.get(cc, cc)


def _harm_of(outcome: Outcome) -> str:
    """In %, to the whole: what the others lose has no more digits."""
    return ABSENT if outcome.harm is None else f"{100 * outcome.harm:+.0f}"


def _between(interval: Interval | None, factor: float) -> str:
    return ABSENT if interval is None else amount(interval.value, interval.half, factor)


def _ms(ns: float) -> str:
    return f"{trimmed(ns / 1e6)} ms"
