"""Advice in twenty lines, and as one object of JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from dumbbell.advice.advice import Advice, Place, score, worst
from dumbbell.advice.outcome import MOST_HARM, VALUES
from dumbbell.advice.question import DEFAULT, name_of
from dumbbell.advice.rules import cao_tree
from dumbbell.advice.trials import duration_s
from dumbbell.metrics.contrast import MATTERS
from dumbbell.metrics.number import ABSENT, counted, elapsed, percent, rough_percent, span, trimmed
from dumbbell.metrics.sharing import gain
from dumbbell.spec.quantity import Rate
from dumbbell.tables.table import Amount, Table
from dumbbell.units import NS_PER_S

if TYPE_CHECKING:
    from dumbbell.advice.outcome import Interval
    from dumbbell.advice.question import Question

KERNEL: Final = "Linux 6.1"
"""What the simulator was validated against."""
GOODPUT: Final = ("Goodput (Mbit/s)", "goodput_bps", 1e-6)
COUNTS: Final = {
    "stream": ("Lateness (95th percentile, ms)", "late_s", 1e3),
    "requests": ("Answers (95th percentile, s)", "completion_s", 1.0),
    "transfer": ("Completion (s)", "completion_s", 1.0),
}  # fmt: skip
"""What counts for a job, which of an outcome's values that is, and the factor to its unit."""


def lines(advice: Advice) -> Iterator[tuple[str, str]]:
    """Each paragraph of the answer above its table: what it is about, and the words."""
    yield "Path", _path(advice.question)
    yield "Advice", _advice(advice)
    yield "Why", _why(advice)
    costs = [
        f"{name_of(name)} costs at most {percent(each.most)}, {percent(each.mean)} in the mean over the cases"
        for name, each in advice.regret.items()
    ]
    yield "If wrong", f"{'; '.join(costs)}."
    yield "Harm", _harm(advice)
    if not advice.question.known_buffer:
        unknown = "ping while a CUBIC upload runs for 20 s, then: dumbbell advise … --loaded-rtt THAT"
    elif not advice.question.known_company:
        unknown = "who else is on the line: dumbbell advise … --beside cubic:3"
    else:
        unknown = "measure both in turns on the host: dumbbell advise tells a model's answer."
    yield "To know", unknown


def below(advice: Advice, *, seconds: float, engine: str) -> Iterator[tuple[str, str]]:
    """How sure the answer is, and what to do with it."""
    question = advice.question
    if question.job.kind == "requests" or question.full_transfer:
        length = f"the whole {question.job.kind}"
    else:
        length = trimmed(round(duration_s(question)), " s")
        length += "" if question.job.kind == "transfer" else ", their last two thirds,"
    validation = f"outside of what was validated against {KERNEL}: {advice.outside}"
    if not advice.outside:
        validation = f"inside what was validated against {KERNEL} and real hosts (docs/validation.md)"
    yield (
        "Sure?",
        (
            f"95 % intervals of what five trials would give: {seeds_text(advice.seeds)} of {length} and the model's"
            f" error; {engine}, {elapsed(seconds)}; {validation}."
        ),
    )
    of_tree = {cao_tree(question.rate_bps, buffer) for buffer in question.buffers_bytes}
    said = name_of(of_tree.pop()) if len(of_tree) == 1 else "BBR in shallow queues, CUBIC in deep ones"
    yield "The tree", f"Cao et al.'s of 2019, printed for lone flows on their testbed, would have said {said}."
    if advice.recommendation != "keep":
        yield "Try it", f"{try_it(advice.chosen)}. `bbr` is version 1."
    yield "More", "--engine linux carries it out on the kernel, `advise map` draws it, --json is for scripts."


def seeds_text(seeds: tuple[int, int]) -> str:
    """How many there are, at least and at most."""
    return f"{span(*seeds)} seeds"


def try_it(cc: str) -> str:
    """How a host changes to an algorithm, and back."""
    return f"sysctl -w net.ipv4.tcp_congestion_control={cc}; undo: ={DEFAULT}"


def job_and_goal(job: str, goal: str) -> str:
    """As a sentence begins."""
    return f"{job[0].upper()}{job[1:]}, for {goal}"


def tables(advice: Advice) -> Iterator[Table]:
    """Of each company one, with the values of each candidate before each queue.

    What counts has intervals, the rest is written as `bbr/cubic`. Queues are in MB, with the RTT in ms while they are
    full; `others` is what each neighbour has, in Mbit/s.
    """
    question = advice.question
    names, (label, name_of_value, factor) = question.candidates, COUNTS.get(question.job.kind, GOODPUT)
    for company in question.company:
        sides = {"RTT ms": ("rtt_s", 1e3, ""), "resent %": ("retransmit_rate", 100, ".1f")}
        if company.flows:
            sides["others"] = ("neighbour_bps", 1e-6, "")
        elif name_of_value != "goodput_bps":
            sides = {"Mbit/s": ("goodput_bps", 1e-6, ""), **sides}
        rows = []
        for place in advice.places:
            if place.company == company:
                outcomes = [place.of(name) for name in names]
                counts = [getattr(each, name_of_value) for each in outcomes]
                rows.append([
                    trimmed(place.buffer_bytes / 1e6), trimmed(question.loaded_rtt_ns(place.buffer_bytes) / 1e6),
                    *(Amount(each.value, each.half, factor) if each else None for each in counts),
                    *(
                        "/".join(_plain(getattr(each, value), of, form) for each in outcomes)
                        for value, of, form in sides.values()
                    ),
                    _right(place),
                ])  # fmt: skip
        title = f"{label} of {' and '.join(names)}, {company.name}; loaded: RTT in ms, queue full"
        yield Table.of(["MB", "loaded", *names, *sides, "right"], rows, keys=2, title=title)


