"""What a kernel lacks of queueing disciplines, and of ECN (`crates/agent/src/network/machine.rs`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from dumbbell.problem import Problem

if TYPE_CHECKING:
    from dumbbell.spec.run import Run


def lacking(run: Run, has: Callable[[str], bool], kernel: str) -> Iterator[Problem]:
    """Every field of the run's path that a kernel of this name cannot honour; `has` says which disciplines it has."""
    for where, queue in run.path.queues.items():
        if queue.shaper == "htb" and not has("htb"):
            yield Problem(f"{where}.shaper", f'{kernel} has no "htb"', 'shaper = "tbf", or `modprobe sch_htb`')
    yield from lacking_queues(run, has, kernel, "`modprobe sch_{}`")
    yield from lacking_policers(run, partial(has, "police"), kernel, "`modprobe -a act_police cls_u32 sch_ingress`")
    yield from lacking_ecn(run, partial(has, "accurate_ecn"), kernel)
    if run.path.shaper_at == "receiver" and not has("ifb"):
        message = f'{kernel} has no "ifb", or none of ingress, u32 and mirred that lead there'
        yield Problem("path.shaper_at", message, 'shaper_at = "router", or `modprobe -a ifb act_mirred cls_u32`')
    if run.path.offload and not has("netem") and any(flow.forward_delay_ns for flow in run.flows):
        hint = 'path.delay_side = "return", or path.offload = false'
        yield Problem("path.delay_side", no_super_packets(kernel), hint)


def lacking_queues(run: Run, has: Callable[[str], bool], kernel: str, hint: str) -> Iterator[Problem]:
    """Every queue of the run's path that is managed as a kernel of this name cannot; the hint has "{}" for how."""
    for where, queue in run.path.queues.items():
        kind = queue.qdisc.kind
        if kind != "fifo" and not has(kind):
            yield Problem(f"{where}.qdisc", f'{kernel} has no "{kind}"', f'qdisc = "fifo", or {hint.format(kind)}')


def lacking_policers(run: Run, has: Callable[[], bool], kernel: str, hint: str) -> Iterator[Problem]:
    """Every policer of the run's path, where a kernel of this name has none."""
    for where, queue in run.path.queues.items():
        if queue.shaper == "police" and not has():
            yield Problem(f"{where}.shaper", f"{kernel} has no policers", f'shaper = "tbf", or {hint}')


def lacking_ecn(run: Run, has: Callable[[], bool], kernel: str) -> Iterator[Problem]:
    """Every flow whose ECN is accurate, where a kernel of this name lacks that."""
    for index, flow in enumerate(run.flows):
        if flow.ecn == "accurate" and not has():
            yield Problem(f"flows[{index}].ecn", f"{kernel} has no accurate ECN", "ecn = true, or Linux 7.0 or later")


def no_super_packets(kernel: str) -> str:
    """Why a kernel without netem takes none."""
    return f"{kernel} has no netem, and the relay that stands in for it takes no super-packets"
