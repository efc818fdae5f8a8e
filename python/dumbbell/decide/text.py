"""Advice in twenty lines, and as one object of JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from dumbbell.decide.advice import MOST_HARM, Advice, Place, exceptions, score
from dumbbell.decide.question import DEFAULT, name_of
from dumbbell.decide.rules import cao_tree
from dumbbell.decide.trials import duration_s, runs_full_transfer
from dumbbell.metrics.contrast import MATTERS
from dumbbell.metrics.number import ABSENT, counted, elapsed, percent, rough_percent, span, trimmed
from dumbbell.metrics.sharing import gain
from dumbbell.spec.quantity import Rate
from dumbbell.tables.table import Amount, Table
from dumbbell.units import NS_PER_S

if TYPE_CHECKING:
    from collections.abc import Callable

    from dumbbell.decide.outcome import Interval, Outcome
    from dumbbell.decide.question import Company, Question

    _Of = Callable[[Outcome], Interval | None]


GOODPUT: Final = "Goodput (Mbit/s)"


def lines(advice: Advice) -> Iterator[tuple[str, str]]:
    """Each paragraph of the answer above its table: what it is about, and the words."""
    question = advice.question
    yield "Path", _path(question)
    yield "Advice", _advice(advice)
    yield "Why", _why(advice)
    yield "If wrong", _if_wrong(advice)
    yield "Harm", _harm(advice)
    yield "To know", _to_know(advice)


def below(advice: Advice, *, seconds: float, engine: str, kernel: str = "Linux 6.1") -> Iterator[tuple[str, str]]:
    fewest, most = advice.seeds
    seeds = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    validation = (
        f"inside what was validated against {kernel} and real hosts (docs/validation.md)"
        if advice.inside_validated
        else f"outside of what was validated against {kernel}: {advice.outside}"
    )
    yield (
        "Sure?",
        (
            f"95 % intervals of what five trials would give: {seeds} seeds of {_length(advice.question)} and the"
            f" model's error; {engine}, {elapsed(seconds)}; {validation}."
        ),
    )
    yield "The tree", _tree(advice)
    if advice.recommendation != "keep":
        yield (
            "Try it",
            f"sysctl -w net.ipv4.tcp_congestion_control={advice.chosen}; undo: ={DEFAULT}. `bbr` is version 1.",
        )
    yield "More", "--engine linux carries it out on the kernel, `advise map` draws it, --json is for scripts."


def table(advice: Advice, company: Company) -> Table:
    """What each candidate comes to in some company, a row a queue: what counts with intervals, the rest as `bbr/cubic`.

    Queues are in MB, with the RTT in ms while they are full; `others` is what each neighbour has, in Mbit/s.
    """
    question = advice.question
    names, counts = question.candidates, _counts(question)
    sides: dict[str, tuple[_Of, float, str]] = {}
    if counts.label != GOODPUT and not company.flows:
        sides["Mbit/s"] = (lambda each: each.goodput_bps, 1e-6, "")
    sides["RTT ms"] = (lambda each: each.rtt_s, 1e3, "")
    sides["resent %"] = (lambda each: each.resent, 100, ".1f")
    if company.flows:
        sides["others"] = (lambda each: each.other_bps, 1e-6, "")
    header = ["MB", "loaded", *names, *sides, "right"]
    rows = [
        [
            trimmed(place.buffer_bytes / 1e6), trimmed(question.loaded_rtt_ns(place.buffer_bytes) / 1e6),
            *(_between(counts.of(place.of(name)), counts.factor) for name in names),
            *(
                "/".join(_plain(of(place.of(name)), factor, form) for name in names)
                for of, factor, form in sides.values()
            ),
            _says(place),
        ]
        for place in advice.places if place.company == company
    ]  # fmt: skip
    return Table.of(header, rows, keys=2)


def caption(advice: Advice, company: Company) -> str:
    """What the table of some company is about."""
    counts = _counts(advice.question)
    return (
        f"{counts.label} of {' and '.join(advice.question.candidates)}, {company.name}; loaded: RTT in ms, queue full"
    )


class _Counts(NamedTuple):
    label: str
    of: _Of
    factor: float


def _counts(question: Question) -> _Counts:
    if question.job.kind == "stream":
        return _Counts("Lateness (95th percentile, ms)", lambda each: each.late_s, 1e3)
    if question.job.kind == "requests":
        return _Counts("Answers (95th percentile, s)", lambda each: each.done_s, 1.0)
    if question.job.kind == "transfer":
        return _Counts("Completion (s)", lambda each: each.done_s, 1.0)
    return _Counts(GOODPUT, lambda each: each.goodput_bps, 1e-6)


def as_object(advice: Advice, *, seconds: float, engine: str) -> dict[str, Any]:
    """The answer as JSON has it."""
    question = advice.question
    return {
        "schema": 1,
        "recommendation": advice.recommendation,
        "reason": f"{_advice(advice)} {_why(advice)}",
        "goal": question.goal,
        "everywhere": advice.everywhere,
        "flips_at": [
            {
                "company": each.company.name, "below": each.below, "above": each.above,
                "buffer_bytes": round(each.buffer_bytes),
                "buffer_bdp": round(question.buffer_bdp(each.buffer_bytes), 3),
                "loaded_rtt_s": round(question.loaded_rtt_ns(each.buffer_bytes) / NS_PER_S, 6),
            }
            for each in advice.flips
        ],
        "table": [_row(advice, place, outcome) for place in advice.places for outcome in place.outcomes],
        "regret": {name: {"most": most, "mean": mean} for name, (most, mean) in advice.regret.items()},
        "harm": _bounds(advice.harm),
        "inside_validated": advice.inside_validated,
        "outside": advice.outside or None,
        "seeds": list(advice.seeds),
        "engine": engine,
        "wall_s": round(seconds, 3),
    }  # fmt: skip


def _row(advice: Advice, place: Place, outcome: Outcome) -> dict[str, Any]:
    question = advice.question
    return {
        "company": place.company.name, "buffer_bytes": place.buffer_bytes,
        "buffer_bdp": round(question.buffer_bdp(place.buffer_bytes), 4),
        "loaded_rtt_s": round(question.loaded_rtt_ns(place.buffer_bytes) / NS_PER_S, 6), "cc": outcome.candidate,
        "goodput_bps": _bounds(outcome.goodput_bps), "completion_s": _bounds(outcome.done_s),
        "late_s": _bounds(outcome.late_s), "rtt_s": _bounds(outcome.rtt_s), "retransmit_rate": _bounds(outcome.resent),
        "neighbour_bps": _bounds(outcome.other_bps), "harm": _bounds(outcome.harm),
        "delay_harm": _bounds(outcome.delay_harm), "best": place.best, "verdict": place.verdict,
    }  # fmt: skip


def _bounds(interval: Interval | None) -> dict[str, float] | None:
    return None if interval is None else {"value": interval.value, "low": interval.low, "high": interval.high}


def _path(question: Question) -> str:
    drain = f"{trimmed(question.bdp_bytes / 1e6, ' MB')} = {_ms(question.rtt_ns)} of queue"
    least, most = question.buffers_bytes[0], question.buffers_bytes[-1]
    queue = (
        f"queue of {trimmed(least / 1e6, ' MB')}, {trimmed(question.buffer_bdp(least), ' BDP')}"
        if question.known_buffer
        else f"queue not given: {span(least / 1e6, most / 1e6, ' MB')} tried"
    )
    loss = f", {percent(question.loss_ppb / 1e9)} random loss" if question.loss_ppb else ""
    company = "" if question.known_company else " Company not given: each case tried."
    return (
        f"{Rate.show(question.rate_bps)}, {_ms(question.rtt_ns)}, drop-tail{loss}; 1 BDP = {drain}; {queue}."
        f" {question.job.description[0].upper()}{question.job.description[1:]}, for {question.goal}.{company}"
    )


def _advice(advice: Advice) -> str:
    if all(each.verdict == "no matter" and not each.harmful for each in advice.places):
        return (
            f"{keep(advice.question)}: no difference that matters (below {percent(MATTERS)}, or within the interval)."
        )
    headline = keep(advice.question) if advice.recommendation == "keep" else f"USE {name_of(advice.chosen)}"
    if advice.everywhere:
        return f"{headline}, whatever the queue and the company." if len(advice.places) > 1 else f"{headline}."
    parts = [
        f"{name_of(best)} {_between_queues(advice.question, low, high)}"
        + (f" ({company.name})" if len(advice.question.company) > 1 else "")
        for company, best, low, high in exceptions(advice)
    ]
    return f"{headline}, but {'; '.join(parts)}." if parts else f"{headline}."


def keep(question: Question) -> str:
    """What hosts have is no candidate if somebody asks about others alone."""
    return f"KEEP {name_of(DEFAULT)}" if question.default == DEFAULT else "KEEP WHAT YOU HAVE"


def _between_queues(question: Question, low: float | None, high: float | None) -> str:
    """Which queues, as an RTT under load that somebody can measure."""
    known = [each for each in (low, high) if each is not None]
    if not known:
        return "whatever the queue"
    loaded = " to ".join(_ms(question.loaded_rtt_ns(each)) for each in known)
    side = "" if len(known) > 1 else "above " if high is None else "below "
    return f"where the RTT under load is {side}{loaded} (a queue of {span(known[0] / 1e6, known[-1] / 1e6, ' MB')})"


def _why(advice: Advice) -> str:
    decided_places = [each for each in advice.places if each.verdict == "ahead"]
    forgone = _forgone(advice)
    if not decided_places:
        return forgone or "No candidate is ahead by more than chance and the model's error."
    parts = []
    for name in dict.fromkeys(each.best for each in decided_places):
        own = [each for each in decided_places if each.best == name]
        most = max(own, key=lambda each: each.gain)
        queue = trimmed(advice.question.buffer_bdp(most.buffer_bytes), " BDP")
        parts.append(
            f"{name_of(name)} is ahead in {len(own)} of {counted(len(advice.places), 'case')}, at most by"
            f" {percent(most.gain)} ({queue}, {most.company.name})"
        )
    return " ".join(filter(None, [f"{'; '.join(parts)}.", forgone, _mechanism(advice.question, decided_places)]))


def _forgone(advice: Advice) -> str:
    """What candidates would have that balanced advice leaves out."""
    if advice.question.goal != "balanced":
        return ""
    parts = []
    for name in advice.question.candidates:
        own = [
            gain(score(advice.question, each.of(name)), score(advice.question, each.of(each.best))) or 0.0
            for each in advice.places
            if name in each.harmful and name != each.best
        ]
        if own and max(own) > MATTERS:
            cases = counted(len(own), "case")
            parts.append(
                f"{name_of(name)} would have up to {percent(max(own))} more in {cases}, at the others' expense."
            )
    return " ".join(parts)


def _mechanism(question: Question, decided_places: Sequence[Place]) -> str:
    """What is known of the cause, for BBR and bulk traffic: short queues are its own, long ones are not."""
    if question.job.kind not in {"bulk", "transfer"}:
        return ""
    first = decided_places[0]
    if not any(each.best.startswith("bbr") for each in decided_places):
        alone = not any(each.company.flows for each in decided_places)
        return "Alone BBR leaves some of the line: its pacing's margin, and a drain every 10 s." if alone else ""
    if first.best.startswith("bbr") and any(each.best == DEFAULT for each in decided_places):
        return (
            f"In short queues {name_of(DEFAULT)} backs off at every drop and BBR does not; in long ones it fills the"
            " queue, which BBR does not."
        )
    return ""


def _if_wrong(advice: Advice) -> str:
    parts = [
        f"{name_of(name)} costs at most {percent(most)}, {percent(mean)} in the mean over the cases"
        for name, (most, mean) in advice.regret.items()
    ]
    return "; ".join(parts) + "."


def _harm(advice: Advice) -> str:
    if not any(each.company.flows for each in advice.places):
        return "nobody else was said to be there."
    parts = [part for name in advice.question.candidates for part in _harm_by(advice, name)]
    beyond = f"beyond what one more {name_of(DEFAULT)} does"
    if not parts:
        return f"none takes more than {percent(MOST_HARM)} from the others, or delays them by more, {beyond}."
    return f"{'; '.join(parts)}, {beyond}."


def _harm_by(advice: Advice, name: str) -> Iterator[str]:
    """What a candidate may do to the others at worst, where that may be too much."""
    own = [each.of(name) for each in advice.places]
    for harms, template in (
        ([each.harm for each in own if each.harm], "takes {} from the others"),
        ([each.delay_harm for each in own if each.delay_harm], "lengthens their RTT by {} (95th percentile)"),
    ):
        most = max(harms, key=lambda each: each.value, default=None)
        if most is not None and most.high > MOST_HARM:
            at_worst = "up to " if len(own) > 1 else ""
            worst = at_worst + rough_percent(most.value, most.low, most.high)
            yield f"{name_of(name)} {template.format(worst)}"


def _to_know(advice: Advice) -> str:
    if not advice.question.known_buffer:
        return "ping while a CUBIC upload runs for 20 s, then: dumbbell advise … --loaded-rtt THAT"
    if not advice.question.known_company:
        return "who else is on the line: dumbbell advise … --beside cubic:3"
    return "measure both in turns on the host: dumbbell advise tells a model's answer."


def _length(question: Question) -> str:
    if question.job.kind == "requests" or (question.job.kind == "transfer" and runs_full_transfer(question)):
        return f"the whole {question.job.kind}"
    length = trimmed(round(duration_s(question)), " s")
    return length if question.job.kind == "transfer" else f"{length}, their last two thirds,"


def _tree(advice: Advice) -> str:
    question = advice.question
    by_queue = {cao_tree(question.rate_bps, buffer) for buffer in question.buffers_bytes}
    said = name_of(by_queue.pop()) if len(by_queue) == 1 else "BBR in shallow queues, CUBIC in deep ones"
    return f"Cao et al.'s of 2019, printed for lone flows on their testbed, would have said {said}."


def _says(place: Place) -> str:
    harms = ", harms" if place.best in place.harmful else ""
    if place.verdict == "no matter":
        left = [name for name in place.harmful if name != place.best]
        return f"{name_of(place.best)}: harm" if left else "no matter"
    return f"{name_of(place.best)}{harms}" if place.verdict == "ahead" else "either"


def _between(interval: Interval | None, factor: float) -> Amount | None:
    return None if interval is None else Amount(interval.value, interval.half, factor)


def _plain(interval: Interval | None, factor: float, form: str) -> str:
    """Beside others in one cell: two digits tell which is more."""
    if interval is None:
        return ABSENT
    value = factor * interval.value
    return f"{value:{form or ('.2g' if value < 99.5 else '.0f')}}"  # noqa: PLR2004 (which would be 1e+02)


def _ms(ns: float) -> str:
    return trimmed(ns / 1e6, " ms")
