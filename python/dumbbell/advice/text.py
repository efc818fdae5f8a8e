"""Advice in five lines, its details, and as one object of JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from dumbbell.advice.advice import Advice, Place, judged, score, score_name, worst
from dumbbell.advice.exceptions import Segment, by_company, exceptions, segments
from dumbbell.advice.outcome import MOST_HARM, VALUES
from dumbbell.advice.question import ANY_ORDER, DEFAULT, name_of
from dumbbell.advice.rules import cao_tree
from dumbbell.advice.trials import STEP_S, duration_s
from dumbbell.metrics.contrast import MATTERS
from dumbbell.metrics.number import ABSENT, counted, elapsed, percent, percent_span, rough_percent, span, trimmed
from dumbbell.spec.frame import FRAME_BYTES
from dumbbell.spec.quantity import Rate
from dumbbell.spec.queue import FIFO
from dumbbell.tables.table import Amount, Table
from dumbbell.units import NS_PER_S

if TYPE_CHECKING:
    from dumbbell.advice.outcome import Interval
    from dumbbell.advice.question import Company, Order, Question

KERNEL: Final = "Linux 6.1"
"""What the simulator was validated against."""
GOODPUT: Final = ("Goodput (Mbit/s)", "goodput_bps", 1e-6, "Mbit/s")
RTT: Final = ("RTT (ms)", "rtt_s", 1e3, "ms of RTT")
COUNTS: Final = {
    "stream": ("Lateness (95th percentile, ms)", "late_s", 1e3, "ms late"),
    "requests": ("Answers (95th percentile, s)", "completion_s", 1.0, "s"),
    "transfer": ("Completion (s)", "completion_s", 1.0, "s"),
}  # fmt: skip
"""What counts for a job, which of an outcome's values that is, the factor to its unit, and that."""
AHEAD: Final = {
    "goodput": "has {} more goodput", "speed": "is {} faster", "promptness": "is {} prompter",
    "fairness": "shares {} more evenly",
}  # fmt: skip
"""What a candidate does that is ahead, by what the goal asks for."""
CHANGES: Final = {"goodput": "goodput", "speed": "time", "promptness": "delay", "fairness": "evenness"}
"""What another choice changes, likewise; times are one over what is asked for."""
SHORT_MS: Final = 20.0
"""Below it a ping has a digit behind the point."""
MOST_EXCEPTIONS: Final = 2
MOST_LETTERS: Final = 600
"""Of an answer: it is read aloud in half a minute."""
ORDER: Final[dict[Order, str]] = {"joins": "you join them", "first": "they join you", "together": "all start at once"}
"""When the flow that is asked about starts, after `where`."""


def answer(advice: Advice) -> Iterator[tuple[str, str]]:
    """The five lines: what to use, why, when not, how sure that is, and what to do next; `MOST_LETTERS` at most."""
    lines: dict[str, str] = {}
    for brief, most in ((False, MOST_EXCEPTIONS), (True, MOST_EXCEPTIONS), (True, 1)):
        lines = dict(_lines(advice, headline(advice, brief=brief), most))
        if sum(len(label) + len(text) for label, text in lines.items()) <= MOST_LETTERS:
            break
    yield from lines.items()


def _lines(advice: Advice, first: str, most_exceptions: int) -> Iterator[tuple[str, str]]:
    yield "Answer", first
    yield "Why", _why(advice)
    yield "When not", _when_not(advice, most_exceptions)
    yield "Sure?", _sure(advice)
    yield "Next", _next(advice)


def headline(advice: Advice, *, brief: bool = False) -> str:
    """What to use; `brief`: without the queues that it depends on in each company."""
    question, chosen = advice.question, name_of(advice.chosen)
    if advice.headline == "open":
        return "Nobody can say from these cases: chance decides more than the algorithm."
    if advice.headline == "no matter":
        return f"It does not matter which: {verb(question, advice.chosen)} {chosen}."
    if advice.headline == "one":
        return f"{verb(question, advice.chosen).capitalize()} {chosen}."
    groups = list(by_company(advice))
    if len(groups) > 1:
        parts = [f"{_of_companies(of)}: {_within(question, places, brief=brief)}." for of, places in groups]
        return f"It depends on who else is on the line. {' '.join(parts)}"
    ((_, places),) = groups
    return f"It depends on the queue. {_within(question, places)}."


