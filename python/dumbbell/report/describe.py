"""Path, senders and hosts of resolved runs, in words that a reader of the report can check against the document."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any, TypeAlias

import dumbbell.cc as cc
from dumbbell.charts.style import kernel_of, style_of
from dumbbell.metrics.number import RECORD_DIGITS, amount, trimmed
from dumbbell.spec.flow import Flow, Work
from dumbbell.spec.frame import ETHERNET_HEADER_BYTES
from dumbbell.spec.line import Change, Impairments
from dumbbell.spec.pages import Pages
from dumbbell.spec.path import Hop, Path
from dumbbell.spec.point_text import changes_text, impairment_texts
from dumbbell.spec.quantity import Bytes, Rate, Share, Time
from dumbbell.spec.queue import FIFO, Room
from dumbbell.spec.resolved import rtt_offset_ns
from dumbbell.spec.run import Host, MemoryBytes, Run
from dumbbell.units import NS_PER_S, PPB

if TYPE_CHECKING:
    Senders: TypeAlias = Sequence[tuple[str, str]]
    """Group and congestion control of each flow of a run."""
    Written: TypeAlias = Mapping[str, Any]
    """What a spec has of changes and traces, by the paths of the fields: `path.change`, `path.back.trace`."""
    Described: TypeAlias = tuple[Run, Senders, int, Written]
    """A run, its senders, the nanoseconds within which its base round-trip times were drawn, and what its spec has."""

NS_PER_MS = 1_000_000
MOST_STARTS = 8
NO_QUEUE = "no queue"
BOTTLENECK, ROUND_TRIP, QUEUE = "Bottleneck", "Round trip without a queue", "Queue"


def describe_runs(runs: Iterable[Described], engine: str = "sim") -> dict[str, list[str]]:
    """By label, one text where it is the same for all runs of an engine, otherwise one for each value."""
    by_label: dict[str, dict[str, None]] = {}
    for run, senders, rtt_spread_ns, written in runs:
        for label, text in _describe(run, senders, rtt_spread_ns, written, kernel_of(engine)):
            by_label.setdefault(label, {})[text] = None
    return {label: list(texts) for label, texts in by_label.items()}


def brief(facts: Mapping[str, Sequence[str]]) -> str:
    """The path in one line; "" where nothing is known of it."""
    if BOTTLENECK not in facts:
        return ""
    rates, rtts, queues = facts[BOTTLENECK], facts[ROUND_TRIP], facts[QUEUE]
    return ", ".join([
        _clause(rates[0]) if len(rates) == 1 else f"{len(rates)} rates",
        f"{_clause(rtts[0])} RTT" if len(rtts) == 1 else f"{len(rtts)} RTTs",
        _queues_clause(queues),
    ])  # fmt: skip


def _queues_clause(queues: Sequence[str]) -> str:
    if len(queues) > 1:
        return f"queues of {_clause(queues[0])} to {_clause(queues[-1])}"
    return NO_QUEUE if queues[0] == NO_QUEUE else f"queue of {queues[0]}"


def _clause(text: str) -> str:
    return text.partition(", ")[0]


def _describe(
    run: Run, senders: Senders, rtt_spread_ns: int, written: Written, kernel: str
) -> Iterator[tuple[str, str]]:
    path = run.path
    nominal_rtts_ns = {
        flow.name: flow.base_rtt_ns - rtt_offset_ns(run.seed, flow.name, rtt_spread_ns) for flow in run.flows
    }
    rtts_ns = list(dict.fromkeys(nominal_rtts_ns.values()))
    longer = f", each flow's up to {Time.show(rtt_spread_ns)} longer, as the seed draws" if rtt_spread_ns else ""
    frames = "Ethernet frames" if path.overhead_bytes == ETHERNET_HEADER_BYTES else "frames"
    yield BOTTLENECK, f"{Rate.show(path.rate_bps)}, charged on {frames} (IP packet + {path.overhead_bytes} B)"
    yield ROUND_TRIP, " or ".join(map(Time.show, rtts_ns)) + longer + f", {_delay_side(run.flows)}"
    yield QUEUE, _queue(path, rtts_ns)
    yield "Token bucket", _bucket(path)
    yield "Timing noise of the senders", _jitter(path)
    for hops, way in ((path.hops, "Queue"), (path.back, "Queue on the way back")):
        for place, hop in enumerate(hops):
            named = " (the bottleneck)" if hops is path.hops and place == path.bottleneck else ""
            table = (
                "path.back" if hop.name == "back" else f"{'hops' if hops is path.hops else 'path.back.hops'}[{place}]"
            )
            yield f"{way} “{hop.name}”", f"{_hop(hop, path.mtu_bytes, table, written)}{named}"
    yield "Random loss", _loss(path, "data packets", f"{path.loss_at} the queue") or "none"
    if impaired := _impairments(path.impairments):
        yield "Packets on the line", "; ".join(impaired)
    if not path.hops:
        yield from zip(("Changes in time",), _changes(path, "path", written), strict=False)
    ccs = dict(reversed(senders))
    for group in dict.fromkeys(name for name, _ in senders):
        members = [flow for flow, (name, _) in zip(run.flows, senders, strict=True) if name == group]
        rtts = (
            [Time.show(rtt_ns) for rtt_ns in {nominal_rtts_ns[flow.name]: None for flow in members}]
            if len(rtts_ns) > 1
            else []
        )
        ways = [*{_way(path, flow): None for flow in members if (path.hops or path.back)}]
        yield f"Senders “{group}”", "; ".join([_senders(members, ccs[group], run.seed, rtts), *filter(None, ways)])
    yield "Hosts", _hosts(run.host, path, kernel)
    length = Time.show(run.duration_ns)
    yield "Duration", f"until every transfer is complete, at most {length}" if run.until_done else length
    yield "Numbers taken from", _window(run)


def _delay_side(flows: Sequence[Flow]) -> str:
    forward = any(flow.forward_delay_ns for flow in flows)
    back = any(flow.return_delay_ns for flow in flows)
    if forward and back:
        return "split between data and ACKs"
    return "all of it on the way of the data" if forward else "all of it on the way of the ACKs"


def _loss(line: Path | Hop, of: str, where: str) -> str:
    """Empty where there is none."""
    if channel := line.impairments.burst_loss:
        bad_packets = trimmed(PPB / max(channel.to_good_ppb, 1), digits=RECORD_DIGITS)
        in_bursts = f"in bursts of {bad_packets} packets in the mean"
        if (channel.good_loss_ppb, channel.bad_loss_ppb) != (0, PPB):
            in_bursts = (
                f"in bad states of {bad_packets} packets in the mean, each of which loses"
                f" {Share.show(channel.bad_loss_ppb)}, and the good one {Share.show(channel.good_loss_ppb)}"
            )
        return f"{Share.show(channel.loss_ppb)} of the {of} in the long run, {in_bursts}, {where}"
    return f"{Share.show(line.loss_ppb)} of the {of}, {where}" if line.loss_ppb else ""


def _impairments(does: Impairments) -> list[str]:
    """What a line does to packets apart from losing them."""
    fields: dict[str, Any] = {"ack_filter": does.thins_acks}
    if does.reorder and (late := does.reorder.late):
        fields["reorder"] = {"share": Share.show(late.share_ppb), "by": Time.show(late.by_ns)}
    if does.reorder and (spread := does.reorder.spread):
        fields["reorder"] = {
            "spread": Time.show(spread.spread_ns), "delay": Time.show(spread.delay_ns),
            "distribution": spread.distribution,
        }  # fmt: skip
        if spread.correlation_ppb:
            fields["reorder"]["correlation"] = Share.show(spread.correlation_ppb)
    if does.duplicate_ppb:
        fields["duplicate"] = Share.show(does.duplicate_ppb)
    if does.corrupt_ppb:
        fields["corrupt"] = Share.show(does.corrupt_ppb)
    if does.aggregation_ns:
        fields["aggregation"] = Time.show(does.aggregation_ns)
    return list(impairment_texts(fields).values())


def _changes(line: Path | Hop, table: str, written: Written) -> list[str]:
    """As the spec writes them, in one text; where it is not known, step by step. Nothing of a line that stays."""
    if line.trace is not None:
        return [f"as recorded in {written.get(f'{table}.trace', 'a trace')}"]
    tables = written.get(f"{table}.change") or [_table(each) for each in line.changes if each.at_ns]
    return ["; ".join(changes_text(tables))] if tables else []


def _table(change: Change) -> dict[str, str]:
    """A change as a spec would write it; of a delay what it adds to the least one."""
    shown = {
        "rate": Rate.show(change.rate_bps) if change.rate_bps is not None else None,
        "delay": Time.show(change.delay_ns) if change.delay_ns is not None else None,
        "loss": Share.show(change.loss_ppb) if change.loss_ppb is not None else None,
        "buffer": _room(change.buffer) if change.buffer else None,
    }
    return {"at": Time.show(change.at_ns)} | {key: text for key, text in shown.items() if text is not None}


def _queue(path: Path, rtts_ns: Sequence[int]) -> str:
    if path.shaper == "police":
        return NO_QUEUE
    if path.buffer.bytes is None:
        return f"{path.buffer}, {_managed(path)}, counted in packets"
    in_bdp = ""
    if len(rtts_ns) == 1:
        bdp_bytes = path.rate_bps * rtts_ns[0] / 8 / NS_PER_S
        in_bdp = f"{trimmed(path.buffer.bytes / bdp_bytes, ' BDP', digits=4)} = "
    return f"{in_bdp}{Bytes.show(path.buffer.bytes)}, {_managed(path)}"


def _managed(line: Path | Hop) -> str:
    return "drop-tail" if line.qdisc == FIFO else line.qdisc.kind


def _hop(hop: Hop, mtu_bytes: int, table: str, written: Written) -> str:
    parts = [Rate.show(hop.rate_bps), NO_QUEUE if hop.shaper == "police" else f"room for {_room(hop.buffer)}"]
    if hop.qdisc != FIFO:
        parts.append(_managed(hop))
    if hop.delay_ns:
        parts.append(f"{Time.show(hop.delay_ns)} behind it")
    if (depth := _depth(hop, mtu_bytes)) is not None:
        parts.append(f"token bucket of {depth}" if hop.shaper != "police" else depth)
    if lost := _loss(hop, "packets", f"{hop.loss_at} it"):
        parts.append(f"random loss of {lost}")
    return ", ".join([*parts, *_impairments(hop.impairments), *_changes(hop, table, written)])


def _bucket(path: Path) -> str:
    where = ", at the receiver's ingress" if path.shaper_at == "receiver" else ""
    return f"{_depth(path, path.mtu_bytes) or 'none: a plain line'}{where}"


def _depth(line: Path | Hop, mtu_bytes: int) -> str | None:
    """Of a token bucket; None: it is a plain line."""
    if line.shaper == "tbf" and line.burst_bytes <= mtu_bytes + line.overhead_bytes:
        return None
    if line.shaper == "police":
        peak = f", peak {Rate.show(line.police.peak_bps)}" if line.police.peak_bps is not None else ""
        return f"policer of {Bytes.show(line.burst_bytes)}{peak}{', marks what exceeds' if line.police.marks else ''}"
    return f"{Bytes.show(line.burst_bytes)}{', may owe (htb)' if line.shaper == 'htb' else ''}"


def _room(buffer: Room) -> str:
    return str(buffer) if buffer.bytes is None else Bytes.show(buffer.bytes)


def _jitter(path: Path) -> str:
    if path.jitter_ns is None:
        return "the machine's own"
    return f"each burst up to {Time.show(path.jitter_ns)} late, in order" if path.jitter_ns else "none"


def _senders(flows: Sequence[Flow], written: str, seed: int, rtts: Sequence[str]) -> str:
    name = cc.base_name(written)
    label = style_of(name).label
    variant = cc.variants().get(name)
    called = f"{len(flows)} x {written}"
    if label != name:
        called += f", {label}"
    if variant is not None:
        called += f" ({variant.about})"
    works = Counter(map(_workload, flows)).items()
    parts = [called, *(work if count == 1 or work == "bulk" else f"each {work}" for work, count in works)]
    *earlier, last_s = (round(flow.start_ns / NS_PER_S, 3) for flow in flows)
    starts = [trimmed(each, digits=RECORD_DIGITS) for each in earlier]
    if len(flows) > MOST_STARTS:
        starts[MOST_STARTS - 1 :] = ["…"]
    starts.append(trimmed(last_s, " s", digits=RECORD_DIGITS))
    jittered = f", jitter of seed {seed} included" if any(flow.start_ns % NS_PER_MS for flow in flows) else ""
    parts.append(f"starting at {', '.join(starts)}{jittered}")
    parts += [f"until {Time.show(stop)}" for stop in {flow.stop_ns: None for flow in flows} if stop is not None]
    parts += [f"{rtt} RTT" for rtt in rtts]
    for access in {flow.access: None for flow in flows}:
        if access is not None:
            whose = "own line" if access.kind == "device" else "behind it a router's line"
            parts.append(f"{whose} of {Rate.show(access.rate_bps)} with room for {_room(access.buffer)}")
    return "; ".join(parts)


def _way(path: Path, flow: Flow) -> str:
    """Empty where data passes every queue of its direction's, and that is the usual one."""
    up = flow.direction == "up"
    hops, passed = path.back if up else path.hops, flow.route.data
    names = [hop.name for hop in hops[passed[0] : passed[1] + 1]] if passed else []
    return " ".join(["data on the way back"] * up + [f"by {', '.join(names)}"] * bool(names))


