"""What of a question was held against the kernel (docs/validation.md), and how far the simulator was from it there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dumbbell.comparison.strata import GOODPUT, HOSTS, PLAIN, stored_deviations, strata
from dumbbell.metrics.number import span, trimmed
from dumbbell.spec.run import FIFO, FRAME_BYTES

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
    every = strata()
    plain = every[PLAIN]
    rate, rtt = question.rate_bps / 1e6, question.rtt_ns / 1e6
    if not plain.rate[0] <= rate <= plain.rate[1]:
        return f"rates from {span(*plain.rate, ' Mbit/s')} were, and {rate:g} was not"
    if not plain.rtt[0] <= rtt <= plain.rtt[1]:
        return f"RTTs from {span(*plain.rtt, ' ms')} were, and {rtt:g} was not"
    if max(each.flows for each in question.company) >= every["many"].flows[1]:
        return f"up to {every['many'].flows[1]} flows were"
    return _queue_outside(question)


def _queue_outside(question: Question) -> str:
    """Why its queue does."""
    if question.qdisc != FIFO.kind:
        return f"drop-tail queues were, and {question.qdisc} was not"
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
    plain = strata()[PLAIN]
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
