"""How far the simulator can be trusted for each use, and who checked: the front page's rows, from all records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Final

from dev.validation import advice_text, hosts_text, live_text
from dev.validation.advice import AdviceRecord
from dev.validation.hosts import HostsRecord
from dumbbell.comparison.agreement import TAIL
from dumbbell.comparison.agreement_text import engine_name
from dumbbell.comparison.record import Agreement, Condition
from dumbbell.comparison.strata import (
    COMPLETION,
    GROUP_GOODPUT,
    LATE_COMPLETION,
    LOSS,
    MANAGED_DELAY,
    MARKS,
    QUEUEING_DELAY,
    SMALL_LOSS,
    SMALL_MARKS,
    TOTAL_GOODPUT,
)
from dumbbell.hosts.spread import spread
from dumbbell.metrics.distribution import quantile
from dumbbell.metrics.number import ABSENT, amount, percent
from dumbbell.tables.table import Table

if TYPE_CHECKING:
    from dev.validation.section import Section
    from dumbbell.hosts.record import HostPoint

    Wanted = Callable[[Condition], bool]
    Row = tuple[str, ...]

HEADER: Final = (
    "use", "what is compared", "typically off by", "9 of 10 within", "Linux itself", "n", "compared with", "checked by",
)  # fmt: skip
"""What is compared is said with what a difference is a share of. Off by: the median and the 90th percentile of the
differences, or how often the simulator is right. Linux itself: both of the kernel in the simulator's place, at the same
points of hosts or under other seeds."""
CUBIC, PRAGUE, SIM, LINUX = "cubic", "prague", "sim", "linux"
RTT, WITH_L4S = "rtt", "who wins with L4S"
THEY, WE = "their measurements", "this project alone"


def table(sections: Sequence[Section]) -> Table:
    """The rows of every use that a record tells of, in the order of the page."""
    return Table.of(HEADER, rows(sections))


def rows(sections: Sequence[Section]) -> Iterator[Row]:
    """Every use: first what others measured, then the kernel."""
    share, alone = "who wins beside CUBIC", "goodput alone"
    of_kernel = "of the kernel's"
    yield from _of_hosts(share, sections, lambda point: point.absolute)
    yield from _winners(share, sections)
    what = "goodput of each algorithm, of the kernel's or of 5 % of the rate"
    yield from _of_kernel(share, what, (GROUP_GOODPUT, "%", "groups"), sections, _competes_with_cubic)
    yield from _of_hosts(WITH_L4S, sections, lambda point: point.absolute)
    yield from _of_hosts(alone, sections, lambda point: not point.absolute and point.quantity != RTT)
    what = f"goodput of all flows, all of one algorithm, {of_kernel}"
    yield from _of_kernel(alone, what, (TOTAL_GOODPUT, "%", "conditions"), sections, lambda of: not _is_mixed(of))
    what = f"queue loss where the kernel has more than 0.5 %, {of_kernel}"
    yield from _of_kernel("loss", what, (LOSS, "%", "conditions"), sections)
    what = "queue loss elsewhere, of all packets"
    yield from _of_kernel("loss", what, (SMALL_LOSS, "points", "conditions"), sections)
    what = f"queue marks where the kernel has more than 0.5 %, {of_kernel}"
    yield from _of_kernel("marks", what, (MARKS, "%", "conditions"), sections)
    what = "queue marks elsewhere, of all packets"
    yield from _of_kernel("marks", what, (SMALL_MARKS, "points", "conditions"), sections)
    yield from _of_hosts("RTT", sections, lambda point: point.quantity == RTT)
    what = "mean RTT less base RTT, of the time that the full buffer takes to drain"
    yield from _of_kernel("RTT", what, (QUEUEING_DELAY, "points", "conditions"), sections)
    what = "mean RTT less base RTT behind a managed queue, of the kernel's or of 5 % of the base RTT"
    yield from _of_kernel("RTT", what, (MANAGED_DELAY, "%", "conditions"), sections)
    what = f"median of a group's transfers, {of_kernel}"
    yield from _of_kernel("completion", what, (COMPLETION, "%", "groups"), sections)
    what = f"95th percentile of a group's transfers, {of_kernel}"
    yield from _of_kernel("completion", what, (LATE_COMPLETION, "%", "groups"), sections)
    yield from _of_advice(sections)


def _of_hosts(use: str, sections: Sequence[Section], wanted: Callable[[HostPoint], bool]) -> Iterator[Row]:
    """What others measured, in the tables that are drawn: a row for what was measured of which algorithm."""
    for section in sections:
        record = section.record if isinstance(section.record, HostsRecord) else None
        merged = hosts_text.together(record) if record else None
        if record is None or merged is None:
            continue
        l4s = any(PRAGUE in _algorithms(each) for each in merged.points)
        by_name: dict[str, list[HostPoint]] = {}
        for each in merged.points:
            if wanted(each) and l4s is (use == WITH_L4S or each.quantity == RTT):
                by_name.setdefault(_measured(each, l4s=l4s), []).append(each)
        for name, of in by_name.items():
            unit = "points" if of[0].absolute else "%"
            simulated, kernels = spread(of, SIM), spread(of, LINUX)
            if simulated:
                linux = _both(kernels.median, kernels.p90, unit) if kernels else ABSENT
                yield (
                    use, name, _amount(simulated.median, unit), _amount(simulated.p90, unit), linux,
                    f"{simulated.n} points", f"hosts of [{record.short}](validation/{section.name}.md)", THEY,
                )  # fmt: skip


def _measured(point: HostPoint, *, l4s: bool) -> str:
    """What was measured, and what a difference is a share of."""
    if point.quantity == RTT:
        return "smoothed RTT of each group, of what was measured"
    if point.of_rate:
        return f"goodput of {'each of two flows' if l4s else 'all BBR flows'}, of the line's rate"
    if point.absolute:
        return f"{'Prague' if l4s else 'BBR'}'s share of the goodput"
    return f"goodput of one {point.groups[0].algorithm} flow, of what was measured"


def _algorithms(point: HostPoint) -> set[str]:
    return {group.algorithm for group in point.groups}


def _amount(error: float, unit: str) -> str:
    return f"{amount(100 * error)} {unit}"


def _both(typical: float, nine_of_ten: float, unit: str) -> str:
    return f"{amount(100 * typical)}, {_amount(nine_of_ten, unit)}"


def _strata(sections: Sequence[Section]) -> list[Agreement]:
    """All strata in virtual time."""
    return [
        each.record
        for each in sections
        if isinstance(each.record, Agreement) and not live_text.is_live_one(each.record)
    ]


def _of_kernel(
    use: str, what: str, of: tuple[str, str, str], sections: Sequence[Section], wanted: Wanted = lambda _: True
) -> Iterator[Row]:
    """The unexcused errors in a metric, with its unit and what has one, over the conditions of all strata."""
    metric, unit, noun = of
    records, differences = [], []
    for record in _strata(sections):
        own = [
            each
            for condition in record.conditions
            if wanted(condition)
            for each in condition.differences
            if each.metric == metric
        ]
        records += [record] if own else []
        differences += own
    if differences:
        errors = [each.raw_error for each in differences]
        noise = [error for each in differences if (error := each.raw_floor_error) is not None]
        linux = _both(quantile(noise, 0.5), quantile(noise, TAIL), unit) if noise else ABSENT
        typical, nine = (_amount(quantile(errors, share), unit) for share in (0.5, TAIL))
        yield use, what, typical, nine, linux, f"{len(errors)} {noun}", _kernel(records), WE


def _winners(use: str, sections: Sequence[Section]) -> Iterator[Row]:
    """In how many conditions beside CUBIC the right algorithm is ahead, where the kernel's seeds agree on one."""
    records = _strata(sections)
    won = [
        of.winner
        for of in chain.from_iterable(of.conditions for of in records)
        if _competes_with_cubic(of) and of.winner is not None and of.winner.reference is not None
    ]
    if won:
        own, floor = (
            _right(sum(winners) / len(won))
            for winners in (
                [of.candidate == of.reference for of in won],
                [of.floor == of.reference for of in won],
            )
        )
        what = "who has most goodput a flow, where all seeds of the kernel have the same"
        yield use, what, own, ABSENT, floor, f"{len(won)} conditions", _kernel(records), WE


