"""The document's figures as charts, and what it tells in numbers as a table."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from dumbbell.plots.chart import Axis, Chart, Layer, Panel
from dumbbell.plots.style import PUBLISHED
from dumbbell.plots.table import Column, Table
from dumbbell.studies.borgli2017.claims import (
    FLOWS,
    PACKET_BYTES,
    QUEUE,
    RIVALS,
    SETTLED_S,
    fairest_queue_bdp,
    goodput_bps,
    jain,
    loss,
    rtt_apart,
    rtt_difference,
    threshold_of_loss_bdp,
    time_to_share,
    variation_of,
)
from dumbbell.studies.drawing import (
    MBIT,
    MS,
    PERCENT,
    ack_rtt_cdf,
    curve,
    entry,
    flow_rates,
    means,
    panel_in_time,
    round_trips,
    smoothed_rtt_cdf,
)
from dumbbell.studies.label import label_of
from dumbbell.studies.metric import metric

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dumbbell.plots.table import Entry
    from dumbbell.studies.evidence import Evidence, Observed, Trial
    from dumbbell.studies.study import Study

SHORTEST, FAIR, LONGEST = "37.7 kB", "159.5 kB", "600.3 kB"
LEFT, RIGHT = "548.1 kB", "182.7 kB"
"""The queues of Figure 8's two sides."""
PACKETS = {SHORTEST: 13, FAIR: 55, LONGEST: 207, LEFT: 189, RIGHT: 63}
JOIN_S = (30.0, 180.0)
WHOLE_S = (0.0, 300.0)
SHOWN_S = (0.0, 100.0)
"""Of the RTTs: CUBIC's cycle takes 10 s, BBR's PROBE_RTTs are as far apart."""
RATES_MBIT = (0.0, 13.0)
FAIRNESS = Axis(
    label="Jain's index", limits=(0.4, 1.1), ticks=tuple((each / 10, f"{each / 10:g}") for each in range(4, 11))
)
"""Room above 1 for what marks say."""
LOSSES = Axis(label="loss (%)", limits=(0, None))
JUMPS = "goodput stands still while a hole is filled, and then jumps"
LONGEST_RTT_MS = 800.0
"""So that the document's impossible median has room."""
MOST_RIVALS = 4


def figure1(study: Study, evidence: Evidence) -> Chart:
    """Throughput of a flow that is joined by another one of its kind, of one seed."""
    numbers = study.published["join"]
    joined_s, shared_s = numbers["joined_s"], numbers["joined_s"] + numbers["cubic_converged_s"]
    panels: dict[str, Panel] = {}
    for variant in evidence.variants("join", "join_cubic"):
        for experiment, style in (("join_cubic", "cubic"), ("join", variant)):
            trial = evidence.of(experiment, variant)[0]
            title = f"two flows of {label_of(style, evidence.engine)}"
            marks = ((shared_s, "equal share, published"),) if style == "cubic" else ()
            panels[title] = _rates_of(title, trial.only, JOIN_S, ((joined_s, "flow 2 starts"), *marks))
    return Chart(
        name="figure1",
        title="A flow joins another one (Figure 1)",
        caption=(
            "Goodput in bins of 0.5 s of two flows, the second of which starts at 60 s; 10 Mbit/s, 83 ms, a queue of "
            f"105 packets of 2900 bytes; seed {trial.seed}, engine {evidence.engine}; {JUMPS}. "
            f"The document's curves are not published as numbers; {numbers['source']}."
        ),
        panels=tuple(panels.values()),
        alt="CUBIC's second flow climbs to its half over tens of seconds; BBR's takes the line and comes down to it.",
    )


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


def figure3(study: Study, evidence: Evidence) -> Chart:
    """Throughput of one CUBIC and one BBR flow in the shortest and in the longest queue, of one seed."""
    del study
    panels = []
    for variant in evidence.variants("c1b1"):
        trial = evidence.of("c1b1", variant)[0]
        for size in (SHORTEST, LONGEST):
            run = trial.at({QUEUE.path: size})
            panels.append(_rates_of(f"{PACKETS[size]} packets", run, WHOLE_S))
    return Chart(
        name="figure3",
        title="One CUBIC and one BBR flow in the most extreme queues (Figure 3)",
        caption=(
            "Goodput in bins of 0.5 s; 10 Mbit/s, 83 ms; 13 packets of 2900 bytes are 0.36 BDP, 207 are 5.8 BDP; "
            f"seed {trial.seed}, engine {evidence.engine}; {JUMPS}. The document's curves are not published as numbers."
        ),
        panels=tuple(panels),
        columns=2,
        alt="In the shortest queue BBR has nearly all; in the longest CUBIC is above BBR.",
    )


