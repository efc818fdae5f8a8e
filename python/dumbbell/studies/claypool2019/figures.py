"""The document's figures as charts: our numbers, and the published ones beside them."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, Any

from dumbbell.metrics.counter import Counter, edges, rates_bps, ratio_in_bins
from dumbbell.metrics.statistics import estimate
from dumbbell.plots.chart import Axis, Chart, Layer, Panel
from dumbbell.plots.style import PUBLISHED
from dumbbell.studies.claypool2019.claims import (
    BIN_S,
    BUFFER,
    bdp_bytes,
    buffer_bdp,
    flows,
    group_rates_bps,
    quartiles_bps,
)
from dumbbell.studies.label import label_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dumbbell.studies.evidence import Evidence, Observed, Trial
    from dumbbell.studies.study import Study

MBIT = 1e-6
STEADY_S = (120.0, 180.0)
"""The minute of a run that is drawn over time; the document says no more than "steady-state"."""


def figure4b(study: Study, evidence: Evidence) -> Chart:
    """Throughput of four staggered BBR flows over time, in the first seed."""
    numbers = study.published["figure4b"]
    panels = []
    for variant in evidence.variants("figure4b"):
        trial = evidence.of("figure4b", variant)[0]
        run = trial.only
        begin_s, end_s = run.window_s
        middles = tuple(float(edge) + BIN_S / 2 for edge in edges(begin_s, end_s, BIN_S)[:-1])
        layers = [
            Layer(
                label=f"published: range of the 5-s means ({study.short})",
                style=PUBLISHED,
                kind="band",
                x=(numbers["from_s"], numbers["until_s"]),
                y=(),
                low=(numbers["least_mbit_s"],) * 2,
                high=(numbers["most_mbit_s"],) * 2,
            )
        ]
        for index, flow in flows(run).items():
            rates = tuple(float(rate) * MBIT for rate in rates_bps(flow, begin_s, end_s, BIN_S))
            # what comes before a flow's start is not drawn
            first = next((number for number, rate in enumerate(rates) if rate > 0), 0)
            layers.append(
                Layer(
                    label=f"flow {index + 1}, from {2 * index} s",
                    style=f"flow {index + 1}",
                    x=middles[first:],
                    y=rates[first:],
                    instance=index,
                )
            )
        panels.append(
            Panel(
                title=label_of(variant, evidence.engine),
                x=Axis(label="time (s)", limits=(0, end_s)),
                y=Axis(label="throughput (Mbit/s)", limits=(0, 80)),
                layers=tuple(layers),
            )
        )
    return Chart(
        name="figure4b",
        title="Four BBR flows that start one after another (Figure 4b)",
        caption=(
            "Goodput in bins of 0.5 s of four BBR flows that start 2 s apart; 80 Mbit/s, 11 ms, a queue that is never "
            f"full; seed {trial.seed} of {len(evidence.of('figure4b', variant))}, engine {evidence.engine}. The common "
            "dips are PROBE_RTT. Band: where the authors' raw 5-s means of all four flows lie from 10 s on; their "
            "curves themselves are not published as numbers."
        ),
        panels=tuple(panels),
        alt="Four lines that meet near 20 Mbit/s within half a minute and dip together every ten seconds.",
    )


def figure5(study: Study, evidence: Evidence) -> Chart:
    """The queue of four BBR flows and that of four CUBIC flows over time, in the first seed."""
    numbers = study.published["figure5"]
    layers: list[Layer] = []
    for variant in evidence.variants("figure5", "figure5_cubic"):
        for experiment, style in (("figure5", variant), ("figure5_cubic", "cubic")):
            label = label_of(style, evidence.engine)
            if all(layer.label != label for layer in layers):  # CUBIC is the same for each version
                at, queue = _queue_bdp(evidence.of(experiment, variant)[0].only)
                layers.append(Layer(label=label, style=style, x=at, y=queue))
    for group in ("bbr", "cubic"):
        mean = (numbers[f"{group}_mean_bdp"],) * 2
        layers.append(Layer(label=f"means, published ({study.short})", style=PUBLISHED, x=STEADY_S, y=mean))
    return Chart(
        name="figure5",
        title="BBR and CUBIC in a large router queue (Figure 5)",
        caption=(
            "Backlog of the bottleneck in BDP, read every 0.1 s, of four BBR flows and, in a run of their own, four "
            f"CUBIC flows; 80 Mbit/s, 25 ms, room for 8 BDP; one minute of 300 s, first seed, engine "
            f"{evidence.engine}. Published: {numbers['source']}."
        ),
        panels=(
            Panel(
                x=Axis(label="time (s)", limits=STEADY_S),
                y=Axis(label="queue (BDP)", limits=(0, 8.5)),
                layers=tuple(layers),
            ),
        ),
        alt="CUBIC's queue swings between five and a half and eight BDP; BBR's stays near one.",
    )


def figure7(study: Study, evidence: Evidence) -> Chart:
    """Loss of four BBR flows against the size of the queue."""
    numbers = study.published["figure7"]
    layers = [_published(PUBLISHED, f"published ({study.short})", numbers, "loss_percent")]
    for variant in evidence.variants("figure7"):
        trials = evidence.of("figure7", variant)
        layers.append(_curve(label_of(variant, evidence.engine), variant, trials, _loss_percent))
    return Chart(
        name="figure7",
        title="BBR's loss versus router queue size (Figure 7)",
        caption=(
            "Packets dropped / packets sent on, as the document counts, of four BBR flows at 80 Mbit/s and 25 ms, from "
            f"50 to 85 % of 300 s. Mean over {_seeds(trials)} with 95 % intervals (Student's t); engine "
            f"{evidence.engine}. Published: {numbers['source']}."
        ),
        panels=(
            Panel(
                x=_queue_axis(trials),
                y=Axis(label="loss (% of packets sent)", limits=(0, None)),
                layers=tuple(layers),
            ),
        ),
        alt="Loss falls from about 13 % in the shortest queue to nothing at 1.5 BDP; the published line is straighter.",
    )


def figure9(study: Study, evidence: Evidence) -> Chart:
    """Throughput, queue, loss and round-trip time of two BBR and two CUBIC flows over time, in the first seed."""
    variants = evidence.variants("figure9")
    runs = [evidence.of("figure9", variant)[0].only for variant in variants]
    rows = (_turns, _queue, _losses, _round_trips)
    return Chart(
        name="figure9",
        title="BBR and CUBIC take turns in medium buffers (Figure 9)",
        caption=(
            "Two BBR and two CUBIC flows at 80 Mbit/s and 25 ms with a queue of 1.75 BDP; one minute of 300 s, first "
            f"seed, engine {evidence.engine}. From above: each group's goodput in bins of 0.5 s; the queue; packets "
            "dropped / sent on in bins of 0.5 s; a BBR flow's smoothed RTT, and the min_rtt that its BBR believes in. "
            f"The document's curves ({study.short}) are not published as numbers: they have a period of 20 s, and "
            "estimates of about 60 and 25 ms in turn."
        ),
        panels=tuple(row(run, variant) for row in rows for run, variant in zip(runs, variants, strict=True)),
        columns=len(variants),
        alt="BBR and CUBIC alternate; the queue, the loss and BBR's estimate of the path's delay follow their cycle.",
    )


def figure10(study: Study, evidence: Evidence) -> Chart:
    """Throughput of two BBR and two CUBIC flows against the size of the queue, with quartiles."""
    numbers = study.published["figure10"]
    panels = []
    for variant in evidence.variants("figure10"):
        trials = evidence.of("figure10", variant)
        layers = []
        for group, style in (("bbr", variant), ("cubic", "cubic")):
            label, published = label_of(style, evidence.engine), f"{group.upper()}, published ({study.short})"
            layers += [
                _curve(label, style, trials, partial(_goodput_mbit_s, group)),
                _quartiles(f"{label}, quartiles", style, trials, group),
                _published(f"{PUBLISHED} {group}", published, numbers, f"{group}_mbit_s"),
            ]
        for quartile in ("first", "third"):
            label, column = f"BBR's {quartile} quartile, published", f"bbr_{quartile}_quartile_mbit_s"
            points = _published(f"{PUBLISHED} {quartile} quartile", label, numbers, column)
            layers.append(replace(points, kind="points"))
        panels.append(
            Panel(
                title=f"{label_of(variant, evidence.engine)} beside CUBIC",
                x=_queue_axis(trials),
                y=Axis(label="throughput (Mbit/s)", limits=(0, 92)),
                layers=tuple(layers),
            )
        )
    return Chart(
        name="figure10",
        title="BBR and CUBIC's interplay versus router queue length (Figure 10)",
        caption=(
            "Summed goodput of two BBR and two CUBIC flows at 80 Mbit/s and 25 ms, from 50 to 80 % of 300 s. Lines: "
            f"mean over {_seeds(trials)} with 95 % intervals (Student's t); bands: first to third quartile of each "
            f"flow's goodput in bins of 0.5 s, summed over the group's flows, mean over the seeds; engine "
            f"{evidence.engine}. Published: {numbers['source']}."
        ),
        panels=tuple(panels),
        columns=2,
        alt=(
            "BBR has nearly all in queues shorter than 1.5 BDP; its share falls in longer ones, and CUBIC passes it "
            "between 4 and 8 BDP."
        ),
    )


def figure11(study: Study, evidence: Evidence) -> Chart:
    """Loss of four flows of BBR_Shallow, and of BBR, against the size of the queue."""
    numbers, usual = study.published["figure11"], study.published["figure7"]
    panels = []
    for variant in evidence.variants("figure11", "figure7"):
        shallow, trials = study.control("figure11", variant), evidence.of("figure11", variant)
        panels.append(
            Panel(
                title=label_of(variant, evidence.engine),
                x=_queue_axis(trials),
                y=Axis(label="loss (% of packets sent)", limits=(0, None)),
                layers=(
                    _published(
                        f"{PUBLISHED} bbr_shallow", f"BBR_Shallow, published ({study.short})", numbers, "loss_percent"
                    ),
                    _published(PUBLISHED, f"BBR, published ({study.short})", usual, "loss_percent"),
                    _curve(label_of(shallow, evidence.engine), shallow, trials, _loss_percent),
                    _curve(label_of(variant, evidence.engine), variant, evidence.of("figure7", variant), _loss_percent),
                ),
            )
        )
    return Chart(
        name="figure11",
        title="Modified BBR_Shallow's loss versus router queue length (Figure 11)",
        caption=(
            "Packets dropped / packets sent on of four flows of BBR with at most 1.5 BDP in flight (cwnd gain 1.5), "
            "and of BBR as it is, at 80 Mbit/s and 25 ms, from 50 to 85 % of 300 s. Mean over "
            f"{_seeds(trials)} with 95 % intervals (Student's t); engine {evidence.engine}. Published: "
            f"{numbers['source']}."
        ),
        panels=tuple(panels),
        columns=len(panels),
        alt="BBR_Shallow loses as much as BBR in the shortest queue and less in longer ones, nothing from 1.25 BDP on.",
    )


def _turns(run: Observed, variant: str) -> Panel:
    middles = _middles()
    layers = []
    for group, style in (("bbr", variant), ("cubic", "cubic")):
        rates = tuple(float(rate) * MBIT for rate in group_rates_bps(run, group, *STEADY_S))
        layers.append(Layer(label=label_of(style, run.result.engine), style=style, x=middles, y=rates))
    return _in_time(f"{label_of(variant, run.result.engine)} beside CUBIC", "goodput (Mbit/s)", 90, *layers)


def _queue(run: Observed, variant: str) -> Panel:
    at, queue = _queue_bdp(run)
    return _in_time("", "queue (BDP)", 2, Layer(label="", style=variant, x=at, y=queue))


def _losses(run: Observed, variant: str) -> Panel:
    frame = run.queue_series()
    dropped, sent = (Counter.of(frame["time_s"], frame[f"{each}_packets"], start_s=0) for each in ("dropped", "sent"))
    lost = ratio_in_bins(dropped, sent, *STEADY_S, BIN_S)
    percent = tuple(100 * float(share) for share in lost)
    return _in_time("", "loss (%)", None, Layer(label="", style=variant, x=_middles(), y=percent))


def _round_trips(run: Observed, variant: str) -> Panel:
    frame = run.flow_series()
    own = frame[(frame["flow"] == run.result.flows[0].flow) & frame["time_s"].between(*STEADY_S)]
    at = tuple(own["time_s"].tolist())
    smoothed, believed = (tuple((1e3 * own[column]).tolist()) for column in ("srtt_s", "cc_min_rtt_s"))
    return _in_time(
        "",
        "RTT (ms)",
        90,
        Layer(label=f"flow 1's smoothed RTT ({label_of(variant, run.result.engine)})", style=variant, x=at, y=smoothed),
        Layer(label="flow 1's min_rtt estimate", style="flow 1", kind="step", x=at, y=believed),
    )


def _in_time(title: str, quantity: str, most: float | None, *layers: Layer) -> Panel:
    return Panel(
        title=title, x=Axis(label="time (s)", limits=STEADY_S), y=Axis(label=quantity, limits=(0, most)), layers=layers
    )


def _middles() -> tuple[float, ...]:
    return tuple(float(edge) + BIN_S / 2 for edge in edges(*STEADY_S, BIN_S)[:-1])


def _queue_bdp(run: Observed) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Instants of the steady minute, and the backlog at each."""
    frame = run.queue_series()
    own = frame[frame["time_s"].between(*STEADY_S)]
    queue = (own["backlog_bytes"] / (bdp_bytes(run) or math.nan)).tolist()
    return tuple(own["time_s"].tolist()), tuple(queue)