def verb(question: Question, chosen: str) -> str:
    """What is done about an algorithm: kept where it runs today, used where another one does or nobody says."""
    return "keep" if question.now == chosen else "use"


def _within(question: Question, places: Sequence[Place], *, brief: bool = False) -> str:
    """The answer in one company, or in several that have the same."""
    headline, chosen = judged(question, places)
    if headline == "open":
        return "nobody can say"
    if headline == "no matter":
        return "no matter which"
    if headline == "one":
        return name_of(chosen)
    if brief:
        return "as the queue is"
    parts = [each for each in segments(places, chosen) if not each.is_island]
    texts = [f"{name_of(each.candidate)}{_under_load(question, each)}" for each in parts]
    return ", ".join(texts) if len(texts) <= MOST_EXCEPTIONS else "no simple rule, see --details"


def _of_companies(companies: Sequence[Company]) -> str:
    """With whom on the line."""
    first = companies[0]
    if not first.flows:
        return "Alone"
    if first.cc is None:
        return "If all others switch"
    flows = f"{span(first.flows, companies[-1].flows)} {name_of(first.cc)}"
    return f"With {flows}"


def _under_load(question: Question, segment: Segment) -> str:
    """Which queues, as the RTT under load that somebody can measure."""
    low, high = (_ping_ms(question, each) for each in (segment.low_bytes, segment.high_bytes))
    if low is not None and high is not None:
        return f" with a ping under load of {span(low, high, ' ms')}"
    if low is not None:
        return f" with a ping under load above {trimmed(low, ' ms')}"
    return "" if high is None else f" with a ping under load below {trimmed(high, ' ms')}"


def _ping_ms(question: Question, buffer_bytes: float | None) -> float | None:
    """While the queue is full, as far as somebody would read it."""
    if buffer_bytes is None:
        return None
    ms = question.loaded_rtt_ns(buffer_bytes) / 1e6
    return round(ms, 1) if ms < SHORT_MS else round(ms)


def _why(advice: Advice) -> str:
    """What the chosen one has over the strongest other one, and what that one would cost oneself and the others."""
    question, chosen = advice.question, advice.chosen
    other = _rival(advice)
    decided = [each for each in advice.places if each.verdict != "open"]
    if advice.headline == "open":
        return f"What differs may be chance in {len(advice.places) - len(decided)} of {_cases(advice)}."
    cases = f"of {_cases(advice)}"
    harmful = [each for each in decided if other in each.harmful] if question.goal == "balanced" else []
    ahead = [each for each in decided if each.verdict == "ahead" and each.best == chosen]
    parts = []
    if harmful:
        shares = [harm.value for each in harmful if (harm := each.of(other).harm)]
        taken = percent_span(min(shares), max(shares))
        parts.append(
            f"{name_of(other)} takes {taken} from the others, beyond what one more {name_of(DEFAULT)} does,"
            f" in {len(harmful)} {cases}."
        )
    elif ahead:
        gains = [each.gain for each in ahead]
        more = AHEAD[score_name(question)].format(percent_span(min(gains), max(gains)))
        parts.append(f"{name_of(chosen)} {more} in {len(ahead)} {cases}.")
    elif decided:
        alike = [each for each in decided if each.verdict == "no matter"]
        all_of_them = "Both" if len(question.candidates) == 2 else "All"  # noqa: PLR2004
        parts.append(f"{all_of_them} are within {trimmed(100 * MATTERS, ' %')} of each other in {len(alike)} {cases}.")
    parts.append(_otherwise(advice, other))
    return " ".join(filter(None, parts))


def _rival(advice: Advice) -> str:
    """The candidate besides the chosen one that suits the most cases; of those that suit as many the first."""
    others = [each for each in advice.question.candidates if each != advice.chosen]
    return max(others, key=lambda each: sum(bool(place.suits(each)) for place in advice.places))


