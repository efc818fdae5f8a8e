"""The rule of the starts, what each group has in its own 120 s, and where no flow gains by switching."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from dumbbell.studies.evidence import RunData

FLOWS: Final = 50
TEST_S: Final = 120.0
"""iperf3's -t."""
ROUND_TRIPS: Final = 2
"""That a stream takes to be opened: of the connection, and of a BDP that waits at the bottleneck meanwhile."""
PAYLOAD: Final = 1448 / 1514
"""Of a full frame."""


def offset_s(bbr_flows: int, rtt_s: float) -> float:
    """How much earlier the smaller group starts, because iperf3 opens one stream after another.

    >>> offset_s(1, 0.08), offset_s(25, 0.08), offset_s(49, 0.02)
    (7.68, 0.0, 1.92)
    """
    return abs(FLOWS - 2 * bbr_flows) * ROUND_TRIPS * rtt_s


def predicted_sum(bbr_flows: int, rtt_s: float) -> float:
    """The goodput of both groups over the line's rate by the rule alone: the line is full from the first start on.

    >>> round(predicted_sum(5, 0.04), 3), round(predicted_sum(25, 0.04), 3)
    (0.982, 0.956)
    """
    return PAYLOAD * (TEST_S + offset_s(bbr_flows, rtt_s)) / TEST_S


def own_goodput_bps(run: RunData, group: str) -> float:
    """What the flows of a group deliver, each over the time from its start to its stop, as iperf3 counts."""
    return sum(flow.goodput_bps or 0.0 for flow in run.result.flows if flow.name == group)


def equilibria(bbr: Mapping[int, float], cubic: Mapping[int, float], step: int = 1) -> Iterator[int]:
    """The numbers of BBR flows of 50 at which `step` flows gain nothing by switching to the other algorithm.

    `bbr` and `cubic` have the goodput of one flow of the group, by the number of BBR flows; where a neighbour is not
    known nothing is said.

    >>> bbr = {0: 0.0, 10: 3.0, 20: 2.0, 30: 1.5, 40: 1.2, 50: 1.0}
    >>> cubic = {0: 1.0, 10: 0.8, 20: 1.6, 30: 1.7, 40: 1.6, 50: 0.0}
    >>> list(equilibria(bbr, cubic, step=10))
    [20]

    Source: Mishra et al. (IMC 2022), section 4: a Nash equilibrium.
    """
    for n in range(0, FLOWS + 1, step):
        joins, leaves = (n + step, n), (n - step, n)
        if n < FLOWS and not (joins[0] in bbr and joins[1] in cubic and bbr[joins[0]] <= cubic[joins[1]]):
            continue
        if n > 0 and not (leaves[0] in cubic and leaves[1] in bbr and cubic[leaves[0]] <= bbr[leaves[1]]):
            continue
        yield n
