"""The document's figures as charts: our numbers, and the published ones beside them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from dumbbell.charts.chart import Axis, Chart, Layer, Panel
from dumbbell.charts.style import PUBLISHED
from dumbbell.studies.claypool2019.claims import QUEUE, loss_per_sent
from dumbbell.studies.claypool2019.sweeps import (
    AXIS,
    figure7_sweep,
    figure10_loss,
    figure10_sweep,
    standing,
    utilization,
)
from dumbbell.studies.claypool2019.tables import cycle, fair, probes, rtt, shallow, strict
from dumbbell.studies.drawing import (
    MBIT,
    MS,
    PAYLOAD_MBIT,
    PERCENT,
    backlog,
    band,
    curve,
    family,
    flow_rates,
    gauge_in_time,
    group_rates,
    losses,
    means,
    panel_in_time,
    published,
    published_level,
    round_trips,
    swept_axis,
)
from dumbbell.studies.label import label_of
from dumbbell.studies.metric import metric
from dumbbell.studies.series import quartiles_bps

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dumbbell.studies.evidence import Evidence, RunData, SeedSweep
    from dumbbell.studies.study import Study

STEADY_S = (120.0, 180.0)
"""The minute of a run that is drawn over time; the document says no more than "steady-state"."""
CHANGES_S = (20.0, 40.0)
"""When the path of `mqp8` gets faster, and slower again."""
KILO = 1e-3

__all__ = [
    "cycle", "fair", "figure4a", "figure4b", "figure5", "figure6", "figure7", "figure7_sweep", "figure8", "figure9",
    "figure10", "figure10_loss", "figure10_sweep", "figure11", "figure12", "mqp8", "probes", "rtt", "shallow",
    "standing", "strict", "utilization",
]  # fmt: skip


def figure4a(study: Study, evidence: Evidence) -> Chart:  # noqa: ARG001 (its curves are not published as numbers)
    """Throughput of five staggered BBR flows, and the queue that they keep, over time, of one seed."""
    variants = evidence.variants("figure4a")
    trials = [evidence.of("figure4a", variant)[0] for variant in variants]
    rows = (_staggered, _standing)
    return Chart(
        name="figure4a",
        title="Five BBR flows that start one after another (Figure 4a)",
        caption=(
            "Above, throughput in bins of 0.5 s of five BBR flows that start 2 s apart; below, the queue, which is "
            "empty where all are in PROBE_RTT together, cut off at 4 BDP; 100 Mbit/s, 10 ms, a queue that is never "
            f"full; seed {trials[0].seed} of {len(evidence.of('figure4a', variants[0]))}, engine {evidence.engine}. "
            "The document takes this figure from Cardwell et al. (2017): about 20 Mbit/s each, dips at about 30 and "
            "40 s; its curves are not published as numbers."
        ),
        panels=tuple(row(trial.only, variant) for row in rows for trial, variant in zip(trials, variants, strict=True)),
        columns=len(variants),
        alt="Five lines that meet near 20 Mbit/s and dip together every ten seconds, when the standing queue drains.",
    )


def figure4b(study: Study, evidence: Evidence) -> Chart:
    """Throughput of four staggered BBR flows over time, of one seed."""
    numbers = study.published["figure4b"]
    panels = []
    for variant in evidence.variants("figure4b"):
        trial = evidence.of("figure4b", variant)[0]
        run = trial.only
        layers = [
            Layer(
                label=f"published: range of the 5-s means ({study.short})",
                style=PUBLISHED,
                kind="band",
                x=(numbers["from_s"], numbers["until_s"]),
                y=(),
                low=(numbers["least_mbit_s"],) * 2,
                high=(numbers["most_mbit_s"],) * 2,
            ),
            *flow_rates(run, run.window_s, labels=[f"flow {index + 1}, from {2 * index} s" for index in range(4)]),
        ]
        title = label_of(variant, evidence.engine)
        panels.append(panel_in_time(title, "throughput (Mbit/s)", (0, run.window_s[1]), *layers, limits=(0, 80)))
    return Chart(
        name="figure4b",
        title="Four BBR flows that start one after another (Figure 4b)",
        caption=(
            "Throughput in bins of 0.5 s of four BBR flows that start 2 s apart; 80 Mbit/s, 11 ms, a queue that is "
            f"never full; seed {trial.seed} of {len(evidence.of('figure4b', variant))}, engine {evidence.engine}. The "
            "common dips are PROBE_RTT. Band: where the authors' raw 5-s means of all four flows lie from 10 s on; "
            "their curves themselves are not published as numbers."
        ),
        panels=tuple(panels),
        alt="Four lines that meet near 20 Mbit/s within half a minute and dip together every ten seconds.",
    )


def figure5(study: Study, evidence: Evidence) -> Chart:
    """The queue of four BBR flows and that of four CUBIC flows over time, of one seed."""
    numbers = study.published["figure5"]
    layers: list[Layer] = []
    for variant in evidence.variants("figure5", "figure5_cubic"):
        for experiment, style in (("figure5", variant), ("figure5_cubic", "cubic")):
            label = label_of(style, evidence.engine)
            if all(layer.label != label for layer in layers):  # CUBIC is the same for each version
                trial = evidence.of(experiment, variant)[0]
                layers.append(backlog(trial.only, STEADY_S, label=label, style=style))
    for group in ("bbr", "cubic"):
        mean = numbers[f"{group}_mean_bdp"]
        layers.append(published_level(f"means, published ({study.short})", PUBLISHED, mean, STEADY_S))
    return Chart(
        name="figure5",
        title="BBR and CUBIC in a large router queue (Figure 5)",
        caption=(
            "Backlog of the bottleneck in BDP, read every 0.1 s, of four BBR flows and, in a run of their own, four "
            f"CUBIC flows; 80 Mbit/s, 25 ms, room for 8 BDP; one minute of 300 s, seed {trial.seed}, "
            f"engine {evidence.engine}. Published: {numbers['source']}."
        ),
        panels=(panel_in_time("", "queue (BDP)", STEADY_S, *layers, limits=(0, 8.5)),),
        alt="CUBIC's queue swings between five and a half and eight BDP; BBR's stays near one.",
    )


def figure6(study: Study, evidence: Evidence) -> Chart:
    """Loss of four BBR flows in a queue of 0.5 BDP over time, of one seed."""
    numbers = study.published["figure6"]
    layers: list[Layer] = []
    for variant in evidence.variants("figure6"):
        trial = evidence.of("figure6", variant)[0]
        layers.append(losses(trial.only, STEADY_S, label=label_of(variant, evidence.engine), style=variant))
    mean = published_level(f"mean, published ({study.short})", PUBLISHED, numbers["mean_loss_percent"], STEADY_S)
    return Chart(
        name="figure6",
        title="BBR's loss rate in a small router queue (Figure 6)",
        caption=(
            "Packets dropped / packets sent on in bins of 0.5 s of four BBR flows; 80 Mbit/s, 25 ms, a queue of 0.5 "
            f"BDP; one minute of 300 s, seed {trial.seed}, engine {evidence.engine}. Published: {numbers['source']}."
        ),
        panels=(panel_in_time("", "loss (% of packets sent)", STEADY_S, *layers, mean),),
        alt="Loss swings between about five and twenty per cent and hardly ever ceases.",
    )


def figure7(study: Study, evidence: Evidence) -> Chart:
    """Loss of four BBR flows against the size of the queue."""
    numbers = study.published["figure7"]
    layers = [published(f"published ({study.short})", PUBLISHED, numbers, QUEUE, "buffer", "loss_percent")]
    for variant in evidence.variants("figure7"):
        trials = evidence.of("figure7", variant)
        layers.append(_loss(label_of(variant, evidence.engine), variant, trials))
    return Chart(
        name="figure7",
        title="BBR's loss versus router queue size (Figure 7)",
        caption=(
            "Packets dropped / packets sent on, as the document counts, of four BBR flows at 80 Mbit/s and 25 ms, from "
            f"50 to 85 % of 300 s: {means(trials)}; engine {evidence.engine}. Published: {numbers['source']}."
        ),
        panels=(_losses_over_queue("", trials, *layers),),
        alt="Loss falls from about 13 % in the shortest queue to nothing at 1.5 BDP; the published line is straighter.",
    )


def figure8(study: Study, evidence: Evidence) -> Chart:
    """Throughput of two BBR and two CUBIC flows in a queue of 0.5 BDP over time, of one seed."""
    numbers = study.published["figure8"]
    panels = []
    for variant in evidence.variants("figure8"):
        trial = evidence.of("figure8", variant)[0]
        panel = _turns(trial.only, variant)
        theirs = (
            published_level(
                f"{family(group)}'s mean, published ({study.short})",
                f"{PUBLISHED} {group}",
                numbers[f"{group}_mbit_s"],
                STEADY_S,
            )
            for group in ("bbr", "cubic")
        )
        panels.append(replace(panel, layers=(*panel.layers, *theirs)))
    return Chart(
        name="figure8",
        title="BBR and CUBIC in a small router queue (Figure 8)",
        caption=(
            "Summed throughput of two BBR and two CUBIC flows in bins of 0.5 s; 80 Mbit/s, 25 ms, a queue of 0.5 BDP; "
            f"one minute of 300 s, seed {trial.seed}, engine {evidence.engine}. Published: {numbers['source']}."
        ),
        panels=tuple(panels),
        columns=len(panels),
        alt="BBR has nearly all of the line all the time, but for its PROBE_RTTs; CUBIC next to nothing.",
    )


def figure9(study: Study, evidence: Evidence) -> Chart:
    """Throughput, queue, loss and round-trip time of two BBR and two CUBIC flows over time, of one seed."""
    variants = evidence.variants("figure9")
    trials = [evidence.of("figure9", variant)[0] for variant in variants]
    rows = (_turns, _queue, _losses, _round_trips)
    return Chart(
        name="figure9",
        title="BBR and CUBIC take turns in medium buffers (Figure 9)",
        caption=(
            "Two BBR and two CUBIC flows at 80 Mbit/s and 25 ms with a queue of 1.75 BDP; one minute of 300 s, seed "
            f"{trials[0].seed}, engine {evidence.engine}. From above: each group's throughput in bins of 0.5 s; "
            "the queue; packets dropped / sent on in bins of 0.5 s; a BBR flow's smoothed RTT, and the min_rtt that "
            "its BBR believes in. "
            f"The document's curves ({study.short}) are not published as numbers: they have a period of 20 s, and "
            "estimates of about 60 and 25 ms in turn."
        ),
        panels=tuple(row(trial.only, variant) for row in rows for trial, variant in zip(trials, variants, strict=True)),
        columns=len(variants),
        alt="BBR and CUBIC alternate; the queue, the loss and BBR's estimate of the path's delay follow their cycle.",
    )


def figure10(study: Study, evidence: Evidence) -> Chart:
    """Throughput of two BBR and two CUBIC flows against the size of the queue, with quartiles; below it their loss."""
    numbers = study.published["figure10"]
    panels, below = [], []
    for variant in evidence.variants("figure10"):
        trials = evidence.of("figure10", variant)
        panel = _interplay(study, evidence, "figure10", variant, "BBR")
        theirs = Layer(
            label="BBR's quartiles, published",
            style=PUBLISHED,
            kind="band",
            x=QUEUE.numbers(numbers["buffer"]),
            y=(),
            low=tuple(map(float, numbers["bbr_first_quartile_mbit_s"])),
            high=tuple(map(float, numbers["bbr_third_quartile_mbit_s"])),
        )
        panels.append(replace(panel, layers=(*panel.layers, theirs)))
        lost = published(f"published ({study.short})", PUBLISHED, numbers, QUEUE, "buffer", "loss_percent")
        ours = _loss(label_of(variant, evidence.engine), variant, trials)
        below.append(_losses_over_queue("", trials, lost, ours))
    return Chart(
        name="figure10",
        title="BBR and CUBIC's interplay versus router queue length (Figure 10)",
        caption=(
            f"Summed goodput of two BBR and two CUBIC flows {_interplayed(numbers, evidence, trials)} Below: packets "
            "dropped / packets sent on in the same time; the authors took them up to 85 %."
        ),
        panels=(*panels, *below),
        columns=2,
        alt=(
            "BBR has nearly all in queues shorter than 1.5 BDP; its share falls in longer ones, and CUBIC passes it "
            "between 4 and 8 BDP. About a tenth is lost in the shortest queues, little from 1.25 BDP on."
        ),
    )


def figure11(study: Study, evidence: Evidence) -> Chart:
    """Loss of four flows of BBR_Shallow, and of BBR, against the size of the queue."""
    numbers, usual = study.published["figure11"], study.published["figure7"]
    panels = []
    for variant in evidence.variants("figure11", "figure7"):
        shallow, trials = study.control("figure11", variant), evidence.of("figure11", variant)
        names = [f"{each}, published ({study.short})" for each in ("BBR_Shallow", "BBR")]
        panels.append(
            _losses_over_queue(
                label_of(variant, evidence.engine),
                trials,
                published(names[0], f"{PUBLISHED} bbr_shallow", numbers, QUEUE, "buffer", "loss_percent"),
                published(names[1], PUBLISHED, usual, QUEUE, "buffer", "loss_percent"),
                _loss(label_of(shallow, evidence.engine), shallow, trials),
                _loss(label_of(variant, evidence.engine), variant, evidence.of("figure7", variant)),
            )
        )
    return Chart(
        name="figure11",
        title="Modified BBR_Shallow's loss versus router queue length (Figure 11)",
        caption=(
            "Packets dropped / packets sent on of four flows of BBR with at most 1.5 BDP in flight (cwnd gain 1.5), "
            "and of BBR as it is, at 80 Mbit/s and 25 ms, from 50 to 85 % of 300 s: "
            f"{means(trials)}; engine {evidence.engine}. Published: {numbers['source']}."
        ),
        panels=tuple(panels),
        columns=len(panels),
        alt="BBR_Shallow loses as much as BBR in the shortest queue and less in longer ones, nothing from 1.25 BDP on.",
    )


def figure12(study: Study, evidence: Evidence) -> Chart:
    """Throughput of two flows of BBR_Shallow and two of CUBIC against the size of the queue, with quartiles."""
    numbers = study.published["figure12"]
    variants = evidence.variants("figure12")
    trials = evidence.of("figure12", variants[0])
    return Chart(
        name="figure12",
        title="BBR_Shallow and CUBIC's interplay versus router queue length (Figure 12)",
        caption=(
            "Summed goodput of two flows of BBR with at most 1.5 BDP in flight (cwnd gain 1.5) and two of CUBIC "
            f"{_interplayed(numbers, evidence, trials)}"
        ),
        panels=tuple(_interplay(study, evidence, "figure12", variant, "BBR_Shallow") for variant in variants),
        columns=2,
        alt="As Figure 10, but CUBIC gets its share in shorter queues and passes BBR_Shallow between 2 and 4 BDP.",
    )


def mqp8(study: Study, evidence: Evidence) -> Chart:  # noqa: ARG001 (its curve is not published as numbers)
    """What one BBR flow has in flight while the path gets faster and slower again, of one seed."""
    layers: list[Layer] = []
    for variant in evidence.variants("mqp8"):
        trial = evidence.of("mqp8", variant)[0]
        label = label_of(variant, evidence.engine)
        span = trial.only.window_s
        layers.append(
            gauge_in_time(trial.only, 0, "inflight_bytes", span, factor=KILO, label=label, style=variant),
        )
    bdp = KILO * trial.only.bdp_bytes
    path = Layer(
        label="1 BDP of the path", style="path", kind="step", x=(0, *CHANGES_S, span[1]), y=(bdp, 2 * bdp, bdp, bdp)
    )
    marks = tuple((at, f"{rate} Mbit/s") for at, rate in zip(CHANGES_S, (20, 10), strict=True))
    panel = panel_in_time("", "in flight (kB)", span, *layers, path)
    return Chart(
        name="mqp8",
        title="One BBR flow as the path gets faster and slower again (the authors' report, Figure 8)",
        caption=(
            "Payload in flight of one BBR flow at 40 ms; 10 Mbit/s, from 20 s on 20, from 40 s on 10 again; a queue "
            f"that is never full; seed {trial.seed}, engine {evidence.engine}. The curve is not published as numbers: "
            "after the first step it rises exponentially and smoothly, after the second one as in Cardwell et al. "
            "(2017), where it stands above the path's BDP until the estimate of the bandwidth has expired."
        ),
        panels=(replace(panel, marks=marks),),
        alt="In flight doubles in steps after 20 s, stands far above the path's BDP after 40 s, and falls.",
    )


def _staggered(run: RunData, variant: str) -> Panel:
    labels = [f"flow {index + 1}, from {2 * index} s" for index in range(len(run.result.flows))]
    layers = flow_rates(run, run.window_s, labels=labels)
    title = label_of(variant, run.result.engine)
    return panel_in_time(title, "throughput (Mbit/s)", (0, run.window_s[1]), *layers, limits=(0, 100))


def _standing(run: RunData, variant: str) -> Panel:
    layer = backlog(run, run.window_s, label="", style=variant)
    return panel_in_time("", "queue (BDP)", (0, run.window_s[1]), layer, limits=(0, 4))


def _interplay(study: Study, evidence: Evidence, experiment: str, variant: str, called: str) -> Panel:
    """Both groups' goodput over the queue's size, with our quartiles, beside the document's."""
    trials, numbers = evidence.of(experiment, variant), study.published[experiment]
    own = study.control(experiment, variant)
    layers: list[Layer] = []
    for group, style, name in (("bbr", own, called), ("cubic", "cubic", "CUBIC")):
        label, theirs = label_of(style, evidence.engine), f"{name}, published ({study.short})"
        layers += [
            curve(label, style, trials, QUEUE, metric(f"groups.{group}.goodput_bps"), factor=MBIT),
            band(f"{label}, quartiles", style, trials, QUEUE, partial(quartiles_bps, group=group), PAYLOAD_MBIT),
            published(theirs, f"{PUBLISHED} {group}", numbers, QUEUE, "buffer", f"{group}_mbit_s"),
        ]
    return Panel(
        title=f"{label_of(variant, evidence.engine)} beside CUBIC",
        x=swept_axis(trials, QUEUE, AXIS),
        y=Axis(label="throughput (Mbit/s)", limits=(0, 92)),
        layers=tuple(layers),
    )