def _otherwise(advice: Advice, other: str) -> str:
    """What another choice changes, for oneself and for the others: over the cases that are decided."""
    question, chosen, own, theirs = advice.question, advice.chosen, [], []
    what = CHANGES[score_name(question)]
    for each in advice.places:
        if each.verdict == "open":
            continue
        new, old = (score(question, each.of(name)) for name in (other, chosen))
        own.append(_change(old, new) if what in {"time", "delay"} else _change(new, old))
        theirs.append(_change(*(
            goodput.value if (goodput := each.of(name).neighbour_bps) else 0.0 for name in (other, chosen)
        )))  # fmt: skip
    mine, others = ([change for change in some if change is not None] for some in (own, theirs))
    if not mine:
        return ""
    text = f"{name_of(other)} instead: {percent_span(min(mine), max(mine), signed=True)} {what} for you"
    return (
        f"{text}, {percent_span(min(others), max(others), signed=True)} goodput for the others."
        if others
        else f"{text}."
    )


def _change(new: float, old: float) -> float | None:
    """By which share something changes; None where there was nothing."""
    return new / old - 1 if old else None


def _cases(advice: Advice) -> str:
    return counted(len(advice.places), "case")


def _when_not(advice: Advice, most: int) -> str:
    """So many exceptions at most; the rest is counted."""
    question, parts = advice.question, []
    covered = 0
    if advice.headline == "one":
        for each in exceptions(advice)[:most]:
            where = _of_companies(each.companies) if len(question.company) > 1 else ""
            where = f"{where}{_under_load(question, each)}".strip()
            parts.append(f"{where[0].upper()}{where[1:]}: {name_of(each.candidate)}{_instead(advice, each)}.")
            covered += len(each.places)
        other = sum(each.suits(advice.chosen) is False for each in advice.places) - covered
        if other:
            parts.append(f"In {other} more of {_cases(advice)} another one is right.")
    if ordered := [each for each in advice.places if each.by_order]:
        parts.append(f"Who came first decides more than the algorithm in {len(ordered)} of {_cases(advice)}.")
    return " ".join(parts) or "Nothing that was tried."


def _instead(advice: Advice, segment: Segment) -> str:
    """What the right candidate has there and the chosen one has not, where the difference is largest."""
    question = advice.question
    most = max(segment.places, key=lambda each: each.gain)
    if question.goal == "balanced" and advice.chosen in most.harmful:
        harm = most.of(advice.chosen).harm
        return f", for {name_of(advice.chosen)} takes {rough_percent(harm.value)} from the others" if harm else ""
    _, name, factor, unit = _counts(question)
    here, there = (getattr(most.of(each), name) for each in (segment.candidate, advice.chosen))
    if question.goal == "fairness" or not (here and there):
        return ""
    return f", {trimmed(factor * here.value)} instead of {trimmed(factor * there.value, f' {unit}')}"


def _sure(advice: Advice) -> str:
    question = advice.question
    decided_places = sum(each.verdict != "open" for each in advice.places)
    word = "Yes" if decided_places == len(advice.places) else "Mostly" if advice.headline != "open" else "No"
    text = f"{word}: {decided_places} of {_cases(advice)} {'is' if len(advice.places) == 1 else 'are'} decided"
    text += f" by {seeds_text(advice.seeds)} of a model of {KERNEL}."
    if question.intervals == "hosts":
        text += " Intervals are of real hosts."
    if question.assumed:
        text += f" Preset {question.preset} assumes {', '.join(question.assumed)}."
    if question.link:
        given = ", ".join(f"--{name} {value}" for name, value in question.of_link) or "none of the options"
        text += f" Link {question.link} gives {given}, and the rest of its keys."
    if question.back_bps:
        text += f" The way back has {Rate.show(question.back_bps)}."
    untried = "AQM, Wi-Fi" if question.fills else "Wi-Fi"
    return f"{text} {'Outside of what was validated.' if advice.outside else f'Not tried: {untried}.'}"


