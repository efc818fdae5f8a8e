"""A capture as an experiment: a spec of its path and its flows, each value with its interval and reason."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from dumbbell.errors import DumbbellError
from dumbbell.metrics.number import counted, percent
from dumbbell.spec.quantity import Bytes, Quantity, Rate, Share, Time
from dumbbell.units import NS_PER_S

if TYPE_CHECKING:
    from dumbbell.captures.analysis import Analysis
    from dumbbell.captures.connection import CapturedFlow, CapturedNumber

USUAL: Final = "cubic"
"""What most senders run."""
MOST_FLOWS: Final = 100
DIGITS: Final = 4
SAME_RTT: Final = 0.01
"""Flows whose base RTTs differ by less have the path's."""
CEASED_RTTS: Final = 10
"""A sender that is silent for so long, and a second, has no more to send."""
PPB: Final = 1e9


class NoExperimentError(DumbbellError):
    """A capture that shows too little."""


class KeyLine(NamedTuple):
    """A key with its value, and what is known of it."""

    key: str
    value: str
    """As TOML has it."""
    reason: str = ""
    interval: str = ""
    instead: str = ""
    """Of a value that is not known: what it is."""

    @property
    def text(self) -> str:
        """The value without its quotes."""
        return str(json.loads(self.value))

    def __str__(self) -> str:
        remark = ": ".join(filter(None, (self.interval, self.reason)))
        if self.instead:
            remark = f"NOT KNOWN{f' ({self.reason})' if self.reason else ''}: {self.instead}"
        return f"{self.key} = {self.value:<20} # {remark}" if remark else f"{self.key} = {self.value}"


def written(analysis: Analysis, file: Path, command: str) -> Path:
    """Writes the spec of a capture, and gives its path; `command` is what made it.

    Raises:
        NoExperimentError: no flow shows its path, or the file cannot be written.
    """
    text = spec(analysis, file.stem, command)
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise NoExperimentError(f"{file}: cannot be written: {error.strerror or error}") from error
    return file


def spec(analysis: Analysis, name: str, command: str) -> str:
    """The TOML of an experiment that is as the capture; `command` is what made it.

    Raises:
        NoExperimentError: no flow sent enough to tell its path.
    """
    flows, ours = _with_path(analysis), one_way(analysis)
    side = ours[0].from_server
    shown = in_order(ours)
    begin_ns = min(flow.connection.start_ns for flow in shown)
    end_ns = max(max(flow.sent.last_acked_ns or 0, flow.sent.last_data_ns or 0) for flow in shown)
    lines = [
        f"# What a capture says of its path and its flows, by `{command}`.",
        "# Behind each value: its interval, and how it is known.",
        *_left_out(analysis, len(ours) - len(shown), len(flows) - len(ours)),
        "",
        f"name = {json.dumps(name)}",
        f"duration = {quoted(Time, math.ceil((end_ns - begin_ns) / NS_PER_S) * NS_PER_S)}",
        'start_jitter = "0 s"',
        "",
        "[path]",
        *map(str, _path(analysis, ours, side)),
    ]
    for number, flow in enumerate(shown, 1):
        lines += ["", "[[flows]]", *map(str, _flow(flow, f"flow-{number}", ours, begin_ns, end_ns))]
    return "\n".join([*lines, ""])


def _with_path(analysis: Analysis) -> list[CapturedFlow]:
    return [flow for flow in analysis.flows if flow.sent.flow is not None and flow.rtt is not None]


def one_way(analysis: Analysis) -> list[CapturedFlow]:
    """The flows that show their path, in the direction of the one with the most data, which is the first.

    Raises:
        NoExperimentError: there is none.
    """
    flows = _with_path(analysis)
    if not flows:
        raise NoExperimentError(
            f"{analysis.file}: no flow shows its path, for which it needs data that was acknowledged"
        )
    return [flow for flow in flows if flow.from_server == flows[0].from_server]


def in_order(flows: Sequence[CapturedFlow]) -> list[CapturedFlow]:
    """Those that an experiment has, in the order in which they start."""
    return sorted(flows[:MOST_FLOWS], key=lambda flow: (flow.connection.start_ns, flow.connection.connection))


def algorithm_of(flow: CapturedFlow) -> str | None:
    """What its sender runs, as its packets say with confidence."""
    algorithm = flow.sent.algorithm
    return None if algorithm is None or algorithm.algorithm == "cannot_tell" else algorithm.algorithm


def _left_out(analysis: Analysis, small: int, other_way: int) -> Iterator[str]:
    if small:
        yield f"# {counted(small, 'flow')} with less data are left out."
    if other_way:
        yield f"# {counted(other_way, 'flow')} in the other direction are left out."
    if analysis.report.connections > len(analysis.flows):
        yield f"# The capture has {counted(analysis.report.connections, 'connection')} in all."


