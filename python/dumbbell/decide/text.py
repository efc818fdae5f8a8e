"""Advice in twenty lines, and as one object of JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from dumbbell.decide.advice import MATTERS, MOST_HARM, Advice, Place, exceptions, score
from dumbbell.decide.question import DEFAULT, name_of
from dumbbell.decide.tree import cao_tree
from dumbbell.decide.trials import duration_s, whole_transfer
from dumbbell.metrics.number import ABSENT, amount, counted, percent, trimmed
from dumbbell.metrics.sharing import gain
from dumbbell.spec.quantity import Rate
from dumbbell.units import NS_PER_S

if TYPE_CHECKING:
    from collections.abc import Callable

    from dumbbell.decide.outcome import Interval, Outcome
    from dumbbell.decide.question import Company, Question

    Table = tuple[list[str], list[list[str]]]
    _Of = Callable[[Outcome], Interval | None]


GOODPUT: Final = "Goodput (Mbit/s)"


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
        f"inside what was validated against {kernel} and real hosts (docs/validation.md)"
        if found.inside_validated
        else f"outside of what was validated against {kernel}: {found.outside}"
    )
    yield (
        "Sure?",
        (
            f"95 % intervals of what five trials would give: {seeds} seeds of {_length(found.asked)} and the model's"
            f" error; {engine}, {seconds:.1f} s; {told}."
        ),
    )
    yield "The tree", _tree(found)
    if found.recommendation != "keep":
        yield (
            "Try it",
            f"sysctl -w net.ipv4.tcp_congestion_control={found.chosen}; undo: ={DEFAULT}. `bbr` is version 1.",
        )
    yield "More", "--engine linux carries it out on the kernel, --map FILE draws it, --json is for scripts."


def table(found: Advice, company: Company) -> Table:
    """What each candidate comes to in some company, a row a queue: what counts with intervals, the rest as `bbr/cubic`.

    Queues are in MB, with the RTT in ms while they are full; `others` is what each neighbour has, in Mbit/s.
    """
    asked = found.asked
    names, counts = asked.candidates, _counts(asked)
    sides: dict[str, tuple[_Of, float, str]] = {}
    if counts.words != GOODPUT and not company.flows:
        sides["Mbit/s"] = (lambda each: each.goodput_bps, 1e-6, "")
    sides["RTT ms"] = (lambda each: each.rtt_s, 1e3, "")
    sides["resent %"] = (lambda each: each.resent, 100, ".1f")
    if company.flows:
        sides["others"] = (lambda each: each.other_bps, 1e-6, "")
    header = ["MB", "loaded", *names, *sides, "right"]
    return header, [
        [
            trimmed(place.buffer_bytes / 1e6), trimmed(asked.loaded_rtt_ns(place.buffer_bytes) / 1e6),
            *(_between(counts.of(place.of(name)), counts.factor) for name in names),
            *(
                "/".join(_plain(of(place.of(name)), factor, form) for name in names)
                for of, factor, form in sides.values()
            ),
            _says(place),
        ]
        for place in found.places if place.company == company
    ]  # fmt: skip


def caption(found: Advice, company: Company) -> str:
    """What the table of some company is about."""
    counts = _counts(found.asked)
    return f"{counts.words} of {' and '.join(found.asked.candidates)}, {company.name}; loaded: RTT in ms, queue full"


class _Counts(NamedTuple):
    words: str
    of: _Of
    factor: float


def _counts(asked: Question) -> _Counts:
    """What the job is about."""
    if asked.job.kind == "stream":
        return _Counts("Lateness (95th percentile, ms)", lambda each: each.late_s, 1e3)
    if asked.job.kind == "requests":
        return _Counts("Answers (95th percentile, s)", lambda each: each.done_s, 1.0)
    if asked.job.kind == "transfer":
        return _Counts("Completion (s)", lambda each: each.done_s, 1.0)
    return _Counts(GOODPUT, lambda each: each.goodput_bps, 1e-6)


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
        "harm": _bounds(found.harm),
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
        "late_s": _bounds(outcome.late_s), "rtt_s": _bounds(outcome.rtt_s), "retransmit_rate": _bounds(outcome.resent),
        "neighbour_bps": _bounds(outcome.other_bps), "harm": _bounds(outcome.harm),
        "delay_harm": _bounds(outcome.delay_harm), "best": place.best, "verdict": place.verdict,
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
        return f"{keep(found.asked)}: no difference that matters (below {percent(MATTERS)}, or within the interval)."
    told = keep(found.asked) if found.recommendation == "keep" else f"USE {name_of(found.chosen)}"
    if found.everywhere:
        return f"{told}, whatever the queue and the company." if len(found.places) > 1 else f"{told}."
    parts = [
        f"{name_of(best)} {_between_queues(found.asked, low, high)}"
        + (f" ({company.name})" if len(found.asked.company) > 1 else "")
        for company, best, low, high in exceptions(found)
    ]
    return f"{told}, but {'; '.join(parts)}." if parts else f"{told}."


def keep(asked: Question) -> str:
    """What hosts have is no candidate if somebody asks about others alone."""
    return f"KEEP {name_of(DEFAULT)}" if asked.default == DEFAULT else "KEEP WHAT YOU HAVE"


def _between_queues(asked: Question, low: float | None, high: float | None) -> str:
    """Which queues, as an RTT under load that somebody can measure."""
    loaded = [None if each is None else _ms(asked.loaded_rtt_ns(each)) for each in (low, high)]
    sizes = [None if each is None else trimmed(each / 1e6) for each in (low, high)]
    if low is not None and high is not None:
        return f"where the RTT under load is {loaded[0]} to {loaded[1]} (a queue of {sizes[0]} to {sizes[1]} MB)"
    if low is None and high is None:
        return "whatever the queue"
    side, nth = ("above", 0) if high is None else ("below", 1)
    return f"where the RTT under load is {side} {loaded[nth]} (a queue of {sizes[nth]} MB)"


def _why(found: Advice) -> str:
    told = [each for each in found.places if each.verdict == "ahead"]
    forgone = _forgone(found)
    if not told:
        return forgone or "No candidate is ahead by more than chance and the model's error."
    parts = []
    for name in dict.fromkeys(each.best for each in told):
        own = [each for each in told if each.best == name]
        most = max(own, key=lambda each: each.gain)
        parts.append(
            f"{name_of(name)} is ahead in {len(own)} of {counted(len(found.places), 'case')}, at most by"
            f" {percent(most.gain)} ({trimmed(found.asked.buffer_bdp(most.buffer_bytes))} BDP, {most.company.name})"
        )
    return " ".join(filter(None, [f"{'; '.join(parts)}.", forgone, _mechanism(found.asked, told)]))


def _forgone(found: Advice) -> str:
    """What candidates would have that balanced advice leaves out."""
    if found.asked.goal != "balanced":
        return ""
    parts = []
    for name in found.asked.candidates:
        own = [
            gain(score(found.asked, each.of(name)), score(found.asked, each.of(each.best))) or 0.0
            for each in found.places
            if name in each.harmful and name != each.best
        ]
        if own and max(own) > MATTERS:
            cases = counted(len(own), "case")
            parts.append(
                f"{name_of(name)} would have up to {percent(max(own))} more in {cases}, at the others' expense."
            )
    return " ".join(parts)


def _mechanism(asked: Question, told: Sequence[Place]) -> str:
    """What is known of the cause, for BBR and bulk traffic: short queues are its own, long ones are not."""
    if asked.job.kind not in {"bulk", "transfer"}:
        return ""
    first = told[0]
    if not any(each.best.startswith("bbr") for each in told):
        alone = not any(each.company.flows for each in told)
        return "Alone BBR leaves some of the line: its pacing's margin, and a drain every 10 s." if alone else ""
    if first.best.startswith("bbr") and any(each.best == DEFAULT for each in told):
        return (
            f"In short queues {name_of(DEFAULT)} backs off at every drop and BBR does not; in long ones it fills the"
            " queue, which BBR does not."
        )
    return ""


def _if_wrong(found: Advice) -> str:
    parts = [
        f"{name_of(name)} costs at most {percent(most)}, {percent(mean)} in the mean over the cases"
        for name, (most, mean) in found.regret.items()
    ]
    return "; ".join(parts) + "."


def _harm(found: Advice) -> str:
    if not any(each.company.flows for each in found.places):
        return "nobody else was said to be there."
    told = [words for name in found.asked.candidates for words in _harm_by(found, name)]
    beyond = f"beyond what one more {name_of(DEFAULT)} does"
    if not told:
        return f"none takes more than {percent(MOST_HARM)} from the others, or delays them by more, {beyond}."
    return f"{'; '.join(told)}, {beyond}."


def _harm_by(found: Advice, name: str) -> Iterator[str]:
    """What a candidate may do to the others at worst, where that may be too much."""
    own = [each.of(name) for each in found.places]
    for harms, words in (
        ([each.harm for each in own if each.harm], "takes {} from the others"),
        ([each.delay_harm for each in own if each.delay_harm], "lengthens their RTT by {} (95th percentile)"),
    ):
        most = max(harms, key=lambda each: each.value, default=None)
        if most is not None and most.high > MOST_HARM:
            at_worst = "up to " if len(own) > 1 else ""
            span = f"{100 * most.value:.0f} % ({100 * most.low:.0f} to {100 * most.high:.0f})"
            yield f"{name_of(name)} {words.format(at_worst + span)}"


def _to_know(found: Advice) -> str:
    if not found.asked.known_buffer:
        return "ping while a CUBIC upload runs for 20 s, then: dumbbell advise … --loaded-rtt THAT"
    if not found.asked.known_company:
        return "who else is on the line: dumbbell advise … --beside cubic:3"
    return "measure both in turns on the host: dumbbell advise tells a model's answer."


def _length(asked: Question) -> str:
    """Of a run, in words."""
    if asked.job.kind == "requests" or (asked.job.kind == "transfer" and whole_transfer(asked)):
        return f"the whole {asked.job.kind}"
    return f"{duration_s(asked):.0f} s{'' if asked.job.kind == 'transfer' else ', their last two thirds,'}"


def _tree(found: Advice) -> str:
    asked = found.asked
    by_queue = {cao_tree(asked.rate_bps, buffer) for buffer in asked.buffers_bytes}
    said = name_of(by_queue.pop()) if len(by_queue) == 1 else "BBR in shallow queues, CUBIC in deep ones"
    return f"Cao et al.'s of 2019, printed for lone flows on their testbed, would have said {said}."


def _says(place: Place) -> str:
    harms = ", harms" if place.best in place.harmful else ""
    if place.verdict == "no matter":
        left = [name for name in place.harmful if name != place.best]
        return f"{name_of(place.best)}: harm" if left else "no matter"
    return f"{name_of(place.best)}{harms}" if place.verdict == "ahead" else "either"


def _between(interval: Interval | None, factor: float) -> str:
    return ABSENT if interval is None else amount(interval.value, interval.half, factor)


def _plain(interval: Interval | None, factor: float, form: str) -> str:
    """Beside others in one cell: two digits tell which is more."""
    if interval is None:
        return ABSENT
    value = factor * interval.value
    return f"{value:{form or ('.2g' if value < 99.5 else '.0f')}}"  # noqa: PLR2004 (which would be 1e+02)


def _ms(ns: float) -> str:
    return f"{trimmed(ns / 1e6)} ms"