def _next(advice: Advice) -> str:
    question = advice.question
    if not question.known_buffer:
        text = "Ping while a CUBIC upload runs for 20 s, then add --loaded-rtt THAT."
    elif not question.known_company:
        text = "Add --beside cubic:3, or none, once you know who shares the line."
    elif advice.headline == "one" and question.now != advice.chosen:
        text = f"Measure it: {try_it(advice.chosen)}."
    else:
        text = "Measure both in turns on the host."
    return f"{text} All cases: --details." if len(advice.places) > 1 else f"{text} The numbers: --details."


def details(advice: Advice, *, seconds: float, engine: str) -> Iterator[tuple[str, str]]:
    """What stands behind the answer."""
    question = advice.question
    yield "Path", _path(question)
    costs = [
        f"{name_of(name)} leaves at most {percent(each.most)} of the best, {percent(each.mean)} in the mean"
        for name, each in advice.regret.items()
    ]
    yield "Regret", f"{'; '.join(costs)}."
    yield "Harm", _harm(advice)
    if question.job.kind == "requests" or question.full_transfer:
        length = f"the whole {question.job.kind}"
    else:
        length = trimmed(round(duration_s(question)), " s")
        length += (
            ", then as its second half went on," if question.job.kind == "transfer" else ", their last two thirds,"
        )
    validation = f"outside of what was validated against {KERNEL}: {advice.outside}"
    if not advice.outside:
        validation = f"inside what was validated against {KERNEL} (docs/validation.md)"
    measurer = f"of {KERNEL} with the same starts" if question.intervals == "linux" else "on real hosts"
    yield (
        "Intervals",
        (
            f"95 %, of what five runs {measurer} would give: {seeds_text(advice.seeds)} of"
            f" {length} and the model's error; {engine}, {elapsed(seconds)}; {validation}."
        ),
    )
    if question.fills:  # it knows drop-tail queues
        of_tree = {cao_tree(question.rate_bps, buffer) for buffer in question.buffers_bytes}
        said = name_of(of_tree.pop()) if len(of_tree) == 1 else "BBR in shallow queues, CUBIC in deep ones"
        yield "The tree", f"Cao et al.'s of 2019, printed for lone flows on their testbed, would have said {said}."
    yield "Try it", f"{try_it(advice.chosen)}; undo: ={question.now or DEFAULT}. `bbr` is version 1."
    drawn = " `advise map` draws it," if question.fills else ""  # a map has drop-tail queues
    yield "More", f"--engine linux carries it out on the kernel,{drawn} --json is for scripts."


def seeds_text(seeds: tuple[int, int]) -> str:
    """How many there are, at least and at most.

    >>> seeds_text((1, 1)), seeds_text((3, 9))
    ('1 seed', '3 to 9 seeds')
    """
    return counted(1, "seed") if seeds == (1, 1) else f"{span(*seeds)} seeds"


def try_it(cc: str) -> str:
    """How a host changes to an algorithm."""
    return f"sysctl -w net.ipv4.tcp_congestion_control={cc}"


def job_and_goal(job: str, goal: str) -> str:
    """As a sentence begins."""
    return f"{job[0].upper()}{job[1:]}, for {goal}"


def tables(advice: Advice) -> Iterator[Table]:
    """Of each company one, with the values of each candidate before each queue.

    What counts has intervals, the rest is written as `bbr/cubic`. Of a queue it has the RTT while that is full, in ms,
    or where something keeps it short the frames that it holds at most; `others` is what each neighbour has, in Mbit/s.
    """
    question = advice.question
    names, (label, name_of_value, factor, _) = question.candidates, _counts(question)
    every = {
        "Mbit/s": ("goodput_bps", 1e-6, ""), "RTT ms": ("rtt_s", 1e3, ""), "resent %": ("retransmit_rate", 100, ".1f"),
        "others": ("neighbour_bps", 1e-6, ""),
    }  # fmt: skip
    for company in question.company:
        sides = {
            head: of
            for head, of in every.items()
            if of[0] != name_of_value
            and not (head == "Mbit/s" and company.flows)
            and (head != "others" or company.flows)
        }
        rows = []
        for place in advice.places:
            if place.company == company:
                outcomes = [place.of(name) for name in names]
                counts = [getattr(each, name_of_value) for each in outcomes]
                full = trimmed(question.loaded_rtt_ns(place.buffer_bytes) / 1e6)
                rows.append([
                    full if question.fills else f"{place.buffer_bytes // FRAME_BYTES:,}",
                    *(Amount(each.value, each.half, factor, limits=each.limits) if each else None for each in counts),
                    *(
                        "/".join(_plain(getattr(each, value), of, form) for each in outcomes)
                        for value, of, form in sides.values()
                    ),
                    _right(place),
                ])  # fmt: skip
        head, meaning = ("loaded", "RTT in ms, queue full") if question.fills else ("most", "packets in the queue")
        title = f"{label} of {' and '.join(names)}, {company.name}; {head}: {meaning}"
        yield Table.of([head, *names, *sides, "right"], rows, keys=1, title=title)


