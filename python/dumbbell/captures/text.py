"""A capture in sentences and a table, for the terminal and for a page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dumbbell.captures.analysis import Analysis
from dumbbell.captures.connection import CapturedFlow, Rtts
from dumbbell.metrics.number import counted, duration, percent, rate, size
from dumbbell.tables.table import Amount, Cell, Column, Table
from dumbbell.units import NS_PER_S

COLUMNS: Final = (
    Column("flow", key=True),
    Column("begins", "s", spare=2),
    Column("lasts", "s"),
    Column("data", "MB"),
    Column("goodput", "Mbit/s"),
    Column("RTT min", "ms"),
    Column("mean", "ms"),
    Column("p95", "ms", spare=1),
    Column("resent", "%"),
    Column("fast", spare=3),
    Column("timeout", spare=3),
    Column("probe", spare=3),
    Column("needless", spare=3),
    Column("overtaken", spare=4),
    Column("most out", "kB", spare=5),
    Column("limited by"),
)
MS, MB, KB, MBPS, PERCENT = 1e3, 1e-6, 1e-3, 1e-6, 100.0
MOST_ROWS: Final = 20
"""In a terminal."""
NEAR: Final = {
    "client": "near the end that opened it", "server": "near the end that it was opened to",
    "middle": "far from both ends",
}  # fmt: skip
LEGEND: Final = (
    "Goodput is data that was acknowledged, each byte once, from the first to the last of it. RTT is the time from a"
    " segment to the acknowledgement of its end, without those sent twice (Karn's rule); where there is none, that of"
    " timestamps. Resent: packets with data that were sent again, after reports of later data (fast), after a timeout,"
    " as a probe of the tail; needless: proved so by a D-SACK, a timestamp or an earlier acknowledgement. Out: sent,"
    " and neither acknowledged nor reported. What limited a flow is said where the capture was made near its sender."
)


def summary(analysis: Analysis) -> str:
    """What there is, in a sentence."""
    report = analysis.report
    frames = report.frames
    span_s = ((report.end_ns or 0) - (report.start_ns or 0)) / NS_PER_S
    text = f"{counted(frames['frames'], 'frame')}, {size(frames['wire_bytes'])} in {duration(span_s)}"
    return f"{text}: {counted(frames['tcp'], 'TCP segment')} of {counted(report.connections, 'connection')}."


def flow_name(flow: CapturedFlow) -> str:
    """Where its data comes from and goes."""
    return f"{flow.source} > {flow.target}"


def limited(flow: CapturedFlow) -> str:
    """What it was limited by for most of its time, with the share."""
    shares = flow.limited
    if not shares:
        return "-"
    name = max(shares, key=lambda each: shares[each])
    return name if shares[name] > 0.995 else f"{name} {percent(shares[name])}"  # noqa: PLR2004 (what rounds to all)


def table(analysis: Analysis, most: int | None = None) -> Table:
    """A row a flow, the one with the most data first."""
    return Table(COLUMNS, [_row(analysis, flow) for flow in analysis.flows[:most]])


def _row(analysis: Analysis, flow: CapturedFlow) -> list[Cell]:
    sent, rtt, again = flow.sent, flow.rtt, flow.sent.retransmissions
    begins_s = ((sent.first_data_ns or flow.connection.start_ns) - analysis.start_ns) / NS_PER_S
    return [
        flow_name(flow),
        Amount(begins_s),
        Amount(flow.active_s),
        Amount(sent.unique_bytes, factor=MB),
        Amount(flow.goodput_bps, factor=MBPS),
        *(Amount(None if rtt is None else ns / NS_PER_S, factor=MS) for ns in _shown(rtt)),
        Amount(flow.retransmitted, factor=PERCENT),
        again.fast,
        again.timeout,
        again.tail_probe,
        again.spurious,
        sent.reordering.packets,
        Amount(sent.most_outstanding_bytes, factor=KB),
        limited(flow),
    ]


def _shown(rtt: Rtts | None) -> tuple[int, int, int]:
    return (rtt.least_ns, rtt.mean_ns, rtt.p95_ns) if rtt else (0, 0, 0)


def facts(analysis: Analysis) -> Iterator[tuple[str, str]]:
    """What else is known of the largest flow's connection."""
    if not analysis.flows:
        return
    flow = analysis.flows[0]
    connection, sent, back = flow.connection, flow.sent, flow.connection.directions[1 - flow.from_server]
    yield "Largest flow", flow_name(flow)
    if connection.capture_point in NEAR:
        yield "Captured", NEAR[connection.capture_point]
    if connection.handshake.rtt_ns is not None:
        yield "RTT of the handshake", Amount(connection.handshake.rtt_ns / NS_PER_S, factor=MS, unit=" ms").text
    options = {"SACK": sent.sack_permitted and back.sack_permitted, "timestamps": sent.timestamps}
    spoken = [name for name, there in options.items() if there]
    if sent.mss or spoken:
        yield (
            "TCP",
            ", ".join([*([f"MSS {sent.mss}"] if sent.mss else []), *spoken, f"ECN {connection.ecn.replace('_', ' ')}"]),
        )
    yield from _estimates(analysis, flow)
    window = back.window
    yield "Receiver's window", f"at most {size(window.most_bytes)}, closed {counted(window.zero_windows, 'time')}"
    if sent.ecn.ce or back.ecn.ece:
        yield "Marks", f"{sent.ecn.ce:,} of {counted(sent.data_packets, 'packet')}"
    rates = [each.goodput_bps for each in analysis.flows if each.goodput_bps]
    if len(rates) > 1:
        yield "All flows", f"{rate(sum(rates))} of goodput, if all were there at once"


