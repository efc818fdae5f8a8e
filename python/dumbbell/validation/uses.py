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
)
from dumbbell.comparison.agreement_text import IDENTITY_DIGITS
from dumbbell.comparison.agreement_text import engine as engine_words
from dumbbell.comparison.record import Agreement, Checks, Condition, Curves, Difference, EngineComparison, Side
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

HEADER: Final = ("use", "what is compared", "typically off by", "9 of 10 within", "n", "against, and who checked")
CUBIC, SIM = "cubic", "sim"
RATE, SHARE = "points of the rate", "%"


class Row(NamedTuple):
    """One comparison for a use."""

    use: str
    what: str
    typical: str
    nine_of_ten: str
    n: int
    against: str


def table(sections: Sequence[Section]) -> tuple[list[str], list[list[str]]]:
    """The rows of every use that a record tells of, in the order of the page."""
    return [*HEADER], [[str(cell) for cell in row] for row in rows(sections)]


def rows(sections: Sequence[Section]) -> Iterator[Row]:
    """Every use: first what others measured, then the kernel."""
    share, alone = "who wins beside CUBIC", "goodput alone"
    yield from _of_hosts(share, sections, absolute=True)
    yield from _winners(share, sections)
    yield from _of_kernel(share, "goodput of each algorithm", GROUP_GOODPUT, "%", sections, _beside_cubic)
    yield from _of_hosts(alone, sections, absolute=False)
    yield from _of_kernel(alone, "total goodput", TOTAL_GOODPUT, "%", sections, lambda of: not _is_mixed(of))
    loss, rtt, completion = "loss", "RTT", "completion"
    yield from _of_kernel(loss, "queue loss, where the kernel has more than 0.5 %", LOSS, "%", sections)
    yield from _of_kernel(loss, "queue loss, elsewhere", SMALL_LOSS, "points", sections)
    yield from _of_kernel(rtt, "queueing delay", QUEUEING_DELAY, "points", sections)
    yield from _of_kernel(completion, "median of a group's transfers", COMPLETION, "%", sections)
    yield from _of_kernel(completion, "their 95th percentile", LATE_COMPLETION, "%", sections)
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
    for section in sections:
        record = section.record if isinstance(section.record, HostsRecord) else None
        whole = hosts_text.together(record) if record else None
        if record is None or whole is None:
            continue
        own = [each for each in whole.points if each.absolute is absolute]
        for name, of in _by_algorithm(own, together=absolute):
            found = spread(of, SIM)
            if found:
                unit = RATE if absolute else SHARE
                yield Row(
                    use, name, f"{amount(100 * found.median)} {unit}", f"{amount(100 * found.p90)} {unit}", found.n,
                    f"hosts of [{record.short}](validation/{section.name}.md), who measured them",
                )  # fmt: skip


def _by_algorithm(points: Sequence[HostPoint], *, together: bool) -> Iterator[tuple[str, list[HostPoint]]]:
    if together:
        yield "share of the rate of all BBR flows", list(points)
        return
    for cc in dict.fromkeys(each.groups[0].algorithm for each in points):
        yield f"goodput of {cc}", [each for each in points if each.groups[0].algorithm == cc]


def _strata(sections: Sequence[Section]) -> list[Agreement]:
    """All strata in virtual time."""
    return [
        each.record
        for each in sections
        if isinstance(each.record, Agreement) and not live_text.is_live_one(each.record)
    ]


def _of_kernel(  # noqa: PLR0913, PLR0917 (what, of which conditions)
    use: str, what: str, metric: str, unit: str, sections: Sequence[Section], wanted: Wanted = lambda _: True
) -> Iterator[Row]:
    """The unexcused errors in a metric over the conditions of all strata."""
    records = _strata(sections)
    found: list[Difference] = [
        each
        for condition in chain.from_iterable(of.conditions for of in records)
        if wanted(condition)
        for each in condition.differences
        if each.metric == metric
    ]
    if found:
        errors = [100 * raw_error(each) for each in found]
        typical, nine = (f"{amount(quantile(errors, share))} {unit}" for share in (0.5, TAIL))
        yield Row(use, what, typical, nine, len(errors), _kernel(records))


def _winners(use: str, sections: Sequence[Section]) -> Iterator[Row]:
    """In how many conditions beside CUBIC the right algorithm is ahead, where the kernel's seeds agree on one."""
    records = _strata(sections)
    won = [
        of.winner.candidate == of.winner.reference
        for of in chain.from_iterable(of.conditions for of in records)
        if _beside_cubic(of) and of.winner is not None and of.winner.reference is not None
    ]
    if won:
        told = f"right in {percent(sum(won) / len(won))}"
        yield Row(use, "which algorithm is ahead", told, ABSENT, len(won), _kernel(records))


def _of_advice(sections: Sequence[Section]) -> Iterator[Row]:
    for section in sections:
        if isinstance(section.record, AdviceRecord):
            held, of = advice_text.coverage(section.record.answers)
            sure = [each for each in section.record.answers if advice_text.decided(each)]
            by = f"{_project(section.record.reference)} ([advice](validation/{section.name}.md))"
            width = percent(advice_text.width(section.record.answers))
            yield Row("advice", f"intervals, {width} wide, that hold", percent(held / of), ABSENT, of, by)
            right = percent(sum(map(advice_text.right, sure)) / len(sure))
            yield Row("advice", "winner, where the kernel decides", f"right in {right}", ABSENT, len(sure), by)


def _kernel(records: Sequence[Agreement]) -> str:
    """The reference of all strata."""
    return f"{'; '.join(dict.fromkeys(_project(each.reference) for each in records))}, {len(records)} strata"


def _project(reference: Side) -> str:
    return f"this project, with {engine_words(reference).partition(', identity')[0]}"


def _is_mixed(condition: Condition) -> bool:
    return len({group.algorithm for group in condition.groups}) > 1


def _beside_cubic(condition: Condition) -> bool:
    return _is_mixed(condition) and any(group.algorithm == CUBIC for group in condition.groups)
