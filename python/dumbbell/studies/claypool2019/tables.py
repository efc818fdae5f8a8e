"""Numbers of the document's text as tables: ours, and the published ones beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dumbbell.charts.table import Amount, Column, Entry, Table
from dumbbell.studies.claypool2019.claims import (
    FLOWS,
    QUEUE,
    RATE,
    correlation_of_groups,
    cubic_share,
    cycle_period,
    drops_after_inaccurate_probes,
    fair_buffer_bdp,
    high_min_rtt,
    loss_per_sent,
    low_min_rtt,
    mean_rtt,
)
from dumbbell.studies.claypool2019.sweeps import RATES, USUAL_RATE
from dumbbell.studies.drawing import MBIT, MS, PERCENT, entry, means
from dumbbell.studies.label import label_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dumbbell.studies.evidence import Evidence, SeedSweep
    from dumbbell.studies.study import Study


def rtt(study: Study, evidence: Evidence) -> Table:
    """RTT, throughput and queue of four flows of each algorithm, each in runs of its own."""
    numbers = study.published["rtt"]
    rows: list[tuple[Entry, ...]] = []
    for variant in evidence.variants("figure5", "figure5_cubic"):
        for experiment, style, group in (("figure5", variant, "bbr"), ("figure5_cubic", "cubic", "cubic")):
            trials = evidence.of(experiment, variant)
            rows.append(
                (
                    label_of(style, evidence.engine),
                    entry(trials, lambda trial: mean_rtt(trial.only), factor=MS, published=numbers[f"{group}_ms"]),
                    entry(trials, _goodput, factor=MBIT),
                    entry(trials, _queue, published=numbers[f"{group}_queue_bdp"]),
                )
            )
    columns = (
        Column(title="four flows of"),
        Column(title="mean RTT", unit="ms"),
        Column(title="goodput", unit="Mbit/s"),
        Column(title="mean queue", unit="BDP"),
    )
    return Table(
        name="rtt",
        title="RTT and throughput in a large router queue (section IV-A)",
        caption=(
            "Four flows at 80 Mbit/s and 25 ms with room for 8 BDP, from 50 to 85 % of 300 s; smoothed RTT, mean of "
            f"the flows: {means(trials)}; engine {evidence.engine}. Published: {numbers['source']}."
        ),
        columns=columns,
        rows=tuple(dict.fromkeys(rows)),
    )


def shallow(study: Study, evidence: Evidence) -> Table:
    """Loss and CUBIC's share in a queue of 0.5 BDP, in each condition."""
    numbers = study.published["shallow"]
    rows: list[tuple[Entry, ...]] = []
    variants = evidence.variants("shallow_sweep")
    for flows in (1, 2, 4):
        for rate in RATES:
            point = {RATE.path: rate, FLOWS.path: flows}
            theirs = numbers if point == {RATE.path: USUAL_RATE, FLOWS.path: 2} else {}
            cells = [
                amount
                for variant in variants
                for amount in _loss_and_share(
                    [each.where(point) for each in evidence.of("shallow_sweep", variant)], theirs
                )
            ]
            rows.append((f"{flows} and {flows} at {rate}", *cells))
    columns = [Column(title="BBR and CUBIC flows")]
    for variant in variants:
        label = label_of(variant, evidence.engine)
        columns += [Column(title=f"{label}: loss", unit="%"), Column(title="CUBIC's share", unit="%")]
    return Table(
        name="shallow",
        title="BBR beside CUBIC in a queue of 0.5 BDP, over capacities and flow counts (section IV-D.1)",
        caption=(
            "Packets dropped / packets sent on, and CUBIC's share of the goodput, at 25 ms, from 50 to 80 % of 300 s: "
            f"{means(evidence.of('shallow_sweep', variants[0]))}; engine {evidence.engine}. "
            f"Published: {numbers['source']}."
        ),
        columns=tuple(columns),
        rows=tuple(rows),
    )


def fair(study: Study, evidence: Evidence) -> Table:
    """The queue in which BBR and CUBIC get the same, in each condition."""
    numbers = study.published["fair"]
    variants = evidence.variants("figure10_sweep")
    rows: list[tuple[Entry, ...]] = []
    for flows, theirs in zip(numbers["flows"], numbers["buffer_bdp"], strict=True):
        for rate in RATES:
            point = {RATE.path: rate, FLOWS.path: flows}
            cells = [
                entry(
                    [trial.where(point) for trial in evidence.of("figure10_sweep", variant)],
                    fair_buffer_bdp,
                    published=theirs,
                )
                for variant in variants
            ]
            rows.append((f"{flows} and {flows} at {rate}", *cells))
    columns = (
        Column(title="BBR and CUBIC flows"),
        *(Column(title=label_of(variant, evidence.engine), unit="BDP") for variant in variants),
    )
    return Table(
        name="fair",
        title="The queue in which BBR and CUBIC share evenly, over capacities and flow counts (section IV-D.2)",
        caption=(
            "Where BBR's goodput comes down to CUBIC's for good, at 25 ms, from 50 to 80 % of 300 s; not where it "
            f"never does: {means(evidence.of('figure10_sweep', variants[0]))}; engine {evidence.engine}. "
            f"Published: {numbers['source']}."
        ),
        columns=columns,
        rows=tuple(rows),
    )