def answers(analysis: Analysis) -> Iterator[KeyLine]:
    """What a capture says of a question about its path, by the parameters of `dumbbell advise`.

    The flow with the most data is the one that is asked about, those that went along with it are its neighbours.

    Raises:
        NoExperimentError: no flow sent enough to tell its path.
    """
    flows = one_way(analysis)
    own = flows[0]
    yield from _path(analysis, flows, own.from_server)
    estimate = own.sent.flow
    assert estimate is not None  # noqa: S101 (those that have one are here)
    loss = estimate.random_loss
    if loss.value is None:
        yield KeyLine("loss", quoted(Share, 0), loss.reason, instead="as if there were none")
    elif not loss.value:
        yield known_line("loss", Share, 0, loss, PPB)
    names = [algorithm_of(flow) for flow in flows[1:MOST_FLOWS] if _goes_along(flow, own)]
    if names and names[0] is not None and len(set(names)) == 1:
        yield KeyLine("competitors", json.dumps(f"{names[0]}:{len(names)}"), "as their packets show")
    else:
        several = f"of {counted(len(names), 'other flow')} packets do not show one algorithm"
        reason = several if names else "who is not in the capture may be on the line"
        yield KeyLine("competitors", '"none"', reason, instead="several cases")
    if estimate.size_bytes.value:
        yield KeyLine("transfer", quoted(Bytes, estimate.size_bytes.value, None), estimate.size_bytes.reason)


def _goes_along(flow: CapturedFlow, own: CapturedFlow) -> bool:
    """Whether it sent for half of another one's time."""
    (begin, end), (own_begin, own_end) = (
        (each.sent.first_data_ns or 0, each.sent.last_data_ns or 0) for each in (flow, own)
    )
    return 2 * (min(end, own_end) - max(begin, own_begin)) >= own_end - own_begin


def _path(analysis: Analysis, flows: list[CapturedFlow], side: int) -> Iterator[KeyLine]:
    path = analysis.report.paths[side]
    total_bps = max(8.0, *(flow.goodput_bps or 0 for flow in flows))
    if path is not None and path.rate_bps.value is not None:
        yield known_line("rate", Rate, path.rate_bps.value, path.rate_bps)
    else:
        why = path.rate_bps.reason if path is not None else "no queue stood"
        yield KeyLine("rate", quoted(Rate, total_bps), why, instead="at least the largest flow's goodput")
    yield _rtt(flows)
    estimates = [flow.sent.flow for flow in flows if flow.sent.flow]
    buffer = next((each.buffer_bytes for each in estimates if each.buffer_bytes.value is not None), None)
    if buffer is not None and buffer.value is not None:
        yield known_line("buffer", Bytes, buffer.value, buffer)
    else:
        queue = max((each.queue_bytes.low or 0 for each in estimates), default=0)
        least = max(2 * queue, 20 * 1514)
        instead = f"at least {Bytes.show(queue, 3)} waited"
        yield KeyLine("buffer", quoted(Bytes, least), "it was never full", instead=instead)
    loss = estimates[0].random_loss
    if loss.value:
        yield known_line("loss", Share, loss.value, loss, PPB)


def _flow(flow: CapturedFlow, name: str, flows: list[CapturedFlow], begin_ns: int, end_ns: int) -> Iterator[KeyLine]:
    yield KeyLine("name", json.dumps(name), f"{flow.source} > {flow.target}")
    algorithm, said = flow.sent.algorithm, algorithm_of(flow)
    if algorithm is None or said is None:
        why = algorithm.reason if algorithm else "only a capture near the sender shows it"
        yield KeyLine("cc", json.dumps(USUAL), why, instead=f"{USUAL} is what most senders run")
    else:
        yield KeyLine("cc", json.dumps(said), algorithm.reason, f"sure to {percent(algorithm.confidence)}")
    yield KeyLine("start", quoted(Time, flow.connection.start_ns - begin_ns))
    estimate = flow.sent.flow
    assert estimate is not None  # noqa: S101 (those that have one are shown)
    own_ns, path_ns = estimate.base_rtt_ns.value, _base_rtt_ns(flows)
    if own_ns is not None and own_ns > (1 + SAME_RTT) * path_ns:
        yield known_line("rtt", Time, own_ns, estimate.base_rtt_ns)
    if estimate.size_bytes.value:
        yield KeyLine("workload", _transfer(estimate.size_bytes.value))
    elif end_ns - (flow.sent.last_data_ns or end_ns) > CEASED_RTTS * path_ns + NS_PER_S:
        instead = "its packets ceased then, without an end"
        yield KeyLine("workload", _transfer(flow.sent.unique_bytes), instead=instead)


def _transfer(size_bytes: float) -> str:
    return f"{{ transfer = {quoted(Bytes, size_bytes, None)} }}"


def _base_rtt_ns(flows: list[CapturedFlow]) -> float:
    known = [flow.sent.flow.base_rtt_ns.value for flow in flows if flow.sent.flow]
    least = [flow.rtt.least_ns for flow in flows if flow.rtt]
    return min([ns for ns in known if ns is not None], default=float(min(least)))


def _rtt(flows: list[CapturedFlow]) -> KeyLine:
    known = [flow.sent.flow.base_rtt_ns for flow in flows if flow.sent.flow]
    least = min((each for each in known if each.value is not None), key=lambda each: each.value or 0, default=None)
    if least is None:
        return KeyLine("rtt", quoted(Time, _base_rtt_ns(flows)), instead="no more than the least RTT of an ACK")
    return known_line("rtt", Time, _base_rtt_ns(flows), least)


def known_line(key: str, kind: type[Quantity], value: float, estimate: CapturedNumber, factor: float = 1.0) -> KeyLine:
    low, high = (None if end is None else kind.show(factor * end, DIGITS) for end in (estimate.low, estimate.high))
    return KeyLine(key, quoted(kind, factor * value), estimate.reason, f"{low or '?'} to {high or '?'}")


def quoted(kind: type[Quantity], value: float, digits: int | None = DIGITS) -> str:
    return json.dumps(kind.show(value, digits))
