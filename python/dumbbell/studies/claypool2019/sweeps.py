"""What the document says of other capacities and flow counts, and omits "due to lack of space", as charts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dumbbell.charts.chart import Axis, Chart, Layer, Panel
from dumbbell.charts.style import PUBLISHED
from dumbbell.studies.claypool2019.claims import FLOWS, QUEUE, RATE, goodput_bps, loss_per_sent
from dumbbell.studies.drawing import MBIT, PERCENT, curve, grid, means, published, swept_axis
from dumbbell.studies.label import label_of
from dumbbell.studies.metric import metric
from dumbbell.studies.sweep import number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dumbbell.studies.evidence import Evidence, RunData, SeedSweep
    from dumbbell.studies.study import Study

AXIS = "router queue (BDP)"
RATES = ("40 Mbit/s", "80 Mbit/s", "120 Mbit/s")
USUAL_RATE = "80 Mbit/s"
USUAL_FLOWS = 4
STYLES = ("flow 1", "flow 2", "flow 3")
"""Of the lines of a panel, the fewest flows first."""
TICKS_BDP = (0.25, 0.5, 1, 2, 4, 8)
"""Where panels are too low for a tick at each size."""


def standing(study: Study, evidence: Evidence) -> Chart:
    """The queue that BBR flows keep where there is room for 8 BDP, in each condition."""
    numbers = study.published["standing"]
    variants = evidence.variants("standing")
    trials = [evidence.of("standing", variant) for variant in variants]
    panels = tuple(
        grid(
            label_of(variant, evidence.engine),
            found,
            (RATE, "capacity (Mbit/s)"),
            (FLOWS, "BBR flows"),
            metric("bottleneck.queue_mean_bdp"),
            quantity="mean queue (BDP)",
            published=numbers,
            most=2,
        )
        for variant, found in zip(variants, trials, strict=True)
    )
    return Chart(
        name="standing",
        title="The queue that BBR flows keep (section IV-A)",
        caption=(
            "Mean backlog in BDP of BBR flows at 25 ms with room for 8 BDP, from 50 to 85 % of 300 s: "
            f"{means(trials[0])}; engine {evidence.engine}. In brackets what was published: {numbers['source']}."
        ),
        panels=panels,
        columns=len(panels),
        alt="Nine cells a version, most between 1 and 1.6 BDP, more with more flows and less capacity.",
    )


def figure7_sweep(study: Study, evidence: Evidence) -> Chart:
    """Loss of two, four and eight BBR flows against the size of the queue, at each capacity."""
    usual, apart = study.published["figure7"], study.published["eight_at_40"]
    theirs = {
        USUAL_RATE: published(
            f"4 flows, published ({study.short})", f"{PUBLISHED} flow 2", usual, QUEUE, "buffer", "loss_percent"
        ),
        "40 Mbit/s": published(
            f"8 flows, published ({study.short})",
            f"{PUBLISHED} flow 3",
            apart,
            QUEUE,
            "buffer",
            "loss_percent",
            kind="points",
        ),
    }
    return _over_conditions(
        evidence,
        "figure7_sweep",
        (lambda flows: f"{flows} flows", loss_per_sent),
        Axis(label="loss (%)", limits=(0, 22)),
        theirs,
        title="BBR's loss versus router queue size, over capacities and flow counts (section IV-C)",
        words=(
            "Packets dropped / packets sent on of 2, 4 and 8 BBR flows at 25 ms, from 50 to 85 % of 300 s",
            f"{usual['source']}; {apart['source']}",
        ),
        alt="In each panel the loss falls with the queue's size to nothing at about 1.5 BDP; more flows lose more.",
    )


def figure10_sweep(study: Study, evidence: Evidence) -> Chart:
    """BBR's share beside as many flows of CUBIC against the size of the queue, at each capacity."""
    numbers = study.published["figure10"]
    pairs = zip(numbers["bbr_mbit_s"], numbers["cubic_mbit_s"], strict=True)
    shares = {"buffer": numbers["buffer"], "share": [PERCENT * bbr / (bbr + cubic) for bbr, cubic in pairs]}
    label = f"2 and 2 flows, published ({study.short})"
    return _over_conditions(
        evidence,
        "figure10_sweep",
        (lambda flows: f"{flows} and {flows} flows", metric("groups.bbr.share")),
        Axis(label="BBR's share (%)", limits=(0, 105)),
        {USUAL_RATE: published(label, f"{PUBLISHED} flow 2", shares, QUEUE, "buffer", "share")},
        title="BBR's share beside CUBIC versus router queue length, over capacities and flow counts (section IV-D)",
        words=(
            "BBR's share of the goodput of 1, 2 and 4 BBR flows beside as many of CUBIC, 25 ms, 50 to 80 % of 300 s",
            numbers["source"],
        ),
        alt="BBR's share falls from nearly all below 1.5 BDP to less than half; a single flow of each meets earlier.",
    )