def _interplayed(numbers: Mapping[str, Any], evidence: Evidence, trials: Sequence[SeedSweep]) -> str:
    """The words about it that captions share."""
    return (
        f"at 80 Mbit/s and 25 ms, from 50 to 80 % of 300 s. Lines: {means(trials)}; bands: first to third quartile of "
        "each flow's throughput (as payload) in bins of 0.5 s, summed over the group's flows, mean over the seeds; "
        f"engine {evidence.engine}. Published: {numbers['source']}."
    )


def _turns(run: RunData, variant: str) -> Panel:
    styles = {"bbr": variant, "cubic": "cubic"}
    layers = [
        group_rates(run, group, STEADY_S, label=label_of(style, run.result.engine), style=style)
        for group, style in styles.items()
    ]
    title = f"{label_of(variant, run.result.engine)} beside CUBIC"
    return panel_in_time(title, "throughput (Mbit/s)", STEADY_S, *layers, limits=(0, 90))


def _queue(run: RunData, variant: str) -> Panel:
    return panel_in_time("", "queue (BDP)", STEADY_S, backlog(run, STEADY_S, label="", style=variant), limits=(0, 2))


def _losses(run: RunData, variant: str) -> Panel:
    return panel_in_time("", "loss (%)", STEADY_S, losses(run, STEADY_S, label="", style=variant))


def _round_trips(run: RunData, variant: str) -> Panel:
    smoothed = f"flow 1's smoothed RTT ({label_of(variant, run.result.engine)})"
    believed = "flow 1's min_rtt estimate"
    return panel_in_time(
        "",
        "RTT (ms)",
        STEADY_S,
        round_trips(run, 0, STEADY_S, label=smoothed, style=variant),
        gauge_in_time(run, 0, "cc_min_rtt_s", STEADY_S, factor=MS, label=believed, style="flow 1", kind="step"),
        limits=(0, 90),
    )


def _loss(label: str, style: str, trials: Sequence[SeedSweep]) -> Layer:
    return curve(label, style, trials, QUEUE, loss_per_sent, factor=PERCENT)


def _losses_over_queue(title: str, trials: Sequence[SeedSweep], *layers: Layer) -> Panel:
    axis = Axis(label="loss (% of packets sent)", limits=(0, None))
    return Panel(title=title, x=swept_axis(trials, QUEUE, AXIS), y=axis, layers=layers)
