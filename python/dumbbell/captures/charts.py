"""The largest flows of a capture over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dumbbell.captures.text import flow_name
from dumbbell.charts.chart import Chart
from dumbbell.charts.in_time import KB, MBPS, MS, curve, panels
from dumbbell.charts.shapes import Look
from dumbbell.metrics.number import trimmed
from dumbbell.results.run_series import Samples
from dumbbell.units import NS_PER_S

if TYPE_CHECKING:
    from dumbbell.captures.analysis import Analysis
    from dumbbell.charts.chart import Layer

THROUGHPUT, RTT, OUTSTANDING, RESENT = (
    "throughput (Mbit/s)", "mean RTT of ACKs (ms)", "most outstanding (kB)", "packets resent",
)  # fmt: skip
BITS: Final = 8


def in_time(analysis: Analysis) -> Chart | None:
    """Throughput, RTT, what is outstanding and what is sent again, in bins; None of a capture without bins."""
    rows: dict[str, list[Layer]] = {label: [] for label in (THROUGHPUT, RTT, OUTSTANDING, RESENT)}
    end_s = 0.0
    for number, flow in enumerate(flow for flow in analysis.flows if flow.key in analysis.bins):
        bins = analysis.bins[flow.key]
        if not bins or not len(bins["bin"]):
            continue
        middle_s = (bins["bin"] + 0.5) * analysis.bin_s
        end_s = max(end_s, float(middle_s[-1]) + analysis.bin_s / 2)
        look = Look(f"flow {number + 1}", number, flow_name(flow))
        known = bins["rtt_samples"] > 0
        rtt_s = bins["rtt_sum_ns"][known] / bins["rtt_samples"][known] / NS_PER_S
        rows[THROUGHPUT].append(curve(Samples(middle_s, BITS * bins["wire_bytes"] / analysis.bin_s), look, MBPS))
        rows[RTT].append(curve(Samples(middle_s[known], rtt_s), look, MS))
        rows[OUTSTANDING].append(curve(Samples(middle_s, bins["most_outstanding_bytes"].astype(float)), look, KB))
        rows[RESENT].append(curve(Samples(middle_s, bins["retransmissions"].astype(float)), look, 1.0))
    drawn = {label: layers for label, layers in rows.items() if layers}
    if not drawn:
        return None
    bin_text = trimmed(analysis.bin_s, " s")
    return Chart(
        name="capture",
        shape="time",
        title="",
        caption=f"The flows with the most data, in bins of {bin_text}: bytes on the wire, the mean RTT of their"
        " acknowledgements, the most that was outstanding, and packets that were sent again.",
        panels=panels(end_s, drawn),
        alt=f"Plots over time of {len(drawn[THROUGHPUT])} flows: {', '.join(drawn)}.",
    )