COUNTED: Final = {
    "fragments": "pieces of IP packets, which are not put together",
    "short": "frames of which too little was captured: a snap length of 96 B has all headers",
    "cut_options": "segments of whose options a part was not captured: a snap length of 96 B has them",
    "time_reversals": "frames captured before the one before them: reordercap puts them in order",
    "untimed": "frames without a time",
}
NAMED: Final = {
    "malformed": "frames with a header that contradicts itself", "tunnels": "frames of tunnels, not looked into",
    "unknown_links": "frames of an unknown link type",
}  # fmt: skip


def _estimates(analysis: Analysis, flow: CapturedFlow) -> Iterator[tuple[str, str]]:
    algorithm, path = flow.sent.algorithm, analysis.report.paths[flow.from_server]
    if algorithm is not None and algorithm.algorithm == "cannot_tell":
        yield "Congestion control", f"not known: {algorithm.reason}"
    elif algorithm is not None:
        sure = percent(algorithm.confidence)
        yield "Congestion control", f"{algorithm.algorithm}, sure to {sure}: {algorithm.reason}"
    if path is not None and path.rate_bps.value is not None:
        yield "Path's rate", f"{rate(path.rate_bps.value)}: {path.rate_bps.reason}"


def notices(analysis: Analysis) -> Iterator[str]:
    """What to know before one trusts it."""
    report, frames = analysis.report, analysis.report.frames
    if report.cut:
        yield f"the file ends inside {report.cut['what']} at byte {report.cut['offset_bytes']:,}: all before it is here"
    if report.damage:
        yield f"{report.damage}: all before it is here"
    if report.connections_given_up:
        yield (
            f"{counted(report.connections_given_up, 'connection')} had no packet for the longest time and were given"
            " up, since too many were open at once: what came later of them counts as others"
        )
    yield from (f"{frames[kind]:,} {what}" for kind, what in COUNTED.items() if frames[kind])
    for kind, what in NAMED.items():
        if frames[kind]:
            yield f"{sum(frames[kind].values()):,} {what}: {', '.join(sorted(frames[kind]))}"
    yield from _of_flows(analysis)


def _of_flows(analysis: Analysis) -> Iterator[str]:
    super_packets = sum(flow.sent.super_packets for flow in analysis.flows)
    if super_packets:
        yield (
            f"{counted(super_packets, 'packet')} of more than a segment: captured where the host cuts them up or joins"
            " them (offload), so that packets are fewer and times are those of bursts"
        )
    unseen = sum(flow.sent.unseen_bytes for flow in analysis.flows)
    if unseen:
        yield f"{size(unseen)} were acknowledged that the capture has not: it lost packets, or began later"
    midstream = sum(flow.connection.midstream for flow in analysis.flows)
    if midstream:
        yield (
            f"{counted(midstream, 'flow')} began before the capture: without a handshake, windows are not known, and"
            " sequence numbers begin where it does"
        )
