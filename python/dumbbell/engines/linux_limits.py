"""What of a run real Linux, and the agent that sets it up, cannot honour; congestion controls apart."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from dumbbell.engines import line_limits
from dumbbell.engines.resources import MOST_CONNECTIONS, MOST_MEMORY, memory_mb
from dumbbell.problem import Problem
from dumbbell.spec.frame import ETHERNET_HEADER_BYTES
from dumbbell.spec.path import Hop, Path
from dumbbell.spec.quantity import Rate
from dumbbell.spec.queue import QueueDiscipline, Room
from dumbbell.spec.resolved import red_mean_bits
from dumbbell.spec.run import MemoryBytes, Run
from dumbbell.units import BITS_PER_BYTE

MOST_FLOWS = 1_000
"""Each has a reader of its own in the agent. To set so many up takes half a minute, and grows with the square."""
LARGEST_QUEUE = 2**32 - 1
"""A queueing discipline's limit has 32 bits."""
LARGEST_WINDOW_BYTES = 65_535 << 14
"""What a TCP header can announce."""
SMALLEST_WINDOW_BYTES = 2_304
"""Half of it is the least that Linux lets a window be clamped to."""
LARGEST_MEMORY_BYTES = 2**31 - 1
"""Linux counts a socket buffer in 31 bits."""
_CUTTING = {"cake", "dualpi2"}
"""Queue disciplines that cut super-packets before they mark them (`split-gso`)."""
LARGEST_SUPER_PACKET_BYTES = 65_215
"""TSO: 64 kB, less the room that Linux leaves for headers."""


def problems(run: Run, *, here: bool = True) -> Iterator[Problem]:
    """Every field of the run that Linux or the agent cannot honour; programs are looked for where they run `here`."""
    if run.measure.qlog:
        message = (
            '"qlog" needs the state of the algorithm at each ACK and numbers of packets, which Linux does not give'
        )
        yield Problem("measure.record", message, "the engine sim, which has both")
    if here and run.measure.ss_ns and shutil.which("ss") is None:
        yield Problem("measure.ss", 'this machine has no program "ss"', "install iproute2, or leave it out")
    yield from _of_the_path(run)
    yield from line_limits.problems(run)
    yield from _of_the_flows(run, here=here)
    yield from _of_the_host(run)


def guest_problems(run: Run) -> Iterator[Problem]:
    """What a kernel of its own, in virtual time, cannot honour beside that."""
    if run.path.jitter_ns is None:
        yield Problem("path.jitter", "a machine's own noise: time is virtual here, and has none", "say how much")
    if memory_mb(run) is None:
        message = f"what may be in flight needs more than {MOST_MEMORY} of memory"
        yield Problem("path.buffer", message, "make it smaller")
    for index, flow in enumerate(run.flows):
        if flow.work.command and flow.work.command.user == "root":
            message = "a guest's programs have no privileges, whoever they run as"
            yield Problem(f"flows[{index}].workload.user", message, 'user = "caller", or the engine netns')


def _of_the_path(run: Run) -> Iterator[Problem]:
    for where, queue in run.path.queues.items():
        yield from _of_a_queue(run.path, where, queue)
    if len(run.path.queues) > 1 and run.path.shaper_at == "receiver":
        yield Problem("path.shaper_at", '"receiver": the path has other queues, too', 'shaper_at = "router"')


def _of_a_queue(path: Path, where: str, queue: Path | Hop) -> Iterator[Problem]:
    frame = path.mtu_bytes + queue.overhead_bytes
    yield from _rates(where, queue)
    yield from _queue(f"{where}.buffer", queue.buffer)
    yield from _of_a_discipline(path, f"{where}.qdisc", queue.qdisc)
    # The line of a trace is an htb (`bucket` in crates/agent/src/network/row.rs).
    shaper = "htb" if queue.trace else queue.shaper
    if shaper == "tbf" and queue.burst_bytes <= frame:
        message = f"{queue.burst_bytes} B is one frame or less: Linux's tbf has no line without a burst"
        yield Problem(f"{where}.burst", message, f'more than {frame} B, or shaper = "htb"')
    elif shaper == "tbf" and path.offload:
        segments = LARGEST_SUPER_PACKET_BYTES // path.mss_bytes
        least = max(segments, 1) * frame
        if queue.burst_bytes < least:
            message = f"Linux's tbf cuts super-packets larger than its burst, and they have up to {least} B"
            yield Problem(f"{where}.burst", message, f'at least {least} B, shaper = "htb", or offload = false')
    if path.offload and queue.overhead_bytes != ETHERNET_HEADER_BYTES:
        message = "Linux counts a super-packet's overhead once, whatever it holds"
        yield Problem(f"{where}.overhead", message, f'overhead = "{ETHERNET_HEADER_BYTES} B", or offload = false')
    if path.offload and queue.loss_ppb:
        message = "a super-packet that is lost at random counts once here, whatever it holds"
        yield Problem(f"{where}.loss", message, "loss = 0, or offload = false")