def _workload(flow: Flow) -> str:
    if flow.work.transfer:
        return f"a transfer of {Bytes.show(flow.work.transfer.bytes)}"
    if paced := _paced(flow.work):
        return paced
    if flow.work.trace:
        return f"{len(flow.work.trace.writes)} writes as traced"
    if flow.work.arrivals:
        return _arrivals([size for _, size in flow.work.arrivals.arrivals])
    if program := flow.work.command:
        other = f", to the server {shlex.join(program.server)}" if program.server else ""
        power = ", as root" if program.user == "root" else ""
        return f"the program {shlex.join(program.command)}{other}{power}"
    return "bulk"


def _paced(work: Work) -> str:
    if stream := work.stream:
        pace = f"one write every {Time.show(stream.every_ns)}"
        return f"a stream of {Rate.show(stream.rate_bps)} for {Time.show(stream.for_ns)}, {pace}"
    if ping := work.ping:
        return f"pings of {Bytes.show(ping.bytes)}, one every {Time.show(ping.every_ns)}"
    if pages := work.pages:
        return _pages(pages)
    return _datagrams(work)


def _datagrams(work: Work) -> str:
    if datagrams := work.datagrams:
        spacing = "" if datagrams.spacing == "even" else " by chance (Poisson)"
        pauses = f", {Time.show(datagrams.on_ns)} on and {Time.show(datagrams.off_ns)} off" if datagrams.off_ns else ""
        size = Bytes.show(datagrams.bytes)
        return f"UDP datagrams of {size}, {Rate.show(datagrams.rate_bps)} of payload{spacing}{pauses}"
    if trace := work.datagram_trace:
        return f"{len(trace.datagrams)} UDP datagrams as traced"
    if media := work.media:
        rates = f"{Rate.show(media.least_bps)} to {Rate.show(media.most_bps)}"
        late = Time.show(media.deadline_ns)
        return f"video over UDP that adapts by NADA, {rates}, {media.frames} frames/s, late after {late}"
    return ""