def _counts(question: Question) -> tuple[str, str, float, str]:
    """What counts, as `COUNTS` has it."""
    usual = RTT if question.goal == "latency" else GOODPUT
    return usual if usual is RTT and question.job.kind != "stream" else COUNTS.get(question.job.kind, usual)


def _plain(interval: Interval | None, factor: float, form: str) -> str:
    """Beside others in one cell: two digits tell which is more."""
    if interval is None:
        return ABSENT
    value = factor * interval.value
    return f"{value:{form or ('.2g' if value < 99.5 else '.0f')}}"  # noqa: PLR2004 (which would be 1e+02)


def _right(place: Place) -> str:
    if place.verdict == "open":
        return "who came first" if place.by_order else "either"
    if place.verdict == "no matter":
        return f"{name_of(place.acceptable[0])}: harm" if len(place.acceptable) == 1 else "no matter"
    return f"{name_of(place.best)}{', harms' if place.best in place.harmful else ''}"


def as_object(advice: Advice, *, seconds: float, engine: str) -> dict[str, Any]:
    """The answer as JSON has it."""
    question = advice.question
    return {
        "schema": 1,
        "recommendation": advice.recommendation,
        "headline": advice.headline,
        "chosen": advice.chosen,
        "answer": dict(answer(advice)),
        "reason": f"{headline(advice)} {_why(advice)}",
        "goal": question.goal,
        "starts": question.starts[0] if len(question.starts) == 1 else ANY_ORDER,
        "everywhere": advice.everywhere,
        "flips_at": [
            {"company": company.name, "below": below, "above": above} | queue_object(question, at, digits=3)
            for company, below, above, at in advice.flips()
        ],
        "table": [
            {
                "company": place.company.name, **queue_object(question, place.buffer_bytes), "cc": each.candidate,
                **{name: _bounds(getattr(each, name)) for name in VALUES}, "best": place.best, "verdict": place.verdict,
                "acceptable": each.candidate in place.acceptable if place.verdict != "open" else None,
                "by_order": dict(place.by_order) or None,
            }
            for place in advice.places for each in place.outcomes
        ],
        "regret": {name: each._asdict() for name, each in advice.regret.items()},
        "harm": _bounds(advice.harm),
        "intervals": question.intervals,
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
    if question.counts_packets:
        queue = f"queue of {least // FRAME_BYTES:,} packets at most"
    managed = "drop-tail" if question.qdisc == FIFO.kind else question.qdisc
    loss = f", {percent(question.loss_ppb / 1e9)} random loss" if question.loss_ppb else ""
    company = "" if question.known_company else " Company not given: each case tried."
    if any(each.flows for each in question.company):
        orders = " or ".join(ORDER[each] for each in question.starts)
        company += f" Starts: {orders}."
    rate = " and ".join(map(Rate.show, question.steps_bps)) or Rate.show(question.rate_bps)
    rate += f" in turns of {trimmed(STEP_S, ' s')}" if question.steps_bps else ""
    link = f"Link {question.link}: " if question.link else ""
    back = f", {Rate.show(question.back_bps)} back" if question.back_bps else ""
    return (
        f"{link}{rate}{back}, {_ms(question.rtt_ns)}, {managed}{loss}; 1 BDP = {drain}; {queue}."
        f" {job_and_goal(question.job.description, question.goal)}.{company}"
    )


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