def _curve(label: str, style: str, trials: Sequence[Trial], value: Callable[[Observed], float]) -> Layer:
    """A mean over seeds at each point, with its interval; where nothing varied, an interval of no width."""
    found = [estimate([value(run) for run in runs]) for runs in _by_point(trials)]
    return Layer(
        label=label,
        style=style,
        kind="line+points",
        x=_queues(trials),
        y=tuple(each.mean for each in found),
        low=tuple(each.mean - (each.half_width or 0) for each in found),
        high=tuple(each.mean + (each.half_width or 0) for each in found),
    )


def _quartiles(label: str, style: str, trials: Sequence[Trial], group: str) -> Layer:
    found = [[quartiles_bps(run, group) for run in runs] for runs in _by_point(trials)]
    return Layer(
        label=label,
        style=style,
        kind="band",
        x=_queues(trials),
        y=(),
        low=tuple(MBIT * fmean(first for first, _ in each) for each in found),
        high=tuple(MBIT * fmean(third for _, third in each) for each in found),
    )


def _published(style: str, label: str, numbers: dict[str, Any], column: str) -> Layer:
    sizes = tuple(buffer_bdp({BUFFER: size}) for size in numbers["buffer"])
    return Layer(label=label, style=style, kind="line+points", x=sizes, y=tuple(map(float, numbers[column])))


def _loss_percent(run: Observed) -> float:
    return 100 * (run.result.bottleneck.loss_per_sent or 0)


def _goodput_mbit_s(group: str, run: Observed) -> float:
    return MBIT * (run.result.groups[group].goodput_bps or 0.0)


def _by_point(trials: Sequence[Trial]) -> list[tuple[Observed, ...]]:
    return list(zip(*(trial.runs for trial in trials), strict=True))


def _queues(trials: Sequence[Trial]) -> tuple[float, ...]:
    return tuple(buffer_bdp(run.point) for run in trials[0].runs)


def _queue_axis(trials: Sequence[Trial]) -> Axis:
    sizes = _queues(trials)
    return Axis(label="router queue (BDP)", scale="log2", ticks=tuple((size, f"{size:g}") for size in sizes))


def _seeds(trials: Sequence[Trial]) -> str:
    return f"{len(trials)} seed{'s' * (len(trials) != 1)}"