def _arrivals(sizes: Sequence[int]) -> str:
    if not sizes:
        return "short transfers, of which none arrives"
    least, most = min(sizes), max(sizes)
    size_text = Bytes.show(least)
    if least < most:
        size_text += f" to {Bytes.show(most)}, {amount(fmean(sizes) / 1000, unit=' kB')} in the mean"
    return f"{len(sizes):,} short transfers, each on a connection of its own, of {size_text}"


def _pages(pages: Pages) -> str:
    sizes, think = pages.sizes, pages.think
    size = f" of {Bytes.show(sizes.fixed)} each" if sizes.fixed else ", of sizes by chance"
    pause = "" if think.exponential is None else " in the mean"
    paused_ns = think.fixed if think.exponential is None else think.exponential
    return (
        f"a client of {pages.connections} connections, which loads pages of {pages.objects} objects{size},"
        f" requests {Bytes.show(pages.request_bytes)}, and pauses {Time.show(paused_ns or 0)}{pause}"
    )


def _hosts(host: Host, path: Path, kernel: str) -> str:
    memory = host.socket_memory
    buffers = {"max": "socket buffers never the limit", "default": "Linux's default socket buffers"}
    parts = [
        f"TCP as of {kernel} (SACK, RACK and TLP, PRR, timestamps)",
        f"segments of {path.mss_bytes} B" + (", offloaded" if path.offload else ", no offload"),
        f"initial window of {host.initial_window_segments}",
        f"socket buffers of {Bytes.show(memory.bytes)}" if isinstance(memory, MemoryBytes) else buffers[memory],
    ]
    if host.receive_window_bytes is not None:
        parts.append(f"receive window of {Bytes.show(host.receive_window_bytes)}")
    parts.append("fq at the senders" if host.qdisc == "fq" else "no fq: TCP paces where the algorithm asks for it")
    parts.append("compressed SACKs" if host.sack_compression else "no compression of SACKs")
    parts += ["receivers merge segments (GRO)"] * host.gro
    if host.ack_aggregation_ns:
        parts.append(f"receivers' NICs hand over at most every {Time.show(host.ack_aggregation_ns)}")
    return "; ".join(parts)


def _window(run: Run) -> str:
    measure = run.measure
    if (measure.window_begin_ns, measure.window_end_ns) == (0, run.duration_ns):
        window = "the whole run"
    else:
        window = f"{Time.show(measure.window_begin_ns)} to {Time.show(measure.window_end_ns)}"
    return f"{window}; gauges every {Time.show(measure.sample_ns)}"