def _right(share: float) -> str:
    return f"right in {percent(share)}"


def _of_advice(sections: Sequence[Section]) -> Iterator[Row]:
    for section in sections:
        if isinstance(section.record, AdviceRecord) and (answers := section.record.answers):
            covered, of = advice_text.coverage(answers)
            sure = [each for each in answers if advice_text.decided(each)]
            by = f"{engine_name(section.record.reference)} ([advice](validation/{section.name}.md))"
            what = f"intervals of 95 %, {percent(advice_text.width(answers))} wide in the median, that hold"
            yield "advice", what, _right(covered / of), ABSENT, ABSENT, f"{of} intervals", by, WE
            what = (
                f"who is ahead, where the kernel's seeds tell, which they do in {len(sure)} of {len(answers)} questions"
            )
            right = _right(sum(map(advice_text.right, sure)) / len(sure)) if sure else ABSENT
            yield "advice", what, right, ABSENT, ABSENT, f"{len(sure)} questions", by, WE


def _kernel(records: Sequence[Agreement]) -> str:
    """The reference of these strata, and of how many builds of the simulator they are."""
    kernels = "; ".join(dict.fromkeys(engine_name(each.reference) for each in records))
    builds = len({each.candidate.identity for each in records})
    strata = f"{len(records)} {'stratum' if len(records) == 1 else 'strata'}"
    return f"{kernels}, {strata}{f' of {builds} builds' if builds > 1 else ''}"


def _is_mixed(condition: Condition) -> bool:
    return len({group.algorithm for group in condition.groups}) > 1


def _competes_with_cubic(condition: Condition) -> bool:
    return _is_mixed(condition) and any(group.algorithm == CUBIC for group in condition.groups)
