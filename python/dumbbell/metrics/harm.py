"""What one flow has or takes beside another, or alone, as a share: gain, decrease, harm."""

from __future__ import annotations

from dumbbell.metrics.window import ratio


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


def harm(alone: float, beside: float, *, more_is_better: bool = True) -> float | None:
    """What a neighbour cost, as a share (Ware et al. 2019): 0 nothing, 1 everything; negative: it helped.

    >>> harm(80.0, 20.0), harm(0.025, 0.050, more_is_better=False)
    (0.75, 0.5)
    """
    return decrease(beside, alone) if more_is_better else decrease(alone, beside)
