"""From facts to warnings. A warning means: look at this before you trust the result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dumbbell.engines.measurement import NEVER_NS, FlowMeasurement, Measurement, PageLoads, Program, Transfers
from dumbbell.metrics.number import RECORD_DIGITS, percent, trimmed
from dumbbell.metrics.window import Activity, Window
from dumbbell.results.disturbance import disturbances
from dumbbell.spec.flow import Flow
from dumbbell.spec.path import Path
from dumbbell.spec.run import Run
from dumbbell.units import NS_PER_S

LIMITED_SHARE = 0.01
"""A bulk sender held back by something else than its congestion control for more than this tells little about it."""
WINDOW_RTTS = 10
"""A window shorter than this many round trips shows a moment, not a behaviour."""
BEHAVES_AS_RENO = "behaves as Reno"
NOT_TCP = "its program sent nothing by TCP: of what it sent no goodput, share or RTT is known"
_DCTCP, _PRAGUE = "dctcp", "prague"


def is_as_reno(flow: Flow, path: Path) -> bool:
    """Whether its algorithm behaves as Reno: Linux's own lp does, as docs/limitations.md has it, and dctcp unmarked."""
    unmarked = not any(queue.qdisc.marks for queue in path.queues.values())
    return flow.algorithm == "lp" or (flow.algorithm == _DCTCP and unmarked)


def has_ecn(flow: Flow) -> bool:
    """Whether its connections offer ECN: those of DCTCP and Prague do, whatever the run says."""
    return flow.ecn != "off" or flow.algorithm in {_DCTCP, _PRAGUE}


def warnings(run: Run, measurement: Measurement, names: Sequence[str]) -> list[str]:
    """Every reason not to trust the summary of this measurement; `names` has each flow's group."""
    window = Window.of(run.measure, measurement.ended_ns)
    return [
        *_of_the_window(run, measurement, window),
        *_of_the_flows(run, measurement, names, window),
        *disturbances(measurement.facts),
    ]


def _of_the_window(run: Run, measurement: Measurement, window: Window) -> Iterator[str]:
    if not window.seconds:
        yield f"measure.window: the run ended at {_time(measurement.ended_ns / NS_PER_S)}, before the window began"
        return
    rtt_s = max(flow.forward_delay_ns + flow.return_delay_ns for flow in run.flows) / NS_PER_S
    if window.seconds < WINDOW_RTTS * rtt_s:
        yield f"measure.window: {_time(window.seconds)} is less than {WINDOW_RTTS} round trips of {_time(rtt_s)}"
    queue = measurement.bottleneck
    if queue.at_window_begin.offered_packets == queue.at_window_end.offered_packets is not None:
        yield "measure.window: no packet came to the bottleneck in it"


def _time(seconds: float) -> str:
    return trimmed(seconds, " s", RECORD_DIGITS)


def _of_the_flows(run: Run, measurement: Measurement, names: Sequence[str], window: Window) -> Iterator[str]:
    for index, (flow, name, measured) in enumerate(zip(run.flows, names, measurement.flows, strict=True)):
        own = (
            *_of_a_program(measured.program), *_of_a_flow(flow, run.path, measured, window),
            *_of_a_source(measured.transfers, window), *_of_a_client(flow, measured.pages, window),
            *_of_ecn(flow, index, measurement.facts),
            *_of_those_given_up(measurement.facts.get(f"flows[{index}].given_up")),
        ) if flow.cc else _of_datagrams(measured)  # fmt: skip
        for message in own:
            yield f"flow {index} ({name}): {message}"