def figure4(study: Study, evidence: Evidence) -> Chart:
    """Throughput of each flow where one BBR flow meets one CUBIC flow, and where it meets four, of one seed."""
    numbers = study.published["figure4"]
    panels = []
    for variant in evidence.variants("figure4"):
        trial = evidence.of("figure4", variant)[0]
        for count, theirs in ((1, numbers["jain_one_cubic"]), (MOST_RIVALS, numbers["jain_more_cubic"])):
            run = trial.at({RIVALS.path: count})
            told = f"Jain {run.result.jain or 0:.3f}, published {theirs}"
            panels.append(_rates_of(f"1 + {count} flows: {told}", run, WHOLE_S))
    return Chart(
        name="figure4",
        title="One BBR flow beside one and beside more CUBIC flows (Figure 4)",
        caption=(
            "Goodput in bins of 0.5 s; 10 Mbit/s, 83 ms, a queue of 52 packets of 2900 bytes (1.45 BDP); seed "
            f"{trial.seed}, engine {evidence.engine}. How many CUBIC flows the document has on the right is not said: "
            f"four is the best reading. Published: {numbers['source']}."
        ),
        panels=tuple(panels),
        columns=2,
        alt="BBR stays where it is as CUBIC flows become more; these share the rest.",
    )


def rivals(study: Study, evidence: Evidence) -> Chart:
    """Jain's index and BBR's share against the number of CUBIC flows."""
    numbers = study.published["figure4"]
    counts = (1.0, float(numbers["most_likely_cubic_flows"]))
    theirs = Layer(
        label=f"published ({study.short})",
        style=PUBLISHED,
        kind="points",
        x=counts,
        y=(numbers["jain_one_cubic"], numbers["jain_more_cubic"]),
    )
    fairness, shares = [theirs], []
    for variant in evidence.variants("figure4"):
        trials = evidence.of("figure4", variant)
        label = label_of(variant, evidence.engine)
        fairness.append(curve(label, variant, trials, RIVALS, jain))
        shares.append(curve("", variant, trials, RIVALS, metric("groups.bbr.share"), factor=PERCENT))
    x = Axis(
        label="CUBIC flows beside one BBR flow", ticks=tuple((each, f"{each:g}") for each in RIVALS.values(trials))
    )
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
    ticks = tuple((each, f"{each:g}") for each in FLOWS.values(trials))
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
                x=Axis(label="flows", ticks=ticks),
                y=Axis(label="total goodput (Mbit/s)", limits=(8.6, 9.65)),
                layers=layers,
            ),
        ),
        alt="CUBIC's total is at the capacity from one flow on; BBR's rises towards it.",
    )


def figure6(study: Study, evidence: Evidence) -> Chart:
    """Throughput of one CUBIC and one BBR flow in the document's fairest queue, of one seed."""
    del study
    panels = []
    for variant in evidence.variants("c1b1"):
        trial = evidence.of("c1b1", variant)[0]
        run = trial.at({QUEUE.path: FAIR})
        covs = " and ".join(f"{flow.cov or 0:.2f}" for flow in run.result.flows)
        panels.append(_rates_of(f"COV {covs}", run, WHOLE_S))
    return Chart(
        name="figure6",
        title="Oscillation in the document's fairest queue (Figure 6)",
        caption=(
            "Goodput in bins of 0.5 s of one CUBIC and one BBR flow; 10 Mbit/s, 83 ms, a queue of 55 packets of 2900 "
            f"bytes (1.54 BDP); seed {trial.seed}, engine {evidence.engine}. The document's curves are not published "
            "as numbers."
        ),
        panels=tuple(panels),
        alt="Both flows swing widely and mirror each other.",
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
            "Standard deviation over mean of one flow's goodput in bins of 0.5 s over 300 s; 10 Mbit/s, 83 ms: "
            f"{means(trials)}; engine {evidence.engine}. The document's curves are not published as numbers: BBR's is "
            "above CUBIC's everywhere."
        ),
        panels=tuple(panels),
        columns=2,
        alt="BBR's throughput varies more than CUBIC's in most queues.",
    )