def figure10_loss(study: Study, evidence: Evidence) -> Chart:
    """Loss of as many flows of BBR as of CUBIC against the size of the queue, at each capacity."""
    numbers = study.published["figure10"]
    label = f"2 and 2 flows, published ({study.short})"
    return _over_conditions(
        evidence,
        "figure10_sweep",
        (lambda flows: f"{flows} and {flows} flows", loss_per_sent),
        Axis(label="loss (%)", limits=(0, 22)),
        {USUAL_RATE: published(label, f"{PUBLISHED} flow 2", numbers, QUEUE, "buffer", "loss_percent")},
        name="figure10_loss",
        title="Loss of BBR beside CUBIC versus router queue length, over capacities and flow counts (section IV-D)",
        words=(
            "Dropped / sent on of 1, 2 and 4 BBR flows and as many of CUBIC, 25 ms, 50 to 80 % of 300 s (there 85 %)",
            numbers["source"],
        ),
        alt="The loss falls with the queue's size; one flow of each loses far less than two or four of each.",
    )


def utilization(study: Study, evidence: Evidence) -> Chart:
    """What four BBR flows get together against the size of the queue, at each capacity."""
    numbers = study.published["utilization"]
    panels = []
    for variant in evidence.variants("figure7_sweep"):
        trials = evidence.of("figure7_sweep", variant)
        label = label_of(variant, evidence.engine)
        shortest, *_, longest = QUEUE.values(trials)
        band = Layer(
            label=f"at 80 Mbit/s, published ({study.short})",
            style=PUBLISHED,
            kind="band",
            x=(shortest, longest),
            y=(),
            low=(numbers["least_mbit_s"],) * 2,
            high=(numbers["most_mbit_s"],) * 2,
        )
        ours = (
            curve(
                f"{label}, at {number(rate, 'Mbit/s'):g} Mbit/s",
                variant,
                _where(trials, rate, USUAL_FLOWS),
                QUEUE,
                goodput_bps,
                factor=MBIT,
                instance=index,
            )
            for index, rate in enumerate(RATES)
        )
        panels.append(
            Panel(
                title=label,
                x=swept_axis(trials, QUEUE, AXIS),
                y=Axis(label="goodput of all flows (Mbit/s)", limits=(0, 125)),
                layers=(band, *ours),
            )
        )
    return Chart(
        name="utilization",
        title="Throughput utilization of BBR (the authors' report, Figure 13)",
        caption=(
            "Summed goodput of four BBR flows at 25 ms, from 50 to 85 % of 300 s: "
            f"{means(trials)}; engine {evidence.engine}. Published: {numbers['source']}."
        ),
        panels=tuple(panels),
        columns=len(panels),
        alt="Three level lines a little below 40, 80 and 120 Mbit/s, whatever the queue's size.",
    )


def _over_conditions(  # noqa: PLR0913 (what three figures do not share)
    evidence: Evidence,
    experiment: str,
    shown: tuple[Callable[[int], str], Callable[[RunData], float | None]],
    y: Axis,
    theirs: dict[str, Layer],
    *,
    name: str = "",
    title: str,
    words: tuple[str, str],
    alt: str,
) -> Chart:
    """A panel for each capacity and version, a line for each number of flows; `shown` has its words and its number.

    The chart is named as the experiment if no `name` is said.
    """
    called, value = shown
    variants = evidence.variants(experiment)
    trials = {variant: evidence.of(experiment, variant) for variant in variants}
    panels = tuple(
        Panel(
            title=f"{label_of(variant, evidence.engine)}, {rate}",
            x=Axis(label=AXIS, scale="log2", ticks=tuple((at, f"{at:g}") for at in TICKS_BDP)),
            y=y,
            layers=(
                *([theirs[rate]] if rate in theirs else []),
                *(
                    curve(called(flows), style, _where(trials[variant], rate, flows), QUEUE, value, factor=PERCENT)
                    for style, flows in zip(STYLES, map(int, FLOWS.values(trials[variant])), strict=True)
                ),
            ),
        )
        for rate in RATES
        for variant in variants
    )
    what, source = words
    return Chart(
        name=name or experiment,
        title=title,
        caption=f"{what}: {means(trials[variants[0]])}; engine {evidence.engine}. Published: {source}.",
        panels=panels,
        columns=len(variants),
        alt=alt,
    )


def _where(trials: Sequence[SeedSweep], rate: str, flows: int) -> list[SeedSweep]:
    return [trial.where({RATE.path: rate, FLOWS.path: flows}) for trial in trials]
