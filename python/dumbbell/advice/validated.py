"""What of a question was held against the kernel (docs/validation.md), and how far the simulator was from it there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dumbbell.comparison.strata import GOODPUT, HOSTS, PLAIN, Range, Stratum, stored_deviations, strata
from dumbbell.metrics.number import span, trimmed
from dumbbell.spec.frame import FRAME_BYTES

if TYPE_CHECKING:
    from dumbbell.advice.question import Company, Question

SHORT_BYTES: Final = 20 * FRAME_BYTES
"""A shorter queue is of the stratum of few packets."""
MOST_PLAIN_LOSS_PPB: Final = 20_000_000
"""Of the plain path."""
NEARLY: Final = 0.99
"""Queues are whole bytes."""


def outside_of_validation(question: Question) -> str:
    """Why a path lies outside of what was held against the kernel (docs/validation.md); empty where it does not."""
    if question.link or question.back_bps:
        return "a way back of delay alone was, and lines that nothing changes"
    name = _of_queue(question)
    if name is None:
        return f"drop-tail queues were, and {question.qdisc} was not"
    of, most_flows = strata()[name], strata()["many" if name == PLAIN else name].flows[1]
    rate, rtt = question.rate_bps / 1e6, question.rtt_ns / 1e6
    if not of.rate[0] <= rate <= of.rate[1]:
        return f"rates from {span(*of.rate, ' Mbit/s')} were, and {rate:g} was not"
    if not of.rtt[0] <= rtt <= of.rtt[1]:
        return f"RTTs from {span(*of.rtt, ' ms')} were, and {rtt:g} was not"
    if max(each.flows for each in question.company) >= most_flows:
        return f"up to {most_flows} flows were"
    return _room_outside(question) if name == PLAIN else _managed_outside(question, of)


def _of_queue(question: Question) -> str | None:
    """The first stratum of the queue's discipline: the plain path of a drop-tail queue."""
    return next((name for name, each in strata().items() if question.qdisc in each.qdiscs), None)


def _managed_outside(question: Question, of: Stratum) -> str:
    """Why the room of a managed queue does."""
    room = of.fields.get("path.buffer")
    if isinstance(room, Range):
        least, most, unit = room.least, room.most, " packets"
        queues = [each / FRAME_BYTES for each in question.buffers_bytes]
    else:
        (least, most), unit = of.buffer, " BDP"
        queues = list(map(question.buffer_bdp, question.buffers_bytes))
    within = all(NEARLY * least <= each <= most / NEARLY for each in queues)
    return "" if within else f"{question.qdisc} with {span(least, most, unit)} was"


def _room_outside(question: Question) -> str:
    """Why that of a drop-tail queue does."""
    every = strata()
    plain = every[PLAIN]
    queues = [question.buffer_bdp(each) for each in question.buffers_bytes if each >= SHORT_BYTES]
    if queues and max(queues) > every["deep"].buffer[1]:
        return f"queues of up to {trimmed(every['deep'].buffer[1], ' BDP')} were"
    if queues and min(queues) < NEARLY * plain.buffer[0]:
        return f"queues from {trimmed(plain.buffer[0], ' BDP')} on were; in shorter ones CUBIC is slower on real hosts"
    return ""


def stratum(question: Question, buffer_bytes: int, company: Company) -> str:
    """Of which stratum of the validation a case is."""
    plain, managed = strata()[PLAIN], _of_queue(question)
    if managed and managed != PLAIN and managed in stored_deviations():
        return managed
    if question.job.kind == "requests" or question.full_transfer:
        return "transfers"
    if buffer_bytes < SHORT_BYTES:
        return "short"
    if question.buffer_bdp(buffer_bytes) > plain.buffer[1]:
        return "deep"
    if question.loss_ppb > MOST_PLAIN_LOSS_PPB:
        return "loss"
    return "many" if company.flows >= plain.flows[1] else "plain"


def hosts_error(question: Question) -> float:
    """Standard deviation of the simulator's goodput from real hosts', a share of the line; 0 where none are meant."""
    return stored_deviations()[HOSTS][GOODPUT] if question.intervals == "hosts" else 0.0


def model_error(question: Question, buffer_bytes: int, company: Company, of: str = GOODPUT) -> float:
    """Standard deviation of the simulator from the kernel in that stratum, of goodput or resends, a share of it."""
    return stored_deviations()[stratum(question, buffer_bytes, company)][of]
