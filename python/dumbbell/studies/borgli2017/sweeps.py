"""The document's numbers over the size of the queue, and over the number of flows, as charts."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from dumbbell.charts.chart import Axis, Chart, Layer, Panel
from dumbbell.charts.style import PUBLISHED
from dumbbell.studies.borgli2017.claims import (
    FLOWS,
    PACKET_BYTES,
    QUEUE,
    RIVALS,
    SETTLED_S,
    goodput_bps,
    jain,
    loss,
    variation_of,
)
from dumbbell.studies.drawing import MBIT, PERCENT, curve, means, published, swept_axis
from dumbbell.studies.label import label_of
from dumbbell.studies.metric import metric

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dumbbell.studies.evidence import Evidence, RunData, SeedSweep
    from dumbbell.studies.study import Study

SHORTEST, FAIR, LONGEST = "37.7 kB", "159.5 kB", "600.3 kB"
LEFT, RIGHT = "548.1 kB", "182.7 kB"
"""The queues of Figure 8's two sides."""
UNITS = "units of two segments, bursts up to 70 kB"
"""What flips B15 and gives Figure 9 its shape."""
PACKETS = {SHORTEST: 13, FAIR: 55, LONGEST: 207, LEFT: 189, RIGHT: 63}
MOST_RIVALS = 4
FAIRNESS = Axis(
    label="Jain's index", limits=(0.4, 1.1), ticks=tuple((each / 10, f"{each / 10:g}") for each in range(4, 11))
)
"""Room above 1 for what marks say."""
LOSSES = Axis(label="loss (%)", limits=(0, None))


def figure2(study: Study, evidence: Evidence) -> Chart:
    """Jain's index against the queue, for the four combinations of flows."""
    numbers = study.published["figure2"]
    panels = []
    for variant in evidence.variants("c2", "b2", "c1b1", "c2b2"):
        bbr, cubic = (label_of(each, evidence.engine) for each in (variant, "cubic"))
        looks = {"c2": "cubic", "b2": variant, "c1b1": "flow 5", "c2b2": "flow 7"}
        labels = {
            "c2": f"c2: two flows of {cubic}",
            "b2": f"b2: two flows of {bbr}",
            "c1b1": f"c1b1: one flow of {cubic} and one of BBR",
            "c2b2": f"c2b2: two flows of {cubic} and two of BBR",
        }
        trials = evidence.of("c1b1", variant)
        layers = [
            curve(labels[experiment], look, evidence.of(experiment, variant), QUEUE, jain)
            for experiment, look in looks.items()
        ]
        marks = ((numbers["fairest_packets"], "c1b1's fairest, published"),)
        panels.append(_over_queue(bbr, FAIRNESS, trials, layers, marks))
    return Chart(
        name="figure2",
        title="Jain's index versus queue size (Figure 2)",
        caption=(
            "Jain's index of the flows' goodput over 300 s; 10 Mbit/s, 83 ms; the CUBIC flows start first: "
            f"{means(trials)}; engine {evidence.engine}. The document's curves are not published as numbers; "
            f"{numbers['source']}."
        ),
        panels=tuple(panels),
        columns=len(panels),
        alt="Two CUBIC flows are fair everywhere; one CUBIC and one BBR flow have a peak, two and two a later one.",
    )


def rivals(study: Study, evidence: Evidence) -> Chart:
    """Jain's index and BBR's share against the number of CUBIC flows."""
    numbers = study.published["figure4"]
    told = {
        "flows": (1, numbers["most_likely_cubic_flows"]),
        "jain": (numbers["jain_one_cubic"], numbers["jain_more_cubic"]),
    }
    theirs = published(f"published ({study.short})", PUBLISHED, told, RIVALS, "flows", "jain", kind="points")
    fairness, shares = [theirs], []
    for variant in evidence.variants("figure4"):
        trials = evidence.of("figure4", variant)
        label = label_of(variant, evidence.engine)
        fairness.append(curve(label, variant, trials, RIVALS, jain))
        shares.append(curve("", variant, trials, RIVALS, metric("groups.bbr.share"), factor=PERCENT))
    x = swept_axis(trials, RIVALS, "CUBIC flows beside one BBR flow", "linear")
    return Chart(
        name="rivals",
        title="One BBR flow beside any number of CUBIC flows (Figure 4)",
        caption=(
            "Jain's index of all flows, and BBR's share of the goodput, over 300 s; 10 Mbit/s, 83 ms, a queue of 52 "
            f"packets of 2900 bytes: {means(trials)}; engine {evidence.engine}. Published: {numbers['source']}."
        ),
        panels=(
            Panel(x=x, y=Axis(label="Jain's index", limits=(0.3, 1.02)), layers=tuple(fairness)),
            Panel(x=x, y=Axis(label="BBR's share (%)", limits=(0, 100)), layers=tuple(shares)),
        ),
        alt="BBR's share hardly falls with the number of CUBIC flows, so that Jain's index does.",
    )