def figure8(study: Study, evidence: Evidence) -> Chart:
    """Smoothed round-trip times over time and as distribution, in two queues, of one seed."""
    return _round_trips(study, evidence, "figure8", "The smoothed RTT, every 50 ms,", smoothed_rtt_cdf)


def figure8_acks(study: Study, evidence: Evidence) -> Chart:
    """Single ACKs' round-trip times likewise."""
    return _round_trips(study, evidence, "figure8_acks", "The RTT of each ACK", ack_rtt_cdf)


def figure9(study: Study, evidence: Evidence) -> Chart:
    """Loss of a single flow against the queue."""
    numbers = study.published["figure9"]
    trials = evidence.of("b1", evidence.variants("b1", "c1")[0])
    layers = _alone(evidence, "b1", "c1", partial(curve, sweep=QUEUE, value=loss, factor=PERCENT))
    marks = ((numbers["threshold_packets"], "BBR's last loss, published"),)
    return Chart(
        name="figure9",
        title="Loss of a single flow versus queue size (Figure 9)",
        caption=(
            "Packets dropped / (sent + dropped) over 300 s, start-up included, of one flow alone; 10 Mbit/s, 83 ms: "
            f"{means(trials)}; engine {evidence.engine}. The document's curves are not published as numbers; "
            f"{numbers['source']}."
        ),
        panels=(_over_queue("", LOSSES, trials, layers, marks),),
        alt="BBR's loss falls with the queue to nothing; CUBIC's stays.",
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
                layers.append(curve("units of two segments, 70 kB bursts", "flow 5", units, QUEUE, jain))
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
                curve("units of two segments, 70 kB bursts", "flow 5", units, QUEUE, loss, factor=PERCENT),
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


def told(study: Study, evidence: Evidence) -> Table:
    """Each number of the document beside ours."""
    join, two, four, eight, nine = (
        study.published[each] for each in ("join", "figure2", "figure4", "figure8", "figure9")
    )
    rows: list[tuple[Entry, ...]] = []
    for variant in evidence.variants("join", "join_cubic", "c1b1", "figure4", "figure8", "figure8_cubic", "b1"):
        both = evidence.together(["figure8", "figure8_cubic"], variant)
        rows.append(
            (
                label_of(variant, evidence.engine),
                entry(
                    evidence.of("join_cubic", variant),
                    lambda trial: time_to_share(trial.only),
                    published=join["cubic_converged_s"],
                ),
                entry(
                    evidence.of("join", variant),
                    lambda trial: time_to_share(trial.only),
                    published="a matter of seconds",
                ),
                entry(evidence.of("c1b1", variant), fairest_queue_bdp, published=two["fairest_bdp"]),
                entry(evidence.of("figure4", variant), _jain_beside(1), published=four["jain_one_cubic"]),
                entry(evidence.of("figure4", variant), _jain_beside(MOST_RIVALS), published=four["jain_more_cubic"]),
                entry(evidence.of("figure8", variant), _median_rtt_s, factor=MS, published=eight["bbr_median_ms"]),
                entry(
                    evidence.of("figure8_cubic", variant),
                    _median_rtt_s,
                    factor=MS,
                    published=f"{eight['cubic_median_ms']}: impossible",
                ),
                entry(both, partial(_beside, rtt_difference, LEFT), factor=MS, published=eight["difference_ms"]),
                entry(evidence.of("b1", variant), threshold_of_loss_bdp, published=_bdp(nine["threshold_packets"])),
            )
        )
    columns = (
        Column(title="version"),
        Column(title="two CUBIC flows share after", unit="s"),
        Column(title="two BBR flows share after", unit="s"),
        Column(title="fairest queue of c1b1", unit="BDP"),
        Column(title="Jain's index beside 1 CUBIC flow"),
        Column(title="Jain's index beside 4"),
        Column(title="BBR's median RTT", unit="ms"),
        Column(title="CUBIC's median RTT", unit="ms"),
        Column(title="difference", unit="ms"),
        Column(title="BBR loses nothing from", unit="BDP"),
    )
    return Table(
        name="told",
        title="What the document tells in numbers",
        caption=(
            f"Mean over seeds ± 95 % interval; engine {evidence.engine}. RTTs: smoothed, single flows, 189 packets. "
            "CUBIC's published median of 750 ms is above what the queue allows, 514 ms, and contradicts the published "
            "difference. Jain's index beside four: the number of flows is inferred."
        ),
        columns=columns,
        rows=tuple(rows),
    )


def units(study: Study, evidence: Evidence) -> Table:
    """What of it changes where the queue counts units of two segments, as the document's did for the most part."""
    two, eight, nine = (study.published[each] for each in ("figure2", "figure8", "figure9"))
    names = ("c1b1_units", "b1_units", "c1_units", "figure8_units", "figure8_units_cubic")
    rows: list[tuple[Entry, ...]] = []
    for variant in evidence.variants(*names):
        bbr, cubic = (evidence.of(each, variant) for each in names[3:])
        both = evidence.together(names[3:], variant)
        rows.append(
            (
                label_of(variant, evidence.engine),
                entry(evidence.of("c1b1_units", variant), fairest_queue_bdp, published=two["fairest_bdp"]),
                entry(evidence.of("b1_units", variant), _loss_in_shortest, factor=PERCENT),
                entry(evidence.of("c1_units", variant), _loss_in_shortest, factor=PERCENT),
                entry(
                    evidence.of("b1_units", variant), threshold_of_loss_bdp, published=_bdp(nine["threshold_packets"])
                ),
                entry(bbr, _median_rtt_s, factor=MS, published=eight["bbr_median_ms"]),
                entry(cubic, _median_rtt_s, factor=MS, published=f"{eight['cubic_median_ms']}: impossible"),
                entry(both, partial(_beside, rtt_difference, LEFT), factor=MS, published=eight["difference_ms"]),
                entry(both, partial(_beside, rtt_apart, RIGHT), factor=PERCENT, published="very similar"),
            )
        )
    columns = (
        Column(title="version"),
        Column(title="fairest queue of c1b1", unit="BDP"),
        Column(title="BBR's loss at 13 packets", unit="%"),
        Column(title="CUBIC's loss at 13 packets", unit="%"),
        Column(title="BBR loses nothing from", unit="BDP"),
        Column(title="BBR's median RTT", unit="ms"),
        Column(title="CUBIC's median RTT", unit="ms"),
        Column(title="difference", unit="ms"),
        Column(title="difference at 63 packets", unit="%"),
    )
    return Table(
        name="units",
        title="The same with a queue of units of two segments",
        caption=(
            f"Mean over seeds ± 95 % interval; engine {evidence.engine}. Segmentation offloads are on, so that "
            "super-packets of two segments are queued and dropped whole, and the token bucket lets 70 kB through at "
            "once, the least that offloads allow here. Six queues; RTTs at 189 packets where nothing else is said."
        ),
        columns=columns,
        rows=tuple(rows),
    )


def _rates_of(title: str, run: Observed, span: tuple[float, float], marks: tuple[tuple[float, str], ...] = ()) -> Panel:
    layers = flow_rates(run, span, labels=_names(run))
    panel = panel_in_time(title, "throughput (Mbit/s)", span, *layers, limits=RATES_MBIT)
    return replace(panel, marks=marks)


def _names(run: Observed) -> Sequence[str]:
    """Where algorithms meet, each one's once; of flows of one kind their numbers."""
    ccs = [flow.cc for flow in run.result.flows]
    if len(set(ccs)) == 1:
        return ()
    return [label_of(cc, run.result.engine) if cc not in ccs[:index] else "" for index, cc in enumerate(ccs)]


def _over_queue(
    title: str,
    y: Axis,
    trials: Sequence[Trial],
    layers: Sequence[Layer],
    marks: tuple[tuple[float, str], ...] = (),
) -> Panel:
    packets = trials[0].runs[0].bdp_bytes / PACKET_BYTES
    beyond = int(QUEUE.values(trials)[-1] / packets)
    bdp = Axis(label="queue (BDP)", ticks=tuple((each * packets, f"{each}") for each in range(beyond + 1)))
    x = Axis(label="queue (packets of 2900 B)", limits=(0, 215), opposite=bdp)
    return Panel(title=title, x=x, y=y, layers=tuple(layers), marks=marks)


def _alone(
    evidence: Evidence, bbr: str, cubic: str, drawn: Callable[[str, str, Sequence[Trial]], Layer]
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
    trials: Sequence[Trial], path: str, words: str, value: Callable[[Observed], float | None], factor: float = 1.0
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


def _round_trips(
    study: Study, evidence: Evidence, experiment: str, what: str, distribution: Callable[..., Layer]
) -> Chart:
    numbers = study.published["figure8"]
    per_ack = distribution is ack_rtt_cdf
    in_time: dict[str, list[Layer]] = {size: [] for size in (LEFT, RIGHT)}
    spread: dict[str, list[Layer]] = {size: [] for size in (LEFT, RIGHT)}
    for variant in evidence.variants(experiment, f"{experiment}_cubic"):
        for name, style in ((experiment, variant), (f"{experiment}_cubic", "cubic")):
            label = label_of(style, evidence.engine)
            trial = evidence.of(name, variant)[0]
            for size in (LEFT, RIGHT):
                if all(layer.label != label for layer in in_time[size]):  # CUBIC is the same for each version
                    run = trial.at({QUEUE.path: size})
                    in_time[size].append(round_trips(run, 0, SHOWN_S, label=label, style=style, per_ack=per_ack))
                    spread[size].append(distribution(label, style, run, 0))
    for group in ("bbr", "cubic"):
        spread[LEFT].append(
            Layer(
                label=f"{group.upper()}'s median, published ({study.short})",
                style=f"{PUBLISHED} {group}",
                kind="points",
                x=(numbers[f"{group}_median_ms"],),
                y=(0.5,),
            )
        )
    panels = [
        panel_in_time(f"{PACKETS[size]} packets", "RTT (ms)", SHOWN_S, *layers, limits=(0, 600))
        for size, layers in in_time.items()
    ]
    panels += [
        Panel(
            title=f"{PACKETS[size]} packets",
            x=Axis(label="RTT (ms)", limits=(0, LONGEST_RTT_MS)),
            y=Axis(label="share of the samples", limits=(0, 1)),
            layers=tuple(layers),
        )
        for size, layers in spread.items()
    ]
    return Chart(
        name=experiment,
        title=f"Round-trip times in two queues{', by single ACKs' if per_ack else ''} (Figure 8)",
        caption=(
            f"{what} of one flow alone; 10 Mbit/s, 76 ms, queues of 189 and 63 packets of 2900 bytes (514 and 222 ms "
            f"if full); above the first 100 s, below the distribution over 300 s; seed {trial.seed}, engine "
            f"{evidence.engine}. Published: {numbers['source']}."
        ),
        panels=tuple(panels),
        columns=2,
        alt="In the long queue CUBIC's RTT swings far above BBR's; in the short one they are nearer.",
    )


def _jain_beside(count: int) -> Callable[[Trial], float | None]:
    return lambda trial: jain(trial.at({RIVALS.path: count}))


def _median_rtt_s(trial: Trial) -> float | None:
    return _at(trial, LEFT).result.flows[0].rtt_p50_s


def _loss_in_shortest(trial: Trial) -> float:
    return loss(_at(trial, SHORTEST))


def _beside(value: Callable[[Observed, Observed], float | None], size: str, trial: Trial, other: Trial) -> float | None:
    return value(_at(trial, size), _at(other, size))


def _at(trial: Trial, size: str) -> Observed:
    """The run with a queue of this size, in bytes or in as many packets."""
    return next(run for run in trial.runs if QUEUE.of(run) == PACKETS[size])


def _bdp(packets: float) -> str:
    """At 83 ms."""
    return f"{packets * PACKET_BYTES * 8 / 10e6 / 0.083:.1f}"