def _plain(interval: Interval | None, factor: float, form: str) -> str:
    """Beside others in one cell: two digits tell which is more."""
    if interval is None:
        return ABSENT
    value = factor * interval.value
    return f"{value:{form or ('.2g' if value < 99.5 else '.0f')}}"  # noqa: PLR2004 (which would be 1e+02)


def _right(place: Place) -> str:
    if place.verdict == "open":
        return "either"
    if place.verdict == "no matter":
        return f"{name_of(place.best)}: harm" if {*place.harmful} - {place.best} else "no matter"
    return f"{name_of(place.best)}{', harms' if place.best in place.harmful else ''}"


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
            {"company": company.name, "below": below, "above": above} | queue_object(question, at, digits=3)
            for company, below, above, at in advice.flips()
        ],
        "table": [
            {
                "company": place.company.name, **queue_object(question, place.buffer_bytes), "cc": each.candidate,
                **{name: _bounds(getattr(each, name)) for name in VALUES}, "best": place.best, "verdict": place.verdict,
            }
            for place in advice.places for each in place.outcomes
        ],
        "regret": {name: each._asdict() for name, each in advice.regret.items()},
        "harm": _bounds(advice.harm),
        "inside_validated": not advice.outside,
        "outside": advice.outside or None,
        "seeds": list(advice.seeds),
        "engine": engine,
        "wall_s": round(seconds, 3),
    }  # fmt: skip


def queue_object(question: Question, buffer_bytes: float, digits: int = 4) -> dict[str, float]:
    """A queue as JSON has it."""
    return {
        "buffer_bytes": round(buffer_bytes),
        "buffer_bdp": round(question.buffer_bdp(buffer_bytes), digits),
        "loaded_rtt_s": round(question.loaded_rtt_ns(buffer_bytes) / NS_PER_S, 6),
    }


def _bounds(interval: Interval | None) -> dict[str, float] | None:
    return {"value": interval.value, "low": interval.low, "high": interval.high} if interval else None


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
        f" {job_and_goal(question.job.description, question.goal)}.{company}"
    )


def _advice(advice: Advice) -> str:
    question = advice.question
    if all(each.verdict == "no matter" and not each.harmful for each in advice.places):
        return f"{keep(question)}: no difference that matters (below {percent(MATTERS)}, or within the interval)."
    headline = keep(question) if advice.recommendation == "keep" else f"USE {name_of(advice.chosen)}"
    if advice.everywhere:
        return f"{headline}, whatever the queue and the company." if len(advice.places) > 1 else f"{headline}."
    parts = [
        f"{name_of(best)} {_between_queues(question, low, high)}"
        + (f" ({company.name})" if len(question.company) > 1 else "")
        for company, best, low, high in advice.exceptions()
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
    question, parts = advice.question, []
    for name in question.candidates if question.goal == "balanced" else ():
        own = [
            gain(score(question, each.of(name)), score(question, each.of(each.best))) or 0.0
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
    rights = [each.best for each in decided_places]
    if question.job.kind not in {"bulk", "transfer"}:
        return ""
    if not any(each.startswith("bbr") for each in rights):
        alone = not any(each.company.flows for each in decided_places)
        return "Alone BBR leaves some of the line: its pacing's margin, and a drain every 10 s." if alone else ""
    if rights[0].startswith("bbr") and DEFAULT in rights:
        return (
            f"In short queues {name_of(DEFAULT)} backs off at every drop and BBR does not; in long ones it fills the"
            " queue, which BBR does not."
        )
    return ""


def _harm(advice: Advice) -> str:
    if not any(each.company.flows for each in advice.places):
        return "nobody else was said to be there."
    parts = []
    for name in advice.question.candidates:
        own = [each.of(name) for each in advice.places]
        for most, template in (
            (worst(each.harm for each in own), "takes {} from the others"),
            (worst(each.delay_harm for each in own), "lengthens their RTT by {} (95th percentile)"),
        ):
            if most is not None and most.high > MOST_HARM:
                harm = ("up to " if len(own) > 1 else "") + rough_percent(most.value, most.low, most.high)
                parts.append(f"{name_of(name)} {template.format(harm)}")
    beyond = f"beyond what one more {name_of(DEFAULT)} does"
    if not parts:
        return f"none takes more than {percent(MOST_HARM)} from the others, or delays them by more, {beyond}."
    return f"{'; '.join(parts)}, {beyond}."


def _ms(ns: float) -> str:
    return trimmed(ns / 1e6, " ms")