def figure5(study: Study, evidence: Evidence) -> Chart:
    """Throughput of a single flow against the queue."""
    del study
    trials = evidence.of("b1", evidence.variants("b1", "c1")[0])
    layers = _alone(evidence, "b1", "c1", partial(curve, sweep=QUEUE, value=goodput_bps, factor=MBIT))
    return Chart(
        name="figure5",
        title="Throughput of a single flow versus queue size (Figure 5)",
        caption=(
            "Goodput over 300 s, start-up included, of one flow alone; 10 Mbit/s, which carry 9.56 Mbit/s of payload, "
            f"83 ms: {means(trials)}; engine {evidence.engine}. The document's curves are not published as numbers."
        ),
        panels=(_over_queue("", Axis(label="goodput (Mbit/s)", limits=(8.6, 9.65)), trials, layers),),
        alt="All lines lie close together near the capacity.",
    )


def crowds(study: Study, evidence: Evidence) -> Chart:
    """Total throughput against the number of flows."""
    del study
    trials = evidence.of("crowd", evidence.variants("crowd", "crowd_cubic")[0])
    layers = _alone(evidence, "crowd", "crowd_cubic", partial(curve, sweep=FLOWS, value=goodput_bps, factor=MBIT))
    return Chart(
        name="crowds",
        title="Total throughput versus number of flows (in the text)",
        caption=(
            "Summed goodput over 300 s of flows of one kind; 10 Mbit/s, which carry 9.56 Mbit/s of payload, 83 ms, a "
            f"queue of 52 packets of 2900 bytes: {means(trials)}; engine {evidence.engine}. The document tells it "
            "without numbers: it rises up to the capacity."
        ),
        panels=(
            Panel(
                x=swept_axis(trials, FLOWS, "flows", "linear"),
                y=Axis(label="total goodput (Mbit/s)", limits=(8.6, 9.65)),
                layers=layers,
            ),
        ),
        alt="CUBIC's total is at the capacity from one flow on; BBR's rises towards it.",
    )


def figure7(study: Study, evidence: Evidence) -> Chart:
    """COV of a single flow's throughput against the queue, with and without its start."""
    del study
    trials = evidence.of("b1", evidence.variants("b1", "c1")[0])
    panels = []
    for title, value in (
        ("start-up included, as the document", variation_of),
        ("from 10 s on", partial(variation_of, from_s=SETTLED_S)),
    ):
        layers = _alone(evidence, "b1", "c1", partial(curve, sweep=QUEUE, value=value))
        panels.append(_over_queue(title, Axis(label="coefficient of variation", limits=(0, None)), trials, layers))
    return Chart(
        name="figure7",
        title="Coefficient of variation versus queue size (Figure 7)",
        caption=(
            "Standard deviation over mean of the throughput of one flow alone, in bins of 0.5 s over 300 s; "
            f"10 Mbit/s, 83 ms: {means(trials)}; engine {evidence.engine}. The document's curves are not published as "
            "numbers: BBR's is above CUBIC's everywhere."
        ),
        panels=tuple(panels),
        columns=2,
        alt="BBR's throughput varies more than CUBIC's in all queues.",
    )


def figure9(study: Study, evidence: Evidence) -> Chart:
    """Loss of a single flow against the queue; beside it what makes the document's curve."""
    numbers = study.published["figure9"]
    trials, units = (
        evidence.of(bbr, evidence.variants(bbr, cubic)[0]) for bbr, cubic in (("b1", "c1"), ("b1_units", "c1_units"))
    )
    marks = ((numbers["threshold_packets"], "BBR's last loss, published"),)
    drawn = partial(curve, sweep=QUEUE, value=loss, factor=PERCENT)
    return Chart(
        name="figure9",
        title="Loss of a single flow versus queue size (Figure 9)",
        caption=(
            "Packets dropped / (sent + dropped) over 300 s, start-up included, of one flow alone; 10 Mbit/s, 83 ms: "
            f"{means(trials)}; engine {evidence.engine}. On the left with the setting of all other figures; on the "
            "right with what gives the document's shape, a queue that counts super-packets of two segments and drops "
            f"them whole, behind a token bucket of 70 kB instead of 5: {means(units)}. The document does not say how "
            f"deep its bucket is. Its curves are not published as numbers; {numbers['source']}."
        ),
        panels=(
            _over_queue("bursts up to 5 kB", LOSSES, trials, _alone(evidence, "b1", "c1", drawn), marks),
            _over_queue(UNITS, LOSSES, units, _alone(evidence, "b1_units", "c1_units", drawn), marks),
        ),
        columns=2,
        alt=(
            "BBR's loss falls with the queue to nothing, and CUBIC's stays. On the left BBR's is below CUBIC's from 39 "
            "packets on; on the right it is far above CUBIC's up to 55 packets."
        ),
    )