def _of_a_discipline(path: Path, where: str, qdisc: QueueDiscipline) -> Iterator[Problem]:
    if qdisc.kind == "red":
        frame_bytes = path.mtu_bytes + ETHERNET_HEADER_BYTES
        bits, most = red_mean_bits(qdisc.min_bytes or 0, qdisc.max_bytes or 0, frame_bytes)
        if bits > most:
            message = f"the mean backlog of such a queue takes {bits} bits, and Linux has {most}"
            yield Problem(f"{where}.max", message, "smaller thresholds, or a smaller buffer")
    # `fq_dequeue` in sch_fq.c, and `skb_clear_tstamp`: TCP's departure times pass from namespace to namespace.
    if qdisc.kind == "fq" and qdisc.ce_threshold_ns is not None:
        message = (
            "Linux's fq takes a packet's age from its departure at the sender, and counts marks that it cannot make"
        )
        yield Problem(f"{where}.ce_threshold", message, 'the engine sim, or kind = "fq_codel"')
    if path.offload and qdisc.marks and qdisc.kind not in _CUTTING:
        message = f"a super-packet that {qdisc.kind} marks counts once here, whatever it holds"
        yield Problem(where, message, "one that marks nothing (ecn = false), or offload = false")


def _of_the_flows(run: Run, *, here: bool) -> Iterator[Problem]:
    if len(run.flows) > MOST_FLOWS:
        yield Problem("flows", f"{len(run.flows)} flows in all are too many for this engine", f"at most {MOST_FLOWS}")
    clients = [index for index, flow in enumerate(run.flows) if flow.work.pages]
    opened = sum(run.flows[index].connections for index in clients)
    if opened > MOST_CONNECTIONS:
        message = f"{opened} connections of clients are too many for this engine"
        yield Problem(f"flows[{clients[0]}].workload", message, f"at most {MOST_CONNECTIONS} of all of them")
    for index, flow in enumerate(run.flows):
        if here and flow.work.command:
            for end in ("command", "server"):
                arguments = getattr(flow.work.command, end)
                if arguments and shutil.which(arguments[0]) is None:
                    yield Problem(f"flows[{index}].workload.{end}", f'this machine has no program "{arguments[0]}"')
        if flow.ecn == "accurate" and flow.work.command:
            message = "a program's connections offer what their route says, which no route says of accurate ECN"
            yield Problem(f"flows[{index}].ecn", message, "ecn = true")
        if flow.access:
            yield from _rate(f"flows[{index}].access.rate", flow.access.rate_bps)
            yield from _queue(f"flows[{index}].access.buffer", flow.access.buffer)
            if flow.access.kind == "device" and run.host.qdisc == "fq":
                message = "fq takes the place of a device's drop-tail queue, and has a limit of its own"
                yield Problem(f"flows[{index}].access.kind", message, 'host.qdisc = "none", or kind = "router"')


def _of_the_host(run: Run) -> Iterator[Problem]:
    if run.host.gro and run.path.offload:
        message = "no device both lets super-packets pass and merges what arrives"
        yield Problem("host.gro", message, "path.offload = false, or host.gro = false")
    window, memory = run.host.receive_window_bytes, run.host.socket_memory
    if window is not None and not SMALLEST_WINDOW_BYTES <= window <= LARGEST_WINDOW_BYTES:
        message = f"{window} B is no window that Linux can be held to"
        yield Problem("host.receive_window", message, f"from {SMALLEST_WINDOW_BYTES} B to {LARGEST_WINDOW_BYTES} B")
    if isinstance(memory, MemoryBytes) and memory.bytes > LARGEST_MEMORY_BYTES:
        message = f"{memory.bytes} B is more than a socket buffer of Linux holds"
        yield Problem("host.socket_memory", message, f'at most {LARGEST_MEMORY_BYTES} B, or "max"')


def _rates(where: str, queue: Path | Hop) -> Iterator[Problem]:
    if queue.trace is None:  # of which it is the mean
        yield from _rate(f"{where}.rate", queue.rate_bps)
    if queue.police.peak_bps is not None:
        yield from _rate(f"{where}.peak", queue.police.peak_bps)
    for index, change in enumerate(queue.changes):
        if change.rate_bps is not None:
            yield from _rate(f"{where}.change[{index}].rate", change.rate_bps)
        if change.buffer is not None:
            yield from _queue(f"{where}.change[{index}].buffer", change.buffer)


def _rate(path: str, rate_bps: int) -> Iterator[Problem]:
    if rate_bps % BITS_PER_BYTE:
        message = f"{Rate.show(rate_bps)}: Linux counts a rate in whole bytes a second"
        yield Problem(path, message, "a multiple of 8 bit/s")


def _queue(path: str, room: Room) -> Iterator[Problem]:
    size, unit = room.count
    if size > LARGEST_QUEUE:
        yield Problem(path, f"{room}: Linux counts a queue's limit in 32 bits", f"at most {LARGEST_QUEUE} {unit}")
