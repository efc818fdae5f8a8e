"""The document's figures as charts: its runs over time and its round-trip times, and those of its sweeps."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dumbbell.charts.chart import Axis, Chart, Layer, Panel
from dumbbell.charts.style import PUBLISHED
from dumbbell.studies.borgli2017.claims import QUEUE, RIVALS, variation_of
from dumbbell.studies.borgli2017.sweeps import (
    FAIR,
    LEFT,
    LONGEST,
    MOST_RIVALS,
    PACKETS,
    RIGHT,
    SHORTEST,
    UNITS,
    crowds,
    figure2,
    figure2_readings,
    figure5,
    figure7,
    figure9,
    figure9_readings,
    rivals,
)
from dumbbell.studies.borgli2017.tables import rtts, told, units
from dumbbell.studies.drawing import ack_rtt_cdf, family, flow_rates, panel_in_time, round_trips, smoothed_rtt_cdf
from dumbbell.studies.label import label_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dumbbell.studies.drawing.time import Span
    from dumbbell.studies.evidence import Evidence, RunData, SeedSweep
    from dumbbell.studies.study import Study

JOIN_S = (30.0, 180.0)
WHOLE_S = (0.0, 300.0)
SHOWN_S = (0.0, 100.0)
"""Of the RTTs: CUBIC's cycle takes 10 s, BBR's PROBE_RTTs are as far apart."""
RATES_MBIT = (0.0, 10.5)
LONGEST_RTT_MS = 800.0
"""So that the document's impossible median has room."""

__all__ = [
    "crowds", "figure1", "figure2", "figure2_readings", "figure3", "figure4", "figure5", "figure6", "figure7",
    "figure8", "figure8_acks", "figure9", "figure9_readings", "rivals", "rtts", "told",
    "units",
]  # fmt: skip


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
            "Throughput in bins of 0.5 s of two flows, the second of which starts at 60 s; 10 Mbit/s, 83 ms, a queue "
            f"of 105 packets of 2900 bytes; seed {trial.seed}, engine {evidence.engine}. "
            f"The document's curves are not published as numbers; {numbers['source']}."
        ),
        panels=tuple(panels.values()),
        alt="CUBIC's second flow climbs to its half over tens of seconds; BBR's takes the line and comes down to it.",
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
            "Throughput in bins of 0.5 s; 10 Mbit/s, 83 ms; 13 packets of 2900 bytes are 0.36 BDP, 207 are 5.8 BDP; "
            f"seed {trial.seed}, engine {evidence.engine}. The document's curves are not published as numbers."
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
            "Throughput in bins of 0.5 s; 10 Mbit/s, 83 ms, a queue of 52 packets of 2900 bytes (1.45 BDP); seed "
            f"{trial.seed}, engine {evidence.engine}. How many CUBIC flows the document has on the right is not said: "
            f"four is the best reading. Published: {numbers['source']}."
        ),
        panels=tuple(panels),
        columns=2,
        alt="BBR stays where it is as CUBIC flows become more; these share the rest.",
    )


def figure6(study: Study, evidence: Evidence) -> Chart:
    """Throughput of one CUBIC and one BBR flow in the document's fairest queue, of one seed."""
    del study
    panels = []
    for variant in evidence.variants("c1b1"):
        trial = evidence.of("c1b1", variant)[0]
        run = trial.at({QUEUE.path: FAIR})
        covs = " and ".join(f"{variation_of(run, flow=flow.flow) or 0:.2f}" for flow in run.result.flows)
        panels.append(_rates_of(f"COV {covs}", run, WHOLE_S))
    return Chart(
        name="figure6",
        title="Oscillation in the document's fairest queue (Figure 6)",
        caption=(
            "Throughput in bins of 0.5 s of one CUBIC and one BBR flow; 10 Mbit/s, 83 ms, a queue of 55 packets of "
            f"2900 bytes (1.54 BDP); seed {trial.seed}, engine {evidence.engine}. The document's curves are not "
            "published as numbers."
        ),
        panels=tuple(panels),
        alt="Both flows swing widely and mirror each other.",
    )


def figure8(study: Study, evidence: Evidence) -> Chart:
    """Smoothed round-trip times over time and as distribution, in two queues, of one seed; below with a deep bucket."""
    chart = _round_trips(study, evidence, "figure8", "The smoothed RTT, every 50 ms,", smoothed_rtt_cdf)
    units = _distributions(evidence, "figure8_units", smoothed_rtt_cdf)
    return replace(
        chart,
        panels=(*chart.panels, *(_spread(f"{PACKETS[size]} {UNITS}", layers) for size, layers in units.items())),
        caption=(
            f"{chart.caption} The lowest row shows what brings the two together (B15): a queue that counts "
            "super-packets of two segments and drops them whole, behind a token bucket of 70 kB instead of 5. The "
            "document does not say how deep its bucket is."
        ),
        alt=f"{chart.alt} With units of two segments behind a deep bucket BBR's is nearly CUBIC's in the short queue.",
    )


