"""What is compared: numbers of a run's summary, with the unit in which they are told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from dumbbell.comparison.failure import ComparisonError
from dumbbell.spec.problem import quoted, suggestion

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """One number of a run, or of each group of flows in it."""

    name: str
    label: str
    unit: str
    """In which it is told; "" of a ratio that is told as it is."""
    per_unit: float
    """How much of the summary's unit one of it is."""
    of: Literal["run", "group"]
    better: Literal["higher", "lower"] | None
    """None: what one group gains, another one loses."""
    relative: bool
    """Conditions differ in its size, so that differences are drawn as shares of it."""
    sql: str
    """What gives it, in a query over `run`, or over `flow_group` (g) and the group's flows (f)."""


_SHARE: Final = 0.01
_OF_ALL: Final = "CASE WHEN COUNT(f.fct_s) = COUNT(*) THEN AVG(f.fct_s) END"
"""The mean of those that came to their end would flatter whoever left some behind."""

QUANTITIES: Final = (
    Quantity(
        name="goodput", label="goodput", unit="Mbit/s", per_unit=1e6, of="group", better="higher", relative=True,
        sql="g.goodput_bps",
    ),
    Quantity(
        name="total_goodput", label="total goodput", unit="Mbit/s", per_unit=1e6, of="run", better="higher",
        relative=True,
        sql="(SELECT CASE WHEN COUNT(*) > 1 THEN SUM(g.goodput_bps) END FROM flow_group g WHERE g.run = run.id)",
    ),
    Quantity(
        name="share", label="share", unit="%", per_unit=_SHARE, of="group", better=None, relative=False,
        sql="CASE WHEN (SELECT COUNT(*) FROM flow_group o WHERE o.run = g.run) > 1 THEN g.share END",
    ),
    Quantity(
        name="utilization", label="utilization", unit="%", per_unit=_SHARE, of="run", better="higher", relative=False,
        sql="utilization",
    ),
    Quantity(
        name="jain", label="Jain's index", unit="", per_unit=1, of="run", better="higher", relative=False,
        sql="CASE WHEN (SELECT COUNT(*) FROM flow WHERE flow.run = run.id) > 1 THEN jain END",
    ),
    Quantity(
        name="loss", label="queue loss", unit="%", per_unit=_SHARE, of="run", better="lower", relative=False,
        sql="loss_rate",
    ),
    Quantity(
        name="random_loss", label="random loss", unit="%", per_unit=_SHARE, of="run", better=None, relative=False,
        sql="CASE WHEN json_extract(resolved, '$.path.loss_ppb') > 0 THEN CAST(random_lost_packets AS REAL) / NULLIF("
        "CASE json_extract(resolved, '$.path.loss_at') WHEN 'before' THEN offered_packets + random_lost_packets"
        " ELSE sent_packets END, 0) END",
    ),
    Quantity(
        name="retransmits", label="retransmit rate", unit="%", per_unit=_SHARE, of="group", better="lower",
        relative=False, sql="CAST(SUM(f.retransmits) AS REAL) / NULLIF(SUM(f.segments_sent), 0)",
    ),
    Quantity(
        name="rtt", label="mean RTT", unit="ms", per_unit=1e-3, of="group", better="lower", relative=True,
        sql="AVG(f.rtt_mean_s)",
    ),
    Quantity(
        name="rtt_p95", label="RTT, 95th percentile", unit="ms", per_unit=1e-3, of="group", better="lower",
        relative=True, sql="AVG(f.rtt_p95_s)",
    ),
    Quantity(
        name="queue", label="mean queue", unit="BDP", per_unit=1, of="run", better="lower", relative=False,
        sql="queue_mean_bdp",
    ),
    Quantity(
        name="fct", label="completion time", unit="s", per_unit=1, of="group", better="lower", relative=True,
        sql=_OF_ALL,
    ),
)  # fmt: skip
"""A group of several flows has the mean over them of its times, and all their segments together."""


def chosen(names: str | None) -> Sequence[Quantity]:
    """The quantities of these names, in their usual order; all of them without names.

    Raises:
        ComparisonError: one does not exist.
    """
    if names is None:
        return QUANTITIES
    wanted, known = [name.strip() for name in names.split(",")], [each.name for each in QUANTITIES]
    for name in wanted:
        if name not in known:
            raise ComparisonError(f"--metrics: unknown {quoted(name)}; {suggestion(name, known)}")
    return [each for each in QUANTITIES if each.name in wanted]
