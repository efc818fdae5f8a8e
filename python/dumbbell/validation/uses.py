"""How far the simulator can be trusted for each use, and who checked: the front page's rows, from all records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from dumbbell.comparison import agreement_text
from dumbbell.comparison.agreement import (
    COMPLETION,
    GROUP_GOODPUT,
    LATE_COMPLETION,
    LOSS,
    QUEUEING_DELAY,
    SMALL_LOSS,
    TAIL,
    TOTAL_GOODPUT,
    controls_that_keep,
    raw_error,
    raw_floor,
)
from dumbbell.comparison.agreement_text import IDENTITY_DIGITS
from dumbbell.comparison.agreement_text import engine as engine_words
from dumbbell.comparison.record import Agreement, Checks, Condition, Curves, EngineComparison, Side
from dumbbell.hosts.spread import spread
from dumbbell.metrics.distribution import quantile
from dumbbell.metrics.number import ABSENT, amount, counted, percent
from dumbbell.validation import advice_text, hosts_text, live_text, phases_text
from dumbbell.validation.advice import AdviceRecord
from dumbbell.validation.claims import ClaimsRecord
from dumbbell.validation.hosts import HostsRecord
from dumbbell.validation.mutants import MutantsRecord
from dumbbell.validation.phases import PhasesRecord

if TYPE_CHECKING:
    from dumbbell.hosts.record import HostPoint
    from dumbbell.validation.section import Section

    Wanted = Callable[[Condition], bool]

HEADER: Final = (
    "use", "what is compared", "typically off by", "9 of 10 within", "Linux itself", "n", "held against", "checked by",
)  # fmt: skip
CUBIC, SIM, LINUX = "cubic", "sim", "linux"
THEY, WE = "their measurements", "this project alone"


class Row(NamedTuple):
    """One comparison for a use."""

    use: str
    what: str
    """And what a difference is a share of."""
    typical: str
    """The median of the differences, or how often the simulator is right."""
    nine_of_ten: str
    """Their 90th percentile."""
    linux: str
    """Both of the kernel in the simulator's place: at the same points of hosts, or under other seeds."""
    n: str
    against: str
    by: str


def table(sections: Sequence[Section]) -> tuple[list[str], list[list[str]]]:
    """The rows of every use that a record tells of, in the order of the page."""
    return [*HEADER], [[str(cell) for cell in row] for row in rows(sections)]


def rows(sections: Sequence[Section]) -> Iterator[Row]:
    """Every use: first what others measured, then the kernel."""
    share, alone = "who wins beside CUBIC", "goodput alone"
    of_kernel = "of the kernel's"
    yield from _of_hosts(share, sections, absolute=True)
    yield from _winners(share, sections)
    what = "goodput of each algorithm, of the kernel's or of 5 % of the rate"
    yield from _of_kernel(share, what, (GROUP_GOODPUT, "%", "groups"), sections, _beside_cubic)
    yield from _of_hosts(alone, sections, absolute=False)
    what = f"goodput of all flows, all of one algorithm, {of_kernel}"
    yield from _of_kernel(alone, what, (TOTAL_GOODPUT, "%", "conditions"), sections, lambda of: not _is_mixed(of))
    what = f"queue loss where the kernel has more than 0.5 %, {of_kernel}"
    yield from _of_kernel("loss", what, (LOSS, "%", "conditions"), sections)
    yield from _of_kernel(
        "loss", "queue loss elsewhere, of all packets", (SMALL_LOSS, "points", "conditions"), sections
    )
    what = "mean RTT less base RTT, of the time that the full buffer takes to drain"
    yield from _of_kernel("RTT", what, (QUEUEING_DELAY, "points", "conditions"), sections)
    what = f"median of a group's transfers, {of_kernel}"
    yield from _of_kernel("completion", what, (COMPLETION, "%", "groups"), sections)
    what = f"95th percentile of a group's transfers, {of_kernel}"
    yield from _of_kernel("completion", what, (LATE_COMPLETION, "%", "groups"), sections)
    yield from _of_advice(sections)