def figure8_acks(study: Study, evidence: Evidence) -> Chart:
    """Single ACKs' round-trip times likewise."""
    return _round_trips(study, evidence, "figure8_acks", "The RTT of each ACK", ack_rtt_cdf)


def _rates_of(title: str, run: RunData, span: Span, marks: tuple[tuple[float, str], ...] = ()) -> Panel:
    layers = flow_rates(run, span, labels=_names(run))
    panel = panel_in_time(title, "throughput (Mbit/s)", span, *layers, limits=RATES_MBIT)
    return replace(panel, marks=marks)


def _names(run: RunData) -> Sequence[str]:
    """Where algorithms meet, each one's once; of flows of one kind their numbers."""
    ccs = [flow.cc for flow in run.result.flows]
    if len(set(ccs)) == 1:
        return ()
    return [label_of(cc, run.result.engine) if cc not in ccs[:index] else "" for index, cc in enumerate(ccs)]


def _round_trips(
    study: Study, evidence: Evidence, experiment: str, what: str, distribution: Callable[..., Layer]
) -> Chart:
    numbers = study.published["figure8"]
    per_ack = distribution is ack_rtt_cdf
    senders = _senders(evidence, experiment)
    seed = next(trial.seed for _, trial in senders.values())
    spread = _distributions(evidence, experiment, distribution)
    for group in ("bbr", "cubic"):
        spread[LEFT].append(
            Layer(
                label=f"{family(group)}'s median, published ({study.short})",
                style=f"{PUBLISHED} {group}",
                kind="points",
                x=(numbers[f"{group}_median_ms"],),
                y=(0.5,),
            )
        )
    panels = []
    for size in (LEFT, RIGHT):
        layers = [
            round_trips(_at(trial, size), 0, SHOWN_S, label=label, style=style, per_ack=per_ack)
            for label, (style, trial) in senders.items()
        ]
        panels.append(panel_in_time(f"{PACKETS[size]} packets", "RTT (ms)", SHOWN_S, *layers, limits=(0, 600)))
    panels += [_spread(f"{PACKETS[size]} packets", layers) for size, layers in spread.items()]
    return Chart(
        name=experiment,
        title=f"Round-trip times in two queues{', by single ACKs' if per_ack else ''} (Figure 8)",
        caption=(
            f"{what} of one flow alone; 10 Mbit/s, 76 ms, queues of 189 and 63 packets of 2900 bytes (514 and 222 ms "
            f"if full); above the first 100 s, below the distribution over 300 s; seed {seed}, engine "
            f"{evidence.engine}. Published: {numbers['source']}."
        ),
        panels=tuple(panels),
        columns=2,
        alt="In the long queue CUBIC's RTT swings far above BBR's; in the short one they are nearer.",
    )


def _senders(evidence: Evidence, experiment: str) -> dict[str, tuple[str, SeedSweep]]:
    """Style and first seed of each version, and of CUBIC once, by label."""
    senders: dict[str, tuple[str, SeedSweep]] = {}
    for variant in evidence.variants(experiment, f"{experiment}_cubic"):
        for name, style in ((experiment, variant), (f"{experiment}_cubic", "cubic")):
            senders.setdefault(label_of(style, evidence.engine), (style, evidence.of(name, variant)[0]))
    return senders


def _distributions(evidence: Evidence, experiment: str, distribution: Callable[..., Layer]) -> dict[str, list[Layer]]:
    """Each sender's RTTs, by the queue's size."""
    senders = _senders(evidence, experiment).items()
    return {
        size: [distribution(label, style, _at(trial, size), 0) for label, (style, trial) in senders]
        for size in (LEFT, RIGHT)
    }


def _at(trial: SeedSweep, size: str) -> RunData:
    """The run in a queue, which is swept in bytes or in units of packets."""
    (run,) = [run for run in trial.runs if QUEUE.of(run) == PACKETS[size]]
    return run


def _spread(title: str, layers: Sequence[Layer]) -> Panel:
    return Panel(
        title=title,
        x=Axis(label="RTT (ms)", limits=(0, LONGEST_RTT_MS)),
        y=Axis(label="share of samples", limits=(0, 1)),
        layers=tuple(layers),
    )
