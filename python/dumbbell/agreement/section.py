"""Sentences about a comparison: which bands hold, what makes it again, what its table's columns are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dumbbell.agreement.draw import MOST_PACKETS, USUAL_DURATION
from dumbbell.agreement.invocation import invocation

if TYPE_CHECKING:
    from dumbbell.agreement.record import Agreement


def verdict(agreement: Agreement) -> str:
    """Which bands hold, in a sentence."""
    broken = [band.label for band in agreement.bands if band.holds is False]
    untold = [band.label for band in agreement.bands if band.holds is None]
    told = f"Broken: {'; '.join(broken)}." if broken else "Every band that has data holds."
    return f"{told} Without data: {'; '.join(untold)}." if untold else told


def command(agreement: Agreement) -> str:
    """What makes the same comparison."""
    source = agreement.source
    if source.spec is not None:
        conditions = [f"{source.spec}.toml"]
    else:
        conditions = [f"--random {source.random} --seed {source.seed}"]
        conditions += [f'--duration "{source.duration}"'] if source.duration not in (None, USUAL_DURATION) else []
        conditions += [f"--packets {source.most_packets}"] if source.most_packets not in (None, MOST_PACKETS) else []
    return invocation(conditions, source.sets, agreement)


def legend(agreement: Agreement) -> str:
    """What the columns of the bands' table are."""
    theirs = agreement.reference.engine
    return (
        "An error is the difference of the medians over seeds, as far as it exceeds half the interquartile range of"
        f" {theirs}'s own seeds; median and p90 are over conditions (over groups, for the goodput of each). Noise is"
        f" the same of {theirs} against itself under other seeds. Difference is the mean with its sign, unexcused,"
        " and its 95 % interval (Student's t). A group's goodput is relative to the larger of the reference's and"
        " 5 % of the rate; queueing delay is mean RTT less base RTT, in points of the buffer's drain time; the winner"
        " has most goodput a flow."
    )
