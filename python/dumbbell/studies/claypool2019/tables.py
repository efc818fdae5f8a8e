"""Numbers of the document's text as tables: ours, and the published ones beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dumbbell.plots.table import Amount, Column, Entry, Table
from dumbbell.studies.claypool2019.claims import FLOWS, RATE, cubic_share, fair_buffer_bdp, loss_per_sent, mean_rtt
from dumbbell.studies.claypool2019.sweeps import RATES, USUAL_RATE
from dumbbell.studies.drawing import MBIT, MS, PERCENT, entry, means
from dumbbell.studies.label import label_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dumbbell.studies.evidence import Evidence, Trial
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


def _goodput(trial: Trial) -> float:
    return sum(group.goodput_bps or 0.0 for group in trial.only.result.groups.values())


def _queue(trial: Trial) -> float | None:
    return trial.only.result.bottleneck.queue_mean_bdp


def _loss_and_share(trials: list[Trial], theirs: Mapping[str, float]) -> tuple[Amount, Amount]:
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