def cycle(study: Study, evidence: Evidence) -> Table:
    """The period in which BBR and CUBIC take turns, and how they mirror each other, for each queue."""
    numbers = study.published["cycle"]
    variants = evidence.variants("figure10")
    rows: list[tuple[Entry, ...]] = []
    for size, period, mirrored in zip(numbers["buffer"], numbers["period_s"], numbers["correlation"], strict=True):
        cells = [
            entry(
                [trial.where({QUEUE.path: size}) for trial in evidence.of("figure10", variant)], value, published=told
            )
            for variant in variants
            for value, told in (
                (lambda trial: cycle_period(trial.runs[0]), period),
                (lambda trial: correlation_of_groups(trial.runs[0]), mirrored),
            )
        ]
        rows.append((size.replace("bdp", "BDP"), *cells))
    columns = [Column(title="queue")]
    for variant in variants:
        columns += [
            Column(title=f"{label_of(variant, evidence.engine)}: period", unit="s"),
            Column(title="correlation with CUBIC"),
        ]
    return Table(
        name="cycle",
        title="The period in which BBR and CUBIC take turns versus router queue size (section IV-D.2)",
        caption=(
            "Two BBR and two CUBIC flows at 80 Mbit/s and 25 ms: the dominant period of BBR's summed throughput in "
            "bins of 0.5 s from 60 to 285 s, over the seeds that have a clear one, and Pearson's correlation with "
            "CUBIC's: "
            f"{means(evidence.of('figure10', variants[0]))}; engine {evidence.engine}. Published: {numbers['source']}."
        ),
        columns=tuple(columns),
        rows=tuple(rows),
    )


def strict(study: Study, evidence: Evidence) -> Table:
    """The loss of BBR and of BBR_Shallow whose windows are the cap and nothing more, for each queue."""
    forms = {"strict": ("BBR", "figure7"), "strict_shallow": ("BBR_Shallow", "figure11")}
    sizes = study.published["figure11"]["buffer"]
    rows: list[tuple[Entry, ...]] = []
    for variant in evidence.variants(*forms):
        for experiment, (called, figure) in forms.items():
            numbers = study.published[figure]
            theirs = dict(zip(numbers["buffer"], numbers["loss_percent"], strict=True))
            cells = [
                entry(
                    [trial.where({QUEUE.path: size}) for trial in evidence.of(experiment, variant)],
                    lambda trial: loss_per_sent(trial.runs[0]),
                    factor=PERCENT,
                    published=theirs[size],
                )
                for size in sizes
            ]
            rows.append((f"{called}, {label_of(variant, evidence.engine)}", *cells))
    trials = evidence.of("strict", evidence.variants(*forms)[0])
    return Table(
        name="strict",
        title="What decides Figures 7 and 11: a window of the cap alone",
        caption=(
            "Packets dropped / packets sent on of four flows at 80 Mbit/s and 25 ms, from 50 to 85 % of 300 s, whose "
            "window is 2 or 1.5 BDP without the kernel's room for three bursts, slack and aggregated ACKs: "
            f"{means(trials)}; engine {evidence.engine}. "
            f"Published: {study.published['figure7']['source']}; {study.published['figure11']['source']}."
        ),
        columns=(
            Column(title="four flows of"),
            *(Column(title=size.replace("bdp", "BDP"), unit="%") for size in sizes),
        ),
        rows=tuple(rows),
    )


def probes(study: Study, evidence: Evidence) -> Table:  # noqa: ARG001 (the document has one queue, and no numbers)
    """The two kinds of min_rtt estimates beside CUBIC, and how soon the loss comes, for each queue."""
    rows: list[tuple[Entry, ...]] = []
    for variant in evidence.variants("probes"):
        trials = evidence.of("probes", variant)
        for run in trials[0].runs:
            own = [trial.where(run.point) for trial in trials]
            rows.append(
                (
                    label_of(variant, evidence.engine),
                    str(run.point[QUEUE.path]).replace("bdp", "BDP"),
                    entry(own, lambda trial: low_min_rtt(trial.only), factor=MS),
                    entry(own, lambda trial: high_min_rtt(trial.only), factor=MS),
                    entry(own, lambda trial: drops_after_inaccurate_probes(trial.only), factor=PERCENT),
                )
            )
    columns = (
        Column(title="two and two of CUBIC"),
        Column(title="queue"),
        Column(title="low estimates", unit="ms"),
        Column(title="high estimates", unit="ms"),
        Column(title="drops within 3 s", unit="%"),
    )
    return Table(
        name="probes",
        title="What decides Figure 9d: what PROBE_RTT finds in longer queues",
        caption=(
            "Medians of the low and of the high estimates of min_rtt with which BBR leaves PROBE_RTT, and the share of "
            "the drops within 3 s after a high one, as S18 and S19 take them, at 80 Mbit/s and 25 ms: "
            f"{means(trials)}; engine {evidence.engine}. The document has 1.75 BDP only."
        ),
        columns=columns,
        rows=tuple(rows),
    )


def _goodput(trial: SeedSweep) -> float:
    return sum(group.goodput_bps or 0.0 for group in trial.only.result.groups.values())


def _queue(trial: SeedSweep) -> float | None:
    return trial.only.result.bottleneck.queue_mean_bdp


def _loss_and_share(trials: list[SeedSweep], theirs: Mapping[str, float]) -> tuple[Amount, Amount]:
    return (
        entry(
            trials,
            lambda trial: loss_per_sent(trial.only),
            factor=PERCENT,
            published=theirs.get("loss_percent"),
        ),
        entry(
            trials,
            lambda trial: cubic_share(trial.only),
            factor=PERCENT,
            published=theirs.get("cubic_share_percent"),
        ),
    )
