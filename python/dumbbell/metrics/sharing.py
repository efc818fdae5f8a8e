"""What each flow or group has of a path: beside others, and as a share of what it had alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

from dumbbell.metrics.window import ratio


def jain(rates: Sequence[float]) -> float | None:
    """Jain's index `(sum x)^2 / (n sum x^2)`: 1 when all are equal, 1/n when one has everything.

    None when there is no rate or all are 0.
    """
    return ratio(sum(rates) ** 2, len(rates) * sum(rate * rate for rate in rates))


def shares(rates: Mapping[str, float]) -> dict[str, float | None]:
    """Each one's part of the sum; None when the sum is 0."""
    total = sum(rates.values())
    return {name: ratio(rate, total) for name, rate in rates.items()}


def fair_shares(times: Mapping[str, Sequence[tuple[float, float]]]) -> dict[str, float | None]:
    """Each group's part if at any time all flows that are there had the same: its mean over the time with any flow.

    `times` has begin and end of each flow, in any unit; None where no flow is ever there.

    >>> fair_shares({"bbr": [(0, 60)], "cubic": [(0, 60)] * 3})
    {'bbr': 0.25, 'cubic': 0.75}
    >>> fair_shares({"early": [(0, 60)], "late": [(30, 60)]})
    {'early': 0.75, 'late': 0.25}
    """
    changes = sorted(
        (moment, name, change)
        for name, own in times.items()
        for begin, end in own
        if begin < end
        for moment, change in ((begin, 1), (end, -1))
    )
    there, parts = dict.fromkeys(times, 0), dict.fromkeys(times, 0.0)
    for (moment, name, change), (then, *_) in pairwise(changes):
        there[name] += change
        flows = sum(there.values())
        for each, count in there.items():
            parts[each] += count * (then - moment) / max(flows, 1)
    return shares(parts)


def winner(rates: Mapping[str, float]) -> str | None:
    """Whoever has most; None where two have the same, or nobody has anything."""
    most = max(rates.values(), default=0.0)
    leaders = [name for name, rate in rates.items() if math.isclose(rate, most, rel_tol=1e-12)]
    return leaders[0] if len(leaders) == 1 and most > 0 else None


def gain(candidate: float, reference: float) -> float | None:
    """How much more the candidate has, as a share of the reference: Cao et al.'s goodput gain.

    >>> gain(150.0, 100.0)
    0.5
    """
    return ratio(candidate - reference, reference)


def decrease(candidate: float, reference: float) -> float | None:
    """How much less the candidate takes, as a share of the reference: Cao et al.'s latency decrease.

    >>> decrease(4.0, 5.0)
    0.2
    """
    return ratio(reference - candidate, reference)


def harm(alone: float, contended: float, *, more_is_better: bool = True) -> float | None:
    """What a neighbour cost, as a share (Ware et al. 2019): 0 nothing, 1 everything; negative: it helped.

    >>> harm(80.0, 20.0), harm(0.025, 0.050, more_is_better=False)
    (0.75, 0.5)
    """
    return decrease(contended, alone) if more_is_better else decrease(alone, contended)


def power(utilization: float, mean_rtt_s: float, base_rtt_s: float) -> float | None:
    """Utilization over the RTT's inflation: 1 at Kleinrock's operating point, a full line without a queue.

    >>> power(1.0, 0.050, 0.025)
    0.5
    """
    return ratio(utilization * base_rtt_s, mean_rtt_s)
