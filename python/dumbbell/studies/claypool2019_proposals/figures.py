"""The proposals beside BBR as it is, and what was published of that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dumbbell.charts.chart import Axis, Chart, Layer, Panel
from dumbbell.charts.style import PUBLISHED
from dumbbell.studies.claypool2019.claims import QUEUE, loss_per_sent
from dumbbell.studies.claypool2019_proposals.claims import share
from dumbbell.studies.drawing import (
    MS,
    PERCENT,
    curve,
    gauge_in_time,
    group_rates,
    means,
    panel_in_time,
    published,
    swept_axis,
)
from dumbbell.studies.label import label_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from dumbbell.studies.evidence import Evidence, RunData
    from dumbbell.studies.study import Study

SPAN_S = (120.0, 270.0)
"""What is drawn of the cycle: long enough for one that takes a minute."""


def alone(study: Study, evidence: Evidence) -> Chart:
    """Loss of four flows against the size of the queue."""
    numbers = study.published["figure7"]
    theirs = published(f"BBR, published ({study.short})", PUBLISHED, numbers, QUEUE, "buffer", "loss_percent")
    return Chart(
        name="alone",
        title="Loss of four flows versus router queue size",
        caption=(
            "Packets dropped / packets sent on of four flows at 80 Mbit/s and 25 ms, from 50 to 85 % of 300 s: "
            f"{means(evidence.of('alone', evidence.variants('alone')[0]))}; engine {evidence.engine}. "
            f"Published: {numbers['source']}."
        ),
        panels=(_over_queue(evidence, "alone", "loss (% of packets sent)", loss_per_sent, theirs),),
        alt="With feedback the loss is gone from 0.75 BDP on; a steady min_rtt does not change it.",
    )


def beside(study: Study, evidence: Evidence) -> Chart:
    """The share beside CUBIC against the size of the queue."""
    numbers = study.published["figure10"]
    theirs = published(f"BBR, published ({study.short})", PUBLISHED, numbers, QUEUE, "buffer", "bbr_share_percent")
    return Chart(
        name="beside",
        title="Share of two flows beside two of CUBIC versus router queue size",
        caption=(
            "Two flows' share of the goodput beside two of CUBIC at 80 Mbit/s and 25 ms, from 50 to 80 % of 300 s: "
            f"{means(evidence.of('beside', evidence.variants('beside')[0]))}; engine {evidence.engine}. "
            f"Published: {numbers['source']}."
        ),
        panels=(_over_queue(evidence, "beside", "share beside CUBIC (%)", share, theirs),),
        alt="With feedback shares are near a half from 0.75 to 2 BDP; with a steady min_rtt they fall to a fifth at 8.",
    )


def cycle(study: Study, evidence: Evidence) -> Chart:  # noqa: ARG001 (nothing of it is published)
    """Throughput of both groups, and a flow's min_rtt estimate, over time, of one seed."""
    variants = evidence.variants("cycle")
    trials = [evidence.of("cycle", variant)[0] for variant in variants]
    return Chart(
        name="cycle",
        title="The 20-s cycle",
        caption=(
            "Two flows beside two of CUBIC at 80 Mbit/s and 25 ms with a queue of 1.75 BDP, 150 s of 300, seed "
            f"{trials[0].seed}, engine {evidence.engine}. Left: each group's throughput in bins of 0.5 s; right: the "
            "min_rtt that the first flow believes in."
        ),
        panels=tuple(
            panel
            for variant, trial in zip(variants, trials, strict=True)
            for panel in (_turns(trial.only, variant), _believed(trial.only, variant))
        ),
        columns=2,
        alt="BBR and the feedback alternate with CUBIC every ten seconds; with a steady min_rtt turns are longer.",
    )


def _over_queue(
    evidence: Evidence, experiment: str, quantity: str, value: Callable[[RunData], float | None], theirs: Layer
) -> Panel:
    variants = evidence.variants(experiment)
    ours = (
        curve(
            label_of(variant, evidence.engine),
            variant,
            evidence.of(experiment, variant),
            QUEUE,
            value,
            factor=PERCENT,
        )
        for variant in variants
    )
    return Panel(
        x=swept_axis(evidence.of(experiment, variants[0]), QUEUE, "router queue (BDP)"),
        y=Axis(label=quantity, limits=(0, None)),
        layers=(theirs, *ours),
    )


def _turns(run: RunData, variant: str) -> Panel:
    layers = (
        group_rates(run, group, SPAN_S, label=label_of(style, run.result.engine), style=style)
        for group, style in (("bbr", variant), ("cubic", "cubic"))
    )
    return panel_in_time(label_of(variant, run.result.engine), "Mbit/s", SPAN_S, *layers, limits=(0, 90))


def _believed(run: RunData, variant: str) -> Panel:
    layer = gauge_in_time(run, 0, "cc_min_rtt_s", SPAN_S, factor=MS, label="", style=variant, kind="step")
    return panel_in_time("", "min_rtt (ms)", SPAN_S, layer, limits=(0, 75))