def _of_ecn(flow: Flow, index: int, facts: Mapping[str, str]) -> Iterator[str]:
    """What its connections made of ECN on a kernel, where that is not what the run says.

    Each count is `K of N` connections. A SYN that is lost is sent again without an offer (Linux's `tcp_ecn_fallback`).
    """
    uses = has_ecn(flow)
    for fact, what in (("ecn", "use ECN"), ("ect", "had data that is ECT come")):
        count, _, connections = facts.get(f"flows[{index}].{fact}", "").partition(" of ")
        if count and uses and count != connections:
            yield f"{count} of {connections} connections {what}, and the run has it for all"
        elif fact == "ecn" and count not in {"", "0"} and not uses:
            yield f"{count} of {connections} connections {what}, and the run has it for none"


def _of_those_given_up(given_up: str | None) -> Iterator[str]:
    """Its connections that its host gave up, `N from T s on`, as every engine records them."""
    if given_up is not None:
        count, _, since = given_up.partition(" ")
        single = f"its connection was given up at {since.removeprefix('from ').removesuffix(' on')}"
        message = single if count == "1" else f"{count} of its connections were given up, {since}"
        yield f"{message}: nothing was acknowledged for as long as its host tries (tcp_retries2, tcp_syn_retries)"


def _of_datagrams(measured: FlowMeasurement) -> Iterator[str]:
    if measured.datagrams is not None and not measured.datagrams.sent:
        what = "no ping of the window was answered" if measured.delay is None else "no datagram of the window arrived"
        yield f"{what}, nor a later one"


def _of_a_program(program: Program | None) -> Iterator[str]:
    """What it says itself; some have status 0 whatever happens."""
    if program is not None:
        from dumbbell.metrics.programs.reader import read  # noqa: PLC0415 (late: few runs have programs)

        report = read(program)
        if report is not None and report.error:
            yield f"its program says: {report.error}"


def _of_a_source(transfers: Transfers | None, window: Window) -> Iterator[str]:
    if transfers is None:
        return
    begun = (transfers.started_ns >= window.begin_ns) & (transfers.started_ns < window.end_ns)
    left = int((begun & (transfers.completed_ns == NEVER_NS)).sum())
    if left:
        message = f"{left} of {int(begun.sum())} transfers that start in the window were not complete at the end"
        yield f"{message}, so that they have no mean; end the window earlier, or the run when all are done"
    late = int((transfers.started_ns == NEVER_NS).sum())
    if late:
        yield f"{late} of {len(transfers.started_ns)} transfers had not arrived at the end"


def _of_a_client(flow: Flow, pages: PageLoads | None, window: Window) -> Iterator[str]:
    if flow.work.pages is None:
        return
    begun = 0 if pages is None else (pages.started_ns >= window.begin_ns) & (pages.started_ns < window.end_ns)
    loaded = 0 if pages is None else int((begun & (pages.loaded_ns != NEVER_NS)).sum())
    if not loaded:
        yield "no page that began in the window was loaded"


def _of_a_flow(flow: Flow, path: Path, measured: FlowMeasurement, window: Window) -> Iterator[str]:
    if is_as_reno(flow, path):
        yield f"{BEHAVES_AS_RENO}; `dumbbell cc show {flow.algorithm}` says why"
    if not measured.at_end.delivered_bytes:
        yield NOT_TCP if measured.is_unseen else "delivered nothing"
        return
    if flow.work.transfer and measured.completed_ns is None and flow.stop_ns is None:
        yield "its transfer was not complete when the run ended"
    activity = Activity.within(window, measured)
    if not activity.window.seconds:
        if window.seconds:
            yield "was not active in the window"
        return
    if not activity.counted.delivered_bytes:
        yield "delivered nothing in the window"
    if flow.workload != "bulk":
        return
    for limit, limited_ns in (
        ("its application", activity.counted.app_limited_ns),
        ("the receive window", activity.counted.rwnd_limited_ns),
        ("the send buffer", activity.counted.sndbuf_limited_ns),
    ):
        share = limited_ns / NS_PER_S / activity.window.seconds
        if share > LIMITED_SHARE:
            yield f"bulk sender limited by {limit} for {percent(share)} of its time in the window"