def chance(sections: Sequence[Section]) -> str:
    """How many parts keep their bands, how many chance alone keeps, and what the test of deliberate errors came to."""
    records = {
        each.name: each.record for each in sections if isinstance(each.record, Agreement) and each.record.controls
    }
    told = []
    if records:
        lost = [name for name, of in records.items() if not of.holds]
        by_control = [sum(of) for of in zip(*map(controls_that_keep, records.values()), strict=True)]
        beyond = [f"{name}: {band.label}" for name, of in records.items() for band in of.bands if band.beyond_design]
        of_lost = f" (not of {', '.join(lost)})" if lost else ""
        told.append(
            f"The simulator keeps all bands of {len(records) - len(lost)} of {counted(len(records), 'part')}"
            f"{of_lost}; its controls keep those of {min(by_control)} to"
            f" {max(by_control)}. Beyond an outer limit of the design: {'; '.join(beyond) or 'nothing'}."
        )
    for each in sections:
        if isinstance(each.record, MutantsRecord):
            of = each.record
            told.append(
                f"Of {len(of.mutants)} deliberate errors in the model {of.noticed} are noticed (hits), and of"
                f" {len(of.controls)} controls {of.false_alarms} (false alarms): [deliberate"
                f" errors](validation/{each.name}.md)."
            )
    return " ".join(told) or "Not measured yet."


def parts(sections: Sequence[Section]) -> list[list[str]]:
    """Each part with its page, what came out, and the identity of the engines that it was measured with."""
    return [
        [
            f"[{each.name}](validation/{each.name}.md)" if each.record else each.name,
            outcome(each),
            identities(each),
        ]
        for each in sections
    ]


def outcome(section: Section) -> str:
    """In some words."""
    record = section.record
    if record is None:
        return f"not measured yet: `make validation STRATUM={section.name}`"
    words: Callable[..., str] = _OUTCOMES[type(record)]
    return words(record)


def _of_mutants(record: MutantsRecord) -> str:
    return (
        f"{record.noticed} of {len(record.mutants)} hits, {record.false_alarms} of {len(record.controls)} false alarms"
    )


def _of_claims(record: ClaimsRecord) -> str:
    count = len(record.claims)
    return "; ".join(
        f"{column.title}: {count - len(record.missed(column))} of {count} reproduced" for column in record.columns
    )


def _of_agreement(record: Agreement) -> str:
    if live_text.is_live_one(record):
        return live_text.summary(record)
    bands = [each for each in record.bands if each.holds is not None]
    controls = controls_that_keep(record)
    beside = f"{sum(controls)} of {counted(len(controls), 'control')} keep all" if controls else "no controls yet"
    kept = f"{sum(each.holds is True for each in bands)} of {len(bands)} bands hold"
    return f"{counted(len(record.conditions), 'condition')}: {kept}; {beside}"


_OUTCOMES: Final[Mapping[type, Callable[..., str]]] = {
    AdviceRecord: advice_text.summary,
    Agreement: _of_agreement,
    Checks: agreement_text.summary,
    ClaimsRecord: _of_claims,
    Curves: agreement_text.summary,
    HostsRecord: hosts_text.summary,
    MutantsRecord: _of_mutants,
    PhasesRecord: phases_text.summary,
}


def identities(section: Section) -> str:
    """Of the engines, as far as they are told apart."""
    record = section.record
    if isinstance(record, EngineComparison | AdviceRecord):
        told = [engine_words(side) for side in (record.candidate, record.reference)]
    elif isinstance(record, MutantsRecord):
        told = [_identity(SIM, record.identity)]
    elif isinstance(record, ClaimsRecord):
        told = [_identity(each.engine, each.identity) for each in record.origins]
    elif isinstance(record, HostsRecord):
        told = sorted({engine_words(side) for each in record.tables for side in each.record.sides})
    else:
        told = []
    return "; ".join(told) or ABSENT


def _identity(engine: str, identity: str) -> str:
    return f"{engine}, identity {identity[:IDENTITY_DIGITS]}"


