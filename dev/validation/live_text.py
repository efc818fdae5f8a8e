"""An engine in real time beside one in virtual time, condition by condition, as the tables of the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple

from dumbbell.comparison.agreement_text import setting
from dumbbell.comparison.strata import TOTAL_GOODPUT
from dumbbell.engines.family import is_live
from dumbbell.metrics.number import ABSENT, amount, counted, percent, rate, trimmed
from dumbbell.tables.table import Table

if TYPE_CHECKING:
    from dumbbell.comparison.record import Agreement, Condition, Suspect


GOODPUT_BAR: Final = 0.05
RTT_BAR: Final = 0.10
"""How far a group's goodput, and its mean RTT, may be from the reference's: set before any run."""
WITHIN: Final = "within"
CHANCE: Final = "chance: seeds of both overlap"
DISTURBED: Final = "disturbed"
OPEN: Final = "open: kernel, timers or relay"
OPEN_LIVE: Final = "open"
"""Of two engines in real time, which have one kernel."""


class Gap(NamedTuple):
    """One quantity of a group on both engines: medians over seeds, and differences as shares of the reference's."""

    candidate: float
    reference: float
    difference: float
    itself: float | None
    """Of the reference under other seeds; None: it has none."""
    overlap: bool
    """What the candidate has over its seeds, and what the reference has over all of its own, have some in common."""
    spread: float
    """From the least to the most that the reference has over all of its seeds, as a share of `reference`."""


class Row(NamedTuple):
    """A group of a condition."""

    condition: Condition
    group: str
    goodput: Gap | None
    rtt: Gap | None

    @property
    def beyond(self) -> list[Gap]:
        pairs = ((self.goodput, GOODPUT_BAR), (self.rtt, RTT_BAR))
        return [gap for gap, bar in pairs if gap and abs(gap.difference) > bar]


def is_live_one(agreement: Agreement) -> bool:
    """Whether an agreement is about an engine in real time."""
    return is_live(agreement.candidate.engine)


def rows(agreement: Agreement) -> list[Row]:
    """Every group of every condition that was compared."""
    return [
        Row(each, group.name, _gap(each, group.name, "goodput_bps"), _gap(each, group.name, "rtt_mean_s"))
        for each in agreement.conditions
        if not each.failures
        for group in each.groups
    ]


def summary(agreement: Agreement) -> str:
    """How many conditions keep both bars."""
    every = rows(agreement)
    names = dict.fromkeys(each.condition.name for each in every)
    within_bars = names.keys() - {each.condition.name for each in every if each.beyond}
    judged = [_judged(each, agreement) for each in agreement.conditions]
    suspects = [each for _, disturbed in judged for each in disturbed]
    runs = sum(count for count, _ in judged)
    text = (
        f"{len(within_bars)} of {counted(len(names), 'condition')} are within {bar(GOODPUT_BAR)} of goodput and"
        f" {bar(RTT_BAR)} of mean RTT in every group; {valid(runs, suspects)}"
    )
    if not is_live(agreement.reference.engine):
        return text
    totals = [each for one in agreement.conditions for each in one.differences if each.metric == TOTAL_GOODPUT]
    near = sum(abs(each.difference) <= GOODPUT_BAR for each in totals)
    return f"{text}, of {_judge(agreement)}; all flows' goodput together is within {bar(GOODPUT_BAR)} in {near}"


def bar(share: float) -> str:
    """A bar in words.

    >>> bar(GOODPUT_BAR), bar(RTT_BAR)
    ('5 %', '10 %')
    """
    return f"{trimmed(100 * share)} %"


def conditions_table(agreement: Agreement, reasons: Mapping[str, str]) -> Table:
    """A row a group. `reasons` is what is known of conditions beyond a bar, by their names."""
    candidate, reference = agreement.engine_names
    header = ["condition", "setting", "group"]
    for what in ("goodput", "mean RTT"):
        header += [f"{what}, {reference}", candidate, f"difference [{reference} from itself]"]
    live = is_live(agreement.reference.engine)
    header += [
        *([f"goodput, spread of {reference}"] if live else []),
        f"VALID {_judge(agreement)} runs",
        "within the bars?",
    ]
    cells = [
        [
            each.condition.name, setting(each.condition), each.group,
            *_cells(each.goodput, rate), *_cells(each.rtt, lambda rtt_s: amount(rtt_s, scale=1e3, unit=" ms")),
            *([percent(each.goodput and each.goodput.spread)] if live else []),
            valid(*_judged(each.condition, agreement)).partition(" run")[0],
            verdict(each, reasons, OPEN_LIVE if live else OPEN),
        ]
        for each in rows(agreement)
    ]  # fmt: skip
    return Table.of(header, cells)


def _judge(agreement: Agreement) -> str:
    """The engine whose runs say whether something else disturbed them: hosts of one machine disturb each other."""
    candidate, reference = agreement.engine_names
    return reference if is_live(reference) else candidate


def _judged(condition: Condition, agreement: Agreement) -> tuple[int, list[Suspect]]:
    """How many runs that engine has, and those that something disturbed."""
    judge = _judge(agreement)
    runs = condition.candidate if judge == agreement.candidate.engine else (*condition.reference, *condition.floor)
    return len(runs), [each for each in condition.suspects if each.engine == judge]


def verdict(row: Row, reasons: Mapping[str, str], unknown: str = OPEN) -> str:
    """Whether a group keeps both bars, or else why it does not, as far as that is known.

    What is written in the plan goes before what the runs themselves tell.
    """
    if not row.beyond:
        return WITHIN
    if reason := reasons.get(row.condition.name):
        return reason
    if all(gap.overlap for gap in row.beyond):
        return CHANCE
    return DISTURBED if row.condition.suspects else unknown


def valid(runs: int, suspects: Sequence[Suspect]) -> str:
    """How many runs nothing disturbed.

    >>> valid(6, [])
    '6 of 6 runs VALID'
    """
    return f"{runs - len(suspects)} of {counted(runs, 'run')} VALID"


def disturbances(suspects: Iterable[Suspect], where: str = "") -> Iterator[str]:
    """A line a suspect run: which, and what disturbed it."""
    for each in suspects:
        place = ", ".join([*filter(None, [where]), *map(str, each.point.values()), f"seed {each.seed}"])
        yield f"{each.engine}, {place}: {'; '.join(each.reasons)}"


def all_disturbances(agreement: Agreement) -> list[str]:
    return [line for each in agreement.conditions for line in disturbances(each.suspects, each.name)]


def _cells(gap: Gap | None, written: Callable[[float | None], str]) -> list[str]:
    if gap is None:
        return [ABSENT] * 3
    itself = "" if gap.itself is None else f" [{percent(gap.itself, signed=True)}]"
    return [written(gap.reference), written(gap.candidate), f"{percent(gap.difference, signed=True)}{itself}"]


def _gap(condition: Condition, group: str, quantity: str) -> Gap | None:
    own, others, floor = (
        [value for run in runs if (value := getattr(run.groups[group], quantity)) is not None]
        for runs in (condition.candidate, condition.reference, condition.floor)
    )
    reference = median(others) if others else 0.0
    if not own or not reference:
        return None
    every = [*others, *floor]
    return Gap(
        median(own), reference, median(own) / reference - 1, median(floor) / reference - 1 if floor else None,
        min(own) <= max(every) and max(own) >= min(every), (max(every) - min(every)) / reference,
    )  # fmt: skip
