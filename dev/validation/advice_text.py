"""How often advice is right, and what it costs to follow it, as the tables of the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import fmean, median
from typing import TYPE_CHECKING, Final

from dumbbell.advice.outcome import MOST_HARM
from dumbbell.advice.question import DEFAULT
from dumbbell.advice.rules import SHALLOW
from dumbbell.comparison.strata import PLAIN
from dumbbell.metrics.contrast import MATTERS
from dumbbell.metrics.number import ABSENT, amount, percent
from dumbbell.metrics.sharing import gain, harm
from dumbbell.metrics.statistics import estimate
from dumbbell.tables.table import Table

if TYPE_CHECKING:
    from dev.validation.advice import AdviceRecord, Answer


OTHER: Final = "bbr"


def kinds(record: AdviceRecord) -> Iterator[tuple[str, list[Answer]]]:
    """All answers, and the parts of them that are told apart."""
    yield "all", list(record.answers)
    yield "alone", [each for each in record.answers if not each.flows]
    yield "beside others", [each for each in record.answers if each.flows]
    yield "0.1 to 0.6 BDP", [each for each in record.answers if each.hard]
    yield "plain paths", [each for each in record.answers if each.stratum == PLAIN]
    yield "0.1 to 0.6 BDP, alone", [each for each in record.answers if each.hard and not each.flows]


def coverage(answers: Sequence[Answer]) -> tuple[int, int]:
    """How many intervals contain the reference's mean, of how many."""
    covered = [
        own.told.low <= own.mean_bps <= own.told.high for each in answers for own in each.candidates.values()
    ]  # fmt: skip
    return sum(covered), len(covered)


def width(answers: Sequence[Answer]) -> float:
    """Of the intervals, as a share of the value: the median."""
    return median((own.told.high - own.told.low) / own.told.value for e in answers for own in e.candidates.values())


def real_gain(each: Answer) -> float:
    """Of the other candidate over the default, on the reference."""
    relative_gain = gain(each.candidates[OTHER].mean_bps, each.candidates[DEFAULT].mean_bps)
    assert relative_gain is not None  # noqa: S101 (bulk flows have some goodput)
    return relative_gain


def decided(each: Answer) -> bool:
    """The reference's own seeds say that one of both is ahead, and by an amount that matters."""
    pairs = zip(each.candidates[OTHER].measured, each.candidates[DEFAULT].measured, strict=True)
    difference = estimate([own - usual for own, usual in pairs])
    return abs(real_gain(each)) >= MATTERS and abs(difference.mean) > (difference.half_width or 0.0)


def right(each: Answer) -> bool:
    """The answer names the one that is ahead."""
    return each.verdict == "ahead" and each.right == (OTHER if real_gain(each) > 0 else DEFAULT)


POLICIES: Final[dict[str, Callable[[Answer], str]]] = {
    "advise --for goodput": lambda each: each.advised,
    f"BBR below {SHALLOW:g} BDP": lambda each: OTHER if each.buffer_bdp < SHALLOW else DEFAULT,
    "always BBR": lambda _: OTHER,
    "always CUBIC": lambda _: DEFAULT,
    "advise --for balanced": lambda each: each.balanced,
}


def regret(each: Answer, chosen: str) -> float:
    """What a choice leaves of the best candidate's goodput, on the reference: a share."""
    best = max(own.mean_bps for own in each.candidates.values())
    return 1 - each.candidates[chosen].mean_bps / best if best else 0.0


def real_harm(each: Answer, chosen: str) -> float:
    """What the others lose beside it, of what they have beside one flow more of the default: on the reference."""
    usual, own = (each.candidates[name].others for name in (DEFAULT, chosen))
    return harm(fmean(usual), fmean(own)) or 0.0 if usual and own else 0.0


def summary(record: AdviceRecord) -> str:
    if not record.answers:
        return "Nothing was compared"
    covered, of = coverage(record.answers)
    sure = [each for each in record.answers if decided(each)]
    return (
        f"{covered} of {of} intervals contain {record.reference.engine}'s mean ({percent(covered / of)}); where"
        f" {record.reference.engine} decides, the winner is right in {sum(map(right, sure))} of {len(sure)} answers"
    )


def intervals_table(record: AdviceRecord) -> Table:
    """Coverage, width and winners of each kind of question."""
    header = ["questions", "n", "intervals that hold", "median width", "decided by the kernel", "winner right"]
    rows = []
    for kind, own in kinds(record):
        if not own:
            continue
        covered, of = coverage(own)
        sure = [each for each in own if decided(each)]
        rows.append([
            kind, str(len(own)), f"{covered} of {of} ({percent(covered / of)})", percent(width(own)), str(len(sure)),
            f"{sum(map(right, sure))} of {len(sure)}" if sure else ABSENT,
        ])  # fmt: skip
    return Table.of(header, rows)


def regret_table(record: AdviceRecord) -> Table:
    """What each policy costs on the reference, and what it does to the others."""
    shared = [each for each in record.answers if each.flows]
    alone = [each for each in record.answers if not each.flows]
    header = [
        "policy", "mean regret, alone", "most", "mean regret, beside others", "most",
        f"harms by more than {percent(MOST_HARM)}",
    ]  # fmt: skip
    rows = []
    for name, policy in POLICIES.items():
        cells = [name]
        for own in (alone, shared):
            lost = [regret(each, policy(each)) for each in own]
            cells += [f"{amount(100 * fmean(lost))} %", f"{amount(100 * max(lost))} %"] if lost else [ABSENT, ABSENT]
        harmful = sum(real_harm(each, policy(each)) > MOST_HARM for each in shared)
        rows.append([*cells, f"{harmful} of {len(shared)}"])
    return Table.of(header, rows)


def unsaid(record: AdviceRecord) -> list[Answer]:
    """Balanced advice that harms the others too much on the reference, and does not say that it may."""
    return [
        each for each in record.answers
        if each.flows and real_harm(each, each.balanced) > MOST_HARM and not each.balanced_harms
    ]  # fmt: skip


def no_matter(record: AdviceRecord) -> str:
    """How far "no difference that matters" is right, in sentences."""
    small = [each for each in record.answers if abs(real_gain(each)) < MATTERS]
    indifferent = [each for each in record.answers if each.verdict == "no matter"]
    both = sum(abs(real_gain(each)) < MATTERS for each in indifferent)
    return (
        f"Of {len(small)} questions in which the candidates differ by less than {percent(MATTERS)} on"
        f" {record.reference.engine}, {both} are answered with “no difference that matters”, and"
        f" {sum(each.verdict == 'open' for each in small)} with “either”. Of {len(indifferent)} such answers {both}"
        " are right."
    )
