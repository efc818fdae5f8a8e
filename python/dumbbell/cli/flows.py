"""`dumbbell agree --show`: every flow of every run of one condition, as a table."""

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dumbbell.agreement.counters import FlowFigures

FLOW_HEADER = (
    "flow", "name", "engine", "seed", "Mbit/s", "RTT ms", "min ms", "cwnd", "sent", "retrans %", "lost", "dropped",
    "timeouts", "probes", "undos", "acks", "path loss %", "queue BDP",
)  # fmt: skip


def print_flows(flows: "Sequence[FlowFigures]") -> None:
    """A line a flow and run; those of one flow stand together."""
    from dumbbell.cli.table import aligned
    from dumbbell.metrics.number import ABSENT, amount

    def count(value: int | None) -> str:
        return ABSENT if value is None else str(value)

    ordered = sorted(flows, key=lambda each: each.flow)
    rows = [
        [
            str(each.flow), each.name, each.engine, str(each.seed), amount(each.goodput_bps, scale=1e-6),
            amount(each.rtt_mean_s, scale=1e3), amount(each.rtt_min_s, scale=1e3), amount(each.cwnd_mean_segments),
            count(each.segments_sent), amount(each.retransmit_rate, scale=100), count(each.lost), count(each.dropped),
            count(each.timeouts), count(each.probes), count(each.undos), count(each.acks),
            amount(each.loss_rate, scale=100), amount(each.queue_mean_bdp),
        ]
        for each in ordered
    ]  # fmt: skip
    typer.echo(aligned(FLOW_HEADER, rows))