def figure2_readings(study: Study, evidence: Evidence) -> Chart:
    """Jain's index of one CUBIC and one BBR flow against the queue, by other readings of the testbed."""
    mark = ((study.published["figure2"]["fairest_packets"], "fairest, published"),)
    panels = []
    for variant in evidence.variants("c1b1", "c1b1_bursts", "c1b1_units", "c1b1_loss"):
        usual = evidence.of("c1b1", variant)
        units, lossy = (evidence.of(each, variant) for each in ("c1b1_units", "c1b1_loss"))
        told = {"bursts": evidence.of("c1b1_bursts", variant), "unit, loss": units}
        for title, trials in told.items():
            layers = [curve("as in Figure 2", "flow 1", usual, QUEUE, jain)]
            if title == "bursts":
                layers += _swept_readings(trials, "path.burst", "bursts up to", jain)
            else:
                layers.append(curve(UNITS, "flow 5", units, QUEUE, jain))
                layers += _swept_readings(lossy, "path.loss", "random loss of", jain)
            name = f"{label_of(variant, evidence.engine)}: {title}"
            panels.append(_over_queue(name, FAIRNESS, usual, layers, mark))
    return Chart(
        name="figure2_readings",
        title="Figure 2's c1b1 by other readings of the testbed",
        caption=(
            "Jain's index of one CUBIC and one BBR flow over 300 s, 10 Mbit/s, 83 ms: with other bursts of the token "
            "bucket than 5 kB, with a queue that counts super-packets of two segments and drops them whole, and with "
            f"random loss on the path: {means(units)} ({len(usual)} as in Figure 2); engine {evidence.engine}."
        ),
        panels=tuple(panels),
        columns=2,
        alt="The peak of Jain's index for each reading.",
    )


def figure9_readings(study: Study, evidence: Evidence) -> Chart:
    """Loss of a single flow against the queue, by other readings of the testbed."""
    mark = ((study.published["figure9"]["threshold_packets"], "BBR's last loss, published"),)
    panels: dict[str, Panel] = {}
    for variant in evidence.variants("b1", "b1_bursts", "b1_units", "c1", "c1_bursts", "c1_units"):
        for single, style in (("b1", variant), ("c1", "cubic")):
            usual = evidence.of(single, variant)
            units = evidence.of(f"{single}_units", variant)
            layers = [
                curve("as in Figure 9", "flow 1", usual, QUEUE, loss, factor=PERCENT),
                *_swept_readings(evidence.of(f"{single}_bursts", variant), "path.burst", "bursts up to", loss, PERCENT),
                curve(UNITS, "flow 5", units, QUEUE, loss, factor=PERCENT),
            ]
            name = label_of(style, evidence.engine)
            panels[name] = _over_queue(name, LOSSES, usual, layers, mark if single == "b1" else ())
    return Chart(
        name="figure9_readings",
        title="Figure 9 by other readings of the testbed",
        caption=(
            "Packets dropped / (sent + dropped) over 300 s of one flow alone, 10 Mbit/s, 83 ms: with other bursts of "
            "the token bucket than 5 kB, and with a queue that counts super-packets of two segments and drops them "
            f"whole: {means(units)} ({len(usual)} as in Figure 9); engine {evidence.engine}."
        ),
        panels=tuple(panels.values()),
        columns=2,
        alt="Loss against the queue for each reading.",
    )


def _over_queue(
    title: str,
    y: Axis,
    trials: Sequence[SeedSweep],
    layers: Sequence[Layer],
    marks: tuple[tuple[float, str], ...] = (),
) -> Panel:
    packets = trials[0].runs[0].bdp_bytes / PACKET_BYTES
    beyond = int(QUEUE.values(trials)[-1] / packets)
    bdp = Axis(label="queue (BDP)", ticks=tuple((each * packets, f"{each}") for each in range(beyond + 1)))
    x = Axis(label="queue (packets of 2900 B)", limits=(0, 215), opposite=bdp)
    return Panel(title=title, x=x, y=y, layers=tuple(layers), marks=marks)


def _alone(
    evidence: Evidence, bbr: str, cubic: str, drawn: Callable[[str, str, Sequence[SeedSweep]], Layer]
) -> tuple[Layer, ...]:
    """Each version's curve, and CUBIC's once."""
    layers: dict[str, Layer] = {}
    for variant in evidence.variants(bbr, cubic):
        for experiment, style in ((bbr, variant), (cubic, "cubic")):
            label = label_of(style, evidence.engine)
            if label not in layers:
                layers[label] = drawn(label, style, evidence.of(experiment, variant))
    return tuple(layers.values())


def _swept_readings(
    trials: Sequence[SeedSweep], path: str, words: str, value: Callable[[RunData], float | None], factor: float = 1.0
) -> list[Layer]:
    """A curve for each value of a field."""
    first = {"path.burst": 2, "path.loss": 6}[path]  # looks that panels with one legend do not share
    values = dict.fromkeys(run.point[path] for run in trials[0].runs)
    return [
        curve(
            f"{words} {each}",
            f"flow {look}",
            [trial.where({path: each}) for trial in trials],
            QUEUE,
            value,
            factor=factor,
        )
        for look, each in enumerate(values, start=first)
    ]