def _of_hosts(use: str, sections: Sequence[Section], *, absolute: bool) -> Iterator[Row]:
    """What others measured, in the tables that are drawn: a row an algorithm."""
    unit = "points" if absolute else "%"
    for section in sections:
        record = section.record if isinstance(section.record, HostsRecord) else None
        whole = hosts_text.together(record) if record else None
        if record is None or whole is None:
            continue
        own = [each for each in whole.points if each.absolute is absolute]
        for name, of in _by_algorithm(own, together=absolute):
            found, kernels = spread(of, SIM), spread(of, LINUX)
            if found:
                beside = _both(kernels.median, kernels.p90, unit) if kernels else ABSENT
                yield Row(
                    use, name, _amount(found.median, unit), _amount(found.p90, unit), beside, f"{found.n} points",
                    f"hosts of [{record.short}](validation/{section.name}.md)", THEY,
                )  # fmt: skip


def _amount(error: float, unit: str) -> str:
    return f"{amount(100 * error)} {unit}"


def _both(typical: float, nine_of_ten: float, unit: str) -> str:
    return f"{amount(100 * typical)}, {_amount(nine_of_ten, unit)}"


def _by_algorithm(points: Sequence[HostPoint], *, together: bool) -> Iterator[tuple[str, list[HostPoint]]]:
    if together:
        yield "goodput of all BBR flows, of the line's rate", list(points)
        return
    for cc in dict.fromkeys(each.groups[0].algorithm for each in points):
        yield (
            f"goodput of one {cc} flow, of what was measured",
            [each for each in points if each.groups[0].algorithm == cc],
        )


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
    records, found = [], []
    for record in _strata(sections):
        own = [
            each
            for condition in record.conditions
            if wanted(condition)
            for each in condition.differences
            if each.metric == metric
        ]
        records += [record] if own else []
        found += own
    if found:
        errors = list(map(raw_error, found))
        noise = [error for each in found if (error := raw_floor(each)) is not None]
        beside = _both(quantile(noise, 0.5), quantile(noise, TAIL), unit) if noise else ABSENT
        typical, nine = (_amount(quantile(errors, share), unit) for share in (0.5, TAIL))
        yield Row(use, what, typical, nine, beside, f"{len(errors)} {noun}", _kernel(records), WE)


def _winners(use: str, sections: Sequence[Section]) -> Iterator[Row]:
    """In how many conditions beside CUBIC the right algorithm is ahead, where the kernel's seeds agree on one."""
    records = _strata(sections)
    won = [
        of.winner
        for of in chain.from_iterable(of.conditions for of in records)
        if _beside_cubic(of) and of.winner is not None and of.winner.reference is not None
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
        yield Row(use, what, own, ABSENT, floor, f"{len(won)} conditions", _kernel(records), WE)


def _right(share: float) -> str:
    return f"right in {percent(share)}"


def _of_advice(sections: Sequence[Section]) -> Iterator[Row]:
    for section in sections:
        if isinstance(section.record, AdviceRecord):
            answers = section.record.answers
            held, of = advice_text.coverage(answers)
            sure = [each for each in answers if advice_text.decided(each)]
            by = f"{_project(section.record.reference)} ([advice](validation/{section.name}.md))"
            what = f"intervals of 95 %, {percent(advice_text.width(answers))} wide in the median, that hold"
            yield Row("advice", what, _right(held / of), ABSENT, ABSENT, f"{of} intervals", by, WE)
            what = (
                f"who is ahead, where the kernel's seeds tell, which they do in {len(sure)} of {len(answers)} questions"
            )
            right = _right(sum(map(advice_text.right, sure)) / len(sure)) if sure else ABSENT
            yield Row("advice", what, right, ABSENT, ABSENT, f"{len(sure)} questions", by, WE)


def _kernel(records: Sequence[Agreement]) -> str:
    """The reference of these strata."""
    return f"{'; '.join(dict.fromkeys(_project(each.reference) for each in records))}, {counted_strata(len(records))}"


def counted_strata(count: int) -> str:
    """How many, in words."""
    return f"{count} {'stratum' if count == 1 else 'strata'}"


def _project(reference: Side) -> str:
    return engine_words(reference).partition(", identity")[0]


def _is_mixed(condition: Condition) -> bool:
    return len({group.algorithm for group in condition.groups}) > 1


def _beside_cubic(condition: Condition) -> bool:
    return _is_mixed(condition) and any(group.algorithm == CUBIC for group in condition.groups)
